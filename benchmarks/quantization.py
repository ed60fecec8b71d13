"""Quantize small networks with Oarlock, ONNX Runtime's and PaddlePaddle's tools, and compare them.

    python benchmarks/quantization.py [--folder DIR] [--only NAME]

Trains the models of quantization_models.py unless DIR has them, quantizes each with
`oarlock quantize` and with onnxruntime.quantization, and prints a table. Times are medians of
alternating runs with one sample and one thread, of Oarlock's models in its engine, of the others in
ONNX Runtime's Python package; sizes are those of the ONNX files.

With OARLOCK_PADDLE, the Python of PaddlePaddle 2.6.2, a second table compares Paddle's own
post-training quantization with the files of Oarlock, both in Paddle's Predictor
(quantization_paddle.py). The column kernels says whether it computes with the int8 kernels of
oneDNN or, for models that these reject, with those of Paddle, which compute in float32.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import onnxruntime
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_dynamic,
    quantize_static,
)
from onnxruntime.quantization.shape_inference import quant_pre_process
from quantization_models import (
    TASKS,
    accuracy,
    count_different,
    predictions,
    run_in_batches,
    train_and_save,
)

from oarlock.cli.model import export_model
from oarlock.loader.engine import Engine
from oarlock.loader.model_files import read_model
from oarlock.onnx.writer import ExportOptions
from oarlock.quantization.programs.calibration_data import load_calibration_data
from oarlock.quantization.programs.measure import SignalToNoiseAccumulator
from oarlock.quantization.programs.quantize import QuantizationSettings, quantize_model
from oarlock.quantization.programs.write import write_and_verify_model

ROUNDS = 300
# Ops whose int8 weights oneDNN in Paddle rejects.
NOT_IN_ONEDNN = "lookup_table|rnn"
METHODS = {"lenet": ["ptq"], "resnet": ["ptq"], "bert": ["ptq", "dynamic"], "ctc": ["ptq"]}


class Reader(CalibrationDataReader):  # type: ignore[misc]
    """The calibration samples, one after the other."""

    def __init__(self, name: str, samples: Any) -> None:
        self._name, self._rows = name, iter(samples)

    def get_next(self) -> dict[str, Any] | None:
        """Return the next inputs; None at the end."""
        row = next(self._rows, None)
        return None if row is None else {self._name: row[None]}


def quantize_with_oarlock(
    prefix: Path,
    method: str,
    has_symmetric_activations: bool = False,
    selects_by_speed: bool = True,
) -> Path:
    """Return the prefix of the quantized model."""
    files = read_model(prefix)
    calibration = prefix.with_suffix(".calibration.npz")
    with np.load(calibration) as arrays:
        labels = "labels" if "labels" in arrays else None
    engine = Engine(files.pdmodel, files.params_path)
    data = load_calibration_data(calibration, engine, files, labels)
    settings = QuantizationSettings(
        method,
        keep=NOT_IN_ONEDNN if has_symmetric_activations else "",
        has_symmetric_activations=has_symmetric_activations,
        selects_by_speed=selects_by_speed,
    )
    result = quantize_model(files, data, settings, lambda *_: None)
    for layer in result.report.layers:
        if layer.reason:
            print(f"  {prefix.name} {method}: {layer.name}: {layer.form}: {layer.reason}")
    target = prefix.with_name(f"{prefix.name}_{method}{'_symmetric' * has_symmetric_activations}")
    write_and_verify_model(files, result.model, target, data.sample)
    return target


def export_to_onnx(prefix: Path) -> Path:
    """Return the ONNX file of a model."""
    output = prefix.with_suffix(".onnx")
    export_model(str(prefix), output, "onnx", ExportOptions(inline=True))
    return output


def quantize_with_ort(prefix: Path) -> dict[str, Path]:
    """Return the files of ONNX Runtime's static and dynamic quantization."""
    name = str(TASKS[prefix.name].spec.name)
    with np.load(prefix.with_suffix(".calibration.npz")) as arrays:
        samples = arrays[name]
    source, prepared = prefix.with_suffix(".onnx"), prefix.with_suffix(".prepared.onnx")
    quant_pre_process(str(source), str(prepared), skip_symbolic_shape=True)
    static, dynamic = (
        prefix.with_suffix(".ort_static.onnx"),
        prefix.with_suffix(".ort_dynamic.onnx"),
    )
    quantize_static(
        str(prepared),
        str(static),
        Reader(name, samples),
        quant_format=QuantFormat.QDQ,
        per_channel=True,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
    )
    quantize_dynamic(str(prepared), str(dynamic), weight_type=QuantType.QInt8)
    return {"ORT quantize_static": static, "ORT quantize_dynamic": dynamic}


