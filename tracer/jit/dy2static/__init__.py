"""The conversion under the names that it has in Paddle."""

from .convert_call_func import convert_call
from .program_translator import ProgramTranslator, StaticFunction, convert_to_static

__all__ = ["ProgramTranslator", "StaticFunction", "convert_call", "convert_to_static"]
