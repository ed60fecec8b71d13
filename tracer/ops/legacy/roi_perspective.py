"""roi_perspective_transform: warp quadrilaterals to rectangles."""

from __future__ import annotations

from typing import Any

from ...core.arrays import np
from ...core.op import HOST_PYTHON_LOOP, Meta, check, op
from ..detection_helpers import INT32, NO_HALF_BOXES
from ..roi_pooling import check_images_and_regions
from ..shared_op_rules import check_float, like_x_meta, make_vjp_rule_rejecting_second_order
from .box_clipping_and_decoding import round_half_away_from_zero
from .precise_roi_pooling import region_image_ids

DISTANCE_TOLERANCE = 1e-4  # distances below this are treated as 0


def _rectangle_to_quadrilateral_matrices(x: Any, y: Any, high: int, wide: int) -> Any:
    """The matrices of the projective maps from the output rectangle to quadrilaterals with the
    corners x, y [R,4], upper left first.

    -> [R,9]
    """
    length = np.hypot(x - np.roll(x, -1, axis=1), y - np.roll(y, -1, axis=1))
    rows = max(2, high)
    shown = (
        round_half_away_from_zero(
            (length[:, 0] + length[:, 2]) * (rows - 1) / (length[:, 1] + length[:, 3])
        )
        + 1
    )
    across, down = np.clip(shown, 2, max(2, wide)) - 1, rows - 1
    differences = (
        (v[:, 1] - v[:, 2], v[:, 3] - v[:, 2], v[:, 0] - v[:, 1] + v[:, 2] - v[:, 3])
        for v in (x, y)
    )
    (dx1, dx2, dx3), (dy1, dy2, dy3) = differences
    area = dx1 * dy2 - dx2 * dy1 + 1e-5
    out = np.ones((len(x), 9), x.dtype)
    out[:, 6] = (dx3 * dy2 - dx2 * dy3) / area / across
    out[:, 7] = (dx1 * dy3 - dx3 * dy1) / area / down
    for first, v in ((0, x), (3, y)):
        out[:, first] = (v[:, 1] - v[:, 0] + out[:, 6] * across * v[:, 1]) / across
        out[:, first + 1] = (v[:, 3] - v[:, 0] + out[:, 7] * down * v[:, 3]) / down
        out[:, first + 2] = v[:, 0]
    return out


def _source_positions(matrices: Any, high: int, wide: int) -> tuple[Any, Any]:
    """Map the pixels of the output rectangle to positions in the image: x and y, both
    [R,high,wide].
    """
    m = matrices.reshape(-1, 9, 1, 1)
    row, column = np.arange(high, dtype=m.dtype)[:, None], np.arange(wide, dtype=m.dtype)
    u, v, w = (m[:, i] * column + m[:, i + 1] * row + m[:, i + 2] for i in (0, 3, 6))
    return u / w, v / w


def _inside_quadrilateral_mask(x: Any, y: Any, xs: Any, ys: Any) -> Any:
    """A mask of the positions that lie in a quadrilateral, computed by counting the crossings of a
    ray with its sides.

    [R,H,W], corners [R,4]
    """
    crossed, on = np.zeros(x.shape, np.int64), np.zeros(x.shape, bool)
    for i in range(4):
        (x0, x1), (y0, y1) = (
            (v[:, i, None, None], v[:, (i + 1) % 4, None, None]) for v in (xs, ys)
        )
        level = np.abs(y0 - y1) < DISTANCE_TOLERANCE
        at = (y - y0) * (x1 - x0) / np.where(level, 1, y1 - y0) + x0
        low, top = np.minimum(y0, y1), np.maximum(y0, y1)
        along = (x >= np.minimum(x0, x1) - DISTANCE_TOLERANCE) & (
            x <= np.maximum(x0, x1) + DISTANCE_TOLERANCE
        )
        on |= np.where(
            level,
            (np.abs(y - y0) < DISTANCE_TOLERANCE) & along,
            (np.abs(at - x) < DISTANCE_TOLERANCE)
            & (y > low - DISTANCE_TOLERANCE)
            & (y < top + DISTANCE_TOLERANCE),
        )
        crossed += (
            ~level
            & (y > low + DISTANCE_TOLERANCE - 1e-12)
            & (y - top <= DISTANCE_TOLERANCE)
            & (at - x > DISTANCE_TOLERANCE)
        )
    return on | (crossed % 2 == 1)


