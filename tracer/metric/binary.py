"""Metrics of two classes, summed up over batches."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import OpError
from .metrics import Metric


def _pair(name: str, preds: Any, labels: Any) -> tuple[Any, Any]:
    """Predictions and labels as flat arrays of one length."""
    preds, labels = np.asarray(preds), np.asarray(labels).reshape(-1)
    if preds.size != labels.size:
        raise OpError(f"{name}: {preds.size} predictions, {labels.size} labels")
    return preds.reshape(-1), labels


class Precision(Metric):
    """The share of true positives among what is taken for positive, from 0.5 on."""

    def __init__(self, name: str = "precision", *args: Any, **kwargs: Any) -> None:
        self._name = name
        self.reset()

    def update(self, preds: Any, labels: Any) -> None:
        """Take in one batch.

        preds: chances [N] or [N, 1]; labels: 0 or 1, likewise
        """
        preds, labels = _pair("Precision", preds, labels)
        positive = preds >= 0.5
        self.tp += int((positive & (labels == 1)).sum())
        self.fp += int((positive & (labels != 1)).sum())

    def accumulate(self) -> float:
        """The precision so far, 0 where nothing was taken for positive."""
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else 0.0

    def reset(self) -> None:
        """Start anew."""
        self.tp = self.fp = 0

    def name(self) -> str:
        """What it is called."""
        return self._name


class Recall(Metric):
    """The share of what is taken for positive, above 0.5, among the positives.

    Paddle's Precision includes 0.5, its Recall does not.
    """

    def __init__(self, name: str = "recall", *args: Any, **kwargs: Any) -> None:
        self._name = name
        self.reset()

    def update(self, preds: Any, labels: Any) -> None:
        """Take in one batch.

        preds: chances [N] or [N, 1]; labels: 0 or 1, likewise
        """
        preds, labels = _pair("Recall", preds, labels)
        found = preds[labels == 1] > 0.5
        self.tp += int(found.sum())
        self.fn += int((~found).sum())

    def accumulate(self) -> float:
        """The recall so far, 0 where there was no positive."""
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else 0.0

    def reset(self) -> None:
        """Start anew."""
        self.tp = self.fn = 0

    def name(self) -> str:
        """What it is called."""
        return self._name


class Auc(Metric):
    """The area under the receiver's operating characteristic, from counts in num_thresholds + 1
    steps of the chance.
    """

    def __init__(
        self,
        curve: str = "ROC",
        num_thresholds: int = 4095,
        name: str = "auc",
        *args: Any,
        **kwargs: Any,
    ) -> None:
        if curve != "ROC":
            raise OpError(f"Auc: curve={curve!r} is not 'ROC'")
        self._name, self._num_thresholds = name, num_thresholds
        self.reset()

    def update(self, preds: Any, labels: Any) -> None:
        """Take in one batch.

        preds: chances of both classes [N, 2]; labels: 0 or 1, [N] or [N, 1]
        """
        preds = np.asarray(preds)
        if preds.ndim != 2 or preds.shape[1] != 2:
            raise OpError(
                f"Auc: predictions are the chances of two classes, not {list(preds.shape)}"
            )
        chances, labels = _pair("Auc", preds[:, 1], labels)
        if chances.size and not (chances.min() >= 0 and chances.max() <= 1):
            raise OpError("Auc: a chance is not between 0 and 1")
        step = (chances.astype(np.float64) * self._num_thresholds).astype(np.int64)
        self._stat_pos += np.bincount(step[labels != 0], minlength=self._num_thresholds + 1)
        self._stat_neg += np.bincount(step[labels == 0], minlength=self._num_thresholds + 1)

    def accumulate(self) -> float:
        """The area so far, 0 where one class is missing: trapezoids over the false positives, from
        the highest chance down.
        """
        right = np.concatenate([[0], np.cumsum(self._stat_pos[::-1])])
        wrong = np.cumsum(self._stat_neg[::-1])
        if not right[-1] or not wrong[-1]:
            return 0.0
        area = (self._stat_neg[::-1] * (right[1:] + right[:-1]) / 2).sum()
        return float(area / (right[-1] * wrong[-1]))

    def reset(self) -> None:
        """Start anew."""
        self._stat_pos = np.zeros(self._num_thresholds + 1, np.int64)
        self._stat_neg = np.zeros(self._num_thresholds + 1, np.int64)

    def name(self) -> str:
        """What it is called."""
        return self._name
