"""Multi-class NMS of Paddle 1.x, per image: rows of class, score and box."""

from __future__ import annotations

from typing import Any

from ...core.arrays import np
from ...core.op import HOST_PYTHON_LOOP, Meta, check, op
from ..box_ops import NO_GRAD_BOXES
from ..detection_helpers import INT32, INT64, NO_HALF_BOXES, row_offsets_or_single_image
from ..lod import offsets_from_lengths
from ..multiclass_nms import (
    check_boxes_and_scores,
    select_boxes_of_images,
    top_candidates_sorted_by_class,
    top_indices_above_threshold,
)
from ..nms import Detections, box_ious, nms_of_sorted_boxes
from ..shared_op_rules import check_float, dims_match
from .box_clipping_and_decoding import unscaled_image_max_coordinates


def rows_and_offsets_or_placeholder(rows: Any, counts: list[int]) -> tuple[Any, Any]:
    """Return the rows of all images and their row offsets. If there are no rows, return one row
    [[-1]] with the offsets [0, 1].
    """
    return (
        (rows, offsets_from_lengths(counts))
        if len(rows)
        else (np.full((1, 1), -1, rows.dtype), np.array([0, 1], np.int64))
    )


def _select_boxes_per_image(
    boxes: Any, scores: Any, lod: Any, **settings: Any
) -> tuple[Any, Any, list[int]]:
    return select_boxes_of_images(
        boxes,
        scores,
        row_offsets_or_single_image(lod, len(boxes)) if scores.ndim == 2 else None,
        **settings,
    )


@op(
    "multiclass_nms",
    "BBoxes, BBoxes@LOD*?!, Scores -> Out, Out@LOD~?",
    no_grad_reason=NO_GRAD_BOXES,
    value_dependent_shape=True,
    no_half_reason=NO_HALF_BOXES,
    host_reason=HOST_PYTHON_LOOP,
)
def multiclass_nms(
    boxes,
    lod,
    scores,
    *,
    background_label: int = 0,
    score_threshold: float,
    nms_top_k: int,
    nms_threshold: float = 0.3,
    nms_eta: float = 1.0,
    keep_top_k: int,
    normalized: bool = True,
):
    """Out = rows of class, score and box that NMS selects for each class.

    BBoxes [N,M,4], Scores [N,C,M]; or [M,C,4], [M,C] -> Out [K,6]
    """
    rows, _, counts = _select_boxes_per_image(
        boxes,
        scores,
        lod,
        background_label=background_label,
        score_threshold=score_threshold,
        nms_top_k=nms_top_k,
        nms_threshold=nms_threshold,
        nms_eta=nms_eta,
        keep_top_k=keep_top_k,
        normalized=normalized,
    )
    return rows_and_offsets_or_placeholder(rows, counts)


@multiclass_nms.meta
def _(boxes, lod, scores, **_):
    check_boxes_and_scores(boxes, scores)
    return Meta((-1, -1), boxes.dtype), Meta((-1,), INT64)


@op(
    "multiclass_nms2",
    "BBoxes, BBoxes@LOD*?!, Scores -> Out, Index~, Out@LOD~?, Index@LOD~?",
    no_grad_reason=NO_GRAD_BOXES,
    value_dependent_shape=True,
    no_half_reason=NO_HALF_BOXES,
    host_reason=HOST_PYTHON_LOOP,
)
def multiclass_nms2(
    boxes,
    lod,
    scores,
    *,
    background_label: int = 0,
    score_threshold: float,
    nms_top_k: int,
    nms_threshold: float = 0.3,
    nms_eta: float = 1.0,
    keep_top_k: int,
    normalized: bool = True,
):
    """multiclass_nms, with Index = the index of each box in the batch. If no box is selected, Out
    has no rows.

    -> Out [K,6], Index int32 [K,1]
    """
    rows, numbers, counts = _select_boxes_per_image(
        boxes,
        scores,
        lod,
        background_label=background_label,
        score_threshold=score_threshold,
        nms_top_k=nms_top_k,
        nms_threshold=nms_threshold,
        nms_eta=nms_eta,
        keep_top_k=keep_top_k,
        normalized=normalized,
    )
    offsets = offsets_from_lengths(counts)
    return rows, numbers, offsets, offsets


