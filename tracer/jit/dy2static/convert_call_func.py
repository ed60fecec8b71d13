"""The public names of `paddle.jit.dy2static.convert_call_func`."""

from ..convert.convert import CONVERSION_OPTIONS, ConversionOptions
from ..guards.user_code import IGNORED_MODULES as BUILTIN_LIKELY_MODULES
from ..operators.calls import call as convert_call

__all__ = ["BUILTIN_LIKELY_MODULES", "CONVERSION_OPTIONS", "ConversionOptions", "convert_call"]
