"""Oarlock: a light, Paddle-compatible eager runtime that records what it runs and runs what it
recorded.

import oarlock as paddle
"""

if __name__ != "oarlock":
    raise ImportError(
        "this folder is the source of the package `oarlock`; install the package and import that"
    )

import os as _os
from typing import Any as _Any

from . import core, tensor
from .core import unique_name
from .core.autograd import enable_grad, grad, is_grad_enabled, no_grad, set_grad_enabled
from .core.compiled_features import (
    get_cudnn_version,
    is_compiled_with_cinn,
    is_compiled_with_cuda,
    is_compiled_with_custom_device,
    is_compiled_with_distribute,
    is_compiled_with_ipu,
    is_compiled_with_rocm,
    is_compiled_with_xpu,
)
from .core.dtype import DType as dtype
from .core.dtype import (
    bfloat16,
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    get_default_dtype,
    int8,
    int16,
    int32,
    int64,
    set_default_dtype,
    uint8,
)
from .core.dtype_info import finfo, iinfo
from .core.errors import (
    AssertError,
    FileError,
    GuardError,
    OarlockError,
    OpError,
    TraceError,
    VerifyError,
)
from .core.flags import get_flags, set_flags
from .core.keyword_hints import show_hints_with_errors as _show_hints_with_errors
from .core.lazy_import import locked_import_module as _locked_import_module
from .core.lazy_import import make_lazy_getattr as _make_lazy_getattr
from .core.legacy_importer import set_legacy_importer as _set_legacy_importer
from .core.parameter import Parameter
from .core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace, get_device, set_device
from .core.rng import get_rng_state, set_rng_state
from .core.tensor import Tensor
from .core.tensor_printing import set_printoptions
from .core.threads import limit_blas_to_one_thread_by_default as _set_default_threads
from .core.threads import set_num_threads
from .core.top_level_functions import (
    batch,
    disable_signal_handler,
    get_cuda_rng_state,
    set_cuda_rng_state,
)
from .core.version import VERSION as _VERSION
from .tensor.patch import EXPORTS as _EXPORTS

__version__ = _VERSION
_set_legacy_importer(lambda name: _locked_import_module(f".fluid.{name}", "oarlock"))
_set_default_threads()
_show_hints_with_errors()
if "OARLOCK_LOG" in _os.environ:
    from .core.log import configure_logging as _configure_logging

    _configure_logging()

globals().update(_EXPORTS)
# Functions that Paddle exports from `tensor`; here, `capture.control` defines them.
_TENSOR_ARRAY_FUNCTIONS = dict.fromkeys(
    ("array_length", "array_read", "array_write", "create_array"), "..capture.control"
)
setattr(tensor, "__getattr__", _make_lazy_getattr(vars(tensor), _TENSOR_ARRAY_FUNCTIONS))  # noqa: B010 - the package has no such function itself

bool = bool_


def _main_global_block(_: Tensor) -> _Any:
    """The global block of the default main program, a Block.

    As in Paddle, an eager tensor has this attribute, so that `initializer(weight, weight.block)`
    works.

    Examples
    --------
    >>> weight = nn.Linear(1, 2).weight
    >>> _ = nn.initializer.Constant(2.0)(weight, weight.block)
    >>> weight.tolist()
    [[2.0, 2.0]]
    """
    programs = _locked_import_module(".static.graph.default_programs", __name__)
    return programs.default_main_program().global_block()


setattr(Tensor, "block", property(_main_global_block))  # noqa: B010 - core does not import programs; Variable overrides it

# Names that are imported when they are first used, which makes `import oarlock` faster. Name ->
# module
_MODULE_BY_LAZY_NAME = {
    "_legacy_C_ops": ".fluid.core",
    "amp": ".amp",
    "autograd": ".autograd",
    "base": ".base",
    "callbacks": ".callbacks",
    "compat": ".compat",
    "create_parameter": ".nn.create_parameter",
    "DataParallel": ".distributed",
    "dataset": ".dataset",
    "device": ".device",
    "disable_static": ".static.graph.mode",
    "distributed": ".distributed",
    "distribution": ".distribution",
    "enable_static": ".static.graph.mode",
    "fft": ".fft",
    "flops": ".hapi",
    "fluid": ".fluid",
    "framework": ".framework",
    "geometric": ".geometric",
    "hapi": ".hapi",
    "in_dynamic_mode": ".static.graph.mode",
    "incubate": ".incubate",
    "inference": ".inference",
    "io": ".io",
    "jit": ".jit",
    "linalg": ".linalg",
    "load": ".framework.io",
    "metric": ".metric",
    "Model": ".hapi",
    "nn": ".nn",
    "onnx": ".onnx",
    "optimizer": ".optimizer",
    "ParamAttr": ".nn.param_attr",
    "pipeline": ".pipeline",
    "profiler": ".profiler",
    "quantization": ".quantization",
    "reader": ".reader",
    "regularizer": ".regularizer",
    "save": ".framework.io",
    "signal": ".signal",
    "static": ".static",
    "summary": ".hapi",
    "sysconfig": ".sysconfig",
    "text": ".text",
    "utils": ".utils",
    "version": ".version",
    "vision": ".vision",
}


__getattr__ = _make_lazy_getattr(globals(), _MODULE_BY_LAZY_NAME)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULE_BY_LAZY_NAME})


__all__ = [
    "CPUPlace",
    "CUDAPinnedPlace",
    "CUDAPlace",
    "batch",
    "disable_signal_handler",
    "get_cuda_rng_state",
    "get_flags",
    "set_cuda_rng_state",
    "set_flags",
    "AssertError",
    "FileError",
    "GuardError",
    "OarlockError",
    "OpError",
    "Parameter",
    "Tensor",
    "TraceError",
    "VerifyError",
    "bfloat16",
    "bool",
    "complex64",
    "complex128",
    "core",
    "enable_grad",
    "float16",
    "float32",
    "float64",
    "finfo",
    "get_cudnn_version",
    "is_compiled_with_cinn",
    "is_compiled_with_cuda",
    "is_compiled_with_custom_device",
    "is_compiled_with_distribute",
    "is_compiled_with_ipu",
    "is_compiled_with_rocm",
    "is_compiled_with_xpu",
    "get_default_dtype",
    "get_device",
    "get_rng_state",
    "grad",
    "iinfo",
    "int8",
    "int16",
    "int32",
    "int64",
    "is_grad_enabled",
    "no_grad",
    "set_default_dtype",
    "set_device",
    "set_grad_enabled",
    "set_num_threads",
    "set_printoptions",
    "set_rng_state",
    "tensor",
    "uint8",
    "unique_name",
    *_MODULE_BY_LAZY_NAME,
    *_EXPORTS,
]
