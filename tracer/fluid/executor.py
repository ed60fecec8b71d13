"""Running programs: fluid.Executor and scopes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..static import Executor, Scope, global_scope, scope_guard
from .lod_tensor import LoDTensor

__all__ = ["Executor", "Scope", "global_scope", "scope_guard"]


def as_numpy(tensor: Any, copy: bool = False) -> Any:
    """What was fetched as an ndarray, or a list of them.   Raises RuntimeError for rows that are sequences."""
    if isinstance(tensor, list | tuple):
        return [as_numpy(one, copy) for one in tensor]
    if isinstance(tensor, LoDTensor) and tensor.lod():
        raise RuntimeError("Some of your fetched tensors hold LoD information; set return_numpy to False")
    return np.array(tensor)
