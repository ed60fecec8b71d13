"""Schedulers that compute the learning rate from the epoch by a formula."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from ..core.errors import OperandError, OpError, append_user_line
from .lr_base import LRScheduler

__all__ = [
    "CosineAnnealingDecay",
    "ExponentialDecay",
    "InverseTimeDecay",
    "LambdaDecay",
    "LinearLR",
    "LinearWarmup",
    "MultiStepDecay",
    "MultiplicativeDecay",
    "NaturalExpDecay",
    "NoamDecay",
    "PiecewiseDecay",
    "PolynomialDecay",
    "StepDecay",
]


def _check_gamma(scheduler: str, gamma: float) -> None:
    """Raise OpError if gamma does not decrease the learning rate, that is, unless gamma < 1."""
    if gamma >= 1.0:
        raise OpError(append_user_line(f"{scheduler}: gamma={gamma} should be < 1"))


class StepDecay(LRScheduler):
    """Multiply the learning rate by gamma every step_size epochs."""

    def __init__(
        self,
        learning_rate: float,
        step_size: int,
        gamma: float = 0.1,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        _check_gamma("StepDecay", gamma)
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Learning rate: base * gamma^(epoch // step_size)"""
        return self.base_lr * float(self.gamma ** (self.last_epoch // self.step_size))


class MultiStepDecay(LRScheduler):
    """Multiply the learning rate by gamma at each milestone."""

    def __init__(
        self,
        learning_rate: float,
        milestones: Sequence[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        _check_gamma("MultiStepDecay", gamma)
        if any(b <= a for a, b in pairwise(milestones)):
            raise OpError(
                append_user_line(
                    f"MultiStepDecay: milestones={list(milestones)} must be increasing"
                )
            )
        self.milestones = list(milestones)
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Learning rate: base * gamma^(number of passed milestones)"""
        return self.base_lr * float(
            self.gamma ** sum(self.last_epoch >= m for m in self.milestones)
        )


class ExponentialDecay(LRScheduler):
    """Multiply the learning rate by gamma every epoch."""

    def __init__(
        self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Learning rate: base * gamma^epoch"""
        return self.base_lr * float(self.gamma**self.last_epoch)


class PiecewiseDecay(LRScheduler):
    """Piecewise constant learning rate: values[i] before epoch boundaries[i], and the last value
    after all boundaries.
    """

    def __init__(
        self,
        boundaries: Sequence[int],
        values: Sequence[float],
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        if not boundaries or len(values) <= len(boundaries):
            counts = f"{len(values)} values and {len(boundaries)} boundaries"
            raise OpError(
                append_user_line(
                    f"PiecewiseDecay: requires one more value than boundaries, got {counts}"
                )
            )
        self.boundaries = list(boundaries)
        self.values = [float(v) for v in values]
        super().__init__(self.values[0], last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the learning rate of the interval that contains the current epoch."""
        return self.values[sum(self.last_epoch >= b for b in self.boundaries)]


class CosineAnnealingDecay(LRScheduler):
    """Cosine annealing of the learning rate between the initial value and eta_min, without
    restarts (Loshchilov and Hutter 2016).
    """

    def __init__(
        self,
        learning_rate: float,
        T_max: int,
        eta_min: float = 0.0,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.T_max = T_max
        self.eta_min = float(eta_min)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Learning rate: eta_min + (base - eta_min) * (1 + cos(pi * epoch / T_max)) / 2"""
        return (
            self.eta_min
            + (self.base_lr - self.eta_min)
            * (1 + math.cos(math.pi * self.last_epoch / self.T_max))
            / 2
        )


class LinearWarmup(LRScheduler):
    """Warm-up: increase the learning rate linearly from start_lr to end_lr in warmup_steps, then
    use `learning_rate`, which may be a scheduler.
    """

    def __init__(
        self,
        learning_rate: float | LRScheduler,
        warmup_steps: int,
        start_lr: float,
        end_lr: float,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        if not isinstance(learning_rate, int | float | LRScheduler):
            type_name = type(learning_rate).__name__
            raise OperandError(
                append_user_line(
                    f"LinearWarmup: learning_rate must be a number or a scheduler, not {type_name}"
                )
            )
        self.after = learning_rate
        self.warmup_steps = warmup_steps
        self.start_lr = start_lr
        self.end_lr = end_lr
        super().__init__(start_lr, last_epoch, verbose)

    def state_dict(self) -> dict[str, Any]:
        """Return the state of this scheduler. The key `LinearWarmup_LR` holds the state of the
        scheduler that is used after the warm-up.
        """
        state = super().state_dict()
        if isinstance(self.after, LRScheduler):
            state["LinearWarmup_LR"] = self.after.state_dict()
        return state

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore the state that state_dict() returned.

        Raises MissingStateError if a value is missing.
        """
        own_state = {key: value for key, value in state_dict.items() if key != "LinearWarmup_LR"}
        super().set_state_dict(own_state if isinstance(self.after, LRScheduler) else state_dict)
        if isinstance(self.after, LRScheduler) and "LinearWarmup_LR" in state_dict:
            self.after.set_state_dict(state_dict["LinearWarmup_LR"])

    set_dict = set_state_dict

    def get_lr(self) -> float:
        """Return the learning rate of the current epoch: the linear increase during the warm-up,
        then the rate of `learning_rate`.
        """
        if self.last_epoch < self.warmup_steps:
            return (
                self.start_lr + (self.end_lr - self.start_lr) * self.last_epoch / self.warmup_steps
            )
        if isinstance(self.after, LRScheduler):
            self.after.step(self.last_epoch - self.warmup_steps)
            return self.after()
        return float(self.after)


class LambdaDecay(LRScheduler):
    """Set the learning rate to the initial rate times lr_lambda(epoch)."""

    def __init__(
        self,
        learning_rate: float,
        lr_lambda: Callable[[int], float],
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Learning rate: base * lr_lambda(epoch)"""
        return self.base_lr * self.lr_lambda(self.last_epoch)


class NoamDecay(LRScheduler):
    """Scheduler of the Transformer: learning_rate * d_model^-0.5 * min(epoch^-0.5, epoch *
    warmup_steps^-1.5) (Vaswani et al. 2017).
    """

    def __init__(
        self,
        d_model: int,
        warmup_steps: int,
        learning_rate: float = 1.0,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.d_model = d_model
        self.warmup_steps = warmup_steps
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the learning rate of the current step."""
        rise = float(self.warmup_steps**-1.5) * self.last_epoch
        fall = float(self.last_epoch**-0.5) if self.last_epoch else 1.0
        return self.base_lr * float(self.d_model**-0.5) * min(rise, fall)


class NaturalExpDecay(LRScheduler):
    """Multiply the learning rate by exp(-gamma) every epoch."""

    def __init__(
        self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Learning rate: base * exp(-gamma * epoch)"""
        return self.base_lr * math.exp(-self.gamma * self.last_epoch)


class InverseTimeDecay(LRScheduler):
    """Set the learning rate to the initial rate divided by 1 + gamma * epoch."""

    def __init__(
        self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Learning rate: base / (1 + gamma * epoch)"""
        return self.base_lr / (1 + self.gamma * self.last_epoch)


class MultiplicativeDecay(LRScheduler):
    """Multiply the learning rate by lr_lambda(epoch) at every epoch, cumulatively."""

    def __init__(
        self,
        learning_rate: float,
        lr_lambda: Callable[[int], float],
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Learning rate: base * lr_lambda(1) * ... * lr_lambda(epoch)"""
        return self.base_lr * math.prod(
            float(self.lr_lambda(e)) for e in range(1, self.last_epoch + 1)
        )


class PolynomialDecay(LRScheduler):
    """Polynomial decay of the learning rate from the initial rate to end_lr in decay_steps.

    cycle: multiply decay_steps by the number of completed cycles plus one instead of staying at
    end_lr
    """

    def __init__(
        self,
        learning_rate: float,
        decay_steps: int,
        end_lr: float = 0.0001,
        power: float = 1.0,
        cycle: bool = False,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        if decay_steps <= 0:
            raise OpError(f"PolynomialDecay: decay_steps={decay_steps} is not positive")
        self.decay_steps, self.end_lr, self.power, self.cycle = (
            decay_steps,
            float(end_lr),
            power,
            cycle,
        )
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Learning rate: (base - end) * (1 - epoch / steps)^power + end"""
        epoch, steps = self.last_epoch, self.decay_steps
        if self.cycle:
            steps *= max(1, math.ceil(epoch / steps))
        remaining = 1 - (epoch if self.cycle else min(epoch, steps)) / steps
        return (self.base_lr - self.end_lr) * float(remaining**self.power) + self.end_lr


class LinearLR(LRScheduler):
    """Multiply the initial learning rate by a factor, which changes linearly from start_factor to
    end_factor in total_steps.
    """

    def __init__(
        self,
        learning_rate: float,
        total_steps: int,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        if not 0 < start_factor <= 1 or not 0 <= end_factor <= 1:
            raise OpError(
                f"LinearLR: start_factor={start_factor} and end_factor={end_factor} "
                f"should be in (0, 1] and [0, 1]"
            )
        self.total_steps, self.start_factor, self.end_factor = total_steps, start_factor, end_factor
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Learning rate: base * (start + (end - start) * epoch / steps)"""
        progress = min(self.last_epoch, self.total_steps) / self.total_steps
        return self.base_lr * (self.start_factor + (self.end_factor - self.start_factor) * progress)
