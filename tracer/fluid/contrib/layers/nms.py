"""Multiclass NMS that also returns indices: multiclass_nms2."""

from __future__ import annotations

from typing import Any

from ....core.op import OPS
from ...layers.layer_utils import set_stop_gradient

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
    """Multiclass NMS like `layers.multiclass_nms`, but with no output row if no box is selected.

    Returns class, score and box [R, 6]; with return_index also the indices int32 [R, 1].

    The newer name is `paddle.vision.ops.nms`.
    """
    thresholds = {
        "score_threshold": float(score_threshold),
        "nms_threshold": float(nms_threshold),
        "nms_eta": float(nms_eta),
    }
    counts = {
        "nms_top_k": nms_top_k,
        "keep_top_k": keep_top_k,
        "background_label": background_label,
    }
    boxes, indices, *_ = OPS["multiclass_nms2"](
        bboxes, None, scores, normalized=normalized, **thresholds, **counts
    )
    if return_index:
        return set_stop_gradient(boxes), set_stop_gradient(indices)
    return set_stop_gradient(boxes)
