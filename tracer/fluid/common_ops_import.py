"""paddle.common_ops_import: what files of ops in model packages take from Paddle in one line."""

from ..static import default_main_program, device_guard
from . import core, dygraph_utils
from .core import VarDesc
from .data_feeder import check_dtype, check_type, check_variable_and_dtype, convert_dtype
from .framework import OpProtoHolder, Variable, _dygraph_tracer, convert_np_dtype_to_dtype_, dygraph_only, in_dygraph_mode
from .layer_helper import LayerHelper
from .param_attr import ParamAttr

__all__ = [
    "LayerHelper", "OpProtoHolder", "ParamAttr", "VarDesc", "Variable", "_dygraph_tracer", "check_dtype", "check_type", "check_variable_and_dtype",
    "convert_dtype", "convert_np_dtype_to_dtype_", "core", "default_main_program", "device_guard", "dygraph_only", "dygraph_utils", "in_dygraph_mode",
]  # fmt: skip
