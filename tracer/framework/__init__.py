"""`paddle.framework`: saving and loading of state, and aliases."""

from typing import Any as _Any

from ..core.autograd import grad, no_grad
from ..core.dtype import DType as dtype
from ..core.dtype import get_default_dtype, set_default_dtype
from ..core.flags import get_flags, set_flags
from ..core.legacy_importer import import_legacy_module as _legacy_module
from ..core.parameter import Parameter
from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace
from ..core.top_level_functions import disable_signal_handler
from ..nn.param_attr import ParamAttr
from ..static import Program
from ..static.graph.mode import disable_static, enable_static, in_dynamic_mode
from ..static.io import variables as io_utils
from ..static.io.variables import is_belong_to_optimizer, is_parameter, is_persistable
from . import random
from .io import load, save
from .random import seed


def __getattr__(name: str) -> _Any:
    """Look up attributes that Paddle's own tests use in this package: its C++ module `core`, and
    internals of fluid.framework.
    """
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _legacy_module("core") if name == "core" else getattr(_legacy_module("framework"), name)


def in_pir_mode() -> bool:
    """Return False: programs are not written in Paddle's PIR."""
    return False


def in_dynamic_or_pir_mode() -> bool:
    """Return whether ops run eagerly."""
    return in_dynamic_mode()


use_pir_api = in_pir_mode

__all__ = [
    "CPUPlace",
    "CUDAPinnedPlace",
    "CUDAPlace",
    "ParamAttr",
    "Parameter",
    "Program",
    "disable_signal_handler",
    "disable_static",
    "dtype",
    "enable_static",
    "get_default_dtype",
    "get_flags",
    "grad",
    "in_dynamic_mode",
    "no_grad",
    "random",
    "seed",
    "set_default_dtype",
    "set_flags",
]
