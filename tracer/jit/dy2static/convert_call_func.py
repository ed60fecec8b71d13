"""Which function is called in place of another one, under Paddle's names."""

from ..ast.calls import IGNORED_MODULES as BUILTIN_LIKELY_MODULES
from ..ast.calls import call as convert_call
from ..ast.convert import CONVERSION_OPTIONS, ConversionOptions

__all__ = ["BUILTIN_LIKELY_MODULES", "CONVERSION_OPTIONS", "ConversionOptions", "convert_call"]
