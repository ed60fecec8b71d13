"""What may happen between the steps of Model.fit, evaluate and predict."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from ..core.errors import OpError
from ..optimizer.lr import LRScheduler as Scheduler

__all__ = ["Callback", "EarlyStopping", "LRScheduler", "ModelCheckpoint", "ReduceLROnPlateau"]

Logs = dict[str, Any] | None


class Callback:
    """Base of callbacks: has `model`, and `params` with batch_size, epochs, steps, verbose,
    metrics.

    logs: 'loss' (a list), the metrics by name, 'step', 'batch_size'; at the beginning of an
    evaluation 'steps' and 'metrics'.
    """

    model: Any = None
    params: Any = None

    def __init__(self) -> None:
        self.model = None
        self.params = {}

    def set_params(self, params: dict[str, Any]) -> None:
        """Take over what fit was called with."""
        self.params = params

    def set_model(self, model: Any) -> None:
        """Take over the Model."""
        self.model = model

    def on_train_begin(self, logs: Logs = None) -> None:
        """Before the first epoch."""

    def on_train_end(self, logs: Logs = None) -> None:
        """After the last epoch."""

    def on_eval_begin(self, logs: Logs = None) -> None:
        """Before an evaluation."""

    def on_eval_end(self, logs: Logs = None) -> None:
        """After an evaluation."""

    def on_predict_begin(self, logs: Logs = None) -> None:
        """Before a prediction."""

    def on_predict_end(self, logs: Logs = None) -> None:
        """After a prediction."""

    def on_epoch_begin(self, epoch: int, logs: Logs = None) -> None:
        """Before an epoch."""

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        """After an epoch, before its evaluation."""

    def on_train_batch_begin(self, step: int, logs: Logs = None) -> None:
        """Before a step of training."""

    def on_train_batch_end(self, step: int, logs: Logs = None) -> None:
        """After a step of training."""

    def on_eval_batch_begin(self, step: int, logs: Logs = None) -> None:
        """Before a batch of an evaluation."""

    def on_eval_batch_end(self, step: int, logs: Logs = None) -> None:
        """After a batch of an evaluation."""

    def on_predict_batch_begin(self, step: int, logs: Logs = None) -> None:
        """Before a batch of a prediction."""

    def on_predict_batch_end(self, step: int, logs: Logs = None) -> None:
        """After a batch of a prediction."""


class CallbackList:
    """Callbacks called one after the other: `call('eval_begin', logs)` calls
    on_eval_begin of each.
    """

    def __init__(self, callbacks: Sequence[Callback], model: Any, params: dict[str, Any]) -> None:
        self.callbacks = list(callbacks)
        for callback in self.callbacks:
            callback.set_model(model)
            callback.set_params(params)

    def __iter__(self) -> Iterator[Callback]:
        return iter(self.callbacks)

    def call(self, event: str, *args: Any) -> None:
        """Tell all of an event."""
        for callback in self.callbacks:
            getattr(callback, f"on_{event}")(*args)


class ModelCheckpoint(Callback):
    """Model.save to `save_dir`/EPOCH every save_freq epochs, and to `save_dir`/final at the end."""

    def __init__(self, save_freq: int = 1, save_dir: str | None = None) -> None:
        super().__init__()
        self.save_freq = save_freq
        self.save_dir = save_dir

    def _save(self, name: str) -> None:
        path = os.path.abspath(os.path.join(str(self.save_dir), name))
        if self.params.get("verbose", 1):
            print(f"save checkpoint at {path}")
        self.model.save(path)

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        """Save where it is this epoch's turn."""
        if self.save_dir and epoch % self.save_freq == 0:
            self._save(str(epoch))

    def on_train_end(self, logs: Logs = None) -> None:
        """Save what training ended with."""
        if self.save_dir:
            self._save("final")


class LRScheduler(Callback):
    """A step of the optimizer's scheduler, if it has one, after every step of training or every
    epoch.
    """

    def __init__(self, by_step: bool = True, by_epoch: bool = False) -> None:
        super().__init__()
        if by_step and by_epoch:
            raise OpError("LRScheduler: by_step and by_epoch exclude each other")
        self.by_step = by_step
        self.by_epoch = by_epoch

    def _step(self) -> None:
        scheduler = getattr(self.model._optimizer, "_learning_rate", None)
        if isinstance(scheduler, Scheduler):
            scheduler.step()

    def on_train_batch_end(self, step: int, logs: Logs = None) -> None:
        """A step, if by_step."""
        if self.by_step:
            self._step()

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        """A step, if by_epoch."""
        if self.by_epoch:
            self._step()


