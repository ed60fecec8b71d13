"""Tables of the events of a profiler."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from ..core.errors import OpError, append_user_line
from .events import FORWARD, LAYER, OPERATOR, PROFILE_STEP, USER_DEFINED, Event

NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
_PHASES = ("Dataloader", FORWARD, "Backward", "Optimization")


class SortedKeys(Enum):
    """Columns by which `Profiler.summary` can sort its rows, the largest value first.

    The GPU keys sort as the CPU keys do: times on a GPU are not measured.

    Examples
    --------
    >>> paddle.profiler.SortedKeys.CPUTotal.value
    0
    """

    CPUTotal = 0
    CPUAvg = 1
    CPUMax = 2
    CPUMin = 3
    GPUTotal = 4
    GPUAvg = 5
    GPUMax = 6
    GPUMin = 7


class SummaryView(Enum):
    """The tables that `Profiler.summary` can print.

    Examples
    --------
    >>> paddle.profiler.SummaryView.OperatorView.name
    'OperatorView'
    """

    DeviceView = 0
    OverView = 1
    ModelView = 2
    DistributedView = 3
    KernelView = 4
    OperatorView = 5
    MemoryView = 6
    MemoryManipulationView = 7
    UDFView = 8


@dataclass
class Row:
    """Events of one name: number, and total, longest and shortest duration in nanoseconds."""

    name: str
    calls: int = 0
    total: int = 0
    longest: int = 0
    shortest: int = 0
    result_bytes: int = 0
    largest_result: int = 0

    def add(self, event: Event) -> None:
        """Count an event."""
        duration = event.duration
        self.shortest = min(self.shortest, duration) if self.calls else duration
        self.calls += 1
        self.total += duration
        self.longest = max(self.longest, duration)
        self.result_bytes += event.result_bytes
        self.largest_result = max(self.largest_result, event.result_bytes)

    @property
    def mean(self) -> float:
        """The mean duration."""
        return self.total / self.calls


_KEYS: dict[str, Callable[[Row], float]] = {
    "Total": lambda row: row.total,
    "Avg": lambda row: row.mean,
    "Max": lambda row: row.longest,
    "Min": lambda row: row.shortest,
}


def rows_by_name(events: Iterable[Event]) -> list[Row]:
    """Return one row for each name, in the order of first use."""
    rows: dict[str, Row] = {}
    for event in events:
        rows.setdefault(event.name, Row(event.name)).add(event)
    return list(rows.values())


def summary_text(
    events: Sequence[Event],
    sorted_by: SortedKeys,
    thread_sep: bool,
    time_unit: str,
    views: Sequence[SummaryView] | None,
) -> str:
    """Return the tables of a summary."""
    if time_unit not in NANOSECONDS:
        raise OpError(
            append_user_line(
                f"summary: time_unit={time_unit!r} is not one of {', '.join(NANOSECONDS)}"
            )
        )
    writer = _SummaryWriter(events, sorted_by, time_unit)
    threads = sorted({event.thread for event in events}) if thread_sep else [None]
    parts = []
    if _is_shown(SummaryView.OverView, views):
        parts.append(writer.overview())
    if _is_shown(SummaryView.ModelView, views):
        parts.append(writer.phases())
    for thread in threads:
        own = [event for event in events if thread in (None, event.thread)]
        title = "" if thread is None else f" of thread {thread}"
        if _is_shown(SummaryView.OperatorView, views):
            parts.append(writer.table(f"Operators{title}", own, (OPERATOR,)))
            parts.append(writer.table(f"Layers{title}", own, (FORWARD, LAYER)))
        if _is_shown(SummaryView.UDFView, views):
            parts.append(writer.table(f"RecordEvents{title}", own, (USER_DEFINED,)))
    if _is_shown(SummaryView.MemoryView, views):
        parts.append(writer.memory())
    return "\n".join(part for part in parts if part).rstrip("\n")


def _is_shown(view: SummaryView, views: Sequence[SummaryView] | None) -> bool:
    return views is None or view in views


class _SummaryWriter:
    """Writes tables of events with times in one unit."""

    def __init__(self, events: Sequence[Event], sorted_by: SortedKeys, time_unit: str) -> None:
        self._events, self._unit = events, time_unit
        self._key = _KEYS[sorted_by.name.removeprefix("CPU").removeprefix("GPU")]
        steps = [event for event in events if event.kind == PROFILE_STEP]
        self._total = sum(e.duration for e in steps) or _covered(events)

    def _time(self, nanoseconds: float) -> str:
        return f"{nanoseconds / NANOSECONDS[self._unit]:.3f}"

    def _share(self, nanoseconds: float) -> str:
        return f"{100 * nanoseconds / self._total:.1f}" if self._total else "0.0"

    def overview(self) -> str:
        """Return the time of each kind of event; nested events of one kind count once."""
        kinds = dict.fromkeys(event.kind for event in self._events)
        lines = []
        for kind in kinds:
            own = [event for event in self._events if event.kind == kind]
            covered = _covered(own)
            lines.append((kind, str(len(own)), self._time(covered), self._share(covered)))
        lines.sort(key=lambda line: -float(line[2]))
        return _table("Overview", ("kind", "calls", f"time ({self._unit})", "%"), lines)

    def phases(self) -> str:
        """Return the time of the phases of training."""
        lines = []
        rest = self._total
        for phase in _PHASES:
            own = [event for event in self._events if event.kind == phase]
            covered = _covered(own)
            rest -= covered
            if own:
                lines.append((phase, str(len(own)), self._time(covered), self._share(covered)))
        lines.append(("other", "", self._time(max(rest, 0)), self._share(max(rest, 0))))
        return _table("Model", ("phase", "calls", f"time ({self._unit})", "%"), lines)

    def table(self, title: str, events: Sequence[Event], kinds: Sequence[str]) -> str:
        """Return the times of events of some kinds by name, or "" if there are none."""
        rows = rows_by_name(event for event in events if event.kind in kinds)
        if not rows:
            return ""
        rows.sort(key=self._key, reverse=True)
        header = ("name", "calls", f"total ({self._unit})", "mean", "max", "min", "%")
        lines = [
            (
                row.name,
                str(row.calls),
                *map(self._time, (row.total, row.mean, row.longest, row.shortest)),
                self._share(row.total),
            )
            for row in rows
        ]
        return _table(title, header, lines)

    def memory(self) -> str:
        """Return the sizes of the results of ops, or "" if they were not recorded."""
        rows = [row for row in rows_by_name(self._events) if row.result_bytes]
        rows.sort(key=lambda row: -row.result_bytes)
        lines = [
            (row.name, str(row.calls), f"{row.result_bytes:,}", f"{row.largest_result:,}")
            for row in rows
        ]
        header = ("op", "calls", "bytes of results", "largest")
        return _table("Memory", header, lines) if lines else ""


def _covered(events: Iterable[Event]) -> int:
    """Return the nanoseconds that at least one of the events covers, summed over threads."""
    total = 0
    ends: dict[int, int] = {}
    for event in sorted(events, key=lambda event: event.start):
        last = ends.get(event.thread, event.start)
        total += max(event.end - max(event.start, last), 0)
        ends[event.thread] = max(last, event.end)
    return total


def _table(title: str, header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Format a table; all columns but the first are aligned to the right."""
    widths = [max(map(len, column)) for column in zip(header, *lines, strict=True)]
    rule = "  ".join("-" * width for width in widths)

    def format_line(cells: Sequence[str]) -> str:
        first, *others = zip(cells, widths, strict=True)
        return "  ".join([first[0].ljust(first[1]), *(c.rjust(w) for c, w in others)]).rstrip()

    body = [format_line(line) for line in lines]
    return "\n".join([title.center(len(rule), "-"), format_line(header), rule, *body, ""])
