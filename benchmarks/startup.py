"""Measure how long Oarlock takes to start: imports, starts of a saved ResNet-50 with and without a
cached graph, and its verified save.

    python benchmarks/startup.py [--rounds N] [--only TEXT] [--markdown]

Each measurement runs in a fresh process.  In every round all cases run one after another, so that
changes of the machine's speed affect all of them; the table shows the median and the smallest value
of the rounds, and the median relative to that of the reference case.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

TIMED_CODE = """
import time
start, cpu_start = time.perf_counter(), time.process_time()
{code}
print(time.perf_counter() - start, time.process_time() - cpu_start)
"""
CPU = ", CPU time"
IMPORTS = {
    "import numpy": "import numpy",
    "import oarlock": "import oarlock",
    "import oarlock, use nn, optimizer and io": (
        "import oarlock; oarlock.nn, oarlock.optimizer, oarlock.io"
    ),
    "import oarlock, use jit": "import oarlock; oarlock.jit",
}
SAVE_CODE = """
import time
import oarlock as paddle
net = paddle.vision.models.resnet50()
net.eval()
spec = [paddle.static.InputSpec([None, 3, 224, 224], "float32", "x")]
times = []
for verify in (True, False):
    start = time.perf_counter()
    paddle.jit.save(net, {prefix!r}, input_spec=spec, verify=verify)
    times.append(time.perf_counter() - start)
print(*times)
"""


class Case(NamedTuple):
    """A row of the table.

    target: the largest acceptable median in seconds; None if there is none.
    reference: the case to which the median is compared; "" for none.
    """

    name: str
    target: float | None = None
    reference: str = ""


CASES = [
    Case("import numpy"),
    Case("import oarlock", 0.12, "import numpy"),
    Case("import oarlock, use nn, optimizer and io", None, "import numpy"),
    Case("import oarlock, use jit", None, "import numpy"),
    *(Case(name + CPU, None, "import numpy" + CPU) for name in IMPORTS),
    Case("ResNet-50: verified save", 0.9, "ResNet-50: save, not verified"),
    Case("ResNet-50: save, not verified"),
    Case("ResNet-50: first start"),
    Case("ResNet-50: second start", 0.025, "ResNet-50: first start"),
    Case("ResNet-50: first run after the second start", None, "ResNet-50: later runs"),
    Case("ResNet-50: later runs"),
]


def run_python(code: str) -> list[float]:
    """Run the code in a fresh Python process and return the numbers it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd="/"
    )
    return [float(word) for word in done.stdout.split()]


def start_with_runner(prefix: str, cache: str) -> dict[str, float]:
    """Start `oarlock-runner` with a model and return the measurements that it prints."""
    from oarlock.cli.demo import runner_path  # noqa: PLC0415
    from oarlock.loader.engine import ort_library_path  # noqa: PLC0415

    command = [runner_path(), "bench", prefix, "--shape", "x=1,3,224,224", "--repeat", "5"]
    done = subprocess.run(
        [*command, "--cache-dir", cache, "--json"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "OARLOCK_ORT_LIBRARY": ort_library_path()},
    )
    measurements: dict[str, float] = json.loads(done.stdout)
    return measurements


def import_times() -> dict[str, float]:
    """Measure the imports, each in a fresh process: elapsed time, and CPU time, which depends less
    on other load.
    """
    times = {}
    for name, code in IMPORTS.items():
        times[name], times[name + CPU] = run_python(TIMED_CODE.format(code=code))
    return times


def save_times(prefix: str) -> dict[str, float]:
    """Measure a verified save, and one without verification, of a ResNet-50."""
    names = ("ResNet-50: verified save", "ResNet-50: save, not verified")
    return dict(zip(names, run_python(SAVE_CODE.format(prefix=prefix)), strict=True))


def start_times(prefix: str) -> dict[str, float]:
    """Measure the first start of a model with an empty cache folder, the second start, and the runs
    after the second start.
    """
    with tempfile.TemporaryDirectory() as cache:
        first, second = start_with_runner(prefix, cache), start_with_runner(prefix, cache)
    seconds = {
        "first start": first["read_ms"] + first["load_ms"],
        "second start": second["read_ms"] + second["load_ms"],
        "first run after the second start": second["first_run_ms"],
        "later runs": second["p50_ms"],
    }
    return {f"ResNet-50: {name}": value / 1000 for name, value in seconds.items()}


def measure(
    measurements: list[Callable[[], dict[str, float]]], rounds: int
) -> dict[str, list[float]]:
    """Return the seconds of each case in each round."""
    times: dict[str, list[float]] = {}
    for _ in range(rounds):
        for measurement in measurements:
            for name, seconds in measurement().items():
                times.setdefault(name, []).append(seconds)
    return times


def format_row(case: Case, times: dict[str, list[float]], markdown: bool) -> str:
    """Format the median, the smallest value, the ratio, and whether the target is met."""
    median, smallest = statistics.median(times[case.name]), min(times[case.name])
    text = f"{1e3 * median:.1f} ms (smallest {1e3 * smallest:.1f} ms)"
    ratio = ""
    if case.reference:
        ratio = f"{median / statistics.median(times[case.reference]):.2f}x {case.reference}"
    mark = ""
    if case.target is not None:
        mark = f"target {1e3 * case.target:g} ms, {'met' if median <= case.target else 'MISSED'}"
    if markdown:
        return f"| {case.name} | {text} | {ratio} | {mark} |"
    return f"{case.name:50} {text:36} {ratio:42} {mark}"


def main() -> None:
    """Run the selected cases."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="", choices=["", "import", "ResNet-50"])
    parser.add_argument("--markdown", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prefix = str(Path(folder, "resnet50"))
        measurements: list[Callable[[], dict[str, float]]] = []
        if args.only in ("", "import"):
            measurements.append(import_times)
        if args.only in ("", "ResNet-50"):
            measurements += [lambda: save_times(prefix), lambda: start_times(prefix)]
        times = measure(measurements, args.rounds)
    print(f"{os.cpu_count()} cores; medians of {args.rounds} rounds")
    for case in CASES:
        if case.name in times:
            print(format_row(case, times, args.markdown))


if __name__ == "__main__":
    main()
