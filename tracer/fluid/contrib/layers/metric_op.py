"""What is counted of guessed clicks, over all runs of a program: ctr_metric_bundle."""

from __future__ import annotations

from typing import Any

from ....core.errors import with_user_line
from ....core.op import OPS
from ... import layers
from ...layers.helper import one

__all__ = ["ctr_metric_bundle"]


def ctr_metric_bundle(input: Any, label: Any) -> tuple[Any, ...]:
    """Sums over all runs: squared errors, absolute errors, guesses, their sigmoids, labels, rows.

    input, label float32 [N, 1] -> [1] each
    """
    if tuple(input.shape) != tuple(label.shape):
        raise AssertionError(with_user_line("ctr_metric_bundle: input and label differ in shape"))
    apart = OPS["elementwise_sub"](input, label)
    rows = layers.fill_constant_batch_size_like(label, [-1, 1], "float32", 1.0)
    each = (OPS["square"](apart), OPS["abs"](apart), input, OPS["sigmoid"](input), label, rows)
    return tuple(_summed(value) for value in each)


def _summed(value: Any) -> Any:
    """A variable that every run adds the sum of `value` to."""
    total = layers.create_global_var([1], 0.0, "float32", persistable=True)
    total.stop_gradient = True
    return layers.sums([total, one(OPS["reduce_sum"](value, reduce_all=True))], out=total)
