"""Profiler and RecordEvent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from types import TracebackType
from typing import Self

from ..core.errors import OpError, append_user_line
from ..core.mode import find_mode_of_class, mode_without_wrappers_of_class, state
from ..core.profile_events import profile_state
from .chrome_trace import export_chrome_tracing, read_chrome_trace, write_chrome_trace
from .events import PROFILE_STEP, USER_DEFINED, Event, ProfileMode, Recorder
from .scheduler import ProfilerState, Scheduler, record_always, record_range
from .step_timer import StepTimer
from .summary import SortedKeys, SummaryView, summary_text

_RECORDING = (ProfilerState.RECORD, ProfilerState.RECORD_AND_RETURN)


class ProfilerTarget(Enum):
    """A kind of device whose events are recorded. Oarlock records those of the CPU only.

    Examples
    --------
    >>> paddle.profiler.ProfilerTarget.CPU.value
    0
    """

    CPU = 0
    GPU = 1
    XPU = 2
    CUSTOM_DEVICE = 3


class Profiler:
    """Record the durations of ops, layers, gradients and training steps.

    Parameters
    ----------
    targets : list of ProfilerTarget, optional
        Not used: the events of the CPU are recorded.
    scheduler : callable or (int, int), optional
        A function from a step to a ProfilerState, see `make_scheduler`; or the first step to record
        and the one after the last. Default: all steps are recorded.
    on_trace_ready : callable, optional
        Called with the profiler when events are complete: after a step of RECORD_AND_RETURN, and by
        `stop`. Default: `export_chrome_tracing("./profiler_log/")`.
    record_shapes : bool, default False
        Whether to record the shapes of the inputs of ops.
    profile_memory : bool, default False
        Whether to record the sizes of the results of ops.
    timer_only : bool, default False
        Whether to measure only the durations of steps, for `step_info`.
    emit_nvtx, custom_device_types, with_flops
        Not used.

    Raises
    ------
    OpError
        If the scheduler is no range of steps.

    Notes
    -----
    Ops and layers are recorded in the thread that calls `start`. A call of a program of `to_static`
    is one event of a layer, and a run of an Executor one event, without their ops. On a GPU, the
    durations of ops are those of their launches. Recording makes small ops slower, so that their
    shares are upper bounds.

    Examples
    --------
    >>> net = nn.Linear(4, 2)
    >>> with paddle.profiler.Profiler(on_trace_ready=lambda p: None) as profiler:
    ...     for _ in range(3):
    ...         net(paddle.ones([8, 4])).sum().backward()
    ...         profiler.step(num_samples=8)
    >>> profiler.summary(views=paddle.profiler.SummaryView.OperatorView)  # doctest: +ELLIPSIS
    ---...Operators...
    name ... calls ...
    ...
    """

    def __init__(
        self,
        *,
        targets: Iterable[ProfilerTarget] | None = None,
        scheduler: Scheduler | tuple[int, int] | None = None,
        on_trace_ready: Callable[[Profiler], object] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        timer_only: bool = False,
        emit_nvtx: bool = False,
        custom_device_types: Sequence[str] = (),
        with_flops: bool = False,
    ) -> None:
        if scheduler is None:
            self._state_of: Scheduler = record_always
        elif isinstance(scheduler, tuple | list):
            self._state_of = record_range(*scheduler)
        else:
            self._state_of = scheduler
        self._on_trace_ready = on_trace_ready
        self._record_shapes, self._profile_memory = record_shapes, profile_memory
        self._timer_only = timer_only
        self._step = 0
        self._state = ProfilerState.CLOSED
        self._recorder: Recorder | None = None
        self._events: list[Event] = []
        self._timer = StepTimer()

    def start(self) -> None:
        """Begin the first step.

        Raises
        ------
        OpError
            If another profiler records.

        Examples
        --------
        >>> profiler = paddle.profiler.Profiler(on_trace_ready=lambda p: print("ready"))
        >>> profiler.start()
        >>> y = paddle.ones([2]) + 1
        >>> profiler.stop()
        ready
        """
        self._timer = StepTimer()
        self._enter(self._state_of(self._step))

    def stop(self) -> None:
        """End the last step; call `on_trace_ready` if events were recorded.

        Examples
        --------
        >>> profiler = paddle.profiler.Profiler(timer_only=True)
        >>> profiler.start()
        >>> profiler.stop()
        """
        if self._recorder is not None:
            self._finish_recording()
        self._state = ProfilerState.CLOSED

    def step(self, num_samples: int | None = None) -> None:
        """End a step and begin the next one.

        Parameters
        ----------
        num_samples : int, optional
            The number of samples of the step, for `step_info`.

        Examples
        --------
        >>> with paddle.profiler.Profiler(timer_only=True) as profiler:
        ...     profiler.step(num_samples=32)
        ...     "samples/s" in profiler.step_info()
        True
        """
        self._timer.step(num_samples)
        previous, following = self._state, self._state_of(self._step + 1)
        if self._recorder is not None:
            self._recorder.end_all()
            if previous is ProfilerState.RECORD_AND_RETURN or following not in _RECORDING:
                self._finish_recording()
        self._step += 1
        self._enter(following)

    def step_info(self, unit: str | None = None) -> str:
        """Return the mean duration and the throughput of the steps since the last call.

        Parameters
        ----------
        unit : str, optional
            What a sample is, such as "images". Default: "samples".

        Returns
        -------
        str
            Such as " batch_cost: 0.01000 s ips: 3200.000 samples/s"; "" before the first step.

        Examples
        --------
        >>> with paddle.profiler.Profiler(timer_only=True) as profiler:
        ...     profiler.step(num_samples=32)
        ...     profiler.step_info("images").split()[0::3]
        ['batch_cost:', 'ips:']
        """
        return self._timer.summarize(unit)

    def export(self, path: str = "", format: str = "json") -> None:
        """Write the recorded events to a file.

        Parameters
        ----------
        path : str
        format : "json", default "json"
            Chrome's trace format.

        Raises
        ------
        OpError
            If the format is another one.

        Examples
        --------
        >>> with paddle.profiler.Profiler(on_trace_ready=lambda p: p.export("trace.json")):
        ...     y = paddle.ones([2]) + 1
        >>> [e.name for e in paddle.profiler.load_profiler_result("trace.json").events][:2]
        ['ProfileStep#0', 'fill_constant']
        """
        if format != "json":
            raise OpError(append_user_line(f"Profiler.export: format={format!r} is not 'json'"))
        write_chrome_trace(self._events, path)

    def summary(
        self,
        sorted_by: SortedKeys = SortedKeys.CPUTotal,
        op_detail: bool = True,
        thread_sep: bool = False,
        time_unit: str = "ms",
        views: SummaryView | Sequence[SummaryView] | None = None,
    ) -> None:
        """Print tables of the recorded events.

        Parameters
        ----------
        sorted_by : SortedKeys, default SortedKeys.CPUTotal
            Total, mean, longest or shortest duration.
        op_detail : bool, default True
            Not used.
        thread_sep : bool, default False
            Whether each thread has tables of its own.
        time_unit : "s", "ms", "us" or "ns", default "ms"
        views : SummaryView or list of SummaryView, optional
            The tables. Default: all. Oarlock has OverView, ModelView, OperatorView (ops and
            layers), UDFView (of `RecordEvent`) and MemoryView.

        Raises
        ------
        OpError
            If the unit is another one.

        Examples
        --------
        >>> with paddle.profiler.Profiler(on_trace_ready=lambda p: None) as profiler:
        ...     with paddle.profiler.RecordEvent("square"):
        ...         y = paddle.ones([2]) ** 2
        >>> profiler.summary(views=[paddle.profiler.SummaryView.UDFView])
        ---...RecordEvents...
        name ...
        ...
        square ...
        """
        shown = [views] if isinstance(views, SummaryView) else views
        print(summary_text(self._events, sorted_by, thread_sep, time_unit, shown))

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def _enter(self, state_: ProfilerState) -> None:
        """Begin a step in a state."""
        self._state = state_
        if self._timer_only or state_ not in _RECORDING:
            return
        if self._recorder is None:
            if profile_state.recorder is not None:
                raise OpError(append_user_line("Profiler.start: another profiler records"))
            self._recorder = Recorder(self._record_shapes, self._profile_memory)
            profile_state.recorder = self._recorder
            state.mode = ProfileMode(state.mode, self._recorder)
        self._recorder.begin(f"ProfileStep#{self._step}", PROFILE_STEP)

    def _finish_recording(self) -> None:
        """Stop recording and call `on_trace_ready`."""
        assert self._recorder is not None
        self._recorder.end_all()
        profile_state.recorder = None
        if find_mode_of_class(state.mode, ProfileMode) is not None:
            state.mode = mode_without_wrappers_of_class(state.mode, ProfileMode)
        self._events, self._recorder = self._recorder.events, None
        (self._on_trace_ready or export_chrome_tracing("./profiler_log/"))(self)


class RecordEvent:
    """A user-defined event: a context, or a pair of calls `begin` and `end`.

    Parameters
    ----------
    name : str
        The name in traces and summaries.
    event_type : optional
        Not used.

    Examples
    --------
    >>> with paddle.profiler.Profiler(on_trace_ready=lambda p: p.export("trace.json")):
    ...     with paddle.profiler.RecordEvent("preprocessing"):
    ...         x = paddle.ones([2])
    >>> events = paddle.profiler.load_profiler_result("trace.json").events
    >>> "preprocessing" in [event.name for event in events]
    True
    """

    def __init__(self, name: str, event_type: object = None) -> None:
        self.name, self.event_type = name, event_type

    def begin(self) -> None:
        """Begin the event. Without a recording profiler, nothing happens.

        Examples
        --------
        >>> event = paddle.profiler.RecordEvent("loading")
        >>> event.begin()
        >>> event.end()
        """
        if profile_state.recorder is not None:
            profile_state.recorder.begin(self.name, USER_DEFINED)

    def end(self) -> None:
        """End the event.

        Examples
        --------
        >>> event = paddle.profiler.RecordEvent("loading")
        >>> event.begin()
        >>> event.end()
        """
        if profile_state.recorder is not None:
            profile_state.recorder.end()

    def __enter__(self) -> Self:
        self.begin()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.end()


class ProfilerResult:
    """The events of a trace.

    Parameters
    ----------
    events : list of Event
        Each has name, kind, thread, start and end in nanoseconds, shapes and result_bytes.

    Examples
    --------
    >>> paddle.profiler.profiler.ProfilerResult([]).events
    []
    """

    def __init__(self, events: list[Event]) -> None:
        self.events = events


def load_profiler_result(filename: str) -> ProfilerResult:
    """Read a trace that `Profiler.export` wrote.

    Parameters
    ----------
    filename : str

    Returns
    -------
    ProfilerResult
        Its attribute `events` is a list.

    Raises
    ------
    FileError
        If the file is no such trace.

    Examples
    --------
    >>> with paddle.profiler.Profiler(on_trace_ready=lambda p: p.export("trace.json")):
    ...     y = paddle.ones([2]) + 1
    >>> len(paddle.profiler.load_profiler_result("trace.json").events)
    3
    """
    return ProfilerResult(read_chrome_trace(filename))
