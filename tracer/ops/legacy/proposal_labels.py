"""Training targets of proposals: class and box offsets."""

from __future__ import annotations

from typing import Any

from ...core import rng
from ...core.arrays import np
from ...core.op import HOST_PYTHON_LOOP, Floats, Meta, check, op
from ..box_ops import NO_GRAD_BOXES
from ..detection_helpers import INT32, INT64, NO_HALF_BOXES
from ..lod import offsets_from_lengths, require_row_offsets
from ..nms import box_ious
from ..shared_op_rules import check_float, dims_match
from .anchor_targets import EQUAL_OVERLAP_TOLERANCE, encode_boxes


def _truncate_or_sample_range(count: int, most: int, use_random: bool) -> Any:
    """Return at most `most` of the indices from 0 to count - 1: the first ones, or with
    `use_random` a random sample.
    """
    if count <= most:
        return np.arange(count)
    return np.sort(rng.generator().permutation(count)[:most]) if use_random else np.arange(most)


def _match_and_sample_regions(
    over: Any,
    crowd: Any,
    bounds: tuple[float, float, float],
    count: int,
    share: float,
    use_random: bool,
) -> tuple[Any, Any, Any]:
    """Match regions with boxes and sample them. Returns the indices of the foreground regions, the
    indices of their boxes, and the indices of the background regions.

    over [R,G]: overlaps.
    bounds: the lower limit of foreground, then the upper and lower limit of background.
    count: the number of regions to sample, -1 for all.
    """
    best = np.max(over, axis=1, initial=-1)
    best[: len(crowd)][crowd[: len(best)] != 0] = -1
    enough, high, low = (np.float32(b) for b in bounds)
    found = np.flatnonzero(best >= enough)
    none = np.flatnonzero((best < enough) & (best >= low) & (best < high))
    box = (
        np.argmax(
            np.abs(best[found, None] - over[found]) < np.float32(EQUAL_OVERLAP_TOLERANCE), axis=1
        )
        if len(found)
        else found
    )
    if count >= 0:
        taken = _truncate_or_sample_range(
            len(found), int(np.floor(count * np.float32(share))), use_random
        )
        found, box = found[taken], box[taken]
        none = none[_truncate_or_sample_range(len(none), count - len(found), use_random)]
    return found, box, none


def _candidate_regions(there: Any, rois: Any, scale: Any, cascade: bool) -> Any:
    """The candidate regions, in coordinates of the unscaled image: the ground-truth boxes and the
    proposals, or with `cascade` only the proposals.

    With `cascade`, Paddle does not unscale the first G proposals, where G is the number of boxes,
    and removes empty regions.
    """
    regions = rois / scale
    if not cascade:
        return np.concatenate([there, regions])
    regions[: len(there)] = rois[: len(there)]
    return regions[np.all(regions[:, 2:] - regions[:, :2] + 1 > 0, axis=1)]


def _labels_and_box_targets(
    regions: Any, there: Any, kinds: Any, chosen: tuple[Any, Any, Any], weights: Any
) -> tuple[Any, Any]:
    """Return the class of each sampled region and its box regression targets; both are 0 for a
    background region.

    [K], [K,4]
    """
    found, box, none = chosen
    targets = np.zeros((len(found) + len(none), 4), regions.dtype)
    targets[: len(found)] = encode_boxes(regions[found], there[box]) / np.array(
        weights, regions.dtype
    )
    return np.concatenate([kinds[box], np.zeros(len(none), np.int32)]), targets


def _make_class_columns_and_mask(
    labels: Any, targets: Any, classes: int, agnostic: bool
) -> tuple[Any, Any]:
    """Write the box targets of each region to the columns of its class, zeros elsewhere; also
    return a mask of the written columns. [K], [F,4] -> both [K,4*classes]
    """
    out = np.zeros((len(labels), classes, 4), targets.dtype)
    ones = np.zeros_like(out)
    rows = np.flatnonzero(labels > 0)
    places = np.ones(len(rows), np.int64) if agnostic else labels[rows]
    out[rows, places], ones[rows, places] = targets[rows], 1
    return out.reshape(len(labels), -1), ones.reshape(len(labels), -1)


