"""Precise RoI pooling: exact means of the bilinearly interpolated image."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...core.arrays import np
from ...core.op import HOST_PYTHON_LOOP, Meta, check, op
from ..detection_helpers import NO_HALF_BOXES, row_offsets_or_single_image
from ..lod import sequence_id_per_row, set_lod_rules_to_no_lod
from ..roi_pooling import check_images_and_regions
from ..shared_op_rules import make_meta_rule_like_inputs_at, make_vjp_rule_rejecting_second_order


def region_image_ids(x: Any, rois: Any, lod: Any, counts: Any = None) -> Any:
    """For each region, the index of its image in the batch."""
    if counts is not None:
        check(
            int(counts.sum()) == len(rois),
            "the numbers of regions of the images do not add up to that of ROIs",
        )
        return np.repeat(np.arange(len(x)), counts.reshape(-1))
    offsets = row_offsets_or_single_image(lod, len(rois))
    check(
        len(offsets) - 1 == len(x),
        f"ROIs are sequences of {len(offsets) - 1} images, and there are {len(x)}",
    )
    return sequence_id_per_row(offsets)


class AxisBins(NamedTuple):
    """The bins of regions along one axis.

    low, high [R,P]: the edges of the bins.
    length [R]: the length of a region.
    """

    low: Any
    high: Any
    length: Any


def _make_axis_bins(start: Any, end: Any, bins: int) -> AxisBins:
    length = np.maximum(end - start, 0)
    cuts = start[:, None] + np.arange(bins + 1, dtype=start.dtype) * (length / bins)[:, None]
    return AxisBins(cuts[:, :-1], cuts[:, 1:], length)


def _hat_function(at: Any, size: int) -> Any:
    """The linear interpolation weight of each pixel of an axis at each position. [*] -> [*,size]"""
    return np.maximum(1 - np.abs(at[..., None] - np.arange(size, dtype=at.dtype)), 0)


def _cumulative_hat_integral(at: Any, size: int) -> Any:
    """For each pixel of an axis, the integral of its interpolation weight from where the weight
    becomes positive to each position. [*] -> [*,size]
    """
    t = np.clip(at[..., None] - np.arange(size, dtype=at.dtype), -1, 1)
    return np.where(t < 0, (t + 1) ** 2 / 2, 1 - (1 - t) ** 2 / 2)


def _bin_weights(side: AxisBins, size: int) -> Any:
    return _cumulative_hat_integral(side.high, size) - _cumulative_hat_integral(side.low, size)


def _make_row_and_column_bins(
    rois: Any, high: int, wide: int, scale: float
) -> tuple[AxisBins, AxisBins]:
    """Return the bins of regions along the image height, and those along the image width."""
    edges = rois * rois.dtype.type(scale)
    return _make_axis_bins(edges[:, 1], edges[:, 3], high), _make_axis_bins(
        edges[:, 0], edges[:, 2], wide
    )


def _inverse_area(rows: AxisBins, columns: AxisBins) -> Any:
    """1 / the area of a bin of each region; 0 for an empty bin. [R]"""
    area = rows.length / rows.low.shape[1] * (columns.length / columns.low.shape[1])
    return np.divide(1, area, out=np.zeros_like(area), where=area > 0)


@op(
    "prroi_pool",
    "X, ROIs, ROIs@LOD*?!, BatchRoINums?! -> Out",
    no_half_reason=NO_HALF_BOXES,
    breaks_lod=True,
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
def prroi_pool(
    x,
    rois,
    lod=None,
    counts=None,
    *,
    pooled_height: int = 1,
    pooled_width: int = 1,
    spatial_scale: float = 1.0,
):
    """Out = the exact mean of the interpolated X over each bin of a region (Jiang et al., 2018).

    X [N,C,H,W], ROIs [R,4] -> Out [R,C,PH,PW]
    """
    rows, columns = _make_row_and_column_bins(rois, pooled_height, pooled_width, spatial_scale)
    weights = _bin_weights(rows, x.shape[2]), _bin_weights(columns, x.shape[3])
    sums = np.einsum(
        "rchw,rih,rjw->rcij", x[region_image_ids(x, rois, lod, counts)], *weights, optimize=True
    )
    return (sums * _inverse_area(rows, columns)[:, None, None, None]).astype(x.dtype)


@prroi_pool.meta
def _(x, rois, lod, counts, *, pooled_height, pooled_width, spatial_scale):
    check_images_and_regions(x, rois)
    check(
        pooled_height > 0 and pooled_width > 0,
        f"pooled_height={pooled_height}, pooled_width={pooled_width} are not positive",
    )
    return Meta((rois.shape[0], x.shape[1], pooled_height, pooled_width), x.dtype)


set_lod_rules_to_no_lod(prroi_pool)


@prroi_pool.vjp
def _(g, x, rois, lod, counts, **over):
    return *prroi_pool_grad(x, rois, lod, counts, g, **over), None, None


def _region_edge_grad(side: AxisBins, g_low: Any, g_high: Any) -> tuple[Any, Any]:
    """The gradients of the edges of regions, computed from the gradients of the edges of their
    bins, [R,P] each.
    """
    parts = np.arange(side.low.shape[1] + 1) / side.low.shape[1]
    last = (g_low * parts[:-1] + g_high * parts[1:]).sum(axis=1)
    return (g_low + g_high).sum(axis=1) - last, last


@op(
    "prroi_pool_grad",
    "X, ROIs, ROIs@LOD*?!, BatchRoINums?, Out@GRAD -> X@GRAD, ROIs@GRAD",
    meta=make_meta_rule_like_inputs_at(0, 1),
    attrs_of=prroi_pool,
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def prroi_pool_grad(
    x,
    rois,
    lod,
    counts,
    g,
    *,
    pooled_height: int = 1,
    pooled_width: int = 1,
    spatial_scale: float = 1.0,
):
    """The gradients of prroi_pool with respect to X and ROIs. Out@GRAD [R,C,PH,PW] -> like X, like
    ROIs
    """
    rows, columns = _make_row_and_column_bins(rois, pooled_height, pooled_width, spatial_scale)
    down, across = _bin_weights(rows, x.shape[2]), _bin_weights(columns, x.shape[3])
    owner = region_image_ids(x, rois, lod, counts)
    g = g * _inverse_area(rows, columns)[:, None, None, None]
    back = np.zeros_like(x)
    np.add.at(
        back, owner, np.einsum("rcij,rih,rjw->rchw", g, down, across, optimize=True).astype(x.dtype)
    )
    seen, edges = x[owner], []
    for side, size, formula, other in (
        (columns, x.shape[3], "rchw,rih,rjw,rcij->rj", down),
        (rows, x.shape[2], "rchw,rih,rjw,rcij->ri", across),
    ):
        pair = [
            (other, _hat_function(at, size))
            if side is columns
            else (_hat_function(at, size), other)
            for at in (side.low, side.high)
        ]
        low, high = (np.einsum(formula, seen, *p, g, optimize=True) for p in pair)
        total = np.einsum("rchw,rih,rjw,rcij->r", seen, down, across, g, optimize=True)
        first, last = _region_edge_grad(side, -low, high)
        shrink = np.divide(total, side.length, out=np.zeros_like(total), where=side.length > 0)
        edges.append((first + shrink, last - shrink))
    (x1, x2), (y1, y2) = edges
    return back, (np.stack([x1, y1, x2, y2], axis=1) * rois.dtype.type(spatial_scale)).astype(
        rois.dtype
    )


prroi_pool_grad.vjp(make_vjp_rule_rejecting_second_order("prroi_pool"))
