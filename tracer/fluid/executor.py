"""Running programs: fluid.Executor and scopes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.dtype import dtype_of
from ..core.errors import MisfitError, OperandError, with_user_line
from ..static import Executor, Scope, global_scope, scope_guard
from .lod_tensor import LoDTensor

__all__ = ["Executor", "Scope", "global_scope", "scope_guard"]


def as_numpy(tensor: Any, copy: bool = False) -> Any:
    """What was fetched as an ndarray, or a list of them.

    Raises RuntimeError for rows that are sequences.
    """
    if isinstance(tensor, list | tuple):
        return [as_numpy(one, copy) for one in tensor]
    if isinstance(tensor, LoDTensor) and tensor.lod():
        raise RuntimeError(
            "Some of your fetched tensors hold LoD information; set return_numpy to False"
        )
    return np.array(tensor)


def _as_lodtensor(data: Any, place: Any, dtype: Any = None) -> LoDTensor:
    """A number, list or array as what a scope holds.   dtype: needed unless it is an array

    Raises TypeError for what no array can be made of, MisfitError, an AssertionError, for no dtype.
    """
    if not isinstance(data, np.ndarray):
        if dtype is None:
            raise MisfitError(
                with_user_line("The dtype should be given when feed data is not np.ndarray")
            )
        try:
            data = np.asarray(data, dtype_of(dtype).np)
        except (TypeError, ValueError) as error:
            raise OperandError(
                with_user_line(f"no array can be made of {type(data).__name__}: {error}")
            ) from None
    made = LoDTensor()
    made.set(data, place)
    return made
