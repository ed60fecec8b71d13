"""What programs of Paddle 1.x take from fluid.core: names of its C++ part."""

from __future__ import annotations

from typing import Any

from ..capture.variable import GRADIENT
from ..core.dtype import dtype_of
from ..core.errors import OpError
from ..core.flags import Flags
from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace
from ..core.place import Place as AnyPlace
from ..core.tensor import Tensor as EagerTensor
from ..ir.program import AttrType
from ..ir.scope_values import SelectedRows
from ..static import Scope
from ..static.block_desc import BlockDesc, ProgramDesc
from ..static.end_of_data import EndOfData as EOFException
from ..static.op_desc import OpDesc
from ..static.var_desc import VarDesc
from . import core_ops as ops
from .framework import get_all_op_protos, is_compiled_with_cuda
from .lod_tensor import LoDTensor, LoDTensorArray
from .predictors import (
    AnalysisConfig,
    AnalysisPredictor,
    NativeConfig,
    PaddleBuf,
    PaddleDType,
    PaddleTensor,
    ZeroCopyTensor,
    create_paddle_predictor,
)
from .strategy import BackwardStrategy
from .variables import VarBase, Variable

__all__ = [
    "AnalysisConfig",
    "AnalysisPredictor",
    "AttrType",
    "BackwardStrategy",
    "BlockDesc",
    "CPUPlace",
    "CUDAPinnedPlace",
    "CUDAPlace",
    "EOFException",
    "EnforceNotMet",
    "Layer",
    "LoDTensor",
    "LoDTensorArray",
    "NativeConfig",
    "OpDesc",
    "PaddleBuf",
    "PaddleDType",
    "PaddleTensor",
    "Place",
    "ProgramDesc",
    "Scope",
    "SelectedRows",
    "Tensor",
    "VarBase",
    "VarDesc",
    "Variable",
    "ZeroCopyTensor",
    "create_paddle_predictor",
    "empty_var_name",
    "get_all_op_protos",
    "get_cuda_device_count",
    "globals",
    "grad_var_suffix",
    "is_bfloat16_supported",
    "is_compiled_with_brpc",
    "is_compiled_with_cinn",
    "is_compiled_with_cuda",
    "is_compiled_with_dist",
    "is_compiled_with_ipu",
    "is_compiled_with_mkldnn",
    "is_compiled_with_mlu",
    "is_compiled_with_npu",
    "is_compiled_with_rocm",
    "is_compiled_with_xpu",
    "is_float16_supported",
    "kEmptyVarName",
    "kGradVarSuffix",
    "op_support_gpu",
    "ops",
    "set_num_threads",
    "size_of_dtype",
    "supports_bfloat16",
]

EnforceNotMet = OpError
_legacy_C_ops = ops  # Paddle 2's name for them, which has its place in `paddle`
Tensor = LoDTensor


class Place(AnyPlace):
    """Any device, as `set_place` says."""

    def set_place(self, place: AnyPlace) -> None:
        """Be this one."""
        self.kind, self.index = place.kind, place.index


class Layer:
    """The layer that Paddle's C++ part has, which gives nothing."""

    def forward(self, inputs: list[EagerTensor]) -> list[EagerTensor]:
        """No tensors."""
        return []


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


def size_of_dtype(dtype: Any) -> int:
    """Bytes of one element."""
    return dtype_of(dtype).np.itemsize


_FLAGS = Flags()


def _globals() -> Flags:
    """The flags by name: those that would change nothing here are kept."""
    return _FLAGS


grad_var_suffix, empty_var_name = kGradVarSuffix, kEmptyVarName
globals = _globals


def set_num_threads(num: int) -> None:
    """Nothing: NumPy and the engine have their own settings."""
