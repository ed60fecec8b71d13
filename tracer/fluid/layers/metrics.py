"""How good answers are, as parts of a program."""

from __future__ import annotations

from typing import Any

from ...core.op import OPS
from ...static.graph import metrics
from ...tensor.convert import cast
from .helper import into, one, stopped, today

__all__ = ["accuracy", "auc", "mean_iou"]


@today("paddle.static.accuracy")
def accuracy(input: Any, label: Any, k: int = 1, correct: Any = None, total: Any = None) -> Any:
    """The share of rows whose class is among the k most likely.

    input: scores [N, C], label: int [N, 1] -> float32 [1]

    correct, total: variables that get the numbers of right rows and of all.
    """
    best, places = OPS["top_k"](input, k=k)
    made = OPS["accuracy"](best, places, cast(label, "int64"))
    share, right, rows = (one(part) for part in made)
    into(right, correct)
    into(rows, total)
    return stopped(share)


@today("paddle.static.auc")
def auc(
    input: Any,
    label: Any,
    curve: str = "ROC",
    num_thresholds: int = 4095,
    topk: int = 1,
    slide_steps: int = 1,
) -> Any:
    """The area under the curve, of all batches and of the last slide_steps; and the counts that are
    kept for both.

    -> float64 [1], [1], counts
    """
    everything, window, kept = metrics.auc(input, label, curve, num_thresholds, topk, slide_steps)
    return one(everything), one(window), kept


def mean_iou(input: Any, label: Any, num_classes: int) -> Any:
    """The mean over classes of what is right over what is named or meant.

    int [*], [*] -> float32 [1], wrong, right int32 [num_classes]
    """
    flat = [OPS["reshape2"](cast(t, "int64"), shape=[-1]) for t in (input, label)]
    named, meant = (OPS["one_hot_v2"](t, depth=num_classes, dtype=5) for t in flat)
    right = OPS["reduce_sum"](OPS["elementwise_mul"](named, meant), dim=[0])
    both = OPS["reduce_sum"](OPS["elementwise_add"](named, meant), dim=[0])
    wrong = OPS["elementwise_sub"](both, OPS["scale"](right, scale=2.0))
    seen = OPS["elementwise_add"](right, wrong)
    there = cast(OPS["greater_than"](seen, OPS["fill_any_like"](seen, value=0.0)), "float32")
    share = OPS["elementwise_div"](
        right, OPS["elementwise_max"](seen, OPS["fill_any_like"](seen, value=1.0))
    )
    total, classes = (one(OPS["reduce_sum"](t, dim=[0], reduce_all=True)) for t in (share, there))
    return (
        stopped(OPS["elementwise_div"](total, classes)),
        cast(wrong, "int32"),
        cast(right, "int32"),
    )
