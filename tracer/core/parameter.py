"""Parameter: a leaf tensor that a Layer owns and an optimizer updates."""

from __future__ import annotations

from typing import Any

from .paddle1_compat import compat
from .tensor import Tensor


class Parameter(Tensor):
    """A trainable leaf.

    trainable: the opposite of stop_gradient.
    learning_rate: factor of the optimizer's learning rate.
    """

    persistable = True
    is_distributed = False
    need_clip = True
    do_model_average = True
    regularizer: Any = None

    def __init__(self, array: Any, *, trainable: bool = True, name: str | None = None) -> None:
        super().__init__(array, stop_gradient=not trainable, name=name)
        self.optimize_attr = {"learning_rate": 1.0}

    @property
    def trainable(self) -> bool:
        """Whether an optimizer updates the parameter."""
        return not self.stop_gradient

    @trainable.setter
    def trainable(self, value: bool) -> None:
        """Whether an optimizer updates the parameter."""
        self.stop_gradient = not value

    def __repr__(self) -> str:
        text = compat.rules.format_tensor(self)
        return "Parameter containing:\n" + super().__repr__() if text is None else text
