"""Inputs, parameters and other variables that users declare, Print and py_func."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import unique_name
from ...core.dtype import parse_dtype
from ...core.errors import OarlockError, append_user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.tensor import Tensor
from ...ir.program import VarDesc
from ...nn.create_parameter import create_parameter as _parameter
from ...nn.param_attr import ParamAttr
from ...static import Print as _Print
from ...static import create_global_var as _global_var
from ...static import default_main_program, py_func
from ...static.graph.mode import StaticGraphMode, enable_static
from ...static.graph.parameters import declare_persistable_and_emit_initializer
from ..framework import data as _data
from ..framework import in_dygraph_mode
from .layer_utils import deprecated_layer

__all__ = [
    "Print",
    "autoincreased_step_counter",
    "create_global_var",
    "create_parameter",
    "create_tensor",
    "data",
    "py_func",
]

py_func = deprecated_layer("paddle.static.py_func")(py_func)


@deprecated_layer("paddle.static.data")
def data(
    name: str,
    shape: Any,
    append_batch_size: bool = True,
    dtype: Any = "float32",
    lod_level: int = 0,
    type: Any = None,
    stop_gradient: bool = True,
) -> Any:
    """Declare an input of the program.

    With append_batch_size and only static sizes, a dynamic batch dimension is added in front.
    """
    sizes = list(shape)
    if append_batch_size and all(d is not None and d >= 0 for d in sizes):
        sizes = [-1, *sizes]
    variable = _data(name, sizes, dtype, lod_level)
    variable.stop_gradient = stop_gradient
    variable.raw.accepts_any_feed = True
    return variable


def create_tensor(dtype: Any, name: str | None = None, persistable: bool = False) -> Any:
    """Create a variable whose value and shape are assigned later.

    The newer name is `paddle.empty`.
    """
    if state.mode.program_builder is None:
        tensor = Tensor(np.zeros(0, parse_dtype(dtype).np))
        tensor.name = name or unique_name.generate("create_tensor")
        return tensor
    name = name or unique_name.generate("create_tensor")
    block = default_main_program().current_block()
    return block.create_var(name=name, dtype=dtype, persistable=persistable)


@deprecated_layer("paddle.create_parameter")
def create_parameter(
    shape: Any,
    dtype: Any,
    name: str | None = None,
    attr: Any = None,
    is_bias: bool = False,
    default_initializer: Any = None,
) -> Any:
    """Create a parameter [*shape] that belongs to no layer."""
    return _parameter(
        shape,
        dtype,
        name,
        ParamAttr(name=name) if attr is None else attr,
        is_bias,
        default_initializer,
    )


@deprecated_layer("paddle.static.create_global_var")
def create_global_var(
    shape: Any,
    value: float,
    dtype: Any,
    persistable: bool = False,
    force_cpu: bool = False,
    name: str | None = None,
) -> Any:
    """Create a variable [*shape] of the global block that is initialized with one value."""
    name = name or unique_name.generate("_generated_var")
    if in_dygraph_mode():
        tensor = OPS["fill_constant"](
            shape=list(shape), value=float(value), dtype=parse_dtype(dtype).proto
        )
        tensor.name, tensor.persistable = name, persistable
        return tensor
    if state.mode.program_builder is None:
        enable_static()
    variable = _global_var(shape, value, dtype, persistable, force_cpu, name)
    variable.undeclared_properties = frozenset({"lod_level"})
    return variable


def autoincreased_step_counter(
    counter_name: str | None = None, begin: int = 1, step: int = 1
) -> Any:
    """Return a counter of the runs of the program, int64 [1], which each run increments first.

    Paddle 2 has the schedulers of paddle.optimizer.lr instead.
    """
    mode = state.mode
    if not isinstance(mode, StaticGraphMode):
        raise OarlockError(
            append_user_line("autoincreased_step_counter: requires a program, whose runs it counts")
        )
    name, block = counter_name or "@STEP_COUNTER@", mode.program.global_block()
    if block.has_var(name):
        return block.var(name)
    attrs = {
        "value": float(begin - 1),
        "str_value": str(begin - 1),
        "dtype": parse_dtype("int64").proto,
    }
    desc = VarDesc(name, (1,), "int64", persistable=True, stop_gradient=True)
    counter = declare_persistable_and_emit_initializer(
        mode.program, desc, lambda: OPS["fill_constant"](shape=[1], **attrs)
    )
    block._prepend_op(
        "increment",
        inputs={"X": [counter]},
        outputs={"Out": [counter]},
        attrs={"step": float(step)},
    )
    return counter


@deprecated_layer("paddle.static.Print")
def Print(
    input: Any,
    first_n: int = -1,
    message: str | None = None,
    summarize: int = 20,
    print_tensor_name: bool = True,
    print_tensor_type: bool = True,
    print_tensor_shape: bool = True,
    print_tensor_lod: bool = True,
    print_phase: str = "both",
) -> Any:
    """Print a value, and in a backward pass its gradient, in each run of a program; returns the
    value.
    """
    return _Print(
        input,
        first_n,
        message,
        summarize,
        print_tensor_name,
        print_tensor_type,
        print_tensor_shape,
        True,
        print_tensor_lod,
        print_phase,
    )
