"""Deformable convolution: sample at learned offsets (Dai et al., 2017, Zhu et al., 2019)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

from ..core.arrays import np
from ..core.op import Ints, Meta, check, check_dtype, op
from .conv import window_and_output_shape
from .half_precision import computed_in_float32_if_half
from .scatter_at import ufunc_at
from .shared_op_rules import check_float, dims_match, make_vjp_rule_rejecting_second_order
from .sliding_window import Window

Sizes = tuple[int, ...]


class SamplingCorner(NamedTuple):
    """One of the four pixels around each sampling position.

    pixel_index: its index in the image.
    weight: its interpolation weight.
    weight_grad_y, weight_grad_x: derivatives of the weight. All [N,DG,K,OH,OW]; DG: deformable
    groups, K: kernel offsets.
    """

    pixel_index: Any
    weight: Any
    weight_grad_y: Any
    weight_grad_x: Any


def _sampling_positions(offset: Any, window: Window, out: Sizes, groups: int) -> tuple[Any, Any]:
    """The row and column positions at which the kernel samples the image, each [N,DG,K,OH,OW]."""
    moved = offset.reshape(offset.shape[0], groups, -1, 2, *out)
    taps = np.array(list(window.kernel_indices), offset.dtype) * np.array(
        window.dilation, offset.dtype
    )
    found = []
    for axis in (0, 1):
        starts = (
            np.arange(out[axis], dtype=offset.dtype) * window.stride[axis] - window.pads[axis][0]
        )
        shaped = starts.reshape((-1, 1) if axis == 0 else (1, -1))
        found.append(moved[:, :, :, axis] + taps[:, axis].reshape(-1, 1, 1) + shaped)
    return found[0], found[1]


def _iter_sampling_corners(
    places: tuple[Any, Any], high: int, wide: int
) -> Iterator[SamplingCorner]:
    y, x = places
    low_y, low_x = np.floor(y), np.floor(x)
    part_y, part_x = y - low_y, x - low_x
    # For a position at the image border, Paddle uses the derivative from outside of the image,
    # which is 0.
    moves = (y > -1) & (x > -1)
    for dy, dx in product((0, 1), repeat=2):
        row, column = low_y + dy, low_x + dx
        inside = (row >= 0) & (row < high) & (column >= 0) & (column < wide)
        share_y, share_x = part_y if dy else 1 - part_y, part_x if dx else 1 - part_x
        flat = (np.clip(row, 0, high - 1) * wide + np.clip(column, 0, wide - 1)).astype(np.int64)
        yield SamplingCorner(
            flat,
            share_y * share_x * inside,
            (1 if dy else -1) * share_x * (inside & moves),
            (1 if dx else -1) * share_y * (inside & moves),
        )


def _gather_corner_pixels(parted: Any, corner: SamplingCorner) -> Any:
    """Gather the pixels at one corner of all sampling positions, [N,DG,C/DG,K*OH*OW].

    parted: x [N,DG,C/DG,H*W]
    """
    n, groups = corner.pixel_index.shape[:2]
    return np.take_along_axis(parted, corner.pixel_index.reshape(n, groups, 1, -1), axis=3)


def _flatten_sampling_axes(a: Any) -> Any:
    """Reshape a [N,DG,K,OH,OW] to [N,DG,1,K*OH*OW]."""
    return a.reshape(*a.shape[:2], 1, -1)


def _sampling_window_positions_and_grouped_x(
    x: Any, offset: Any, w: Any, **attrs: Any
) -> tuple[Window, Sizes, Any, Any]:
    """Return the window, the output shape, the sampled rows and columns (both [N,DG,K,OH,OW]), and
    x as [N,DG,C/DG,H*W].
    """
    groups = attrs.pop("deformable_groups")
    attrs.pop("im2col_step", None)
    window, out = window_and_output_shape(
        x, w, padding_algorithm="EXPLICIT", data_format="NCHW", **attrs
    )
    places = _sampling_positions(offset, window, out[2:], groups)
    return window, out, places, x.reshape(x.shape[0], groups, x.shape[1] // groups, -1)


def _sampled_columns_without_and_with_mask(
    x: Any, places: Any, parted: Any, mask: Any
) -> tuple[Any, Any]:
    """Return the sampled values before and after multiplication by the mask, both
    [N,DG,C/DG,K*OH*OW].
    """
    values = sum(
        _gather_corner_pixels(parted, corner) * _flatten_sampling_axes(corner.weight)
        for corner in _iter_sampling_corners(places, *x.shape[2:])
    )
    return values, values if mask is None else values * mask.reshape(*places[0].shape[:2], 1, -1)


def _deform_conv(x: Any, offset: Any, w: Any, mask: Any, groups: int, **attrs: Any) -> Any:
    _, out, places, parted = _sampling_window_positions_and_grouped_x(
        x, offset, w, groups=groups, **attrs
    )
    _, columns = _sampled_columns_without_and_with_mask(x, places, parted, mask)
    n, taps = x.shape[0], w.shape[2] * w.shape[3]
    columns = columns.reshape(n, groups, (x.shape[1] // groups) * taps, -1)
    return np.matmul(w.reshape(groups, w.shape[0] // groups, -1), columns).reshape(
        n, w.shape[0], *out[2:]
    )


def _deform_conv_meta(x, offset, w, mask=None, *, deformable_groups, im2col_step, **attrs):
    check_float(x)
    check_dtype(x.dtype == offset.dtype == w.dtype, "the dtypes differ")
    _, out = window_and_output_shape(
        x, w, padding_algorithm="EXPLICIT", data_format="NCHW", **attrs
    )
    check(
        deformable_groups > 0 and (x.shape[1] < 0 or x.shape[1] % deformable_groups == 0),
        f"deformable_groups={deformable_groups} does not divide the channels",
    )
    taps = w.shape[2] * w.shape[3] if min(w.shape[2:]) > 0 else -1
    for name, given, count in (("Offset", offset, 2), ("Mask", mask, 1)):
        if given is not None:
            wanted = count * deformable_groups * taps if taps > 0 else -1
            fits = (
                len(given.shape) == 4
                and dims_match(given.shape[1], wanted)
                and all(map(dims_match, given.shape[2:], out[2:]))
            )
            check(fits, f"{name} needs {wanted} channels of {list(out[2:])}")
    return Meta(out, x.dtype)


@op(
    "deformable_conv",
    "Input, Offset, Filter, Mask -> Output",
    same_dtype="Input Offset Filter Mask",
    validate_before_kernel=True,
    public_name="deform_conv2d",
)
@computed_in_float32_if_half
def deformable_conv(
    x,
    offset,
    w,
    mask,
    *,
    strides: Ints = [1, 1],
    paddings: Ints = [0, 0],
    dilations: Ints = [1, 1],
    deformable_groups: int = 1,
    groups: int = 1,
    im2col_step: int = 64,
):
    """Output = the cross-correlation with Filter of Input, sampled at the kernel positions plus
    Offset and multiplied by Mask.

    Input [N,C,H,W], Filter [M,C/groups,KH,KW] -> [N,M,H',W']

    Offset [N,2*DG*KH*KW,H',W']: row and column offsets alternate.
    Mask [N,DG*KH*KW,H',W'].
    """
    return _deform_conv(
        x,
        offset,
        w,
        mask,
        groups,
        strides=strides,
        paddings=paddings,
        dilations=dilations,
        deformable_groups=deformable_groups,
    )


deformable_conv.meta(_deform_conv_meta)


@deformable_conv.vjp
def _(g, x, offset, w, mask, **over):
    return tuple(deformable_conv_grad(x, offset, w, mask, g, **over))


@op(
    "deformable_conv_v1",
    "Input, Offset, Filter -> Output",
    attrs_of=deformable_conv,
    same_dtype="Input Offset Filter",
    validate_before_kernel=True,
    public_name="deform_conv2d",
)
@computed_in_float32_if_half
def deformable_conv_v1(x, offset, w, **attrs):
    """deformable_conv without a mask.

    Input [N,C,H,W], Offset [N,2*DG*KH*KW,H',W'], Filter [M,C/groups,KH,KW] -> Output [N,M,H',W']
    """
    return _deform_conv(x, offset, w, None, **_attrs_with_defaults_without_im2col_step(attrs))


def _attrs_with_defaults_without_im2col_step(attrs: dict[str, Any]) -> dict[str, Any]:
    found = deformable_conv.attrs_with_defaults(attrs)
    found.pop("im2col_step")
    return found


deformable_conv_v1.meta(_deform_conv_meta)


@deformable_conv_v1.vjp
def _(g, x, offset, w, **over):
    return tuple(deformable_conv_grad(x, offset, w, None, g, **over)[:3])


@op(
    "deformable_conv_grad",
    "Input, Offset, Filter, Mask?, Output@GRAD -> Grads*",
    attrs_of=deformable_conv,
    internal=True,
)
@computed_in_float32_if_half
def deformable_conv_grad(x, offset, w, mask, g, **attrs):
    """The gradients of deformable_conv with respect to Input, Offset, Filter and, if given,
    Mask.
    """
    attrs = _attrs_with_defaults_without_im2col_step(attrs)
    groups = attrs["groups"]
    _, _, places, parted = _sampling_window_positions_and_grouped_x(x, offset, w, **attrs)
    values, columns = _sampled_columns_without_and_with_mask(x, places, parted, mask)
    n, m, depth = x.shape[0], w.shape[0], (x.shape[1] // groups) * w.shape[2] * w.shape[3]
    split = g.reshape(n, groups, m // groups, -1)
    to_filter = np.sum(
        np.matmul(split, np.swapaxes(columns.reshape(n, groups, depth, -1), 2, 3)), axis=0
    ).reshape(w.shape)
    to_columns = np.matmul(np.swapaxes(w.reshape(groups, m // groups, depth), 1, 2), split).reshape(
        values.shape
    )
    to_values = (
        to_columns if mask is None else to_columns * mask.reshape(*places[0].shape[:2], 1, -1)
    )
    to_x, moved = np.zeros_like(parted), np.zeros_like(offset, shape=(2, *places[0].shape))
    rows = np.ix_(*map(np.arange, parted.shape[:3]))
    for corner in _iter_sampling_corners(places, *x.shape[2:]):
        ufunc_at(
            np.add,
            to_x,
            (
                rows[0][..., None],
                rows[1][..., None],
                rows[2][..., None],
                _flatten_sampling_axes(corner.pixel_index),
            ),
            to_values * _flatten_sampling_axes(corner.weight),
        )
        along = np.sum(_gather_corner_pixels(parted, corner) * to_values, axis=2).reshape(
            places[0].shape
        )
        moved += along * np.stack([corner.weight_grad_y, corner.weight_grad_x])
    found = [to_x.reshape(x.shape), np.moveaxis(moved, 0, 3).reshape(offset.shape), to_filter]
    return (
        found if mask is None else [*found, np.sum(to_columns * values, axis=2).reshape(mask.shape)]
    )


@deformable_conv_grad.meta
def _(x, offset, w, mask, g, **_):
    return [x, offset, w] if mask is None else [x, offset, w, mask]


deformable_conv_grad.vjp(make_vjp_rule_rejecting_second_order("deformable_conv"))
