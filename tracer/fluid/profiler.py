"""Profiling: `fluid.profiler`, whose functions measure nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..core.errors import OpError, append_user_line
from .deprecated import warn_deprecated_once

__all__ = ["cuda_profiler", "profiler", "reset_profiler", "start_profiler", "stop_profiler"]

_STATES, _OPTIONS = ("CPU", "GPU", "All"), ("Default", "OpDetail", "AllOpDetail")
_ALTERNATIVES = "Python's own cProfile, or `oarlock bench` for a model"


def start_profiler(state: str, tracer_option: str = "Default") -> None:
    """Check the arguments, and start nothing. Raises OpError for arguments that Paddle 1.8 does not
    accept.

    The newer name is `paddle.profiler.Profiler.start`.
    """
    for name, value, allowed in (
        ("state", state, _STATES),
        ("tracer_option", tracer_option, _OPTIONS),
    ):
        if value not in allowed:
            raise OpError(
                append_user_line(
                    f"start_profiler: {name}={value!r} is not one of {', '.join(allowed)}"
                )
            )
    warn_deprecated_once("fluid.profiler", _ALTERNATIVES)


def stop_profiler(sorted_key: str | None = None, profile_path: str = "/tmp/profile") -> None:
    """Do nothing.

    The newer name is `paddle.profiler.Profiler.stop`.
    """
    warn_deprecated_once("fluid.profiler", _ALTERNATIVES)


def reset_profiler() -> None:
    """Do nothing.

    The newer name is `paddle.profiler.Profiler.start`.
    """


@contextmanager
def profiler(
    state: str,
    sorted_key: str | None = None,
    profile_path: str = "/tmp/profile",
    tracer_option: str = "Default",
) -> Iterator[None]:
    """Run the body. Raises OpError like start_profiler.

    The newer name is `paddle.profiler.Profiler`.
    """
    start_profiler(state, tracer_option)
    yield


@contextmanager
def cuda_profiler(output_file: str, output_mode: Any = None, config: Any = None) -> Iterator[None]:
    """Run the body.

    The newer name is `paddle.profiler.Profiler`.
    """
    warn_deprecated_once("fluid.profiler", _ALTERNATIVES)
    yield
