"""Files of the values of single variables in the layout of Paddle 1.x: one file per variable, or
one for all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...capture.variable import Variable
from ...core import cuda
from ...core.errors import OpError, append_user_line
from ...core.type_aliases import PathLike
from ...export import pdiparams_writer
from ...export.atomic_files import write_files_atomically
from ...ir.scope import current_scope
from ...loader.pdiparams import load_params
from ..executor import Executor
from ..graph.default_programs import default_main_program
from ..graph.program import Program

Predicate = Callable[[Variable], bool]


def is_parameter(var: Variable) -> bool:
    """Return whether a variable is a parameter."""
    return var.is_parameter


def is_persistable(var: Variable) -> bool:
    """Return whether a variable is persistable, and does not belong to feed or fetch ops.

    Parameters
    ----------
    var : Variable

    Returns
    -------
    bool

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 2], "float32")
    ...     y = paddle.static.nn.fc(x, 3, bias_attr=False)
    >>> executor = paddle.static.Executor()
    >>> executor.run(startup)
    []
    >>> paddle.static.is_persistable(main.all_parameters()[0]), paddle.static.is_persistable(y)
    (True, False)
    >>> paddle.disable_static()
    """
    return any(
        v.name == var.name
        for v in get_program_persistable_vars(_program_of_variable_or_default(var))
    )


def is_belong_to_optimizer(var: Variable) -> bool:
    """Return whether a variable is persistable and not a parameter, such as an accumulator."""
    return not var.is_parameter and is_persistable(var)


def _program_of_variable_or_default(var: Variable) -> Program:
    return default_main_program() if var.block is None else var.block.program


def get_program_parameter(program: Program) -> list[Variable]:
    """Return the parameters of a program."""
    return list(program.all_parameters())


def get_program_persistable_vars(program: Program) -> list[Variable]:
    """Return the persistable variables of a program."""
    return program.persistables()


def _select_variables(
    program: Program | None, variables: Sequence[Variable] | None, predicate: Predicate | None
) -> list[Variable]:
    if variables is not None:
        return list(variables)
    persistables = (program or default_main_program()).persistables()
    return persistables if predicate is None else [v for v in persistables if predicate(v)]


def save_vars(
    executor: Executor | None,
    dirname: PathLike,
    main_program: Program | None = None,
    vars: Sequence[Variable] | None = None,
    predicate: Predicate | None = None,
    filename: str | None = None,
) -> None:
    """Write the values of variables in the current scope to a folder, as Paddle 1.x does.

    Parameters
    ----------
    executor : Executor
        Not used.
    dirname : str
        The folder, which is created.
    main_program : Program, optional
        Default: the main program of the process.
    vars : list of Variable, optional
        Default: the persistable variables of the program for which `predicate` returns True.
    predicate : callable, optional
        ``predicate(variable)`` returns a bool. Default: all persistable variables.
    filename : str, optional
        One file for all values. Default: a file per variable, under its name.

    Raises
    ------
    OpError
        If a variable has no value.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 2], "float32")
    ...     y = paddle.static.nn.fc(x, 3, bias_attr=False)
    >>> executor = paddle.static.Executor()
    >>> executor.run(startup)
    []
    >>> paddle.static.save_vars(executor, "folder", main, filename="values")
    >>> paddle.static.load_vars(executor, "folder", main, filename="values")
    >>> paddle.disable_static()
    """
    selected = _select_variables(main_program, vars, predicate)
    values = {
        v.name: np.asarray(cuda.to_host(current_scope().value(v.name).array)) for v in selected
    }
    if filename is not None:
        write_files_atomically(
            {os.path.join(dirname, filename): pdiparams_writer.iter_serialized_file_chunks(values)}
        )
    else:
        write_files_atomically(
            {
                os.path.join(dirname, name): pdiparams_writer.iter_serialized_record_chunks(
                    name, array
                )
                for name, array in values.items()
            }
        )


def load_vars(
    executor: Executor | None,
    dirname: PathLike,
    main_program: Program | None = None,
    vars: Sequence[Variable] | None = None,
    predicate: Predicate | None = None,
    filename: str | None = None,
) -> None:
    """Set variables in the current scope to the values in files that `save_vars` wrote.

    Parameters
    ----------
    executor : Executor
        Not used.
    dirname : str
        The folder.
    main_program : Program, optional
        Default: the main program of the process.
    vars : list of Variable, optional
        Default: the persistable variables of the program for which `predicate` returns True.
    predicate : callable, optional
        ``predicate(variable)`` returns a bool. Default: all persistable variables.
    filename : str, optional
        One file for all values. Default: a file per variable, under its name.

    Raises
    ------
    OpError
        If values have another shape; no variable changes then.
    FileNotFoundError
        If a file does not exist.
    FileError
        If a file is invalid.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 2], "float32")
    ...     y = paddle.static.nn.fc(x, 3, bias_attr=False)
    >>> executor = paddle.static.Executor()
    >>> executor.run(startup)
    []
    >>> paddle.static.save_vars(executor, "folder", main)
    >>> paddle.static.load_vars(executor, "folder", main, vars=main.all_parameters())
    >>> paddle.disable_static()
    """
    selected = _select_variables(main_program, vars, predicate)
    names = [v.name for v in selected]
    if filename is not None:
        values: dict[str, Any] = dict(load_params(os.path.join(dirname, filename), sorted(names)))
    else:
        values = {name: load_params(os.path.join(dirname, name), [name])[name] for name in names}
    problems = [
        f"'{v.name}' is {v.meta}, the value {list(values[v.name].shape)}"
        for v in selected
        if v.raw.shape != values[v.name].shape
    ]
    if problems:
        raise OpError(append_user_line(f"load_vars: {'; '.join(problems)}"))
    for v in selected:
        current_scope().assign(v.name, values[v.name], v.meta)
