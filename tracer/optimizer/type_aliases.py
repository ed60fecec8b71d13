"""Types of arguments that optimizers accept in several forms."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from ..core.tensor import Tensor
from ..core.type_aliases import Regularizer

# A function from pairs (parameter, gradient) to clipped pairs, such as nn.ClipGradByNorm.
GradientClip: TypeAlias = Callable[[Any], Any]
WeightDecay: TypeAlias = float | Tensor | Regularizer
# Parameters, or groups of parameters: dicts with the key "params" and options of the group. Type
# checkers infer `list[object]` for a list of such dicts.
Parameters: TypeAlias = Iterable[object]