def open_in_oarlock(prefix: Path, input_name: str) -> Callable[[Any], Any]:
    """Return a function that runs a model with one thread in Oarlock's engine."""
    files = read_model(prefix)
    engine = Engine(files.pdmodel, files.params_path, threads=1, cache_dir="none")
    return lambda samples: engine.run({input_name: samples})[0]


def open_in_ort(path: Path, input_name: str) -> Callable[[Any], Any]:
    """Return a function that runs a file with one thread in ONNX Runtime."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    providers = ["CPUExecutionProvider"]
    session = onnxruntime.InferenceSession(str(path), options, providers=providers)
    return lambda samples: session.run(None, {input_name: samples})[0]


def compare(prefix: Path, files: dict[str, Path], models: dict[str, Path]) -> None:
    """Print one row per ONNX file: accuracy, signal-to-noise ratio, size and time.

    models: the prefixes of those that Oarlock runs; ONNX Runtime runs the others.
    """
    input_name = str(TASKS[prefix.name].spec.name)
    with np.load(prefix.with_suffix(".test.npz")) as arrays:
        samples, labels = arrays[input_name], arrays["labels"]
    run = {
        name: open_in_oarlock(models[name], input_name)
        if name in models
        else open_in_ort(path, input_name)
        for name, path in files.items()
    }
    times: dict[str, list[float]] = {name: [] for name in files}
    names = list(files)
    for i in range(ROUNDS):
        for name in names[i % len(names) :] + names[: i % len(names)]:
            start = perf_counter()
            run[name](samples[i : i + 1])
            times[name].append(perf_counter() - start)
    scores = {name: run_in_batches(function, samples) for name, function in run.items()}
    for name, path in files.items():
        sizes = path.stat().st_size, files["float"].stat().st_size
        print_row(prefix.name, name, scores, labels, sizes, times[name])


def print_row(
    network: str,
    name: str,
    scores: dict[str, Any],
    labels: Any,
    sizes: tuple[int, int],
    times: list[float],
    *columns: str,
) -> None:
    """Print the row of one model.

    scores: the outputs of all models, by name.
    sizes: bytes of this model and of the float model.
    """
    total = SignalToNoiseAccumulator()
    total.add(scores["float"], scores[name])
    changed = count_different(predictions(scores["float"]), predictions(scores[name]))
    is_float = name.startswith("float")
    cells = (
        network,
        name,
        f"{100 * accuracy(scores[name], labels):.2f} %",
        "" if is_float else f"{changed:,}",
        "" if is_float else f"{total.decibels():.1f} dB",
        f"{sizes[0] / 1e3:,.0f} kB ({sizes[0] / sizes[1]:.2f})",
        f"{1e6 * statistics.median(times):,.0f} us",
        *columns,
    )
    print(f"| {' | '.join(cells)} |", flush=True)


def run_paddle_script(python: str, *words: str | Path) -> str:
    """Run quantization_paddle.py; return the reason of a failure, or ''."""
    script = Path(__file__).with_name("quantization_paddle.py")
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment |= {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [python, script, *words], capture_output=True, text=True, env=environment, check=False
    )
    if not done.returncode:
        return ""
    lines = done.stderr.strip().splitlines() or [""]
    errors = [line for line in lines if "Error" in line] or lines
    return f"ended with {done.returncode}: {errors[-1]}"


def compare_in_paddle(prefix: Path, models: dict[str, Path], python: str) -> None:
    """Print one row per model in Paddle's Predictor, with the kernels that it uses."""
    quantized = prefix.with_name(f"{prefix.name}_paddle")
    calibration = prefix.with_suffix(".calibration.npz")
    problem = run_paddle_script(python, "quantize", prefix, calibration, quantized)
    if problem:
        print(f"| {prefix.name} | Paddle PTQ | {problem} |")
    else:
        models |= {"Paddle PTQ": quantized}
    outputs, answer = prefix.with_suffix(".paddle.npz"), prefix.with_suffix(".paddle.json")
    request = prefix.with_suffix(".request.json")
    input_name = str(TASKS[prefix.name].spec.name)
    request.write_text(
        json.dumps(
            {
                "samples": str(prefix.with_suffix(".test.npz")),
                "input": input_name,
                "rounds": ROUNDS,
                "models": {name: str(path) for name, path in models.items()},
                "outputs": str(outputs),
                "answer": str(answer),
            }
        )
    )
    problem = run_paddle_script(python, "measure", request)
    if problem:
        print(f"| {prefix.name} | Paddle | {problem} |")
        return
    with np.load(outputs) as arrays, np.load(prefix.with_suffix(".test.npz")) as test:
        scores = {name: arrays[name] for name in arrays.files}
        labels = test["labels"][: len(scores["float"])]
    results = json.loads(answer.read_text())
    for name, result in results.items():
        if not result["times"]:
            print(f"| {prefix.name} | {name} | {result['reason']} |")
            continue
        kernels = result["kernels"] + (f" ({result['reason']})" if result["reason"] else "")
        sizes = tuple(
            sum(models[at].with_suffix(s).stat().st_size for s in (".pdmodel", ".pdiparams"))
            for at in (name, "float")
        )
        print_row(prefix.name, name, scores, labels, sizes, result["times"], kernels)


