"""What a layer is told about one of its parameters."""

from __future__ import annotations

from typing import Any

from ..core.errors import OpError
from .initializer import Initializer

__all__ = ["ParamAttr"]


class ParamAttr:
    """Name, initializer, learning rate, regularizer, trainable, do_model_average, need_clip of a parameter."""

    composed: Any = None  # of one that is computed from others: called with name, shape, and what makes a parameter

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
        self.name = name
        self.initializer = initializer
        self.learning_rate = learning_rate
        self.regularizer = regularizer
        self.trainable = trainable
        self.do_model_average = do_model_average
        self.need_clip = need_clip

    @staticmethod
    def of(spec: Any) -> ParamAttr | None:
        """A ParamAttr from what users pass: None, a name, an Initializer, a ParamAttr; False means no parameter."""
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
        raise OpError(f"ParamAttr: {spec!r} is none of None, False, str, Initializer, ParamAttr")
