"""The optimizers of Paddle 1.x that Paddle 2 has too: fluid.optimizer.SGD, Momentum, Adam and so on."""

from __future__ import annotations

from typing import Any

from ... import optimizer as today
from .base import Old

__all__ = [
    "AdadeltaOptimizer", "AdagradOptimizer", "AdamOptimizer", "AdamaxOptimizer", "LambOptimizer", "MomentumOptimizer", "RMSPropOptimizer",
    "SGDOptimizer",
]  # fmt: skip


class SGDOptimizer(Old, today.SGD):
    """See oarlock.optimizer.SGD."""

    def __init__(
        self, learning_rate: Any, parameter_list: Any = None, regularization: Any = None, grad_clip: Any = None, name: str | None = None
    ) -> None:  # fmt: skip
        self._begin(learning_rate, parameter_list, regularization, grad_clip, name)


class MomentumOptimizer(Old, today.Momentum):
    """See oarlock.optimizer.Momentum."""

    def __init__(
        self, learning_rate: Any, momentum: float, parameter_list: Any = None, use_nesterov: bool = False, regularization: Any = None,
        grad_clip: Any = None, name: str | None = None,
    ) -> None:  # fmt: skip
        own = {"momentum": momentum, "use_nesterov": use_nesterov}
        self._begin(learning_rate, parameter_list, regularization, grad_clip, name, **own)


class AdagradOptimizer(Old, today.Adagrad):
    """See oarlock.optimizer.Adagrad."""

    def __init__(
        self, learning_rate: Any, epsilon: float = 1.0e-6, parameter_list: Any = None, regularization: Any = None, grad_clip: Any = None,
        name: str | None = None, initial_accumulator_value: float = 0.0,
    ) -> None:  # fmt: skip
        own = {"epsilon": epsilon, "initial_accumulator_value": initial_accumulator_value}
        self._begin(learning_rate, parameter_list, regularization, grad_clip, name, **own)


class AdamOptimizer(Old, today.Adam):
    """See oarlock.optimizer.Adam.   lazy_mode is for sparse gradients, which are dense here: it changes nothing"""

    def __init__(
        self, learning_rate: Any = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8, parameter_list: Any = None,
        regularization: Any = None, grad_clip: Any = None, name: str | None = None, lazy_mode: bool = False,
    ) -> None:  # fmt: skip
        own = {"beta1": beta1, "beta2": beta2, "epsilon": epsilon}
        self._begin(learning_rate, parameter_list, regularization, grad_clip, name, **own)


class AdamaxOptimizer(Old, today.Adamax):
    """See oarlock.optimizer.Adamax."""

    def __init__(
        self, learning_rate: Any = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8, parameter_list: Any = None,
        regularization: Any = None, grad_clip: Any = None, name: str | None = None,
    ) -> None:  # fmt: skip
        own = {"beta1": beta1, "beta2": beta2, "epsilon": epsilon}
        self._begin(learning_rate, parameter_list, regularization, grad_clip, name, **own)


class AdadeltaOptimizer(Old, today.Adadelta):
    """See oarlock.optimizer.Adadelta.   As in 1.8, the learning rate does not count."""

    def __init__(
        self, learning_rate: Any, epsilon: float = 1.0e-6, rho: float = 0.95, parameter_list: Any = None, regularization: Any = None,
        grad_clip: Any = None, name: str | None = None,
    ) -> None:  # fmt: skip
        self._begin(1.0, parameter_list, regularization, grad_clip, name, epsilon=epsilon, rho=rho)
        self._ignored = learning_rate

    def current_step_lr(self) -> float:
        """The learning rate that was given."""
        return float(self._ignored if isinstance(self._ignored, float) else self._ignored.last_lr)


class RMSPropOptimizer(Old, today.RMSProp):
    """See oarlock.optimizer.RMSProp."""

    def __init__(
        self, learning_rate: Any, rho: float = 0.95, epsilon: float = 1.0e-6, momentum: float = 0.0, centered: bool = False,
        parameter_list: Any = None, regularization: Any = None, grad_clip: Any = None, name: str | None = None,
    ) -> None:  # fmt: skip
        own = {"rho": rho, "epsilon": epsilon, "momentum": momentum, "centered": centered}
        self._begin(learning_rate, parameter_list, regularization, grad_clip, name, **own)


class LambOptimizer(Old, today.Lamb):
    """See oarlock.optimizer.Lamb."""

    def __init__(
        self, learning_rate: Any = 0.001, lamb_weight_decay: float = 0.01, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-6,
        parameter_list: Any = None, regularization: Any = None, grad_clip: Any = None, exclude_from_weight_decay_fn: Any = None,
        name: str | None = None,
    ) -> None:  # fmt: skip
        own = {"beta1": beta1, "beta2": beta2, "epsilon": epsilon, "lamb_weight_decay": lamb_weight_decay}
        own["exclude_from_weight_decay_fn"] = exclude_from_weight_decay_fn
        self._begin(learning_rate, parameter_list, regularization, grad_clip, name, **own)
