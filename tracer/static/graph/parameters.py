"""Parameters and other variables that outlive a run: declared in the main program, given a first
value in the startup program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...capture.variable import ParameterVariable, Variable
from ...core import cuda
from ...core.dtype import BY_NP, dtype_of
from ...core.errors import OpError, with_user_line
from ...core.mode import use_mode
from ...core.parameter import Parameter
from ...core.tensor import Tensor
from ...ir import program as data
from .block import Block
from .constants import value_of
from .default_programs import default_startup_program
from .mode import Writing
from .program import Program


def lasting(program: Program, desc: data.VarDesc, first: Callable[[], Any]) -> Variable:
    """A persistable variable of `program`.

    first: gives its first value, called once, while the startup program is written.
    """
    made = program.global_block().declare(desc)
    startup = default_startup_program()
    if startup is not program and not startup.global_block().has_var(desc.name):
        start_with(startup, desc, first)
    return made


def start_with(startup: Program, desc: data.VarDesc, first: Callable[[], Any]) -> None:
    """Write ops that give a variable its first value."""
    target = startup.global_block().declare(replace(desc, persistable=True))
    mode = Writing(startup)
    with use_mode(mode):
        startup.recorder.starting = True
        try:
            value = first()
        finally:
            startup.recorder.starting = False
        if not isinstance(value, Variable):
            value = value_of(np.asarray(value).astype(dtype_of(desc.dtype).np))
        if tuple(value.raw.shape) != desc.shape:
            raise OpError(
                with_user_line(
                    f"parameter '{desc.name}': starts as {value.meta}, not {list(desc.shape)}"
                )
            )
        mode.write(value, target)


def new_parameter(
    program: Program, name: str, shape: Any, dtype: Any, trainable: bool, first: Callable[[], Any]
) -> ParameterVariable:
    """A parameter.

    Raises OpError where the name is taken by one of another shape or dtype, and for sizes that are
    not known.
    """
    sizes = tuple(int(d) for d in shape)
    if any(d < 0 for d in sizes):
        raise OpError(
            with_user_line(f"parameter '{name}': the sizes {list(sizes)} are not all known")
        )
    desc = data.VarDesc(
        name,
        sizes,
        dtype_of(dtype).name,
        persistable=True,
        is_parameter=True,
        stop_gradient=not trainable,
    )
    made = lasting(program, desc, first)
    assert isinstance(made, ParameterVariable)
    return made


def adopt(program: Program, tensor: Tensor) -> Variable:
    """The variable for a parameter or a buffer that was made outside of the program, with its value
    of now.
    """
    array = np.asarray(cuda.to_host(tensor.array))
    known = program.raw.block.vars.get(tensor.name)
    if known is not None:
        return program.global_block().of(known)
    kind = isinstance(tensor, Parameter)
    desc = data.VarDesc(
        tensor.name, array.shape, BY_NP[array.dtype].name, persistable=True, is_parameter=kind
    )
    desc.stop_gradient = tensor.stop_gradient
    return lasting(program, desc, lambda: value_of(array))


def new_buffer(program: Program, name: str, array: Any) -> Variable:
    """A variable that is state but no parameter."""
    array = np.asarray(array)
    desc = data.VarDesc(
        name, array.shape, BY_NP[array.dtype].name, persistable=True, stop_gradient=True
    )
    return lasting(program, desc, lambda: value_of(array))


Block.start_with = start_with
Program.adopt = adopt
