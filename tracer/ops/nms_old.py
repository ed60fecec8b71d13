"""What detectors of Paddle 1.x find, picture by picture: rows of class, score and box, as sequences.   [[-1]] stands for nothing found."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..core.op import Meta, check, op
from .boxes import NO_GRAD
from .lod import offsets_from
from .matching import INT32, INT64, NO_HALF, pictures_of
from .meta import agree, check_float
from .nms import thinned

Found = list[tuple[int, Any, int]]  # class, score, box


def _order(scores: Any, least: float, count: int) -> Any:
    """The places of scores above the least, the best first, `count` at most unless that is negative."""
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > np.float32(least)]
    return order[:count] if count > -1 else order


def best_of(found: Found, count: int) -> Found:
    """The best of all classes, class by class; all unless there are more."""
    if not -1 < count < len(found):
        return found
    return sorted(sorted(found, key=lambda f: -f[1])[:count], key=lambda f: f[0])


def _each_picture(boxes: Any, scores: Any, lod: Any) -> list[tuple[Any, Any, int]]:
    """Boxes of each class [C,M,*], their scores [C,M], and the number of the first box."""
    if scores.ndim == 3:
        shape = scores.shape[1], *boxes.shape[1:]
        return [(np.broadcast_to(b, shape), s, n * boxes.shape[1]) for n, (b, s) in enumerate(zip(boxes, scores, strict=True))]
    cuts = pictures_of(lod, len(boxes))
    return [(boxes[a:b].transpose(1, 0, 2), scores[a:b].T, int(a)) for a, b in pairwise(cuts)]


def _detected(boxes, scores, lod, background_label, score_threshold, nms_top_k, nms_threshold, nms_eta, keep_top_k, normalized):
    """Rows class, score, box; the number of each box; how many of each picture."""
    rows, numbers, counts = [], [], []
    for own, score, first in _each_picture(boxes, scores, lod):
        one: Found = []
        for c in (c for c in range(len(score)) if c != background_label):
            order = _order(score[c], score_threshold, nms_top_k)
            kept = thinned(own[c, order], float(np.float32(nms_threshold)), 0.0 if normalized else 1.0, nms_eta) if len(order) else []
            one += [(c, score[c, k], int(k)) for k in order[kept]] if kept else []
        one = best_of(one, keep_top_k)
        one = sorted(one, key=lambda f: (f[0], f[2])) if scores.ndim == 2 else one  # Paddle's order there is that of the boxes
        rows += [[c, s, *own[c, k]] for c, s, k in one]
        by_class = len(score) if scores.ndim == 2 else 1
        numbers += [(first + k) * by_class + (c if scores.ndim == 2 else 0) for c, _, k in one]
        counts.append(len(one))
    return np.array(rows, boxes.dtype).reshape(-1, 2 + boxes.shape[-1]), np.array(numbers, np.int32)[:, None], counts


def or_nothing(rows: Any, counts: list[int]) -> tuple[Any, Any]:
    """What is found and where that of each picture begins; [[-1]] for nothing at all."""
    return (rows, offsets_from(counts)) if len(rows) else (np.full((1, 1), -1, rows.dtype), np.array([0, 1], np.int64))


def check_boxes(boxes: Meta, scores: Meta) -> None:
    """Raise OpError unless boxes and scores fit each other."""
    check_float(boxes)
    check(len(boxes.shape) == 3 and len(scores.shape) in (2, 3), "needs BBoxes [N,M,4] and Scores [N,C,M], or [M,C,4] and [M,C]")
    whole = scores.shape if len(scores.shape) == 2 else (scores.shape[0], scores.shape[2])
    check(agree(boxes.shape[0], whole[0]) and agree(boxes.shape[1], whole[1]), "Scores do not fit BBoxes")


@op("multiclass_nms", "BBoxes, BBoxes@LOD*?!, Scores -> Out, Out@LOD~?", no_grad=NO_GRAD, by_value=True, no_half=NO_HALF)
def multiclass_nms(
    boxes, lod, scores, *, background_label: int = 0, score_threshold: float, nms_top_k: int, nms_threshold: float = 0.3,
    nms_eta: float = 1.0, keep_top_k: int, normalized: bool = True,
):  # fmt: skip
    """Out = class, score and box of what is left of each class.   BBoxes [N,M,4], Scores [N,C,M]; or [M,C,4], [M,C] -> Out [K,6]"""
    rows, _, counts = _detected(
        boxes, scores, lod, background_label, score_threshold, nms_top_k, nms_threshold, nms_eta, keep_top_k, normalized
    )
    return or_nothing(rows, counts)


@multiclass_nms.meta
def _(boxes, lod, scores, **_):
    check_boxes(boxes, scores)
    return Meta((-1, -1), boxes.dtype), Meta((-1,), INT64)


@op("multiclass_nms2", "BBoxes, BBoxes@LOD*?!, Scores -> Out, Index~, Out@LOD~?, Index@LOD~?", no_grad=NO_GRAD, by_value=True, no_half=NO_HALF)
def multiclass_nms2(
    boxes, lod, scores, *, background_label: int = 0, score_threshold: float, nms_top_k: int, nms_threshold: float = 0.3,
    nms_eta: float = 1.0, keep_top_k: int, normalized: bool = True,
):  # fmt: skip
    """Out as of multiclass_nms, Index = the number of each box in the batch; nothing found is no row.   -> Out [K,6], Index int32 [K,1]"""
    rows, numbers, counts = _detected(
        boxes, scores, lod, background_label, score_threshold, nms_top_k, nms_threshold, nms_eta, keep_top_k, normalized
    )
    offsets = offsets_from(counts)
    return rows, numbers, offsets, offsets


@multiclass_nms2.meta
def _(boxes, lod, scores, **_):
    check_boxes(boxes, scores)
    wide = boxes.shape[2] + 2 if boxes.shape[2] >= 0 else -1
    return Meta((-1, wide), boxes.dtype), Meta((-1, 1), INT32), Meta((-1,), INT64), Meta((-1,), INT64)
