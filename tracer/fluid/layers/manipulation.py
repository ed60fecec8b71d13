"""Reshaping, slicing, padding and other rearrangements of tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.op import OPS
from ...core.tensor import Tensor
from ...nn.functional.vision import unfold as _unfold
from ...static.nn.helper import apply_activation
from ...tensor import convert, creation, manipulation, views_diagonals_and_index_updates
from .layer_utils import deprecated_layer, ensure_at_least_1d, set_stop_gradient, to_list
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


@deprecated_layer("paddle.reshape")
def reshape(
    x: Any,
    shape: Any,
    actual_shape: Any = None,
    act: str | None = None,
    inplace: bool = False,
    name: str | None = None,
) -> Any:
    """Reshape x; -1 infers one size, 0 copies the size of x.

    shape: a list of ints and variables, or one variable
    actual_shape: a variable that takes precedence over shape
    """
    return apply_activation(
        "reshape", manipulation.reshape(x, shape if actual_shape is None else actual_shape), act
    )


@deprecated_layer("paddle.transpose")
def transpose(x: Any, perm: Any, name: str | None = None) -> Any:
    """Permute the axes: axis i of the result is axis perm[i] of x."""
    return OPS["transpose2"](x, axis=list(perm))


@deprecated_layer("paddle.t")
def t(input: Any, name: str | None = None) -> Any:
    """Transpose a matrix: [N, M] -> [M, N]; return a vector unchanged."""
    return manipulation.t(input)


@deprecated_layer("paddle.flatten")
def flatten(x: Any, axis: int = 1, name: str | None = None) -> Any:
    """Flatten to a matrix: [*A, *B] -> [prod(A), prod(B)], with `axis` axes in A."""
    return OPS["flatten2"](x, axis=axis)


@deprecated_layer("paddle.squeeze")
def squeeze(input: Any, axes: Any, name: str | None = None) -> Any:
    """Remove axes of size 1; all of them if `axes` is empty."""
    return ensure_at_least_1d(manipulation.squeeze(input, to_list(axes) or None))


@deprecated_layer("paddle.unsqueeze")
def unsqueeze(input: Any, axes: Any, name: str | None = None) -> Any:
    """Insert axes of size 1 at these positions."""
    return manipulation.unsqueeze(input, axes)


def _tensors_to_concatenate(value: Any) -> Any:
    """Return the argument of `concat` or `stack` as a list of tensors; a TensorArray from
    `array_write` is returned unchanged.
    """
    return value if hasattr(value, "concat_or_stack_elements") else to_list(value)


@deprecated_layer("paddle.concat")
def concat(input: Any, axis: Any = 0, name: str | None = None) -> Any:
    """Concatenate tensors along an axis."""
    return manipulation.concat(_tensors_to_concatenate(input), axis)


@deprecated_layer("paddle.split")
def split(input: Any, num_or_sections: Any, dim: Any = -1, name: str | None = None) -> Any:
    """Split along an axis into a number of equal parts, or into parts of given sizes, one of which
    may be -1.
    """
    return manipulation.split(input, num_or_sections, dim)


@deprecated_layer("paddle.stack")
def stack(x: Any, axis: int = 0) -> Any:
    """Stack tensors along a new axis."""
    return manipulation.stack(_tensors_to_concatenate(x), axis)


@deprecated_layer("paddle.unstack")
def unstack(x: Any, axis: int = 0, num: int | None = None) -> Any:
    """Return the slices along an axis, without this axis."""
    return [ensure_at_least_1d(tensor) for tensor in manipulation.unstack(x, axis, num)]


@deprecated_layer("paddle.tile")
def expand(x: Any, expand_times: Any, name: str | None = None) -> Any:
    """Repeat x along each axis: [*S] -> [*S * expand_times].

    expand_times: a list with an int or variable per axis, or one variable
    """
    if isinstance(expand_times, Tensor):
        return OPS["expand"](x, convert.cast(expand_times, "int32"))
    times = [t if isinstance(t, Tensor) else int(t) for t in expand_times]
    if not any(isinstance(t, Tensor) for t in times):
        return OPS["expand"](x, expand_times=times)
    time_tensors = [
        reshape(convert.cast(t, "int32"), [1])
        if isinstance(t, Tensor)
        else creation.full([1], t, "int32")
        for t in times
    ]
    return OPS["expand"](
        x, None, time_tensors, expand_times=[-1 if isinstance(t, Tensor) else t for t in times]
    )


@deprecated_layer("paddle.expand_as")
def expand_as(x: Any, target_tensor: Any, name: str | None = None) -> Any:
    """Repeat x along each axis to the shape of the target, which must be a multiple of that of
    x.
    """
    return OPS["expand_as"](x, target_tensor)


@deprecated_layer("paddle.flip")
def flip(input: Any, dims: Any, name: str | None = None) -> Any:
    """Reverse the order along axes."""
    return OPS["flip"](input, axis=to_list(dims))


@deprecated_layer("paddle.flip")
def reverse(x: Any, axis: Any) -> Any:
    """Reverse the order along axes."""
    return OPS["reverse"](x, axis=to_list(axis))


@deprecated_layer("paddle.roll")
def roll(input: Any, shifts: Any, dims: Any = None) -> Any:
    """Shift elements cyclically along axes; by default along the flattened tensor."""
    return manipulation.roll(input, shifts, dims)


@deprecated_layer("paddle.slice")
def slice(input: Any, axes: Any, starts: Any, ends: Any) -> Any:
    """Slice [start, end) along axes; starts and ends may be variables."""
    return manipulation.slice(input, list(axes), starts, ends)


@deprecated_layer("paddle.strided_slice")
def strided_slice(input: Any, axes: Any, starts: Any, ends: Any, strides: Any) -> Any:
    """Slice [start, end) with strides along axes; all may be variables."""
    return manipulation.strided_slice(input, list(axes), starts, ends, strides)


@deprecated_layer("paddle.shape")
def shape(input: Any) -> Any:
    """Return the shape as a variable, int32 [number of axes]."""
    return set_stop_gradient(OPS["shape"](input))


@deprecated_layer("paddle.numel")
def size(input: Any) -> Any:
    """Return the number of elements as a variable, int64 [1]."""
    return set_stop_gradient(ensure_at_least_1d(OPS["size"](input)))


@deprecated_layer("paddle.rank")
def rank(input: Any) -> Any:
    """Return the number of axes as a variable, int32 []."""
    return assign(np.array(input.ndim, "int32"))


@deprecated_layer("paddle.nn.functional.pad")
def pad(x: Any, paddings: Any, pad_value: float = 0.0, name: str | None = None) -> Any:
    """Pad each axis with a value.

    paddings: [before, after] of the first axis, of the second axis, ...
    """
    return OPS["pad"](x, paddings=list(paddings), pad_value=float(pad_value))


@deprecated_layer("paddle.nn.functional.pad")
def pad2d(
    input: Any,
    paddings: Any = (0, 0, 0, 0),
    mode: str = "constant",
    pad_value: float = 0.0,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """Pad images.

    input: [N, C, H, W]
    paddings: [top, bottom, left, right], or a variable
    mode: "constant", "reflect" or "edge"
    """
    attrs = {"mode": mode, "pad_value": float(pad_value), "data_format": data_format}
    if isinstance(paddings, Tensor):
        return OPS["pad2d"](input, convert.cast(paddings, "int32"), paddings=[], **attrs)
    return OPS["pad2d"](input, paddings=[int(p) for p in paddings], **attrs)


@deprecated_layer("paddle.nn.functional.pad")
def pad_constant_like(x: Any, y: Any, pad_value: float = 0.0, name: str | None = None) -> Any:
    """Pad the end of each axis of y with a value to the shape of x."""
    ends = [n for a, b in zip(x.meta.shape, y.meta.shape, strict=True) for n in (0, a - b)]
    return OPS["pad"](y, paddings=ends, pad_value=float(pad_value))


@deprecated_layer("paddle.crop")
def crop(x: Any, shape: Any = None, offsets: Any = None, name: str | None = None) -> Any:
    """Return the part of x with this shape that starts at the offsets.

    shape: sizes, or a variable with that shape
    """
    sizes = list(shape.meta.shape) if isinstance(shape, Tensor) else shape
    return views_diagonals_and_index_updates.crop(x, sizes, offsets)


@deprecated_layer("paddle.crop")
def crop_tensor(x: Any, shape: Any = None, offsets: Any = None, name: str | None = None) -> Any:
    """Return the part of x with this shape that starts at the offsets; both may be variables."""
    return views_diagonals_and_index_updates.crop(x, shape, offsets)


@deprecated_layer("paddle.diag_embed")
def diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Return matrices with these diagonals: [*, N] -> [*, N, N]."""
    return views_diagonals_and_index_updates.diag_embed(
        input if isinstance(input, Tensor) else assign(input), offset, dim1, dim2
    )


@deprecated_layer("paddle.trace")
def trace(
    input: Any,
    offset: int = 0,
    dim1: int = 0,
    dim2: int = 1,
    out: Any = None,
    name: str | None = None,
) -> Any:
    """Sum along a diagonal: [N, M, *] -> [*], or [1] for a matrix."""
    return ensure_at_least_1d(OPS["trace"](input, offset=offset, axis1=dim1, axis2=dim2))


@deprecated_layer("paddle.nn.functional.unfold")
def unfold(
    x: Any,
    kernel_sizes: Any,
    strides: Any = 1,
    paddings: Any = 0,
    dilations: Any = 1,
    name: str | None = None,
) -> Any:
    """Extract windows as columns: [N, C, H, W] -> [N, C * kH * kW, number of windows]."""
    return _unfold(x, kernel_sizes, strides, paddings, dilations)
