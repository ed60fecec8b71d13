"""The public names of `paddle.jit.dy2static.program_translator`."""

from ..concrete_program import ConcreteProgram
from ..convert.convert import convert as convert_to_static
from ..program_cache import ProgramCache
from ..static_function import StaticFunction
from ..to_static import ProgramTranslator
from .function_spec import FunctionSpec

# Paddle has one class per conversion method (AST and SOT); in Oarlock these names are the same
# class.
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
