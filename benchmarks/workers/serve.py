"""The main loop of every worker: read names of cases, run them, answer with times and memory."""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time

Case = Callable[[], object]


def seconds_per_call(call: Case, calls: int) -> float:
    """Return the average wall time of a call in seconds."""
    start = perf_counter()
    for _ in range(calls):
        call()
    return (perf_counter() - start) / calls


def number_of_calls(call: Case, seconds: float = 0.15) -> int:
    """Warm up, and return the number of calls that take about `seconds`."""
    seconds_per_call(call, 3)
    once = seconds_per_call(call, 3)
    return max(3, min(20000, int(seconds / max(once, 1e-7))))


def peak_memory_mb() -> float:
    """Return the peak memory of this process in MB.

    getrusage is only the fallback, because it includes the process that this one was forked from.
    """
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    peaks = [float(line.split()[1]) for line in lines if line.startswith("VmHWM")]
    return (peaks[0] if peaks else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / 1024


def serve(cases: dict[str, Callable[[], Case]], peer: str) -> None:
    """Answer requests, one JSON object a line: {"case": name}, with {"seconds": wall time per call,
    "cpu_seconds": processor time per call, "peak_mb": peak memory}.

    The first line of the output is {"peer": name, "cases": names}.
    A case is set up when it is first requested; if that fails, the answer is {"error": reason}.
    """
    ready: dict[str, tuple[Case, int]] = {}
    print(json.dumps({"peer": peer, "cases": list(cases)}), flush=True)
    for line in sys.stdin:
        name = json.loads(line)["case"]
        if name not in ready:
            try:
                call = cases[name]()
                ready[name] = (call, number_of_calls(call))
            except Exception as error:  # each peer raises its own types
                reason = str(error) or type(error).__name__
                print(json.dumps({"error": reason}), flush=True)
                continue
        call, calls = ready[name]
        call()  # fills the caches, which hold the data of the process that ran last
        start = process_time()
        answer = {"seconds": seconds_per_call(call, calls), "peak_mb": peak_memory_mb()}
        answer["cpu_seconds"] = (process_time() - start) / calls
        print(json.dumps(answer), flush=True)
