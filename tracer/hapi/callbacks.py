"""Callbacks of Model.fit, evaluate and predict."""

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
    """Base of callbacks, with the attributes `model` and `params` (batch_size, epochs, steps,
    verbose, metrics).

    logs: 'loss' (a list), the metrics by name, 'step', 'batch_size'; at the beginning of an
    evaluation 'steps' and 'metrics'
    """

    model: Any = None
    params: Any = None

    def __init__(self) -> None:
        self.model = None
        self.params = {}

    def set_params(self, params: dict[str, Any]) -> None:
        """Set the parameters of the run (batch_size, epochs, steps, verbose, metrics)."""
        self.params = params

    def set_model(self, model: Any) -> None:
        """Set the Model."""
        self.model = model

    def on_train_begin(self, logs: Logs = None) -> None:
        """Called before the first epoch."""

    def on_train_end(self, logs: Logs = None) -> None:
        """Called after the last epoch."""

    def on_eval_begin(self, logs: Logs = None) -> None:
        """Called before an evaluation."""

    def on_eval_end(self, logs: Logs = None) -> None:
        """Called after an evaluation."""

    def on_predict_begin(self, logs: Logs = None) -> None:
        """Called before a prediction."""

    def on_predict_end(self, logs: Logs = None) -> None:
        """Called after a prediction."""

    def on_epoch_begin(self, epoch: int, logs: Logs = None) -> None:
        """Called before an epoch."""

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        """Called after the training steps of an epoch, before the evaluation."""

    def on_train_batch_begin(self, step: int, logs: Logs = None) -> None:
        """Called before a training step."""

    def on_train_batch_end(self, step: int, logs: Logs = None) -> None:
        """Called after a training step."""

    def on_eval_batch_begin(self, step: int, logs: Logs = None) -> None:
        """Called before a batch of an evaluation."""

    def on_eval_batch_end(self, step: int, logs: Logs = None) -> None:
        """Called after a batch of an evaluation."""

    def on_predict_batch_begin(self, step: int, logs: Logs = None) -> None:
        """Called before a batch of a prediction."""

    def on_predict_batch_end(self, step: int, logs: Logs = None) -> None:
        """Called after a batch of a prediction."""


class CallbackList:
    """A list of callbacks; `call('eval_begin', logs)` calls the method on_eval_begin of each
    callback.
    """

    def __init__(self, callbacks: Sequence[Callback], model: Any, params: dict[str, Any]) -> None:
        self.callbacks = list(callbacks)
        for callback in self.callbacks:
            callback.set_model(model)
            callback.set_params(params)

    def __iter__(self) -> Iterator[Callback]:
        return iter(self.callbacks)

    def call(self, event: str, *args: Any) -> None:
        """Call the method of an event of all callbacks."""
        for callback in self.callbacks:
            getattr(callback, f"on_{event}")(*args)


class ModelCheckpoint(Callback):
    """Save the model to `save_dir`/EPOCH every save_freq epochs and to `save_dir`/final at
    the end.
    """

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
        """Save the model every save_freq epochs."""
        if self.save_dir and epoch % self.save_freq == 0:
            self._save(str(epoch))

    def on_train_end(self, logs: Logs = None) -> None:
        """Save the final model."""
        if self.save_dir:
            self._save("final")


class LRScheduler(Callback):
    """Step the learning rate scheduler of the optimizer after each training step or each epoch."""

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
        """Step the learning rate scheduler after a training step if by_step is True."""
        if self.by_step:
            self._step()

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        """Step the learning rate scheduler after an epoch if by_epoch is True."""
        if self.by_epoch:
            self._step()


