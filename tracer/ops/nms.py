"""Non-maximum suppression: nms and matrix_nms."""

from __future__ import annotations

from typing import Any

from ..core import native
from ..core.arrays import np
from ..core.op import HOST_PYTHON_LOOP, Meta, check, op
from .box_ops import NO_GRAD_BOXES
from .polygons import polygon_ious
from .shared_op_rules import check_float, dims_match

BLOCK_SIZE = 256  # number of boxes that are compared with all remaining boxes at once

Detections = list[tuple[int, float, int]]  # class, score and box index of each detection


def box_ious(boxes: Any, others: Any, extra: float = 0.0, by_edges: bool = False) -> Any:
    """The intersection over union of each pair of boxes.

    by_edges: inverted boxes may have an intersection, as in Paddle's matrix_nms.

    [N,4], [M,4] -> [N,M]; more than 4 coordinates describe convex polygons
    """
    if boxes.shape[1] != 4:
        return polygon_ious(boxes, others)
    (left, top, right, bottom), sides = boxes.T[:, :, None], others.T
    wide = np.minimum(right, sides[2]) - np.maximum(left, sides[0])
    high = np.minimum(bottom, sides[3]) - np.maximum(top, sides[1])
    apart = (wide < 0) | (high < 0)
    if by_edges:
        apart = (sides[0] > right) | (sides[2] < left) | (sides[1] > bottom) | (sides[3] < top)
    shared = np.where(apart, 0, (wide + boxes.dtype.type(extra)) * (high + boxes.dtype.type(extra)))
    return shared / np.maximum(
        _box_areas(boxes, extra)[:, None] + _box_areas(others, extra) - shared, 1e-10
    )


def _box_areas(boxes: Any, extra: float) -> Any:
    sides = boxes[:, 2:] - boxes[:, :2]
    return np.where(np.any(sides < 0, axis=1), 0, np.prod(sides + boxes.dtype.type(extra), axis=1))


def nms_of_sorted_boxes(
    boxes: Any, threshold: float, extra: float = 0.0, eta: float = 1.0
) -> list[int]:
    """NMS of boxes that are sorted by score; returns the indices of the selected boxes.

    A box is selected if its overlap with each selected box of higher score is at most the
    threshold.
    eta: if < 1, the threshold is multiplied by it after each selection, while it is above 0.5.
    """
    if eta < 1 and threshold > 0.5:
        return _nms_with_decaying_threshold(boxes, threshold, extra, eta)
    return _nms_of_sorted_boxes_with_constant_threshold(boxes, threshold, extra).tolist()


_SELECT_BOXES = native.compiled_function_or_placeholder("select_boxes")


@native.OptionallyNativeFunction
def _nms_of_sorted_boxes_with_constant_threshold(boxes: Any, threshold: float, extra: float) -> Any:
    """The indices of the selected boxes, int64 [K]. boxes [N, 4], sorted by score."""
    left, kept = np.arange(len(boxes)), []
    while len(left):
        first, left = left[:BLOCK_SIZE], left[BLOCK_SIZE:]
        chosen = first[
            _select_greedily_by_compatibility(
                box_ious(boxes[first], boxes[first], extra) <= threshold
            )
        ]
        free = box_ious(boxes[chosen], boxes[left], extra) <= threshold
        left = left[np.all(free, axis=0)]
        kept += chosen.tolist()
    return np.array(kept, np.int64)


_nms_of_sorted_boxes_with_constant_threshold.native(_SELECT_BOXES)


def _select_greedily_by_compatibility(free: Any) -> list[int]:
    """Go through the boxes in order and select each that is compatible with all selected before;
    return the indices of the selected boxes.

    free: bool [N,N], whether two boxes may both be selected.
    """
    alive, kept = np.ones(len(free), bool), []
    for i, row in enumerate(free):
        if alive[i]:
            kept.append(i)
            alive &= row
    return kept


def _nms_with_decaying_threshold(
    boxes: Any, threshold: float, extra: float, eta: float
) -> list[int]:
    over = box_ious(boxes, boxes, extra)
    kept: list[int] = []
    for i in range(len(boxes)):
        if not kept or float(np.max(over[i, kept])) <= threshold:
            kept.append(i)
            if eta < 1 and threshold > 0.5:
                threshold *= eta
    return kept


