"""Callbacks of Model.fit, evaluate and predict."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from ..core.errors import OpError, append_user_line
from ..optimizer.lr import LRScheduler as Scheduler

__all__ = ["Callback", "EarlyStopping", "LRScheduler", "ModelCheckpoint", "ReduceLROnPlateau"]

Logs: TypeAlias = Any  # a dict; subclasses get it as the type of their parameter `logs = None`


class Callback:
    """Base class of callbacks, which `Model.fit`, `evaluate` and `predict` call at their events.

    Subclasses override the methods of the events.

    Attributes
    ----------
    model : Model
    params : dict
        "batch_size" (None), "epochs", "steps" (per epoch; None if it is unknown), "verbose" and
        "metrics" (names).

    Examples
    --------
    >>> class StopAtLowLoss(paddle.callbacks.Callback):
    ...     def on_epoch_end(self, epoch, logs=None):
    ...         self.model.stop_training = logs["loss"][0] < 1e-3
    >>> model = paddle.Model(nn.Linear(2, 1))
    >>> model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), nn.MSELoss())
    >>> batches = [(paddle.ones([4, 2]), paddle.ones([4, 1]))]
    >>> model.fit(batches, epochs=1000, verbose=0, callbacks=StopAtLowLoss())
    """

    model: Any = None
    params: Any = None

    def __init__(self) -> None:
        self.model = None
        self.params = {}

    def set_params(self, params: dict[str, Any]) -> None:
        """Set the attribute `params`. A Model calls it before a run.

        Parameters
        ----------
        params : dict
            "batch_size", "epochs", "steps", "verbose" and "metrics".

        Examples
        --------
        >>> callback = paddle.callbacks.Callback()
        >>> callback.set_params({"epochs": 2})
        >>> callback.params
        {'epochs': 2}
        """
        self.params = params

    def set_model(self, model: Any) -> None:
        """Set the attribute `model`. A Model calls it before a run.

        Parameters
        ----------
        model : Model

        Examples
        --------
        >>> callback, model = paddle.callbacks.Callback(), paddle.Model(nn.Linear(2, 1))
        >>> callback.set_model(model)
        >>> callback.model is model
        True
        """
        self.model = model

    def on_train_begin(self, logs: Logs = None) -> None:
        """Called by `Model.fit` before the first epoch.

        Parameters
        ----------
        logs : dict, optional
            None.

        Examples
        --------
        >>> class Report(paddle.callbacks.Callback):
        ...     def on_train_begin(self, logs=None):
        ...         print("begin")
        >>> model = paddle.Model(nn.Linear(2, 1))
        >>> model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), nn.MSELoss())
        >>> batches = [(paddle.ones([4, 2]), paddle.ones([4, 1]))]
        >>> model.fit(batches, verbose=0, callbacks=Report())
        begin
        """

    def on_train_end(self, logs: Logs = None) -> None:
        """Called by `Model.fit` after the last epoch.

        Parameters
        ----------
        logs : dict, optional
            "loss" (a list), the metrics by name, "step" and "batch_size". Those of the last
            training step.

        Examples
        --------
        >>> class Report(paddle.callbacks.Callback):
        ...     def on_train_end(self, logs=None):
        ...         print(sorted(logs))
        >>> model = paddle.Model(nn.Linear(2, 1))
        >>> model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), nn.MSELoss())
        >>> batches = [(paddle.ones([4, 2]), paddle.ones([4, 1]))]
        >>> model.fit(batches, verbose=0, callbacks=Report())
        ['batch_size', 'loss', 'step']
        """

    def on_eval_begin(self, logs: Logs = None) -> None:
        """Called before an evaluation.

        Parameters
        ----------
        logs : dict, optional
            "steps" (the number of batches, None if it is unknown) and "metrics" (names).

        Examples
        --------
        >>> class Report(paddle.callbacks.Callback):
        ...     def on_eval_begin(self, logs=None):
        ...         print(logs)
        >>> model = paddle.Model(nn.Linear(2, 1))
        >>> model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), nn.MSELoss())
        >>> batches = [(paddle.ones([4, 2]), paddle.ones([4, 1]))]
        >>> values = model.evaluate(batches, verbose=0, callbacks=Report())
        {'steps': 1, 'metrics': ['loss']}
        """

    def on_eval_end(self, logs: Logs = None) -> None:
        """Called after an evaluation.

        Parameters
        ----------
        logs : dict, optional
            "loss" (a list), the metrics by name, "step" and "batch_size".

        Examples
        --------
        >>> class Report(paddle.callbacks.Callback):
        ...     def on_eval_end(self, logs=None):
        ...         print(sorted(logs))
        >>> model = paddle.Model(nn.Linear(2, 1))
        >>> model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), nn.MSELoss())
        >>> batches = [(paddle.ones([4, 2]), paddle.ones([4, 1]))]
        >>> values = model.evaluate(batches, verbose=0, callbacks=Report())
        ['batch_size', 'loss', 'step']
        """

    def on_predict_begin(self, logs: Logs = None) -> None:
        """Called by `Model.predict` before the first batch.

        Parameters
        ----------
        logs : dict, optional
            "steps": the number of batches, None if it is unknown.

        Examples
        --------
        >>> class Report(paddle.callbacks.Callback):
        ...     def on_predict_begin(self, logs=None):
        ...         print(logs)
        >>> model = paddle.Model(nn.Linear(2, 1))
        >>> batches = [paddle.ones([4, 2])]
        >>> outputs = model.predict(batches, verbose=0, callbacks=Report())
        {'steps': 1}
        """

    def on_predict_end(self, logs: Logs = None) -> None:
        """Called by `Model.predict` after the last batch.

        Parameters
        ----------
        logs : dict, optional
            "step" and "batch_size" of the last batch.

        Examples
        --------
        >>> class Report(paddle.callbacks.Callback):
        ...     def on_predict_end(self, logs=None):
        ...         print(logs)
        >>> model = paddle.Model(nn.Linear(2, 1))
        >>> batches = [paddle.ones([4, 2])]
        >>> outputs = model.predict(batches, verbose=0, callbacks=Report())
        {'step': 0, 'batch_size': 4}
        """

    def on_epoch_begin(self, epoch: int, logs: Logs = None) -> None:
        """Called before an epoch.

        Parameters
        ----------
        epoch : int
            From 0.
        logs : dict, optional
            None.

        Examples
        --------
        >>> class Report(paddle.callbacks.Callback):
        ...     def on_epoch_begin(self, epoch, logs=None):
        ...         print(epoch)
        >>> model = paddle.Model(nn.Linear(2, 1))
        >>> model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), nn.MSELoss())
        >>> batches = [(paddle.ones([4, 2]), paddle.ones([4, 1]))]
        >>> model.fit(batches, verbose=0, callbacks=Report())
        0
        """

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
        """Called after the training steps of an epoch, before the evaluation.

        Parameters
        ----------
        epoch : int
            From 0.
        logs : dict, optional
            "loss" (a list), the metrics by name, "step" and "batch_size".

        Examples
        --------
        >>> class Report(paddle.callbacks.Callback):
        ...     def on_epoch_end(self, epoch, logs=None):
        ...         print(epoch, sorted(logs))
        >>> model = paddle.Model(nn.Linear(2, 1))
        >>> model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), nn.MSELoss())
        >>> batches = [(paddle.ones([4, 2]), paddle.ones([4, 1]))]
        >>> model.fit(batches, verbose=0, callbacks=Report())
        0 ['batch_size', 'loss', 'step']
        """

    def on_train_batch_begin(self, step: int, logs: Logs = None) -> None:
        """Called before a training step.

        Parameters
        ----------
        step : int
            From 0 in each epoch.
        logs : dict, optional
            The logs of the previous step; empty before the first one.

        Examples
        --------
        >>> class Report(paddle.callbacks.Callback):
        ...     def on_train_batch_begin(self, step, logs=None):
        ...         print(step, logs)
        >>> model = paddle.Model(nn.Linear(2, 1))
        >>> model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), nn.MSELoss())
        >>> batches = [(paddle.ones([4, 2]), paddle.ones([4, 1]))]
        >>> model.fit(batches, verbose=0, callbacks=Report())
        0 {}
        """

    def on_train_batch_end(self, step: int, logs: Logs = None) -> None:
        """Called after a training step.

        Parameters
        ----------
        step : int
            From 0 in each epoch.
        logs : dict, optional
            "loss" (a list), the metrics by name, "step" and "batch_size".

        Examples
        --------
        >>> class Report(paddle.callbacks.Callback):
        ...     def on_train_batch_end(self, step, logs=None):
        ...         print(step, sorted(logs))
        >>> model = paddle.Model(nn.Linear(2, 1))
        >>> model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), nn.MSELoss())
        >>> batches = [(paddle.ones([4, 2]), paddle.ones([4, 1]))]
        >>> model.fit(batches, verbose=0, callbacks=Report())
        0 ['batch_size', 'loss', 'step']
        """

    def on_eval_batch_begin(self, step: int, logs: Logs = None) -> None:
        """Called before a batch of an evaluation.

        Parameters
        ----------
        step : int
            From 0.
        logs : dict, optional
            The logs of the previous batch; empty before the first one.

        Examples
        --------
        >>> class Report(paddle.callbacks.Callback):
        ...     def on_eval_batch_begin(self, step, logs=None):
        ...         print(step, logs)
        >>> model = paddle.Model(nn.Linear(2, 1))
        >>> model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), nn.MSELoss())
        >>> batches = [(paddle.ones([4, 2]), paddle.ones([4, 1]))]
        >>> values = model.evaluate(batches, verbose=0, callbacks=Report())
        0 {}
        """

    def on_eval_batch_end(self, step: int, logs: Logs = None) -> None:
        """Called after a batch of an evaluation.

        Parameters
        ----------
        step : int
            From 0.
        logs : dict, optional
            "loss" (a list), the metrics by name, "step" and "batch_size".

        Examples
        --------
        >>> class Report(paddle.callbacks.Callback):
        ...     def on_eval_batch_end(self, step, logs=None):
        ...         print(step, sorted(logs))
        >>> model = paddle.Model(nn.Linear(2, 1))
        >>> model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), nn.MSELoss())
        >>> batches = [(paddle.ones([4, 2]), paddle.ones([4, 1]))]
        >>> values = model.evaluate(batches, verbose=0, callbacks=Report())
        0 ['batch_size', 'loss', 'step']
        """

    def on_predict_batch_begin(self, step: int, logs: Logs = None) -> None:
        """Called before a batch of a prediction.

        Parameters
        ----------
        step : int
            From 0.
        logs : dict, optional
            "step" and "batch_size" of the previous batch; empty before the first one.

        Examples
        --------
        >>> class Report(paddle.callbacks.Callback):
        ...     def on_predict_batch_begin(self, step, logs=None):
        ...         print(step, logs)
        >>> model = paddle.Model(nn.Linear(2, 1))
        >>> batches = [paddle.ones([4, 2])]
        >>> outputs = model.predict(batches, verbose=0, callbacks=Report())
        0 {}
        """

    def on_predict_batch_end(self, step: int, logs: Logs = None) -> None:
        """Called after a batch of a prediction.

        Parameters
        ----------
        step : int
            From 0.
        logs : dict, optional
            "step" and "batch_size".

        Examples
        --------
        >>> class Report(paddle.callbacks.Callback):
        ...     def on_predict_batch_end(self, step, logs=None):
        ...         print(step, logs)
        >>> model = paddle.Model(nn.Linear(2, 1))
        >>> batches = [paddle.ones([4, 2])]
        >>> outputs = model.predict(batches, verbose=0, callbacks=Report())
        0 {'step': 0, 'batch_size': 4}
        """


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
    """Save the model during training.

    It is saved to `save_dir`/EPOCH every save_freq epochs, and to `save_dir`/final at the end, as
    `Model.save` does. `Model.fit` adds this callback if there is none.

    Parameters
    ----------
    save_freq : int, default 1
    save_dir : str, optional
        None: nothing is saved.

    Examples
    --------
    >>> import os
    >>> model = paddle.Model(nn.Linear(2, 1))
    >>> model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), nn.MSELoss())
    >>> batches = [(paddle.ones([4, 2]), paddle.ones([4, 1]))]
    >>> checkpoint = paddle.callbacks.ModelCheckpoint(save_dir="checkpoints")
    >>> model.fit(batches, verbose=0, callbacks=checkpoint)
    >>> sorted(os.listdir("checkpoints"))
    ['0.pdparams', 'final.pdparams']
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
        if self.save_dir and epoch % self.save_freq == 0:
            self._save(str(epoch))

    def on_train_end(self, logs: Logs = None) -> None:
        if self.save_dir:
            self._save("final")


