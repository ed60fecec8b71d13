"""The public names of `paddle.jit.dy2static.origin_info`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .internals import unsupported_internal as __getattr__  # noqa: F401 - for the other names

ORIGI_INFO = "Original information of source code for ast node."


def unwrap(func: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function without the decorators that set `__wrapped__`."""
    return inspect.unwrap(func)
