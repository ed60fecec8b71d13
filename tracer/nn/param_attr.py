"""What a layer is told about one of its parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import OperandError, OpError, with_user_line
from ..core.paddle1_compat import compat
from ..core.tensor import Tensor
from .initializer import Initializer

__all__ = ["ParamAttr"]


class ParamAttr:
    """Name, initializer, learning rate, regularizer, trainable, do_model_average, need_clip of a
    parameter.
    """

    # of one that is computed from others: called with name, shape, and what makes a parameter
    composed: Any = None

    def __init__(
        self,
        name: str | None = None,
        initializer: Initializer | None = None,
        learning_rate: float = 1.0,
        regularizer: Any = None,
        trainable: bool = True,
        do_model_average: bool = True,
        need_clip: bool = True,
    ) -> None:
        if not compat.is_paddle1:  # Paddle 1.x took anything
            self._check(
                name,
                initializer,
                learning_rate,
                regularizer,
                trainable,
                do_model_average,
                need_clip,
            )
        self.name = name
        self.initializer = initializer
        self.learning_rate = learning_rate
        self.regularizer = regularizer
        self.trainable = trainable
        self.do_model_average = do_model_average
        self.need_clip = need_clip

    @staticmethod
    def _check(
        name: Any, initializer: Any, learning_rate: Any, regularizer: Any, *flags: Any
    ) -> None:
        """Raise TypeError for what is of another type than Paddle 2 takes."""
        plain = str | bool | int | float
        wrong = {
            "name": not isinstance(name, str | None),
            "initializer": isinstance(initializer, plain),
            "learning_rate": not isinstance(learning_rate, float | int | np.number | Tensor),
            "regularizer": isinstance(regularizer, plain),
            "trainable, do_model_average or need_clip": not all(
                isinstance(flag, bool | np.bool_) for flag in flags
            ),
        }
        found = [what for what, is_wrong in wrong.items() if is_wrong]
        if found:
            raise TypeError(
                with_user_line(
                    f"ParamAttr: {', '.join(found)} of another type than there should be"
                )
            )

    @staticmethod
    def of(spec: Any) -> ParamAttr | None:
        """A ParamAttr from what users pass: None, a name, an Initializer, a ParamAttr; False means
        no parameter.
        """
        if spec is None or spec is True:
            return ParamAttr()
        if spec is False:
            return None
        if isinstance(spec, ParamAttr):
            return spec
        if isinstance(spec, str):
            return ParamAttr(name=spec)
        if isinstance(spec, Initializer):
            return ParamAttr(initializer=spec)
        raise OpError(f"ParamAttr: {spec!r} is not one of None, False, str, Initializer, ParamAttr")

    @staticmethod
    def _to_attr(arg: Any) -> Any:
        """A ParamAttr from what users pass, True for one, False for none.

        Raises TypeError for what says nothing about a parameter.
        """
        try:
            return ParamAttr.of(arg) or False
        except OpError as error:
            raise OperandError(str(error)) from None
