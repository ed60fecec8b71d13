"""Metrics of click-through-rate models over all runs of a program: ctr_metric_bundle."""

from __future__ import annotations

from typing import Any

from ....core.errors import append_user_line
from ....core.op import OPS
from ... import layers
from ...layers.layer_utils import ensure_at_least_1d

__all__ = ["ctr_metric_bundle"]


def ctr_metric_bundle(input: Any, label: Any) -> tuple[Any, ...]:
    """Return variables with six sums over all runs of the program: squared errors, absolute errors,
    predictions, sigmoids of predictions, labels, and numbers of rows.

    input, label: float32 [N, 1].
    Returns six variables [1].
    """
    if tuple(input.shape) != tuple(label.shape):
        raise AssertionError(append_user_line("ctr_metric_bundle: input and label differ in shape"))
    error = OPS["elementwise_sub"](input, label)
    rows = layers.fill_constant_batch_size_like(label, [-1, 1], "float32", 1.0)
    values = (OPS["square"](error), OPS["abs"](error), input, OPS["sigmoid"](input), label, rows)
    return tuple(_sum_over_runs(value) for value in values)


def _sum_over_runs(value: Any) -> Any:
    """Declare a persistable variable to which each run of the program adds the sum of `value`, and
    return it.
    """
    total = layers.create_global_var([1], 0.0, "float32", persistable=True)
    total.stop_gradient = True
    return layers.sums(
        [total, ensure_at_least_1d(OPS["reduce_sum"](value, reduce_all=True))], out=total
    )
