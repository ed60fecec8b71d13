"""Switches for other ways that Paddle has to make programs: by byte code, and in another
representation.

There is one way here; they change nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..utils.environments import (
    BooleanEnvironmentVariable,
    EnvironmentVariableGuard,
    IntegerEnvironmentVariable,
)

ENV_ENABLE_SOT = BooleanEnvironmentVariable("ENABLE_FALL_BACK", True)
ENV_STRICT_MODE = BooleanEnvironmentVariable("STRICT_MODE", False)
ENV_MIN_GRAPH_SIZE = IntegerEnvironmentVariable("MIN_GRAPH_SIZE", 10)


@contextmanager
def sot_mode_guard(value: bool) -> Iterator[None]:
    """Inside of it the variable ENABLE_FALL_BACK is this."""
    with EnvironmentVariableGuard(ENV_ENABLE_SOT, value):
        yield


@contextmanager
def strict_mode_guard(value: bool) -> Iterator[None]:
    """Inside of it the variable STRICT_MODE is this."""
    with EnvironmentVariableGuard(ENV_STRICT_MODE, value):
        yield


@contextmanager
def min_graph_size_guard(value: int) -> Iterator[None]:
    """Inside of it the variable MIN_GRAPH_SIZE is this."""
    with EnvironmentVariableGuard(ENV_MIN_GRAPH_SIZE, value):
        yield


class OpcodeExecutorCache:
    """What byte code was made programs, of which there is none."""

    def clear(self) -> None:
        """Nothing is there to forget."""


class IrGuard:
    """A `with` of the other representation, which is this one."""

    def __enter__(self) -> None:
        """See the class."""

    def __exit__(self, *_: object) -> None:
        """See the class."""


def test_with_pir_api(func: Callable[..., Any]) -> Callable[..., Any]:
    """A test that Paddle runs in both representations, as it is."""
    return func


test_with_pir_api.__test__ = False  # type: ignore[attr-defined]  # pytest: it is none itself
