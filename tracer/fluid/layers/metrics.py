"""Metrics as ops of a program."""

from __future__ import annotations

from typing import Any

from ...core.op import OPS
from ...static.graph import metrics
from ...tensor.convert import cast
from .layer_utils import assign_to, deprecated_layer, ensure_at_least_1d, set_stop_gradient

__all__ = ["accuracy", "auc", "mean_iou"]


@deprecated_layer("paddle.static.accuracy")
def accuracy(input: Any, label: Any, k: int = 1, correct: Any = None, total: Any = None) -> Any:
    """Return the fraction of rows whose label is among the k largest scores, float32 [1].

    input: scores [N, C]
    label: int [N, 1]
    correct, total: variables that are set to the numbers of correct rows and of all rows
    """
    values, indices = OPS["top_k"](input, k=k)
    outputs = OPS["accuracy"](values, indices, cast(label, "int64"))
    fraction, num_correct, num_total = (ensure_at_least_1d(output) for output in outputs)
    assign_to(num_correct, correct)
    assign_to(num_total, total)
    return set_stop_gradient(fraction)


@deprecated_layer("paddle.static.auc")
def auc(
    input: Any,
    label: Any,
    curve: str = "ROC",
    num_thresholds: int = 4095,
    topk: int = 1,
    slide_steps: int = 1,
) -> Any:
    """Area under the curve over all batches and over the last slide_steps batches, float64 [1]
    each, and the persistable histograms.
    """
    overall, window, histograms = metrics.auc(
        input, label, curve, num_thresholds, topk, slide_steps
    )
    return ensure_at_least_1d(overall), ensure_at_least_1d(window), histograms


def mean_iou(input: Any, label: Any, num_classes: int) -> Any:
    """Mean over classes of intersection over union.

    input, label: int [*]

    Returns the mean float32 [1], and the numbers of wrong and correct elements int32 [num_classes].

    The newer name is `paddle.metric.Metric`.
    """
    flat = [OPS["reshape2"](cast(t, "int64"), shape=[-1]) for t in (input, label)]
    predicted, expected = (OPS["one_hot_v2"](t, depth=num_classes, dtype=5) for t in flat)
    correct = OPS["reduce_sum"](OPS["elementwise_mul"](predicted, expected), dim=[0])
    total = OPS["reduce_sum"](OPS["elementwise_add"](predicted, expected), dim=[0])
    wrong = OPS["elementwise_sub"](total, OPS["scale"](correct, scale=2.0))
    union = OPS["elementwise_add"](correct, wrong)
    occurs = cast(OPS["greater_than"](union, OPS["fill_any_like"](union, value=0.0)), "float32")
    iou = OPS["elementwise_div"](
        correct, OPS["elementwise_max"](union, OPS["fill_any_like"](union, value=1.0))
    )
    iou_sum, class_count = (
        ensure_at_least_1d(OPS["reduce_sum"](t, dim=[0], reduce_all=True)) for t in (iou, occurs)
    )
    return (
        set_stop_gradient(OPS["elementwise_div"](iou_sum, class_count)),
        cast(wrong, "int32"),
        cast(correct, "int32"),
    )
