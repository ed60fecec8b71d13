"""ParamAttr: initialization and training options of one parameter."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import OperandError, OpError, append_user_line
from ..core.paddle1_compat import compat
from ..core.tensor import Tensor
from .initializer import Initializer

__all__ = ["ParamAttr"]


class ParamAttr:
    """Options of a parameter: name, initializer, learning rate, regularizer, trainability, model
    averaging and gradient clipping.
    """

    # A function that creates a parameter which is computed from other parameters, such as by weight
    # normalization; it is called with a name, a shape and a factory of parameters.
    reparameterize: Any = None

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
        if compat.rules.checks_param_attr:
            self._check_argument_types(
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
    def _check_argument_types(
        name: Any, initializer: Any, learning_rate: Any, regularizer: Any, *flags: Any
    ) -> None:
        """Raise TypeError if an argument has a type that Paddle 2 rejects."""
        scalar = str | bool | int | float
        invalid = {
            "name": not isinstance(name, str | None),
            "initializer": isinstance(initializer, scalar),
            "learning_rate": not isinstance(learning_rate, float | int | np.number | Tensor),
            "regularizer": isinstance(regularizer, scalar),
            "trainable, do_model_average or need_clip": not all(
                isinstance(flag, bool | np.bool_) for flag in flags
            ),
        }
        names = [name for name, is_invalid in invalid.items() if is_invalid]
        if names:
            raise TypeError(append_user_line(f"ParamAttr: wrong type of {', '.join(names)}"))

    @staticmethod
    def of(spec: Any) -> ParamAttr | None:
        """Convert a user's argument to a ParamAttr; None for False.

        Accepts None, True, False, a name, an Initializer or a ParamAttr.
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
        """Convert a user's argument to a ParamAttr; False for False.

        Raises TypeError for other types.
        """
        try:
            return ParamAttr.of(arg) or False
        except OpError as error:
            raise OperandError(str(error)) from None
