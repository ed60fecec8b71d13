"""Programs as Paddle 1.x wrote them: what is written by hand goes to a program, whether or not somebody switched to that."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..core.mode import pushed, state
from ..static import Program
from ..static import data as _data
from ..static import program_guard as _program_guard
from ..static.graph.mode import Writing, enable_static

__all__ = ["data", "program_guard"]


@contextmanager
def program_guard(main_program: Program, startup_program: Program | None = None) -> Iterator[None]:
    """Write what the body says to these programs; inside of it the mode is static, as it always was outside of `dygraph.guard`."""
    with (
        pushed(state.mode if state.mode.builder is not None else Writing()),
        _program_guard(main_program, startup_program),
    ):
        yield


def data(name: str, shape: Any, dtype: Any = "float32", lod_level: int = 0) -> Any:
    """An input of the program: a Variable [*shape], -1 or None where only a run knows."""
    if state.mode.builder is None:
        enable_static()
    return _data(name, shape, dtype, lod_level)
