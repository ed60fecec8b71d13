"""Measurements other than call times: import, installed size, loading of large weights, and the
runner compared with the raw API.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

import numpy as np

IMPORT_CODE = """
import re, time
def resident():
    return int(re.search(r"VmRSS:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024
before = resident()
start = time.perf_counter()
import {module}
print(time.perf_counter() - start, resident() - before)
"""
LOAD_CODE = """
import re, sys, time
import oarlock as paddle
def anonymous():
    return int(re.search(r"RssAnon:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024
paddle.jit.load(sys.argv[2])
before = anonymous()
start = time.perf_counter()
layer = paddle.jit.load(sys.argv[1])
print(time.perf_counter() - start, anonymous() - before)
"""


def median_outputs(code: str, *args: str, runs: int = 7) -> list[float]:
    """Run the code in fresh Python processes and return the medians of the numbers it prints."""
    rows = []
    for _ in range(runs):
        done = subprocess.run(
            [sys.executable, "-c", code, *args], capture_output=True, text=True, check=True, cwd="/"
        )
        rows.append([float(v) for v in done.stdout.split()])
    return [statistics.median(column) for column in zip(*rows, strict=True)]


def installed_size() -> float:
    """Return the installed size in MB of Oarlock and its dependencies, from pip's file lists."""
    todo, seen, total = ["oarlock"], set(), 0
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        distribution = importlib.metadata.distribution(name)
        total += sum(
            p.stat().st_size
            for f in distribution.files or []
            if (p := Path(str(f.locate()))).is_file()
        )
        requirements = [r for r in distribution.requires or [] if "extra ==" not in r]
        todo += [re.split(r"[\s<>=!~;\[(]", r, maxsplit=1)[0] for r in requirements if _applies(r)]
    return total / 1e6


def _applies(requirement: str) -> bool:
    marker = requirement.partition(";")[2]
    return (
        "platform_system" not in marker
        and "sys_platform" not in marker
        and "python_version <" not in marker
    )


def large_model(folder: Path) -> tuple[str, str]:
    """Save a model of 400 MB and a tiny one, and return their path prefixes."""
    import oarlock as paddle  # noqa: PLC0415

    for name, size in (("large", 3162), ("tiny", 8)):
        model = paddle.nn.Sequential(*(paddle.nn.Linear(size, size) for _ in range(10)))
        model.eval()
        for parameter in model.parameters():
            parameter.array = np.zeros_like(parameter.array)
        paddle.jit.save(
            model,
            str(folder / name),
            input_spec=[paddle.static.InputSpec([None, size])],
            verify=False,
        )
    return str(folder / "large"), str(folder / "tiny")


def runner_ratio(folder: Path) -> str:
    """Return the time of the C++ runner relative to the raw C API on the same graph.

    The two run alternately.
    """
    raw = os.environ.get("OARLOCK_RAW_ORT", "")
    if not raw:
        return (
            "not measured: set OARLOCK_RAW_ORT to the program that CMake builds from "
            "benchmarks/raw_ort.cpp"
        )
    from oarlock.cli.demo import runner_path  # noqa: PLC0415
    from oarlock.loader.engine import ort_library_path  # noqa: PLC0415

    ratios = []
    for name, shape in (("mlp", "x=1,64"), ("resnet", "x=1,3,32,32")):
        pairs = []
        for _ in range(9):
            ours = _p50(
                [
                    runner_path(),
                    "bench",
                    str(folder / name),
                    "--shape",
                    shape,
                    "--repeat",
                    "400",
                    "--threads",
                    "1",
                    "--json",
                ]
            )
            theirs = _p50([raw, ort_library_path(), str(folder / f"{name}.onnx"), shape, "400"])
            pairs.append(ours / theirs)
        ratios.append(f"{name} {statistics.median(pairs):.3f}x")
    return ", ".join(ratios) + " (target 1.03)"


def _p50(command: list[str]) -> float:
    from oarlock.loader.engine import ort_library_path  # noqa: PLC0415

    environment = {**os.environ, "OARLOCK_ORT_LIBRARY": ort_library_path()}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return float(json.loads(done.stdout)["p50_ms"])


def print_other_measurements(folder: Path) -> None:
    """Measure and print everything."""
    bare = median_outputs(
        "import time; s = time.perf_counter(); import numpy; print(time.perf_counter() - s)"
    )
    seconds, memory = median_outputs(IMPORT_CODE.format(module="oarlock"))
    print(
        f"import oarlock: {seconds:.3f} s, {memory:.0f} MB (targets 0.12 s, 60 MB); NumPy alone "
        f"{bare[0]:.3f} s"
    )
    print(f"installed with NumPy and the engine: {installed_size():.0f} MB (target 200 MB)")
    load, heap = median_outputs(LOAD_CODE, *large_model(folder))
    print(f"jit.load of 400 MB: {1e3 * load:.1f} ms, {heap:.1f} MB of heap (targets 20 ms, 20 MB)")
    print(f"oarlock-runner relative to the raw C API of ONNX Runtime: {runner_ratio(folder)}")
