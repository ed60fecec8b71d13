"""Files of the values of a program: `.pdparams` for parameters, `.pdopt` for other persistable
variables, `.pdmodel` for the program.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...capture.variable import Variable
from ...core import cuda
from ...core.errors import ArgumentAssertionError, FileError, OpError, append_user_line
from ...core.tensor import Tensor
from ...core.type_aliases import PathLike
from ...export import pdmodel
from ...export.atomic_files import write_files_atomically
from ...export.pickles import iter_pickle_chunks
from ...framework.io import load as load_pickle
from ...ir.scope import current_scope
from ...loader.pdiparams import load_params
from ..executor import Executor
from ..graph.program import Program
from ..graph.state_dict import (
    NAME_TABLE_KEY,
    rename_keys_to_variable_names,
    require_all_match_and_set_values,
)

PARAMS, OPT, MODEL = ".pdparams", ".pdopt", ".pdmodel"


def _strip_state_file_suffix(path: Any) -> str:
    text = os.fspath(path)
    for suffix in (PARAMS, OPT, MODEL):
        text = text.removesuffix(suffix)
    return text


def save(program: Program, model_path: PathLike, protocol: int = 4, **configs: object) -> None:
    """Write the values of a program and the program itself as three files.

    They are `model_path`.pdparams (parameters), `model_path`.pdopt (other persistable variables)
    and `model_path`.pdmodel (the program). The values are those of the current scope.

    Parameters
    ----------
    program : Program
    model_path : str
        The prefix of the files.
    protocol : 2, 3 or 4, default 4
        Of the pickles.
    **configs
        Not used.

    Raises
    ------
    OpError
        If a variable has no value.
    ArgumentAssertionError
        If `model_path` ends with "/".
    ValueError
        If `protocol` is none of these.

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
    >>> paddle.static.save(main, "net")
    >>> paddle.static.load(main, "net", executor)
    >>> paddle.disable_static()
    """
    prefix = os.fspath(model_path)
    if not os.path.basename(prefix):
        raise ArgumentAssertionError(
            append_user_line(f"save: {prefix!r} is a folder; a file prefix is required")
        )
    if type(protocol) is not int or protocol not in (2, 3, 4):
        raise ValueError(append_user_line(f"save: protocol={protocol!r} is not 2, 3 or 4"))
    write_files_atomically(
        {
            prefix + PARAMS: iter_pickle_chunks(_state_arrays(program, "param"), protocol),
            prefix + OPT: iter_pickle_chunks(_state_arrays(program, "opt"), protocol),
            prefix + MODEL: pdmodel.to_bytes(program.raw),
        }
    )


def _state_arrays(program: Program, mode: str) -> dict[str, Any]:
    return {
        name: np.asarray(cuda.to_host(tensor.array))
        for name, tensor in program.state_dict(mode).items()
    }


def load(
    program: Program,
    model_path: PathLike,
    executor: Executor | None = None,
    var_list: Sequence[Variable] | None = None,
) -> None:
    """Set variables in the current scope to the values in files that `save` or Paddle 1.x wrote.

    Parameters
    ----------
    program : Program
    model_path : str
        The prefix of the files; or a folder or file of Paddle 1.x.
    executor : Executor, optional
        Not used.
    var_list : list of Variable, optional
        The variables to load. Default: all persistable ones. Required for a single file of Paddle
        1.x that contains only some of them.

    Raises
    ------
    OpError
        If values are missing or have another shape.
    FileError
        If there are no such files.

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
    >>> paddle.static.save(main, "net")
    >>> paddle.static.load(main, "net")
    >>> paddle.disable_static()
    """
    state = load_program_state(
        model_path, list(var_list) if var_list is not None else program.persistables()
    )
    variables = program.persistables() if var_list is None else list(var_list)
    missing = [v.name for v in variables if v.name not in state]
    if missing:
        raise OpError(
            append_user_line(
                f"load: {os.path.basename(os.fspath(model_path))} has no values for {missing}"
            )
        )
    require_all_match_and_set_values(
        program, {v.name: state[v.name] for v in variables}, current_scope()
    )


def load_program_state(
    model_path: PathLike, var_list: Sequence[Variable] | None = None
) -> dict[str, Any]:
    """Return the values in files that `save` or Paddle 1.x wrote.

    Parameters
    ----------
    model_path : str
        The prefix of the files; or a folder or file of Paddle 1.x.
    var_list : list of Variable, optional
        The variables to load. Required for a single file of Paddle 1.x.

    Returns
    -------
    dict of str to ndarray
        By name. Empty if there is no file and no `var_list`.

    Raises
    ------
    FileError
        If there is no file for `var_list`.
    ValueError
        If `var_list` is missing for a single file of Paddle 1.x.

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
    >>> paddle.static.save(main, "net")
    >>> state = paddle.static.load_program_state("net", main.all_parameters())
    >>> [value.shape for value in state.values()]
    [(2, 3)]
    >>> paddle.disable_static()
    """
    prefix = _strip_state_file_suffix(model_path)
    if os.path.isfile(prefix + PARAMS):
        state = dict(load_pickle(prefix + PARAMS, return_numpy=True, keep_name_table=True))
        if os.path.isfile(prefix + OPT):
            state |= load_pickle(prefix + OPT, return_numpy=True)
        names = None if var_list is None else {v.name for v in var_list}
        if names is None:
            return state
        return {n: a for n, a in rename_keys_to_variable_names(state).items() if n in names}
    return _load_paddle1_values(os.fspath(model_path), var_list)


def _load_paddle1_values(path: str, variables: Sequence[Variable] | None) -> dict[str, Any]:
    """Read the values that Paddle 1.x wrote: a folder with one file per variable, or one file with
    all variables, sorted by name.
    """
    if os.path.isdir(path):
        names = [v.name for v in variables] if variables is not None else os.listdir(path)
        names = [n for n in names if os.path.isfile(os.path.join(path, n))]
        return {name: load_params(os.path.join(path, name), [name])[name] for name in names}
    if variables is None and not os.path.exists(path):
        return {}  # as Paddle does
    if not os.path.isfile(path):
        raise FileError(
            f"{os.path.basename(path)}: neither {path}{PARAMS} nor a folder or file of "
            "that name exists"
        )
    if variables is None:
        raise ValueError(
            append_user_line(
                "load_program_state: a file with several values does not contain their names; "
                "pass var_list"
            )
        )
    return dict(load_params(path, sorted(v.name for v in variables)))


def set_program_state(program: Program, state_dict: dict[str, Any]) -> None:
    """Set the variables of a program in the current scope to values by name.

    Parameters
    ----------
    program : Program
    state_dict : dict of str to ndarray or Tensor

    Raises
    ------
    OpError
        Lists all values with another shape or dtype.
    TypeError
        If a value is neither an ndarray nor a Tensor.

    Warns
    -----
    UserWarning
        If a name is no variable of the program.

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
    >>> name = main.all_parameters()[0].name
    >>> paddle.static.set_program_state(main, {name: np.ones([2, 3], "float32")})
    >>> executor.run(main, {"x": np.ones([1, 2], "float32")}, [y])
    [array([[2., 2., 2.]], dtype=float32)]
    >>> paddle.disable_static()
    """
    for name, value in state_dict.items():
        if name != NAME_TABLE_KEY and not isinstance(value, np.ndarray | Tensor):
            raise TypeError(
                append_user_line(
                    f"set_program_state: '{name}' is {type(value).__name__}, not an ndarray"
                )
            )
    require_all_match_and_set_values(program, state_dict, current_scope())
