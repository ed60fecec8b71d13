"""Metrics of binary classification, accumulated over batches."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import OpError, append_user_line
from ..core.tensor import Tensor
from ..core.type_aliases import Array
from .metrics import Metric


def _flatten_and_check_equal_size(
    name: str, preds: Tensor | Array, labels: Tensor | Array
) -> tuple[Any, Any]:
    """Return predictions and labels as flat arrays of equal length."""
    preds, labels = np.asarray(preds), np.asarray(labels).reshape(-1)
    if preds.size != labels.size:
        raise OpError(append_user_line(f"{name}: {preds.size} predictions, {labels.size} labels"))
    return preds.reshape(-1), labels


class Precision(Metric):
    """Precision of a binary classification, over batches.

    true positives / (true positives + false positives)

    A prediction >= 0.5 is positive.

    Parameters
    ----------
    name : str, default "precision"
    *args, **kwargs
        Not used.

    Examples
    --------
    >>> metric = paddle.metric.Precision()
    >>> metric.update(np.array([0.9, 0.8, 0.2]), np.array([1, 0, 1]))
    >>> metric.accumulate()
    0.5
    """

    def __init__(self, name: str = "precision", *args: Any, **kwargs: Any) -> None:
        self._name = name
        self.reset()

    def update(self, preds: Tensor | Array, labels: Tensor | Array) -> None:
        """Add the predictions and labels of a batch.

        Parameters
        ----------
        preds : Tensor or ndarray [N] or [N, 1]
            Probabilities.
        labels : Tensor or ndarray [N] or [N, 1]
            0 or 1.

        Raises
        ------
        OpError
            If the numbers of predictions and labels differ.

        Examples
        --------
        >>> metric = paddle.metric.Precision()
        >>> metric.update(np.array([[0.9], [0.8]]), np.array([[1], [1]]))
        >>> metric.accumulate()
        1.0
        """
        preds, labels = _flatten_and_check_equal_size("Precision", preds, labels)
        positive = preds >= 0.5
        self.tp += int((positive & (labels == 1)).sum())
        self.fp += int((positive & (labels != 1)).sum())

    def accumulate(self) -> float:
        """Return the precision over all batches; 0 if no prediction was positive.

        Returns
        -------
        float

        Examples
        --------
        >>> paddle.metric.Precision().accumulate()
        0.0
        """
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else 0.0

    def reset(self) -> None:
        self.tp = self.fp = 0

    def name(self) -> str:
        return self._name


class Recall(Metric):
    """Recall of a binary classification, over batches.

    true positives / (true positives + false negatives)

    A prediction > 0.5 is positive; for `Precision`, also 0.5 itself is, as in Paddle.

    Parameters
    ----------
    name : str, default "recall"
    *args, **kwargs
        Not used.

    Examples
    --------
    >>> metric = paddle.metric.Recall()
    >>> metric.update(np.array([0.9, 0.8, 0.2]), np.array([1, 0, 1]))
    >>> metric.accumulate()
    0.5
    """

    def __init__(self, name: str = "recall", *args: Any, **kwargs: Any) -> None:
        self._name = name
        self.reset()

    def update(self, preds: Tensor | Array, labels: Tensor | Array) -> None:
        """Add the predictions and labels of a batch.

        Parameters
        ----------
        preds : Tensor or ndarray [N] or [N, 1]
            Probabilities.
        labels : Tensor or ndarray [N] or [N, 1]
            0 or 1.

        Raises
        ------
        OpError
            If the numbers of predictions and labels differ.

        Examples
        --------
        >>> metric = paddle.metric.Recall()
        >>> metric.update(np.array([[0.9], [0.8]]), np.array([[1], [1]]))
        >>> metric.accumulate()
        1.0
        """
        preds, labels = _flatten_and_check_equal_size("Recall", preds, labels)
        is_predicted = preds[labels == 1] > 0.5
        self.tp += int(is_predicted.sum())
        self.fn += int((~is_predicted).sum())

    def accumulate(self) -> float:
        """Return the recall over all batches; 0 if no label was positive.

        Returns
        -------
        float

        Examples
        --------
        >>> paddle.metric.Recall().accumulate()
        0.0
        """
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else 0.0

    def reset(self) -> None:
        self.tp = self.fn = 0

    def name(self) -> str:
        return self._name


class Auc(Metric):
    """Area under the ROC curve of a binary classification, over batches.

    It is computed from histograms of num_thresholds + 1 bins of the probability.

    Parameters
    ----------
    curve : "ROC", default "ROC"
    num_thresholds : int, default 4095
    name : str, default "auc"
    *args, **kwargs
        Not used.

    Raises
    ------
    OpError
        If `curve` is not "ROC".

    Examples
    --------
    >>> auc = paddle.metric.Auc()
    >>> auc.update(np.array([[0.9, 0.1], [0.4, 0.6], [0.3, 0.7]]), np.array([0, 1, 0]))
    >>> auc.accumulate()
    0.5
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
            raise OpError(append_user_line(f"Auc: curve={curve!r} is not 'ROC'"))
        self._name, self._num_thresholds = name, num_thresholds
        self.reset()

    def update(self, preds: Tensor | Array, labels: Tensor | Array) -> None:
        """Add the predictions and labels of a batch.

        Parameters
        ----------
        preds : Tensor or ndarray [N, 2]
            Probabilities of both classes, in [0, 1]. Only those of class 1 are used.
        labels : Tensor or ndarray [N] or [N, 1]
            0 or 1.

        Raises
        ------
        OpError
            If shapes do not fit or a probability is not in [0, 1].

        Examples
        --------
        >>> auc = paddle.metric.Auc()
        >>> auc.update(np.array([[0.8, 0.2], [0.1, 0.9]]), np.array([[0], [1]]))
        >>> auc.accumulate()
        1.0
        """
        preds = np.asarray(preds)
        if preds.ndim != 2 or preds.shape[1] != 2:
            raise OpError(
                append_user_line(
                    f"Auc: preds must be probabilities [N, 2], not {list(preds.shape)}"
                )
            )
        probs, labels = _flatten_and_check_equal_size("Auc", preds[:, 1], labels)
        if probs.size and not (probs.min() >= 0 and probs.max() <= 1):
            raise OpError(append_user_line("Auc: a probability is not between 0 and 1"))
        bins = (probs.astype(np.float64) * self._num_thresholds).astype(np.int64)
        self._stat_pos += np.bincount(bins[labels != 0], minlength=self._num_thresholds + 1)
        self._stat_neg += np.bincount(bins[labels == 0], minlength=self._num_thresholds + 1)

    def accumulate(self) -> float:
        """Return the area over all batches, by the trapezoidal rule.

        Returns
        -------
        float
            0 if one of the two classes did not occur.

        Examples
        --------
        >>> paddle.metric.Auc().accumulate()
        0.0
        """
        true_positives = np.concatenate([[0], np.cumsum(self._stat_pos[::-1])])
        false_positives = np.cumsum(self._stat_neg[::-1])
        if not true_positives[-1] or not false_positives[-1]:
            return 0.0
        area = (self._stat_neg[::-1] * (true_positives[1:] + true_positives[:-1]) / 2).sum()
        return float(area / (true_positives[-1] * false_positives[-1]))

    def reset(self) -> None:
        self._stat_pos = np.zeros(self._num_thresholds + 1, np.int64)
        self._stat_neg = np.zeros(self._num_thresholds + 1, np.int64)

    def name(self) -> str:
        return self._name
