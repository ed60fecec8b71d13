"""Functions that run as programs, under Paddle's names."""

from ..concrete_program import ConcreteProgram
from ..convert.convert import convert as convert_to_static
from ..program_cache import ProgramCache
from ..static_function import StaticFunction
from ..to_static import ProgramTranslator
from .function_spec import FunctionSpec

# Paddle has one for each way to make programs
ASTStaticFunction = SymbolicStaticFunction = StaticFunction

__all__ = [
    "ASTStaticFunction",
    "ConcreteProgram",
    "FunctionSpec",
    "ProgramCache",
    "ProgramTranslator",
    "StaticFunction",
    "SymbolicStaticFunction",
    "convert_to_static",
]
