"""Create the engine of a model whose parameters may be in several files or only in memory: the
engine reads one file.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..export import pdiparams_writer, pdmodel
from ..export.atomic_files import adding_missing_error_filename
from ..ir.program import Program
from .engine import Engine
from .model_files import ModelFileContents


def create_engine_of_files(files: ModelFileContents, **options: Any) -> Engine:
    """Create the engine of a saved model.

    options: those of Engine.
    """
    with combined_params_path(files) as path:
        return Engine(files.pdmodel, path, files.name, **options)


@contextmanager
def combined_params_path(files: ModelFileContents) -> Iterator[str | None]:
    """Context manager that yields the path of one file with all parameters of a model: the
    `.pdiparams`, or a temporary file if each parameter is in a separate file (Paddle 1.x). Yields
    None if there are no parameters.
    """
    if files.params_path:
        yield files.params_path
    else:
        with _temporary_params_file(files.values) as path:
            yield path


def create_engine_of_program(
    program: Program, values: Mapping[str, Any], name: str, **options: Any
) -> Engine:
    """Create the engine of a program that exists in memory only.

    values: the values of the parameters and buffers, by name.
    name: the file name in error messages.
    options: those of Engine.
    """
    with _temporary_params_file(values) as path:
        return Engine(pdmodel.to_bytes(program), path, name, **options)


@contextmanager
def _temporary_params_file(values: Mapping[str, Any]) -> Iterator[str | None]:
    """Context manager that writes values to a temporary `.pdiparams` and yields its path; None if
    there are no values. The engine maps the temporary file, so the file can be removed once the
    engine exists.
    """
    if not values:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="oarlock-") as folder:
        path = os.path.join(folder, "values.pdiparams")
        with adding_missing_error_filename(path), open(path, "wb") as file:
            pdiparams_writer.write(values, file)
        yield path
