"""The base class of metrics; accuracy, as a function and accumulated over batches. `binary.py`
contains the metrics of binary classification.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.op import OPS
from ..core.tensor import Tensor
from ..tensor.manipulation import unsqueeze
from ..tensor.search import topk


def accuracy(
    input: Tensor,
    label: Tensor,
    k: int = 1,
    correct: Any = None,
    total: Any = None,
    name: str | None = None,
) -> Tensor:
    """Return the fraction of rows whose label is among the classes with the k largest scores.

    input [N, C], label int [N] or [N, 1] -> float32 []
    """
    if label.ndim == 1:
        label = unsqueeze(label, 1)
    values, indices = topk(input, k)
    return OPS["accuracy"](values, indices, label)[0]


class Metric:
    """Base of metrics. `compute` preprocesses the tensors of a batch, `update` adds a batch, and
    `accumulate` returns the metric.
    """

    def compute(self, *args: Any) -> Any:
        """Compute the arguments of `update` from the tensors of a batch; by default, return the
        tensors unchanged.
        """
        return args

    def update(self, *args: Any) -> Any:
        """Add a batch to the metric."""
        raise NotImplementedError

    def accumulate(self) -> Any:
        """Return the metric over all batches that were passed to `update`."""
        raise NotImplementedError

    def reset(self) -> None:
        """Reset the state of the metric."""
        raise NotImplementedError

    def name(self) -> Any:
        """Return the name of the metric."""
        raise NotImplementedError


class Accuracy(Metric):
    """Accuracy: the fraction of rows whose label is among the classes with the k largest scores,
    for each k in topk.
    """

    def __init__(self, topk: Sequence[int] = (1,), name: str | None = None) -> None:
        self.topk = tuple(topk)
        self._name = name or "acc"
        self.total: list[float] = []
        self.count: list[int] = []
        self.reset()

    def compute(self, pred: Tensor, label: Tensor, *args: Any) -> Tensor:
        """Return, for each of the maxk classes with the largest scores, whether the class is the
        label.

        pred [N, C], label [N], [N, 1] or one-hot [N, C] -> float32 [N, maxk]
        """
        best_classes = np.argsort(-pred.numpy(), axis=-1, kind="stable")[..., : max(self.topk)]
        labels = label.numpy()
        if labels.ndim == pred.ndim and labels.shape[-1] != 1:
            labels = labels.argmax(-1)
        return Tensor(
            (best_classes == labels.reshape(*best_classes.shape[:-1], 1)).astype(np.float32)
        )

    def update(self, correct: Any, *args: Any) -> Any:
        """Add the result of `compute` for a batch. Return the accuracy of this batch."""
        is_correct = correct.numpy() if isinstance(correct, Tensor) else np.asarray(correct)
        num_rows = int(np.prod(is_correct.shape[:-1]))
        num_correct = [float(is_correct[..., :k].sum()) for k in self.topk]
        self.total = [t + c for t, c in zip(self.total, num_correct, strict=True)]
        self.count = [n + num_rows for n in self.count]
        return _unwrap_if_single(list(np.array(num_correct) / max(num_rows, 1)))

    def accumulate(self) -> Any:
        """Return the accuracy over all batches so far: a list with one number per k in topk, or one
        number if topk has one element.
        """
        return _unwrap_if_single(
            [t / n if n else 0.0 for t, n in zip(self.total, self.count, strict=True)]
        )

    def reset(self) -> None:
        """Reset the counts of the metric to zero."""
        self.total = [0.0] * len(self.topk)
        self.count = [0] * len(self.topk)

    def name(self) -> Any:
        """Return one name per k in topk, e.g. ['acc_top1', 'acc_top5']."""
        return [self._name] if len(self.topk) == 1 else [f"{self._name}_top{k}" for k in self.topk]


def _unwrap_if_single(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values
