"""Metrics over batches in Python: `fluid.metrics`."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from .average import is_number_or_one_element_array
from .deprecated import warn_deprecated_on_first_use
from .detection_metric import DetectionMAP

__all__ = [
    "Accuracy",
    "Auc",
    "ChunkEvaluator",
    "CompositeMetric",
    "DetectionMAP",
    "EditDistance",
    "MetricBase",
    "Precision",
    "Recall",
]


def _check_are_arrays(**values: Any) -> None:
    for name, value in values.items():
        if not isinstance(value, np.ndarray | np.generic):
            raise ValueError(f"The '{name}' must be a numpy ndarray.")


class MetricBase:
    """Base class of metrics. The state of a metric is the attributes whose names do not start with
    an underscore.

    The newer name is `paddle.metric.Metric`.
    """

    def __init__(self, name: str | None) -> None:
        self._name = type(self).__name__ if name is None else str(name)

    def __str__(self) -> str:
        return self._name

    def _public_attributes(self) -> dict[str, Any]:
        return {k: v for k, v in vars(self).items() if not k.startswith("_")}

    def reset(self) -> None:
        """Reset the state to zeros."""
        for key, value in self._public_attributes().items():
            zero: Any = None
            if isinstance(value, int | float) and not isinstance(value, bool):
                zero = type(value)(0)
            elif isinstance(value, np.ndarray | np.generic):
                zero = np.zeros_like(value)
            setattr(self, key, zero)

    def get_config(self) -> dict[str, Any]:
        """Return the name, and a copy of the state."""
        return {"name": self._name, "states": copy.deepcopy(self._public_attributes())}

    def update(self, preds: Any, labels: Any) -> None:
        """Add a batch."""
        raise NotImplementedError("Should not use it directly, please extend it.")

    def eval(self) -> Any:
        """Return the metric of all batches so far."""
        raise NotImplementedError("Should not use it directly, please extend it.")


class CompositeMetric(MetricBase):
    """A metric that updates several metrics with the same predictions and labels.

    Paddle 2 has a list of metrics of paddle.Model.prepare instead.
    """

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self._metrics: list[MetricBase] = []

    def add_metric(self, metric: MetricBase) -> None:
        """Add a metric."""
        if not isinstance(metric, MetricBase):
            raise ValueError("SubMetric should be inherit from MetricBase.")
        self._metrics.append(metric)

    def update(self, preds: Any, labels: Any) -> None:
        """Add a batch."""
        for metric in self._metrics:
            metric.update(preds, labels)

    def eval(self) -> list[Any]:
        """Return the values of all metrics."""
        return [metric.eval() for metric in self._metrics]


class _BinaryMetric(MetricBase):
    """Base class of metrics of binary classification. preds: probabilities [N, *]; labels: [N,
    *]
    """

    def _count_true_predicted_and_actual_positives(
        self, preds: Any, labels: Any
    ) -> tuple[int, int, int]:
        """Return three numbers: of true positives, of positives in preds, and of positives in
        labels.
        """
        _check_are_arrays(preds=preds, labels=labels)
        predicted = np.rint(preds).astype(np.int32).reshape(-1) == 1
        actual = np.asarray(labels).reshape(-1) == 1
        return int((predicted & actual).sum()), int(predicted.sum()), int(actual.sum())


@warn_deprecated_on_first_use("fluid.metrics.Precision", "paddle.metric.Precision")
class Precision(_BinaryMetric):
    """Fraction of predicted positives that are correct."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.tp = self.fp = 0

    def update(self, preds: Any, labels: Any) -> None:
        """Add a batch."""
        correct, predicted, _ = self._count_true_predicted_and_actual_positives(preds, labels)
        self.tp, self.fp = self.tp + correct, self.fp + predicted - correct

    def eval(self) -> float:
        """Return the metric of all batches so far."""
        num_predicted = self.tp + self.fp
        return float(self.tp) / num_predicted if num_predicted else 0.0


