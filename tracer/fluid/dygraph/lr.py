"""Learning-rate schedules of eager mode: `fluid.dygraph.NoamDecay` and others.

Unlike the schedulers of Paddle 2, schedules by step advance whenever the rate is read by a call, as
optimizers do.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.errors import append_user_line
from ...core.tensor import Tensor
from ...optimizer.lr_base import LRScheduler

__all__ = [
    "CosineDecay",
    "ExponentialDecay",
    "InverseTimeDecay",
    "LambdaDecay",
    "LinearLrWarmup",
    "MultiStepDecay",
    "NaturalExpDecay",
    "NoamDecay",
    "PiecewiseDecay",
    "PolynomialDecay",
    "ReduceLROnPlateau",
    "StepDecay",
]


class LearningRateDecay(LRScheduler):
    """Base class of the schedules.

    begin: number of the first step.
    step: increment of the step number.
    `step()` returns the current rate.
    """

    keys: tuple[str, ...] = ("step_num",)  # attributes that state_dict returns

    def __init__(self, begin: int = 0, step: int = 1, dtype: Any = "float32") -> None:
        self.step_num, self.step_size, self.dtype = begin, step, dtype

    def __call__(self) -> float:
        """Return the current rate and advance to the next step."""
        rate = float(self.step())
        self.step_num += self.step_size
        return rate

    def step(self, epoch: Any = None) -> Any:
        """Return the current rate."""
        raise NotImplementedError

    @property
    def last_lr(self) -> float:  # type: ignore[override]
        """The current rate, computed by `step()` at every read. Reading the rate of a
        LinearLrWarmup therefore advances the schedule that it wraps.
        """
        return float(self.step())

    def create_lr_var(self, lr: float) -> Tensor:
        """Return a rate as a tensor [1]."""
        return Tensor(np.array([lr], np.float32))

    def state_dict(self) -> dict[str, Any]:
        """Return the state that set_dict restores."""
        return {key: self.__dict__[key] for key in self.keys if key in self.__dict__}

    def set_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore the state of state_dict(). Raises RuntimeError if the state belongs to another
        type of schedule.
        """
        for key in self.keys:
            if key not in state_dict:
                why = (
                    f"Please check whether state_dict is correct for optimizer. Can't find [ "
                    f"{key} ] in state_dict"
                )
                raise RuntimeError(append_user_line(why))
            self.__dict__[key] = state_dict[key]
        if len(state_dict) > len(self.keys):
            warnings.warn("There are some unused values in state_dict.", stacklevel=2)

    set_state_dict = set_dict


