"""Shapes, orders and pieces of variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.op import OPS
from ...core.tensor import Tensor
from ...nn.functional.vision import unfold as unfolded
from ...static.nn.helper import activated
from ...tensor import convert, creation, layout, manipulation
from .helper import listed, one, stopped, today
from .tensors import assign

__all__ = [
    "concat",
    "crop",
    "crop_tensor",
    "diag_embed",
    "expand",
    "expand_as",
    "flatten",
    "flip",
    "pad",
    "pad2d",
    "pad_constant_like",
    "rank",
    "reshape",
    "reverse",
    "roll",
    "shape",
    "size",
    "slice",
    "split",
    "squeeze",
    "stack",
    "strided_slice",
    "t",
    "trace",
    "transpose",
    "unfold",
    "unsqueeze",
    "unstack",
]


@today("paddle.reshape")
def reshape(
    x: Any,
    shape: Any,
    actual_shape: Any = None,
    act: str | None = None,
    inplace: bool = False,
    name: str | None = None,
) -> Any:
    """The same elements in another shape: -1 is what is left over, 0 the size that x has there.

    x [*] -> [*shape]

    shape: ints or variables, or a variable; actual_shape: a variable that is believed instead.
    """
    return activated(
        "reshape", manipulation.reshape(x, shape if actual_shape is None else actual_shape), act
    )


@today("paddle.transpose")
def transpose(x: Any, perm: Any, name: str | None = None) -> Any:
    """Axis i of the result is axis perm[i] of x.   x [*S] -> [S[perm[0]], ...]"""
    return OPS["transpose2"](x, axis=list(perm))


@today("paddle.t")
def t(input: Any, name: str | None = None) -> Any:
    """The transpose of a matrix; a vector as it is.   input [N, M] -> [M, N]"""
    return manipulation.t(input)


@today("paddle.flatten")
def flatten(x: Any, axis: int = 1, name: str | None = None) -> Any:
    """A matrix: the axes before `axis` made one, and those from it on.

    x [*A, *B] -> [prod(A), prod(B)]
    """
    return OPS["flatten2"](x, axis=axis)


@today("paddle.squeeze")
def squeeze(input: Any, axes: Any, name: str | None = None) -> Any:
    """Without the axes of size 1 that are named, without all of them for none.

    input [*] -> [*]
    """
    return one(manipulation.squeeze(input, listed(axes) or None))


@today("paddle.unsqueeze")
def unsqueeze(input: Any, axes: Any, name: str | None = None) -> Any:
    """With axes of size 1 put in at these places.   input [*] -> [*]"""
    return manipulation.unsqueeze(input, axes)


def _parts(value: Any) -> Any:
    """The tensors to concatenate; a TensorArray from `array_write` is returned unchanged."""
    return value if hasattr(value, "concat_elements") else listed(value)


@today("paddle.concat")
def concat(input: Any, axis: Any = 0, name: str | None = None) -> Any:
    """One behind the other along an axis.   input: [*] each -> [*]"""
    return manipulation.concat(_parts(input), axis)


@today("paddle.split")
def split(input: Any, num_or_sections: Any, dim: Any = -1, name: str | None = None) -> Any:
    """Cut along an axis, in so many equal parts or in parts of these sizes, one of which may be -1.

    input [*] -> [*] each
    """
    return manipulation.split(input, num_or_sections, dim)


@today("paddle.stack")
def stack(x: Any, axis: int = 0) -> Any:
    """Side by side along a new axis.   x: [*] each -> [*] with one axis more"""
    return manipulation.stack(_parts(x), axis)


@today("paddle.unstack")
def unstack(x: Any, axis: int = 0, num: int | None = None) -> Any:
    """The parts along an axis, without it.   x [*] -> [*] each"""
    return [one(part) for part in manipulation.unstack(x, axis, num)]


@today("paddle.tile")
def expand(x: Any, expand_times: Any, name: str | None = None) -> Any:
    """Repeated along each axis.

    expand_times: a number or variable for each axis, or a variable; x [*S] -> [*S * expand_times]
    """
    if isinstance(expand_times, Tensor):
        return OPS["expand"](x, convert.cast(expand_times, "int32"))
    times = [t if isinstance(t, Tensor) else int(t) for t in expand_times]
    if not any(isinstance(t, Tensor) for t in times):
        return OPS["expand"](x, expand_times=times)
    each = [
        reshape(convert.cast(t, "int32"), [1])
        if isinstance(t, Tensor)
        else creation.full([1], t, "int32")
        for t in times
    ]
    return OPS["expand"](
        x, None, each, expand_times=[-1 if isinstance(t, Tensor) else t for t in times]
    )


@today("paddle.expand_as")
def expand_as(x: Any, target_tensor: Any, name: str | None = None) -> Any:
    """Repeated along each axis until it is as long as that of the target.

    x [*S], target_tensor [*T], S dividing T -> [*T]
    """
    return OPS["expand_as"](x, target_tensor)


@today("paddle.flip")
def flip(input: Any, dims: Any, name: str | None = None) -> Any:
    """The other way round along these axes.   input [*] -> [*]"""
    return OPS["flip"](input, axis=listed(dims))


@today("paddle.flip")
def reverse(x: Any, axis: Any) -> Any:
    """The other way round along these axes.   x [*] -> [*]"""
    return OPS["reverse"](x, axis=listed(axis))


@today("paddle.roll")
def roll(input: Any, shifts: Any, dims: Any = None) -> Any:
    """Moved along axes, what falls off coming in again; without axes as if flat.

    input [*] -> [*]
    """
    return manipulation.roll(input, shifts, dims)


@today("paddle.slice")
def slice(input: Any, axes: Any, starts: Any, ends: Any) -> Any:
    """From starts to before ends along these axes; they may be variables.   input [*] -> [*]"""
    return manipulation.slice(input, list(axes), starts, ends)


@today("paddle.strided_slice")
def strided_slice(input: Any, axes: Any, starts: Any, ends: Any, strides: Any) -> Any:
    """From starts to before ends by strides along these axes; they may be variables.

    input [*] -> [*]
    """
    return manipulation.strided_slice(input, list(axes), starts, ends, strides)


@today("paddle.shape")
def shape(input: Any) -> Any:
    """The sizes of the axes, as a value.   input [*] -> int32 [number of axes]"""
    return stopped(OPS["shape"](input))


@today("paddle.numel")
def size(input: Any) -> Any:
    """The number of elements, as a value.   input [*] -> int64 [1]"""
    return stopped(one(OPS["size"](input)))


@today("paddle.rank")
def rank(input: Any) -> Any:
    """The number of axes, as a value.   input [*] -> int32 []"""
    return assign(np.array(input.ndim, "int32"))


@today("paddle.nn.functional.pad")
def pad(x: Any, paddings: Any, pad_value: float = 0.0, name: str | None = None) -> Any:
    """With a value before and behind each axis.

    paddings: before and behind the first axis, the second ...; x [*] -> [*]
    """
    return OPS["pad"](x, paddings=list(paddings), pad_value=float(pad_value))


@today("paddle.nn.functional.pad")
def pad2d(
    input: Any,
    paddings: Any = (0, 0, 0, 0),
    mode: str = "constant",
    pad_value: float = 0.0,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """Pictures with something around.

    paddings: above, below, left, right; mode: 'constant', 'reflect' or 'edge'; input [N, C, H, W]
    -> same axes
    """
    attrs = {"mode": mode, "pad_value": float(pad_value), "data_format": data_format}
    if isinstance(paddings, Tensor):
        return OPS["pad2d"](input, convert.cast(paddings, "int32"), paddings=[], **attrs)
    return OPS["pad2d"](input, paddings=[int(p) for p in paddings], **attrs)


@today("paddle.nn.functional.pad")
def pad_constant_like(x: Any, y: Any, pad_value: float = 0.0, name: str | None = None) -> Any:
    """y with a value behind each axis, until it is as long as that of x.

    x [*S], y [*T] -> [*S]
    """
    ends = [n for a, b in zip(x.meta.shape, y.meta.shape, strict=True) for n in (0, a - b)]
    return OPS["pad"](y, paddings=ends, pad_value=float(pad_value))


@today("paddle.crop")
def crop(x: Any, shape: Any = None, offsets: Any = None, name: str | None = None) -> Any:
    """The part of a shape that begins at these offsets.

    shape: sizes, or a variable of that shape; x [*S] -> [*shape]
    """
    sizes = list(shape.meta.shape) if isinstance(shape, Tensor) else shape
    return layout.crop(x, sizes, offsets)


@today("paddle.crop")
def crop_tensor(x: Any, shape: Any = None, offsets: Any = None, name: str | None = None) -> Any:
    """The part of a shape that begins at these offsets, each numbers or variables.

    x [*S] -> [*shape]
    """
    return layout.crop(x, shape, offsets)


@today("paddle.diag_embed")
def diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Matrices with these diagonals.   input [*, N] -> [*, N, N]"""
    return layout.diag_embed(
        input if isinstance(input, Tensor) else assign(input), offset, dim1, dim2
    )


@today("paddle.trace")
def trace(
    input: Any,
    offset: int = 0,
    dim1: int = 0,
    dim2: int = 1,
    out: Any = None,
    name: str | None = None,
) -> Any:
    """The sum along a diagonal.   input [N, M, *] -> [*], [1] where nothing is left"""
    return one(OPS["trace"](input, offset=offset, axis1=dim1, axis2=dim2))


@today("paddle.nn.functional.unfold")
def unfold(
    x: Any,
    kernel_sizes: Any,
    strides: Any = 1,
    paddings: Any = 0,
    dilations: Any = 1,
    name: str | None = None,
) -> Any:
    """Windows as columns.   x [N, C, H, W] -> [N, C * kH * kW, number of windows]"""
    return unfolded(x, kernel_sizes, strides, paddings, dilations)
