"""Metrics that were part of a program: fluid.evaluator, of which fluid.metrics took the place in 1.x already."""

from __future__ import annotations

from .deprecated import instead
from .detection_metric import DetectionMAP as _DetectionMAP

__all__ = ["DetectionMAP"]


@instead("fluid.evaluator.DetectionMAP", "fluid.metrics.DetectionMAP")
class DetectionMAP(_DetectionMAP):
    """As fluid.metrics.DetectionMAP."""
