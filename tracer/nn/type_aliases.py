"""Types of arguments that layers accept in several forms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ..core.tensor import Tensor
from .initializer import Initializer
from .param_attr import ParamAttr

ParamAttrLike: TypeAlias = ParamAttr | Initializer | str | bool
Ints: TypeAlias = int | Sequence[int]  # one number for all axes, or one per axis
Padding: TypeAlias = str | int | Sequence[int] | Sequence[Sequence[int]]
OutputSize: TypeAlias = (
    "int | Tensor | Sequence[int | Tensor | None]"  # None: the size of the input
)
