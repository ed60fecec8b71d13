"""Types of arguments that layers accept in several forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from ..core.tensor import Tensor
from .param_attr import ParamAttrLike

__all__ = ["Ints", "OutputSize", "Padding", "ParamAttrLike", "SequentialItem"]

Ints: TypeAlias = int | Sequence[int]  # one number for all axes, or one per axis
Padding: TypeAlias = str | int | Sequence[int] | Sequence[Sequence[int]]
OutputSize: TypeAlias = (
    "int | Tensor | Sequence[int | Tensor | None]"  # None: the size of the input
)
# A layer, or its name and the layer.
SequentialItem: TypeAlias = "Callable[..., Any] | tuple[str | int, Callable[..., Any]]"
