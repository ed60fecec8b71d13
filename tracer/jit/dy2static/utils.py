"""The public names of `paddle.jit.dy2static.utils`."""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from ...capture.control.branch_values import Undefined as UndefinedVar
from ...core.errors import TraceError as Dygraph2StaticException
from ...core.errors import append_user_line
from .internals import unsupported_internal as __getattr__  # noqa: F401 - for the other names
from .origin_info import unwrap

__all__ = ["Dygraph2StaticException", "UndefinedVar", "func_to_source_code", "type_name", "unwrap"]


def func_to_source_code(function: Callable[..., Any], dedent: bool = True) -> str:
    """Return the source of a function, with comment lines replaced by empty lines.

    Raises TypeError for other objects.
    """
    plain = function.func if isinstance(function, functools.partial) else function
    plain = inspect.unwrap(plain)
    if not (inspect.isfunction(plain) or inspect.ismethod(plain)):
        raise TypeError(
            append_user_line(
                f"func_to_source_code: expected a function, got {type(function).__name__}"
            )
        )
    lines = [
        "\n" if line.lstrip().startswith("#") else line for line in inspect.getsourcelines(plain)[0]
    ]
    text = "".join(lines)
    return textwrap.dedent(text) if dedent else text


def type_name(value: Any) -> str:
    """Return the name of a value's class."""
    return type(value).__name__
