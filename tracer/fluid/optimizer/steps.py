"""The optimizers of Paddle 1.x that Paddle 2 has too: fluid.optimizer.SGD, Momentum, Adam and so
on.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import optimizer as today
from ...optimizer.optimizer import Accumulator
from .base import Old

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


class SGDOptimizer(Old, today.SGD):
    """See oarlock.optimizer.SGD."""

    def __init__(
        self,
        learning_rate: Any,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        self._begin(learning_rate, parameter_list, regularization, grad_clip, name)


class MomentumOptimizer(Old, today.Momentum):
    """See oarlock.optimizer.Momentum."""

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
        self._begin(learning_rate, parameter_list, regularization, grad_clip, name, **own)


class AdagradOptimizer(Old, today.Adagrad):
    """See oarlock.optimizer.Adagrad."""

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
        self._begin(learning_rate, parameter_list, regularization, grad_clip, name, **own)


class AdamOptimizer(Old, today.Adam):
    """See oarlock.optimizer.Adam.

    As in 1.8, epsilon is added without a correction at once; in a program as in Paddle 2.

    lazy_mode is for sparse gradients, which are dense here: it changes nothing.
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
        self._begin(learning_rate, parameter_list, regularization, grad_clip, name, **own)

    def _kernel_args(
        self, parameter: Any, gradient: Any, lr: float, state: dict[str, Any]
    ) -> tuple[Any, ...]:
        row = super()._kernel_args(parameter, gradient, lr, state)
        return *row[:4], self._attrs["epsilon"], *row[5:]

    def _update_parameter(self, parameter: Any, gradient: Any, lr: float) -> None:
        power = self._accumulators_of(parameter)["beta2_pow_acc"].item()
        before, self._attrs = (
            self._attrs,
            {**self._attrs, "epsilon": self._attrs["epsilon"] / math.sqrt(1 - power)},
        )
        try:
            super()._update_parameter(parameter, gradient, lr)
        finally:
            self._attrs = before


class AdamaxOptimizer(Old, today.Adamax):
    """See oarlock.optimizer.Adamax."""

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
        self._begin(learning_rate, parameter_list, regularization, grad_clip, name, **own)


class AdadeltaOptimizer(Old, today.Adadelta):
    """See oarlock.optimizer.Adadelta.   As in 1.8, the learning rate does not count."""

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
        self._begin(1.0, parameter_list, regularization, grad_clip, name, epsilon=epsilon, rho=rho)
        self._ignored = learning_rate

    def current_step_lr(self) -> float:
        """The learning rate that was given."""
        return float(self._ignored if isinstance(self._ignored, float) else self._ignored.last_lr)


class RMSPropOptimizer(Old, today.RMSProp):
    """See oarlock.optimizer.RMSProp."""

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
        self._begin(learning_rate, parameter_list, regularization, grad_clip, name, **own)


class LambOptimizer(Old, today.Lamb):
    """See oarlock.optimizer.Lamb.   As in 1.8, the moments are not corrected for their start."""

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
        self._begin(learning_rate, parameter_list, regularization, grad_clip, name, **own)
        self._attrs["always_adapt"] = True  # as long as the parameter, with decay or without

    def _accumulator_specs(self) -> tuple[Accumulator, ...]:
        # Powers of zero correct nothing.
        return tuple(
            kept._replace(initial_value=0.0) if kept.is_scalar else kept
            for kept in super()._accumulator_specs()
        )

    def _update_parameter(self, parameter: Any, gradient: Any, lr: float) -> None:
        state = self._accumulators_of(parameter)
        given = {name: state[name] for name in ("beta1_pow_acc", "beta2_pow_acc")}
        state.update({name: np.zeros_like(value) for name, value in given.items()})
        super()._update_parameter(parameter, gradient, lr)
        state.update(given)

    def _init_accumulators(self, parameter: Any) -> dict[str, Any]:
        powers = {"beta1_pow_acc": self._attrs["beta1"], "beta2_pow_acc": self._attrs["beta2"]}
        state = super()._init_accumulators(parameter)
        return {k: np.full_like(v, powers[k]) if k in powers else v for k, v in state.items()}
