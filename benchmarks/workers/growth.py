"""One task of `benchmarks/growth.py`: measure the steps of a task on a model of a given size, and
print their CPU times, elapsed times and growth of memory as JSON.

growth.py TASK MODEL SIZE FOLDER; the task `save` writes the model files to FOLDER, and `load` and
`run` read them.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import oarlock as paddle
from oarlock import nn
from oarlock.loader.engine import Engine
from oarlock.loader.model_files import read_model
from oarlock.onnx.writer import onnx_bytes

MEGABYTE = 2**20


class Chain(nn.Layer):
    """A chain of elementwise ops without parameters."""

    def __init__(self, ops: int) -> None:
        super().__init__()
        self.ops = ops

    def forward(self, x: Any) -> Any:
        """Apply tanh, multiplication and addition in turn."""
        for i in range(self.ops):
            if i % 3 == 0:
                x = paddle.tanh(x)
            elif i % 3 == 1:
                x = x * 0.5
            else:
                x = x + 0.1
        return x


class Layers(nn.Layer):
    """Small linear layers with ReLU: three ops per layer."""

    def __init__(self, ops: int) -> None:
        super().__init__()
        self.layers = nn.LayerList([nn.Linear(4, 4) for _ in range(ops // 3)])

    def forward(self, x: Any) -> Any:
        """Apply the layers."""
        for layer in self.layers:
            x = nn.functional.relu(layer(x))
        return x


def large_layers(megabytes: int) -> nn.Layer:
    """Return four linear layers with `megabytes` of weights in total."""
    width = int((megabytes * MEGABYTE / 16) ** 0.5)
    net = nn.Sequential(*(nn.Linear(width, width, bias_attr=False) for _ in range(4)))
    rng = np.random.default_rng(0)
    for parameter in net.parameters():
        parameter.array = (rng.random((width, width), dtype="float32") - 0.5) / width
    return net


class Loop(nn.Layer):
    """A `while` loop of four ops."""

    def forward(self, x: Any, count: Any) -> Any:
        """Run `count` iterations."""
        i = paddle.zeros([1], "int64")
        y = x
        while i < count:
            y = paddle.tanh(y * 0.5 + x)
            i = i + 1
        return y


class ListLoop(nn.Layer):
    """A `while` loop that appends a tensor to a list in each iteration."""

    def forward(self, x: Any, count: Any) -> Any:
        """Run `count` iterations and return the sum of the list's tensors."""
        i = paddle.zeros([1], "int64")
        y, results = x, []
        while i < count:
            y = paddle.tanh(y * 0.5 + x)
            results.append(y)
            i = i + 1
        return paddle.concat(results, 0).sum()


def small_cnn() -> nn.Layer:
    """Return two convolutions and a linear layer, for images of 3 x 32 x 32."""
    return nn.Sequential(
        nn.Conv2D(3, 16, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Conv2D(16, 32, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(32 * 64, 10),
    )


def mlp() -> nn.Layer:
    """Return a multilayer perceptron for images of 784 pixels."""
    return nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))


# The models of each kind, by name; the shape is that of one image.
LOOPS = {"loop": Loop, "list loop": ListLoop}
IMAGES = {"CNN": (small_cnn, [3, 32, 32]), "MLP": (mlp, [784])}


def build_model(model: str, size: int) -> tuple[nn.Layer, list[Any], list[Any]]:
    """Return the layer with this name, its inputs and its input specifications."""
    paddle.seed(0)
    if model in IMAGES:
        make, shape = IMAGES[model]
        net = make()
        inputs = [paddle.randn([size, *shape])]
        specs = [paddle.static.InputSpec([None, *shape], "float32", "x")]
    elif model in LOOPS:
        net, inputs = LOOPS[model](), [paddle.ones([2, 4]), paddle.full([1], size, "int64")]
        specs = [
            paddle.static.InputSpec([None, 4], "float32", "x"),
            paddle.static.InputSpec([1], "int64", "count"),
        ]
    else:
        makers: dict[str, Callable[[int], nn.Layer]] = {
            "chain": Chain,
            "layers": Layers,
            "weights": large_layers,
        }
        net = makers[model](size)
        width = net[0].weight.shape[0] if model == "weights" else 4
        inputs = [paddle.ones([2, width])]
        specs = [paddle.static.InputSpec([None, width], "float32", "x")]
    net.eval()
    return net, inputs, specs


