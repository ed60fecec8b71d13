"""Which function of the user's another one stands for."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .internals import part as __getattr__  # noqa: F401 - for the other names

ORIGI_INFO = "Original information of source code for ast node."


def unwrap(func: Callable[..., Any]) -> Callable[..., Any]:
    """The function without its decorators, as far as these say what they decorate."""
    return inspect.unwrap(func)
