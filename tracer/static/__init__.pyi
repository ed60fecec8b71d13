"""The public names of this package, for type checkers."""

# Written by `python -m tests.tools.type_stubs`.

from oarlock.capture import control
from oarlock.capture.side_effects.print_assert import Print
from oarlock.capture.side_effects.py_func_and_static_pylayer import py_func
from oarlock.capture.variable import ParameterVariable as Parameter
from oarlock.capture.variable import Variable
from oarlock.core.lazy_import import make_lazy_getattr
from oarlock.ir.dim import Dim
from oarlock.ir.input_spec import InputSpec
from oarlock.ir.scope import Scope, global_scope, scope_guard
from oarlock.static import (
    amp,
    block_desc,
    data_feeder,
    desc_view_bases,
    device_lists,
    executor,
    fetch_list,
    graph,
    io,
    nn,
    op_desc,
    var_desc,
)
from oarlock.static.data_feeder import DataFeeder
from oarlock.static.device_lists import (
    cpu_places,
    cuda_places,
    ipu_shard_guard,
    set_ipu_shard,
    xpu_places,
)
from oarlock.static.executor import Executor
from oarlock.static.graph.compiled_program import BuildStrategy, CompiledProgram, ExecutionStrategy
from oarlock.static.graph.declared_variables import create_global_var
from oarlock.static.graph.declared_variables import data_input as data
from oarlock.static.graph.default_programs import (
    default_main_program,
    default_startup_program,
    device_guard,
    name_scope,
    program_guard,
    switch_main_program,
    switch_startup_program,
)
from oarlock.static.graph.gradients import append_backward, gradients
from oarlock.static.graph.metrics import accuracy, auc, ctr_metric_bundle
from oarlock.static.graph.mode import disable_static, enable_static
from oarlock.static.graph.moving_average import ExponentialMovingAverage
from oarlock.static.graph.operator import Operator
from oarlock.static.graph.program import Program
from oarlock.static.graph.setitem import setitem
from oarlock.static.io.models import (
    deserialize_persistables,
    deserialize_program,
    load_from_file,
    load_inference_model,
    save_inference_model,
    save_to_file,
    serialize_persistables,
    serialize_program,
)
from oarlock.static.io.normalize import normalize_program
from oarlock.static.io.states import load, load_program_state, save, set_program_state
from oarlock.static.io.variables import is_persistable, load_vars, save_vars
from oarlock.static.nn.parameters import create_parameter
from oarlock.static.nn.weight_norm import WeightNormParamAttr

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
    "WeightNormParamAttr",
    "accuracy",
    "amp",
    "append_backward",
    "auc",
    "block_desc",
    "control",
    "cpu_places",
    "create_global_var",
    "create_parameter",
    "ctr_metric_bundle",
    "cuda_places",
    "data",
    "data_feeder",
    "default_main_program",
    "default_startup_program",
    "desc_view_bases",
    "deserialize_persistables",
    "deserialize_program",
    "device_guard",
    "device_lists",
    "disable_static",
    "enable_static",
    "executor",
    "fetch_list",
    "global_scope",
    "gradients",
    "graph",
    "io",
    "ipu_shard_guard",
    "is_persistable",
    "load",
    "load_from_file",
    "load_inference_model",
    "load_program_state",
    "load_vars",
    "make_lazy_getattr",
    "name_scope",
    "nn",
    "normalize_program",
    "op_desc",
    "program_guard",
    "py_func",
    "save",
    "save_inference_model",
    "save_to_file",
    "save_vars",
    "scope_guard",
    "serialize_persistables",
    "serialize_program",
    "set_ipu_shard",
    "set_program_state",
    "setitem",
    "switch_main_program",
    "switch_startup_program",
    "var_desc",
    "xpu_places",
]
