"""The optimizers that only Paddle 1.x has: fluid.optimizer.Ftrl, DecayedAdagrad, LarsMomentum,
Dpsgd.
"""

from __future__ import annotations

from typing import Any

from ...ops.legacy import optimizer
from ...optimizer.optimizer import Accumulator
from .base import Old

__all__ = ["DecayedAdagradOptimizer", "DpsgdOptimizer", "FtrlOptimizer", "LarsMomentumOptimizer"]


class DecayedAdagradOptimizer(Old):
    """Steps over the root of a running mean of the squared gradient; see the op decayed_adagrad."""

    _op = optimizer.decayed_adagrad

    def __init__(
        self,
        learning_rate: Any,
        decay: float = 0.95,
        epsilon: float = 1.0e-6,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        self._begin(learning_rate, parameter_list, regularization, grad_clip, name)
        self._attrs = {"decay": float(decay), "epsilon": float(epsilon)}

    def _accumulator_specs(self) -> tuple[Accumulator, ...]:
        return (Accumulator("moment", "Moment"),)


class FtrlOptimizer(Old):
    """Follow the regularized leader

    (McMahan et al. 2013); see the op ftrl.
    As in 1.8, l1 is taken for l2 too.
    """

    _op = optimizer.ftrl

    def __init__(
        self,
        learning_rate: Any,
        l1: float = 0.0,
        l2: float = 0.0,
        lr_power: float = -0.5,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        self._begin(learning_rate, parameter_list, regularization, grad_clip, name)
        self._attrs = {"l1": float(l1), "l2": float(l1), "lr_power": float(lr_power)}

    def _accumulator_specs(self) -> tuple[Accumulator, ...]:
        return Accumulator("squared", "SquaredAccumulator"), Accumulator(
            "linear", "LinearAccumulator"
        )


class LarsMomentumOptimizer(Old):
    """Momentum with a rate that goes with the length of each parameter

    (You et al. 2017); see the op lars_momentum.
    """

    _op = optimizer.lars_momentum

    def __init__(
        self,
        learning_rate: Any,
        momentum: float,
        lars_coeff: float = 0.001,
        lars_weight_decay: float = 0.0005,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        self._begin(learning_rate, parameter_list, regularization, grad_clip, name)
        self._attrs = {
            "mu": float(momentum),
            "lars_coeff": float(lars_coeff),
            "lars_weight_decay": [float(lars_weight_decay)],
        }

    def _accumulator_specs(self) -> tuple[Accumulator, ...]:
        return (Accumulator("velocity", "Velocity"),)


class DpsgdOptimizer(Old):
    """Clipped gradients with noise   (Abadi et al. 2016); see the op dpsgd."""

    _op = optimizer.dpsgd

    def __init__(
        self,
        learning_rate: Any = 0.001,
        clip: float = 0.9,
        batch_size: float = 0.999,
        sigma: float = 1e-8,
        parameter_list: Any = None,
    ) -> None:
        self._begin(learning_rate, parameter_list, None, None, None)
        self._attrs = {"clip": float(clip), "batch_size": float(batch_size), "sigma": float(sigma)}