class PiecewiseDecay(LearningRateDecay):
    """values[i] before step boundaries[i]; the last value after all boundaries."""

    def __init__(
        self,
        boundaries: Sequence[int],
        values: Sequence[float],
        begin: int,
        step: int = 1,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(begin, step, dtype)
        self.boundaries, self.values = list(boundaries), list(values)

    def step(self, epoch: Any = None) -> Any:
        """Return the learning rate of the current step."""
        return float(self.values[sum(self.step_num >= b for b in self.boundaries)])


class _DecayByRate(LearningRateDecay):
    """Base class of schedules that compute the rate from decay_rate and step / decay_steps.
    `staircase` rounds step / decay_steps down.
    """

    def __init__(
        self,
        learning_rate: float,
        decay_steps: int,
        decay_rate: float,
        staircase: bool = False,
        begin: int = 0,
        step: int = 1,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(begin, step, dtype)
        self.learning_rate, self.decay_steps, self.decay_rate = (
            learning_rate,
            decay_steps,
            decay_rate,
        )
        self.staircase = staircase

    def _num_periods(self) -> float:
        ratio = self.step_num / self.decay_steps
        return math.floor(ratio) if self.staircase else ratio


class NaturalExpDecay(_DecayByRate):
    """learning_rate * exp(-decay_rate * step / decay_steps)."""

    def step(self, epoch: Any = None) -> Any:
        """Return the learning rate of the current step."""
        return self.learning_rate * math.exp(-self.decay_rate * self._num_periods())


class ExponentialDecay(_DecayByRate):
    """learning_rate * decay_rate ** (step / decay_steps)."""

    def step(self, epoch: Any = None) -> Any:
        """Return the learning rate of the current step."""
        return self.learning_rate * float(self.decay_rate ** self._num_periods())


class InverseTimeDecay(_DecayByRate):
    """learning_rate / (1 + decay_rate * step / decay_steps)."""

    def step(self, epoch: Any = None) -> Any:
        """Return the learning rate of the current step."""
        return self.learning_rate / (1 + self.decay_rate * self._num_periods())


class PolynomialDecay(LearningRateDecay):
    """Polynomial decay from learning_rate to end_learning_rate over decay_steps steps.

    cycle: multiply decay_steps by the number of times that it was reached
    """

    def __init__(
        self,
        learning_rate: float,
        decay_steps: int,
        end_learning_rate: float = 0.0001,
        power: float = 1.0,
        cycle: bool = False,
        begin: int = 0,
        step: int = 1,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(begin, step, dtype)
        self.learning_rate, self.decay_steps, self.end_learning_rate = (
            learning_rate,
            decay_steps,
            end_learning_rate,
        )
        self.power, self.cycle = power, cycle

    def step(self, epoch: Any = None) -> Any:
        """Return the learning rate of the current step."""
        steps, step = float(self.decay_steps), self.step_num
        if self.cycle:
            steps *= max(math.ceil(step / steps), 1)
        else:
            step = min(step, self.decay_steps)
        return (self.learning_rate - self.end_learning_rate) * float(
            (1 - step / steps) ** self.power
        ) + self.end_learning_rate


class CosineDecay(LearningRateDecay):
    """Half a cosine over the epochs, from learning_rate to 0 (Loshchilov and Hutter 2016)."""

    def __init__(
        self,
        learning_rate: float,
        step_each_epoch: int,
        epochs: int,
        begin: int = 0,
        step: int = 1,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(begin, step, dtype)
        self.learning_rate, self.step_each_epoch, self.epochs = (
            learning_rate,
            step_each_epoch,
            epochs,
        )

    def step(self, epoch: Any = None) -> Any:
        """Return the learning rate of the current step."""
        epoch_num = math.floor(self.step_num / self.step_each_epoch)
        return self.learning_rate * 0.5 * (math.cos(epoch_num * math.pi / self.epochs) + 1)


class NoamDecay(LearningRateDecay):
    """learning_rate * d_model ** -0.5 * min(step ** -0.5, step * warmup_steps ** -1.5)

    (Vaswani et al. 2017).
    """

    def __init__(
        self,
        d_model: int,
        warmup_steps: int,
        begin: int = 1,
        step: int = 1,
        dtype: Any = "float32",
        learning_rate: float = 1.0,
    ) -> None:
        super().__init__(begin, step, dtype)
        self.learning_rate, self.d_model, self.warmup_steps = learning_rate, d_model, warmup_steps

    def step(self, epoch: Any = None) -> Any:
        """Return the learning rate of the current step."""
        warmup = float(self.warmup_steps**-1.5) * self.step_num
        return (
            self.learning_rate * float(self.d_model**-0.5) * min(float(self.step_num**-0.5), warmup)
        )


class LinearLrWarmup(LearningRateDecay):
    """Linear warm-up: step * (end_lr - start_lr) / warmup_steps, then `learning_rate`.

    learning_rate: a float or a schedule. As in 1.8, start_lr is not added.
    """

    def __init__(
        self,
        learning_rate: Any,
        warmup_steps: int,
        start_lr: float,
        end_lr: float,
        begin: int = 1,
        step: int = 1,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(begin, step, dtype)
        if not isinstance(learning_rate, int | float | LearningRateDecay):
            kind = type(learning_rate).__name__
            raise TypeError(
                append_user_line(
                    "the type of learning_rate should be [int, float or LearningRateDecay], not "
                    f"{kind}"
                )
            )
        if not end_lr > start_lr:
            raise AssertionError(f"end_lr {end_lr} must be greater than start_lr {start_lr}")
        self.learning_rate, self.warmup_steps = learning_rate, warmup_steps
        self.lr_ratio_before_warmup = (float(end_lr) - float(start_lr)) / float(warmup_steps)

    def step(self, epoch: Any = None) -> Any:
        """Return the learning rate of the current step. As in Paddle 1.8, each call also advances
        the schedule that was passed as learning_rate.
        """
        rate = (
            self.learning_rate()
            if isinstance(self.learning_rate, LearningRateDecay)
            else self.learning_rate
        )
        return (
            self.lr_ratio_before_warmup * self.step_num
            if self.step_num < self.warmup_steps
            else float(rate)
        )


class _ManuallySteppedDecay(LearningRateDecay):
    """Base class of schedules that only `step()` or `epoch()` advance; calling the schedule only
    returns the rate.
    """

    learning_rate: float

    def __call__(self) -> float:
        """Return the current rate."""
        return float(self.learning_rate)

    @property
    def last_lr(self) -> float:  # type: ignore[override]
        """The current rate."""
        return float(self.learning_rate)


class ReduceLROnPlateau(_ManuallySteppedDecay):
    """Multiply the rate by decay_rate if the loss passed to `step` has not improved more than
    `patience` times.
    """

    keys = ("cooldown_counter", "best_loss", "num_bad_epochs", "epoch_num", "learning_rate")

    def __init__(
        self,
        learning_rate: float,
        mode: str = "min",
        decay_rate: float = 0.1,
        patience: int = 10,
        verbose: bool = False,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float = 0,
        eps: float = 1e-8,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(dtype=dtype)
        if not isinstance(learning_rate, float | int):
            raise TypeError(
                append_user_line(
                    f"ReduceLROnPlateau: learning_rate is {type(learning_rate).__name__}, not a "
                    "number"
                )
            )
        if mode.lower() not in ("min", "max") or threshold_mode.lower() not in ("rel", "abs"):
            raise ValueError(
                append_user_line(
                    f"ReduceLROnPlateau: mode={mode!r} is not 'min' or 'max', or "
                    f"threshold_mode={threshold_mode!r} is not 'rel' or 'abs'"
                )
            )
        if decay_rate >= 1.0:
            raise ValueError("new_lr = origin_lr * decay_rate and decay_rate should be < 1.0.")
        self.mode, self.threshold_mode, self.threshold = (
            mode.lower(),
            threshold_mode.lower(),
            threshold,
        )
        self.decay_rate, self.patience, self.verbose = decay_rate, patience, verbose
        self.learning_rate, self.cooldown, self.min_lr, self.eps = (
            float(learning_rate),
            cooldown,
            min_lr,
            eps,
        )
        self.cooldown_counter = self.num_bad_epochs = self.epoch_num = 0
        self.best_loss: float | None = None

    def _is_better(self, loss: float, best: float) -> bool:
        margin = self.threshold * (best if self.threshold_mode == "rel" else 1.0)
        return loss < best - margin if self.mode == "min" else loss > best + margin

    def step(self, loss: Any = None) -> None:
        """Pass the loss [1] of an epoch, from which the schedule updates the rate."""
        value = float(np.asarray(loss).reshape(-1)[0])
        self.epoch_num += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            return
        if self.best_loss is None or self._is_better(value, self.best_loss):
            self.best_loss, self.num_bad_epochs = value, 0
        else:
            self.num_bad_epochs += 1
        if self.num_bad_epochs > self.patience:
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
            self._reduce_rate()

    def _reduce_rate(self) -> None:
        reduced = max(self.learning_rate * self.decay_rate, self.min_lr)
        if self.learning_rate - reduced > self.eps:
            if self.verbose:
                print(
                    f"Epoch {self.epoch_num}: reducing learning rate from "
                    f"{self.learning_rate} to {reduced}."
                )
            self.learning_rate = reduced


class _EpochDecayBase(_ManuallySteppedDecay):
    """Base class of schedules by epoch; `epoch()` advances them."""

    keys = ("epoch_num", "learning_rate")

    def __init__(self, learning_rate: float, dtype: Any = None) -> None:
        if not isinstance(learning_rate, float | int):
            kind = type(learning_rate).__name__
            raise TypeError(
                append_user_line(
                    f"The type of 'learning_rate' must be 'float, int', but received {kind}."
                )
            )
        if learning_rate < 0:
            raise ValueError(append_user_line(f"Invalid learning rate: {learning_rate}"))
        super().__init__(dtype=dtype or "float32")
        self.base_lr, self.epoch_num = float(learning_rate), -1
        self.epoch()

    def epoch(self, epoch: int | None = None) -> None:
        """Move to the next epoch, or to `epoch`."""
        self.epoch_num = self.epoch_num + 1 if epoch is None else epoch
        self.learning_rate = self.get_lr()


class StepDecay(_EpochDecayBase):
    """Multiply the rate by decay_rate every step_size epochs."""

    def __init__(self, learning_rate: float, step_size: int, decay_rate: float = 0.1) -> None:
        if not isinstance(step_size, int):
            raise TypeError(
                f"The type of 'step_size' must be 'int', but received {type(step_size).__name__}."
            )
        if decay_rate >= 1.0:
            raise ValueError("decay_rate should be < 1.0.")
        self.step_size_of_epochs, self.decay_rate = step_size, decay_rate
        super().__init__(learning_rate)

    def get_lr(self) -> float:
        """Return the rate of the current epoch."""
        return self.base_lr * float(self.decay_rate ** (self.epoch_num // self.step_size_of_epochs))


class MultiStepDecay(_EpochDecayBase):
    """Multiply the rate by decay_rate at each milestone."""

    def __init__(
        self, learning_rate: float, milestones: Sequence[int], decay_rate: float = 0.1
    ) -> None:
        if not isinstance(milestones, list | tuple):
            raise TypeError("The type of 'milestones' in 'MultiStepDecay' must be 'tuple, list'.")
        if list(milestones) != sorted(set(milestones)):
            raise ValueError("The elements of milestones must be incremented")
        if decay_rate >= 1.0:
            raise ValueError("decay_rate should be < 1.0.")
        self.milestones, self.decay_rate = milestones, decay_rate
        super().__init__(learning_rate)

    def get_lr(self) -> float:
        """Return the rate of the current epoch."""
        return self.base_lr * float(
            self.decay_rate ** sum(self.epoch_num >= m for m in self.milestones)
        )


class LambdaDecay(_EpochDecayBase):
    """learning_rate * lr_lambda(epoch)."""

    def __init__(self, learning_rate: float, lr_lambda: Callable[[int], float]) -> None:
        if not callable(lr_lambda):
            raise TypeError("The type of 'lr_lambda' in 'LambdaDecay' must be 'function'.")
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate)

    def get_lr(self) -> float:
        """Return the rate of the current epoch."""
        return self.base_lr * self.lr_lambda(self.epoch_num)