@op(
    "nms",
    "Boxes -> KeepBoxesIdxs",
    no_grad_reason=NO_GRAD_BOXES,
    value_dependent_shape=True,
    host_reason=HOST_PYTHON_LOOP,
)
def nms(boxes, *, iou_threshold: float = 1.0):
    """KeepBoxesIdxs = the indices of the boxes that NMS with iou_threshold selects. Boxes are
    sorted by descending score.

    Boxes [N,4] -> int64 [K]
    """
    check_float(boxes)
    return np.array(nms_of_sorted_boxes(boxes, float(np.float32(iou_threshold))), np.int64)


@nms.meta
def _(boxes, *, iou_threshold):
    check_float(boxes)
    check(
        len(boxes.shape) == 2 and dims_match(boxes.shape[1], 4), "Boxes need the shape [boxes, 4]"
    )
    return Meta((-1,), np.dtype(np.int64))


def _top_indices_above_threshold(scores: Any, threshold: float, count: int) -> Any:
    """The indices of scores above the threshold, sorted in descending order; at most `count` unless
    it is negative.
    """
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > threshold]
    return order[:count] if count > -1 else order


def _concat_detections_of_images(found: list[Detections], bboxes: Any) -> tuple[Any, Any, Any]:
    """Concatenate the results of all images: rows of class, score and box; the box index in the
    batch; the number per image.
    """
    rows = [[c, s, *bboxes[n, k]] for n, one in enumerate(found) for c, s, k in one]
    index = [[n * bboxes.shape[1] + k] for n, one in enumerate(found) for _, _, k in one]
    out = np.array(rows, bboxes.dtype).reshape(-1, 2 + bboxes.shape[2])
    return (
        out,
        np.array(index, np.int32).reshape(-1, 1),
        np.array([len(one) for one in found], np.int32),
    )


def _detections_meta(bboxes: Meta, scores: Meta) -> tuple[Meta, Meta, Meta]:
    check_float(bboxes)
    check(len(bboxes.shape) == len(scores.shape) == 3, "needs BBoxes [N,M,4] and Scores [N,C,M]")
    check(dims_match(bboxes.shape[2], 4), "boxes need four numbers")
    check(
        dims_match(bboxes.shape[1], scores.shape[2])
        and dims_match(bboxes.shape[0], scores.shape[0]),
        "Scores do not fit BBoxes",
    )
    whole = np.dtype(np.int32)
    wide = bboxes.shape[2] + 2 if bboxes.shape[2] >= 0 else -1
    return Meta((-1, wide), bboxes.dtype), Meta((-1, 1), whole), Meta((bboxes.shape[0],), whole)


def _decay_scores(scores: Any, over: Any, gaussian: bool, sigma: float) -> Any:
    """The scores of boxes after matrix NMS decays them by the overlap with boxes of higher score
    (Wang et al., 2020). Boxes are sorted by score.
    """
    over = np.tril(over, -1)
    most = np.max(over, axis=1, initial=0)
    decay = np.exp((most**2 - over**2) * sigma) if gaussian else (1 - over) / (1 - most)
    decay = np.where(np.tri(len(scores), k=-1, dtype=bool), decay, 1)
    return scores * np.minimum(np.min(decay, axis=1, initial=1), 1)


@op(
    "matrix_nms",
    "BBoxes, Scores -> Out, Index, RoisNum",
    no_grad_reason=NO_GRAD_BOXES,
    value_dependent_shape=True,
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
def matrix_nms(
    bboxes,
    scores,
    *,
    score_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    post_threshold: float = 0.0,
    use_gaussian: bool = False,
    gaussian_sigma: float = 2.0,
    background_label: int = 0,
    normalized: bool = True,
):
    """Matrix NMS (Wang et al., 2020): Out = rows of class, decayed score and box, sorted by
    descending score.

    BBoxes [N,M,4], Scores [N,C,M] -> Out [K,6], Index int32 [K,1], RoisNum [N]
    """
    extra, found = 0.0 if normalized else 1.0, []
    for n in range(bboxes.shape[0]):
        one: Detections = []
        for c in range(scores.shape[1]):
            order = _top_indices_above_threshold(scores[n, c], score_threshold, nms_top_k)
            if c != background_label and len(order):
                boxes = bboxes[n, order]
                lowered = _decay_scores(
                    scores[n, c, order],
                    box_ious(boxes, boxes, extra, by_edges=True),
                    use_gaussian,
                    gaussian_sigma,
                )
                one += [
                    (c, s, int(k))
                    for s, k in zip(lowered, order, strict=True)
                    if s > post_threshold
                ]
        one = sorted(one, key=lambda f: -f[1])
        found.append(one[:keep_top_k] if keep_top_k > -1 else one)
    return _concat_detections_of_images(found, bboxes)


@matrix_nms.meta
def _(bboxes, scores, **_):
    return _detections_meta(bboxes, scores)
