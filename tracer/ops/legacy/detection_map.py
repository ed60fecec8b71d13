"""detection_map: mean average precision of a detector."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ...core.arrays import np
from ...core.op import HOST_PYTHON_LOOP, NO_GRAD_NON_FLOAT_RESULT, Meta, check, op
from ..detection_helpers import INT32, NO_HALF_BOXES
from ..lod import require_row_offsets, set_lod_rules_to_no_lod
from ..nms import box_ious
from ..shared_op_rules import check_float, dims_match

EQUAL_RECALL_TOLERANCE = 1e-6  # recalls that differ by no more are treated as equal


def _match_detections(
    found: Any, there: Any, difficult: Any, threshold: float
) -> list[tuple[float, float, float]]:
    """Match the detections of one class in one image with its ground-truth boxes. Returns score,
    true positive and false positive of each detection, sorted by score if the image has boxes of
    the class. Detections that match difficult boxes are left out.

    found [K,5]: score and box; there [G,4]; difficult bool [G]
    """
    if not len(there):
        return [(score, 0, 1) for score in found[:, 0]]
    found = found[np.argsort(-found[:, 0], kind="stable")]
    over = box_ious(np.clip(found[:, 1:], 0, 1), there)
    best, taken = np.argmax(over, axis=1), set[int]()
    made: list[tuple[float, float, float]] = []
    for score, box, share in zip(found[:, 0], best.tolist(), np.max(over, axis=1), strict=True):
        if share <= threshold:
            made.append((score, 0, 1))
        elif not difficult[box]:
            made.append((score, int(box not in taken), int(box in taken)))
            taken.add(box)
    return made


def _evaluate_image_and_count_boxes(
    found: Any, there: Any, counts: Any, evaluate_difficult: bool, threshold: float
) -> list[tuple[float, ...]]:
    """Return class, score, true positive and false positive of each detection in one image. Also
    adds the number of ground-truth boxes of each class to `counts`.
    """
    kinds, boxes = there[:, 0].astype(np.int64), there[:, -4:]
    difficult = (
        (there[:, 1] != 0) & (not evaluate_difficult)
        if there.shape[1] == 6
        else np.zeros(len(there), bool)
    )
    np.add.at(counts, kinds[~difficult], 1)
    made: list[tuple[float, ...]] = []
    for kind in np.unique(found[:, 0]):
        own, real = found[found[:, 0] == kind], kinds == kind
        made += [
            (kind, *one)
            for one in _match_detections(own[:, 1:], boxes[real], difficult[real], threshold)
        ]
    return made


def _eleven_point_average_precision(precision: Any, recall: Any) -> float:
    """The average precision in 11 points: the mean, over the recalls 0, 0.1, 0.2 up to 1, of the
    best precision at this recall or above.
    """
    reached = [precision[recall.astype(np.float64) >= j / 10] for j in range(11)]
    return sum(float(np.max(p, initial=0)) for p in reached) / 11


def _integral_average_precision(precision: Any, recall: Any) -> float:
    """The average precision as the area under the precision-recall curve."""
    gained = np.abs(np.diff(recall, prepend=0))
    return float(np.sum(precision * gained * (gained > EQUAL_RECALL_TOLERANCE)))


def _check_ap_type(kind: str) -> None:
    check(kind in ("integral", "11point"), f"ap_type={kind} is neither integral nor 11point")


def _mean_average_precision(
    counts: Any, right: Any, wrong: Any, background: int, kind: str
) -> float:
    """The mean of the average precisions of those classes that have ground-truth boxes.

    As in Paddle, classes whose number of boxes equals the background label are excluded.
    """
    shares, classes = 0.0, 0
    for label in np.flatnonzero(counts):
        own = right[:, 0] == label
        if counts[label] == background or not own.any():
            classes += int(counts[label] != background)
            continue
        order = np.argsort(-right[own, 1], kind="stable")
        hits, misses = (np.cumsum(table[own, 2][order]) for table in (right, wrong))
        measure = (
            _eleven_point_average_precision if kind == "11point" else _integral_average_precision
        )
        shares += measure(hits / (hits + misses), hits / hits.dtype.type(counts[label]))
        classes += 1
    return shares / classes if classes else 0.0


@op(
    "detection_map",
    "DetectRes, DetectRes@LOD*?!, Label, Label@LOD*?!, HasState?, PosCount?, TruePos?, "
    "FalsePos? -> AccumPosCount=PosCount,"
    " AccumTruePos=TruePos, AccumFalsePos=FalsePos, MAP",
    no_grad_reason=NO_GRAD_NON_FLOAT_RESULT,
    value_dependent_shape=True,
    no_half_reason=NO_HALF_BOXES,
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
def detection_map(
    found,
    found_lod,
    there,
    there_lod,
    has_state=None,
    counts=None,
    right=None,
    wrong=None,
    *,
    class_num: int,
    background_label: int = 0,
    overlap_threshold: float = 0.5,
    evaluate_difficult: bool = True,
    ap_type: str = "integral",
):
    """MAP = the mean average precision of a detector (Everingham et al., 2010).

    DetectRes [K,6]: class, score, box; Label [G,6] or [G,5] -> [1]

    Label: class, whether the box is difficult (optional), box. Each image is one sequence.
    HasState: if true, the results accumulate onto PosCount, TruePos and FalsePos.
    AccumPosCount int32 [class_num,1]: the number of boxes.
    AccumTruePos, AccumFalsePos [*,3]: class, score, 1 or 0.
    """
    _check_ap_type(ap_type)
    first, last = (
        require_row_offsets(found_lod, "DetectRes"),
        require_row_offsets(there_lod, "Label"),
    )
    check(len(first) == len(last), "DetectRes and Label have different numbers of images")
    known = has_state is not None and bool(has_state.reshape(-1)[0])
    total = np.zeros(class_num, np.int32) if not known else counts.reshape(-1).copy()
    made: list[tuple[float, ...]] = []
    for (a, b), (c, d) in zip(pairwise(first), pairwise(last), strict=True):
        # [[-1]] stands for no detection
        one = found[a:b] if found.shape[1] == 6 else found[:0].reshape(0, 6)
        made += _evaluate_image_and_count_boxes(
            one, there[c:d], total, evaluate_difficult, float(np.float32(overlap_threshold))
        )
    new = np.array(made, found.dtype).reshape(-1, 4)
    tables = [new[:, [0, 1, i]] for i in (2, 3)]
    if known:
        tables = [
            np.concatenate([old.astype(found.dtype), table])
            for old, table in zip((right, wrong), tables, strict=True)
        ]
    mean = _mean_average_precision(total, tables[0], tables[1], background_label, ap_type)
    return total[:, None], *tables, np.array([mean], found.dtype)


@detection_map.meta
def _(
    found, found_lod, there, there_lod, has_state, counts, right, wrong, *, class_num, ap_type, **_
):
    check_float(found)
    check(len(found.shape) == len(there.shape) == 2, "DetectRes and Label need two axes")
    check(
        dims_match(there.shape[1], 5) or dims_match(there.shape[1], 6),
        "the last axis of Label should have the size 5 or 6: the class, optionally a flag for "
        "difficult boxes, and the box",
    )
    _check_ap_type(ap_type)
    return Meta((class_num, 1), INT32), *[Meta((-1, 3), found.dtype)] * 2, Meta((1,), found.dtype)


set_lod_rules_to_no_lod(detection_map)