def main() -> None:
    """Train, quantize and compare."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--only", choices=TASKS)
    arguments = parser.parse_args()
    folder = arguments.folder or Path(tempfile.mkdtemp(prefix="quantization-"))
    folder.mkdir(parents=True, exist_ok=True)
    python = os.environ.get("OARLOCK_PADDLE", "")
    if not python:
        print("without PaddlePaddle: set OARLOCK_PADDLE to a Python that has PaddlePaddle 2.6.2")
    header = "| network | model | accuracy | changed predictions | SNR | file | time |"
    print(header, "|---|---|---|---|---|---|---|", sep="\n", flush=True)
    names = [arguments.only] if arguments.only else list(TASKS)
    models: dict[str, dict[str, Path]] = {}
    for name in names:
        prefix = folder / name
        if not prefix.with_suffix(".test.npz").exists():
            train_and_save(name, folder)
        models[name] = {"float": prefix} | {
            f"oarlock {method}": quantize_with_oarlock(prefix, method) for method in METHODS[name]
        }
        files = {label: export_to_onnx(path) for label, path in models[name].items()}
        files |= {"float in ORT": files["float"]} | quantize_with_ort(prefix)
        compare(prefix, files, models[name])
    if not python:
        return
    print("\nIn the Predictor of PaddlePaddle:\n", f"{header} kernels |", sep="\n")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for name in names:
        # the selection by speed would measure ONNX Runtime
        symmetric = quantize_with_oarlock(folder / name, "ptq", True, selects_by_speed=False)
        models[name]["oarlock ptq --symmetric-activations --ignore-speed"] = symmetric
        compare_in_paddle(folder / name, models[name], python)


if __name__ == "__main__":
    main()
