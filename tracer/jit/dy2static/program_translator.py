"""Functions that run as programs, under Paddle's names."""

from ..ast.convert import convert as convert_to_static
from ..concrete import ConcreteProgram
from ..static_function import ProgramCache, StaticFunction
from ..to_static import ProgramTranslator

__all__ = ["ConcreteProgram", "ProgramCache", "ProgramTranslator", "StaticFunction", "convert_to_static"]
