"""Programs: what a model is when it is written down - data, text, checks, recording, writing by hand, and running them."""

from . import control
from .executor import Executor
from .graph.compiled_program import BuildStrategy, CompiledProgram, ExecutionStrategy
from .graph.defaults import (
    default_main_program,
    default_startup_program,
    device_guard,
    name_scope,
    program_guard,
)
from .graph.gradients import append_backward, gradients
from .graph.inputs import create_global_var
from .graph.inputs import data_input as data
from .graph.mode import disable_static, enable_static
from .graph.program import Program
from .input_spec import InputSpec
from .scope import Scope, global_scope, scope_guard
from .variable import Variable

__all__ = [
    "BuildStrategy",
    "CompiledProgram",
    "ExecutionStrategy",
    "Executor",
    "InputSpec",
    "Program",
    "Scope",
    "Variable",
    "append_backward",
    "create_global_var",
    "data",
    "default_main_program",
    "default_startup_program",
    "device_guard",
    "disable_static",
    "enable_static",
    "global_scope",
    "gradients",
    "name_scope",
    "program_guard",
    "scope_guard",
]  # fmt: skip
