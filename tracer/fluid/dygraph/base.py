"""The guard around what runs at once, and arrays made variables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...core.eager import EAGER
from ...core.mode import pushed
from ...core.tensor import Tensor
from ...tensor.creation import to_tensor
from ..deprecated import instead


@contextmanager
def guard(place: Any = None) -> Iterator[None]:
    """Run what the body says at once."""
    with pushed(EAGER):
        yield


@instead("fluid.dygraph.to_variable", "paddle.to_tensor")
def to_variable(value: Any, name: str | None = None, zero_copy: bool | None = None, dtype: Any = None) -> Any:
    """A variable with the values of an array, [1] for a number; a variable itself.   It takes no gradient unless told to."""
    if isinstance(value, Tensor):
        return value
    made = to_tensor(np.atleast_1d(value), dtype=dtype)
    if name is not None:
        made.name = name
    return made
