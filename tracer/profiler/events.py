"""Events of a profiler, and the dispatch mode that records the ops and layers of a thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..core import pytree
from ..core.mode import Mode, WrapperMode, use_mode
from ..core.op import Op
from ..core.tensor import Tensor
from ..nn.layer import Layer

OPERATOR, FORWARD, LAYER = "Operator", "Forward", "Layer"
PROFILE_STEP, USER_DEFINED = "ProfileStep", "PythonUserDefined"


@dataclass
class Event:
    """A period of time of one thread.

    start, end: nanoseconds of `time.perf_counter_ns`
    depth: number of events that enclose it
    shapes: inputs of an op, such as "float32[2,3]"
    result_bytes: size of the results of an op
    """

    name: str
    kind: str
    thread: int
    start: int
    end: int = 0
    depth: int = 0
    shapes: list[str] = field(default_factory=list)
    result_bytes: int = 0
    is_closed_by_next: bool = False

    @property
    def duration(self) -> int:
        """Nanoseconds."""
        return self.end - self.start


class Recorder:
    """Collects the events of all threads.

    record_shapes, profile_memory: whether events of ops contain the shapes of their inputs, and
    the size of their results
    """

    def __init__(self, record_shapes: bool, profile_memory: bool) -> None:
        self.record_shapes, self.profile_memory = record_shapes, profile_memory
        self.events: list[Event] = []
        self._open = threading.local()

    def _stack(self) -> list[Event]:
        try:
            stack: list[Event] = self._open.stack
        except AttributeError:
            stack = self._open.stack = []
        return stack

    def begin(self, name: str, kind: str) -> Event:
        """Begin an event in the innermost open event of this thread, and return it."""
        stack = self._stack()
        now = time.perf_counter_ns()
        event = Event(name, kind, threading.get_ident(), now, depth=len(stack))
        stack.append(event)
        return event

    def begin_next(self, name: str, kind: str) -> None:
        """End the event that the last call began, if it is open, and begin another one."""
        stack = self._stack()
        if stack and stack[-1].is_closed_by_next:
            self._close(stack)
        self.begin(name, kind)
        stack[-1].is_closed_by_next = True

    def end(self) -> None:
        """End the innermost event that `begin` began. Without one, do nothing: the event began
        before the profiler.
        """
        stack = self._stack()
        if stack and stack[-1].is_closed_by_next:
            self._close(stack)
        if stack:
            self._close(stack)

    def end_event(self, event: object) -> None:
        """End an open event of this thread, and the events in it. Otherwise do nothing: the event
        ended with the recording.
        """
        stack = self._stack()
        if any(each is event for each in stack):
            while stack[-1] is not event:
                self._close(stack)
            self._close(stack)

    def end_all(self) -> None:
        """End the open events of this thread."""
        stack = self._stack()
        while stack:
            self._close(stack)

    def _close(self, stack: list[Event]) -> None:
        event = stack.pop()
        event.end = time.perf_counter_ns()
        self.events.append(event)

    def current_event(self) -> Event:
        """Return the innermost open event of this thread."""
        return self._stack()[-1]


class ProfileMode(WrapperMode):
    """A dispatch mode that records each op and each call of a layer as an event."""

    def __init__(self, inner: Mode, recorder: Recorder) -> None:
        super().__init__(inner)
        self.converts_forward = True
        self.recorder = recorder

    def with_inner_mode(self, inner: Mode) -> ProfileMode:
        """Return a mode around another mode that records to the same recorder."""
        return ProfileMode(inner, self.recorder)

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Run the op in the inner mode and record its duration."""
        self.recorder.begin(op.type, OPERATOR)
        event = self.recorder.current_event()
        try:
            with use_mode(self.inner):
                results = op(*args, **attrs)
        finally:
            self.recorder.end()
        if self.recorder.record_shapes:
            event.shapes = [str(tensor.meta) for tensor in _tensors_in(args)]
        if self.recorder.profile_memory:
            event.result_bytes = sum(tensor.array.nbytes for tensor in _tensors_in(results))
        return results

    def convert_forward(self, function: Any) -> Any:
        """Return a function that records its calls: an event `Forward` for an outermost layer, and
        `Layer` for the layers in it.
        """
        converted: Callable[..., Any] = super().convert_forward(function)
        layer = getattr(function, "__self__", None)
        if not isinstance(layer, Layer):
            return converted
        name = type(layer).__name__

        def record_call(*args: Any, **kwargs: Any) -> Any:
            is_inner = any(e.kind in (FORWARD, LAYER) for e in self.recorder._stack())
            self.recorder.begin(name, LAYER if is_inner else FORWARD)
            try:
                return converted(*args, **kwargs)
            finally:
                self.recorder.end()

        return record_call


def _tensors_in(values: Any) -> list[Tensor]:
    return [leaf for leaf in pytree.leaves(values) if isinstance(leaf, Tensor)]
