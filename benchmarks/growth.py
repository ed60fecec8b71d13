"""Measure how times and memory grow with the number of ops, the size of the weights, the iterations
of a loop, the batch and the number of threads.

    python benchmarks/growth.py [--rounds 3] [--only SERIES] [--json FILE] [--plot FOLDER]
    python benchmarks/growth.py --read FILE --plot FOLDER

A series measures one model at several sizes.  Its tasks run in fresh processes; a task measures
one or more steps, such as a save.  In every round all sizes of a series run one after another.
Times are the smallest of the rounds, because other load only adds to them; memory is the
median.  The exponent e of a time t = c * size^e is fitted to the last three sizes.  Times are CPU
times, except for the series over batch sizes and threads, whose times are elapsed ones.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

WORKER = Path(__file__).parent / "workers" / "growth.py"
OPS = (100, 300, 1_000, 3_000, 10_000, 20_000)
MEGABYTES = (1, 8, 64, 512, 2_048)
ITERATIONS = (100, 1_000, 3_000, 10_000)
BATCHES = (1, 4, 16, 64, 256)
ELAPSED_AXES = ("batch size", "threads")
StepCosts = dict[str, float]  # cpu_s, elapsed_s, peak_mb, heap_mb of one step
Measurements = dict[str, dict[int, StepCosts]]  # name of the step -> size -> costs


class Series(NamedTuple):
    """Measurements of one model at several sizes.

    model: the name of a model in the worker.
    tasks: the tasks of the worker, in this order; each runs in a process of its own.
    axis: what the sizes count.
    """

    model: str
    tasks: tuple[str, ...]
    axis: str
    sizes: tuple[int, ...]

    @property
    def name(self) -> str:
        """The name of the series in the output."""
        return f"{self.model}, {self.axis}"


SERIES = [
    Series("chain", ("capture", "save", "load", "run"), "ops", OPS),
    Series("layers", ("capture", "save", "load", "run"), "ops", OPS),
    Series("weights", ("save", "load", "run"), "MB of weights", MEGABYTES),
    *(Series(model, ("loops",), "iterations", ITERATIONS) for model in ("loop", "list loop")),
    *(Series(model, ("batches",), "batch size", BATCHES) for model in ("CNN", "MLP")),
    *(
        Series(model, ("threads",), "threads", tuple(range(1, (os.cpu_count() or 1) + 1)))
        for model in ("CNN", "MLP")
    ),
]


def run_worker(task: str, model: str, size: int, folder: str) -> dict[str, StepCosts]:
    """Run one task in a fresh process and return the costs of its steps."""
    command = [sys.executable, "-W", "ignore", str(WORKER), task, model, str(size), folder]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    costs: dict[str, StepCosts] = json.loads(done.stdout.splitlines()[-1])
    return costs


def measure(series: Series, rounds: int) -> Measurements:
    """Measure all sizes of a series."""
    runs: dict[str, dict[int, list[StepCosts]]] = {}
    for _ in range(rounds):
        for size in series.sizes:
            with tempfile.TemporaryDirectory() as folder:
                for task in series.tasks:
                    for step, costs in run_worker(task, series.model, size, folder).items():
                        runs.setdefault(step, {}).setdefault(size, []).append(costs)
    return {
        step: {size: combine_rounds(costs) for size, costs in by_size.items()}
        for step, by_size in runs.items()
    }


def combine_rounds(rounds: Sequence[StepCosts]) -> StepCosts:
    """Return the smallest times and the median memory of several rounds, with four digits."""
    combined = {
        key: (min if key.endswith("_s") else statistics.median)([costs[key] for costs in rounds])
        for key in rounds[0]
    }
    return {key: float(f"{value:.4g}") for key, value in combined.items()}


def times_by_size(name: str, by_size: dict[int, StepCosts]) -> dict[int, float]:
    """Return the elapsed times of a step for series over batch sizes and threads, else the CPU
    times.
    """
    key = "elapsed_s" if name.endswith(ELAPSED_AXES) else "cpu_s"
    return {size: by_size[size][key] for size in sorted(by_size)}


def fit_exponent(times: dict[int, float]) -> float:
    """Return the slope of log(time) over log(size), by least squares over the last three sizes."""
    points = [(math.log(size), math.log(times[size])) for size in sorted(times)[-3:]]
    if len(points) < 2:
        return math.nan
    return statistics.linear_regression(*zip(*points, strict=True)).slope


def format_seconds(seconds: float) -> str:
    """Format a time with three significant digits at most."""
    unit, factor = ("s", 1) if seconds >= 1 else ("ms", 1e3)
    return f"{seconds * factor:.3g} {unit}"


def format_table(name: str, measurements: Measurements) -> Iterable[str]:
    """Yield the lines of a Markdown table: times by size, exponents and memory."""
    sizes = sorted(next(iter(measurements.values())))
    columns = [f"{size:,}" for size in sizes]
    yield f"\n| {name} | {' | '.join(columns)} | exponent | elapsed | peak | heap |"
    yield f"|---|{'---|' * (len(sizes) + 4)}"
    for step, by_size in measurements.items():
        times = times_by_size(name, by_size)
        last = by_size[sizes[-1]]
        yield (
            f"| {step} | {' | '.join(map(format_seconds, times.values()))} "
            f"| {fit_exponent(times):.2f} "
            f"| {format_seconds(last['elapsed_s'])} | {max(last['peak_mb'], 0):.0f} MB "
            f"| {max(last['heap_mb'], 0):.0f} MB |"
        )


def plot(results: dict[str, Measurements], folder: Path) -> None:
    """Draw one SVG per series of three sizes or more: times over the size, on logarithmic axes.
    Equal results produce equal files.
    """
    import matplotlib as mpl  # noqa: PLC0415

    mpl.use("svg")
    import matplotlib.pyplot as plt  # noqa: PLC0415

    mpl.rcParams.update({"svg.hashsalt": "oarlock", "svg.fonttype": "none"})
    folder.mkdir(parents=True, exist_ok=True)
    for name, measurements in results.items():
        if any(len(by_size) < 3 for by_size in measurements.values()):
            continue
        figure, axes = plt.subplots(figsize=(8, 4.5))
        for step, by_size in measurements.items():
            times = times_by_size(name, by_size)
            axes.plot(list(times), list(times.values()), marker="o", ms=3, label=step)
        clock = "elapsed" if name.endswith(ELAPSED_AXES) else "CPU"
        axes.set(
            xscale="log", yscale="log", xlabel=name.partition(", ")[2], ylabel=f"{clock} time, s"
        )
        axes.set_title(name.partition(", ")[0])
        axes.grid(visible=True, alpha=0.3)
        axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
        figure.tight_layout()
        file = "growth-" + name.replace(", ", "-").replace(" ", "-").lower() + ".svg"
        figure.savefig(folder / file, metadata={"Date": None})
        plt.close(figure)


def read_results(path: str) -> dict[str, Measurements]:
    """Read a file that `--json` wrote."""
    data: dict[str, dict[str, dict[str, Any]]] = json.loads(Path(path).read_text())
    return {
        name: {
            step: {int(size): costs for size, costs in by_size.items()}
            for step, by_size in measurements.items()
        }
        for name, measurements in data.items()
    }


def main() -> None:
    """Measure or read, print the tables, and write the files."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="part of the names of the series to measure")
    parser.add_argument("--json", help="file for the results; other series in it are kept")
    parser.add_argument("--read", help="print and plot the results in this file")
    parser.add_argument("--plot", help="folder for plots (requires matplotlib)")
    args = parser.parse_args()
    results: dict[str, Measurements] = {}
    if args.read:
        results = read_results(args.read)
    elif args.json and Path(args.json).exists():
        results = read_results(args.json)
    for series in () if args.read else SERIES:
        if args.only in series.name:
            results[series.name] = measure(series, args.rounds)
            print(*format_table(series.name, results[series.name]), sep="\n", flush=True)
            if args.json:
                Path(args.json).write_text(json.dumps(results, indent=1) + "\n")
    if args.read:
        for name, measurements in results.items():
            print(*format_table(name, measurements), sep="\n")
    if args.plot:
        plot(results, Path(args.plot))


if __name__ == "__main__":
    main()
