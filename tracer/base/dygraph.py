"""`paddle.base.dygraph` of Paddle 2.5 and 2.6: the names of `fluid.dygraph` with the behavior of
Paddle 2.
"""

import sys as _sys
from collections.abc import Iterator as _Iterator
from contextlib import contextmanager as _contextmanager
from typing import Any as _Any

import numpy as _np

from ..core import unique_name as _unique_name
from ..core.eager import EAGER_MODE as _EAGER
from ..core.lazy_import import locked_import_module as _locked_import_module
from ..core.mode import use_mode as _use_mode
from ..core.tensor import Tensor as _Tensor
from ..static import Program as _Program
from ..static import program_guard as _program_guard
from ..static.graph.mode import disable_static as enable_dygraph
from ..static.graph.mode import enable_static as disable_dygraph
from ..static.graph.mode import in_dynamic_mode as enabled
from ..tensor.creation import to_tensor as _to_tensor


@_contextmanager
def guard(place: _Any = None) -> _Iterator[None]:
    """Context manager: run the body in eager mode, with new generated names and new default
    programs.

    place: accepted without effect
    """
    with _use_mode(_EAGER), _program_guard(_Program(), _Program()), _unique_name.guard():
        yield


def to_variable(
    value: _Any, name: str | None = None, zero_copy: bool | None = None, dtype: _Any = None
) -> _Tensor:
    """Convert an array to a tensor; return a tensor unchanged."""
    if isinstance(value, _Tensor):
        return value
    tensor: _Tensor = _to_tensor(_np.asarray(value), dtype=dtype)
    if name is not None:
        tensor.name = name
    return tensor


base = _sys.modules[__name__]  # `paddle.base.dygraph.base` has the same names


def __getattr__(name: str) -> _Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_locked_import_module("..fluid.dygraph", __package__), name)


__all__ = ["disable_dygraph", "enable_dygraph", "enabled", "guard", "to_variable"]
