"""Stochastic gradient descent, plain and with momentum."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from ..core import native
from ..ops import optimizer
from .lr_base import LRScheduler
from .optimizer import (
    AccumulatorSpec,
    Optimizer,
    ParameterUpdate,
    assign_arrays_unless_not_implemented,
)

__all__ = ["SGD", "Momentum"]

_MOMENTUM = native.compiled_function_or_placeholder("momentum")


class SGD(Optimizer):
    """Stochastic gradient descent: parameter -= lr * gradient."""

    _op = optimizer.sgd

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        parameters: Iterable[Any] | None = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        multi_precision: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._multi_precision = multi_precision

    def _update_all_by_one_kernel_if_possible(self, updates: list[ParameterUpdate]) -> bool:
        rows = [(p.array, g, lr) for p, g, lr in updates]
        return assign_arrays_unless_not_implemented(updates, _MOMENTUM(rows, False, 0.0, False))


class Momentum(Optimizer):
    """Gradient descent with momentum: velocity = momentum * velocity + gradient; parameter -= lr *
    velocity.

    use_nesterov: parameter -= lr * (gradient + momentum * velocity) instead.
    rescale_grad: factor of the gradient.
    """

    _op = optimizer.momentum
    _group_names: ClassVar[dict[str, str]] = {"momentum": "mu"}

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        momentum: float = 0.9,
        parameters: Iterable[Any] | None = None,
        use_nesterov: bool = False,
        weight_decay: Any = None,
        grad_clip: Any = None,
        multi_precision: bool = False,
        rescale_grad: float = 1.0,
        use_multi_tensor: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._attrs = {
            "mu": float(momentum),
            "use_nesterov": use_nesterov,
            "rescale_grad": float(rescale_grad),
        }
        self._multi_precision = multi_precision

    def _accumulator_specs(self) -> tuple[AccumulatorSpec, ...]:
        return (AccumulatorSpec("velocity", "Velocity"),)

    def _update_all_by_one_kernel_if_possible(self, updates: list[ParameterUpdate]) -> bool:
        if self._attrs["rescale_grad"] != 1.0 or self._group_options:
            return False
        rows = [
            (p.array, g, self._get_or_create_accumulators(p)["velocity"], lr)
            for p, g, lr in updates
        ]
        return assign_arrays_unless_not_implemented(
            updates, _MOMENTUM(rows, True, self._attrs["mu"], self._attrs["use_nesterov"])
        )
