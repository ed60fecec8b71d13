"""Multi-device optimizers, which are not supported."""

from __future__ import annotations

from ..unsupported import UnsupportedClassBase

__all__ = ["DGCMomentumOptimizer", "PipelineOptimizer"]


class DGCMomentumOptimizer(UnsupportedClassBase):
    """Momentum with compressed gradients; not supported."""

    reason = "requires several GPUs"


class PipelineOptimizer(UnsupportedClassBase):
    """Pipeline parallelism; not supported."""

    reason = "requires several devices"
