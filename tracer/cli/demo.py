"""The main job, from training to C++: LeNet on real digits."""

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
from ..loader.engine import library_path
from ..onnx.writer import Wanted
from ..tensor.convert import to_tensor
from ..utils.terminal import console
from .digits import Digits, load_digits
from .model import export_model

Array = Any
terminal = console(highlight=False)
GOOD = 0.97


class LeNet(nn.Layer):
    """LeNet-5 with ReLU and maximum pooling

    (after LeCun et al. 1998).
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
        """Compute the output; the class describes shapes."""
        return self.fc(self.features(image).flatten(1))


class Way(NamedTuple):
    """One way to run the model: its name, logits [N, 10] of the test images, seconds per image
    alone, seconds to load, files.
    """

    name: str
    logits: Array
    seconds: float
    load: float
    files: tuple[str, ...]


def train(model: LeNet, digits: Digits, epochs: int) -> list[float]:
    """Train with Adam; gives the loss of every step."""
    data = io.TensorDataset([digits.images, digits.labels])
    loader = io.DataLoader(data, batch_size=32, shuffle=True)
    steps = epochs * len(loader)
    rate = optimizer.lr.CosineAnnealingDecay(2e-3, T_max=steps)
    adam = optimizer.Adam(rate, parameters=model.parameters())
    loss_of = nn.CrossEntropyLoss()
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
                loss = loss_of(model(image), label)
                loss.backward()
                adam.step()
                adam.clear_grad()
                rate.step()
                losses.append(loss.item())
                progress.update(task, advance=1, loss=losses[-1])
    return losses


def per_image(call: Callable[[Array], Any], images: Array, repeat: int = 200) -> float:
    """The median of seconds for one image at a time."""
    times = []
    for i in range(repeat):
        one = images[i % len(images)][None]
        start = perf_counter()
        call(one)
        times.append(perf_counter() - start)
    return float(np.median(times))


def eager_way(model: LeNet, images: Array) -> Way:
    """The layer itself."""

    def call(array: Array) -> Array:
        with no_grad():
            return model(Tensor(array)).array

    return Way("eager", call(images), per_image(call, images), 0.0, ())


def traced_way(model: LeNet, images: Array, prefix: str) -> Way:
    """TracedLayer, also saved."""
    start = perf_counter()
    _, traced = jit.TracedLayer.trace(model, [to_tensor(images[:1])])
    traced([images[:1]])
    load = perf_counter() - start
    traced.save_inference_model(prefix)
    files = (prefix + ".pdmodel", prefix + ".pdiparams")
    return Way(
        "TracedLayer", traced([images])[0], per_image(lambda a: traced([a]), images), load, files
    )


def translated_way(images: Array, prefix: str) -> Way:
    """jit.load of what jit.save wrote."""
    start = perf_counter()
    layer = jit.load(prefix)
    layer(images[:1])
    load = perf_counter() - start
    files = tuple(prefix + suffix for suffix in (".pdmodel", ".pdiparams", ".pdiparams.info"))
    return Way("TranslatedLayer", layer(images).array, per_image(layer, images), load, files)


def runner_path() -> str:
    """Where oarlock-runner is.   Raises OarlockError where it is not installed."""
    for folder in (sysconfig.get_path("scripts"), os.path.dirname(sys.executable), None):
        found = shutil.which("oarlock-runner", path=folder)
        if found:
            return found
    raise OarlockError("oarlock-runner is not installed beside this Python")


def runner_way(images: Array, prefix: str) -> Way:
    """The C++ runner, a process of its own."""
    program = runner_path()
    given, made = f"{prefix}.test.npz", f"{prefix}.result.npz"
    np.savez(given, in0=images)
    environment = {**os.environ, "OARLOCK_ORT_LIBRARY": library_path()}
    _call([program, "run", prefix, "--input", given, "--output", made], environment)
    timed = json.loads(_call([program, "bench", prefix, "--json", "--repeat", "200"], environment))
    with np.load(made) as found:
        logits = found[found.files[0]]
    for path in (given, made):
        os.remove(path)
    return Way(
        "oarlock-runner (C++)",
        logits,
        timed["p50_ms"] / 1e3,
        timed["load_ms"] / 1e3,
        (prefix + ".pdmodel", prefix + ".pdiparams"),
    )


def _call(command: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise OarlockError(
            f"demo: {' '.join(map(os.path.basename, command[:2]))} failed: {done.stderr.strip()}"
        )
    return done.stdout


def onnx_way(images: Array, prefix: str) -> Way:
    """The exported ONNX in ONNX Runtime's own Python package."""
    import onnxruntime  # noqa: PLC0415 - large; needed only here

    path = Path(prefix + ".onnx")
    export_model(prefix, path, "onnx", Wanted())
    start = perf_counter()
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    session.run(None, {name: images[:1]})
    load = perf_counter() - start
    seconds = per_image(lambda a: session.run(None, {name: a}), images)
    return Way(
        "ONNX (onnxruntime)",
        session.run(None, {name: images})[0],
        seconds,
        load,
        (str(path), prefix + ".pdiparams"),
    )


