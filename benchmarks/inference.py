"""Compare inference times of the zoo with real Paddle Inference and with ONNX Runtime on the same
graphs, in one run.

    python benchmarks/inference.py [FOLDER] [--rounds N] [--only TEXT] [--threads N] [--markdown]

FOLDER: the output of benchmarks/zoo.py, which is run if the folder has no models.
The peers run alternately; medians of the rounds are compared. Real Paddle runs with its oneDNN
kernels, memory reuse and graph passes.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from run import CACHE, HERE, Worker, has, measure

BAR, WORST = 0.5, 1.1  # limits of the geometric mean and of every model


def prepare_models(folder: Path, python: str, only: str) -> None:
    """Write the models with real Paddle unless they exist, and export them to ONNX with Oarlock."""
    from oarlock.cli.model import export_model  # noqa: PLC0415
    from oarlock.loader.engine import UnsupportedError  # noqa: PLC0415
    from oarlock.onnx.writer import ExportOptions  # noqa: PLC0415

    if not list(folder.glob("*.pdmodel")):
        environment = {**os.environ, "GLOG_minloglevel": "3"}
        command = [python, str(HERE / "zoo.py"), str(folder), only]
        subprocess.run(
            command,
            check=True,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    for path in sorted(folder.glob("*.pdmodel")):
        if only in path.stem and not path.with_suffix(".onnx").exists():
            try:
                export_model(
                    str(path.with_suffix("")),
                    path.with_suffix(".onnx"),
                    "onnx",
                    ExportOptions(check=False),
                )
            except UnsupportedError as error:
                print(f"{path.stem}: {error}")


def start_workers(folder: Path, python: str, threads: int) -> list[Worker]:
    """Start a process for each peer that is installed."""
    script = str(HERE / "workers" / "predict.py")
    pythons = {"oarlock": sys.executable, "paddle": python, "onnxruntime": sys.executable}
    return [
        Worker([interpreter, script, peer, str(folder), str(threads)])
        for peer, interpreter in pythons.items()
        if has(interpreter, "paddle" if peer == "paddle" else "onnxruntime")
    ]


def line(name: str, times: dict[str, float], markdown: bool) -> str:
    """Return a row with our time and the ratio to each peer."""
    ours = times["oarlock"]
    ratios = [f"{ours / theirs:.2f}" for peer, theirs in times.items() if peer != "oarlock"]
    cells = [name, f"{1e3 * ours:.3f} ms", *ratios]
    return (
        f"| {' | '.join(cells)} |"
        if markdown
        else f"{cells[0]:24}{cells[1]:>14}" + "".join(f"{c:>14}" for c in cells[2:])
    )


def main() -> None:
    """Run the selected models."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--markdown", action="store_true")
    args = parser.parse_args()
    python = os.environ.get("OARLOCK_PADDLE", str(CACHE / "paddle-2.6.2" / "bin" / "python"))
    with tempfile.TemporaryDirectory() as scratch:
        folder = (args.folder or Path(scratch)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        prepare_models(folder, python, args.only)
        workers = start_workers(folder, python, args.threads)
        print(
            f"{args.threads} threads, medians of {args.rounds} rounds; ratios to "
            f"{', '.join(w.peer for w in workers[1:])}"
        )
        ratios: dict[str, list[float]] = {}
        for name in workers[0].cases:
            if args.only in name:
                times = measure(workers, name, args.rounds)
                print(line(name, times, args.markdown), flush=True)
                for peer, theirs in times.items():
                    ratios.setdefault(peer, []).append(times["oarlock"] / theirs)
        for peer, values in ratios.items():
            if peer != "oarlock":
                print(
                    f"relative to {peer}: geometric mean "
                    f"{statistics.geometric_mean(values):.2f}x, worst "
                    f"{max(values):.2f}x of {len(values)} models"
                )
        print(f"bars relative to paddle: mean {BAR}, worst {WORST}")


if __name__ == "__main__":
    main()
