"""Execution of programs: `fluid.Executor` and scopes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.dtype import parse_dtype
from ..core.errors import ArgumentAssertionError, OperandError, append_user_line
from ..static import Executor, Scope, global_scope, scope_guard
from .lod_tensor import LoDTensor

__all__ = ["Executor", "Scope", "global_scope", "scope_guard"]


def as_numpy(tensor: Any, copy: bool = False) -> Any:
    """Convert fetched values to ndarrays.

    Raises RuntimeError for a tensor with LoD.
    """
    if isinstance(tensor, list | tuple):
        return [as_numpy(item, copy) for item in tensor]
    if isinstance(tensor, LoDTensor) and tensor.lod():
        raise RuntimeError(
            "Some of your fetched tensors hold LoD information; set return_numpy to False"
        )
    return np.array(tensor)


def _as_lodtensor(data: Any, place: Any, dtype: Any = None) -> LoDTensor:
    """Convert data to feed (a number, list or array) to a LoDTensor.

    dtype: required unless `data` is an ndarray.

    Raises TypeError if `data` cannot be converted, ArgumentAssertionError (an AssertionError) if
    dtype is missing.
    """
    if not isinstance(data, np.ndarray):
        if dtype is None:
            raise ArgumentAssertionError(
                append_user_line("dtype is required if the fed data is not an ndarray")
            )
        try:
            data = np.asarray(data, parse_dtype(dtype).np)
        except (TypeError, ValueError) as error:
            raise OperandError(
                append_user_line(f"cannot convert {type(data).__name__} to an array: {error}")
            ) from None
    tensor = LoDTensor()
    tensor.set(data, place)
    return tensor
