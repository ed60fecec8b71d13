"""`paddle.base`, the part of `paddle.fluid` that remained in Paddle 2.5 and 2.6."""

from typing import Any as _Any

from ..core import unique_name
from ..core.compiled_features import is_compiled_with_cuda
from ..core.flags import get_flags, set_flags
from ..core.lazy_import import locked_import_module as _locked_import_module
from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace
from ..core.tensor import Tensor
from ..nn.param_attr import ParamAttr
from ..static import (
    Executor,
    Program,
    Scope,
    Variable,
    append_backward,
    default_main_program,
    default_startup_program,
    device_guard,
    global_scope,
    gradients,
    name_scope,
    program_guard,
    scope_guard,
)
from ..static.graph.mode import disable_static as enable_dygraph
from ..static.graph.mode import enable_static as disable_dygraph
from ..static.graph.mode import in_dynamic_mode as in_dygraph_mode
from . import dygraph, framework


def __getattr__(name: str) -> _Any:
    return getattr(_locked_import_module("..fluid", __name__), name)


__all__ = [
    "CPUPlace",
    "CUDAPinnedPlace",
    "CUDAPlace",
    "Executor",
    "ParamAttr",
    "Program",
    "Scope",
    "Tensor",
    "Variable",
    "append_backward",
    "default_main_program",
    "default_startup_program",
    "device_guard",
    "disable_dygraph",
    "dygraph",
    "enable_dygraph",
    "framework",
    "get_flags",
    "global_scope",
    "gradients",
    "in_dygraph_mode",
    "is_compiled_with_cuda",
    "name_scope",
    "program_guard",
    "scope_guard",
    "set_flags",
    "unique_name",
]
