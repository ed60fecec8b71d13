"""Optimizers of Paddle 1.x that Paddle 2 has too: `fluid.optimizer.SGD`, Momentum, Adam and
others.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import optimizer as paddle2
from ...optimizer.optimizer import AccumulatorSpec
from .base import Paddle1Optimizer

__all__ = [
    "AdadeltaOptimizer",
    "AdagradOptimizer",
    "AdamOptimizer",
    "AdamaxOptimizer",
    "LambOptimizer",
    "MomentumOptimizer",
    "RMSPropOptimizer",
    "SGDOptimizer",
]


class SGDOptimizer(Paddle1Optimizer, paddle2.SGD):
    """Stochastic gradient descent, as `oarlock.optimizer.SGD`."""

    def __init__(
        self,
        learning_rate: Any,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        self._init_paddle2_base_class(
            learning_rate, parameter_list, regularization, grad_clip, name
        )


class MomentumOptimizer(Paddle1Optimizer, paddle2.Momentum):
    """Momentum, as `oarlock.optimizer.Momentum`."""

    def __init__(
        self,
        learning_rate: Any,
        momentum: float,
        parameter_list: Any = None,
        use_nesterov: bool = False,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        own = {"momentum": momentum, "use_nesterov": use_nesterov}
        self._init_paddle2_base_class(
            learning_rate, parameter_list, regularization, grad_clip, name, **own
        )


class AdagradOptimizer(Paddle1Optimizer, paddle2.Adagrad):
    """Adagrad, as `oarlock.optimizer.Adagrad`."""

    def __init__(
        self,
        learning_rate: Any,
        epsilon: float = 1.0e-6,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
        initial_accumulator_value: float = 0.0,
    ) -> None:
        own = {"epsilon": epsilon, "initial_accumulator_value": initial_accumulator_value}
        self._init_paddle2_base_class(
            learning_rate, parameter_list, regularization, grad_clip, name, **own
        )


class AdamOptimizer(Paddle1Optimizer, paddle2.Adam):
    """Adam, as `oarlock.optimizer.Adam`.

    As in 1.8, epsilon is added to the uncorrected second moment; in a program as in Paddle 2.
    lazy_mode has no effect: gradients are dense.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
        lazy_mode: bool = False,
    ) -> None:
        own = {"beta1": beta1, "beta2": beta2, "epsilon": epsilon}
        self._init_paddle2_base_class(
            learning_rate, parameter_list, regularization, grad_clip, name, **own
        )

    def _compiled_kernel_args(
        self, parameter: Any, gradient: Any, lr: float, state: dict[str, Any]
    ) -> tuple[Any, ...]:
        args = super()._compiled_kernel_args(parameter, gradient, lr, state)
        return *args[:4], self._attrs["epsilon"], *args[5:]

    def _update_parameter(self, parameter: Any, gradient: Any, lr: float) -> None:
        """Run the op with epsilon / sqrt(1 - beta2^t): the op multiplies epsilon by that root,
        unlike Paddle 1.8.
        """
        power = self._get_or_create_accumulators(parameter)["beta2_pow_acc"].item()
        previous, self._attrs = (
            self._attrs,
            {**self._attrs, "epsilon": self._attrs["epsilon"] / math.sqrt(1 - power)},
        )
        try:
            super()._update_parameter(parameter, gradient, lr)
        finally:
            self._attrs = previous


class AdamaxOptimizer(Paddle1Optimizer, paddle2.Adamax):
    """Adamax, as `oarlock.optimizer.Adamax`."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        own = {"beta1": beta1, "beta2": beta2, "epsilon": epsilon}
        self._init_paddle2_base_class(
            learning_rate, parameter_list, regularization, grad_clip, name, **own
        )


class AdadeltaOptimizer(Paddle1Optimizer, paddle2.Adadelta):
    """Adadelta, as `oarlock.optimizer.Adadelta`. The learning rate of Adadelta has no effect, as in
    Paddle 1.8.
    """

    def __init__(
        self,
        learning_rate: Any,
        epsilon: float = 1.0e-6,
        rho: float = 0.95,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        self._init_paddle2_base_class(
            1.0, parameter_list, regularization, grad_clip, name, epsilon=epsilon, rho=rho
        )
        self._unused_learning_rate = learning_rate

    def current_step_lr(self) -> float:
        """Return the learning rate that was passed to the constructor of Adadelta, which does not
        use it.
        """
        rate = self._unused_learning_rate
        return float(rate if isinstance(rate, float) else rate.last_lr)


class RMSPropOptimizer(Paddle1Optimizer, paddle2.RMSProp):
    """RMSProp, as `oarlock.optimizer.RMSProp`."""

    def __init__(
        self,
        learning_rate: Any,
        rho: float = 0.95,
        epsilon: float = 1.0e-6,
        momentum: float = 0.0,
        centered: bool = False,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        own = {"rho": rho, "epsilon": epsilon, "momentum": momentum, "centered": centered}
        self._init_paddle2_base_class(
            learning_rate, parameter_list, regularization, grad_clip, name, **own
        )


class LambOptimizer(Paddle1Optimizer, paddle2.Lamb):
    """LAMB, as `oarlock.optimizer.Lamb`. The moments of LAMB are not bias-corrected, as in Paddle
    1.8.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        lamb_weight_decay: float = 0.01,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        exclude_from_weight_decay_fn: Any = None,
        name: str | None = None,
    ) -> None:
        own = {
            "beta1": beta1,
            "beta2": beta2,
            "epsilon": epsilon,
            "lamb_weight_decay": lamb_weight_decay,
        }
        own["exclude_from_weight_decay_fn"] = exclude_from_weight_decay_fn
        self._init_paddle2_base_class(
            learning_rate, parameter_list, regularization, grad_clip, name, **own
        )
        self._attrs["always_adapt"] = True  # scale by the norm also without weight decay

    def _accumulator_specs(self) -> tuple[AccumulatorSpec, ...]:
        # Powers of the betas that start at 0 disable the bias correction.
        return tuple(
            spec._replace(initial_value=0.0) if spec.is_scalar else spec
            for spec in super()._accumulator_specs()
        )

    def _update_parameter(self, parameter: Any, gradient: Any, lr: float) -> None:
        """Run the op lamb with powers of the betas of 0, which disables the bias correction. The
        stored powers do not change, as in Paddle 1.8.
        """
        state = self._get_or_create_accumulators(parameter)
        powers = {name: state[name] for name in ("beta1_pow_acc", "beta2_pow_acc")}
        state.update({name: np.zeros_like(value) for name, value in powers.items()})
        try:
            super()._update_parameter(parameter, gradient, lr)
        finally:
            state.update(powers)

    def _make_initial_accumulators(self, parameter: Any) -> dict[str, Any]:
        """Start the powers at beta1 and beta2, the values that Paddle 1.8 saves."""
        powers = {"beta1_pow_acc": self._attrs["beta1"], "beta2_pow_acc": self._attrs["beta2"]}
        state = super()._make_initial_accumulators(parameter)
        return {k: np.full_like(v, powers[k]) if k in powers else v for k, v in state.items()}
