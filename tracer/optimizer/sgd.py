"""Stochastic gradient descent, plain and with momentum."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..core import native
from ..core.parameter import Parameter
from .lr import LRScheduler
from .optimizer import Array, Change, Optimizer, replace


class SGD(Optimizer):
    """parameter -= lr * gradient"""

    def _update(self, parameter: Parameter, gradient: Array, lr: float) -> None:
        parameter.array = parameter.array - gradient * parameter.array.dtype.type(lr)

    def _update_all(self, changes: list[Change]) -> bool:
        rows = [(c.parameter.array, c.gradient, c.lr) for c in changes]
        return replace(changes, _MOMENTUM(rows, False, 0.0, False))


_MOMENTUM = native.kernel("momentum")


class Momentum(Optimizer):
    """velocity = momentum * velocity + gradient;  parameter -= lr * velocity   (or Nesterov's form of it).

    rescale_grad multiplies the gradient first.
    """

    _accumulators = ("velocity",)

    def __init__(
        self, learning_rate: float | LRScheduler = 0.001, momentum: float = 0.9, parameters: Iterable[Any] | None = None,
        use_nesterov: bool = False, weight_decay: Any = None, grad_clip: Any = None, multi_precision: bool = False,
        rescale_grad: float = 1.0, use_multi_tensor: bool = False, name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._momentum = momentum
        self._use_nesterov = use_nesterov
        self._rescale_grad = rescale_grad

    def _update(self, parameter: Parameter, gradient: Array, lr: float) -> None:
        state = self._state_of(parameter)
        one = parameter.array.dtype.type
        if self._rescale_grad != 1.0:
            gradient = gradient * one(self._rescale_grad)
        velocity = state["velocity"] = state["velocity"] * one(self._momentum) + gradient
        step = gradient + velocity * one(self._momentum) if self._use_nesterov else velocity
        parameter.array = parameter.array - step * one(lr)

    def _update_all(self, changes: list[Change]) -> bool:
        if self._rescale_grad != 1.0:
            return False
        rows = [(c.parameter.array, c.gradient, self._state_of(c.parameter)["velocity"], c.lr) for c in changes]
        return replace(changes, _MOMENTUM(rows, True, self._momentum, self._use_nesterov))
