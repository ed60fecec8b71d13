"""Types of arguments of functions that capture and save models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

# One element per argument of `forward`: an InputSpec, an example (Tensor, ndarray), a constant, or
# a list or dict of them.
InputSpecs: TypeAlias = Sequence[object]
