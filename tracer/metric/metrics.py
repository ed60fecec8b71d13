"""Accuracy, in one go and summed up over batches."""

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
    """The share of rows whose label is among the k largest.

    input [N, C], label int [N] or [N, 1] -> float32 []
    """
    if label.ndim == 1:
        label = unsqueeze(label, 1)
    values, indices = topk(input, k)
    return OPS["accuracy"](values, indices, label)[0]


class Metric:
    """Base of metrics that sum up over batches: compute on tensors, update with arrays, accumulate
    to a number.
    """

    def compute(self, *args: Any) -> Any:
        """What `update` needs, from the tensors of a batch."""
        return args

    def update(self, *args: Any) -> Any:
        """Take in one batch."""
        raise NotImplementedError

    def accumulate(self) -> Any:
        """The metric over all batches so far."""
        raise NotImplementedError

    def reset(self) -> None:
        """Start anew."""
        raise NotImplementedError

    def name(self) -> Any:
        """What it is called."""
        raise NotImplementedError


class Accuracy(Metric):
    """The share of rows whose label is among the k largest, for each k of topk."""

    def __init__(self, topk: Sequence[int] = (1,), name: str | None = None) -> None:
        self.topk = tuple(topk)
        self._name = name or "acc"
        self.total: list[float] = []
        self.count: list[int] = []
        self.reset()

    def compute(self, pred: Tensor, label: Tensor, *args: Any) -> Tensor:
        """Whether each of the maxk guesses is right.

        pred [N, C], label [N], [N, 1] or one-hot [N, C] -> float32 [N, maxk]
        """
        guesses = np.argsort(-pred.numpy(), axis=-1, kind="stable")[..., : max(self.topk)]
        truth = label.numpy()
        if truth.ndim == pred.ndim and truth.shape[-1] != 1:
            truth = truth.argmax(-1)
        return Tensor((guesses == truth.reshape(*guesses.shape[:-1], 1)).astype(np.float32))

    def update(self, correct: Any, *args: Any) -> Any:
        """Take in what compute gave; gives the accuracy of this batch."""
        hits = correct.numpy() if isinstance(correct, Tensor) else np.asarray(correct)
        rows = int(np.prod(hits.shape[:-1]))
        counted = [float(hits[..., :k].sum()) for k in self.topk]
        self.total = [t + c for t, c in zip(self.total, counted, strict=True)]
        self.count = [n + rows for n in self.count]
        return _one(list(np.array(counted) / max(rows, 1)))

    def accumulate(self) -> Any:
        """The accuracy so far, one number per k (a number alone for one k)."""
        return _one([t / n if n else 0.0 for t, n in zip(self.total, self.count, strict=True)])

    def reset(self) -> None:
        """Start anew."""
        self.total = [0.0] * len(self.topk)
        self.count = [0] * len(self.topk)

    def name(self) -> Any:
        """One name per k, e.g. ['acc_top1', 'acc_top5']."""
        return [self._name] if len(self.topk) == 1 else [f"{self._name}_top{k}" for k in self.topk]


def _one(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values