@warn_deprecated_on_first_use("fluid.metrics.Recall", "paddle.metric.Recall")
class Recall(_BinaryMetric):
    """Fraction of positive labels that are predicted."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.tp = self.fn = 0

    def update(self, preds: Any, labels: Any) -> None:
        """Add a batch."""
        correct, _, actual = self._count_true_predicted_and_actual_positives(preds, labels)
        self.tp, self.fn = self.tp + correct, self.fn + actual - correct

    def eval(self) -> float:
        """Return the metric of all batches so far."""
        num_actual = self.tp + self.fn
        return float(self.tp) / num_actual if num_actual else 0.0


@warn_deprecated_on_first_use("fluid.metrics.Accuracy", "paddle.metric.Accuracy")
class Accuracy(MetricBase):
    """Mean accuracy of batches, weighted by their sizes."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.value: Any = 0.0
        self.weight: Any = 0.0

    def update(self, value: Any, weight: Any) -> None:
        """Add the accuracy of a batch, and its size."""
        if not is_number_or_one_element_array(value) and not isinstance(
            value, np.ndarray | np.generic
        ):
            raise ValueError("The 'value' must be a number(int, float) or a numpy ndarray.")
        if not is_number_or_one_element_array(weight):
            raise ValueError("The 'weight' must be a number(int, float).")
        if weight < 0:
            raise ValueError("The 'weight' can not be negative")
        self.value, self.weight = self.value + value * weight, self.weight + weight

    def eval(self) -> Any:
        """Return the mean accuracy. Raises ValueError without batches."""
        if self.weight == 0:
            raise ValueError(
                "There is no data in Accuracy Metrics. Please check layers.accuracy "
                "output has added to Accuracy."
            )
        return self.value / self.weight


class ChunkEvaluator(MetricBase):
    """Precision, recall and F1 of chunks, from the counts that `layers.chunk_eval` returns."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.num_infer_chunks: Any = 0
        self.num_label_chunks: Any = 0
        self.num_correct_chunks: Any = 0

    def update(self, num_infer_chunks: Any, num_label_chunks: Any, num_correct_chunks: Any) -> None:  # type: ignore[override]
        """Add the numbers of inferred, labeled and correct chunks of a batch."""
        names = ("num_infer_chunks", "num_label_chunks", "num_correct_chunks")
        counts = (num_infer_chunks, num_label_chunks, num_correct_chunks)
        for name, value in zip(names, counts, strict=True):
            if not is_number_or_one_element_array(value) and not isinstance(value, np.ndarray):
                raise ValueError(f"The '{name}' must be a number(int) or a numpy ndarray.")
            setattr(self, name, getattr(self, name) + value)

    def eval(self) -> tuple[Any, Any, Any]:
        """Return precision, recall and F1; arrays [1] if the counts are arrays."""
        correct = float(np.asarray(self.num_correct_chunks).item())
        precision = correct / self.num_infer_chunks if self.num_infer_chunks else 0
        recall = correct / self.num_label_chunks if self.num_label_chunks else 0
        return precision, recall, 2 * precision * recall / (precision + recall) if correct else 0


class EditDistance(MetricBase):
    """Mean edit distance, and the fraction of sequences with errors."""

    def __init__(self, name: str | None) -> None:
        super().__init__(name)
        self.total_distance: Any = 0.0
        self.seq_num: Any = 0
        self.instance_error: Any = 0

    def update(self, distances: Any, seq_num: Any) -> None:
        """Add the distances [N, 1] of a batch, and the number of its sequences."""
        _check_are_arrays(distances=distances)
        if not is_number_or_one_element_array(seq_num):
            raise ValueError("The 'seq_num' must be a number(int, float).")
        self.seq_num = self.seq_num + seq_num
        self.instance_error = self.instance_error + seq_num - np.sum(distances == 0)
        self.total_distance = self.total_distance + np.sum(distances)

    def eval(self) -> tuple[Any, Any]:
        """Return the mean distance, and the fraction of sequences with errors."""
        if self.seq_num == 0:
            raise ValueError(
                "There is no data in EditDistance Metric. Please check "
                "layers.edit_distance output has been added to EditDistance."
            )
        return self.total_distance / self.seq_num, self.instance_error / float(
            np.asarray(self.seq_num).item()
        )


@warn_deprecated_on_first_use("fluid.metrics.Auc", "paddle.metric.Auc")
class Auc(MetricBase):
    """Area under the ROC curve, from histograms with num_thresholds + 1 bins."""

    def __init__(self, name: str | None, curve: str = "ROC", num_thresholds: int = 4095) -> None:
        super().__init__(name)
        self._curve, self._num_thresholds = curve, num_thresholds
        self._counts = np.zeros([2, num_thresholds + 1])  # rows: labels 0 and 1

    def update(self, preds: Any, labels: Any) -> None:
        """Add a batch. preds: probabilities [N, 2]; labels: [N] or [N, 1]"""
        _check_are_arrays(labels=labels, predictions=preds)
        bins = (preds[:, 1] * self._num_thresholds).astype(np.int64)
        np.add.at(self._counts, ((np.asarray(labels).reshape(-1) != 0).astype(np.int64), bins), 1.0)

    def eval(self) -> float:
        """Return the metric of all batches so far."""
        negative, positive = np.cumsum(self._counts[:, ::-1], axis=1)
        if not positive[-1] or not negative[-1]:
            return 0.0
        heights = positive + np.concatenate([[0.0], positive[:-1]])
        area = np.sum(np.diff(negative, prepend=0.0) * heights) / 2.0
        return float(area / positive[-1] / negative[-1])