@multiclass_nms2.meta
def _(boxes, lod, scores, **_):
    check_boxes_and_scores(boxes, scores)
    wide = boxes.shape[2] + 2 if boxes.shape[2] >= 0 else -1
    return (
        Meta((-1, wide), boxes.dtype),
        Meta((-1, 1), INT32),
        Meta((-1,), INT64),
        Meta((-1,), INT64),
    )


# -- retinanet_detection_output
# -------------------------------------------------------------------------------------


def _decode_boxes(anchors: Any, deltas: Any, info: Any) -> Any:
    """Decode boxes: apply the encoded offsets `deltas` to anchors. The boxes are in coordinates of
    the unscaled image and clipped to it.

    anchors, deltas [K,4] -> [K,4]
    """
    t = anchors.dtype.type
    sizes = anchors[:, 2:] - anchors[:, :2] + t(1)
    middle = deltas[:, :2] * sizes + anchors[:, :2] + sizes / t(2)
    half = np.exp(deltas[:, 2:]) * sizes / t(2)
    boxes = np.concatenate([middle - half, middle + half - t(1)], axis=1) / info[2]
    return np.clip(
        boxes, 0, unscaled_image_max_coordinates(info[None].astype(anchors.dtype))
    ).astype(anchors.dtype)


def _decode_top_candidates_of_each_level(
    boxes: Any, scores: Any, anchors: Any, info: Any, least: float, count: int
) -> tuple[Any, Any, Any]:
    """The best `count` candidates of each feature level of one image, concatenated over the
    levels: boxes [K,4], scores [K], classes [K]. The last level has no score threshold.
    """
    found = []
    for i, (b, s, a) in enumerate(zip(boxes, scores, anchors, strict=True)):
        order = top_indices_above_threshold(
            s.reshape(-1), least if i + 1 < len(scores) else 0.0, count
        )
        found.append(
            (
                _decode_boxes(a.reshape(-1, 4)[order // s.shape[1]], b[order // s.shape[1]], info),
                s.reshape(-1)[order],
                order % s.shape[1],
            )
        )
    return tuple(np.concatenate(parts) for parts in zip(*found, strict=True))  # type: ignore[return-value]


@op(
    "retinanet_detection_output",
    "BBoxes*, Scores*, Anchors*, ImInfo -> Out, Out@LOD~?",
    no_grad_reason=NO_GRAD_BOXES,
    value_dependent_shape=True,
    no_half_reason=NO_HALF_BOXES,
    host_reason=HOST_PYTHON_LOOP,
)
def retinanet_detection_output(
    boxes,
    scores,
    anchors,
    infos,
    *,
    score_threshold: float,
    nms_top_k: int,
    nms_threshold: float,
    nms_eta: float,
    keep_top_k: int,
):
    """Out = rows of class, score and box, detected on several feature levels (Lin et al., 2017).

    lists of BBoxes [N,M,4], Scores [N,M,C], Anchors [M,4]; ImInfo [N,3]: height, width, scale ->
    [K,6]

    Classes count from 1.
    """
    check_float(boxes[0])
    rows, counts = [], []
    for n, info in enumerate(infos):
        own, score, kind = _decode_top_candidates_of_each_level(
            [b[n] for b in boxes], [s[n] for s in scores], anchors, info, score_threshold, nms_top_k
        )
        one: Detections = []
        for c in np.unique(kind):
            order = np.flatnonzero(kind == c)
            order = order[np.argsort(-score[order], kind="stable")]
            one += [
                (int(c), score[k], int(k))
                for k in order[
                    nms_of_sorted_boxes(own[order], float(np.float32(nms_threshold)), 1.0, nms_eta)
                ]
            ]
        one = sorted(one, key=lambda f: -f[1])[: keep_top_k if keep_top_k > -1 else None]
        rows += [[c + 1, s, *own[k]] for c, s, k in one]
        counts.append(len(one))
    return rows_and_offsets_or_placeholder(np.array(rows, scores[0].dtype).reshape(-1, 6), counts)


@retinanet_detection_output.meta
def _(boxes, scores, anchors, infos, **_):
    check(
        len(boxes) == len(scores) == len(anchors) > 0, "BBoxes, Scores and Anchors differ in number"
    )
    for b, s in zip(boxes, scores, strict=True):
        check_float(b)
        check(
            len(b.shape) == len(s.shape) == 3 and dims_match(b.shape[1], s.shape[1]),
            "needs BBoxes [N,M,4] and Scores [N,M,C]",
        )
    return Meta((-1, -1), scores[0].dtype), Meta((-1,), INT64)


# -- locality_aware_nms
# ---------------------------------------------------------------------------------------------


def _iou(a: Any, b: Any, extra: float) -> float:
    """The intersection over union of two boxes or convex polygons."""
    return float(box_ious(a[None], b[None], extra)[0, 0])


def _merge_consecutive_overlapping_boxes(
    boxes: Any, scores: Any, threshold: float, extra: float
) -> tuple[Any, Any, Any]:
    """Merge consecutive overlapping boxes to their score-weighted mean. Returns all boxes and
    scores, in which the merged ones are updated, and the indices of the boxes that remain.
    """
    boxes, scores, at = boxes.copy(), scores.copy(), -1
    left: list[int] = []
    for i in range(len(boxes)):
        if at >= 0 and _iou(boxes[i], boxes[at], extra) > threshold:
            boxes[at] = (boxes[i] * scores[i] + boxes[at] * scores[at]) / (scores[i] + scores[at])
            scores[at] += scores[i]
        else:
            left.append(i)
            at = i
    return boxes, scores, np.array(left, np.int64)


def _check_boxes_and_scores_of_one_class(boxes: Any, scores: Any) -> None:
    check_boxes_and_scores(boxes, scores)
    check(
        len(scores.shape) == 3 and dims_match(scores.shape[1], 1),
        "Scores are of more than one class",
    )


@op(
    "locality_aware_nms",
    "BBoxes, Scores -> Out, Out@LOD~?",
    no_grad_reason=NO_GRAD_BOXES,
    value_dependent_shape=True,
    no_half_reason=NO_HALF_BOXES,
    host_reason=HOST_PYTHON_LOOP,
)
def locality_aware_nms(
    boxes,
    scores,
    *,
    background_label: int = -1,
    score_threshold: float,
    nms_top_k: int,
    nms_threshold: float = 0.3,
    nms_eta: float = 1.0,
    keep_top_k: int,
    normalized: bool = True,
):
    """Merge consecutive overlapping boxes, then apply NMS (Zhou et al., 2017). Out = rows of class,
    score and box.

    BBoxes [N,M,4], or convex polygons [N,M,S] as alternating x and y; Scores [N,1,M] -> [K,2+S]
    """
    _check_boxes_and_scores_of_one_class(boxes, scores)
    extra, limit = 0.0 if normalized else 1.0, float(np.float32(nms_threshold))
    rows, counts = [], []
    for own, score in zip(boxes, scores, strict=True):
        merged, sums, left = _merge_consecutive_overlapping_boxes(own, score[0], limit, extra)
        order = (
            left[top_indices_above_threshold(sums[left], score_threshold, nms_top_k)]
            if background_label != 0
            else left[:0]
        )
        one = top_candidates_sorted_by_class(
            [(0, sums[k], int(k)) for k in _nms_box_indices(merged, order, limit, extra, nms_eta)],
            keep_top_k,
        )
        rows += [[c, s, *merged[k]] for c, s, k in one]
        counts.append(len(one))
    return rows_and_offsets_or_placeholder(
        np.array(rows, boxes.dtype).reshape(-1, 2 + boxes.shape[2]), counts
    )


def _nms_box_indices(
    boxes: Any, order: Any, threshold: float, extra: float, eta: float
) -> list[int]:
    """The indices of the boxes, in order, whose overlap with each earlier selected box is at
    most the threshold.
    """
    if boxes.shape[1] == 4:
        return (
            [int(k) for k in order[nms_of_sorted_boxes(boxes[order], threshold, extra, eta)]]
            if len(order)
            else []
        )
    kept: list[int] = []
    for i in order:
        if all(_iou(boxes[i], boxes[k], extra) <= threshold for k in kept):
            kept.append(int(i))
            threshold *= eta if eta < 1 and threshold > 0.5 else 1
    return kept


@locality_aware_nms.meta
def _(boxes, scores, **_):
    _check_boxes_and_scores_of_one_class(boxes, scores)
    return Meta((-1, -1), boxes.dtype), Meta((-1,), INT64)
