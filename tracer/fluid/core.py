"""Names of Paddle's C++ module that programs of Paddle 1.x read from `fluid.core`."""

from __future__ import annotations

from typing import Any

from ..capture.variable import GRADIENT_SUFFIX
from ..core.dtype import parse_dtype
from ..core.errors import OpError
from ..core.flags import FlagsMapping
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
from .backward_strategy import BackwardStrategy
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
_legacy_C_ops = ops  # the name in Paddle 2, where `paddle` exports it
Tensor = LoDTensor


class Place(AnyPlace):
    """A place (device) that set_place changes to another one."""

    def set_place(self, place: AnyPlace) -> None:
        """Change this place to the device of `place`."""
        self.kind, self.index = place.kind, place.index


class Layer:
    """The class `Layer` of Paddle's C++ module, whose `forward` returns no tensors."""

    def forward(self, inputs: list[EagerTensor]) -> list[EagerTensor]:
        """Return an empty list, as Paddle's base class does."""
        return []


class eager:
    """Namespace `core.eager`: the classes of Paddle's newer eager mode."""

    Tensor = EagerTensor


def get_cuda_device_count() -> int:
    """Return 0: ops of programs run on the CPU."""
    return 0


def op_support_gpu(op_type: str) -> bool:
    """Return False: ops of programs run on the CPU."""
    return False


def _return_false(*_: object) -> bool:
    """Return False: the feature is not supported."""
    return False


is_compiled_with_xpu = is_compiled_with_npu = is_compiled_with_rocm = is_compiled_with_mkldnn = (
    is_compiled_with_brpc
) = _return_false
is_compiled_with_dist = is_compiled_with_mlu = is_compiled_with_ipu = is_compiled_with_cinn = (
    _return_false
)
is_float16_supported = is_bfloat16_supported = supports_bfloat16 = _is_dygraph_debug_enabled = (
    _return_false
)


def kEmptyVarName() -> str:
    """Return the name "@EMPTY@", which Paddle writes in place of a missing variable of an op."""
    return "@EMPTY@"


def kGradVarSuffix() -> str:
    """Return "@GRAD", the suffix of the names of gradient variables."""
    return GRADIENT_SUFFIX


def size_of_dtype(dtype: Any) -> int:
    """Return the size in bytes of an element of a dtype."""
    return parse_dtype(dtype).np.itemsize


_FLAGS = FlagsMapping()


def _globals() -> FlagsMapping:
    """Return the flags by name; flags without effect are stored too."""
    return _FLAGS


grad_var_suffix, empty_var_name = kGradVarSuffix, kEmptyVarName
globals = _globals


def set_num_threads(num: int) -> None:
    """Do nothing: the numbers of threads of NumPy and of ONNX Runtime are set elsewhere."""
