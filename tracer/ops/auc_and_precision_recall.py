"""Metrics accumulated over batches: auc and precision_recall."""

from __future__ import annotations

from typing import Any

from ..core.arrays import np
from ..core.op import HOST_PYTHON_LOOP, Meta, check, check_dtype, op
from .shared_op_rules import dims_match, num_elements

NO_GRAD_METRIC = "it is a metric that counts samples"


# -- auc
# ------------------------------------------------------------------------------


@op(
    "auc",
    "Predict, Label, StatPos, StatNeg, InsTagWeight? -> AUC, StatPosOut=StatPos, "
    "StatNegOut=StatNeg",
    no_grad_reason=NO_GRAD_METRIC,
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
def auc(
    predict,
    label,
    positive,
    negative,
    weight=None,
    *,
    curve: str = "ROC",
    num_thresholds: int = 8191,
    slide_steps: int = 1,
):
    """AUC = the area under the ROC curve, computed from histograms that accumulate over batches.

    Predict [N,K], Label [N,1] -> AUC float64 []

    The last column of Predict is the score; it is counted in bins = num_thresholds + 1 bins.
    StatPos, StatNeg: the histograms of positive and negative samples, int64; StatPosOut and
    StatNegOut include this batch. slide_steps = 0: [1, bins], over all batches. Otherwise
    [(slide_steps + 1) * bins + 1]: one histogram for each of the last slide_steps batches, their
    sum, and the number of batches.
    InsTagWeight: if it is 0, the batch is ignored and AUC is 0.
    """
    bins = num_thresholds + 1
    at = (predict[:, -1] * num_thresholds).astype(np.int64)
    fits = bool(np.all((at >= 0) & (at < bins)))
    check(fits, "Predict holds values outside of [0, 1]")
    seen = label.reshape(-1) != 0
    counts = [np.bincount(at[chosen], minlength=bins).astype(np.int64) for chosen in (seen, ~seen)]
    counted = weight is None or bool(weight.reshape(-1)[0])
    if not counted:
        counts = [count * 0 for count in counts]
    made = [
        _histogram_with_batch_added(old, new, slide_steps)
        for old, new in zip((positive, negative), counts, strict=True)
    ]
    area = (
        _area_under_curve(*(_extract_total_histogram(kept, bins, slide_steps) for kept in made))
        if counted
        else 0.0
    )
    return np.asarray(area, np.float64), *made


def _histogram_with_batch_added(old: Any, new: Any, slide_steps: int) -> Any:
    """Return the histogram `old` with `new`, the counts of a batch, added. For slide_steps > 0, the
    result holds the histograms of the last slide_steps batches, their sum, and the number of
    batches.
    """
    if not slide_steps:
        return (old.reshape(-1) + new).reshape(1, -1)
    made, bins = old.reshape(-1).copy(), len(new)
    at = int(made[-1]) % slide_steps * bins
    total = made[slide_steps * bins : (slide_steps + 1) * bins]
    total += new - made[at : at + bins]
    made[at : at + bins] = new
    made[-1] += 1
    return made


def _extract_total_histogram(counts: Any, bins: int, slide_steps: int) -> Any:
    return (
        counts[slide_steps * bins : (slide_steps + 1) * bins] if slide_steps else counts.reshape(-1)
    )


def _area_under_curve(positive: Any, negative: Any) -> float:
    """The area under the ROC curve by the trapezoidal rule, from the highest bin down; 0 if all
    samples have the same label.

    positive, negative: counts [bins]
    """
    true, false = np.cumsum(positive[::-1]), np.cumsum(negative[::-1])
    if not true[-1] or not false[-1]:
        return 0.0
    heights = (true + np.concatenate([[0], true[:-1]])) / 2
    widths = np.diff(false, prepend=0)
    return float((heights * widths).sum() / (float(true[-1]) * float(false[-1])))


@auc.meta
def _(predict, label, positive, negative, weight, *, curve, num_thresholds, slide_steps):
    check(len(predict.shape) == 2, "Predict needs the shape [N, K]")
    check(
        num_thresholds > 0 and slide_steps >= 0,
        f"num_thresholds={num_thresholds}, slide_steps={slide_steps} are too small",
    )
    bins = num_thresholds + 1
    wanted = (slide_steps + 1) * bins + 1 if slide_steps else bins
    for name, counts in (("StatPos", positive), ("StatNeg", negative)):
        check_dtype(counts.dtype == np.int64, f"{name} is not int64")
        check(
            dims_match(num_elements(counts.shape), wanted),
            f"{name} does not have {wanted} elements",
        )
    kept = Meta((wanted,) if slide_steps else (1, bins), np.dtype(np.int64))
    return Meta((), np.dtype(np.float64)), kept, kept


# -- precision_recall
# -----------------------------------------------------------------------------------------------

TRUE_POSITIVE, FALSE_POSITIVE, TRUE_NEGATIVE, FALSE_NEGATIVE = range(4)


@op(
    "precision_recall",
    "MaxProbs, Indices, Labels, Weights?, StatesInfo? -> BatchMetrics, AccumMetrics, "
    "AccumStatesInfo",
    no_grad_reason=NO_GRAD_METRIC,
    host_reason=HOST_PYTHON_LOOP,
    no_half_reason="it adds up counts",
    validate_before_kernel=True,
)
def precision_recall(
    probabilities, indices, labels, weights=None, states=None, *, class_number: int
):
    """Macro and micro averages of precision, recall and F1.

    MaxProbs, Indices, Labels [N,1], StatesInfo [K,4] -> BatchMetrics, AccumMetrics float64 [6],
    AccumStatesInfo [K,4]

    BatchMetrics: of this batch.
    AccumMetrics: of this batch and StatesInfo.
    StatesInfo: true positives, false positives, true negatives and false negatives of each class.
    """
    found, wanted = indices.reshape(-1), labels.reshape(-1)
    for name, classes in (("Indices", found), ("Labels", wanted)):
        fits = bool(np.all((classes >= 0) & (classes < class_number)))
        check(fits, f"{name} holds a class that is not in 0 ... {class_number - 1}")
    each = np.ones(len(found), probabilities.dtype) if weights is None else weights.reshape(-1)
    right, counts = found == wanted, np.zeros((class_number, 4), probabilities.dtype)
    np.add.at(counts[:, TRUE_POSITIVE], found[right], each[right])
    np.add.at(counts[:, FALSE_POSITIVE], found[~right], each[~right])
    np.add.at(counts[:, FALSE_NEGATIVE], wanted[~right], each[~right])
    others = [TRUE_POSITIVE, FALSE_POSITIVE, FALSE_NEGATIVE]
    counts[:, TRUE_NEGATIVE] = each.sum() - counts[:, others].sum(axis=1)
    total = counts if states is None else counts + states
    return _macro_and_micro_averages(counts), _macro_and_micro_averages(total), total


def _macro_and_micro_averages(counts: Any) -> Any:
    """The macro averages of precision, recall and F1, then the micro averages.

    counts [K,4] -> float64 [6]
    """
    wide = counts.astype(np.float64)
    macro = [
        _true_positive_fraction(wide, other).mean() for other in (FALSE_POSITIVE, FALSE_NEGATIVE)
    ]
    total = wide.sum(axis=0, keepdims=True)
    micro = [_true_positive_fraction(total, other)[0] for other in (FALSE_POSITIVE, FALSE_NEGATIVE)]
    return np.array([*macro, _f1(*macro), *micro, _f1(*micro)])


def _true_positive_fraction(counts: Any, other: int) -> Any:
    """For each class, true positives / (true positives + counts[:, other]); 1 if the divisor is
    0.
    """
    right, all_of = counts[:, TRUE_POSITIVE], counts[:, TRUE_POSITIVE] + counts[:, other]
    return np.where(all_of > 0, right / np.where(all_of > 0, all_of, 1), 1.0)


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


@precision_recall.meta
def _(probabilities, indices, labels, weights, states, *, class_number):
    check(class_number > 0, f"class_number={class_number} is not positive")
    for name, m in (("Indices", indices), ("Labels", labels)):
        check_dtype(m.dtype == np.int32, f"{name} is not int32")
        check(len(m.shape) == 2 and dims_match(m.shape[1], 1), f"{name} needs the shape [N, 1]")
        check(
            dims_match(m.shape[0], probabilities.shape[0]),
            f"{name} has another number of rows than MaxProbs",
        )
    if weights is not None:
        check(
            dims_match(weights.shape[0], probabilities.shape[0]),
            "Weights has another number of rows than MaxProbs",
        )
    if states is not None:
        fits = (
            len(states.shape) == 2
            and dims_match(states.shape[0], class_number)
            and dims_match(states.shape[1], 4)
        )
        check(fits, f"StatesInfo needs the shape [{class_number}, 4]")
    six = Meta((6,), np.dtype(np.float64))
    return six, six, Meta((class_number, 4), probabilities.dtype)
