"""Compare inference times of the models of benchmarks/zoo.py with real Paddle Inference, OpenVINO,
and ONNX Runtime on the graphs that Oarlock exports, in one run.

    python benchmarks/inference.py [FOLDER] [--rounds N] [--only TEXT] [--threads N] [--markdown]
        [--peers NAME,NAME] [--cpu-time]

FOLDER: the output of benchmarks/zoo.py --answers, which is run if the folder has no models.
--threads: threads of each peer; 0: the default of each peer, for Paddle the number of processors.
Peers: paddle ($OARLOCK_PADDLE), onnxruntime, openvino ($OARLOCK_OPENVINO), and for information
oarlock_openvino, Oarlock with ONNX Runtime's execution provider OpenVINO ($OARLOCK_ORT_OPENVINO).

The peers run alternately. A ratio is the median of the ratios of the rounds, so that changes of the
machine's speed affect both of its times; the range in brackets is that of the middle half of the
rounds. With --cpu-time, the peers are compared by the processor time of their processes, which
other load on the machine affects less; this is useful for one thread only. Real Paddle runs with
its oneDNN kernels, memory reuse and graph passes. All peers compute in float32. A peer that fails,
or returns other results than Paddle, has no ratio; the reasons follow the table.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from run import HERE, CaseError, Worker, can_import, peer_python

# The peers among which the best is selected for the column "best".
PEERS = ("paddle", "openvino", "onnxruntime")
# The targets: of each model, and of the geometric mean over the models.
MAX_RATIO_TO_BEST, MAX_MEAN_RATIO_TO_OPENVINO = 1.05, 0.8


def prepare_models(folder: Path, python: str, only: str) -> None:
    """Write the models with real Paddle unless they exist, and export them to ONNX with Oarlock."""
    from oarlock.cli.model import export_model  # noqa: PLC0415
    from oarlock.loader.runtime import UnsupportedError  # noqa: PLC0415
    from oarlock.onnx.writer import ExportOptions  # noqa: PLC0415

    if not list(folder.glob("*.pdmodel")):
        environment = {**os.environ, "GLOG_minloglevel": "3"}
        command = [python, str(HERE / "zoo.py"), str(folder), only, "--answers"]
        subprocess.run(
            command,
            check=True,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    for path in sorted(folder.glob("*.pdmodel")):
        if only in path.stem:
            try:
                export_model(
                    str(path.with_suffix("")),
                    path.with_suffix(".onnx"),
                    "onnx",
                    ExportOptions(check=False),
                )
            except UnsupportedError as error:
                print(f"{path.stem}: {error}")


def start_workers(folder: Path, python: str, threads: int, peers: Sequence[str]) -> list[Worker]:
    """Start a process for each peer that is installed."""
    script = str(HERE / "workers" / "predict.py")
    # The worker finds the library of ONNX Runtime beside this interpreter.
    provider_python = os.environ.setdefault(
        "OARLOCK_ORT_OPENVINO", peer_python("OARLOCK_ORT_OPENVINO", "onnxruntime-openvino-1.24.1")
    )
    workers = [
        ("oarlock", sys.executable, "oarlock"),
        ("paddle", python, "paddle"),
        ("openvino", peer_python("OARLOCK_OPENVINO", "openvino-2026.4.1"), "openvino"),
        ("onnxruntime", sys.executable, "onnxruntime"),
        ("oarlock_openvino", sys.executable if Path(provider_python).exists() else "", "oarlock"),
    ]
    return [
        Worker([interpreter, script, peer, str(folder), str(threads)])
        for peer, interpreter, module in workers
        if (peer == "oarlock" or peer in peers) and can_import(interpreter, module)
    ]


def measure_rounds(
    workers: Sequence[Worker], case: str, rounds: int, key: str
) -> tuple[dict[str, list[float]], list[str]]:
    """Return the values of `key` in each round for every peer that can run the case, and the
    reasons of those that cannot. Every second round has the reverse order.
    """
    times: dict[str, list[float]] = {}
    errors = []
    for worker in workers:
        try:
            worker.run(case)  # sets the case up
            times[worker.peer] = []
        except CaseError as error:
            errors.append(f"{case}: {error}")
    for i in range(rounds):
        for worker in workers if i % 2 == 0 else reversed(workers):
            if worker.peer in times:
                times[worker.peer].append(worker.run(case)[key])
    return times, errors


def add_best_peer(times: dict[str, list[float]]) -> dict[str, list[float]]:
    """Return the times, with those of the peer in PEERS with the smallest median also as `best`."""
    peers = [peer for peer in times if peer in PEERS]
    if not peers:
        return times
    return {**times, "best": times[min(peers, key=lambda peer: statistics.median(times[peer]))]}


def ratios_of_rounds(times: dict[str, list[float]], peer: str) -> list[float]:
    """Return Oarlock's time divided by the peer's in each round, sorted."""
    return sorted(a / b for a, b in zip(times["oarlock"], times[peer], strict=True))


def format_row(name: str, cells: Sequence[str], markdown: bool) -> str:
    """Return a row of the table."""
    if markdown:
        return f"| {' | '.join([name, *cells])} |"
    return f"{name:22}" + "".join(f"{cell:>20}" for cell in cells)


def format_ratios(ratios: Sequence[float]) -> str:
    """Return the median of sorted ratios with the range of their middle half."""
    count = len(ratios)
    low, high = ratios[count // 4], ratios[count - 1 - count // 4]
    return f"{statistics.median(ratios):.2f} ({low:.2f}-{high:.2f})"


def print_table(workers: Sequence[Worker], names: Sequence[str], args: argparse.Namespace) -> None:
    """Measure the models and print a row for each, then the summary."""
    columns = [*(worker.peer for worker in workers[1:]), "best"]
    print(format_row("model", ["oarlock", *columns], args.markdown))
    if args.markdown:
        print("|---" * (len(columns) + 2) + "|")
    median_ratios: dict[str, list[float]] = {peer: [] for peer in columns}
    errors = []
    for name in names:
        key = "cpu_seconds" if args.cpu_time else "seconds"
        times, reasons = measure_rounds(workers, name, args.rounds, key)
        errors += reasons
        times = add_best_peer(times)
        cells = [f"{1e3 * statistics.median(times['oarlock']):.3f} ms"]
        for peer in columns:
            if peer in times:
                ratios = ratios_of_rounds(times, peer)
                median_ratios[peer].append(statistics.median(ratios))
                cells.append(format_ratios(ratios))
            else:
                cells.append("-")
        print(format_row(name, cells, args.markdown), flush=True)
    for peer, values in median_ratios.items():
        if values:
            print(
                f"relative to {peer}: geometric mean {statistics.geometric_mean(values):.3f}, "
                f"worst {max(values):.2f} of {len(values)} models"
            )
    print(
        f"targets: at most {MAX_RATIO_TO_BEST} relative to the best peer, "
        f"mean at most {MAX_MEAN_RATIO_TO_OPENVINO} relative to openvino"
    )
    print("\n".join(errors))


def main() -> None:
    """Run the selected models."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--peers", default="paddle,openvino,onnxruntime,oarlock_openvino")
    parser.add_argument("--cpu-time", action="store_true")
    parser.add_argument("--markdown", action="store_true")
    args = parser.parse_args()
    python = peer_python("OARLOCK_PADDLE", "paddle-2.6.2")
    with tempfile.TemporaryDirectory() as scratch:
        folder = (args.folder or Path(scratch)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        prepare_models(folder, python, args.only)
        workers = start_workers(folder, python, args.threads, args.peers.split(","))
        print(
            f"{args.threads or 'default'} threads, {args.rounds} rounds; Oarlock's time, and its "
            "ratio to each peer"
        )
        names = [name for name in workers[0].cases if args.only in name]
        print_table(workers, names, args)


if __name__ == "__main__":
    main()
