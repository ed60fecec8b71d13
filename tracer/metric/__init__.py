"""Metrics."""

from .metrics import Accuracy, Metric, accuracy

__all__ = ["Accuracy", "Metric", "accuracy"]
