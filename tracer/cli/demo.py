"""`oarlock demo`: train LeNet on digits, save it, and compare five ways to run it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from .. import io, jit, nn, optimizer
from ..core.autograd import no_grad
from ..core.errors import OarlockError
from ..core.rng import seed as set_seed
from ..core.tensor import Tensor
from ..ir.input_spec import InputSpec
from ..loader.engine import ort_library_path
from ..onnx.writer import ExportOptions
from ..tensor.convert import to_tensor
from ..utils.terminal import make_console
from .digits import TrainAndTestDigits, load_train_and_test_digits
from .model import export_model

Array = Any
terminal = make_console(highlight=False)
MIN_ACCURACY = 0.97


class LeNet(nn.Layer):
    """LeNet-5 (LeCun et al. 1998) with ReLU and max pooling.

    image [N, 1, 28, 28] -> logits [N, 10]
    """

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2D(1, 6, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2D(2, 2),
            nn.Conv2D(6, 16, 5),
            nn.ReLU(),
            nn.MaxPool2D(2, 2),
        )
        self.fc = nn.Sequential(
            nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10)
        )

    def forward(self, image: Tensor) -> Tensor:
        """Compute the logits."""
        return self.fc(self.features(image).flatten(1))


class BackendResult(NamedTuple):
    """The result of running the model with one backend.

    logits: [N, 10], of the test images.
    seconds: of a run with one image.
    load: seconds.
    """

    name: str
    logits: Array
    seconds: float
    load: float
    files: tuple[str, ...]


def train(model: LeNet, digits: TrainAndTestDigits, epochs: int) -> list[float]:
    """Train with Adam. Returns the loss of each training step."""
    data = io.TensorDataset([digits.images, digits.labels])
    loader = io.DataLoader(data, batch_size=32, shuffle=True)
    steps = epochs * len(loader)
    rate = optimizer.lr.CosineAnnealingDecay(2e-3, T_max=steps)
    adam = optimizer.Adam(rate, parameters=model.parameters())
    criterion = nn.CrossEntropyLoss()
    losses: list[float] = []
    columns = (
        TextColumn("training"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("loss {task.fields[loss]:.4f}"),
    )
    with Progress(*columns, console=terminal) as progress:
        task = progress.add_task("", total=steps, loss=float("nan"))
        for _ in range(epochs):
            for image, label in loader:
                loss = criterion(model(image), label)
                loss.backward()
                adam.step()
                adam.clear_grad()
                rate.step()
                losses.append(loss.item())
                progress.update(task, advance=1, loss=losses[-1])
    return losses


def measure_median_time_per_image(
    call: Callable[[Array], Any], images: Array, repeat: int = 200
) -> float:
    """Return the median time of a call with one image, in seconds."""
    times = []
    for i in range(repeat):
        image = images[i % len(images)][None]
        start = perf_counter()
        call(image)
        times.append(perf_counter() - start)
    return float(np.median(times))


def run_eager(model: LeNet, images: Array) -> BackendResult:
    """Run the layer eagerly."""

    def call(array: Array) -> Array:
        with no_grad():
            return model(Tensor(array)).array

    return BackendResult(
        "eager", call(images), measure_median_time_per_image(call, images), 0.0, ()
    )


def time_traced_layer_and_save(model: LeNet, images: Array, prefix: str) -> BackendResult:
    """Trace the model, measure the times of the TracedLayer, and save the TracedLayer at
    `prefix`.
    """
    start = perf_counter()
    _, traced = jit.TracedLayer.trace(model, [to_tensor(images[:1])])
    traced([images[:1]])
    load = perf_counter() - start
    traced.save_inference_model(prefix)
    files = (prefix + ".pdmodel", prefix + ".pdiparams")
    return BackendResult(
        "TracedLayer",
        traced([images])[0],
        measure_median_time_per_image(lambda a: traced([a]), images),
        load,
        files,
    )


def load_and_run_translated_layer(images: Array, prefix: str) -> BackendResult:
    """Load the files of `jit.save` with `jit.load` and run them."""
    start = perf_counter()
    layer = jit.load(prefix)
    layer(images[:1])
    load = perf_counter() - start
    files = tuple(prefix + suffix for suffix in (".pdmodel", ".pdiparams", ".pdiparams.info"))
    return BackendResult(
        "TranslatedLayer",
        layer(images).array,
        measure_median_time_per_image(layer, images),
        load,
        files,
    )


def runner_path() -> str:
    """Return the path of oarlock-runner. Raises OarlockError if oarlock-runner is not installed."""
    for folder in (sysconfig.get_path("scripts"), os.path.dirname(sys.executable), None):
        path = shutil.which("oarlock-runner", path=folder)
        if path:
            return path
    raise OarlockError("oarlock-runner is neither installed with this Python nor in PATH")


def run_cpp_runner(images: Array, prefix: str) -> BackendResult:
    """Run the saved files with the C++ program oarlock-runner in a separate process."""
    program = runner_path()
    input_path, output_path = f"{prefix}.test.npz", f"{prefix}.result.npz"
    np.savez(input_path, in0=images)
    environment = {**os.environ, "OARLOCK_ORT_LIBRARY": ort_library_path()}
    _run_subprocess_and_get_stdout(
        [program, "run", prefix, "--input", input_path, "--output", output_path], environment
    )
    times = json.loads(
        _run_subprocess_and_get_stdout(
            [program, "bench", prefix, "--json", "--repeat", "200"], environment
        )
    )
    with np.load(output_path) as arrays:
        logits = arrays[arrays.files[0]]
    for path in (input_path, output_path):
        os.remove(path)
    return BackendResult(
        "oarlock-runner (C++)",
        logits,
        times["p50_ms"] / 1e3,
        times["load_ms"] / 1e3,
        (prefix + ".pdmodel", prefix + ".pdiparams"),
    )


def _run_subprocess_and_get_stdout(command: list[str], environment: dict[str, str]) -> str:
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if process.returncode:
        name = " ".join(map(os.path.basename, command[:2]))
        raise OarlockError(f"demo: {name} failed: {process.stderr.strip()}")
    return process.stdout


def export_and_run_onnx(images: Array, prefix: str) -> BackendResult:
    """Export to ONNX and run the file with the package onnxruntime."""
    import onnxruntime  # noqa: PLC0415 - large; used only here

    path = Path(prefix + ".onnx")
    export_model(prefix, path, "onnx", ExportOptions())
    start = perf_counter()
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    session.run(None, {name: images[:1]})
    load = perf_counter() - start
    seconds = measure_median_time_per_image(lambda a: session.run(None, {name: a}), images)
    return BackendResult(
        "ONNX (onnxruntime)",
        session.run(None, {name: images})[0],
        seconds,
        load,
        (str(path), prefix + ".pdiparams"),
    )


def compute_accuracy(logits: Array, labels: Array) -> float:
    """Return the share of correct predictions.  logits [N, 10], labels [N, 1]"""
    return float((logits.argmax(1) == labels[:, 0]).mean())


def comparison_table(results: list[BackendResult], labels: Array) -> Table:
    """Return a table of the results of the backends. The column of differences compares the logits
    of each backend with those of the first one.
    """
    table = Table("backend", title="The same test digits with five backends", title_style="bold")
    for heading in ("accuracy", "max difference", "one image", "load", "files"):
        table.add_column(heading, justify="right")
    for result in results:
        difference = float(np.abs(result.logits - results[0].logits).max())
        size = sum(os.path.getsize(f) for f in result.files)
        table.add_row(
            result.name,
            f"{100 * compute_accuracy(result.logits, labels):.2f} %",
            f"{difference:.1e}" if result is not results[0] else "",
            f"{1e6 * result.seconds:.0f} us",
            f"{1e3 * result.load:.1f} ms" if result.load else "",
            f"{size / 1e3:.0f} kB" if size else "",
        )
    return table


def run_demo(out: Path, epochs: int, seed: int) -> None:
    """Train a model, save and verify it, run it with five backends, and compare their results; plot
    the loss curve and some predictions.
    """
    from .plots import plot_losses, plot_predictions  # noqa: PLC0415

    out.mkdir(parents=True, exist_ok=True)
    set_seed(seed)
    digits = load_train_and_test_digits(seed)
    terminal.print(
        f"{len(digits.images)} digits for training, {len(digits.test_images)} for testing"
    )
    model = LeNet()
    start = perf_counter()
    losses = train(model, digits, epochs)
    seconds = perf_counter() - start
    model.eval()
    eager = run_eager(model, digits.test_images)
    accuracy = compute_accuracy(eager.logits, digits.test_labels)
    terminal.print(
        f"trained for {len(losses)} steps in {seconds:.1f} s; test accuracy {100 * accuracy:.2f} %"
    )
    prefix = str(out / "lenet")
    jit.save(model, prefix, input_spec=[InputSpec([None, 1, 28, 28], "float32", "image")])
    layer = jit.load(prefix)
    contract = layer.program().contract
    terminal.print(
        f"saved {prefix}.pdmodel, .pdiparams, .pdiparams.info; verified "
        f"{contract.verified if contract else ''}"
    )
    results = [
        eager,
        time_traced_layer_and_save(model, digits.test_images, str(out / "lenet_traced")),
        load_and_run_translated_layer(digits.test_images, prefix),
        run_cpp_runner(digits.test_images, prefix),
        export_and_run_onnx(digits.test_images, prefix),
    ]
    terminal.print(comparison_table(results, digits.test_labels))
    plot_losses(losses, out / "loss.png")
    plot_predictions(digits.test_images, digits.test_labels, eager.logits, out / "predictions.png")
    terminal.print(f"plots: {out / 'loss.png'}, {out / 'predictions.png'}")
    if accuracy < MIN_ACCURACY:
        raise OarlockError(
            f"demo: the test accuracy {100 * accuracy:.2f} % is below {100 * MIN_ACCURACY:.0f} %; "
            f"try more --epochs"
        )
