"""The public names of `paddle.jit.api`."""

from ..loader.translated_layer import TranslatedLayer, load
from .conversion_switches import enable_to_static
from .save import save
from .save_hooks import (
    _clear_save_pre_hooks,
    _register_save_pre_hook,
    _run_save_pre_hooks,
    _save_pre_hooks,
)
from .sot import ENV_ENABLE_SOT, sot_mode_guard
from .static_mode_calls import dygraph_to_static_func
from .to_static import ProgramTranslator, declarative, ignore_module, not_to_static, to_static
from .traced_layer import TracedLayer

__all__ = [
    "ENV_ENABLE_SOT",
    "ProgramTranslator",
    "TracedLayer",
    "TranslatedLayer",
    "_clear_save_pre_hooks",
    "_register_save_pre_hook",
    "_run_save_pre_hooks",
    "_save_pre_hooks",
    "declarative",
    "dygraph_to_static_func",
    "enable_to_static",
    "ignore_module",
    "load",
    "not_to_static",
    "save",
    "sot_mode_guard",
    "to_static",
]
