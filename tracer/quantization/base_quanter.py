"""BaseQuanter, and the error for layers that cannot be quantized."""

from __future__ import annotations

import abc
from collections.abc import Iterable
from typing import Any

from ..core.errors import OpError
from ..core.tensor import Tensor
from ..nn.layer import Layer


class UnsupportedLayerError(OpError):
    """A layer cannot be quantized as its config demands; it stays float."""


class BaseQuanter(Layer, metaclass=abc.ABCMeta):
    """Base of layers that simulate quantization of a tensor, and of observers.

    A subclass takes the layer that it quantizes as its first argument; `quanter` creates its
    factory.
    """

    def __init__(self) -> None:
        super().__init__()

    @abc.abstractmethod
    def forward(self, input: Tensor) -> Tensor:
        """Return the input, quantized and dequantized; an observer returns it unchanged."""

    @abc.abstractmethod
    def scales(self) -> Any:
        """Return the largest absolute value that is represented, as a Tensor or array: one number,
        or one per slice; None if there is none.
        """

    @abc.abstractmethod
    def zero_points(self) -> Any:
        """Return the zero points, as a Tensor or array; None: 0."""

    @abc.abstractmethod
    def quant_axis(self) -> int | Iterable[int] | None:
        """Return the axis that the scales belong to; -1 or None: one scale."""

    @abc.abstractmethod
    def bit_length(self) -> int:
        """Return the number of bits."""
