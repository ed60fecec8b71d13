"""Learning rates that go down (or up first) with the epochs, by a formula."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from .lr_base import LRScheduler

__all__ = [
    "CosineAnnealingDecay", "ExponentialDecay", "InverseTimeDecay", "LambdaDecay", "LinearWarmup",
    "MultiStepDecay", "MultiplicativeDecay", "NaturalExpDecay", "NoamDecay", "PiecewiseDecay", "StepDecay",
]  # fmt: skip


class StepDecay(LRScheduler):
    """Times gamma every step_size epochs."""

    def __init__(
        self, learning_rate: float, step_size: int, gamma: float = 0.1, last_epoch: int = -1, verbose: bool = False
    ) -> None:
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
        self.milestones = list(milestones)
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """base * gamma ** (milestones passed)"""
        return self.base_lr * float(self.gamma ** sum(self.last_epoch >= m for m in self.milestones))


class ExponentialDecay(LRScheduler):
    """Times gamma every epoch."""

    def __init__(self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False) -> None:
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """base * gamma ** epoch"""
        return self.base_lr * float(self.gamma**self.last_epoch)


class PiecewiseDecay(LRScheduler):
    """values[i] up to boundaries[i], the last value after them."""

    def __init__(
        self, boundaries: Sequence[int], values: Sequence[float], last_epoch: int = -1, verbose: bool = False
    ) -> None:
        self.boundaries = list(boundaries)
        self.values = [float(v) for v in values]
        super().__init__(self.values[0], last_epoch, verbose)

    def get_lr(self) -> float:
        """The value of the piece that holds the epoch."""
        return self.values[sum(self.last_epoch >= b for b in self.boundaries)]


class CosineAnnealingDecay(LRScheduler):
    """A half cosine from the start down to eta_min and back   (Loshchilov and Hutter 2016, without restarts)."""

    def __init__(
        self, learning_rate: float, T_max: int, eta_min: float = 0.0, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        self.T_max = T_max
        self.eta_min = float(eta_min)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """eta_min + (base - eta_min) * (1 + cos(pi * epoch / T_max)) / 2"""
        return self.eta_min + (self.base_lr - self.eta_min) * (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2


class LinearWarmup(LRScheduler):
    """From start_lr to end_lr in warmup_steps, then `learning_rate`, which may be a scheduler."""

    def __init__(
        self, learning_rate: float | LRScheduler, warmup_steps: int, start_lr: float, end_lr: float, last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:  # fmt: skip
        self.after = learning_rate
        self.warmup_steps = warmup_steps
        self.start_lr = start_lr
        self.end_lr = end_lr
        super().__init__(start_lr, last_epoch, verbose)

    def get_lr(self) -> float:
        """A straight line, then the rate after it."""
        if self.last_epoch < self.warmup_steps:
            return self.start_lr + (self.end_lr - self.start_lr) * self.last_epoch / self.warmup_steps
        if isinstance(self.after, LRScheduler):
            self.after.step(self.last_epoch - self.warmup_steps)
            return self.after()
        return float(self.after)


class LambdaDecay(LRScheduler):
    """Times lr_lambda(epoch)."""

    def __init__(
        self, learning_rate: float, lr_lambda: Callable[[int], float], last_epoch: int = -1, verbose: bool = False
    ) -> None:
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """base * lr_lambda(epoch)"""
        return self.base_lr * self.lr_lambda(self.last_epoch)


class NoamDecay(LRScheduler):
    """learning_rate * d_model ** -0.5 * min(epoch ** -0.5, epoch * warmup_steps ** -1.5)   (Vaswani et al. 2017)."""

    def __init__(
        self, d_model: int, warmup_steps: int, learning_rate: float = 1.0, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        self.d_model = d_model
        self.warmup_steps = warmup_steps
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """See the class."""
        rise = float(self.warmup_steps**-1.5) * self.last_epoch
        fall = float(self.last_epoch**-0.5) if self.last_epoch else 1.0
        return self.base_lr * float(self.d_model**-0.5) * min(rise, fall)


class NaturalExpDecay(LRScheduler):
    """Times e ** -gamma every epoch."""

    def __init__(self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False) -> None:
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """base * e ** (-gamma * epoch)"""
        return self.base_lr * math.exp(-self.gamma * self.last_epoch)


class InverseTimeDecay(LRScheduler):
    """Divided by 1 + gamma * epoch."""

    def __init__(self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False) -> None:
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """base / (1 + gamma * epoch)"""
        return self.base_lr / (1 + self.gamma * self.last_epoch)


class MultiplicativeDecay(LRScheduler):
    """Times lr_lambda(epoch) at every epoch, one after the other."""

    def __init__(
        self, learning_rate: float, lr_lambda: Callable[[int], float], last_epoch: int = -1, verbose: bool = False
    ) -> None:
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """base * lr_lambda(1) * ... * lr_lambda(epoch)"""
        return self.base_lr * math.prod(float(self.lr_lambda(e)) for e in range(1, self.last_epoch + 1))
