"""Metrics over batches, in plain Python: fluid.metrics."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from .average import is_number
from .deprecated import instead
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


def _arrays(**given: Any) -> None:
    for name, value in given.items():
        if not isinstance(value, np.ndarray | np.generic):
            raise ValueError(f"The '{name}' must be a numpy ndarray.")


class MetricBase:
    """Base of all metrics: its attributes without an underscore are its state."""

    def __init__(self, name: str | None) -> None:
        self._name = type(self).__name__ if name is None else str(name)

    def __str__(self) -> str:
        return self._name

    def _state(self) -> dict[str, Any]:
        return {k: v for k, v in vars(self).items() if not k.startswith("_")}

    def reset(self) -> None:
        """Begin anew."""
        for key, value in self._state().items():
            number = isinstance(value, int | float) and not isinstance(value, bool)
            zero = (
                type(value)(0)
                if number
                else np.zeros_like(value)
                if isinstance(value, np.ndarray | np.generic)
                else None
            )
            setattr(self, key, zero)

    def get_config(self) -> dict[str, Any]:
        """The name, and a copy of the state."""
        return {"name": self._name, "states": copy.deepcopy(self._state())}

    def update(self, preds: Any, labels: Any) -> None:
        """Take in a batch."""
        raise NotImplementedError("Should not use it directly, please extend it.")

    def eval(self) -> Any:
        """The metric so far."""
        raise NotImplementedError("Should not use it directly, please extend it.")


class CompositeMetric(MetricBase):
    """Several metrics of the same predictions."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self._metrics: list[MetricBase] = []

    def add_metric(self, metric: MetricBase) -> None:
        """Add one."""
        if not isinstance(metric, MetricBase):
            raise ValueError("SubMetric should be inherit from MetricBase.")
        self._metrics.append(metric)

    def update(self, preds: Any, labels: Any) -> None:
        """Add a batch."""
        for metric in self._metrics:
            metric.update(preds, labels)

    def eval(self) -> list[Any]:
        """That of each."""
        return [metric.eval() for metric in self._metrics]


class _OfOnes(MetricBase):
    """Counts what is predicted and labelled 1.   preds [N, *] probabilities, labels [N, *]"""

    def _counted(self, preds: Any, labels: Any) -> tuple[int, int, int]:
        """How many are 1 in both, in preds, in labels."""
        _arrays(preds=preds, labels=labels)
        said, true = (
            np.rint(preds).astype(np.int32).reshape(-1) == 1,
            np.asarray(labels).reshape(-1) == 1,
        )
        return int((said & true).sum()), int(said.sum()), int(true.sum())


@instead("fluid.metrics.Precision", "paddle.metric.Precision")
class Precision(_OfOnes):
    """How many of what is predicted 1 are so."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.tp = self.fp = 0

    def update(self, preds: Any, labels: Any) -> None:
        """Add a batch."""
        both, said, _ = self._counted(preds, labels)
        self.tp, self.fp = self.tp + both, self.fp + said - both

    def eval(self) -> float:
        """Return the metric of all batches so far."""
        found = self.tp + self.fp
        return float(self.tp) / found if found else 0.0


@instead("fluid.metrics.Recall", "paddle.metric.Recall")
class Recall(_OfOnes):
    """How many of what is labelled 1 are predicted so."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.tp = self.fn = 0

    def update(self, preds: Any, labels: Any) -> None:
        """Add a batch."""
        both, _, true = self._counted(preds, labels)
        self.tp, self.fn = self.tp + both, self.fn + true - both

    def eval(self) -> float:
        """Return the metric of all batches so far."""
        found = self.tp + self.fn
        return float(self.tp) / found if found else 0.0


