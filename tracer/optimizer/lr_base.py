"""Base class of the learning rate schedulers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.errors import MissingStateError, OperandError, append_user_line, warn

__all__ = ["LRScheduler"]


class LRScheduler:
    """Base class of the learning rate schedulers. A subclass overrides `get_lr`.

    ``scheduler()`` returns the current learning rate; `step` moves to the next epoch.

    Parameters
    ----------
    learning_rate : float, default 0.1
        The initial rate, which is the attribute `base_lr`.
    last_epoch : int, default -1
        The epoch before the first one; -1 starts at epoch 0.
    verbose : bool, default False
        Print the learning rate at each step.

    Attributes
    ----------
    base_lr : float
        The initial rate.
    last_epoch : int
        The current epoch, which `get_lr` reads.
    last_lr : float
        The current rate.

    Raises
    ------
    OperandError
        If `learning_rate` is not a number.

    Examples
    --------
    >>> class Halving(paddle.optimizer.lr.LRScheduler):
    ...     def get_lr(self):
    ...         return self.base_lr * 0.5**self.last_epoch
    >>> scheduler = Halving(1.0)
    >>> sgd = paddle.optimizer.SGD(scheduler, parameters=nn.Linear(2, 2).parameters())
    >>> scheduler.step()
    >>> sgd.get_lr()
    0.5
    """

    is_training_state = True  # converted code must not use it while a program is recorded
    keys: Sequence[str]  # attributes in state_dict

    def __init__(
        self, learning_rate: float = 0.1, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        require_number(type(self).__name__, "learning_rate", learning_rate)
        self.base_lr = float(learning_rate)
        self.last_lr = float(learning_rate)
        self.last_epoch = last_epoch
        self.verbose = verbose
        self.step()

    def __call__(self) -> float:
        """Return the current learning rate."""
        return self.last_lr

    def step(self, epoch: int | None = None) -> None:
        """Move to the next epoch and compute its learning rate.

        Parameters
        ----------
        epoch : int, optional
            Move to this epoch instead of the next one.

        Examples
        --------
        >>> scheduler = paddle.optimizer.lr.ExponentialDecay(1.0, gamma=0.5)
        >>> scheduler.step()
        >>> scheduler()
        0.5
        >>> scheduler.step(epoch=3)
        >>> scheduler()
        0.125
        """
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self.last_lr = self.get_lr()
        if self.verbose:
            print(
                f"Epoch {self.last_epoch}: {type(self).__name__} set learning rate to "
                f"{self.last_lr}."
            )

    def get_lr(self) -> float:
        """Compute the learning rate of the epoch `last_epoch`. Subclasses override this method.

        Returns
        -------
        float

        Raises
        ------
        NotImplementedError
            If the class does not override it.

        Examples
        --------
        >>> paddle.optimizer.lr.ExponentialDecay(0.8, gamma=0.5).get_lr()
        0.8
        """
        raise NotImplementedError

    def state_keys(self) -> None:
        """Set `self.keys`, the names of the attributes that `state_dict` returns.

        They are "last_epoch" and "last_lr". A subclass whose state has other attributes overrides
        this method.

        Examples
        --------
        >>> scheduler = paddle.optimizer.lr.ExponentialDecay(0.8, gamma=0.5)
        >>> scheduler.state_keys()
        >>> scheduler.keys
        ['last_epoch', 'last_lr']
        """
        self.keys = ["last_epoch", "last_lr"]

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the scheduler, which `set_state_dict` takes.

        Returns
        -------
        dict
            The attributes that `state_keys` names. A tensor or array of one element is returned as
            a number.

        Examples
        --------
        >>> paddle.optimizer.lr.ExponentialDecay(0.8, gamma=0.5).state_dict()
        {'last_epoch': 0, 'last_lr': 0.8}
        """
        self.state_keys()
        return {
            key: _unwrap_one_element(self.__dict__[key])
            for key in self.keys
            if key in self.__dict__
        }

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Set the state of the scheduler to one that `state_dict` returned.

        Parameters
        ----------
        state_dict : dict

        Raises
        ------
        MissingStateError
            If a value is missing or `state_dict` is not a dict; it is a RuntimeError.

        Warns
        -----
        UserWarning
            If there are more values than those of this kind of scheduler.

        Examples
        --------
        >>> scheduler = paddle.optimizer.lr.ExponentialDecay(0.8, gamma=0.5)
        >>> scheduler.set_state_dict({"last_epoch": 1, "last_lr": 0.4})
        >>> scheduler.step()
        >>> scheduler()
        0.2
        """
        if not isinstance(state_dict, dict):
            type_name = type(state_dict).__name__
            raise MissingStateError(
                append_user_line(
                    f"{type(self).__name__}.set_state_dict: got a {type_name}, not a dict"
                )
            )
        self.state_keys()
        missing = [key for key in self.keys if key not in state_dict]
        if missing:
            problem = "Please check whether state_dict is correct for optimizer"
            raise MissingStateError(
                append_user_line(f"{problem}. Can't find [ {missing[0]} ] in state_dict")
            )
        for key in self.keys:
            self.__dict__[key] = _unwrap_one_element(state_dict[key])
        if len(state_dict) > len(self.keys):
            unused = sorted(map(str, state_dict.keys() - set(self.keys)))
            warn(
                f"There are some unused values in state_dict: {unused}. {type(self).__name__} "
                f"does not have them"
            )

    set_dict = set_state_dict


def require_number(scheduler: str, name: str, value: object) -> None:
    """Raise OperandError if the argument `name` of a scheduler is not a number."""
    if not isinstance(value, int | float | np.number):
        raise OperandError(
            append_user_line(f"{scheduler}: {name} should be a number, not {type(value).__name__}")
        )


def _unwrap_one_element(value: Any) -> Any:
    """Return a one-element tensor or array as a Python number, and any other value unchanged."""
    array = getattr(value, "array", value)
    return array.item() if isinstance(array, np.ndarray | np.generic) and array.size == 1 else value
