"""Adam, with and without decoupled weight decay."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..core import native
from ..core.parameter import Parameter
from .lr import LRScheduler
from .optimizer import Array, Change, Optimizer, replace


class Adam(Optimizer):
    """Steps scaled by running moments of the gradient   (Kingma and Ba 2014), with epsilon outside of the correction as in Paddle.

    moment1 = beta1 * moment1 + (1 - beta1) * g;  moment2 = beta2 * moment2 + (1 - beta2) * g * g;
    parameter -= lr * sqrt(1 - beta2 ** t) / (1 - beta1 ** t) * moment1 / (sqrt(moment2) + epsilon * sqrt(1 - beta2 ** t))
    """

    _accumulators = ("moment1", "moment2")

    def __init__(
        self, learning_rate: float | LRScheduler = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-08,
        parameters: Iterable[Any] | None = None, weight_decay: Any = None, grad_clip: Any = None, lazy_mode: bool = False,
        multi_precision: bool = False, use_multi_tensor: bool = False, name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._beta1, self._beta2, self._epsilon = float(beta1), float(beta2), float(epsilon)

    def _new_state(self, parameter: Parameter) -> dict[str, Array]:
        state = super()._new_state(parameter)
        dtype = parameter.array.dtype
        # Paddle keeps the powers of the betas as they will be used in the next step.
        state["beta1_pow_acc"] = np.full([1], self._beta1, dtype)
        state["beta2_pow_acc"] = np.full([1], self._beta2, dtype)
        return state

    def _update(self, parameter: Parameter, gradient: Array, lr: float) -> None:
        state = self._state_of(parameter)
        one = parameter.array.dtype.type
        first, second = state["moment1"], state["moment2"]
        first *= one(self._beta1)
        first += gradient * one(1 - self._beta1)
        second *= one(self._beta2)
        scaled = gradient * gradient
        scaled *= one(1 - self._beta2)
        second += scaled
        power1, power2 = float(state["beta1_pow_acc"][0]), float(state["beta2_pow_acc"][0])
        correction = math.sqrt(1 - power2)
        np.sqrt(second, out=scaled)
        scaled += one(self._epsilon * correction)
        np.divide(first, scaled, out=scaled)
        scaled *= one(lr * correction / (1 - power1))
        parameter.array = parameter.array - scaled
        state["beta1_pow_acc"] *= one(self._beta1)
        state["beta2_pow_acc"] *= one(self._beta2)

    def _update_all(self, changes: list[Change]) -> bool:
        states = [self._state_of(c.parameter) for c in changes]
        rows = [self._row(c, s) for c, s in zip(changes, states, strict=True)]
        if not replace(changes, _ADAM(rows, self._beta1, self._beta2)):
            return False
        for state in states:
            state["beta1_pow_acc"] *= self._beta1
            state["beta2_pow_acc"] *= self._beta2
        return True

    def _row(self, change: Change, state: dict[str, Array]) -> tuple[Any, ...]:
        """What the compiled step takes: arrays, epsilon, the rate with its correction, and what is kept of the parameter."""
        power1, power2 = state["beta1_pow_acc"].item(), state["beta2_pow_acc"].item()
        correction = math.sqrt(1 - power2)
        rate = change.lr * correction / (1 - power1)
        arrays = change.parameter.array, change.gradient, state["moment1"], state["moment2"]
        return *arrays, self._epsilon * correction, rate, self._kept(change.parameter, change.lr)

    def _kept(self, parameter: Parameter, lr: float) -> float:
        """What the parameter is multiplied by before the step."""
        return 1.0


_ADAM = native.kernel("adam")


class AdamW(Adam):
    """Adam with the weights themselves shrunk: parameter *= 1 - lr * weight_decay   (Loshchilov and Hutter 2017).

    apply_decay_param_fun(name): which parameters shrink; lr_ratio(parameter): a factor for the learning rate.
    """

    def __init__(
        self, learning_rate: float | LRScheduler = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-08,
        parameters: Iterable[Any] | None = None, weight_decay: float = 0.01, lr_ratio: Callable[[Any], float] | None = None,
        apply_decay_param_fun: Callable[[str], bool] | None = None, grad_clip: Any = None, lazy_mode: bool = False,
        multi_precision: bool = False, name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, beta1, beta2, epsilon, parameters, None, grad_clip, name=name)
        self._coefficient = float(weight_decay)
        self._lr_ratio = lr_ratio
        self._decays = apply_decay_param_fun

    def _decayed(self, parameter: Parameter, gradient: Array) -> Array:
        return gradient

    def _lr_of(self, parameter: Parameter) -> float:
        lr = super()._lr_of(parameter)
        return lr if self._lr_ratio is None else lr * float(self._lr_ratio(parameter))

    def _kept(self, parameter: Parameter, lr: float) -> float:
        if self._decays is not None and not self._decays(parameter.name):
            return 1.0
        return 1 - lr * float(self._settings.get(id(parameter), {}).get("weight_decay", self._coefficient))

    def _update(self, parameter: Parameter, gradient: Array, lr: float) -> None:
        kept = self._kept(parameter, lr)
        if kept != 1.0:
            parameter.array = parameter.array * parameter.array.dtype.type(kept)
        super()._update(parameter, gradient, lr)
