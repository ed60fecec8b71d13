"""Quantize small networks with Oarlock and with ONNX Runtime's tools, and compare the results.

    python benchmarks/quantization.py [--folder DIR] [--seconds N]

Trains a LeNet, a ResNet of three blocks and a Transformer encoder on generated data, quantizes each
with `oarlock quantize` and with onnxruntime.quantization, and prints a table. Times are medians of
alternating runs of ONNX Runtime with one image or sequence; all files are ONNX.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
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

import oarlock as paddle
from oarlock import nn
from oarlock.cli.model import export_model
from oarlock.loader.engine import Engine
from oarlock.loader.model_files import read_model
from oarlock.onnx.writer import ExportOptions, session_options
from oarlock.quantization.programs.calibration_data import load_calibration_data
from oarlock.quantization.programs.measure import SignalToNoise
from oarlock.quantization.programs.quantize import QuantizationSettings, quantize_model
from oarlock.quantization.programs.write import write_model

CLASSES, TRAINING, TEST, CALIBRATION = 10, 4096, 2000, 256
ROUNDS = 300


class LeNet(nn.Layer):
    """Two convolutions and three Linear layers, for images of 1x28x28."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2D(1, 6, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2D(2),
            nn.Conv2D(6, 16, 5),
            nn.ReLU(),
            nn.MaxPool2D(2),
        )
        self.fc = nn.Sequential(
            nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, CLASSES)
        )

    def forward(self, x: Any) -> Any:
        """Return the scores of a batch of images."""
        return self.fc(self.features(x).flatten(1))


class Residual(nn.Layer):
    """Two convolutions with a shortcut."""

    def __init__(self, channels: int, out: int, stride: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2D(channels, out, 3, stride=stride, padding=1, bias_attr=False),
            nn.BatchNorm2D(out),
            nn.ReLU(),
            nn.Conv2D(out, out, 3, padding=1, bias_attr=False),
            nn.BatchNorm2D(out),
        )
        self.shortcut = (
            nn.Sequential(
                nn.Conv2D(channels, out, 1, stride=stride, bias_attr=False), nn.BatchNorm2D(out)
            )
            if stride > 1
            else nn.Identity()
        )

    def forward(self, x: Any) -> Any:
        """Return the sum of both paths."""
        return nn.functional.relu(self.body(x) + self.shortcut(x))


def small_resnet() -> nn.Layer:
    """Return a ResNet of three blocks, for images of 3x32x32."""
    return nn.Sequential(
        nn.Conv2D(3, 32, 3, padding=1, bias_attr=False),
        nn.BatchNorm2D(32),
        nn.ReLU(),
        Residual(32, 32, 1),
        Residual(32, 64, 2),
        Residual(64, 128, 2),
        nn.AdaptiveAvgPool2D(1),
        nn.Flatten(),
        nn.Linear(128, CLASSES),
    )


class Encoder(nn.Layer):
    """Two layers of a Transformer encoder, for sequences of 32 vectors."""

    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(128, 4, 512, dropout=0.0, activation="gelu")
        self.embed, self.encoder = nn.Linear(16, 128), nn.TransformerEncoder(layer, 2)
        self.out = nn.Linear(128, CLASSES)

    def forward(self, x: Any) -> Any:
        """Return the scores of a batch of sequences."""
        return self.out(self.encoder(self.embed(x)).mean(1))


@dataclass
class Task:
    """A network with the shape of its inputs and the noise that makes its classes hard."""

    name: str
    make: Callable[[], nn.Layer]
    shape: tuple[int, ...]
    noise: float
    method: str = "ptq"


TASKS = [
    Task("LeNet", LeNet, (1, 28, 28), 2.5),
    Task("ResNet", small_resnet, (3, 32, 32), 2.5),
    Task("Transformer", Encoder, (32, 16), 2.0, "dynamic"),
]


def generate(task: Task, count: int, seed: int) -> tuple[Any, Any]:
    """Return samples and labels: a smooth pattern per class, shifted at random, with noise."""
    patterns = np.random.default_rng(0).standard_normal((CLASSES, *task.shape))
    for axis in (-2, -1):
        for _ in range(2):
            patterns = patterns + np.roll(patterns, 1, axis)
    patterns /= patterns.std()
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, CLASSES, count)
    shifts = rng.integers(-2, 3, count)
    samples = np.stack([np.roll(patterns[k], s, -2) for k, s in zip(labels, shifts, strict=True)])
    return (samples + task.noise * rng.standard_normal(samples.shape)).astype("float32"), labels


