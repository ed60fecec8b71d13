"""When a profiler records: states of steps."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from ..core.errors import OpError, append_user_line


class ProfilerState(Enum):
    """What a profiler does during a step.

    CLOSED: nothing. READY: it prepares for recording. RECORD: it records. RECORD_AND_RETURN: it
    records, and afterwards calls `on_trace_ready` with the events since the last CLOSED or READY
    step.

    Examples
    --------
    >>> [state.name for state in paddle.profiler.ProfilerState]
    ['CLOSED', 'READY', 'RECORD', 'RECORD_AND_RETURN']
    """

    CLOSED = 0
    READY = 1
    RECORD = 2
    RECORD_AND_RETURN = 3


Scheduler = Callable[[int], ProfilerState]


def make_scheduler(
    *, closed: int, ready: int, record: int, repeat: int = 0, skip_first: int = 0
) -> Scheduler:
    """Return a scheduler of a profiler that repeats a cycle of steps.

    The first `skip_first` steps are CLOSED. Each cycle has `closed` CLOSED steps, `ready` READY
    steps and `record` RECORD steps, the last of which is RECORD_AND_RETURN.

    Parameters
    ----------
    closed, ready : int
        Numbers of steps, at least 0.
    record : int
        Number of steps, at least 1.
    repeat : int, default 0
        Number of cycles, after which all steps are CLOSED. 0: no limit.
    skip_first : int, default 0

    Returns
    -------
    callable
        A function from a step (from 0) to its ProfilerState.

    Raises
    ------
    OpError
        If a number is too small.

    Examples
    --------
    >>> scheduler = paddle.profiler.make_scheduler(closed=1, ready=1, record=2, repeat=1)
    >>> [scheduler(step).name for step in range(5)]
    ['CLOSED', 'READY', 'RECORD', 'RECORD_AND_RETURN', 'CLOSED']
    """
    if min(closed, ready, repeat, skip_first) < 0 or record < 1:
        raise OpError(
            append_user_line(
                f"make_scheduler: record={record} is less than 1, or one of closed={closed}, "
                f"ready={ready}, repeat={repeat} and skip_first={skip_first} is negative"
            )
        )
    length = closed + ready + record

    def state_of(step: int) -> ProfilerState:
        cycle, position = divmod(step - skip_first, length)
        if step < skip_first or (repeat and cycle >= repeat) or position < closed:
            return ProfilerState.CLOSED
        if position < closed + ready:
            return ProfilerState.READY
        return ProfilerState.RECORD_AND_RETURN if position == length - 1 else ProfilerState.RECORD

    return state_of


def record_range(start: int, end: int) -> Scheduler:
    """Return a scheduler that records the steps from `start` to `end` - 1 once."""
    if not 0 <= start < end:
        raise OpError(
            append_user_line(f"Profiler: scheduler=({start}, {end}) is no range of steps")
        )
    ready = 1 if start else 0
    return make_scheduler(closed=start - ready, ready=ready, record=end - start, repeat=1)


def record_always(step: int) -> ProfilerState:
    """Return RECORD for each step."""
    return ProfilerState.RECORD
