"""Metrics that were part of a program: fluid.evaluator, of which fluid.metrics took the place in 1.x already."""

from __future__ import annotations

__all__: list[str] = []
