"""Optimizers for many devices: their names, and why they are not there."""

from __future__ import annotations

from ..refused import Refused

__all__ = ["DGCMomentumOptimizer", "PipelineOptimizer"]


class DGCMomentumOptimizer(Refused):
    """Momentum whose gradients are sent thinned out."""

    absent = "for gradients sent between GPUs, of which there is none"


class PipelineOptimizer(Refused):
    """Of programs that are cut into stages."""

    absent = "for pipelines over several devices, of which there is one"
