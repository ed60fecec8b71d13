"""Parameters and other persistable variables: declared in the main program, initialized by the
startup program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...capture.variable import ParameterVariable, Variable
from ...core import cuda
from ...core.dtype import DTYPE_BY_NP, parse_dtype
from ...core.errors import OpError, append_user_line
from ...core.mode import use_mode
from ...core.parameter import Parameter
from ...core.tensor import Tensor
from ...ir import program as data
from .block import Block
from .constants import emit_constant
from .default_programs import default_startup_program
from .mode import StaticGraphMode
from .program import Program


def declare_persistable_and_emit_initializer(
    program: Program, desc: data.VarDesc, init: Callable[[], Any]
) -> Variable:
    """Declare a persistable variable of `program`.

    init: returns its initial value; called once, while the startup program is recorded
    """
    variable = program.global_block().declare_or_get(desc)
    startup = default_startup_program()
    if startup is not program and not startup.global_block().has_var(desc.name):
        declare_in_startup_and_emit_initializer(startup, desc, init)
    return variable


def declare_in_startup_and_emit_initializer(
    startup: Program, desc: data.VarDesc, init: Callable[[], Any]
) -> None:
    """Emit the ops that initialize a variable into the startup program."""
    target = startup.global_block().declare_or_get(replace(desc, persistable=True))
    mode = StaticGraphMode(startup)
    with use_mode(mode):
        startup.recorder.is_initializing = True
        try:
            value = init()
        finally:
            startup.recorder.is_initializing = False
        if not isinstance(value, Variable):
            value = emit_constant(np.asarray(value).astype(parse_dtype(desc.dtype).np))
        if tuple(value.raw.shape) != desc.shape:
            raise OpError(
                append_user_line(
                    f"parameter '{desc.name}': initial value is {value.meta}, "
                    f"not {list(desc.shape)}"
                )
            )
        mode.redirect_last_output_or_assign(value, target)


def declare_parameter_and_emit_initializer(
    program: Program, name: str, shape: Any, dtype: Any, trainable: bool, init: Callable[[], Any]
) -> ParameterVariable:
    """Declare a parameter.

    Raises OpError if the name is declared with another shape or dtype, or if a size is dynamic.
    """
    sizes = tuple(int(d) for d in shape)
    if any(d < 0 for d in sizes):
        raise OpError(
            append_user_line(f"parameter '{name}': shape {list(sizes)} has dynamic dimensions")
        )
    desc = data.VarDesc(
        name,
        sizes,
        parse_dtype(dtype).name,
        persistable=True,
        is_parameter=True,
        stop_gradient=not trainable,
    )
    parameter = declare_persistable_and_emit_initializer(program, desc, init)
    assert isinstance(parameter, ParameterVariable)
    return parameter


def import_eager_variable(program: Program, tensor: Tensor) -> Variable:
    """Declare a variable for a parameter or buffer that was created in eager mode.

    The startup program initializes it with the current value.

    Parameters
    ----------
    program : Program
    tensor : Tensor

    Returns
    -------
    Variable
        The same object if the tensor was imported before.

    Examples
    --------
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     variable = main.import_eager_variable(nn.Linear(2, 3).weight)
    >>> variable.shape
    (2, 3)
    """
    array = np.asarray(cuda.to_host(tensor.array))
    existing = program.raw.block.vars.get(tensor.name)
    if existing is not None:
        return program.global_block().get_or_create_variable_of_desc(existing)
    is_parameter = isinstance(tensor, Parameter)
    desc = data.VarDesc(
        tensor.name,
        array.shape,
        DTYPE_BY_NP[array.dtype].name,
        persistable=True,
        is_parameter=is_parameter,
    )
    desc.stop_gradient = tensor.stop_gradient
    return declare_persistable_and_emit_initializer(program, desc, lambda: emit_constant(array))


def declare_buffer_and_emit_initializer(program: Program, name: str, array: Any) -> Variable:
    """Declare a persistable variable that is not a parameter."""
    array = np.asarray(array)
    desc = data.VarDesc(
        name, array.shape, DTYPE_BY_NP[array.dtype].name, persistable=True, stop_gradient=True
    )
    return declare_persistable_and_emit_initializer(program, desc, lambda: emit_constant(array))


Block.declare_in_startup_and_emit_initializer = declare_in_startup_and_emit_initializer
Program.import_eager_variable = import_eager_variable
