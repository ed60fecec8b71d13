"""Stop runs of the engine whose loops may never end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Timer

from ...core.errors import OpError
from ...loader.engine import Engine
from ...loader.runtime import EngineError

DEFAULT_RUN_TIMEOUT, MAX_RUN_TIMEOUT = 300.0, 1e6  # seconds


class RunTimeoutError(OpError):
    """A run was stopped, because a loop of the program may never end for its inputs."""


@contextmanager
def stopping_endless_runs(
    engine: Engine, loops: str, seconds: float, origin: str
) -> Iterator[None]:
    """Stop the runs of `engine` in this context after some seconds, if its program has loops.

    The engine cannot be used afterwards. Programs without loops have no limit, because their runs
    end.

    loops: the description of the loops by `describe_loops`; '' if there are none.
    origin: where the inputs come from, for the message.

    Raises RunTimeoutError if a run was stopped.
    """
    if not loops:
        yield
        return
    is_stopped = Event()

    def stop() -> None:
        is_stopped.set()
        engine.stop()

    timer = Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    except EngineError:
        if not is_stopped.is_set():
            raise
        raise RunTimeoutError(
            f"quantize: {origin}: a run did not end within {seconds:g} s; the program has "
            f"{loops}, which may not end for these inputs: use other inputs, or allow "
            f"more time with oarlock quantize --run-timeout"
        ) from None
    finally:
        timer.cancel()
