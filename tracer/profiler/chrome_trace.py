"""Files of events in Chrome's trace format, which chrome://tracing and Perfetto show."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable
from typing import Any

from ..core.errors import FileError, OpError, append_user_line
from .events import Event


def write_chrome_trace(events: list[Event], path: str) -> None:
    """Write events as a JSON file, with times in microseconds."""
    process = os.getpid()
    entries: list[dict[str, Any]] = [
        {
            "name": event.name,
            "cat": event.kind,
            "ph": "X",
            "pid": process,
            "tid": event.thread,
            "ts": event.start / 1000,
            "dur": event.duration / 1000,
            "args": {
                **({"shapes": event.shapes} if event.shapes else {}),
                **({"result_bytes": event.result_bytes} if event.result_bytes else {}),
            },
        }
        for event in sorted(events, key=lambda event: event.start)
    ]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"displayTimeUnit": "ms", "traceEvents": entries}, file)


def read_chrome_trace(path: str) -> list[Event]:
    """Read a file that `write_chrome_trace` wrote."""
    name = os.path.basename(path)
    try:
        with open(path, encoding="utf-8") as file:
            entries = json.load(file)["traceEvents"]
        return [
            Event(
                str(entry["name"]),
                str(entry["cat"]),
                int(entry["tid"]),
                round(entry["ts"] * 1000),
                round((entry["ts"] + entry["dur"]) * 1000),
                shapes=[str(shape) for shape in entry["args"].get("shapes", [])],
                result_bytes=int(entry["args"].get("result_bytes", 0)),
            )
            for entry in entries
        ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FileError(f"{name}: is no trace of a profiler ({error!s:.80})") from None


def export_chrome_tracing(dir_name: str, worker_name: str | None = None) -> Callable[[Any], None]:
    """Return a function for `on_trace_ready` that writes the events as a Chrome trace.

    Parameters
    ----------
    dir_name : str
        The folder of the files; it is created.
    worker_name : str, optional
        The beginning of the file names. Default: the host and process.

    Returns
    -------
    callable
        A function of a Profiler. It writes ``{worker_name}_time_{time}.paddle_trace.json``, which
        chrome://tracing and https://ui.perfetto.dev show.

    Raises
    ------
    OpError
        If the folder cannot be created.

    Examples
    --------
    >>> import os
    >>> ready = paddle.profiler.export_chrome_tracing("log", worker_name="first")
    >>> with paddle.profiler.Profiler(on_trace_ready=ready):
    ...     y = paddle.ones([2]) + 1
    >>> [name.startswith("first_time_") for name in os.listdir("log")]
    [True]
    """
    try:
        os.makedirs(dir_name, exist_ok=True)
    except OSError as error:
        problem = f"the folder {dir_name!r} cannot be created ({error.strerror})"
        raise OpError(append_user_line(f"export_chrome_tracing: {problem}")) from None
    worker = worker_name or f"host_{socket.gethostname()}pid_{os.getpid()}"

    def write(profiler: Any) -> None:
        now = time.time_ns()
        moment = time.strftime("%Y_%m_%d_%H_%M_%S", time.localtime(now // 10**9))
        name = f"{worker}_time_{moment}_{now % 10**9 // 1000:06d}.paddle_trace.json"
        profiler.export(os.path.join(dir_name, name), "json")

    return write


def export_protobuf(dir_name: str, worker_name: str | None = None) -> Callable[[Any], None]:
    """Not supported: Oarlock writes no traces as protobuf.

    Parameters
    ----------
    dir_name : str
    worker_name : str, optional

    Returns
    -------
    callable
        Never returned.

    Raises
    ------
    OpError
        Always; `export_chrome_tracing` writes traces.

    Examples
    --------
    >>> paddle.profiler.export_protobuf("log")
    Traceback (most recent call last):
        ...
    oarlock.core.errors.OpError: export_protobuf: traces are written as JSON; use ...
    """
    problem = "traces are written as JSON; use export_chrome_tracing"
    raise OpError(append_user_line(f"export_protobuf: {problem}"))
