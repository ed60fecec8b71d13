"""Converted functions in programs that are written by hand."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..core.mode import state, use_mode
from ..static.graph.mode import Writing
from .operators.calls import convert_or_leave
from .to_static import ProgramTranslator


def dygraph_to_static_func(func: Callable[..., Any]) -> Callable[..., Any]:
    """A function that writes its control flow to a program where one is written, and is left as it
    is in dygraph mode.
    """
    converted: list[Any] = []

    @functools.wraps(func)
    def called(*args: Any, **kwargs: Any) -> Any:
        if state.mode.builder is None:
            return func(*args, **kwargs)
        if not converted:
            converted.append(ProgramTranslator().get_func(func))
        with use_mode(Writing(state.mode.builder.mode._program, convert=convert_or_leave)):
            return converted[0](*args, **kwargs)

    return called
