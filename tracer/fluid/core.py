"""What programs of Paddle 1.x take from fluid.core: names of its C++ part."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.dtype import (
    bfloat16,
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from ..core.errors import OpError
from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace
from ..core.place import Place as AnyPlace
from ..core.tensor import Tensor as EagerTensor
from ..static import Scope
from ..static.ended import EndOfData as EOFException
from ..static.program import AttrType, Kind
from ..static.variable import GRADIENT
from .framework import get_all_op_protos, is_compiled_with_cuda
from .lod_tensor import LoDTensor, LoDTensorArray
from .strategy import BackwardStrategy
from .variables import VarBase, Variable

__all__ = [
    "AttrType", "BackwardStrategy", "CPUPlace", "CUDAPinnedPlace", "CUDAPlace", "EOFException", "EnforceNotMet", "LoDTensor", "LoDTensorArray",
    "Place", "Scope", "SelectedRows", "Tensor", "VarBase", "VarDesc", "Variable", "get_all_op_protos", "get_cuda_device_count",
    "is_bfloat16_supported", "is_compiled_with_brpc", "is_compiled_with_cinn", "is_compiled_with_cuda", "is_compiled_with_dist",
    "is_compiled_with_ipu", "is_compiled_with_mkldnn", "is_compiled_with_mlu", "is_compiled_with_npu", "is_compiled_with_rocm",
    "is_compiled_with_xpu", "is_float16_supported", "kEmptyVarName", "kGradVarSuffix", "op_support_gpu", "set_num_threads", "supports_bfloat16",
]  # fmt: skip

EnforceNotMet = OpError
Tensor = LoDTensor


class SelectedRows:
    """Some rows of a larger table.   rows: their numbers; height: the rows of the table"""

    def __init__(self, rows: Sequence[int] = (), height: int = 0) -> None:
        self._rows, self._height, self._tensor = list(rows), height, LoDTensor()

    def rows(self) -> list[int]:
        """The numbers of the rows."""
        return self._rows

    def set_rows(self, rows: Sequence[int]) -> None:
        """Set the numbers of the rows."""
        self._rows = list(rows)

    def height(self) -> int:
        """The rows of the table."""
        return self._height

    def set_height(self, height: int) -> None:
        """Set the rows of the table."""
        self._height = height

    def get_tensor(self) -> LoDTensor:
        """The values of the rows, [rows, *]."""
        return self._tensor

    def sync_index(self) -> None:
        """Nothing: there is no index besides."""

    def numel(self) -> int:
        """The number of elements."""
        return int(np.asarray(self._tensor).size)


class VarDesc:
    """Declarations of variables, for their types' names."""

    class VarType:
        """The dtypes and kinds of variables."""

        BOOL, INT16, INT32, INT64, FP16, FP32, FP64 = bool_, int16, int32, int64, float16, float32, float64
        UINT8, INT8, BF16, COMPLEX64, COMPLEX128 = uint8, int8, bfloat16, complex64, complex128
        LOD_TENSOR, LOD_TENSOR_ARRAY, SELECTED_ROWS, STEP_SCOPES = (
            Kind.DENSE,
            Kind.ARRAY,
            Kind.SELECTED_ROWS,
            Kind.STEP_SCOPES,
        )
        LOD_RANK_TABLE = Kind.RANK_TABLE
        FEED_MINIBATCH, FETCH_LIST, READER, RAW = Kind.FEED, Kind.FETCH, Kind.READER, Kind.RAW


class Place(AnyPlace):
    """Any device, as `set_place` says."""

    def set_place(self, place: AnyPlace) -> None:
        """Be this one."""
        self.kind, self.index = place.kind, place.index


class eager:
    """What the second eager mode of Paddle calls its classes."""

    Tensor = EagerTensor


def get_cuda_device_count() -> int:
    """None run ops here."""
    return 0


def op_support_gpu(op_type: str) -> bool:
    """False: ops run on the processor."""
    return False


def _no(*_: object) -> bool:
    """False: ops run on the processor, in float32 and float64."""
    return False


is_compiled_with_xpu = is_compiled_with_npu = is_compiled_with_rocm = is_compiled_with_mkldnn = (
    is_compiled_with_brpc
) = _no
is_compiled_with_dist = is_compiled_with_mlu = is_compiled_with_ipu = is_compiled_with_cinn = _no
is_float16_supported = is_bfloat16_supported = supports_bfloat16 = _is_dygraph_debug_enabled = _no


def kEmptyVarName() -> str:
    """What stands where an op has no variable."""
    return "@EMPTY@"


def kGradVarSuffix() -> str:
    """What the names of gradients end in."""
    return GRADIENT


def set_num_threads(num: int) -> None:
    """Nothing: NumPy and the engine have their own settings."""
