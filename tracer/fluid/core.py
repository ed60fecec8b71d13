"""What programs of Paddle 1.x take from fluid.core: names of its C++ part."""

from __future__ import annotations

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
from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace, Place
from ..static import Scope
from ..static.ended import EndOfData as EOFException
from ..static.program import Kind
from .framework import is_compiled_with_cuda
from .lod_tensor import LoDTensor, LoDTensorArray
from .strategy import BackwardStrategy
from .variables import VarBase, Variable

__all__ = [
    "BackwardStrategy", "CPUPlace", "CUDAPinnedPlace", "CUDAPlace", "EOFException", "EnforceNotMet", "LoDTensor", "LoDTensorArray", "Place", "Scope",
    "Tensor", "VarBase", "VarDesc", "Variable", "get_cuda_device_count", "is_compiled_with_cuda",
]  # fmt: skip

EnforceNotMet = OpError
Tensor = LoDTensor


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
        FEED_MINIBATCH, FETCH_LIST, READER, RAW = Kind.FEED, Kind.FETCH, Kind.READER, Kind.RAW


def get_cuda_device_count() -> int:
    """None run ops here."""
    return 0