class _MonitorCallback(Callback):
    """Base of callbacks that track whether a value reported by the evaluations improves.

    mode: min, max, or auto, which is max for names with 'acc'
    """

    def __init__(self, monitor: str, mode: str, min_delta: float) -> None:
        super().__init__()
        if mode not in ("auto", "min", "max"):
            warnings.warn(
                f"{type(self).__name__}: mode={mode!r} is not one of auto, min, max; using auto",
                stacklevel=3,
            )
            mode = "auto"
        self.monitor, self.mode, self.min_delta = monitor, mode, abs(min_delta)
        self._sign = 1.0 if mode == "max" or (mode == "auto" and "acc" in monitor) else -1.0
        self._best = -math.inf  # times the sign: larger is better

    def _monitored_value(self, logs: Logs) -> float | None:
        """Return the monitored value. If the evaluation did not report the monitored value, warn
        and return None.
        """
        value = (logs or {}).get(self.monitor)
        value = value[0] if isinstance(value, list | tuple) else value
        if not isinstance(value, int | float):
            warnings.warn(
                f"{type(self).__name__}: the evaluation has no value {self.monitor!r}, only "
                f"{sorted(logs or {})}",
                stacklevel=2,
            )
            return None
        return float(value)

    def _update_best_if_improved(self, value: float) -> bool:
        """Store the monitored value as the best one if it improves by more than min_delta; return
        whether it does.
        """
        if self._sign * value - self.min_delta <= self._best:
            return False
        self._best = self._sign * value
        return True


class EarlyStopping(_MonitorCallback):
    """Stop training if `monitor` of the evaluation did not improve `patience` times in a row.

    baseline: initial value to improve on.
    save_best_model: save to `best_model` in the folder where fit saves.
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
        """Reset the best value and the number of steps without improvement."""
        self.wait_epoch = 0
        self._best = -math.inf if self.baseline is None else self._sign * self.baseline

    def on_eval_end(self, logs: Logs = None) -> None:
        """Compare the monitored value with the best one; act if it did not improve for long."""
        value = self._monitored_value(logs)
        if value is None:
            return
        if self._update_best_if_improved(value):
            self.wait_epoch = 0
            if self.save_best_model and self.save_dir is not None:
                self.model.save(os.path.join(self.save_dir, "best_model"))
        else:
            self.wait_epoch += 1
            if self.wait_epoch >= self.patience:
                self._stop_training()
        self.stopped_epoch += 1

    def _stop_training(self) -> None:
        self.model.stop_training = True
        if self.verbose > 0:
            print(f"Epoch {self.stopped_epoch + 1}: Early stopping.")
            if self.save_best_model and self.save_dir is not None:
                print(
                    f"Best checkpoint has been saved at "
                    f"{os.path.abspath(os.path.join(self.save_dir, 'best_model'))}"
                )


class ReduceLROnPlateau(_MonitorCallback):
    """Multiply the learning rate by `factor` if `monitor` of the evaluation did not improve
    `patience` times in a row.

    cooldown: evaluations that are ignored after a reduction.
    min_lr: lower bound. Requires a constant learning rate.
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
            raise OpError(f"ReduceLROnPlateau: factor={factor} is not less than 1")
        self.factor, self.patience, self.verbose = factor, patience, verbose
        self.cooldown, self.min_lr = cooldown, min_lr
        self.cooldown_counter = self.wait = self.epoch = 0

    def on_train_begin(self, logs: Logs = None) -> None:
        """Reset the best value and the number of steps without improvement."""
        self._best = -math.inf
        self.cooldown_counter = self.wait = 0

    def in_cooldown(self) -> bool:
        """Return whether evaluations are ignored, because the learning rate was reduced a short
        time ago.
        """
        return self.cooldown_counter > 0

    def on_eval_end(self, logs: Logs = None) -> None:
        """Compare the monitored value with the best one; act if it did not improve for long."""
        value = self._monitored_value(logs)
        if value is None:
            return
        if not isinstance(self.model._optimizer._learning_rate, int | float):
            warnings.warn(
                "ReduceLROnPlateau: the learning rate is a scheduler and is not changed",
                stacklevel=2,
            )
            return
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.wait = 0
        if self._update_best_if_improved(value):
            self.wait = 0
        elif not self.in_cooldown():
            self.wait += 1
            if self.wait >= self.patience:
                self._reduce_learning_rate()
        self.epoch += 1

    def _reduce_learning_rate(self) -> None:
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
