"""Share tensors with other libraries through DLPack without copying."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import OpError, append_user_line
from ..core.tensor import Tensor

__all__ = ["from_dlpack", "to_dlpack"]

_CPU = (1, 0)  # kDLCPU


def to_dlpack(x: Tensor) -> Any:
    """Return a DLPack capsule over the memory of x.

    Raises OpError for a dtype that DLPack or NumPy lacks, such as bfloat16.
    """
    if not isinstance(x, Tensor):
        raise OpError(append_user_line(f"to_dlpack: {type(x).__name__} is not a Tensor"))
    return x.__dlpack__()


class _CapsuleExporter:
    """Wraps a DLPack capsule in an object with the methods `__dlpack__` and `__dlpack_device__`,
    which NumPy expects.
    """

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CPU


def from_dlpack(dlpack: Any) -> Tensor:
    """Return a Tensor over the memory of a DLPack capsule, or of an object with `__dlpack__`, such
    as a PyTorch CPU tensor.

    Both share the memory. Raises OpError if the object is not a capsule, was consumed, or is not on
    the CPU.
    """
    exporter = dlpack if hasattr(dlpack, "__dlpack__") else _CapsuleExporter(dlpack)
    try:
        return Tensor(np.from_dlpack(exporter))
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise OpError(append_user_line(f"from_dlpack: {error}")) from None