class _Watch(Callback):
    """Whether a value of the evaluation got better.

    mode: min, max, or auto, which is max for names with 'acc'
    """

    def __init__(self, monitor: str, mode: str, min_delta: float) -> None:
        super().__init__()
        if mode not in ("auto", "min", "max"):
            warnings.warn(
                f"{type(self).__name__}: mode={mode!r} is not one of auto, min, max; auto is taken",
                stacklevel=3,
            )
            mode = "auto"
        self.monitor, self.mode, self.min_delta = monitor, mode, abs(min_delta)
        self._sign = 1.0 if mode == "max" or (mode == "auto" and "acc" in monitor) else -1.0
        self._best = -math.inf  # times the sign: larger is better

    def _watched(self, logs: Logs) -> float | None:
        """The value, or None with a warning where the evaluation did not give one."""
        value = (logs or {}).get(self.monitor)
        value = value[0] if isinstance(value, list | tuple) else value
        if not isinstance(value, int | float):
            warnings.warn(
                f"{type(self).__name__}: the evaluation has no {self.monitor!r}; it has "
                f"{sorted(logs or {})}",
                stacklevel=2,
            )
            return None
        return float(value)

    def _better(self, value: float) -> bool:
        """Whether this is the best one so far; it is kept if so."""
        if self._sign * value - self.min_delta <= self._best:
            return False
        self._best = self._sign * value
        return True


class EarlyStopping(_Watch):
    """Ends training when `monitor` of the evaluation did not get better `patience` times in a row.

    baseline: what it must be better than at first.
    save_best_model: to `best_model` in the folder where fit saves.
    """

    def __init__(
        self,
        monitor: str = "loss",
        mode: str = "auto",
        patience: int = 0,
        verbose: int = 1,
        min_delta: float = 0,
        baseline: float | None = None,
        save_best_model: bool = True,
    ) -> None:
        super().__init__(monitor, mode, min_delta)
        self.patience, self.verbose, self.baseline = patience, verbose, baseline
        self.save_best_model = save_best_model
        self.save_dir: str | None = None  # fit sets the folder
        self.wait_epoch = self.stopped_epoch = 0

    @property
    def best_value(self) -> float:
        """The best value so far."""
        return self._sign * self._best

    def on_train_begin(self, logs: Logs = None) -> None:
        """Start anew."""
        self.wait_epoch = 0
        self._best = -math.inf if self.baseline is None else self._sign * self.baseline

    def on_eval_end(self, logs: Logs = None) -> None:
        """Look at the value."""
        value = self._watched(logs)
        if value is None:
            return
        if self._better(value):
            self.wait_epoch = 0
            if self.save_best_model and self.save_dir is not None:
                self.model.save(os.path.join(self.save_dir, "best_model"))
        else:
            self.wait_epoch += 1
            if self.wait_epoch >= self.patience:
                self._stop()
        self.stopped_epoch += 1

    def _stop(self) -> None:
        self.model.stop_training = True
        if self.verbose > 0:
            print(f"Epoch {self.stopped_epoch + 1}: Early stopping.")
            if self.save_best_model and self.save_dir is not None:
                print(
                    f"Best checkpoint has been saved at "
                    f"{os.path.abspath(os.path.join(self.save_dir, 'best_model'))}"
                )


class ReduceLROnPlateau(_Watch):
    """Multiplies the learning rate by `factor` when `monitor` of the evaluation did not get better
    `patience` times in a row.

    cooldown: evaluations that do not count after that; min_lr: never below.
    For a learning rate that is a number.
    """

    def __init__(
        self,
        monitor: str = "loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: int = 1,
        mode: str = "auto",
        min_delta: float = 0.0001,
        cooldown: int = 0,
        min_lr: float = 0,
    ) -> None:
        super().__init__(monitor, mode, min_delta)
        if factor >= 1.0:
            raise OpError(f"ReduceLROnPlateau: factor={factor} is not below 1")
        self.factor, self.patience, self.verbose = factor, patience, verbose
        self.cooldown, self.min_lr = cooldown, min_lr
        self.cooldown_counter = self.wait = self.epoch = 0

    def on_train_begin(self, logs: Logs = None) -> None:
        """Start anew."""
        self._best = -math.inf
        self.cooldown_counter = self.wait = 0

    def in_cooldown(self) -> bool:
        """Whether evaluations do not count now."""
        return self.cooldown_counter > 0

    def on_eval_end(self, logs: Logs = None) -> None:
        """Look at the value."""
        value = self._watched(logs)
        if value is None:
            return
        if not isinstance(self.model._optimizer._learning_rate, int | float):
            warnings.warn(
                "ReduceLROnPlateau: the learning rate is a scheduler's, and stays so", stacklevel=2
            )
            return
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.wait = 0
        if self._better(value):
            self.wait = 0
        elif not self.in_cooldown():
            self.wait += 1
            if self.wait >= self.patience:
                self._reduce()
        self.epoch += 1

    def _reduce(self) -> None:
        optimizer = self.model._optimizer
        if optimizer.get_lr() <= self.min_lr:
            return
        optimizer.set_lr(max(optimizer.get_lr() * self.factor, self.min_lr))
        if self.verbose > 0:
            print(
                f"\nEpoch {self.epoch + 1}: ReduceLROnPlateau reducing learning rate to "
                f"{optimizer.get_lr()}."
            )
        self.cooldown_counter, self.wait = self.cooldown, 0
