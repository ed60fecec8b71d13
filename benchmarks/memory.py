"""Compare the memory of runs on images of 2,000 random sizes.

    python benchmarks/memory.py [--runs 2000] [--largest 1280]

A MobileNetV3 (small) runs on images whose height and width are random multiples of 32, on one
thread, each time in a process of its own: with each value of Oarlock's option `memory`, in ONNX
Runtime's Python package with its defaults, and in Paddle Inference 2.6.2 if OARLOCK_PADDLE names a
Python that has it. The table has the resident memory that the runs add, at most and at the end, and
the latencies.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import oarlock as paddle

WORKER = Path(__file__).parent / "workers" / "memory_growth.py"


def save_model(folder: Path) -> None:
    """Save the network as .pdmodel and as ONNX."""
    paddle.seed(0)
    net = paddle.vision.models.mobilenet_v3_small(num_classes=10)
    net.eval()
    spec = paddle.static.InputSpec([None, 3, None, None], "float32", "x")
    paddle.jit.save(net, str(folder / "net"), input_spec=[spec])
    paddle.onnx.export(net, str(folder / "net"), input_spec=[spec])


def measure(python: str, engine: str, arguments: argparse.Namespace, folder: Path) -> None:
    """Run the worker for one engine, and print its row."""
    command = [python, str(WORKER), engine, str(folder / "net")]
    text = subprocess.run(
        [*command, str(arguments.runs), str(arguments.largest)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    row = json.loads(text.strip().splitlines()[-1])
    milliseconds = np.array(row["milliseconds"])
    print(
        f"| {engine} | {row['peak_mb']:.0f} MB | {row['end_mb']:.0f} MB "
        f"| {np.median(milliseconds):.1f} ms | {np.percentile(milliseconds, 99):.1f} ms |",
        flush=True,
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--largest", type=int, default=1280, help="largest height and width")
    arguments = parser.parse_args()
    print("| engine | peak | at the end | median | 99th percentile |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        save_model(Path(folder))
        for preset in ("steady", "changing", "smallest"):
            measure(sys.executable, f"oarlock {preset}", arguments, Path(folder))
        measure(sys.executable, "onnxruntime", arguments, Path(folder))
        if python := os.environ.get("OARLOCK_PADDLE"):
            for kernels in ("default", "onednn"):
                measure(python, f"paddle {kernels}", arguments, Path(folder))


if __name__ == "__main__":
    main()
