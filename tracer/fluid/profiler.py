"""Profiling: `fluid.profiler`, by `paddle.profiler`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..core.errors import OpError, append_user_line
from ..profiler import Profiler, SortedKeys
from .deprecated import warn_deprecated_once

__all__ = ["cuda_profiler", "profiler", "reset_profiler", "start_profiler", "stop_profiler"]

_STATES, _OPTIONS = ("CPU", "GPU", "All"), ("Default", "OpDetail", "AllOpDetail")
_KEYS = {
    "total": SortedKeys.CPUTotal,
    "ave": SortedKeys.CPUAvg,
    "max": SortedKeys.CPUMax,
    "min": SortedKeys.CPUMin,
}
_NEWER = "paddle.profiler.Profiler"


class _Active:
    """The profiler that `start_profiler` started."""

    profiler: Profiler | None = None


def _check(function: str, name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    if value not in allowed:
        choices = ", ".join(map(str, allowed))
        raise OpError(append_user_line(f"{function}: {name}={value!r} is not one of {choices}"))


def start_profiler(state: str, tracer_option: str = "Default") -> None:
    """Begin to record the durations of ops and layers. A second call does nothing. Raises OpError
    for arguments that Paddle 1.8 does not accept.

    The newer name is `paddle.profiler.Profiler.start`.
    """
    _check("start_profiler", "state", state, _STATES)
    _check("start_profiler", "tracer_option", tracer_option, _OPTIONS)
    warn_deprecated_once("fluid.profiler", _NEWER)
    if _Active.profiler is None:
        _Active.profiler = _started_profiler()


def _started_profiler() -> Profiler:
    profiler = Profiler(on_trace_ready=lambda _: None)
    profiler.start()
    return profiler


def stop_profiler(sorted_key: str | None = None, profile_path: str = "/tmp/profile") -> None:
    """Print the recorded durations, sorted by total, ave, max or min, and write them to
    `profile_path` in Chrome's trace format. Does nothing if nothing is recorded. Raises OpError for
    another `sorted_key`; calls sorts by total.

    The newer name is `paddle.profiler.Profiler.stop`.
    """
    _check("stop_profiler", "sorted_key", sorted_key, (None, "calls", "default", *_KEYS))
    profiler, _Active.profiler = _Active.profiler, None
    if profiler is None:
        return
    profiler.stop()
    profiler.summary(_KEYS.get(sorted_key or "total", SortedKeys.CPUTotal))
    profiler.export(profile_path)


def reset_profiler() -> None:
    """Discard the durations that were recorded so far.

    The newer name is `paddle.profiler.Profiler.start`.
    """
    if _Active.profiler is not None:
        _Active.profiler.stop()
        _Active.profiler = _started_profiler()


@contextmanager
def profiler(
    state: str,
    sorted_key: str | None = None,
    profile_path: str = "/tmp/profile",
    tracer_option: str = "Default",
) -> Iterator[None]:
    """Record the body, as start_profiler and stop_profiler do.

    The newer name is `paddle.profiler.Profiler`.
    """
    _check("profiler", "sorted_key", sorted_key, (None, "calls", "default", *_KEYS))
    start_profiler(state, tracer_option)
    try:
        yield
    finally:
        stop_profiler(sorted_key, profile_path)


@contextmanager
def cuda_profiler(output_file: str, output_mode: Any = None, config: Any = None) -> Iterator[None]:
    """Run the body. Use a profiler of NVIDIA, such as Nsight Systems, for kernels on a GPU.

    The newer name is `paddle.profiler.Profiler`.
    """
    warn_deprecated_once("fluid.profiler", _NEWER)
    yield
