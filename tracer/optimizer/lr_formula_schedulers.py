"""Schedulers that compute the learning rate from the epoch by a formula."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

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


def _check_positive(scheduler: str, name: str, value: int) -> None:
    """Raise OpError unless a number of epochs is a positive int."""
    if not isinstance(value, int | np.integer) or value <= 0:
        raise OpError(append_user_line(f"{scheduler}: {name}={value!r} is not a positive int"))


class StepDecay(LRScheduler):
    """Multiply the learning rate by gamma every step_size epochs.

    rate = learning_rate * gamma^(epoch // step_size)

    Parameters
    ----------
    learning_rate : float
    step_size : int
        Positive.
    gamma : float, default 0.1
        Less than 1.
    last_epoch : int, default -1
        The epoch before the first one; -1 starts at epoch 0.
    verbose : bool, default False
        Print the learning rate at each step.

    Raises
    ------
    OpError
        If gamma >= 1.

    Examples
    --------
    >>> scheduler = paddle.optimizer.lr.StepDecay(0.5, step_size=2, gamma=0.1)
    >>> for epoch in range(4):
    ...     print(round(scheduler(), 3), end=" ")
    ...     scheduler.step()
    0.5 0.5 0.05 0.05
    """

    def __init__(
        self,
        learning_rate: float,
        step_size: int,
        gamma: float = 0.1,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        _check_gamma("StepDecay", gamma)
        _check_positive("StepDecay", "step_size", step_size)
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        return self.base_lr * float(self.gamma ** (self.last_epoch // self.step_size))


class MultiStepDecay(LRScheduler):
    """Multiply the learning rate by gamma at each milestone.

    rate = learning_rate * gamma^(number of milestones <= epoch)

    Parameters
    ----------
    learning_rate : float
    milestones : list of int
        Epochs, increasing.
    gamma : float, default 0.1
        Less than 1.
    last_epoch : int, default -1
        The epoch before the first one; -1 starts at epoch 0.
    verbose : bool, default False
        Print the learning rate at each step.

    Raises
    ------
    OpError
        If gamma >= 1 or the milestones do not increase.

    Examples
    --------
    >>> scheduler = paddle.optimizer.lr.MultiStepDecay(0.5, milestones=[1, 3], gamma=0.1)
    >>> for epoch in range(4):
    ...     print(round(scheduler(), 4), end=" ")
    ...     scheduler.step()
    0.5 0.05 0.05 0.005
    """

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
        return self.base_lr * float(
            self.gamma ** sum(self.last_epoch >= m for m in self.milestones)
        )


class ExponentialDecay(LRScheduler):
    """Multiply the learning rate by gamma every epoch.

    rate = learning_rate * gamma^epoch

    Parameters
    ----------
    learning_rate : float
    gamma : float
    last_epoch : int, default -1
        The epoch before the first one; -1 starts at epoch 0.
    verbose : bool, default False
        Print the learning rate at each step.

    Examples
    --------
    >>> scheduler = paddle.optimizer.lr.ExponentialDecay(0.8, gamma=0.5)
    >>> scheduler.step()
    >>> scheduler()
    0.4
    """

    def __init__(
        self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        return self.base_lr * float(self.gamma**self.last_epoch)


class PiecewiseDecay(LRScheduler):
    """Piecewise constant learning rate.

    rate = values[number of boundaries <= epoch]

    Parameters
    ----------
    boundaries : list of int
        Epochs at which the rate changes, increasing; at least one.
    values : list of float
        One more than boundaries.
    last_epoch : int, default -1
        The epoch before the first one; -1 starts at epoch 0.
    verbose : bool, default False
        Print the learning rate at each step.

    Raises
    ------
    OpError
        If there are no boundaries or not more values than boundaries.

    Examples
    --------
    >>> scheduler = paddle.optimizer.lr.PiecewiseDecay(boundaries=[1, 3], values=[0.5, 0.1, 0.01])
    >>> for epoch in range(4):
    ...     print(scheduler(), end=" ")
    ...     scheduler.step()
    0.5 0.1 0.1 0.01
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
        return self.values[sum(self.last_epoch >= b for b in self.boundaries)]


class CosineAnnealingDecay(LRScheduler):
    """Cosine annealing of the learning rate to eta_min, without restarts.

    rate = eta_min + (learning_rate - eta_min) * (1 + cos(pi * epoch / T_max)) / 2

    It increases again after epoch T_max (Loshchilov and Hutter 2016).

    Parameters
    ----------
    learning_rate : float
    T_max : int
        The epoch at which the rate is eta_min; positive.
    eta_min : float, default 0.0
    last_epoch : int, default -1
        The epoch before the first one; -1 starts at epoch 0.
    verbose : bool, default False
        Print the learning rate at each step.

    Notes
    -----
    The rate follows from the epoch alone, also after ``step(epoch)``.

    Examples
    --------
    >>> scheduler = paddle.optimizer.lr.CosineAnnealingDecay(1.0, T_max=4)
    >>> for epoch in range(6):
    ...     print(round(scheduler(), 3), end=" ")
    ...     scheduler.step()
    1.0 0.854 0.5 0.146 0.0 0.146
    """

    def __init__(
        self,
        learning_rate: float,
        T_max: int,
        eta_min: float = 0.0,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        _check_positive("CosineAnnealingDecay", "T_max", T_max)
        self.T_max = T_max
        self.eta_min = float(eta_min)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        return (
            self.eta_min
            + (self.base_lr - self.eta_min)
            * (1 + math.cos(math.pi * self.last_epoch / self.T_max))
            / 2
        )


class LinearWarmup(LRScheduler):
    """Linear warm-up of the learning rate, followed by another rate or scheduler.

    rate = start_lr + (end_lr - start_lr) * epoch / warmup_steps before epoch warmup_steps, then
    `learning_rate`.

    Parameters
    ----------
    learning_rate : float or LRScheduler
        The rate after the warm-up. A scheduler starts at its epoch 0 then; do not call its `step`.
    warmup_steps : int
    start_lr, end_lr : float
        The rate at epoch 0, and the rate that the warm-up approaches.
    last_epoch : int, default -1
        The epoch before the first one; -1 starts at epoch 0.
    verbose : bool, default False
        Print the learning rate at each step.

    Raises
    ------
    OperandError
        If `learning_rate` is neither a number nor a scheduler.

    Examples
    --------
    >>> decay = paddle.optimizer.lr.ExponentialDecay(1.0, gamma=0.5)
    >>> scheduler = paddle.optimizer.lr.LinearWarmup(decay, 2, start_lr=0.0, end_lr=1.0)
    >>> for epoch in range(5):
    ...     print(scheduler(), end=" ")
    ...     scheduler.step()
    0.0 0.5 1.0 0.5 0.25
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
        """Return the state of this scheduler and of the one that follows the warm-up.

        Returns
        -------
        dict
            The key "LinearWarmup_LR" holds the state of the scheduler that follows, if it is one.

        Examples
        --------
        >>> decay = paddle.optimizer.lr.ExponentialDecay(1.0, gamma=0.5)
        >>> paddle.optimizer.lr.LinearWarmup(decay, 2, 0.0, 1.0).state_dict()
        {'last_epoch': 0, 'last_lr': 0.0, 'LinearWarmup_LR': {'last_epoch': 0, 'last_lr': 1.0}}
        """
        state = super().state_dict()
        if isinstance(self.after, LRScheduler):
            state["LinearWarmup_LR"] = self.after.state_dict()
        return state

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Set the state of this scheduler and of the one that follows the warm-up.

        Parameters
        ----------
        state_dict : dict
            What `state_dict` returned.

        Raises
        ------
        MissingStateError
            If a value is missing; it is a RuntimeError.

        Examples
        --------
        >>> scheduler = paddle.optimizer.lr.LinearWarmup(0.5, 4, start_lr=0.0, end_lr=0.5)
        >>> scheduler.set_state_dict({"last_epoch": 2, "last_lr": 0.25})
        >>> scheduler.step()
        >>> scheduler()
        0.375
        """
        own_state = {key: value for key, value in state_dict.items() if key != "LinearWarmup_LR"}
        super().set_state_dict(own_state if isinstance(self.after, LRScheduler) else state_dict)
        if isinstance(self.after, LRScheduler) and "LinearWarmup_LR" in state_dict:
            self.after.set_state_dict(state_dict["LinearWarmup_LR"])

    set_dict = set_state_dict

    def get_lr(self) -> float:
        if self.last_epoch < self.warmup_steps:
            return (
                self.start_lr + (self.end_lr - self.start_lr) * self.last_epoch / self.warmup_steps
            )
        if isinstance(self.after, LRScheduler):
            self.after.step(self.last_epoch - self.warmup_steps)
            return self.after()
        return float(self.after)


class LambdaDecay(LRScheduler):
    """Set the learning rate to a function of the epoch.

    rate = learning_rate * lr_lambda(epoch)

    Parameters
    ----------
    learning_rate : float
    lr_lambda : callable
        ``lr_lambda(epoch)`` returns the factor of the initial rate.
    last_epoch : int, default -1
        The epoch before the first one; -1 starts at epoch 0.
    verbose : bool, default False
        Print the learning rate at each step.

    Examples
    --------
    >>> scheduler = paddle.optimizer.lr.LambdaDecay(0.5, lambda epoch: 1 / (1 + epoch))
    >>> scheduler.step()
    >>> scheduler()
    0.25
    """

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
        return self.base_lr * self.lr_lambda(self.last_epoch)


class NoamDecay(LRScheduler):
    """The schedule of the Transformer: linear warm-up, then decay by the inverse square root.

    rate = learning_rate * d_model^-0.5 * min(epoch^-0.5, epoch * warmup_steps^-1.5)

    The rate of epoch 0 is 0 (Vaswani et al. 2017). Call `step` after each training step.

    Parameters
    ----------
    d_model : int
        Size of the hidden states of the model.
    warmup_steps : int
        The epoch of the highest rate.
    learning_rate : float, default 1.0
        A factor.
    last_epoch : int, default -1
        The epoch before the first one; -1 starts at epoch 0.
    verbose : bool, default False
        Print the learning rate at each step.

    Examples
    --------
    >>> scheduler = paddle.optimizer.lr.NoamDecay(d_model=64, warmup_steps=4)
    >>> for step in range(6):
    ...     print(round(scheduler(), 4), end=" ")
    ...     scheduler.step()
    0.0 0.0156 0.0312 0.0469 0.0625 0.0559
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
        rise = float(self.warmup_steps**-1.5) * self.last_epoch
        fall = float(self.last_epoch**-0.5) if self.last_epoch else 1.0
        return self.base_lr * float(self.d_model**-0.5) * min(rise, fall)


class NaturalExpDecay(LRScheduler):
    """Multiply the learning rate by exp(-gamma) every epoch.

    rate = learning_rate * exp(-gamma * epoch)

    Parameters
    ----------
    learning_rate : float
    gamma : float
    last_epoch : int, default -1
        The epoch before the first one; -1 starts at epoch 0.
    verbose : bool, default False
        Print the learning rate at each step.

    Examples
    --------
    >>> scheduler = paddle.optimizer.lr.NaturalExpDecay(0.5, gamma=0.1)
    >>> scheduler.step()
    >>> round(scheduler(), 4)
    0.4524
    """

    def __init__(
        self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        return self.base_lr * math.exp(-self.gamma * self.last_epoch)


class InverseTimeDecay(LRScheduler):
    """Divide the initial learning rate by a linear function of the epoch.

    rate = learning_rate / (1 + gamma * epoch)

    Parameters
    ----------
    learning_rate : float
    gamma : float
    last_epoch : int, default -1
        The epoch before the first one; -1 starts at epoch 0.
    verbose : bool, default False
        Print the learning rate at each step.

    Examples
    --------
    >>> scheduler = paddle.optimizer.lr.InverseTimeDecay(0.5, gamma=1.0)
    >>> scheduler.step()
    >>> scheduler()
    0.25
    """

    def __init__(
        self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        return self.base_lr / (1 + self.gamma * self.last_epoch)


class MultiplicativeDecay(LRScheduler):
    """Multiply the learning rate by lr_lambda(epoch) at every epoch, cumulatively.

    rate = learning_rate * lr_lambda(1) * ... * lr_lambda(epoch)

    Parameters
    ----------
    learning_rate : float
    lr_lambda : callable
        ``lr_lambda(epoch)`` returns the factor between the rates of epoch - 1 and epoch. It is
        called for all epochs from 1 at each step.
    last_epoch : int, default -1
        The epoch before the first one; -1 starts at epoch 0.
    verbose : bool, default False
        Print the learning rate at each step.

    Examples
    --------
    >>> scheduler = paddle.optimizer.lr.MultiplicativeDecay(0.8, lambda epoch: 0.5)
    >>> for epoch in range(3):
    ...     print(scheduler(), end=" ")
    ...     scheduler.step()
    0.8 0.4 0.2
    """

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
        return self.base_lr * math.prod(
            float(self.lr_lambda(e)) for e in range(1, self.last_epoch + 1)
        )


class PolynomialDecay(LRScheduler):
    """Polynomial decay of the learning rate to end_lr in decay_steps epochs.

    rate = end_lr + (learning_rate - end_lr) * (1 - min(epoch, decay_steps) / decay_steps)^power

    Parameters
    ----------
    learning_rate : float
    decay_steps : int
        Positive.
    end_lr : float, default 0.0001
    power : float, default 1.0
        1: linear.
    cycle : bool, default False
        Instead of staying at end_lr, replace decay_steps by its smallest multiple >= epoch.
    last_epoch : int, default -1
        The epoch before the first one; -1 starts at epoch 0.
    verbose : bool, default False
        Print the learning rate at each step.

    Raises
    ------
    OpError
        If `decay_steps` is not positive.

    Examples
    --------
    >>> scheduler = paddle.optimizer.lr.PolynomialDecay(0.5, decay_steps=4, end_lr=0.1)
    >>> for epoch in range(6):
    ...     print(round(scheduler(), 3), end=" ")
    ...     scheduler.step()
    0.5 0.4 0.3 0.2 0.1 0.1
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
            raise OpError(
                append_user_line(f"PolynomialDecay: decay_steps={decay_steps} is not positive")
            )
        self.decay_steps, self.end_lr, self.power, self.cycle = (
            decay_steps,
            float(end_lr),
            power,
            cycle,
        )
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        epoch, steps = self.last_epoch, self.decay_steps
        if self.cycle:
            steps *= max(1, math.ceil(epoch / steps))
        remaining = 1 - (epoch if self.cycle else min(epoch, steps)) / steps
        return (self.base_lr - self.end_lr) * float(remaining**self.power) + self.end_lr


class LinearLR(LRScheduler):
    """Multiply the initial learning rate by a factor that changes linearly.

    rate = learning_rate * (start_factor + (end_factor - start_factor) * min(epoch / total_steps,
    1))

    Parameters
    ----------
    learning_rate : float
    total_steps : int
        The epoch at which the factor is end_factor; positive.
    start_factor : float, default 1 / 3
        In (0, 1].
    end_factor : float, default 1.0
        In [0, 1].
    last_epoch : int, default -1
        The epoch before the first one; -1 starts at epoch 0.
    verbose : bool, default False
        Print the learning rate at each step.

    Raises
    ------
    OpError
        If a factor is out of range.

    Examples
    --------
    >>> scheduler = paddle.optimizer.lr.LinearLR(0.8, total_steps=2, start_factor=0.5)
    >>> for epoch in range(4):
    ...     print(round(scheduler(), 3), end=" ")
    ...     scheduler.step()
    0.4 0.6 0.8 0.8
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
                append_user_line(
                    f"LinearLR: start_factor={start_factor} and end_factor={end_factor} "
                    f"should be in (0, 1] and [0, 1]"
                )
            )
        self.total_steps, self.start_factor, self.end_factor = total_steps, start_factor, end_factor
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        progress = min(self.last_epoch, self.total_steps) / self.total_steps
        return self.base_lr * (self.start_factor + (self.end_factor - self.start_factor) * progress)
