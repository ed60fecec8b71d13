"""Layers that call one function, so that quantization can observe its inputs and outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.tensor import Tensor
from ...tensor import linalg, manipulation, math
from ..layer import Layer

__all__: list[str] = []


class FloatFunctionalLayer(Layer):
    """Base of the layers that call one function."""

    def __init__(self) -> None:
        super().__init__()


class add(FloatFunctionalLayer):
    """x + y, with broadcasting."""

    def forward(self, x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
        """Compute the output of the layer, which the docstring of its class describes."""
        return math.add(x, y, name)


class subtract(FloatFunctionalLayer):
    """x - y, with broadcasting."""

    def forward(self, x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
        """Compute the output of the layer, which the docstring of its class describes."""
        return math.subtract(x, y, name)


class multiply(FloatFunctionalLayer):
    """x * y, with broadcasting."""

    def forward(self, x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
        """Compute the output of the layer, which the docstring of its class describes."""
        return math.multiply(x, y, name)


class divide(FloatFunctionalLayer):
    """x / y, with broadcasting."""

    def forward(self, x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
        """Compute the output of the layer, which the docstring of its class describes."""
        return math.divide(x, y, name)


class reshape(FloatFunctionalLayer):
    """x with another shape, see `paddle.reshape`."""

    def forward(self, x: Tensor, shape: Any, name: str | None = None) -> Tensor:
        """Compute the output of the layer, which the docstring of its class describes."""
        return manipulation.reshape(x, shape, name)


class transpose(FloatFunctionalLayer):
    """x with permuted axes, see `paddle.transpose`."""

    def forward(self, x: Tensor, perm: Sequence[int], name: str | None = None) -> Tensor:
        """Compute the output of the layer, which the docstring of its class describes."""
        return manipulation.transpose(x, perm, name)


class concat(FloatFunctionalLayer):
    """Layer that concatenates tensors along an axis by `paddle.concat`."""

    def forward(self, x: Sequence[Tensor], axis: Any = 0, name: str | None = None) -> Tensor:
        """Compute the output of the layer, which the docstring of its class describes."""
        return manipulation.concat(x, axis, name)


class flatten(FloatFunctionalLayer):
    """x with a range of axes merged, see `paddle.flatten`."""

    def forward(
        self, x: Tensor, start_axis: int = 0, stop_axis: int = -1, name: str | None = None
    ) -> Tensor:
        """Compute the output of the layer, which the docstring of its class describes."""
        return manipulation.flatten(x, start_axis, stop_axis, name)


class matmul(FloatFunctionalLayer):
    """Matrix product, see `paddle.matmul`."""

    def forward(
        self,
        x: Tensor,
        y: Tensor,
        transpose_x: bool = False,
        transpose_y: bool = False,
        name: str | None = None,
    ) -> Tensor:
        """Compute the output of the layer, which the docstring of its class describes."""
        return linalg.matmul(x, y, transpose_x, transpose_y, name)
