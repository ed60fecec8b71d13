"""ParamAttr with the arguments of Paddle 1.x: `fluid.ParamAttr`."""

from __future__ import annotations

from typing import Any

from ..core.errors import OperandError, append_user_line
from ..nn import param_attr as paddle2
from ..static.nn.weight_norm import WeightNormParamAttr as _WeightNorm
from .deprecated import warn_deprecated_on_first_use

__all__ = ["ParamAttr", "WeightNormParamAttr"]
_TYPES: dict[str, tuple[type, ...]] = {
    "name": (str, type(None)),
    "learning_rate": (float, int),
    "trainable": (bool,),
    "do_model_average": (bool,),
}


@warn_deprecated_on_first_use("fluid.ParamAttr", "paddle.ParamAttr")
class ParamAttr(paddle2.ParamAttr):
    """Options of a parameter: name, initializer, learning rate, regularizer, trainable and
    do_model_average.

    gradient_clip: as in set_gradient_clip
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
        args = {
            "name": name,
            "learning_rate": learning_rate,
            "trainable": trainable,
            "do_model_average": do_model_average,
        }
        for arg, value in args.items():
            if not isinstance(value, _TYPES[arg]):
                types = " or ".join(cls.__name__ for cls in _TYPES[arg])
                raise OperandError(
                    append_user_line(f"ParamAttr: {arg}={value!r} must be of type {types}")
                )
        super().__init__(name, initializer, learning_rate, regularizer, trainable, do_model_average)
        self.gradient_clip = gradient_clip


@warn_deprecated_on_first_use("fluid.WeightNormParamAttr", "paddle.static.WeightNormParamAttr")
class WeightNormParamAttr(_WeightNorm):
    """Weight normalization, as `static.WeightNormParamAttr` (Salimans and Kingma 2016)."""

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
