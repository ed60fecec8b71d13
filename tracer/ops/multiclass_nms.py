"""Multi-class NMS: select the best boxes per image and class."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ..core.arrays import np
from ..core.op import HOST_PYTHON_LOOP, Meta, check, op
from .box_ops import NO_GRAD_BOXES
from .nms import Detections, nms_of_sorted_boxes
from .shared_op_rules import check_float, dims_match

BOX_SIZES = (4, 8, 16, 24, 32)  # number of coordinates of a box or polygon


def top_indices_above_threshold(scores: Any, least: float, count: int) -> Any:
    """The indices of scores above the threshold, sorted in descending order; at most `count` unless
    it is negative.
    """
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > np.float32(least)]
    return order[:count] if count > -1 else order


def top_candidates_sorted_by_class(found: Detections, count: int) -> Detections:
    """The `count` best candidates of all classes, sorted by class."""
    if not -1 < count < len(found):
        return found
    return sorted(sorted(found, key=lambda f: -f[1])[:count], key=lambda f: f[0])


def _boxes_scores_and_start_per_image(
    boxes: Any, scores: Any, cuts: Any
) -> list[tuple[Any, Any, int]]:
    """For each image: boxes by class [C,M,*], scores [C,M], and the index of the first box."""
    if scores.ndim == 3:
        shape = scores.shape[1], *boxes.shape[1:]
        return [
            (np.broadcast_to(b, shape), s, n * boxes.shape[1])
            for n, (b, s) in enumerate(zip(boxes, scores, strict=True))
        ]
    return [(boxes[a:b].transpose(1, 0, 2), scores[a:b].T, int(a)) for a, b in pairwise(cuts)]


def select_boxes_of_images(
    boxes: Any,
    scores: Any,
    cuts: Any,
    *,
    background_label: int,
    score_threshold: float,
    nms_top_k: int,
    nms_threshold: float,
    nms_eta: float,
    keep_top_k: int,
    normalized: bool,
) -> tuple[Any, Any, list[int]]:
    """Apply multi-class NMS to each image of a batch. Returns rows of class, score and box, the
    index of each box, and the number of boxes per image.

    cuts: the box offsets of the images, if boxes are [M,C,4] and scores [M,C].
    """
    check_boxes_and_scores(boxes, scores)
    rows, numbers, counts = [], [], []
    for own, score, first in _boxes_scores_and_start_per_image(boxes, scores, cuts):
        one: Detections = []
        for c in (c for c in range(len(score)) if c != background_label):
            order = top_indices_above_threshold(score[c], score_threshold, nms_top_k)
            kept = (
                nms_of_sorted_boxes(
                    own[c, order],
                    float(np.float32(nms_threshold)),
                    0.0 if normalized else 1.0,
                    nms_eta,
                )
                if len(order)
                else []
            )
            one += [(c, score[c, k], int(k)) for k in order[kept]] if kept else []
        one = top_candidates_sorted_by_class(one, keep_top_k)
        # for scores without a batch axis, Paddle sorts the boxes of a class by index
        if scores.ndim == 2:
            one = sorted(one, key=lambda f: (f[0], f[2]))
        rows += [[c, s, *own[c, k]] for c, s, k in one]
        by_class = len(score) if scores.ndim == 2 else 1
        numbers += [(first + k) * by_class + (c if scores.ndim == 2 else 0) for c, _, k in one]
        counts.append(len(one))
    return (
        np.array(rows, boxes.dtype).reshape(-1, 2 + boxes.shape[-1]),
        np.array(numbers, np.int32)[:, None],
        counts,
    )


def check_boxes_and_scores(boxes: Any, scores: Any) -> None:
    """Raise OpError if the shapes of boxes and scores do not match."""
    check_float(boxes)
    check(
        len(boxes.shape) == 3 and len(scores.shape) in (2, 3),
        "needs BBoxes [N,M,4] and Scores [N,C,M], or [M,C,4] and [M,C]",
    )
    whole = scores.shape if len(scores.shape) == 2 else (scores.shape[0], scores.shape[2])
    check(
        dims_match(boxes.shape[0], whole[0]) and dims_match(boxes.shape[1], whole[1]),
        "Scores do not fit BBoxes",
    )
    fits = any(dims_match(boxes.shape[2], size) for size in BOX_SIZES)
    check(fits, f"boxes need {' or '.join(map(str, BOX_SIZES))} numbers")


@op(
    "multiclass_nms3",
    "BBoxes, Scores, RoisNum? -> Out, Index, NmsRoisNum",
    no_grad_reason=NO_GRAD_BOXES,
    value_dependent_shape=True,
    host_reason=HOST_PYTHON_LOOP,
)
def multiclass_nms3(
    bboxes,
    scores,
    counts=None,
    *,
    score_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    nms_threshold: float = 0.3,
    normalized: bool = True,
    nms_eta: float = 1.0,
    background_label: int = 0,
):
    """Out = rows of class, score and box that NMS selects for each class.

    BBoxes [N,M,4], Scores [N,C,M] -> Out [K,6], Index int32 [K,1], NmsRoisNum [N]

    RoisNum [N]: the number of boxes per image. With it, each class has its own boxes: BBoxes are
    [M,C,4] and Scores [M,C]. Boxes with 8, 16, 24 or 32 coordinates are convex polygons.
    """
    cuts = None if counts is None else np.concatenate([[0], np.cumsum(counts)])
    check(cuts is None or cuts[-1] == len(bboxes), "RoisNum does not add up to the rows of BBoxes")
    rows, index, found = select_boxes_of_images(
        bboxes,
        scores,
        cuts,
        background_label=background_label,
        score_threshold=score_threshold,
        nms_top_k=nms_top_k,
        nms_threshold=nms_threshold,
        nms_eta=nms_eta,
        keep_top_k=keep_top_k,
        normalized=normalized,
    )
    return rows, index, np.array(found, np.int32)


@multiclass_nms3.meta
def _(bboxes, scores, counts, **_):
    check_boxes_and_scores(bboxes, scores)
    check(
        (counts is None) == (len(scores.shape) == 3),
        "Scores need two axes with RoisNum, three without",
    )
    wide, whole = bboxes.shape[2] + 2 if bboxes.shape[2] >= 0 else -1, np.dtype(np.int32)
    images = bboxes.shape[:1] if counts is None else counts.shape
    return Meta((-1, wide), bboxes.dtype), Meta((-1, 1), whole), Meta(images, whole)
