"""What every worker does: read a case and a number of calls, time them, answer seconds per call."""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

Case = Callable[[], object]


def timed(call: Case, calls: int) -> float:
    """Seconds per call."""
    start = perf_counter()
    for _ in range(calls):
        call()
    return (perf_counter() - start) / calls


def calls_for(call: Case, seconds: float = 0.15) -> int:
    """So many calls that they take about `seconds`, after a warm-up."""
    timed(call, 3)
    once = timed(call, 3)
    return max(3, min(20000, int(seconds / max(once, 1e-7))))


def peak() -> float:
    """The most memory that this process has had, in MB.

    getrusage counts that of the process it was forked from as well.
    """
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    found = [float(line.split()[1]) for line in lines if line.startswith("VmHWM")]
    return (found[0] if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / 1024


def serve(cases: dict[str, Callable[[], Case]], peer: str) -> None:
    """Answer requests, one JSON object a line: {"case": name}.

    Cases are set up when first asked for.
    """
    ready: dict[str, tuple[Case, int]] = {}
    print(json.dumps({"peer": peer, "cases": list(cases)}), flush=True)
    for line in sys.stdin:
        name = json.loads(line)["case"]
        if name not in ready:
            call = cases[name]()
            ready[name] = (call, calls_for(call))
        print(json.dumps({"seconds": timed(*ready[name]), "peak": peak()}), flush=True)