def train(task: Task, seconds: float) -> nn.Layer:
    """Train a network for some seconds."""
    paddle.seed(0)
    net = task.make()
    samples, labels = generate(task, TRAINING, 1)
    adam = paddle.optimizer.Adam(1e-3, parameters=net.parameters())
    rng = np.random.default_rng(2)
    start = perf_counter()
    while perf_counter() - start < seconds:
        rows = rng.integers(0, TRAINING, 64)
        loss = nn.functional.cross_entropy(
            net(paddle.to_tensor(samples[rows])), paddle.to_tensor(labels[rows])
        )
        loss.backward()
        adam.step()
        adam.clear_grad()
    net.eval()
    return net


class Reader(CalibrationDataReader):  # type: ignore[misc]
    """The calibration samples, one after the other."""

    def __init__(self, samples: Any) -> None:
        self._rows = iter(samples)

    def get_next(self) -> dict[str, Any] | None:
        """Return the next inputs; None at the end."""
        row = next(self._rows, None)
        return None if row is None else {"x": row[None]}


def quantize_with_oarlock(prefix: Path, task: Task, method: str, calibration: Path) -> Path:
    """Return the ONNX file of the quantized model."""
    files = read_model(prefix)
    data = load_calibration_data(calibration, Engine(files.pdmodel, files.params_path), "y")
    result = quantize_model(files, data, QuantizationSettings(method), lambda *_: None)
    for layer in result.report.layers:
        if layer.reason:
            print(f"  {task.name} {method}: {layer.name} remains float: {layer.reason}")
    target = prefix.with_name(f"{prefix.name}_{method}")
    write_model(files, result.model, target, data.sample)
    output = target.with_suffix(".onnx")
    export_model(str(target), output, "onnx", ExportOptions(inline=True))
    return output


def quantize_with_ort(prefix: Path, samples: Any) -> dict[str, Path]:
    """Return the files of ONNX Runtime's static and dynamic quantization."""
    source, prepared = prefix.with_suffix(".onnx"), prefix.with_suffix(".prepared.onnx")
    quant_pre_process(str(source), str(prepared), skip_symbolic_shape=True)
    static, dynamic = (
        prefix.with_suffix(".ort_static.onnx"),
        prefix.with_suffix(".ort_dynamic.onnx"),
    )
    quantize_static(
        str(prepared),
        str(static),
        Reader(samples),
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


def compare(task: Task, files: dict[str, Path]) -> None:
    """Print one row per file: accuracy, signal-to-noise ratio, size and time."""
    samples, labels = generate(task, TEST, 3)
    sessions = {name: open_session(path) for name, path in files.items()}
    times: dict[str, list[float]] = {name: [] for name in files}
    names = list(files)
    for i in range(ROUNDS):
        for name in names[i % len(names) :] + names[: i % len(names)]:
            start = perf_counter()
            sessions[name].run(None, {"x": samples[i : i + 1]})
            times[name].append(perf_counter() - start)
    exact = sessions["float"].run(None, {"x": samples})[0]
    for name, session in sessions.items():
        scores = session.run(None, {"x": samples})[0]
        total = SignalToNoise()
        total.add(exact, scores)
        accuracy = 100 * float((scores.argmax(1) == labels).mean())
        size = files[name].stat().st_size
        snr = "" if name == "float" else f"{total.decibels():.1f} dB"
        median = 1e6 * statistics.median(times[name])
        ratio = size / files["float"].stat().st_size
        print(
            f"| {task.name} | {name} | {accuracy:.2f} % | {snr} | {size / 1e3:,.0f} kB "
            f"({ratio:.2f}) | {median:,.0f} us |"
        )


def main() -> None:
    """Train, quantize and compare."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--seconds", type=float, default=45, help="of training per network")
    arguments = parser.parse_args()
    folder = arguments.folder or Path(tempfile.mkdtemp(prefix="quantization-"))
    folder.mkdir(parents=True, exist_ok=True)
    print("| network | model | accuracy | SNR | file | time |\n|---|---|---|---|---|---|")
    for task in TASKS:
        net = train(task, arguments.seconds)
        prefix = folder / task.name.lower()
        spec = [paddle.static.InputSpec([None, *task.shape], "float32", "x")]
        paddle.jit.save(net, str(prefix), input_spec=spec)
        samples, labels = generate(task, CALIBRATION, 4)
        calibration = folder / f"{task.name.lower()}.npz"
        np.savez(calibration, x=samples, y=labels)
        source = prefix.with_suffix(".onnx")
        export_model(str(prefix), source, "onnx", ExportOptions(inline=True))
        files = {"float": source}
        for method in dict.fromkeys(("ptq", task.method)):
            files[f"oarlock {method}"] = quantize_with_oarlock(prefix, task, method, calibration)
        compare(task, files | quantize_with_ort(prefix, samples))


if __name__ == "__main__":
    main()
