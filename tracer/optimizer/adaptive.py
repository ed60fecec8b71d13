"""Optimizers with updates scaled by the running size of the gradient: Adagrad, Adadelta,
RMSProp.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from ..core.errors import OpError
from ..ops import optimizer
from .lr_base import LRScheduler
from .optimizer import AccumulatorSpec, Optimizer

__all__ = ["Adadelta", "Adagrad", "RMSProp"]


class Adagrad(Optimizer):
    """Adagrad (Duchi et al. 2011).

    moment += g^2; parameter -= lr * g / (sqrt(moment) + epsilon)
    """

    _op = optimizer.adagrad

    def __init__(
        self,
        learning_rate: float | LRScheduler,
        epsilon: float = 1e-06,
        parameters: Iterable[Any] | None = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
        initial_accumulator_value: float = 0.0,
    ) -> None:
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._attrs = {"epsilon": float(epsilon)}
        self._initial_value = float(initial_accumulator_value)

    def _accumulator_specs(self) -> tuple[AccumulatorSpec, ...]:
        return (AccumulatorSpec("moment", "Moment", self._initial_value),)


class Adadelta(Optimizer):
    """Adadelta: updates scaled by the ratio of running RMS of updates and gradients (Zeiler
    2012).
    """

    _op = optimizer.adadelta

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        epsilon: float = 1e-06,
        rho: float = 0.95,
        parameters: Iterable[Any] | None = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._attrs = {"epsilon": float(epsilon), "rho": float(rho)}

    def _accumulator_specs(self) -> tuple[AccumulatorSpec, ...]:
        return (
            AccumulatorSpec("_avg_squared_grad", "AvgSquaredGrad"),
            AccumulatorSpec("_avg_squared_update", "AvgSquaredUpdate"),
        )


class RMSProp(Optimizer):
    """RMSProp (Hinton 2012).

    mean_square = rho * mean_square + (1 - rho) * g^2

    velocity = momentum * velocity + lr * g / sqrt(mean_square + epsilon); parameter -= velocity

    centered: subtract the square of the mean gradient from mean_square
    """

    _op = optimizer.rmsprop
    _group_names: ClassVar[dict[str, str]] = {"rho": "decay"}

    def __init__(
        self,
        learning_rate: float | LRScheduler,
        rho: float = 0.95,
        epsilon: float = 1e-06,
        momentum: float = 0.0,
        centered: bool = False,
        parameters: Iterable[Any] | None = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        for argument, value in (("rho", rho), ("epsilon", epsilon), ("momentum", momentum)):
            if float(value) < 0:
                raise OpError(f"RMSProp: {argument}={value} is negative")
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._attrs = {
            "decay": float(rho),
            "epsilon": float(epsilon),
            "momentum": float(momentum),
            "centered": centered,
        }

    def _accumulator_specs(self) -> tuple[AccumulatorSpec, ...]:
        names = (("momentum", "Moment"), ("mean_square", "MeanSquare"), ("mean_grad", "MeanGrad"))
        return tuple(AccumulatorSpec(*row) for row in names)
