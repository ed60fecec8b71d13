"""What is said about a parameter, in the words of Paddle 1.x: fluid.ParamAttr."""

from __future__ import annotations

from typing import Any

from ..core.errors import OperandError, with_user_line
from ..nn import param_attr as today
from ..static.nn.weight_norm import WeightNormParamAttr as _WeightNorm
from .deprecated import instead

__all__ = ["ParamAttr", "WeightNormParamAttr"]
_KINDS: dict[str, tuple[type, ...]] = {
    "name": (str, type(None)),
    "learning_rate": (float, int),
    "trainable": (bool,),
    "do_model_average": (bool,),
}


@instead("fluid.ParamAttr", "paddle.ParamAttr")
class ParamAttr(today.ParamAttr):
    """Name, initializer, learning rate, regularizer, trainable, do_model_average of a parameter.

    gradient_clip: see set_gradient_clip
    """

    def __init__(
        self,
        name: str | None = None,
        initializer: Any = None,
        learning_rate: float = 1.0,
        regularizer: Any = None,
        trainable: bool = True,
        do_model_average: bool = True,
        *,
        gradient_clip: Any = None,
    ) -> None:
        given = {
            "name": name,
            "learning_rate": learning_rate,
            "trainable": trainable,
            "do_model_average": do_model_average,
        }
        for what, value in given.items():
            if not isinstance(value, _KINDS[what]):
                kinds = " or ".join(kind.__name__ for kind in _KINDS[what])
                raise OperandError(
                    with_user_line(f"ParamAttr: {what} is {value!r}, and a {kinds} is wanted")
                )
        super().__init__(name, initializer, learning_rate, regularizer, trainable, do_model_average)
        self.gradient_clip = gradient_clip


@instead("fluid.WeightNormParamAttr", "paddle.static.WeightNormParamAttr")
class WeightNormParamAttr(_WeightNorm):
    """A weight as a length times a direction

    (Salimans and Kingma 2016); see static.WeightNormParamAttr.
    """

    def __init__(
        self,
        dim: int | None = None,
        name: str | None = None,
        initializer: Any = None,
        learning_rate: float = 1.0,
        regularizer: Any = None,
        trainable: bool = True,
        do_model_average: bool = False,
        *,
        gradient_clip: Any = None,
    ) -> None:
        super().__init__(
            dim, name, initializer, learning_rate, regularizer, trainable, do_model_average
        )
        self.gradient_clip = gradient_clip
