"""Schedulers with cycles: warm restarts, one cycle, triangular cycles."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..core.errors import OpError, append_user_line
from .lr_base import LRScheduler

__all__ = [
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "OneCycleLR",
]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Cosine annealing of the learning rate to eta_min, with warm restarts.

    rate = eta_min + (learning_rate - eta_min) * (1 + cos(pi * epochs since restart / cycle length))
    / 2

    The first cycle has T_0 epochs, each other one T_mult times as many as the previous (Loshchilov
    and Hutter 2016).

    Parameters
    ----------
    learning_rate : float
        The rate at the start of each cycle.
    T_0 : int
        Epochs of the first cycle, at least 1.
    T_mult : int, default 1
        At least 1.
    eta_min : float, default 0
    last_epoch : int, default -1
        The epoch before the first one; -1 starts at epoch 0.
    verbose : bool, default False
        Print the learning rate at each step.

    Raises
    ------
    OpError
        If `T_0` or `T_mult` is less than 1.

    Examples
    --------
    >>> scheduler = paddle.optimizer.lr.CosineAnnealingWarmRestarts(1.0, T_0=2, T_mult=2)
    >>> for epoch in range(5):
    ...     print(round(scheduler(), 3), end=" ")
    ...     scheduler.step()
    1.0 0.5 1.0 0.854 0.5
    """

    def __init__(
        self,
        learning_rate: float,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        if T_0 <= 0 or T_mult < 1:
            raise OpError(
                append_user_line(
                    f"CosineAnnealingWarmRestarts: T_0={T_0} and T_mult={T_mult} should be at "
                    "least 1"
                )
            )
        self.T_0, self.T_mult, self.eta_min = T_0, T_mult, float(eta_min)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        epochs_in_cycle, length = float(max(self.last_epoch, 0)), self.T_0
        while epochs_in_cycle >= length:
            epochs_in_cycle, length = epochs_in_cycle - length, length * self.T_mult
        return (
            self.eta_min
            + (self.base_lr - self.eta_min) * (1 + math.cos(math.pi * epochs_in_cycle / length)) / 2
        )


class OneCycleLR(LRScheduler):
    """One cycle of the learning rate: up to a maximum, then down to the end.

    From max_learning_rate / divide_factor at step 0 to max_learning_rate at step phase_pct *
    total_steps - 1, then to end_learning_rate at step total_steps - 1 (Smith and Topin 2017).

    Parameters
    ----------
    max_learning_rate : float
    total_steps : int
        Positive.
    divide_factor : float, default 25.0
    end_learning_rate : float, default 0.0001
    phase_pct : float, default 0.3
        The fraction of steps with an increasing rate, in [0, 1].
    anneal_strategy : "cos" or "linear", default "cos"
        The form of increase and decrease.
    three_phase : bool, default False
        Decrease to the initial rate first, in as many steps as the increase took, then to the end.
        It requires phase_pct < 0.5.
    last_epoch : int, default -1
        The epoch before the first one; -1 starts at epoch 0.
    verbose : bool, default False
        Print the learning rate at each step.

    Raises
    ------
    OpError
        If an argument is out of range, or if `step` moves beyond step `total_steps`.

    Examples
    --------
    >>> scheduler = paddle.optimizer.lr.OneCycleLR(
    ...     1.0, total_steps=7, phase_pct=3 / 7, anneal_strategy="linear"
    ... )
    >>> for step in range(7):
    ...     print(round(scheduler(), 3), end=" ")
    ...     scheduler.step()
    0.04 0.52 1.0 0.75 0.5 0.25 0.0
    """

    def __init__(
        self,
        max_learning_rate: float,
        total_steps: int,
        divide_factor: float = 25.0,
        end_learning_rate: float = 0.0001,
        phase_pct: float = 0.3,
        anneal_strategy: str = "cos",
        three_phase: bool = False,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        if total_steps <= 0 or not 0 <= phase_pct <= 1:
            raise OpError(
                append_user_line(
                    f"OneCycleLR: total_steps={total_steps} should be positive and "
                    f"phase_pct={phase_pct} in [0, 1]"
                )
            )
        if three_phase and phase_pct >= 0.5:
            raise OpError(
                append_user_line(f"OneCycleLR: three_phase requires phase_pct={phase_pct} < 0.5")
            )
        if anneal_strategy not in ("cos", "linear"):
            raise OpError(
                append_user_line(
                    f"OneCycleLR: anneal_strategy={anneal_strategy!r} is neither 'cos' nor 'linear'"
                )
            )
        start, end, peak = (
            max_learning_rate / divide_factor,
            float(end_learning_rate),
            float(max_learning_rate),
        )
        peak_step, last_step = phase_pct * total_steps - 1, float(total_steps - 1)
        middle = [(2 * phase_pct * total_steps - 2, start)] if three_phase else []
        self.total_steps = total_steps
        self._milestones = [(0.0, start), (peak_step, peak), *middle, (last_step, end)]
        self._cosine = anneal_strategy == "cos"
        super().__init__(start, last_epoch, verbose)

    def get_lr(self) -> float:
        epoch = self.last_epoch
        if epoch > self.total_steps:
            raise OpError(
                append_user_line(f"OneCycleLR: step {epoch} exceeds total_steps={self.total_steps}")
            )
        for (a, start), (b, end) in zip(self._milestones, self._milestones[1:], strict=False):
            if epoch <= b or b == self._milestones[-1][0]:
                progress = (epoch - a) / (b - a) if b > a else 1.0
                return (
                    end + (start - end) / 2 * (1 + math.cos(math.pi * progress))
                    if self._cosine
                    else start + (end - start) * progress
                )
        return end


class CyclicLR(LRScheduler):
    """Triangular cycles of the learning rate between two values.

    rate = base + (max - base) * height * scale

    where height goes from 0 to 1 in step_size_up steps and back in step_size_down steps (Smith
    2015).

    Parameters
    ----------
    base_learning_rate, max_learning_rate : float
        The lowest and the highest rate.
    step_size_up : int
        Positive.
    step_size_down : int, default step_size_up
        Positive.
    mode : "triangular", "triangular2" or "exp_range", default "triangular"
        The scale: 1, 0.5^(cycle - 1) with cycle = 1, 2, ..., or exp_gamma^step.
    exp_gamma : float, default 1.0
    scale_fn : callable, optional
        ``scale_fn(x)`` returns the scale; `mode` is not used then.
    scale_mode : "cycle" or "iterations", default "cycle"
        Whether the x of `scale_fn` is the number of the cycle (from 1) or of the step (from 0).
    last_epoch : int, default -1
        The epoch before the first one; -1 starts at epoch 0.
    verbose : bool, default False
        Print the learning rate at each step.

    Raises
    ------
    OpError
        If `mode` or `scale_mode` is unknown or a step size is not positive.

    Examples
    --------
    >>> scheduler = paddle.optimizer.lr.CyclicLR(0.1, 0.5, step_size_up=2, mode="triangular2")
    >>> for step in range(8):
    ...     print(round(scheduler(), 3), end=" ")
    ...     scheduler.step()
    0.1 0.3 0.5 0.3 0.1 0.2 0.3 0.2
    """

    def __init__(
        self,
        base_learning_rate: float,
        max_learning_rate: float,
        step_size_up: int,
        step_size_down: int | None = None,
        mode: str = "triangular",
        exp_gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        scales: dict[str, tuple[Callable[[float], float], str]] = {
            "triangular": (lambda _: 1.0, "cycle"),
            "triangular2": (lambda cycle: 0.5 ** (cycle - 1), "cycle"),
            "exp_range": (lambda step: exp_gamma**step, "iterations"),
        }
        if scale_fn is None and mode not in scales:
            raise OpError(append_user_line(f"CyclicLR: mode={mode!r} is not one of {list(scales)}"))
        if scale_mode not in ("cycle", "iterations"):
            raise OpError(
                append_user_line(
                    f"CyclicLR: scale_mode={scale_mode!r} is neither 'cycle' nor 'iterations'"
                )
            )
        if not step_size_up > 0 or (step_size_down is not None and not step_size_down > 0):
            sizes = f"step_size_up={step_size_up}, step_size_down={step_size_down}"
            raise OpError(append_user_line(f"CyclicLR: step sizes must be positive ({sizes})"))
        self._scale, self._scale_mode = scales[mode] if scale_fn is None else (scale_fn, scale_mode)
        self._num_up = float(step_size_up)
        self._cycle_length = self._num_up + float(
            step_size_up if step_size_down is None else step_size_down
        )
        self._amplitude = float(max_learning_rate) - float(base_learning_rate)
        super().__init__(base_learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        cycle = math.floor(1 + self.last_epoch / self._cycle_length)
        step_in_cycle = (1 + self.last_epoch / self._cycle_length - cycle) * self._cycle_length
        height = (
            step_in_cycle / self._num_up
            if step_in_cycle <= self._num_up
            else (self._cycle_length - step_in_cycle) / (self._cycle_length - self._num_up)
        )
        return self.base_lr + self._amplitude * height * self._scale(
            cycle if self._scale_mode == "cycle" else self.last_epoch
        )
