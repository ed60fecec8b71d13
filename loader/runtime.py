"""The C++ runtime module, and the errors that it raises."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from ..core.errors import FileError, GuardError, OarlockError, OpError, append_user_line


class EngineError(OarlockError, RuntimeError, ValueError):
    """The error raised if the engine or its device is missing, or has failed. EngineError is also a
    ValueError, because eager ops raise a ValueError for the inputs for which the engine raises this
    error.
    """


class UnsupportedError(OarlockError, NotImplementedError):
    """A program contains ops that cannot be converted to ONNX; the message lists all of them."""


def first_reason_of_error(error: OarlockError) -> str:
    """Return the first reason that the message of an engine error states, in one line."""
    first, *rest = str(error).splitlines()
    return rest[0].strip() if isinstance(error, UnsupportedError) and rest else first


ERROR_CLASSES: dict[str, type[OarlockError]] = {
    "file": FileError,
    "guard": GuardError,
    "input": OpError,
    "unsupported": UnsupportedError,
    "engine": EngineError,
    "canceled": EngineError,
    "busy": EngineError,
}


@cache
def runtime_module() -> Any:
    """Return the C++ runtime module. Raises EngineError if the C++ runtime was not built."""
    # Turn telemetry off: by default ONNX Runtime writes telemetry reports to the user's cache
    # folder.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    try:
        from . import _runtime  # noqa: PLC0415 - only needed when something is run
    except ImportError as error:
        raise EngineError(
            f"the C++ runtime is not installed ({error}); install Oarlock with a C++20 "
            f"compiler at hand"
        ) from None
    return _runtime


@contextmanager
def translate_runtime_errors() -> Iterator[None]:
    """Context manager that converts exceptions of the C++ runtime to Oarlock's exception classes,
    and adds the user's source line.
    """
    try:
        yield
    except runtime_module().Error as error:
        kind = ERROR_CLASSES.get(error.kind, OarlockError)
        raise kind(append_user_line(str(error))) from None
