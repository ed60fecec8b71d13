"""A scheduler that reduces the learning rate when a metric stops improving."""

from __future__ import annotations

import numpy as np

from ..core.errors import OperandError, OpError, append_user_line
from ..core.tensor import Tensor
from ..core.type_aliases import Array, Scalar
from .lr_base import LRScheduler, require_number

__all__ = ["ReduceOnPlateau"]


class ReduceOnPlateau(LRScheduler):
    """Multiply the learning rate by a factor when a metric stops improving.

    The rate is reduced when the metric did not improve for more than `patience` calls of `step` in
    a row. The best value so far is compared.

    Parameters
    ----------
    learning_rate : float
    mode : "min" or "max", default "min"
        Whether a smaller or a larger metric is better.
    factor : float, default 0.1
        In [0, 1).
    patience : int, default 10
    threshold : float, default 1e-4
        The improvement that counts.
    threshold_mode : "rel" or "abs", default "rel"
        "rel": the improvement must exceed threshold * best value. "abs": it must exceed threshold.
    cooldown : int, default 0
        Number of calls of `step` after a reduction whose metric is not looked at.
    min_lr : float, default 0
        Lower bound of the rate.
    epsilon : float, default 1e-8
        Smaller reductions of the rate are not made.
    verbose : bool, default False
        Print the learning rate at each reduction.

    Raises
    ------
    OpError
        If `mode`, `threshold_mode` or `factor` is invalid.
    OperandError
        If `learning_rate` is not a number.

    Examples
    --------
    >>> scheduler = paddle.optimizer.lr.ReduceOnPlateau(1.0, factor=0.5, patience=1)
    >>> for loss in [3.0, 2.0, 2.0, 2.0, 1.0]:
    ...     scheduler.step(loss)
    ...     print(scheduler(), end=" ")
    1.0 1.0 1.0 0.5 0.5
    """

    def __init__(
        self,
        learning_rate: float,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float = 0,
        epsilon: float = 1e-8,
        verbose: bool = False,
    ) -> None:
        if mode not in ("min", "max") or threshold_mode not in ("rel", "abs"):
            raise OpError(
                append_user_line(
                    f"ReduceOnPlateau: mode={mode!r} should be 'min' or 'max', "
                    f"threshold_mode={threshold_mode!r} 'rel' or 'abs'"
                )
            )
        if not 0 <= factor < 1:
            raise OpError(append_user_line(f"ReduceOnPlateau: factor={factor} should be in [0, 1)"))
        require_number(type(self).__name__, "learning_rate", learning_rate)
        self.mode, self.factor, self.patience, self.threshold = mode, factor, patience, threshold
        self.threshold_mode, self.cooldown, self.min_lr, self.epsilon = (
            threshold_mode,
            cooldown,
            float(min_lr),
            epsilon,
        )
        self.best: float | None = None
        self.cooldown_counter = self.num_bad_epochs = 0
        self.base_lr = self.last_lr = float(learning_rate)
        self.last_epoch, self.verbose = 0, verbose

    def step(self, metrics: Scalar | Array | None = None, epoch: int | None = None) -> None:  # type: ignore[override]
        """Take the metric after an epoch and reduce the learning rate if it did not improve.

        Parameters
        ----------
        metrics : float, or Tensor or ndarray of one element
            Required.
        epoch : int, optional
            The number of the epoch. Default: the next one.

        Raises
        ------
        OperandError
            If `metrics` is missing.
        OpError
            If `metrics` has several elements.

        Examples
        --------
        >>> scheduler = paddle.optimizer.lr.ReduceOnPlateau(1.0, factor=0.5, patience=0)
        >>> scheduler.step(paddle.to_tensor([2.0]))
        >>> scheduler.step(2.5)
        >>> scheduler()
        0.5
        """
        if metrics is None or isinstance(metrics, str):
            type_name = type(metrics).__name__
            raise OperandError(
                append_user_line(f"ReduceOnPlateau.step: metrics is {type_name}, not a number")
            )
        value = np.asarray(
            metrics.numpy() if isinstance(metrics, Tensor) else metrics, dtype=np.float64
        )
        if value.size != 1:
            raise OpError(
                append_user_line(f"ReduceOnPlateau: metrics has {value.size} elements, not one")
            )
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            return
        current = float(value.reshape(()))
        if self.best is None or self._is_better(current, self.best):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.num_bad_epochs > self.patience:
            self._reduce_learning_rate()

    def _is_better(self, current: float, best: float) -> bool:
        margin = self.threshold * (best if self.threshold_mode == "rel" else 1.0)
        return current < best - margin if self.mode == "min" else current > best + margin

    def _reduce_learning_rate(self) -> None:
        self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        rate = max(self.last_lr * self.factor, self.min_lr)
        if self.last_lr - rate > self.epsilon:
            self.last_lr = rate
            if self.verbose:
                print(
                    f"Epoch {self.last_epoch}: {type(self).__name__} set learning rate to "
                    f"{self.last_lr}."
                )

    def state_keys(self) -> None:
        self.keys = ["cooldown_counter", "best", "num_bad_epochs", "last_epoch", "last_lr"]
