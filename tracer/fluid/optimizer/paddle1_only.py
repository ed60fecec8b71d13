"""Optimizers that only Paddle 1.x has: `fluid.optimizer.Ftrl`, DecayedAdagrad, LarsMomentum,
Dpsgd.
"""

from __future__ import annotations

from typing import Any

from ...ops.legacy import optimizer
from ...optimizer.optimizer import AccumulatorSpec
from .base import Paddle1Optimizer

__all__ = ["DecayedAdagradOptimizer", "DpsgdOptimizer", "FtrlOptimizer", "LarsMomentumOptimizer"]


class DecayedAdagradOptimizer(Paddle1Optimizer):
    """Adagrad with a moving average of the squared gradient; see the op decayed_adagrad."""

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
        self._init_paddle2_base_class(
            learning_rate, parameter_list, regularization, grad_clip, name
        )
        self._attrs = {"decay": float(decay), "epsilon": float(epsilon)}

    def _accumulator_specs(self) -> tuple[AccumulatorSpec, ...]:
        return (AccumulatorSpec("moment", "Moment"),)


class FtrlOptimizer(Paddle1Optimizer):
    """Follow the regularized leader (McMahan et al. 2013); see the op ftrl.

    l2 has no effect, as in 1.8: the op gets l1 for both.
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
        self._init_paddle2_base_class(
            learning_rate, parameter_list, regularization, grad_clip, name
        )
        self._attrs = {"l1": float(l1), "l2": float(l1), "lr_power": float(lr_power)}

    def _accumulator_specs(self) -> tuple[AccumulatorSpec, ...]:
        return AccumulatorSpec("squared", "SquaredAccumulator"), AccumulatorSpec(
            "linear", "LinearAccumulator"
        )


class LarsMomentumOptimizer(Paddle1Optimizer):
    """Momentum with a learning rate scaled by the norm of each parameter (You et al. 2017); see the
    op lars_momentum.
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
        self._init_paddle2_base_class(
            learning_rate, parameter_list, regularization, grad_clip, name
        )
        self._attrs = {
            "mu": float(momentum),
            "lars_coeff": float(lars_coeff),
            "lars_weight_decay": [float(lars_weight_decay)],
        }

    def _accumulator_specs(self) -> tuple[AccumulatorSpec, ...]:
        return (AccumulatorSpec("velocity", "Velocity"),)


class DpsgdOptimizer(Paddle1Optimizer):
    """Clipped gradients with noise (Abadi et al. 2016); see the op dpsgd."""

    _op = optimizer.dpsgd

    def __init__(
        self,
        learning_rate: Any = 0.001,
        clip: float = 0.9,
        batch_size: float = 0.999,
        sigma: float = 1e-8,
        parameter_list: Any = None,
    ) -> None:
        self._init_paddle2_base_class(learning_rate, parameter_list, None, None, None)
        self._attrs = {"clip": float(clip), "batch_size": float(batch_size), "sigma": float(sigma)}
