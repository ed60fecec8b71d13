"""Set the persistable variables of a program in a scope to the matching values of a state dict."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from ...core import cuda
from ...core.dtype import is_inexact
from ...core.errors import ArgumentAssertionError, append_user_line, warn
from ...core.tensor import Tensor
from ...ir.scope import Scope

Program: TypeAlias = Any  # program.Program
# key in the state dict of a layer: maps structured names to variable names
NAME_TABLE_KEY = "StructuredToParameterName@@"


def rename_keys_to_variable_names(values: dict[str, Any]) -> dict[str, Any]:
    """Replace the keys of a layer's state dict by the names of the variables. Do nothing if the
    state dict lacks the name table that `paddle.load(.., keep_name_table=True)` adds.
    """
    table = values.get(NAME_TABLE_KEY)
    table = table if isinstance(table, dict) else {}
    return {
        table.get(name, name): value for name, value in values.items() if name != NAME_TABLE_KEY
    }


def set_matching_values_or_warn(program: Program, values: dict[str, Any], scope: Scope) -> None:
    """Set the persistable variables of a program in a scope to the values whose name, shape and
    dtype match. Warn about each value whose shape or dtype does not fit, or whose name is unknown.
    """
    variables = {v.name: v for v in program.persistables()}
    for name, value in rename_keys_to_variable_names(values).items():
        why = f"Because '{name}' not in the program."
        if name in variables:
            meta, raw = variables[name].meta, value.array if isinstance(value, Tensor) else value
            array = np.asarray(cuda.to_host(raw))
            why = _describe_mismatch(name, array, variables[name])
            if not why:
                scope.assign(name, array.astype(meta.dtype, copy=False), meta)
        if why:
            warn(f"Skip loading for '{name}'. {why}")


def _describe_mismatch(name: str, array: Any, variable: Any) -> str:
    """Return the reason why an array cannot be assigned to a variable; an empty string if it
    can.
    """
    shape, dtype = variable.raw.shape, variable.meta.dtype
    if tuple(array.shape) != shape:
        return (
            f"{name} expected a shape {list(shape)}, but the received shape is {list(array.shape)}."
        )
    same_kind = array.dtype == dtype or (is_inexact(array.dtype) and is_inexact(dtype))
    return (
        ""
        if same_kind
        else (
            f"{name} expected the dtype {dtype.name}, but the received dtype is {array.dtype.name}."
        )
    )


def require_all_match_and_set_values(
    program: Program, values: dict[str, Any], scope: Scope
) -> None:
    """Set persistable variables of a program in a scope, after checking shape and dtype of all
    values. Warn about unknown names.

    Raises ArgumentAssertionError, which lists all values with a wrong shape or dtype, before any
    variable changes.
    """
    if not isinstance(values, dict):
        raise TypeError(
            append_user_line(
                f"set_state_dict: state_dict must be a dict, not {type(values).__name__}"
            )
        )
    values = rename_keys_to_variable_names(values)
    variables = {v.name: v for v in program.persistables()}
    arrays = {
        n: np.asarray(cuda.to_host(v.array if isinstance(v, Tensor) else v))
        for n, v in values.items()
        if n in variables
    }
    problems = [
        f"'{n}' is {variables[n].meta}, the value is {a.dtype.name}{list(a.shape)}"
        for n, a in arrays.items()
        if tuple(a.shape) != variables[n].raw.shape or a.dtype != variables[n].meta.dtype
    ]
    if problems:
        raise ArgumentAssertionError(append_user_line(f"set_state_dict: {'; '.join(problems)}"))
    for name, array in arrays.items():
        scope.assign(name, array, variables[name].meta)
    unused = [n for n in values if n not in variables]
    if unused:
        warn(f"the program has no variables {unused}; their values are ignored")
