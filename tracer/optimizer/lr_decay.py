"""Learning rates that go down (or up first) with the epochs, by a formula."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from ..core.errors import OperandError, OpError, with_user_line
from .lr_base import LRScheduler

__all__ = [
    "CosineAnnealingDecay",
    "ExponentialDecay",
    "InverseTimeDecay",
    "LambdaDecay",
    "LinearWarmup",
    "MultiStepDecay",
    "MultiplicativeDecay",
    "NaturalExpDecay",
    "NoamDecay",
    "PiecewiseDecay",
    "StepDecay",
]


def _check_gamma(what: str, gamma: float) -> None:
    """Raise OpError for a factor that does not make rates less."""
    if gamma >= 1.0:
        raise OpError(with_user_line(f"{what}: gamma={gamma} should be < 1"))


class StepDecay(LRScheduler):
    """Times gamma every step_size epochs."""

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
        """base * gamma ** (epoch // step_size)"""
        return self.base_lr * float(self.gamma ** (self.last_epoch // self.step_size))


class MultiStepDecay(LRScheduler):
    """Times gamma at each milestone."""

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
                with_user_line(f"MultiStepDecay: milestones={list(milestones)} do not grow")
            )
        self.milestones = list(milestones)
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """base * gamma ** (milestones passed)"""
        return self.base_lr * float(
            self.gamma ** sum(self.last_epoch >= m for m in self.milestones)
        )


class ExponentialDecay(LRScheduler):
    """Times gamma every epoch."""

    def __init__(
        self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """base * gamma ** epoch"""
        return self.base_lr * float(self.gamma**self.last_epoch)


class PiecewiseDecay(LRScheduler):
    """values[i] up to boundaries[i], the last value after them."""

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
                with_user_line(
                    f"PiecewiseDecay: one value more than boundaries is needed, not {counts}"
                )
            )
        self.boundaries = list(boundaries)
        self.values = [float(v) for v in values]
        super().__init__(self.values[0], last_epoch, verbose)

    def get_lr(self) -> float:
        """The value of the piece that holds the epoch."""
        return self.values[sum(self.last_epoch >= b for b in self.boundaries)]


class CosineAnnealingDecay(LRScheduler):
    """A half cosine from the start down to eta_min and back

    (Loshchilov and Hutter 2016, without restarts).
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
        """eta_min + (base - eta_min) * (1 + cos(pi * epoch / T_max)) / 2"""
        return (
            self.eta_min
            + (self.base_lr - self.eta_min)
            * (1 + math.cos(math.pi * self.last_epoch / self.T_max))
            / 2
        )


class LinearWarmup(LRScheduler):
    """From start_lr to end_lr in warmup_steps, then `learning_rate`, which may be a scheduler."""

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
            kind = type(learning_rate).__name__
            raise OperandError(
                with_user_line(
                    f"LinearWarmup: learning_rate is {kind}, neither a number nor a scheduler"
                )
            )
        self.after = learning_rate
        self.warmup_steps = warmup_steps
        self.start_lr = start_lr
        self.end_lr = end_lr
        super().__init__(start_lr, last_epoch, verbose)

    def state_dict(self) -> dict[str, Any]:
        """The state of this scheduler; `LinearWarmup_LR` holds the state of the scheduler that
        follows the warmup.
        """
        found = super().state_dict()
        if isinstance(self.after, LRScheduler):
            found["LinearWarmup_LR"] = self.after.state_dict()
        return found

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from where state_dict() was taken.

        Raises StateError for a value that is missing.
        """
        own = {key: value for key, value in state_dict.items() if key != "LinearWarmup_LR"}
        super().set_state_dict(own if isinstance(self.after, LRScheduler) else state_dict)
        if isinstance(self.after, LRScheduler) and "LinearWarmup_LR" in state_dict:
            self.after.set_state_dict(state_dict["LinearWarmup_LR"])

    set_dict = set_state_dict

    def get_lr(self) -> float:
        """A straight line, then the rate after it."""
        if self.last_epoch < self.warmup_steps:
            return (
                self.start_lr + (self.end_lr - self.start_lr) * self.last_epoch / self.warmup_steps
            )
        if isinstance(self.after, LRScheduler):
            self.after.step(self.last_epoch - self.warmup_steps)
            return self.after()
        return float(self.after)


class LambdaDecay(LRScheduler):
    """Times lr_lambda(epoch)."""

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
        """base * lr_lambda(epoch)"""
        return self.base_lr * self.lr_lambda(self.last_epoch)


class NoamDecay(LRScheduler):
    """learning_rate * d_model ** -0.5 * min(epoch ** -0.5, epoch * warmup_steps ** -1.5) (Vaswani
    et al. 2017).
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
    """Times e ** -gamma every epoch."""

    def __init__(
        self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """base * e ** (-gamma * epoch)"""
        return self.base_lr * math.exp(-self.gamma * self.last_epoch)


class InverseTimeDecay(LRScheduler):
    """Divided by 1 + gamma * epoch."""

    def __init__(
        self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """base / (1 + gamma * epoch)"""
        return self.base_lr / (1 + self.gamma * self.last_epoch)


class MultiplicativeDecay(LRScheduler):
    """Times lr_lambda(epoch) at every epoch, one after the other."""

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
        """base * lr_lambda(1) * ... * lr_lambda(epoch)"""
        return self.base_lr * math.prod(
            float(self.lr_lambda(e)) for e in range(1, self.last_epoch + 1)
        )