def resident_megabytes(field: str) -> float:
    """Return VmRSS, RssAnon (the heap) or VmHWM (the largest VmRSS) of /proc/self/status."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    raise ValueError(field)


class Profiler:
    """Measures times and memory of steps; `results` holds them by the name of the step."""

    def __init__(self) -> None:
        self.results: dict[str, dict[str, float]] = {}

    @contextmanager
    def measure(self, name: str, calls: int = 1) -> Iterator[None]:
        """Context manager: measure the `with` body, which makes a number of calls; the times are
        those of one call. Of several measurements with one name, the smallest times and the
        memory of the first are kept.
        """
        gc.collect()  # otherwise collections visit objects of earlier measurements
        # Linux: "5" resets the peak of the resident memory to the current value.
        Path("/proc/self/clear_refs").write_text("5")
        memory, heap = resident_megabytes("VmRSS"), resident_megabytes("RssAnon")
        start, cpu_start = time.perf_counter(), time.process_time()
        yield
        cpu, elapsed = time.process_time() - cpu_start, time.perf_counter() - start
        result = {
            "cpu_s": cpu / calls,
            "elapsed_s": elapsed / calls,
            "peak_mb": resident_megabytes("VmHWM") - memory,
            "heap_mb": resident_megabytes("RssAnon") - heap,
        }
        smallest = self.results.setdefault(name, result)
        for key in ("cpu_s", "elapsed_s"):
            smallest[key] = min(smallest[key], result[key])


def capture(profiler: Profiler, model: str, size: int, prefix: str) -> None:
    """Measure eager calls, a trace, the first calls under `to_static`, and static mode."""
    net, inputs, specs = build_model(model, size)
    with profiler.measure("eager: first call"), paddle.no_grad():
        net(*inputs)
    for _ in range(3):
        with profiler.measure("eager"), paddle.no_grad():
            net(*inputs)
    inputs[0].stop_gradient = False
    for _ in range(3):
        with profiler.measure("eager: forward and backward"):
            net(*inputs).sum().backward()
    with profiler.measure("trace"), paddle.no_grad():
        paddle.jit.TracedLayer.trace(net, inputs)
    static_net = paddle.jit.to_static(build_model(model, size)[0])
    with profiler.measure("to_static: first call"), paddle.no_grad():
        static_net(*inputs)
    static_net = paddle.jit.to_static(build_model(model, size)[0])
    with profiler.measure("to_static: first training step"):
        static_net(*inputs).sum().backward()
    paddle.enable_static()
    del static_net
    with profiler.measure("static mode: build"):
        main = paddle.static.Program()
        with paddle.static.program_guard(main, paddle.static.Program()):
            net(paddle.static.data("x", specs[0].shape))
    paddle.disable_static()


def save(profiler: Profiler, model: str, size: int, prefix: str) -> None:
    """Measure saves with and without verification, and write a small model for `load`."""
    net, _, specs = build_model(model, size)
    for name, verify in (("jit.save: not verified", False), ("jit.save: verified", True)):
        with profiler.measure(name):
            paddle.jit.save(net, prefix, input_spec=specs, verify=verify)
    paddle.jit.save(
        nn.Linear(2, 2), prefix + "-warmup", [paddle.static.InputSpec([None, 2])], verify=False
    )


def load(profiler: Profiler, model: str, size: int, prefix: str) -> None:
    """Measure the load of a saved model, and its conversion to ONNX."""
    paddle.jit.load(prefix + "-warmup")
    with profiler.measure("jit.load"):
        layer = paddle.jit.load(prefix)
    del layer
    files = read_model(prefix)
    with profiler.measure("conversion to ONNX"):
        onnx_bytes(files, Path(f"{prefix}.onnx"), False, 17)


def run(profiler: Profiler, model: str, size: int, prefix: str) -> None:
    """Measure the first and later runs of a saved model in the engine."""
    width = paddle.jit.load(prefix).state_dict()["0.weight"].shape[0] if model == "weights" else 4
    inputs = [paddle.ones([2, width])]
    if model in LOOPS:
        inputs.append(paddle.full([1], size, "int64"))
    layer = paddle.jit.load(prefix)
    layer.eval()
    with paddle.no_grad():
        with profiler.measure("engine: first run"):
            layer(*inputs)
        for _ in range(3):
            with profiler.measure("engine: later run"):
                layer(*inputs)


def loops(profiler: Profiler, model: str, size: int, prefix: str) -> None:
    """Measure a loop: eager calls, programs and the engine."""
    net, inputs, specs = build_model(model, size)
    inputs[0].stop_gradient = False
    static_net = paddle.jit.to_static(LOOPS[model]())
    for name, function in (("eager", net), ("to_static", static_net)):
        function(inputs[0], paddle.ones([1], "int64")).sum().backward()
        for _ in range(3):
            with profiler.measure(f"{name}: forward and backward"):
                function(*inputs).sum().backward()
        with paddle.no_grad():
            function(inputs[0], paddle.ones([1], "int64"))
            for _ in range(3):
                with profiler.measure(f"{name}: forward"):
                    function(*inputs)
    paddle.jit.save(net, prefix, input_spec=specs, verify=False)
    run(profiler, model, size, prefix)


def measure_repeated_calls(profiler: Profiler, name: str, function: Callable[[], object]) -> None:
    """Measure ten times fifty calls, after one that fills caches."""
    with paddle.no_grad():
        function()
        for _ in range(10):
            with profiler.measure(name, calls=50):
                for _ in range(50):
                    function()


def batches(profiler: Profiler, model: str, size: int, prefix: str) -> None:
    """Measure calls with a batch of `size` images, eagerly and in the engine."""
    net, inputs, specs = build_model(model, size)
    paddle.jit.save(net, prefix, input_spec=specs, verify=False)
    layer = paddle.jit.load(prefix)
    layer.eval()
    inputs[0].stop_gradient = True
    for name, function in (("eager", net), ("engine", layer)):
        measure_repeated_calls(profiler, name, partial(function, *inputs))


def threads(profiler: Profiler, model: str, size: int, prefix: str) -> None:
    """Measure calls with a batch of 64 images on `size` threads."""
    net, inputs, specs = build_model(model, 64)
    paddle.jit.save(net, prefix, input_spec=specs, verify=False)
    engine = Engine(Path(f"{prefix}.pdmodel").read_bytes(), f"{prefix}.pdiparams", threads=size)
    paddle.set_num_threads(size)
    array = inputs[0].numpy()
    measure_repeated_calls(profiler, "eager", partial(net, *inputs))
    measure_repeated_calls(profiler, "engine", partial(engine.run, [array]))


TASKS = {
    "capture": capture,
    "save": save,
    "load": load,
    "run": run,
    "loops": loops,
    "batches": batches,
    "threads": threads,
}


def main() -> None:
    """Run the task and print its results."""
    task, model, size, folder = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
    profiler = Profiler()
    prefix = str(Path(folder, f"{model}-{size}".replace(" ", "-")))
    TASKS[task](profiler, model, size, prefix)
    print(json.dumps(profiler.results))


main()
