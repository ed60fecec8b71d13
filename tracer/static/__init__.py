"""Paddle's static graph API: programs, the modes that record programs, gradients of programs, the
executor, and files of values.
"""

from ..capture import control
from ..capture.side_effects import Print, py_func
from ..capture.variable import ParameterVariable as Parameter
from ..capture.variable import Variable
from ..core.lazy_import import make_lazy_getattr
from ..ir.dim import Dim
from ..ir.input_spec import InputSpec
from ..ir.scope import Scope, global_scope, scope_guard
from .data_feeder import DataFeeder
from .device_lists import cpu_places, cuda_places, ipu_shard_guard, set_ipu_shard, xpu_places
from .executor import Executor
from .graph import builder as _builder  # imported because it sets hooks of lower modules
from .graph.compiled_program import BuildStrategy, CompiledProgram, ExecutionStrategy
from .graph.declared_variables import create_global_var
from .graph.declared_variables import data_input as data
from .graph.default_programs import (
    default_main_program,
    default_startup_program,
    device_guard,
    name_scope,
    program_guard,
    switch_main_program,
    switch_startup_program,
)
from .graph.gradients import append_backward, gradients
from .graph.metrics import accuracy, auc, ctr_metric_bundle
from .graph.mode import disable_static, enable_static
from .graph.moving_average import ExponentialMovingAverage
from .graph.operator import Operator
from .graph.program import Program
from .graph.setitem import setitem

# Name -> module of the names that are imported when they are first used, because their packages
# import this package.
_LAZY = {
    "nn": ".nn",
    "amp": ".amp",
    "io": ".io",
    "create_parameter": ".nn.parameters",
    "WeightNormParamAttr": ".nn.weight_norm",
    **dict.fromkeys(
        (
            "deserialize_persistables",
            "deserialize_program",
            "is_persistable",
            "load",
            "load_from_file",
            "load_inference_model",
            "load_program_state",
            "load_vars",
            "normalize_program",
            "save",
            "save_inference_model",
            "save_to_file",
            "save_vars",
            "serialize_persistables",
            "serialize_program",
            "set_program_state",
        ),
        ".io",
    ),
}


__getattr__ = make_lazy_getattr(globals(), _LAZY)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})


__all__ = [
    "BuildStrategy",
    "CompiledProgram",
    "DataFeeder",
    "Dim",
    "ExecutionStrategy",
    "Executor",
    "ExponentialMovingAverage",
    "InputSpec",
    "Operator",
    "Parameter",
    "Print",
    "Program",
    "Scope",
    "Variable",
    "accuracy",
    "append_backward",
    "auc",
    "cpu_places",
    "create_global_var",
    "ctr_metric_bundle",
    "cuda_places",
    "data",
    "default_main_program",
    "default_startup_program",
    "device_guard",
    "disable_static",
    "enable_static",
    "global_scope",
    "gradients",
    "ipu_shard_guard",
    "name_scope",
    "program_guard",
    "py_func",
    "scope_guard",
    "set_ipu_shard",
    "setitem",
    "switch_main_program",
    "switch_startup_program",
    "xpu_places",
    *_LAZY,
]
