"""What all schedulers of the learning rate share."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import OperandError, with_user_line

__all__ = ["LRScheduler"]


class LRScheduler:
    """Base of all schedulers.   learning_rate: where it starts; last_epoch: -1 for the beginning."""

    is_training_state = True  # converted code may not touch it while a program is recorded

    def __init__(self, learning_rate: float = 0.1, last_epoch: int = -1, verbose: bool = False) -> None:
        if not isinstance(learning_rate, int | float | np.number):
            kind = type(learning_rate).__name__
            raise OperandError(with_user_line(f"{type(self).__name__}: learning_rate should be a number, not {kind}"))
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
