"""Boxes that overlap thinned out, with the numbers of those that are left."""

from __future__ import annotations

from typing import Any

from ....core.op import OPS
from ...layers.helper import stopped

__all__ = ["multiclass_nms2"]


def multiclass_nms2(
    bboxes: Any,
    scores: Any,
    score_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    nms_threshold: float = 0.3,
    normalized: bool = True,
    nms_eta: float = 1.0,
    background_label: int = 0,
    return_index: bool = False,
    name: str | None = None,
) -> Any:
    """As layers.multiclass_nms; nothing found is no row.

    -> class, score and box [R, 6]; return_index: their numbers int32 [R, 1], too
    """
    settings = {
        "score_threshold": float(score_threshold),
        "nms_threshold": float(nms_threshold),
        "nms_eta": float(nms_eta),
    }
    counts = {
        "nms_top_k": nms_top_k,
        "keep_top_k": keep_top_k,
        "background_label": background_label,
    }
    found = OPS["multiclass_nms2"](
        bboxes, None, scores, normalized=normalized, **settings, **counts
    )
    return (stopped(found[0]), stopped(found[1])) if return_index else stopped(found[0])
