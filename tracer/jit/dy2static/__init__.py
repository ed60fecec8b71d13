"""The public names of `paddle.jit.dy2static`."""

from ...capture.control.branch_values import Undefined as UndefinedVar
from .convert_call_func import convert_call
from .program_translator import ProgramTranslator, StaticFunction, convert_to_static

Call = convert_call

__all__ = [
    "Call",
    "ProgramTranslator",
    "StaticFunction",
    "UndefinedVar",
    "convert_call",
    "convert_to_static",
]
