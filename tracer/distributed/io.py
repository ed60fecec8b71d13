"""`paddle.distributed.io`: values of programs in folders; programs that servers share are not
there.
"""

from __future__ import annotations

from typing import Any

from ..core.legacy_importer import legacy_module


def is_persistable(var: Any) -> bool:
    """Whether the value of a variable outlives a run, and what it holds goes to files."""
    return bool(_of_old("is_persistable")(var))


def save_persistables(
    executor: Any, dirname: Any, main_program: Any = None, filename: str | None = None
) -> Any:
    """Write all values that outlive a run to a folder: a file for each, or all in `filename`.

    dirname None: gives the bytes of that file
    """
    return _of_old("save_persistables")(executor, dirname, main_program, filename)


def load_persistables(
    executor: Any, dirname: Any, main_program: Any = None, filename: str | None = None
) -> None:
    """Put values that save_persistables wrote into the scope in force."""
    _of_old("load_persistables")(executor, dirname, main_program, filename)


def load_inference_model_distributed(
    dirname: Any,
    executor: Any,
    model_filename: Any = None,
    params_filename: Any = None,
    pserver_endpoints: Any = None,
) -> Any:
    """The program of a folder of Paddle 1.x, the names of its inputs, and its outputs.

    Raises ValueError where there is none.
    """
    return _of_old("load_inference_model")(dirname, executor, model_filename, params_filename)


def _of_old(name: str) -> Any:
    """What fluid, which stands above what runs in several processes, has under a name, without its
    word on new names.
    """
    found = getattr(legacy_module("io"), name)
    return getattr(found, "__wrapped__", found)
