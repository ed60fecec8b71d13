"""`paddle.common_ops_import`: what modules of ops begin with in Paddle, and model libraries take from there."""

from ..static import Variable, default_main_program, device_guard
from . import core
from .checks import check_dtype, check_type, check_variable_and_dtype, convert_dtype
from .framework import OpProtoHolder, convert_np_dtype_to_dtype_, dygraph_only, in_dygraph_mode
from .layer_helper import LayerHelper
from .param_attr import ParamAttr

__all__ = [
    "LayerHelper", "OpProtoHolder", "ParamAttr", "Variable", "check_dtype", "check_type", "check_variable_and_dtype", "convert_dtype",
    "convert_np_dtype_to_dtype_", "core", "default_main_program", "device_guard", "dygraph_only", "in_dygraph_mode",
]  # fmt: skip
