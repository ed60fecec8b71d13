"""Durations of ops, layers and steps: `paddle.profiler`."""

from .chrome_trace import export_chrome_tracing, export_protobuf
from .profiler import Profiler, ProfilerTarget, RecordEvent, load_profiler_result
from .scheduler import ProfilerState, make_scheduler
from .summary import SortedKeys, SummaryView

__all__ = [
    "Profiler",
    "ProfilerState",
    "ProfilerTarget",
    "RecordEvent",
    "SortedKeys",
    "SummaryView",
    "export_chrome_tracing",
    "export_protobuf",
    "load_profiler_result",
    "make_scheduler",
]
