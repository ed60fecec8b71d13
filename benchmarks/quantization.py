"""Quantize small networks with Oarlock and with ONNX Runtime's tools, and compare the results.

    python benchmarks/quantization.py [--folder DIR] [--only NAME]

Trains the models of quantization_models.py unless DIR has them, quantizes each with
`oarlock quantize` and with onnxruntime.quantization, and prints a table. Times are medians of
alternating runs of ONNX Runtime with one sample and one thread; all files are ONNX.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
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
from quantization_models import TASKS, accuracy, train_and_save

from oarlock.cli.model import export_model
from oarlock.loader.engine import Engine
from oarlock.loader.model_files import read_model
from oarlock.onnx.writer import ExportOptions, session_options
from oarlock.quantization.programs.calibration_data import load_calibration_data
from oarlock.quantization.programs.measure import SignalToNoise
from oarlock.quantization.programs.quantize import QuantizationSettings, quantize_model
from oarlock.quantization.programs.write import write_model

ROUNDS = 300
METHODS = {"lenet": ["ptq"], "resnet": ["ptq"], "bert": ["ptq", "dynamic"], "ctc": ["ptq"]}


class Reader(CalibrationDataReader):  # type: ignore[misc]
    """The calibration samples, one after the other."""

    def __init__(self, name: str, samples: Any) -> None:
        self._name, self._rows = name, iter(samples)

    def get_next(self) -> dict[str, Any] | None:
        """Return the next inputs; None at the end."""
        row = next(self._rows, None)
        return None if row is None else {self._name: row[None]}


def quantize_with_oarlock(prefix: Path, method: str) -> Path:
    """Return the ONNX file of the quantized model."""
    files = read_model(prefix)
    calibration = prefix.with_suffix(".calibration.npz")
    with np.load(calibration) as arrays:
        labels = "labels" if "labels" in arrays else None
    engine = Engine(files.pdmodel, files.params_path)
    data = load_calibration_data(calibration, engine, labels)
    result = quantize_model(files, data, QuantizationSettings(method), lambda *_: None)
    for layer in result.report.layers:
        if layer.reason:
            print(f"  {prefix.name} {method}: {layer.name} remains float: {layer.reason}")
    target = prefix.with_name(f"{prefix.name}_{method}")
    write_model(files, result.model, target, data.sample)
    output = target.with_suffix(".onnx")
    export_model(str(target), output, "onnx", ExportOptions(inline=True))
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


def open_session(path: Path) -> Any:
    """Open a file with one thread."""
    options = session_options()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def compare(prefix: Path, files: dict[str, Path]) -> None:
    """Print one row per file: accuracy, signal-to-noise ratio, size and time."""
    input_name = str(TASKS[prefix.name].spec.name)
    with np.load(prefix.with_suffix(".test.npz")) as arrays:
        samples, labels = arrays[input_name], arrays["labels"]
    sessions = {name: open_session(path) for name, path in files.items()}
    times: dict[str, list[float]] = {name: [] for name in files}
    names = list(files)
    for i in range(ROUNDS):
        for name in names[i % len(names) :] + names[: i % len(names)]:
            start = perf_counter()
            sessions[name].run(None, {input_name: samples[i : i + 1]})
            times[name].append(perf_counter() - start)
    exact = sessions["float"].run(None, {input_name: samples})[0]
    for name, session in sessions.items():
        scores = session.run(None, {input_name: samples})[0]
        total = SignalToNoise()
        total.add(exact, scores)
        size = files[name].stat().st_size
        snr = "" if name == "float" else f"{total.decibels():.1f} dB"
        median = 1e6 * statistics.median(times[name])
        ratio = size / files["float"].stat().st_size
        print(
            f"| {prefix.name} | {name} | {100 * accuracy(scores, labels):.2f} % | {snr} | "
            f"{size / 1e3:,.0f} kB ({ratio:.2f}) | {median:,.0f} us |",
            flush=True,
        )


def main() -> None:
    """Train, quantize and compare."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--only", choices=TASKS)
    arguments = parser.parse_args()
    folder = arguments.folder or Path(tempfile.mkdtemp(prefix="quantization-"))
    folder.mkdir(parents=True, exist_ok=True)
    print("| network | model | accuracy | SNR | file | time |\n|---|---|---|---|---|---|")
    for name in [arguments.only] if arguments.only else TASKS:
        prefix = folder / name
        if not prefix.with_suffix(".test.npz").exists():
            train_and_save(name, folder)
        source = prefix.with_suffix(".onnx")
        export_model(str(prefix), source, "onnx", ExportOptions(inline=True))
        files = {"float": source}
        for method in METHODS[name]:
            files[f"oarlock {method}"] = quantize_with_oarlock(prefix, method)
        compare(prefix, files | quantize_with_ort(prefix))


if __name__ == "__main__":
    main()
