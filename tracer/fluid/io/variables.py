"""Values of programs in folders: fluid.io.save_params, save_persistables and their kin."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from ...static import CompiledProgram
from ...static.io import is_parameter
from ...static.io import load_vars as _load_vars
from ...static.io import save_vars as _save_vars
from ..deprecated import instead

__all__ = [
    "load_params",
    "load_persistables",
    "load_vars",
    "save_params",
    "save_persistables",
    "save_vars",
]


def plain(program: Any) -> Any:
    """The program in a compiled one."""
    return program.program if isinstance(program, CompiledProgram) else program


def _written(
    executor: Any, dirname: Any, program: Any, predicate: Any, filename: str | None
) -> Any:
    """Write values; those of one file as bytes where there is no folder to write to."""
    if dirname is not None or filename is not None:
        return _save_vars(executor, dirname, program, None, predicate, filename)
    with tempfile.TemporaryDirectory() as folder:
        _save_vars(executor, folder, program, None, predicate, "values")
        return (Path(folder) / "values").read_bytes()


@instead("fluid.io.save_vars", "paddle.static.save")
def save_vars(
    executor: Any,
    dirname: Any,
    main_program: Any = None,
    vars: Any = None,
    predicate: Any = None,
    filename: str | None = None,
) -> None:
    """Write values of the scope in force to a folder: a file for each variable, or all in
    `filename`; see static.io.save_vars.
    """
    _save_vars(executor, dirname, plain(main_program), vars, predicate, filename)


@instead("fluid.io.load_vars", "paddle.static.load")
def load_vars(
    executor: Any,
    dirname: Any,
    main_program: Any = None,
    vars: Any = None,
    predicate: Any = None,
    filename: str | None = None,
) -> None:
    """Put values that save_vars wrote into the scope in force; see static.io.load_vars."""
    _load_vars(executor, dirname, plain(main_program), vars, predicate, filename)


@instead("fluid.io.save_params", "paddle.static.save")
def save_params(
    executor: Any, dirname: Any, main_program: Any = None, filename: str | None = None
) -> Any:
    """Write the parameters of a program to a folder: a file for each, or all in `filename`.

    dirname None: gives the bytes of that file
    """
    return _written(executor, dirname, plain(main_program), is_parameter, filename)


@instead("fluid.io.load_params", "paddle.static.load")
def load_params(
    executor: Any, dirname: Any, main_program: Any = None, filename: str | None = None
) -> None:
    """Put parameters that save_params wrote into the scope in force."""
    _load_vars(executor, dirname, plain(main_program), None, is_parameter, filename)


@instead("fluid.io.save_persistables", "paddle.static.save")
def save_persistables(
    executor: Any, dirname: Any, main_program: Any = None, filename: str | None = None
) -> Any:
    """Write all values that outlive a run to a folder: a file for each, or all in `filename`.

    dirname None: gives the bytes of that file
    """
    return _written(executor, dirname, plain(main_program), None, filename)


@instead("fluid.io.load_persistables", "paddle.static.load")
def load_persistables(
    executor: Any, dirname: Any, main_program: Any = None, filename: str | None = None
) -> None:
    """Put values that save_persistables wrote into the scope in force."""
    _load_vars(executor, dirname, plain(main_program), None, None, filename)