def _matrices_mask_and_pixel_weights(
    x: Any, rois: Any, lod: Any, high: int, wide: int, scale: float
) -> tuple[Any, Any, list[tuple[Any, Any]]]:
    """Return the transform matrices, a mask of valid sampling positions [R,h,w], and for the four
    pixels around each position their index and weight.
    """
    corners = rois * rois.dtype.type(scale)
    xs, ys = corners[:, 0::2], corners[:, 1::2]
    matrices = _rectangle_to_quadrilateral_matrices(xs, ys, high, wide)
    column, row = _source_positions(matrices, high, wide)
    seen = _inside_quadrilateral_mask(column, row, xs, ys)
    for at, size in ((column, x.shape[3]), (row, x.shape[2])):
        seen &= (at > -0.5 + DISTANCE_TOLERANCE) & (at < size - 0.5 - DISTANCE_TOLERANCE)
    column, row = (
        np.clip(np.where(seen, at, 0), 0, size - 1)
        for at, size in ((column, x.shape[3]), (row, x.shape[2]))
    )
    owner = region_image_ids(x, rois, lod)[:, None, None]
    y0, x0 = np.floor(row).astype(np.int64), np.floor(column).astype(np.int64)
    y1, x1 = np.minimum(y0 + 1, x.shape[2] - 1), np.minimum(x0 + 1, x.shape[3] - 1)
    dy, dx = (row - y0) * seen, (column - x0) * seen
    shares = (
        (y0, x0, (seen - dy) * (1 - dx)),
        (y0, x1, (seen - dy) * dx),
        (y1, x0, dy * (1 - dx)),
        (y1, x1, dy * dx),
    )
    return matrices, seen, [((owner, i, j), weight[..., None]) for i, j, weight in shares]


@op(
    "roi_perspective_transform",
    "X, ROIs!, ROIs@LOD*?! -> Out, Mask~, TransformMatrix~",
    no_half_reason=NO_HALF_BOXES,
    host_reason=HOST_PYTHON_LOOP,
)
def roi_perspective_transform(
    x,
    rois,
    lod=None,
    *,
    spatial_scale: float = 1.0,
    transformed_height: int = 1,
    transformed_width: int = 1,
):
    """Warp quadrilateral regions of images to rectangles; 0 outside of the image or region (Sun et
    al. 2018).

    X [N,C,H,W], ROIs [R,8] -> Out [R,C,h,w]

    ROIs: x and y of the corners, clockwise from the upper left one.
    Mask int32 [R,1,h,w]: 1 at valid positions.
    TransformMatrix [R,9]: the projective maps.
    """
    check_float(x)
    matrices, seen, pixels = _matrices_mask_and_pixel_weights(
        x, rois, lod, transformed_height, transformed_width, spatial_scale
    )
    last = np.moveaxis(x, 1, -1)
    out = sum(last[index] * weight for index, weight in pixels)
    return (
        np.moveaxis(out, -1, 1).astype(x.dtype),
        seen[:, None].astype(np.int32),
        matrices.astype(x.dtype),
    )


@roi_perspective_transform.meta
def _(x, rois, lod, *, spatial_scale, transformed_height, transformed_width):
    check_images_and_regions(x, rois, corners=8)
    check(
        transformed_height > 0 and transformed_width > 0,
        f"transformed_height={transformed_height}, transformed_width={transformed_width} "
        f"are not positive",
    )
    size = transformed_height, transformed_width
    return (
        Meta((rois.shape[0], x.shape[1], *size), x.dtype),
        Meta((rois.shape[0], 1, *size), INT32),
        Meta((rois.shape[0], 9), x.dtype),
    )


@roi_perspective_transform.lod(lambda x, rois, *_: rois)
def _(x, rois, lod=None, **_):
    return list(lod or [])


@roi_perspective_transform.vjp
def _(g, x, rois, lod, **over):
    return roi_perspective_transform_grad(x, rois, lod, g, **over), None, None


@op(
    "roi_perspective_transform_grad",
    "X, ROIs, ROIs@LOD*?!, Out@GRAD -> X@GRAD",
    meta=like_x_meta,
    attrs_of=roi_perspective_transform,
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def roi_perspective_transform_grad(
    x,
    rois,
    lod,
    g,
    *,
    spatial_scale: float = 1.0,
    transformed_height: int = 1,
    transformed_width: int = 1,
):
    """The gradient of roi_perspective_transform with respect to X. Out@GRAD [R,C,h,w] -> like X"""
    _, _, pixels = _matrices_mask_and_pixel_weights(
        x, rois, lod, transformed_height, transformed_width, spatial_scale
    )
    back = np.zeros_like(x, shape=(x.shape[0], *x.shape[2:], x.shape[1]))
    for index, weight in pixels:
        np.add.at(back, index, (np.moveaxis(g, 1, -1) * weight).astype(x.dtype))
    return np.moveaxis(back, -1, 1)


roi_perspective_transform_grad.vjp(
    make_vjp_rule_rejecting_second_order("roi_perspective_transform")
)
