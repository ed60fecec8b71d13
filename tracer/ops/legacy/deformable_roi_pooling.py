"""Deformable position-sensitive RoI pooling."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...core.arrays import np
from ...core.op import HOST_PYTHON_LOOP, Ints, Meta, check, op
from ..detection_helpers import NO_HALF_BOXES
from ..lod import set_lod_rules_to_no_lod
from ..shared_op_rules import (
    check_float,
    dims_match,
    make_meta_rule_like_inputs_at,
    make_vjp_rule_rejecting_second_order,
)
from .box_clipping_and_decoding import round_half_away_from_zero
from .precise_roi_pooling import region_image_ids

MIN_LENGTH = 0.1  # minimal side length of a region, in pixels


class BinSamples(NamedTuple):
    """The sampling positions in each bin of the regions.

    image_ids [R]: the image of each region.
    channel [D,PH,PW]: the input channel of each output channel and bin.
    y, x, is_inside: [R,K,PH,PW,S,S]; K is the number of offset classes, S x S the samples of a bin.
    trans_index: for each bin row [PH] and bin column [PW], its index in Trans.
    trans_factor [R,2]: the factor of Trans.
    """

    image_ids: Any
    channel: Any
    y: Any
    x: Any
    is_inside: Any
    trans_index: tuple[Any, Any]
    trans_factor: Any


def _part_index_per_bin(bins: int, count: int) -> Any:
    """For each of `bins` bins along an axis, the index of the part that it belongs to, if the axis
    is divided into `count` parts.
    """
    return np.clip(np.floor(np.arange(bins) * count / bins).astype(np.int64), 0, count - 1)


def _make_bin_samples(
    x, rois, lod, trans, no_trans, scale, depth, group, high, wide, part, count, spread
) -> BinSamples:
    low = round_half_away_from_zero(rois[:, :2]) * scale - 0.5
    sides = np.maximum((round_half_away_from_zero(rois[:, 2:]) + 1) * scale - 0.5 - low, MIN_LENGTH)
    bins = sides / [wide, high]
    places = _part_index_per_bin(high, part[0]), _part_index_per_bin(wide, part[1])
    moved = np.zeros((len(rois), 1, 2, high, wide))
    if not no_trans:
        moved = (
            trans.reshape(len(rois), -1, 2, *trans.shape[2:])[
                :, :, :, places[0][:, None], places[1]
            ]
            * spread
        )
    steps = np.arange(count) / count
    start = low[:, :1, None] + np.arange(wide) * bins[:, :1, None]
    column = (start[:, :, None] + moved[:, :, 0] * sides[:, 0, None, None, None])[
        ..., None, None
    ] + steps * bins[:, 0, None, None, None, None, None]
    start = low[:, 1, None, None, None] + np.arange(high)[:, None] * bins[:, 1, None, None, None]
    row = (start + moved[:, :, 1] * sides[:, 1, None, None, None])[..., None, None] + steps[
        :, None
    ] * bins[:, 1, None, None, None, None, None]
    row, column = np.broadcast_arrays(row, column)
    inside = (
        (column >= -0.5) & (column <= x.shape[3] - 0.5) & (row >= -0.5) & (row <= x.shape[2] - 0.5)
    )
    grid = _part_index_per_bin(high, group[0])[:, None] * group[1] + _part_index_per_bin(
        wide, group[1]
    )
    channel = np.arange(depth)[:, None, None] * (group[0] * group[1]) + grid
    row, column = np.clip(row, 0, x.shape[2] - 1), np.clip(column, 0, x.shape[3] - 1)
    return BinSamples(
        region_image_ids(x, rois, lod), channel, row, column, inside, places, sides * spread
    )


def _corner_indices_and_weights(
    s: BinSamples, each: int
) -> list[tuple[tuple[Any, ...], Any, Any, Any]]:
    """For the four pixels around each sample of each channel: index, interpolation weight, and
    derivatives of the weight.
    """
    y, x, inside = (np.repeat(a, each, axis=1) for a in (s.y, s.x, s.is_inside))
    owner, channel = (
        s.image_ids[:, None, None, None, None, None],
        s.channel[None, :, :, :, None, None],
    )
    y0, x0 = np.floor(y).astype(np.int64), np.floor(x).astype(np.int64)
    y1, x1 = np.ceil(y).astype(np.int64), np.ceil(x).astype(np.int64)
    dy, dx = y - y0, x - x0
    found = []
    for row, wy, sy in ((y0, 1 - dy, -1), (y1, dy, 1)):
        for column, wx, sx in ((x0, 1 - dx, -1), (x1, dx, 1)):
            found.append(
                (
                    (owner, channel, row, column),
                    wy * wx * inside,
                    sy * wx * inside,
                    sx * wy * inside,
                )
            )
    return found


def _num_offset_classes(trans: Any, no_trans: bool) -> int:
    return 1 if no_trans else trans.shape[1] // 2


@op(
    "deformable_psroi_pooling",
    "Input, ROIs!, ROIs@LOD*?!, Trans -> TopCount~, Output",
    no_half_reason=NO_HALF_BOXES,
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
def deformable_psroi_pooling(
    x,
    rois,
    lod,
    trans,
    *,
    no_trans: bool,
    spatial_scale: float,
    output_dim: int,
    group_size: Ints,
    pooled_height: int,
    pooled_width: int,
    part_size: Ints,
    sample_per_part: int,
    trans_std: float,
):
    """Output = the mean of the samples in each bin of a region; the input Trans shifts the bins
    (Dai et al., 2017).

    Input [N,C,H,W], ROIs [R,4], Trans [R,2*K,*part_size] -> [R,D,PH,PW]

    Trans: shifts relative to the region size, multiplied by trans_std. The D output channels are
    divided into K classes, each with its own shifts.
    group_size: the bins are divided into groups; each output channel has one input channel per
    group.
    TopCount: the number of samples of a bin that lie in the image.
    """
    s = _make_bin_samples(
        x,
        rois,
        lod,
        trans,
        no_trans,
        spatial_scale,
        output_dim,
        group_size,
        pooled_height,
        pooled_width,
        part_size,
        sample_per_part,
        trans_std,
    )
    each = output_dim // _num_offset_classes(trans, no_trans)
    sums = sum(
        (x[index] * weight).sum(axis=(4, 5))
        for index, weight, _, _ in _corner_indices_and_weights(s, each)
    )
    count = np.repeat(s.is_inside.sum(axis=(4, 5)), each, axis=1)
    return count.astype(x.dtype), (sums / np.maximum(count, 1)).astype(x.dtype)


@deformable_psroi_pooling.meta
def _(
    x,
    rois,
    lod,
    trans,
    *,
    no_trans,
    output_dim,
    group_size,
    pooled_height,
    pooled_width,
    part_size,
    sample_per_part,
    **_,
):
    check_float(x)
    check(len(x.shape) == len(trans.shape) == 4, "Input and Trans need four axes")
    check(len(rois.shape) == 2 and dims_match(rois.shape[1], 4), "ROIs need the shape [regions, 4]")
    check(
        len(group_size) == len(part_size) == 2,
        f"group_size={list(group_size)}, part_size={list(part_size)} are not two numbers each",
    )
    check(
        min(pooled_height, pooled_width, sample_per_part, *group_size, *part_size) > 0,
        "the pooled sizes, sample_per_part, group_size and part_size should be positive",
    )
    wanted = output_dim * group_size[0] * group_size[1]
    check(
        x.shape[1] < 0 or x.shape[1] >= wanted,
        f"{x.shape[1]} channels of Input are fewer than output_dim * group_size, which is {wanted}",
    )
    check(
        no_trans or trans.shape[1] < 0 or output_dim % max(trans.shape[1] // 2, 1) == 0,
        "output_dim is not divisible by half the channels of Trans",
    )
    out = Meta((rois.shape[0], output_dim, pooled_height, pooled_width), x.dtype)
    return out, out


set_lod_rules_to_no_lod(deformable_psroi_pooling)


@deformable_psroi_pooling.vjp
def _(g, x, rois, lod, trans, *, TopCount, **over):
    back, moved = deformable_psroi_pooling_grad(x, rois, lod, trans, TopCount, g, **over)
    return back, None, None, moved


@op(
    "deformable_psroi_pooling_grad",
    "Input, ROIs, ROIs@LOD*?!, Trans, TopCount, Output@GRAD -> Input@GRAD, Trans@GRAD",
    meta=make_meta_rule_like_inputs_at(0, 3),
    attrs_of=deformable_psroi_pooling,
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def deformable_psroi_pooling_grad(x, rois, lod, trans, count, g, **over):
    """The gradients of deformable_psroi_pooling with respect to Input and Trans. Output@GRAD
    [R,D,PH,PW] -> like Input, like Trans
    """
    s = _make_bin_samples(
        x,
        rois,
        lod,
        trans,
        over["no_trans"],
        over["spatial_scale"],
        over["output_dim"],
        over["group_size"],
        over["pooled_height"],
        over["pooled_width"],
        over["part_size"],
        over["sample_per_part"],
        over["trans_std"],
    )
    classes = _num_offset_classes(trans, over["no_trans"])
    each = over["output_dim"] // classes
    g = (g / np.maximum(count, 1))[..., None, None]
    back, moved = np.zeros_like(x), np.zeros_like(trans)
    slopes = np.zeros((2, *s.y.shape[:4]))
    for index, weight, down, across in _corner_indices_and_weights(s, each):
        np.add.at(back, index, (g * weight).astype(x.dtype))
        own = g * x[index]
        for axis, slope in ((0, across), (1, down)):
            slopes[axis] += (
                (own * slope)
                .sum(axis=(4, 5))
                .reshape(len(rois), classes, each, *g.shape[2:4])
                .sum(axis=2)
            )
    if not over["no_trans"]:
        slopes *= s.trans_factor.T[:, :, None, None, None]
        places: Any = np.broadcast_arrays(s.trans_index[0][:, None], s.trans_index[1])
        whole = moved.reshape(len(rois), classes, 2, *trans.shape[2:])
        np.add.at(
            whole,
            (slice(None), slice(None), slice(None), *places),
            np.moveaxis(slopes, 0, 2).astype(x.dtype),
        )
    return back, moved


deformable_psroi_pooling_grad.vjp(make_vjp_rule_rejecting_second_order("deformable_psroi_pooling"))
