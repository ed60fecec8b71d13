"""RoI align, RoI pooling and position-sensitive RoI pooling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.arrays import np
from ..core.op import Meta, check, check_dtype, op
from .half_precision import computed_in_float32_if_half
from .lod import require_row_offsets, sequence_id_per_row
from .scatter_at import ufunc_at
from .shared_op_rules import check_float, dims_match, like_x_meta, make_meta_rule_like_input_at
from .sliding_window import check_image_rank

AxisWeights = tuple[Any, Any]  # interpolation weights of rows [R,PH,H] and of columns [R,PW,W]


def _region_image_ids(x: Any, rois: Any, counts: Any, lod: Any = None) -> Any:
    """For each region, the index of its image in the batch, [R]."""
    if counts is None and lod:
        check(
            len(lod[-1]) == len(x) + 1,
            "ROIs are sequences of another number of images than X has",
        )
        return sequence_id_per_row(require_row_offsets(lod))
    if counts is None:
        check(x.shape[0] == 1, "needs RoisNum or ROIs with LoD, because X has several images")
        return np.zeros(len(rois), np.int64)
    check(int(counts.sum()) == len(rois), "RoisNum does not add up to the number of ROIs")
    return np.repeat(np.arange(x.shape[0]), counts.reshape(-1))


def _roi_align_meta(x, rois, counts, lod=None, *, pooled_height, pooled_width, **_):
    _check_inputs_and_pooled_sizes(x, rois, counts, pooled_height, pooled_width)
    return Meta((rois.shape[0], x.shape[1], pooled_height, pooled_width), x.dtype)


def check_images_and_regions(x: Meta, rois: Meta, corners: int = 4) -> None:
    """Raise OpError unless X is a batch of images and the rows of ROIs have `corners` elements."""
    check_float(x)
    check_image_rank(x.shape, 2)
    check(
        len(rois.shape) == 2 and dims_match(rois.shape[1], corners),
        f"ROIs need the shape [regions, {corners}]",
    )


def _check_inputs_and_pooled_sizes(
    x: Meta, rois: Meta, counts: Meta | None, high: int, wide: int
) -> None:
    check_images_and_regions(x, rois)
    check_dtype(rois.dtype == x.dtype, "the dtypes differ")
    check(high > 0 and wide > 0, f"pooled_height={high}, pooled_width={wide} are not positive")
    check(
        counts is None or (counts.dtype.kind in "iu" and len(counts.shape) == 1),
        "RoisNum needs one number per image",
    )


def _interpolate_regions(x: Any, weights: AxisWeights, owners: Any) -> Any:
    """Apply the interpolation weights of each region to its image; returns [R,C,PH,PW]."""
    out = np.empty_like(
        x, shape=(len(owners), x.shape[1], weights[0].shape[1], weights[1].shape[1])
    )
    for r, owner in enumerate(owners):
        out[r] = np.matmul(np.matmul(weights[0][r], x[owner]), weights[1][r].T)
    return out


def _interpolate_regions_grad(g: Any, weights: AxisWeights, owners: Any, x: Any) -> Any:
    """The gradient of `_interpolate_regions` with respect to x."""
    out = np.zeros_like(x)
    for r, owner in enumerate(owners):
        out[owner] += np.matmul(np.matmul(weights[0][r].T, g[r]), weights[1][r])
    return out


# -- roi_align
# ------------------------------------------------------------------------------


# the largest number of samples per axis of a bin, if the size of the region determines the number
MAX_REGION_SAMPLES = 1 << 20


def _roi_align_bin_weights_along_axis(
    start: Any, length: Any, bins: int, size: int, ratio: int
) -> Any:
    """The weights of the rows (or columns) of an image in each bin of a region, [bins,size]: the
    mean of the linear interpolation weights of the samples of the bin.
    """
    if ratio <= 0:
        check(
            bool(length / bins <= MAX_REGION_SAMPLES),
            f"a region has {length} rows or columns for {bins} bins",
        )
    count = ratio if ratio > 0 else max(int(np.ceil(length / bins)), 0)
    step = length / bins
    places = (
        start
        + np.arange(bins, dtype=start.dtype)[:, None] * step
        + (np.arange(count, dtype=start.dtype) + 0.5) * step / max(count, 1)
    )
    inside = (places >= -1) & (places <= size)
    places = np.maximum(places, 0)
    low = np.minimum(places.astype(np.int64), size - 1)
    part = np.where(low >= size - 1, 0, places - low)
    weights = np.zeros((bins, size), start.dtype)
    rows = np.broadcast_to(np.arange(bins)[:, None], low.shape)
    ufunc_at(np.add, weights, (rows, low), (1 - part) * inside)
    ufunc_at(np.add, weights, (rows, np.minimum(low + 1, size - 1)), part * inside)
    return weights / max(count, 1)


# the largest number of samples per axis of a bin; convert/ops/roi_pooling.cpp has the same limit
MAX_SAMPLES = 1 << 10


def _roi_align_row_and_column_weights(
    x: Any, rois: Any, high: int, wide: int, scale: float, ratio: int, aligned: bool
) -> AxisWeights:
    check(ratio <= MAX_SAMPLES, f"sampling_ratio={ratio} is larger than {MAX_SAMPLES}")
    t = x.dtype.type
    edges = rois * t(scale) - t(0.5 if aligned else 0)
    lengths = edges[:, 2:] - edges[:, :2]
    if not aligned:
        lengths = np.maximum(lengths, t(1))
    columns = [
        _roi_align_bin_weights_along_axis(e[0], n[0], wide, x.shape[3], ratio)
        for e, n in zip(edges, lengths, strict=True)
    ]
    rows = [
        _roi_align_bin_weights_along_axis(e[1], n[1], high, x.shape[2], ratio)
        for e, n in zip(edges, lengths, strict=True)
    ]
    shapes = (0, high, x.shape[2]), (0, wide, x.shape[3])
    return tuple(
        np.stack(v) if v else np.zeros(s, x.dtype)
        for v, s in zip((rows, columns), shapes, strict=True)
    )  # type: ignore[return-value]


@op(
    "roi_align",
    "X, ROIs!, RoisNum?, ROIs@LOD*?! -> Out",
    meta=_roi_align_meta,
    breaks_lod=True,
    validate_before_kernel=True,
)
@computed_in_float32_if_half
def roi_align(
    x,
    rois,
    counts=None,
    lod=None,
    *,
    pooled_height: int = 1,
    pooled_width: int = 1,
    spatial_scale: float = 1.0,
    sampling_ratio: int = -1,
    aligned: bool = False,
):
    """Out = the mean of interpolated samples in each bin of a region (He et al., 2017).

    X [N,C,H,W], ROIs [R,4] -> Out [R,C,PH,PW]
    """
    weights = _roi_align_row_and_column_weights(
        x, rois, pooled_height, pooled_width, spatial_scale, sampling_ratio, aligned
    )
    return _interpolate_regions(x, weights, _region_image_ids(x, rois, counts, lod))


@roi_align.vjp
def _(g, x, rois, counts, lod, **over):
    return roi_align_grad(x, rois, counts, lod, g, **over), None, None, None


@op(
    "roi_align_grad",
    "X, ROIs!, RoisNum?, ROIs@LOD*?!, Out@GRAD -> X@GRAD",
    meta=like_x_meta,
    attrs_of=roi_align,
    internal=True,
)
@computed_in_float32_if_half
def roi_align_grad(
    x,
    rois,
    counts,
    lod,
    g,
    *,
    pooled_height: int = 1,
    pooled_width: int = 1,
    spatial_scale: float = 1.0,
    sampling_ratio: int = -1,
    aligned: bool = False,
):
    """The gradient of roi_align with respect to X, of which only the shape is used.

    X [N,C,H,W], Out@GRAD [R,C,PH,PW] -> like X
    """
    weights = _roi_align_row_and_column_weights(
        x, rois, pooled_height, pooled_width, spatial_scale, sampling_ratio, aligned
    )
    return _interpolate_regions_grad(g, weights, _region_image_ids(x, rois, counts, lod), x)


@roi_align_grad.vjp
def _(gg, x, rois, counts, lod, g, **over):
    return None, None, None, None, roi_align(gg, rois, counts, lod, **over)


# -- roi_pool
# ------------------------------------------------------------------------------


def _round_half_away_to_int(x: Any) -> Any:
    """Round to integers, halves away from zero."""
    return (np.sign(x) * np.floor(np.abs(x) + 0.5)).astype(np.int64)


def _integer_bins(start: int, end: int, bins: int, size: int) -> list[tuple[int, int]]:
    """The start and the end of each bin of a region along one axis, in integer pixels."""
    step = np.float32(max(end - start + 1, 1)) / np.float32(bins)
    lows = np.floor(np.arange(bins, dtype=np.float32) * step).astype(int) + start
    highs = np.ceil(np.arange(1, bins + 1, dtype=np.float32) * step).astype(int) + start
    return list(zip(np.clip(lows, 0, size).tolist(), np.clip(highs, 0, size).tolist(), strict=True))


@op(
    "roi_pool",
    "X, ROIs!, RoisNum?, ROIs@LOD*?! -> Out, Argmax~",
    breaks_lod=True,
    validate_before_kernel=True,
)
def roi_pool(
    x,
    rois,
    counts=None,
    lod=None,
    *,
    pooled_height: int = 1,
    pooled_width: int = 1,
    spatial_scale: float = 1.0,
):
    """Out = the maximum of X in each bin of a region, 0 for an empty bin (Girshick 2015).

    X [N,C,H,W], ROIs [R,4] -> Out [R,C,PH,PW]

    Argmax int64 like Out: the index of the maximum in the flattened H * W, -1 for an empty bin.
    """
    owners, edges = (
        _region_image_ids(x, rois, counts, lod),
        _round_half_away_to_int(rois * x.dtype.type(spatial_scale)),
    )
    out = np.zeros_like(x, shape=(len(rois), x.shape[1], pooled_height, pooled_width))
    where = np.full_like(out, -1, dtype=np.int64)
    for r, owner in enumerate(owners):
        left, top, right, bottom = edges[r].tolist()
        columns = _integer_bins(left, right, pooled_width, x.shape[3])
        for i, (y0, y1) in enumerate(_integer_bins(top, bottom, pooled_height, x.shape[2])):
            for j, (x0, x1) in enumerate(columns):
                if y1 > y0 and x1 > x0:
                    seen = x[owner, :, y0:y1, x0:x1].reshape(x.shape[1], -1)
                    at = np.argmax(seen, axis=1)
                    out[r, :, i, j] = np.max(seen, axis=1)
                    where[r, :, i, j] = (at // (x1 - x0) + y0) * x.shape[3] + at % (x1 - x0) + x0
    return out, where


@roi_pool.meta
def _(x, rois, counts, lod=None, *, pooled_height, pooled_width, spatial_scale):
    _check_inputs_and_pooled_sizes(x, rois, counts, pooled_height, pooled_width)
    shape = rois.shape[0], x.shape[1], pooled_height, pooled_width
    return Meta(shape, x.dtype), Meta(shape, np.dtype(np.int64))


@roi_pool.vjp
def _(g, x, rois, counts, lod, *, Argmax):
    return roi_scatter_add_at_argmax(x, rois, counts, lod, Argmax, g), None, None, None


@op(
    "roi_put",
    "X, ROIs, RoisNum?, ROIs@LOD*?!, Argmax, Y -> Out",
    meta=make_meta_rule_like_input_at(0),
    internal=True,
)
def roi_scatter_add_at_argmax(x, rois, counts, lod, where, y):
    """Out = zeros like X, with each Y added at its index Argmax.

    X [N,C,H,W], Argmax and Y [R,C,PH,PW] -> Out like X
    """
    owners = _region_image_ids(x, rois, counts, lod)[:, None, None, None]
    out = np.zeros_like(x, shape=(*x.shape[:2], x.shape[2] * x.shape[3]))
    ufunc_at(
        np.add,
        out,
        (owners, np.arange(x.shape[1])[:, None, None], np.maximum(where, 0)),
        y * (where >= 0),
    )
    return out.reshape(x.shape)


@roi_scatter_add_at_argmax.vjp
def _(g, x, rois, counts, lod, where, y):
    return None, None, None, None, None, roi_gather_at_argmax(g, rois, counts, lod, where)


@op("roi_take", "X, ROIs, RoisNum?, ROIs@LOD*?!, Argmax -> Out", internal=True)
def roi_gather_at_argmax(x, rois, counts, lod, where):
    """Out = the elements of X at the indices Argmax, 0 where Argmax is -1.

    X [N,C,H,W], Argmax [R,C,PH,PW] -> Out like Argmax
    """
    owners = _region_image_ids(x, rois, counts, lod)[:, None, None, None]
    flat = x.reshape(*x.shape[:2], -1)
    return flat[owners, np.arange(x.shape[1])[:, None, None], np.maximum(where, 0)] * (where >= 0)


@roi_gather_at_argmax.meta
def _(x, rois, counts, lod, where):
    return Meta(where.shape, x.dtype)


@roi_gather_at_argmax.vjp
def _(g, x, rois, counts, lod, where):
    return roi_scatter_add_at_argmax(x, rois, counts, lod, where, g), None, None, None, None


# -- psroi_pool
# ------------------------------------------------------------------------------


def _psroi_bin_weights_along_axis(start: Any, end: Any, bins: int, size: int) -> Any:
    """The weights of the rows (or columns) of an image in each bin, [bins,size]: 1 / (number of
    rows in the bin) for a row in the bin, 0 for other rows.
    """
    step = np.maximum(end - start, np.float32(0.1)) / np.float32(bins)
    lows = np.clip(np.floor(np.arange(bins, dtype=np.float32) * step + start), 0, size)
    highs = np.clip(np.ceil(np.arange(1, bins + 1, dtype=np.float32) * step + start), 0, size)
    places = np.arange(size)
    inside = (places >= lows[:, None]) & (places < highs[:, None])
    return inside / np.maximum(inside.sum(1, keepdims=True), 1)


def _visit_psroi_regions(
    x: Any,
    rois: Any,
    counts: Any,
    lod: Any,
    high: int,
    wide: int,
    scale: float,
    visit: Callable[..., None],
) -> None:
    """Call `visit` for each region of psroi_pool, with its interpolation weights.

    Arguments of visit: the index of the region, the index of its image, row weights [PH,H], column
    weights [PW,W].
    """
    starts, ends = (
        _round_half_away_to_int(rois[:, :2]).astype(np.float32) * np.float32(scale),
        (_round_half_away_to_int(rois[:, 2:]) + 1).astype(np.float32) * np.float32(scale),
    )
    for r, owner in enumerate(_region_image_ids(x, rois, counts, lod)):
        rows = _psroi_bin_weights_along_axis(starts[r, 1], ends[r, 1], high, x.shape[2]).astype(
            x.dtype
        )
        columns = _psroi_bin_weights_along_axis(starts[r, 0], ends[r, 0], wide, x.shape[3]).astype(
            x.dtype
        )
        visit(r, owner, rows, columns)


@op(
    "psroi_pool",
    "X, ROIs!, RoisNum?, ROIs@LOD*?! -> Out",
    breaks_lod=True,
    validate_before_kernel=True,
)
@computed_in_float32_if_half
def psroi_pool(
    x,
    rois,
    counts=None,
    lod=None,
    *,
    pooled_height: int = 1,
    pooled_width: int = 1,
    output_channels: int = 1,
    spatial_scale: float = 1.0,
):
    """Position-sensitive RoI pooling (Dai et al., 2016): means in the bins of regions, where each
    bin has its own input channels.

    X [N,C*PH*PW,H,W] -> Out [R,C,PH,PW]
    """
    out = np.empty_like(x, shape=(len(rois), output_channels, pooled_height, pooled_width))

    def pool_region(r: int, owner: int, rows: Any, columns: Any) -> None:
        parted = x[owner].reshape(*out.shape[1:], *x.shape[2:])
        out[r] = np.einsum("cijhw,ih,jw->cij", parted, rows, columns)

    _visit_psroi_regions(
        x, rois, counts, lod, pooled_height, pooled_width, spatial_scale, pool_region
    )
    return out


@psroi_pool.meta
def _(x, rois, counts, lod=None, *, pooled_height, pooled_width, output_channels, spatial_scale):
    _check_inputs_and_pooled_sizes(x, rois, counts, pooled_height, pooled_width)
    check(
        dims_match(x.shape[1], output_channels * pooled_height * pooled_width),
        f"{x.shape[1]} channels are not {output_channels} for each bin",
    )
    return Meta((rois.shape[0], output_channels, pooled_height, pooled_width), x.dtype)


@psroi_pool.vjp
def _(g, x, rois, counts, lod, **over):
    return psroi_pool_grad(x, rois, counts, lod, g, **over), None, None, None


@op(
    "psroi_pool_grad",
    "X, ROIs!, RoisNum?, ROIs@LOD*?!, Out@GRAD -> X@GRAD",
    meta=like_x_meta,
    attrs_of=psroi_pool,
    internal=True,
)
@computed_in_float32_if_half
def psroi_pool_grad(
    x,
    rois,
    counts,
    lod,
    g,
    *,
    pooled_height: int = 1,
    pooled_width: int = 1,
    spatial_scale: float = 1.0,
    **_,
):
    """The gradient of psroi_pool with respect to X, of which only the shape is used.

    X [N,C*PH*PW,H,W], Out@GRAD [R,C,PH,PW] -> like X
    """
    out = np.zeros_like(x)

    def add_region_grad(r: int, owner: int, rows: Any, columns: Any) -> None:
        out[owner] += np.einsum("cij,ih,jw->cijhw", g[r], rows, columns).reshape(x.shape[1:])

    _visit_psroi_regions(
        x, rois, counts, lod, pooled_height, pooled_width, spatial_scale, add_region_grad
    )
    return out


@psroi_pool_grad.vjp
def _(gg, x, rois, counts, lod, g, **over):
    return None, None, None, None, psroi_pool(gg, rois, counts, lod, **over)
