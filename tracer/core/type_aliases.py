"""Types of arguments that functions accept in several forms."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

from .dtype import DTypeLike
from .place import PlaceLike
from .tensor import Array, Operand, Tensor, TensorLike

__all__ = [
    "Array",
    "Axes",
    "DTypeLike",
    "Operand",
    "PathLike",
    "PlaceLike",
    "Regularizer",
    "Scalar",
    "Shape",
    "Size",
    "TensorLike",
]

Scalar: TypeAlias = float | np.number[Any] | Tensor  # a tensor has one element
Size: TypeAlias = int | np.integer[Any] | Tensor  # a tensor has one element
Shape: TypeAlias = int | Sequence[Size] | Tensor | Array
Axes: TypeAlias = int | Sequence[int]
PathLike: TypeAlias = "str | os.PathLike[str]"


class Regularizer(Protocol):
    """A term that is added to the loss, such as `paddle.regularizer.L2Decay`."""

    def gradient_term(self, parameter: Any) -> Any:
        """Return the gradient of the term with respect to a parameter."""
