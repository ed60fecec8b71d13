"""Variables that users declare, and Python in a program."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import unique_name
from ...core.dtype import dtype_of
from ...core.errors import OarlockError, with_user_line
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
from ...static.graph.parameters import lasting
from ..framework import data as _data
from ..framework import in_dygraph_mode
from .helper import today

__all__ = [
    "Print",
    "autoincreased_step_counter",
    "create_global_var",
    "create_parameter",
    "create_tensor",
    "data",
    "py_func",
]

py_func = today("paddle.static.py_func")(py_func)


@today("paddle.static.data")
def data(
    name: str,
    shape: Any,
    append_batch_size: bool = True,
    dtype: Any = "float32",
    lod_level: int = 0,
    type: Any = None,
    stop_gradient: bool = True,
) -> Any:
    """An input of the program, with one more axis in front for the batch unless a size is open or
    append_batch_size says no.

    -> [*shape]
    """
    sizes = list(shape)
    if append_batch_size and all(d is not None and d >= 0 for d in sizes):
        sizes = [-1, *sizes]
    made = _data(name, sizes, dtype, lod_level)
    made.stop_gradient = stop_gradient
    made.raw.accepts_any_feed = True
    return made


def create_tensor(dtype: Any, name: str | None = None, persistable: bool = False) -> Any:
    """A variable that gets its value, and with it its shape, later."""
    if state.mode.builder is None:
        made = Tensor(np.zeros(0, dtype_of(dtype).np))
        made.name = name or unique_name.generate("create_tensor")
        return made
    name = name or unique_name.generate("create_tensor")
    block = default_main_program().current_block()
    return block.create_var(name=name, dtype=dtype, persistable=persistable)


@today("paddle.create_parameter")
def create_parameter(
    shape: Any,
    dtype: Any,
    name: str | None = None,
    attr: Any = None,
    is_bias: bool = False,
    default_initializer: Any = None,
) -> Any:
    """A parameter of no layer.   -> [*shape]"""
    return _parameter(
        shape,
        dtype,
        name,
        ParamAttr(name=name) if attr is None else attr,
        is_bias,
        default_initializer,
    )


@today("paddle.static.create_global_var")
def create_global_var(
    shape: Any,
    value: float,
    dtype: Any,
    persistable: bool = False,
    force_cpu: bool = False,
    name: str | None = None,
) -> Any:
    """A variable of the outermost block that starts with one value everywhere.   -> [*shape]"""
    if in_dygraph_mode():
        made = OPS["fill_constant"](
            shape=list(shape), value=float(value), dtype=dtype_of(dtype).proto
        )
        made.name, made.persistable = name or unique_name.generate("_generated_var"), persistable
        return made
    if state.mode.builder is None:
        enable_static()
    made = _global_var(
        shape, value, dtype, persistable, force_cpu, name or unique_name.generate("_generated_var")
    )
    made.unsaid = frozenset({"lod_level"})
    return made


def autoincreased_step_counter(
    counter_name: str | None = None, begin: int = 1, step: int = 1
) -> Any:
    """How often the program has run, counted at its beginning.   -> int64 [1]"""
    mode = state.mode
    if not isinstance(mode, StaticGraphMode):
        raise OarlockError(
            with_user_line(
                "autoincreased_step_counter: counts the runs of a program; there is none"
            )
        )
    name, block = counter_name or "@STEP_COUNTER@", mode.program.global_block()
    if block.has_var(name):
        return block.var(name)
    start = {
        "value": float(begin - 1),
        "str_value": str(begin - 1),
        "dtype": dtype_of("int64").proto,
    }
    desc = VarDesc(name, (1,), "int64", persistable=True, stop_gradient=True)
    counter = lasting(mode.program, desc, lambda: OPS["fill_constant"](shape=[1], **start))
    block._prepend_op(
        "increment",
        inputs={"X": [counter]},
        outputs={"Out": [counter]},
        attrs={"step": float(step)},
    )
    return counter


@today("paddle.static.Print")
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
    """Print a value, and in a backward pass its gradient, whenever a program runs; gives the value.

    input [*] -> [*]
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
