"""Files of the values of programs: `fluid.io.save_params`, save_persistables and similar."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from ...static import CompiledProgram
from ...static.io import is_parameter
from ...static.io import load_vars as _load_vars
from ...static.io import save_vars as _save_vars
from ..deprecated import warn_deprecated_on_first_use

__all__ = [
    "load_params",
    "load_persistables",
    "load_vars",
    "save_params",
    "save_persistables",
    "save_vars",
]


def unwrap_program(program: Any) -> Any:
    """Return the program of a CompiledProgram; other objects unchanged."""
    return program.program if isinstance(program, CompiledProgram) else program


def _save_variables_to_files_or_bytes(
    executor: Any, dirname: Any, program: Any, predicate: Any, filename: str | None
) -> Any:
    """Write the values of the variables that `predicate` selects to files. If neither a folder nor
    a file name is given, return the values as the bytes of one file.
    """
    if dirname is not None or filename is not None:
        return _save_vars(executor, dirname, program, None, predicate, filename)
    with tempfile.TemporaryDirectory() as folder:
        _save_vars(executor, folder, program, None, predicate, "values")
        return (Path(folder) / "values").read_bytes()


@warn_deprecated_on_first_use("fluid.io.save_vars", "paddle.static.save")
def save_vars(
    executor: Any,
    dirname: Any,
    main_program: Any = None,
    vars: Any = None,
    predicate: Any = None,
    filename: str | None = None,
) -> None:
    """Write values of the current scope to a folder, like `static.io.save_vars`: one file per
    variable, or all to `filename`.
    """
    _save_vars(executor, dirname, unwrap_program(main_program), vars, predicate, filename)


@warn_deprecated_on_first_use("fluid.io.load_vars", "paddle.static.load")
def load_vars(
    executor: Any,
    dirname: Any,
    main_program: Any = None,
    vars: Any = None,
    predicate: Any = None,
    filename: str | None = None,
) -> None:
    """Assign values that save_vars wrote in the current scope, like `static.io.load_vars`."""
    _load_vars(executor, dirname, unwrap_program(main_program), vars, predicate, filename)


@warn_deprecated_on_first_use("fluid.io.save_params", "paddle.static.save")
def save_params(
    executor: Any, dirname: Any, main_program: Any = None, filename: str | None = None
) -> Any:
    """Write the parameters of a program to a folder: one file per parameter, or all to `filename`.

    If dirname and filename are None, returns the bytes of one file.
    """
    return _save_variables_to_files_or_bytes(
        executor, dirname, unwrap_program(main_program), is_parameter, filename
    )


@warn_deprecated_on_first_use("fluid.io.load_params", "paddle.static.load")
def load_params(
    executor: Any, dirname: Any, main_program: Any = None, filename: str | None = None
) -> None:
    """Assign parameters that save_params wrote in the current scope."""
    _load_vars(executor, dirname, unwrap_program(main_program), None, is_parameter, filename)


@warn_deprecated_on_first_use("fluid.io.save_persistables", "paddle.static.save")
def save_persistables(
    executor: Any, dirname: Any, main_program: Any = None, filename: str | None = None
) -> Any:
    """Write all persistable variables to a folder: one file per variable, or all to `filename`.

    If dirname and filename are None, returns the bytes of one file.
    """
    return _save_variables_to_files_or_bytes(
        executor, dirname, unwrap_program(main_program), None, filename
    )


@warn_deprecated_on_first_use("fluid.io.load_persistables", "paddle.static.load")
def load_persistables(
    executor: Any, dirname: Any, main_program: Any = None, filename: str | None = None
) -> None:
    """Assign values that save_persistables wrote in the current scope."""
    _load_vars(executor, dirname, unwrap_program(main_program), None, None, filename)