def accuracy_of(logits: Array, labels: Array) -> float:
    """The share of right answers.   logits [N, 10], labels [N, 1]"""
    return float((logits.argmax(1) == labels[:, 0]).mean())


def table_of(ways: list[Way], labels: Array) -> Table:
    """All ways side by side."""
    table = Table("way", title="The same held-out digits, five ways", title_style="bold")
    for heading in ("accuracy", "max difference", "one image", "load", "files"):
        table.add_column(heading, justify="right")
    for way in ways:
        off = float(np.abs(way.logits - ways[0].logits).max())
        size = sum(os.path.getsize(f) for f in way.files)
        table.add_row(
            way.name,
            f"{100 * accuracy_of(way.logits, labels):.2f} %",
            f"{off:.1e}" if way is not ways[0] else "",
            f"{1e6 * way.seconds:.0f} us",
            f"{1e3 * way.load:.1f} ms" if way.load else "",
            f"{size / 1e3:.0f} kB" if size else "",
        )
    return table


def run_demo(out: Path, epochs: int, seed: int) -> None:
    """Train, save, verify, load and compare; write the loss curve and some predictions as
    pictures.
    """
    from .plots import draw_losses, draw_predictions  # noqa: PLC0415

    out.mkdir(parents=True, exist_ok=True)
    set_seed(seed)
    digits = load_digits(seed)
    terminal.print(f"{len(digits.images)} digits to learn from, {len(digits.test_images)} held out")
    model = LeNet()
    start = perf_counter()
    losses = train(model, digits, epochs)
    seconds = perf_counter() - start
    model.eval()
    eager = eager_way(model, digits.test_images)
    found = accuracy_of(eager.logits, digits.test_labels)
    terminal.print(
        f"trained for {len(losses)} steps in {seconds:.1f} s: {100 * found:.2f} % of the "
        f"held-out digits are right"
    )
    prefix = str(out / "lenet")
    jit.save(model, prefix, input_spec=[InputSpec([None, 1, 28, 28], "float32", "image")])
    layer = jit.load(prefix)
    contract = layer.program().contract
    terminal.print(
        f"saved {prefix}.pdmodel, .pdiparams, .pdiparams.info; verified "
        f"{contract.verified if contract else ''}"
    )
    ways = [
        eager,
        traced_way(model, digits.test_images, str(out / "lenet_traced")),
        translated_way(digits.test_images, prefix),
        runner_way(digits.test_images, prefix),
        onnx_way(digits.test_images, prefix),
    ]
    terminal.print(table_of(ways, digits.test_labels))
    draw_losses(losses, out / "loss.png")
    draw_predictions(digits.test_images, digits.test_labels, eager.logits, out / "predictions.png")
    terminal.print(f"pictures: {out / 'loss.png'}, {out / 'predictions.png'}")
    if found < GOOD:
        raise OarlockError(
            f"demo: {100 * found:.2f} % is less than the {100 * GOOD:.0f} % that LeNet "
            f"should reach; try more --epochs"
        )
