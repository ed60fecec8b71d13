"""Types of arguments that functions accept in several forms."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from .dtype import DType
from .place import Place
from .tensor import Tensor

Array: TypeAlias = np.ndarray[Any, Any]
# The other operand of a Python operator; int, float and bool count as complex.
Operand: TypeAlias = Tensor | Array | np.generic | complex
# What `to_tensor` accepts.
TensorLike: TypeAlias = "Operand | Sequence[TensorLike]"
DTypeLike: TypeAlias = DType | str | np.dtype[Any] | type[Any]
Scalar: TypeAlias = float | np.number[Any] | Tensor  # a tensor has one element
Size: TypeAlias = int | np.integer[Any] | Tensor  # a tensor has one element
Shape: TypeAlias = int | Sequence[Size] | Tensor | Array
Axes: TypeAlias = int | Sequence[int]
PlaceLike: TypeAlias = Place | str
PathLike: TypeAlias = "str | os.PathLike[str]"
