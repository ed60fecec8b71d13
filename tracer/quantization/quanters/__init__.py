"""Quanters: layers that simulate quantization in training."""

from .abs_max import FakeQuanterWithAbsMaxObserver

__all__ = ["FakeQuanterWithAbsMaxObserver"]
