"""The recorder of the running profiler, which backward passes, optimizers and loaders notify."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Protocol


class EventRecorder(Protocol):
    """Records events, which nest by thread."""

    def begin(self, name: str, kind: str) -> object:
        """Begin an event in the innermost open event of this thread, and return it."""

    def begin_next(self, name: str, kind: str) -> None:
        """End the event that the last `begin_next` began in the innermost open event, if it is
        open, and begin another one.
        """

    def end(self) -> None:
        """End the innermost event that `begin` began."""

    def end_event(self, event: object) -> None:
        """End an open event of this thread, and the events in it. Otherwise do nothing."""


class ProfileState:
    """The recorder of the running profiler, or None.

    owner: returns the profiler; None if it was deleted
    """

    recorder: EventRecorder | None = None
    owner: Callable[[], Any] = staticmethod(lambda: None)


profile_state = ProfileState()


_NOTHING: AbstractContextManager[None] = nullcontext()


def event(name: str, kind: str) -> AbstractContextManager[None]:
    """Return a context that records its body as an event, if a profiler runs."""
    recorder = profile_state.recorder
    return _NOTHING if recorder is None else _recorded(recorder, name, kind)


@contextmanager
def _recorded(recorder: EventRecorder, name: str, kind: str) -> Iterator[None]:
    recorder.begin(name, kind)
    try:
        yield
    finally:
        recorder.end()


def iterate_with_events(values: Iterator[Any], name: str, kind: str) -> Iterator[Any]:
    """Return an iterator that records each step as an event while a profiler runs."""
    end = object()
    while True:
        with event(name, kind):
            value = next(values, end)
        if value is end:
            return
        yield value
