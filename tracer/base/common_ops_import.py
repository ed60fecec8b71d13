"""`paddle.common_ops_import`: the names that implementations of layers import."""

from ..fluid import core, dygraph_utils
from ..fluid.core import VarDesc
from ..fluid.data_feeder import check_dtype, check_type, check_variable_and_dtype, convert_dtype
from ..fluid.framework import Variable, convert_np_dtype_to_dtype_
from ..fluid.layer_helper import LayerHelper
from ..nn.param_attr import ParamAttr
from ..static import default_main_program, device_guard
from ..static.graph.mode import in_dynamic_mode as in_dygraph_mode

__all__ = [
    "LayerHelper",
    "ParamAttr",
    "VarDesc",
    "Variable",
    "check_dtype",
    "check_type",
    "check_variable_and_dtype",
    "convert_dtype",
    "convert_np_dtype_to_dtype_",
    "core",
    "default_main_program",
    "device_guard",
    "dygraph_utils",
    "in_dygraph_mode",
]
