"""Capture of layers and functions as programs, saving and loading of programs."""

from ..loader.translated_layer import TranslatedLayer, load
from ..static.graph.program import Program as _Program
from . import api, dy2static, layer, translated_layer
from .conversion_switches import enable_to_static, set_code_level, set_verbosity
from .save import save
from .static_function import StaticFunction
from .to_static import ProgramTranslator, declarative, ignore_module, not_to_static, to_static
from .traced_layer import TracedLayer

__all__ = [
    "ProgramTranslator",
    "StaticFunction",
    "TracedLayer",
    "TranslatedLayer",
    "declarative",
    "enable_to_static",
    "ignore_module",
    "load",
    "not_to_static",
    "save",
    "set_code_level",
    "set_verbosity",
    "to_static",
]

TranslatedLayer.create_program_view = _Program.view_of_raw
