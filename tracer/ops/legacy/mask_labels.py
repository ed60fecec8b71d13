"""Training targets of masks: rasterize polygons within the box of each region."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ...core.arrays import np
from ...core.op import HOST_PYTHON_LOOP, Meta, check, op
from ..box_ops import NO_GRAD_BOXES
from ..detection_helpers import INT32, INT64, NO_HALF_BOXES
from ..lod import offsets_from_lengths, require_row_offsets
from ..nms import box_ious
from ..shared_op_rules import check_float, dims_match

SUBPIXELS = 5  # subpixel steps per pixel


def _line_points(start: Any, end: Any) -> Any:
    """The points of a line on the subpixel grid, one for each grid step along the longer side of
    the line.

    int [2], [2] -> int [*,2]
    """
    (width, height) = np.abs(end - start)
    axis = 0 if width >= height else 1
    if start[axis] > end[axis]:
        return _line_points(end, start)[::-1]
    along = np.arange(max(width, height) + 1)
    slope = (end - start)[1 - axis] / max(width, height, 1)
    out = np.empty((len(along), 2), np.int64)
    out[:, axis] = along + start[axis]
    out[:, 1 - axis] = np.trunc(start[1 - axis] + slope * along + 0.5)
    return out


def rasterize_polygon(outline: Any, high: int, wide: int) -> Any:
    """Rasterize a polygon: return a mask of the pixels that, in each column, lie between crossings
    of the outline.

    [K,2] -> bool [high,wide]
    """
    corners = np.trunc(SUBPIXELS * outline.astype(np.float64) + 0.5).astype(np.int64)
    points = np.concatenate([_line_points(a, b) for a, b in pairwise([*corners, corners[0]])])
    before, after = points[:-1], points[1:]
    column = (
        np.where(after[:, 0] < before[:, 0], after[:, 0], after[:, 0] - 1) + 0.5
    ) / SUBPIXELS - 0.5
    row = np.ceil(np.clip((np.minimum(before[:, 1], after[:, 1]) + 0.5) / SUBPIXELS - 0.5, 0, high))
    kept = (
        (before[:, 0] != after[:, 0])
        & (np.floor(column) == column)
        & (column >= 0)
        & (column <= wide - 1)
    )
    crossed = np.bincount(
        (column[kept] * high + row[kept]).astype(np.int64), minlength=high * wide + 1
    )[: high * wide]
    return (np.cumsum(crossed) % 2 == 1).reshape(wide, high).T


def _instance_mask(outlines: list[Any], box: Any, size: int) -> Any:
    """The mask of an instance, given by polygons, within a box. -> int32 [size * size]"""
    low, sides = box[:2], np.maximum(box[2:] - box[:2], 1)
    parts = [
        rasterize_polygon((points - low) * box.dtype.type(size) / sides, size, size)
        for points in outlines
    ]
    return np.any(parts, axis=0).reshape(-1).astype(np.int32)


def _bounding_box_of_polygons(outlines: list[Any]) -> Any:
    """The bounding box of an instance, given its polygons."""
    points = np.concatenate(outlines)
    return np.concatenate([points.min(axis=0), points.max(axis=0)])


def _mask_targets_of_image(
    instances: list[list[Any]], rois: Any, labels: Any, scale: Any, size: int
) -> tuple[Any, Any, Any, Any]:
    """Return the foreground regions of an image, their indices, classes and masks. If the image has
    no foreground regions, return the first background region with a mask of -1.
    """
    found = np.flatnonzero(labels > 0)
    if not len(found):
        first = np.flatnonzero(labels == 0)[:1]
        return (
            rois[first],
            first,
            np.zeros(len(first), np.int64),
            np.full((len(first), size * size), -1, np.int32),
        )
    check(len(instances) > 0, "an image has foreground regions, but all its objects are crowds")
    own = rois[found] / scale
    best = np.argmax(
        box_ious(
            own, np.stack([_bounding_box_of_polygons(t) for t in instances]).astype(own.dtype), 1.0
        ),
        axis=1,
    )
    masks = np.stack(
        [_instance_mask(instances[i], box, size) for i, box in zip(best, own, strict=True)]
    )
    return own * scale, found, labels[found], masks


def _polygons_by_instance(points: Any, lod: Any) -> list[list[Any]]:
    """The polygons of each instance, as lists of points."""
    check(
        lod is not None and len(lod) == 3,
        "GtSegms needs three LoD levels: objects, polygons, points",
    )
    outlines = [points[a:b] for a, b in pairwise(lod[2])]
    return [outlines[a:b] for a, b in pairwise(lod[1])]


@op(
    "generate_mask_labels",
    "ImInfo, GtClasses, GtClasses@LOD*?!, IsCrowd, GtSegms, GtSegms@LOD*?!, Rois, "
    "Rois@LOD*?!, LabelsInt32 -> MaskRois, RoiHasMaskInt32,"
    " MaskInt32, MaskRois@LOD~?, RoiHasMaskInt32@LOD~?, MaskInt32@LOD~?",
    no_grad_reason=NO_GRAD_BOXES,
    value_dependent_shape=True,
    no_half_reason=NO_HALF_BOXES,
    host_reason=HOST_PYTHON_LOOP,
)
def generate_mask_labels(
    infos,
    kinds,
    kinds_lod,
    crowd,
    points,
    points_lod,
    rois,
    rois_lod,
    labels,
    *,
    num_classes: int,
    resolution: int,
):
    """Mask targets of the foreground regions (He et al., 2017): MaskInt32 holds the mask in the
    columns of the region's class, and -1 elsewhere.

    Rois [R,4], LabelsInt32 [R,1], GtClasses, IsCrowd int32 [G,1], GtSegms [P,2], ImInfo [N,3]:
    height, width, scale -> MaskInt32 [K,C*S*S], where S = resolution

    MaskRois [K,4]: the foreground regions.
    RoiHasMaskInt32 [K,1]: their indices in the image.
    """
    check_float(rois)
    check(
        len(require_row_offsets(kinds_lod, "GtClasses")) == len(infos) + 1,
        "GtClasses and ImInfo have different numbers of images",
    )
    cuts, instances = (
        require_row_offsets(rois_lod, "Rois"),
        _polygons_by_instance(points, points_lod),
    )
    counted = (kinds.reshape(-1) > 0) & (crowd.reshape(-1) == 0)
    made = []
    for n, (a, b) in enumerate(pairwise(cuts)):
        whole = range(points_lod[0][n], points_lod[0][n + 1])
        here = [instances[i] for i in whole if counted[i]]
        made.append(
            _mask_targets_of_image(
                here, rois[a:b], labels.reshape(-1)[a:b], infos[n, 2], resolution
            )
        )
    regions, numbers, classes, masks = (np.concatenate(parts) for parts in zip(*made, strict=True))
    out = np.full((len(masks), num_classes, resolution**2), -1, np.int32)
    out[np.arange(len(masks)), classes] = masks
    ends = offsets_from_lengths([len(m[1]) for m in made])
    return (
        regions.astype(rois.dtype),
        numbers.astype(np.int32)[:, None],
        out.reshape(len(masks), -1),
        ends,
        ends,
        ends,
    )


@generate_mask_labels.meta
def _(
    infos,
    kinds,
    kinds_lod,
    crowd,
    points,
    points_lod,
    rois,
    rois_lod,
    labels,
    *,
    num_classes,
    resolution,
):
    check_float(rois)
    check(len(rois.shape) == 2 and dims_match(rois.shape[1], 4), "Rois need the shape [regions, 4]")
    check(
        len(points.shape) == 2 and dims_match(points.shape[1], 2),
        "GtSegms need the shape [points, 2]",
    )
    offsets = Meta((infos.shape[0] + 1 if infos.shape[0] >= 0 else -1,), INT64)
    return (
        Meta((-1, 4), rois.dtype),
        Meta((-1, 1), INT32),
        Meta((-1, num_classes * resolution**2), INT32),
        *[offsets] * 3,
    )
