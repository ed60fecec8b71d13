"""Measure how training scales with the number of processes on this machine.

    python benchmarks/scaling.py [--rounds 5]

Each process has one thread and its own batch.  The rounds alternate between the numbers of
processes; medians are printed, with the ratio to one process.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

WORKER = Path(__file__).parent / "workers" / "parallel_training.py"


def one_run(ranks: int, seconds: float) -> dict[str, float]:
    """Train with so many ranks and return the measurements that rank 0 prints."""
    with tempfile.TemporaryDirectory() as logs:
        command = [
            sys.executable,
            "-m",
            "oarlock.distributed.launch",
            "--nproc_per_node",
            str(ranks),
            "--log_dir",
            logs,
        ]
        command += ["--print_config", "false", str(WORKER), str(seconds)]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OARLOCK_NUM_THREADS": "1"}
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, env=environment, cwd="/"
        )
    measurements: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return measurements


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3.0)
    args = parser.parse_args()
    runs: dict[int, list[dict[str, float]]] = {1: [], 2: [], 4: []}
    for _ in range(args.rounds):
        for ranks, results in runs.items():
            results.append(one_run(ranks, args.seconds))
    single = statistics.median(r["samples_per_s"] for r in runs[1])
    for ranks, results in runs.items():
        rate, small, large = (
            statistics.median(r[k] for r in results)
            for k in ("samples_per_s", "sum_1KB_s", "sum_25MB_s")
        )
        ratio = f"{rate:.0f} samples/s, {rate / single:.2f}x one process"
        print(
            f"{ranks} processes: {ratio}; a sum of 1 KB {small * 1e6:.0f} us, of 25 MB "
            f"{large * 1e3:.1f} ms"
        )


if __name__ == "__main__":
    main()
