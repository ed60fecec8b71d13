"""The API of Paddle 1.x: `paddle.fluid`, implemented with the functions of Paddle 2.

Under `fluid` results with one element have the shape [1], as before Paddle 2.5.
"""

from typing import Any as _Any

from ..core import unique_name
from ..core.lazy_import import locked_import_module as _locked_import_module
from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace
from . import tensor_methods as _tensor_methods
from .backward import append_backward, gradients
from .compiler import BuildStrategy, CompiledProgram, ExecutionStrategy, ParallelExecutor
from .core import LoDTensor, LoDTensorArray, Tensor, VarBase
from .data_feeder import DataFeeder
from .executor import Executor, Scope, global_scope, scope_guard
from .framework import (
    ComplexVariable,
    Program,
    Variable,
    _non_static_mode,
    cpu_places,
    cuda_pinned_places,
    cuda_places,
    data,
    default_main_program,
    default_startup_program,
    device_guard,
    disable_dygraph,
    enable_dygraph,
    get_flags,
    in_dygraph_mode,
    is_compiled_with_cuda,
    load_op_library,
    name_scope,
    program_guard,
    require_version,
    set_flags,
)
from .lod_tensor import create_lod_tensor, create_random_int_lodtensor
from .param_attr import ParamAttr, WeightNormParamAttr
from .transpiler import (
    DistributeTranspiler,
    DistributeTranspilerConfig,
    HashName,
    RoundRobin,
    memory_optimize,
    release_memory,
)

enable_imperative, disable_imperative = enable_dygraph, disable_dygraph

# Names of `fluid` whose module is imported when the name is first used: name -> module.
_MODULES = {
    name: f".{name}"
    for name in (
        "average",
        "backward",
        "clip",
        "compiler",
        "contrib",
        "core",
        "data_feeder",
        "debugger",
        "dygraph",
        "dygraph_grad_clip",
        "dygraph_utils",
        "evaluator",
        "executor",
        "framework",
        "graphviz",
        "initializer",
        "install_check",
        "io",
        "layer_helper",
        "layers",
        "lod_tensor",
        "metrics",
        "net_drawer",
        "nets",
        "op",
        "optimizer",
        "param_attr",
        "profiler",
        "reader",
        "regularizer",
        "transpiler",
    )
}
_NAMES_OF_LATER_RELEASES = {
    **dict.fromkeys(("save", "load", "load_program_state", "set_program_state"), ".io"),
    **dict.fromkeys(
        (
            "BCELoss",
            "BatchNorm",
            "BilinearTensorProduct",
            "Conv2D",
            "Conv2DTranspose",
            "Conv3D",
            "Conv3DTranspose",
            "Dropout",
            "Embedding",
            "GRUUnit",
            "GroupNorm",
            "InstanceNorm",
            "L1Loss",
            "Layer",
            "LayerNorm",
            "Linear",
            "MSELoss",
            "NLLLoss",
            "PRelu",
            "Pool2D",
            "SpectralNorm",
            "load_dygraph",
            "save_dygraph",
        ),
        ".dygraph",
    ),
    **dict.fromkeys(("embedding", "one_hot"), ".input"),
    "learning_rate_decay": ".layers",
}


def __getattr__(name: str) -> _Any:
    if name not in _MODULES and name not in _NAMES_OF_LATER_RELEASES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = _locked_import_module(
            _MODULES.get(name) or _NAMES_OF_LATER_RELEASES[name], __name__
        )
    except ModuleNotFoundError as error:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r} ({error})") from None
    if name == "learning_rate_decay":  # a module of fluid in Paddle 1.0
        return _locked_import_module(".layers.learning_rate", __name__)
    return module if name in _MODULES else getattr(module, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *_NAMES_OF_LATER_RELEASES})


__all__ = [
    "BuildStrategy",
    "CPUPlace",
    "CUDAPinnedPlace",
    "CUDAPlace",
    "CompiledProgram",
    "ComplexVariable",
    "DataFeeder",
    "DistributeTranspiler",
    "DistributeTranspilerConfig",
    "ExecutionStrategy",
    "HashName",
    "RoundRobin",
    "Executor",
    "LoDTensor",
    "LoDTensorArray",
    "ParallelExecutor",
    "ParamAttr",
    "Program",
    "Scope",
    "Tensor",
    "VarBase",
    "Variable",
    "WeightNormParamAttr",
    "append_backward",
    "cpu_places",
    "create_lod_tensor",
    "create_random_int_lodtensor",
    "cuda_pinned_places",
    "cuda_places",
    "data",
    "default_main_program",
    "default_startup_program",
    "device_guard",
    "disable_dygraph",
    "disable_imperative",
    "enable_dygraph",
    "enable_imperative",
    "get_flags",
    "global_scope",
    "gradients",
    "in_dygraph_mode",
    "is_compiled_with_cuda",
    "load_op_library",
    "memory_optimize",
    "name_scope",
    "program_guard",
    "release_memory",
    "require_version",
    "scope_guard",
    "set_flags",
    "unique_name",
    *_NAMES_OF_LATER_RELEASES,
    *_MODULES,
]
