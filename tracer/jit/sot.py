"""Switches of Paddle that select other capture methods: byte-code tracing (SOT) and the PIR program
format.

Oarlock always converts Python source, so most of these names have no effect. ENABLE_FALL_BACK sets
the default of `full_graph` in `to_static`.
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
    """Context manager: set the environment variable ENABLE_FALL_BACK in the `with` body."""
    with EnvironmentVariableGuard(ENV_ENABLE_SOT, value):
        yield


@contextmanager
def strict_mode_guard(value: bool) -> Iterator[None]:
    """Context manager: set the environment variable STRICT_MODE in the `with` body."""
    with EnvironmentVariableGuard(ENV_STRICT_MODE, value):
        yield


@contextmanager
def min_graph_size_guard(value: int) -> Iterator[None]:
    """Context manager: set the environment variable MIN_GRAPH_SIZE in the `with` body."""
    with EnvironmentVariableGuard(ENV_MIN_GRAPH_SIZE, value):
        yield


class OpcodeExecutorCache:
    """Placeholder for the cache of Paddle's byte-code tracing; always empty."""

    def clear(self) -> None:
        """Do nothing, because the cache is always empty."""


class IrGuard:
    """A context manager without effect."""

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, *_: object) -> None:
        """Do nothing."""


def test_with_pir_api(func: Callable[..., Any]) -> Callable[..., Any]:
    """Return the test function `func` unchanged. Paddle's decorator runs the test with both program
    representations.
    """
    return func


test_with_pir_api.__test__ = False  # type: ignore[attr-defined]  # pytest: it is none itself