@instead("fluid.metrics.Accuracy", "paddle.metric.Accuracy")
class Accuracy(MetricBase):
    """The mean of accuracies of batches, weighted by their sizes."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.value: Any = 0.0
        self.weight: Any = 0.0

    def update(self, value: Any, weight: Any) -> None:
        """Take in the accuracy of a batch and its size."""
        if not is_number(value) and not isinstance(value, np.ndarray | np.generic):
            raise ValueError("The 'value' must be a number(int, float) or a numpy ndarray.")
        if not is_number(weight):
            raise ValueError("The 'weight' must be a number(int, float).")
        if weight < 0:
            raise ValueError("The 'weight' can not be negative")
        self.value, self.weight = self.value + value * weight, self.weight + weight

    def eval(self) -> Any:
        """See MetricBase.eval.   Raises ValueError without batches."""
        if self.weight == 0:
            raise ValueError(
                "There is no data in Accuracy Metrics. Please check layers.accuracy "
                "output has added to Accuracy."
            )
        return self.value / self.weight


class ChunkEvaluator(MetricBase):
    """Precision, recall and F1 of chunks, of the counts that layers.chunk_eval gives."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.num_infer_chunks: Any = 0
        self.num_label_chunks: Any = 0
        self.num_correct_chunks: Any = 0

    def update(self, num_infer_chunks: Any, num_label_chunks: Any, num_correct_chunks: Any) -> None:  # type: ignore[override]
        """Take in the counts of a batch."""
        given = (num_infer_chunks, num_label_chunks, num_correct_chunks)
        for name, value in zip(
            ("num_infer_chunks", "num_label_chunks", "num_correct_chunks"), given, strict=True
        ):
            if not is_number(value) and not isinstance(value, np.ndarray):
                raise ValueError(f"The '{name}' must be a number(int) or a numpy ndarray.")
            setattr(self, name, getattr(self, name) + value)

    def eval(self) -> tuple[Any, Any, Any]:
        """Precision, recall and F1; arrays [1] where the counts were."""
        right = float(np.asarray(self.num_correct_chunks).item())
        precision = right / self.num_infer_chunks if self.num_infer_chunks else 0
        recall = right / self.num_label_chunks if self.num_label_chunks else 0
        return precision, recall, 2 * precision * recall / (precision + recall) if right else 0


class EditDistance(MetricBase):
    """The mean edit distance, and the part of sequences that are not right."""

    def __init__(self, name: str | None) -> None:
        super().__init__(name)
        self.total_distance: Any = 0.0
        self.seq_num: Any = 0
        self.instance_error: Any = 0

    def update(self, distances: Any, seq_num: Any) -> None:
        """Take in the distances [N, 1] of a batch and the number of its sequences."""
        _arrays(distances=distances)
        if not is_number(seq_num):
            raise ValueError("The 'seq_num' must be a number(int, float).")
        self.seq_num = self.seq_num + seq_num
        self.instance_error = self.instance_error + seq_num - np.sum(distances == 0)
        self.total_distance = self.total_distance + np.sum(distances)

    def eval(self) -> tuple[Any, Any]:
        """The mean distance, and the part of sequences that are not right."""
        if self.seq_num == 0:
            raise ValueError(
                "There is no data in EditDistance Metric. Please check "
                "layers.edit_distance output has been added to EditDistance."
            )
        return self.total_distance / self.seq_num, self.instance_error / float(
            np.asarray(self.seq_num).item()
        )


@instead("fluid.metrics.Auc", "paddle.metric.Auc")
class Auc(MetricBase):
    """The area under the curve of true positives over false ones, from counts in num_thresholds + 1
    bins.
    """

    def __init__(self, name: str | None, curve: str = "ROC", num_thresholds: int = 4095) -> None:
        super().__init__(name)
        self._curve, self._num_thresholds = curve, num_thresholds
        self._counts = np.zeros([2, num_thresholds + 1])  # of labels 0 and 1

    def update(self, preds: Any, labels: Any) -> None:
        """Take in a batch.   preds [N, 2] probabilities, labels [N] or [N, 1]"""
        _arrays(labels=labels, predictions=preds)
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
