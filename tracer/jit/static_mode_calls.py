"""The decorator `dygraph_to_static_func` of Paddle 1.x, which converts a function that builds a
static-graph program.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..core.mode import state, use_mode
from ..static.graph.mode import StaticGraphMode
from .operators.calls import convert_if_user_code
from .to_static import ProgramTranslator


def dygraph_to_static_func(func: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: in static mode, calls run the converted function; in dygraph mode, the function
    runs unchanged.
    """
    converted: list[Any] = []

    @functools.wraps(func)
    def called(*args: Any, **kwargs: Any) -> Any:
        if state.mode.program_builder is None:
            return func(*args, **kwargs)
        if not converted:
            converted.append(ProgramTranslator().get_func(func))
        with use_mode(
            StaticGraphMode(state.mode.program_builder.mode._program, convert=convert_if_user_code)
        ):
            return converted[0](*args, **kwargs)

    return called
