"""Compare programs of Paddle 3 (`.json`) with the same networks as `.pdmodel`: inference, reading,
and loading of large weights.

    python benchmarks/paddle_3.py [--rounds N] [--only TEXT]

PaddlePaddle 2.6.2 ($OARLOCK_PADDLE) exports the models as `.pdmodel`, 3.3.1 ($OARLOCK_PADDLE_3_3_1)
as `.json`; without the variables, the environments of the tests are used. Both files of a model run
alternately in this process with one thread; medians of the rounds are compared.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from other_measurements import LOAD_CODE, large_model, median_outputs
from run import CACHE, HERE

import oarlock
from oarlock import inference
from oarlock.jit.paddle_format_conversion import convert_paddle_format
from oarlock.loader.pir_conversion import convert_pir_to_pdmodel

NAMES = (
    "resnet50",
    "mobilenet_v3_large",
    "bert_base",
    "lstm_classifier",
    "pp_ocrv5_mobile_det",
    "pp_ocrv5_mobile_rec",
    "slanet_plus",
    "picodet",
    "rt_detr",
    "swin_transformer",
)
VERSIONS = {"2.6.2": "OARLOCK_PADDLE", "3.3.1": "OARLOCK_PADDLE_3_3_1"}
SECONDS_PER_ROUND = 0.2


def export(folder: Path, name: str) -> None:
    """Write a model in both formats."""
    for version, variable in VERSIONS.items():
        python = os.environ.get(variable, str(CACHE / f"paddle-{version}" / "bin" / "python"))
        subprocess.run(
            [python, str(HERE / "zoo_all.py"), str(folder / version), f"={name}"],
            check=True,
            env={**os.environ, "GLOG_minloglevel": "3"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def predictor(prefix: Path) -> Callable[[], None]:
    """Return a function that runs a model on the inputs that were exported with it."""
    config = inference.Config(str(prefix))
    config.set_cpu_math_library_num_threads(1)
    session = inference.create_predictor(config)
    with np.load(f"{prefix}.npz") as inputs:
        for key in session.get_input_names():
            session.get_input_handle(key).copy_from_cpu(inputs[key])
    return session.run


def seconds_per_call(run: Callable[[], None]) -> float:
    """Return the mean time of the calls of one round."""
    start, count = time.perf_counter(), 0
    while (elapsed := time.perf_counter() - start) < SECONDS_PER_ROUND:
        run()
        count += 1
    return elapsed / count


def compare_inference(folder: Path, name: str, rounds: int) -> float:
    """Print and return the time of a `.json` relative to the `.pdmodel`."""
    runs = [predictor(folder / version / name) for version in VERSIONS]
    times = [[seconds_per_call(run) for run in runs] for _ in range(rounds)]
    ratio = statistics.median(json / pdmodel for pdmodel, json in times)
    ours = statistics.median(json for _, json in times)
    print(f"{name:24}{1e3 * ours:10.3f} ms   {ratio:.3f} of the .pdmodel", flush=True)
    return ratio


def print_conversion_speed(path: Path) -> None:
    """Print how fast a `.json` is read, validated and converted."""
    text, best = path.read_bytes(), float("inf")
    for _ in range(9):
        start = time.perf_counter()
        convert_pir_to_pdmodel(text, path.name)
        best = min(best, time.perf_counter() - start)
    megabytes = len(text) / 1e6
    print(f"{path.name}: {megabytes:.2f} MB read and converted in {1e3 * best:.1f} ms")


def main() -> None:
    """Run the comparisons."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder, ratios = Path(scratch), []
        for name in NAMES:
            if args.only in name:
                export(folder, name)
                ratios.append(compare_inference(folder, name, args.rounds))
                print_conversion_speed(folder / "3.3.1" / f"{name}.json")
        print(f"geometric mean {statistics.geometric_mean(ratios):.3f} (target 1.02)")
        large, tiny = large_model(folder)
        for prefix in (large, tiny):
            convert_paddle_format(prefix, prefix, "paddle3", verify=False)
        for suffix in (".pdmodel", ".json"):
            load, heap = median_outputs(LOAD_CODE, large + suffix, tiny + suffix)
            print(f"jit.load of 400 MB as {suffix}: {1e3 * load:.1f} ms, {heap:.1f} MB of heap")


if __name__ == "__main__":
    print(f"Oarlock {oarlock.__version__}")
    main()