@op(
    "generate_proposal_labels",
    "RpnRois, RpnRois@LOD*?!, GtClasses, IsCrowd, GtBoxes, GtBoxes@LOD*?!, ImInfo, "
    "MaxOverlap? -> Rois, LabelsInt32, BboxTargets,"
    " BboxInsideWeights, BboxOutsideWeights, MaxOverlapWithGT, Rois@LOD~?, "
    "LabelsInt32@LOD~?, BboxTargets@LOD~?, BboxInsideWeights@LOD~?,"
    " BboxOutsideWeights@LOD~?",
    no_grad_reason=NO_GRAD_BOXES,
    value_dependent_shape=True,
    random=True,
    no_half_reason=NO_HALF_BOXES,
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
def generate_proposal_labels(
    rois,
    rois_lod,
    kinds,
    crowd,
    boxes,
    boxes_lod,
    infos,
    most=None,
    *,
    batch_size_per_im: int,
    fg_fraction: float,
    fg_thresh: float,
    bg_thresh_hi: float,
    bg_thresh_lo: float,
    bbox_reg_weights: Floats,
    class_nums: int,
    use_random: bool = True,
    is_cascade_rcnn: bool = False,
    is_cls_agnostic: bool = False,
):
    """Sample foreground and background regions, and compute their class and box targets (Girshick
    2015).

    RpnRois [R,4], GtBoxes [G,4], ImInfo [N,3]: height, width, scale

    -> Rois [K,4], LabelsInt32 [K,1], BboxTargets, BboxInsideWeights and BboxOutsideWeights
    [K,4*class_nums], MaxOverlapWithGT [K]. The ground-truth boxes are candidate regions, too,
    except for is_cascade_rcnn.
    """
    starts, cuts = (
        require_row_offsets(rois_lod, "RpnRois"),
        require_row_offsets(boxes_lod, "GtBoxes"),
    )
    bounds, count = (
        (fg_thresh, bg_thresh_hi, bg_thresh_lo),
        -1 if is_cascade_rcnn else batch_size_per_im,
    )
    made = []
    for n in range(len(starts) - 1):
        own, scale = slice(cuts[n], cuts[n + 1]), infos[n, 2]
        regions = _candidate_regions(
            boxes[own], rois[starts[n] : starts[n + 1]], scale, is_cascade_rcnn
        )
        over = box_ious(regions, boxes[own], 1.0).astype(rois.dtype)
        chosen = _match_and_sample_regions(
            over, crowd.reshape(-1)[own], bounds, count, fg_fraction, use_random
        )
        labels, targets = _labels_and_box_targets(
            regions, boxes[own], kinds[own].reshape(-1), chosen, bbox_reg_weights
        )
        taken = np.concatenate(chosen[::2])
        per_class = _make_class_columns_and_mask(labels, targets, class_nums, is_cls_agnostic)
        made.append(
            (
                regions[taken] * scale,
                labels[:, None],
                *per_class,
                np.max(over[taken], axis=1, initial=-1),
            )
        )
    ends = offsets_from_lengths([len(m[0]) for m in made])
    regions, labels, targets, ones, overs = (
        np.concatenate(parts) for parts in zip(*made, strict=True)
    )
    return (
        regions.astype(rois.dtype),
        labels.astype(np.int32),
        targets,
        ones,
        ones.copy(),
        overs.astype(rois.dtype),
        *[ends] * 5,
    )


@generate_proposal_labels.meta
def _(
    rois,
    rois_lod,
    kinds,
    crowd,
    boxes,
    boxes_lod,
    infos,
    most,
    *,
    class_nums,
    bbox_reg_weights,
    **_,
):
    check_float(rois)
    fits = all(len(m.shape) == 2 and dims_match(m.shape[1], 4) for m in (rois, boxes))
    check(fits, "RpnRois and GtBoxes need the shape [boxes, 4]")
    check(
        len(infos.shape) == 2 and dims_match(infos.shape[1], 3),
        "ImInfo needs height, width and scale of each image",
    )
    check(
        len(bbox_reg_weights) == 4,
        f"bbox_reg_weights={list(bbox_reg_weights)} are not four numbers",
    )
    per_class = Meta((-1, 4 * class_nums), rois.dtype)
    return (
        Meta((-1, 4), rois.dtype),
        Meta((-1, 1), INT32),
        *[per_class] * 3,
        Meta((-1,), rois.dtype),
        *[Meta((-1,), INT64)] * 5,
    )
