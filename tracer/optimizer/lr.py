"""Learning rates that change.   Each `step()` moves to the next; `scheduler()` is the rate now."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any


class LRScheduler:
    """Base of all schedulers.   learning_rate: where it starts; last_epoch: -1 for the beginning."""

    def __init__(self, learning_rate: float = 0.1, last_epoch: int = -1, verbose: bool = False) -> None:
        self.base_lr = float(learning_rate)
        self.last_lr = float(learning_rate)
        self.last_epoch = last_epoch
        self.verbose = verbose
        self.step()

    def __call__(self) -> float:
        """The rate now."""
        return self.last_lr

    def step(self, epoch: int | None = None) -> None:
        """Move to the next epoch, or to `epoch`."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self.last_lr = self.get_lr()
        if self.verbose:
            print(f"Epoch {self.last_epoch}: {type(self).__name__} set learning rate to {self.last_lr}.")

    def get_lr(self) -> float:
        """The rate at last_epoch."""
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """What set_state_dict needs to go on from here."""
        return {"last_epoch": self.last_epoch, "last_lr": self.last_lr}

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from where state_dict() was taken."""
        self.last_epoch, self.last_lr = int(state_dict["last_epoch"]), float(state_dict["last_lr"])

    set_dict = set_state_dict


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
