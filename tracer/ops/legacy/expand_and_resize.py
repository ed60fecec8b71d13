"""Older variants, with other attributes, of ops of Paddle 2 that repeat elements (expand) or
interpolate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.arrays import np
from ...core.op import Ints, Meta, Op, check, op
from ..half_precision import computed_in_float32_if_half
from ..interpolate import (
    INTERP_SLOTS,
    RANKS_BY_KIND,
    bicubic,
    bilinear,
    linear,
    nearest,
    resize_grad,
    trilinear,
)
from ..shape import tile, tile_grad
from ..shared_op_rules import like_x_meta, vjp_input_shape

# -- expand
# ------------------------------------------------------------------------------


@op("expand", "X, ExpandTimes?, expand_times_tensor*? -> Out")
def expand(x, times_tensor=None, times_tensors=None, *, expand_times: Ints = []):
    """Out = X repeated along its axes. X [*S] -> Out [*S * expand_times]"""
    return tile.kernel(x, times_tensor, times_tensors, repeat_times=expand_times)


@expand.meta
def _(x, times_tensor, times_tensors, *, expand_times):
    return tile.infer((x, times_tensor, times_tensors), {"repeat_times": expand_times})


@expand.vjp
def _(g, x, times_tensor, times_tensors, *, expand_times):
    return tile_grad(x, times_tensor, times_tensors, g, repeat_times=expand_times), None, None


def _repeats_to_target_shape(x: Sequence[int], target: Sequence[int]) -> list[int]:
    """The repeat count of each axis with which `x` gets the shape `target`."""
    check(len(x) == len(target), "X and target_tensor have different numbers of axes")
    check(
        all(a > 0 and b % a == 0 for a, b in zip(x, target, strict=True)),
        "a size of target_tensor is not a multiple of that of X",
    )
    return [b // a for a, b in zip(x, target, strict=True)]


@op("expand_as", "X, target_tensor! -> Out")
def expand_as(x, target):
    """Out = X, repeated along its axes to the shape of target_tensor.

    X [*S], target_tensor [*T] -> Out [*T]
    """
    return np.tile(x, _repeats_to_target_shape(x.shape, target.shape))


@expand_as.meta
def _(x, target):
    known = [(a, b) for a, b in zip(x.shape, target.shape, strict=False) if a > 0 and b > 0]
    check(len(x.shape) == len(target.shape), "X and target_tensor have different numbers of axes")
    _repeats_to_target_shape([a for a, _ in known], [b for _, b in known])
    return Meta(target.shape, x.dtype)


@expand_as.vjp
def _(g, x, target):
    return expand_as_grad(x, g), None


@op("expand_as_often_grad", "X, Out@GRAD -> X@GRAD", meta=like_x_meta, internal=True)
def expand_as_grad(x, g):
    """X@GRAD = Out@GRAD summed over the repetitions. X [*S], Out@GRAD [*T] -> X@GRAD [*S]"""
    return tile_grad.kernel(
        x, None, None, g, repeat_times=_repeats_to_target_shape(x.shape, g.shape)
    )


@expand_as_grad.vjp
def _(gg, x, g):
    return None, expand_as(gg, g)


# -- interpolate
# ------------------------------------------------------------------------------


def _attrs_with_output_sizes_from_scale(
    shape: Sequence[int], scale: float, attrs: dict[str, Any]
) -> dict[str, Any]:
    """The attributes with which the op of Paddle 2 computes the result of the older op. A scale is
    replaced by the output sizes, because the older op uses it for the output sizes only.
    """
    if scale <= 0:
        return attrs
    inner = _spatial_sizes(shape, attrs)
    return attrs | _make_output_size_attrs([int(np.float32(d) * np.float32(scale)) for d in inner])


def _spatial_sizes(shape: Sequence[int], attrs: dict[str, Any]) -> Sequence[int]:
    """The sizes of the spatial axes of an image with the given shape."""
    return shape[1:-1] if attrs.get("data_layout") == "NHWC" else shape[2:]


def _make_output_size_attrs(sizes: Sequence[int]) -> dict[str, int]:
    """The attributes out_d, out_h and out_w, which set the sizes of the spatial axes of the
    result.
    """
    return dict(zip(("out_d", "out_h", "out_w")[3 - len(sizes) :], sizes, strict=True))


def _define_legacy_resize_op(kind: str, current_op: Op) -> Op:
    """Define the op `<kind>_interp` of Paddle 1.x, which calls `current_op`, the op of Paddle 2.
    The attribute `scale` of the older op is a scalar.
    """

    @op(f"{kind}_interp", INTERP_SLOTS, validate_before_kernel=True, public_name="interpolate")
    @computed_in_float32_if_half
    def kernel(
        x,
        out_size=None,
        sizes=None,
        scale_tensor=None,
        *,
        data_layout: str = "NCHW",
        out_d: int = 0,
        out_h: int = 0,
        out_w: int = 0,
        scale: float = 0.0,
        interp_method: str = "bilinear",
        align_corners: bool = True,
        align_mode: int = 1,
    ):
        attrs = {"data_layout": data_layout, "out_d": out_d, "out_h": out_h, "out_w": out_w}
        attrs |= {"align_corners": align_corners, "align_mode": align_mode}
        factor = scale if scale_tensor is None else float(scale_tensor.reshape(-1)[0])
        return current_op.kernel(
            x, out_size, sizes, **_attrs_with_output_sizes_from_scale(x.shape, factor, attrs)
        )

    @kernel.meta
    def _(x, out_size, sizes, scale_tensor, *, scale, **attrs):
        check(len(x.shape) - 2 in RANKS_BY_KIND[kind], "has another number of axes than images")
        scales = [scale] if scale > 0 else []
        return current_op.infer((x, out_size, sizes, scale_tensor), {**attrs, "scale": scales})

    @kernel.vjp
    def _(g, x, out_size, sizes, scale_tensor, *, scale, **attrs):
        # The sampling positions depend only on the input and output sizes, even if a scale
        # determines the output sizes.
        out = _spatial_sizes(vjp_input_shape(g), attrs)
        if min(out, default=0) > 0:
            attrs |= _make_output_size_attrs(out)
        return (
            resize_grad(x, out_size, sizes, None, g, kind=kind, **attrs),
            None,
            None,
            None,
        )

    kernel.kernel.__doc__ = (
        f"Out = X, resized by {kind} interpolation. OutSize, SizeTensor, Scale, `scale` or `out_*` "
        f"determine the output sizes. X [N,C,*S] -> Out [N,C,*out]"
    )
    return kernel


for _kind, _current_op in (
    ("nearest", nearest),
    ("linear", linear),
    ("bilinear", bilinear),
    ("trilinear", trilinear),
    ("bicubic", bicubic),
):
    _define_legacy_resize_op(_kind, _current_op)
