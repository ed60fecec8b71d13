"""Run a model on images of random sizes, and print the memory and the latencies as JSON.

memory_growth.py ENGINE MODEL RUNS LARGEST; ENGINE: `oarlock PRESET`, `onnxruntime` or `paddle
KERNELS`.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Run = Callable[[Any], object]


def resident_megabytes(field: str) -> float:
    """Return VmRSS or VmHWM (the largest VmRSS until now) of this process."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    raise ValueError(field)


def oarlock_run(model: str, preset: str) -> Run:
    """Return a function that runs the model in Oarlock's engine."""
    from oarlock.loader.engine import Engine

    engine = Engine(
        Path(f"{model}.pdmodel").read_bytes(), f"{model}.pdiparams", threads=1, memory=preset
    )
    return lambda image: engine.run([image])


def onnxruntime_run(model: str) -> Run:
    """Return a function that runs the exported model in ONNX Runtime with its defaults."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        f"{model}.onnx", options, providers=["CPUExecutionProvider"]
    )
    return lambda image: session.run(None, {"x": image})


def paddle_run(model: str, kernels: str) -> Run:
    """Return a function that runs the model in Paddle Inference."""
    from paddle import inference

    config = inference.Config(f"{model}.pdmodel", f"{model}.pdiparams")
    config.disable_glog_info()
    config.set_cpu_math_library_num_threads(1)
    config.enable_memory_optim()
    if kernels == "onednn":
        config.enable_mkldnn()
    predictor = inference.create_predictor(config)
    source = predictor.get_input_handle(predictor.get_input_names()[0])
    result = predictor.get_output_handle(predictor.get_output_names()[0])

    def run(image: Any) -> object:
        source.reshape(image.shape)
        source.copy_from_cpu(image)
        predictor.run()
        return result.copy_to_cpu()

    return run


def main() -> None:
    """Print the peak and the final memory without that before the first run, and all latencies."""
    (engine, _, variant), model = sys.argv[1].partition(" "), sys.argv[2]
    run_count, largest = map(int, sys.argv[3:])
    run = (
        oarlock_run(model, variant)
        if engine == "oarlock"
        else paddle_run(model, variant)
        if engine == "paddle"
        else onnxruntime_run(model)
    )
    rng = np.random.default_rng(0)
    before = resident_megabytes("VmRSS")
    milliseconds = []
    for _ in range(run_count):
        height, width = (32 * int(n) for n in rng.integers(1, largest // 32 + 1, 2))
        image = rng.standard_normal((1, 3, height, width), dtype="float32")
        started = time.perf_counter()
        run(image)
        milliseconds.append(1e3 * (time.perf_counter() - started))
    print(
        json.dumps(
            {
                "peak_mb": resident_megabytes("VmHWM") - before,
                "end_mb": resident_megabytes("VmRSS") - before,
                "milliseconds": milliseconds,
            }
        )
    )


main()