class LRScheduler(Callback):
    """Step the learning rate scheduler of the optimizer after each training step or each epoch.

    `Model.fit` adds this callback with its defaults if there is none.

    Parameters
    ----------
    by_step : bool, default True
    by_epoch : bool, default False

    Raises
    ------
    OpError
        If both are True.

    Notes
    -----
    It does not work with `ReduceOnPlateau`, whose `step` requires a metric.

    Examples
    --------
    >>> model = paddle.Model(nn.Linear(2, 1))
    >>> rate = paddle.optimizer.lr.ExponentialDecay(0.8, gamma=0.5)
    >>> model.prepare(paddle.optimizer.SGD(rate, parameters=model.parameters()), nn.MSELoss())
    >>> batches = [(paddle.ones([4, 2]), paddle.ones([4, 1]))] * 10
    >>> scheduler = paddle.callbacks.LRScheduler(by_step=False, by_epoch=True)
    >>> model.fit(batches, verbose=0, callbacks=scheduler)
    >>> rate()
    0.4
    """

    def __init__(self, by_step: bool = True, by_epoch: bool = False) -> None:
        super().__init__()
        if by_step and by_epoch:
            raise OpError(append_user_line("LRScheduler: by_step and by_epoch exclude each other"))
        self.by_step = by_step
        self.by_epoch = by_epoch

    def _step(self) -> None:
        scheduler = getattr(self.model._optimizer, "_learning_rate", None)
        if isinstance(scheduler, Scheduler):
            scheduler.step()

    def on_train_batch_end(self, step: int, logs: Logs = None) -> None:
        if self.by_step:
            self._step()

    def on_epoch_end(self, epoch: int, logs: Logs = None) -> None:
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
    """Stop training if a metric of the evaluation did not improve several times in a row.

    Parameters
    ----------
    monitor : str, default "loss"
        "loss" or the name of a metric.
    mode : "auto", "min" or "max", default "auto"
        Whether smaller or larger values are better. "auto": larger ones if the name contains "acc".
    patience : int, default 0
        Number of evaluations without improvement after which training stops; 0 acts as 1.
    verbose : int, default 1
        0 prints nothing.
    min_delta : float, default 0
        An improvement must exceed its absolute value.
    baseline : float, optional
        Initial value to improve on.
    save_best_model : bool, default True
        Save the model as "best_model" in the folder `save_dir` of `Model.fit`, if it has one.

    Warns
    -----
    UserWarning
        If `mode` is unknown (it is "auto" then), or if an evaluation does not report `monitor`.

    Examples
    --------
    >>> model = paddle.Model(nn.Linear(2, 1))
    >>> model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), nn.MSELoss())
    >>> batches = [(paddle.ones([4, 2]), paddle.ones([4, 1]))]
    >>> stop = paddle.callbacks.EarlyStopping(baseline=0.0, patience=2, verbose=0)
    >>> model.fit(batches, eval_data=batches, epochs=10, verbose=0, callbacks=stop)
    >>> model.stop_training, stop.stopped_epoch
    (True, 2)
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
        """The best value of the evaluations so far, a float.

        Examples
        --------
        >>> stop = paddle.callbacks.EarlyStopping("acc", baseline=0.5)
        >>> stop.on_train_begin()
        >>> stop.best_value
        0.5
        """
        return self._sign * self._best

    def on_train_begin(self, logs: Logs = None) -> None:
        self.wait_epoch = 0
        self._best = -math.inf if self.baseline is None else self._sign * self.baseline

    def on_eval_end(self, logs: Logs = None) -> None:
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
    """Multiply the learning rate by a factor if a metric of the evaluation did not improve.

    Parameters
    ----------
    monitor : str, default "loss"
        "loss" or the name of a metric.
    factor : float, default 0.1
        Less than 1.
    patience : int, default 10
        Number of evaluations without improvement after which the rate is reduced.
    verbose : int, default 1
        0 prints nothing.
    mode : "auto", "min" or "max", default "auto"
        Whether smaller or larger values are better. "auto": larger ones if the name contains "acc".
    min_delta : float, default 0.0001
        An improvement must exceed its absolute value.
    cooldown : int, default 0
        Number of evaluations that are not counted after a reduction.
    min_lr : float, default 0
        Lower bound of the rate.

    Raises
    ------
    OpError
        If `factor` is not less than 1.

    Warns
    -----
    UserWarning
        If the learning rate is a scheduler, which is not changed; if `mode` is unknown; or if an
        evaluation does not report `monitor`.

    Notes
    -----
    In Paddle, the optimizer keeps the old rate.

    Examples
    --------
    >>> model = paddle.Model(nn.Linear(2, 1))
    >>> model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), nn.MSELoss())
    >>> batches = [(paddle.ones([4, 2]), paddle.ones([4, 1]))]
    >>> reduce = paddle.callbacks.ReduceLROnPlateau(factor=0.5, patience=1, min_delta=9, verbose=0)
    >>> model.fit(batches, eval_data=batches, epochs=3, verbose=0, callbacks=reduce)
    >>> model._optimizer.get_lr()
    0.025
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
            raise OpError(
                append_user_line(f"ReduceLROnPlateau: factor={factor} is not less than 1")
            )
        self.factor, self.patience, self.verbose = factor, patience, verbose
        self.cooldown, self.min_lr = cooldown, min_lr
        self.cooldown_counter = self.wait = self.epoch = 0

    def on_train_begin(self, logs: Logs = None) -> None:
        self._best = -math.inf
        self.cooldown_counter = self.wait = 0

    def in_cooldown(self) -> bool:
        """Return whether evaluations are not counted, because the rate was reduced recently.

        Returns
        -------
        bool

        Examples
        --------
        >>> paddle.callbacks.ReduceLROnPlateau(cooldown=2).in_cooldown()
        False
        """
        return self.cooldown_counter > 0

    def on_eval_end(self, logs: Logs = None) -> None:
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
