"""Multi-device optimizers, which are not supported."""

from __future__ import annotations

from ..unsupported import Unsupported

__all__ = ["DGCMomentumOptimizer", "PipelineOptimizer"]


class DGCMomentumOptimizer(Unsupported):
    """Momentum with compressed gradients; not supported."""

    reason = "requires several GPUs"


class PipelineOptimizer(Unsupported):
    """Pipeline parallelism; not supported."""

    reason = "requires several devices"
