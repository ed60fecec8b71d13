"""`paddle.distributed.io`: save and load the persistable variables of programs.

Parameter servers are not supported.
"""

from __future__ import annotations

from typing import Any

from ..core.legacy_importer import import_legacy_module


def is_persistable(var: Any) -> bool:
    """Whether a variable keeps its value between runs and is saved to files."""
    return bool(_undeprecated_fluid_io_function("is_persistable")(var))


def save_persistables(
    executor: Any, dirname: Any, main_program: Any = None, filename: str | None = None
) -> Any:
    """Write all persistable variables to a folder: one file for each, or all in `filename`.

    dirname=None: return the bytes of that file
    """
    return _undeprecated_fluid_io_function("save_persistables")(
        executor, dirname, main_program, filename
    )


def load_persistables(
    executor: Any, dirname: Any, main_program: Any = None, filename: str | None = None
) -> None:
    """Load the files of `save_persistables` into the current scope."""
    _undeprecated_fluid_io_function("load_persistables")(executor, dirname, main_program, filename)


def load_inference_model_distributed(
    dirname: Any,
    executor: Any,
    model_filename: Any = None,
    params_filename: Any = None,
    pserver_endpoints: Any = None,
) -> Any:
    """Load a model folder of Paddle 1.x. Return the program, the names of its inputs, and its
    output variables.

    Raises ValueError if the folder has no model.
    """
    return _undeprecated_fluid_io_function("load_inference_model")(
        dirname, executor, model_filename, params_filename
    )


def _undeprecated_fluid_io_function(name: str) -> Any:
    """Return a function of `fluid.io` wrapped so that it does not issue its deprecation warning."""
    function = getattr(import_legacy_module("io"), name)
    return getattr(function, "__wrapped__", function)
