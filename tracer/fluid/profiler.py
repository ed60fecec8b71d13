"""Measuring where time goes: fluid.profiler, whose calls are taken and measure nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..core.errors import OpError, with_user_line
from .deprecated import tell

__all__ = ["cuda_profiler", "profiler", "reset_profiler", "start_profiler", "stop_profiler"]

_STATES, _OPTIONS = ("CPU", "GPU", "All"), ("Default", "OpDetail", "AllOpDetail")
_OTHERS = "Python's own cProfile, or `oarlock bench` for a model"


def start_profiler(state: str, tracer_option: str = "Default") -> None:
    """Nothing.   Raises OpError for a state or an option that 1.8 does not know."""
    for what, value, known in (
        ("state", state, _STATES),
        ("tracer_option", tracer_option, _OPTIONS),
    ):
        if value not in known:
            raise OpError(
                with_user_line(f"start_profiler: {what}={value!r} is not one of {', '.join(known)}")
            )
    tell("fluid.profiler", _OTHERS)


def stop_profiler(sorted_key: str | None = None, profile_path: str = "/tmp/profile") -> None:
    """Nothing."""
    tell("fluid.profiler", _OTHERS)


def reset_profiler() -> None:
    """Nothing."""


@contextmanager
def profiler(
    state: str,
    sorted_key: str | None = None,
    profile_path: str = "/tmp/profile",
    tracer_option: str = "Default",
) -> Iterator[None]:
    """Run the body.   Raises OpError as start_profiler does."""
    start_profiler(state, tracer_option)
    yield


@contextmanager
def cuda_profiler(output_file: str, output_mode: Any = None, config: Any = None) -> Iterator[None]:
    """Run the body."""
    tell("fluid.profiler", _OTHERS)
    yield
