"""Metrics."""

from .binary import Auc, Precision, Recall
from .metrics import Accuracy, Metric, accuracy

__all__ = ["Accuracy", "Auc", "Metric", "Precision", "Recall", "accuracy"]
