"""Types of arguments of Model and of `summary`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ..core.tensor import Tensor
from ..core.type_aliases import Array
from ..ir.input_spec import InputSpec

Batch: TypeAlias = Tensor | Array | Sequence[Tensor | Array]
# The shape of the input, or of each input.
InputSizes: TypeAlias = "Sequence[int | None] | InputSpec | Sequence[InputSizes]"
