"""Mixed precision for static graph programs: `paddle.static.amp`."""

from . import bf16
from .decorate import OptimizerWithMixedPrecision, decorate
from .lists import AutoMixedPrecisionLists, CustomOpLists
from .rewrite import cast_model_to_fp16, cast_parameters_to_fp16, fp16_guard

__all__ = [
    "AutoMixedPrecisionLists",
    "CustomOpLists",
    "OptimizerWithMixedPrecision",
    "bf16",
    "cast_model_to_fp16",
    "cast_parameters_to_fp16",
    "decorate",
    "fp16_guard",
]
