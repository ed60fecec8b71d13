"""Recording, compiling, saving and loading a program take work proportional to its number of ops.

The tests count the lines of Python that run in each file, the variables that a checkpoint reads, and
garbage collections, because times depend on the load of the machine.
"""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.capture.recorder import Recorder
from oarlock.core.garbage_collection import without_full_collections
from oarlock.core.op import Meta

ROOT = str(Path(__file__).parents[2])


class Layers(nn.Layer):
    """A chain of small layers."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.layers = nn.LayerList([nn.Linear(2, 2) for _ in range(count)])

    def forward(self, x: Any) -> Any:
        for layer in self.layers:
            x = nn.functional.relu(layer(x))
        return x


def lines_by_file(function: Callable[[], object]) -> Counter[str]:
    """Call a function and count the lines that run in each file of the project; the lines of a
    comprehension count once per item.
    """
    lines: Counter[str] = Counter()

    def trace_line(frame: FrameType, event: str, arg: object) -> Any:
        lines[frame.f_code.co_filename] += 1
        return trace_line

    def trace_call(frame: FrameType, event: str, arg: object) -> Any:
        return trace_line if frame.f_code.co_filename.startswith(ROOT) else None

    before = sys.gettrace()
    sys.settrace(trace_call)
    try:
        function()
    finally:
        sys.settrace(before)
    return lines


def trace(net: Layers, folder: Path) -> None:
    """Trace the layers."""
    net.eval()
    paddle.jit.TracedLayer.trace(net, [paddle.ones([2, 2])])


def train(net: Layers, folder: Path) -> None:
    """Run a training step under `to_static`."""
    paddle.jit.to_static(net)(paddle.ones([2, 2])).sum().backward()
    assert net.layers[0].weight.grad is not None


def train_in_static_mode(net: Layers, folder: Path) -> None:
    """Build a static program with gradients and run it."""
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            loss = Layers(len(net.layers))(paddle.static.data("x", [None, 2])).sum()
            paddle.optimizer.SGD(0.1).minimize(loss)
        executor = paddle.static.Executor()
        executor.run(startup)
        executor.run(main, feed={"x": np.ones((2, 2), "float32")}, fetch_list=[loss])
    finally:
        paddle.disable_static()


def save_and_load(net: Layers, folder: Path) -> None:
    """Save the layers with verification, load the files, and run them in the engine."""
    net.eval()
    spec = paddle.static.InputSpec([None, 2], "float32", "x")
    paddle.jit.save(net, str(folder / "net"), input_spec=[spec])
    layer = paddle.jit.load(str(folder / "net"))
    layer.eval()
    with paddle.no_grad():
        layer(paddle.ones([2, 2]))


@pytest.mark.parametrize("task", [trace, train, train_in_static_mode, save_and_load])
def test_lines_grow_linearly(task: Callable[[Layers, Path], None], tmp_path: Path) -> None:
    """In each file, the third 20 layers run about as many lines as the second 20."""
    task(Layers(3), tmp_path)  # imports modules and fills caches
    nets = [Layers(count) for count in (20, 40, 60)]
    small, middle, large = (lines_by_file(partial(task, net, tmp_path)) for net in nets)
    assert sum(large.values()) > sum(small.values()) > 0
    growth = {
        name.removeprefix(ROOT): (middle[name] - small[name], lines - middle[name])
        for name, lines in large.items()
    }
    faster = {name: pair for name, pair in growth.items() if pair[1] > 1.1 * pair[0] + 30}
    assert not faster


def append(x: Any, count: Any) -> Any:
    """Append to a list in each iteration."""
    i, y, results = paddle.zeros([1], "int64"), x, []
    while i < count:
        y = paddle.tanh(y * 0.5 + x)
        results.append(y)
        i = i + 1
    return paddle.concat(results).sum()


def append_and_read_last(x: Any, count: Any) -> Any:
    """Append to a list in each iteration, and read its last element."""
    i, results = paddle.zeros([1], "int64"), [x]
    while i < count:
        results.append(paddle.tanh(results[-1] * 0.5 + x))
        i = i + 1
    return results[-1].sum()


def append_and_read_in_other_loop(x: Any, count: Any) -> Any:
    """Append to a list in a loop, and read its elements in another loop."""
    i, results = paddle.zeros([1], "int64"), [x]
    while i < count:
        results.append(x * i.astype("float32"))
        i = i + 1
    i, total = paddle.zeros([1], "int64"), paddle.zeros([2])
    while i < count:
        total = total + results[i]
        i = i + 1
    return total.sum()


def replace(x: Any, count: Any) -> Any:
    """Append to a list in a loop, and replace its elements in another loop."""
    i, results = paddle.zeros([1], "int64"), [x]
    while i < count:
        results.append(x)
        i = i + 1
    i = paddle.zeros([1], "int64")
    while i < count:
        results[i] = results[i] * 2.0
        i = i + 1
    return paddle.concat(results).sum()


@pytest.mark.parametrize(
    "function", [append, append_and_read_last, append_and_read_in_other_loop, replace]
)
def test_lists_in_loops_take_linear_work(function: Callable[..., Any]) -> None:
    """The number of lines that the forward and backward passes run is proportional to the number of
    iterations.
    """
    program = paddle.jit.to_static(function)
    x = paddle.ones([2])
    x.stop_gradient = False

    def step(count: int) -> Any:
        x.clear_grad()
        result = program(x, paddle.full([1], count, "int64"))
        result.backward()
        return result

    step(2)  # compiles the program
    small, middle, large = (
        sum(lines_by_file(partial(step, count)).values()) for count in (20, 40, 60)
    )
    assert middle > small
    assert large - middle <= 1.1 * (middle - small) + 30
    np.testing.assert_allclose(step(20).numpy(), function(x, paddle.full([1], 20, "int64")).numpy())


class CountingDict(dict[str, Any]):
    """A dict that counts the keys which iterations read."""

    num_read = 0

    def _count(self, keys: Iterator[str]) -> Iterator[str]:
        for key in keys:
            self.num_read += 1
            yield key

    def __iter__(self) -> Iterator[str]:
        return self._count(super().__iter__())

    def __reversed__(self) -> Iterator[str]:
        return self._count(super().__reversed__())

    def items(self) -> Any:
        """The items, counted as keys."""
        return [(key, self[key]) for key in self]


@pytest.mark.parametrize("count", [10, 1000])
def test_rewinding_reads_new_variables_only(count: int) -> None:
    """A checkpoint reads no variable, and rewinding reads those that were declared since."""
    recorder, meta = Recorder(), Meta((2,), np.dtype("float32"))
    variables = recorder.block.vars = CountingDict()
    for i in range(count):
        recorder.declare(f"before_{i}", meta)
    mark = recorder.checkpoint()
    recorder.declare("after", meta)
    recorder.declare("weight", meta, persistable=True)
    recorder.declare("before_3", meta)  # declared again
    recorder.declare("last", meta)
    recorder.rewind(mark)
    assert variables.num_read == 3
    assert recorder.block.vars.keys() == {*(f"before_{i}" for i in range(count)), "weight"}


def collections_by_suspension(function: Callable[[], object]) -> Counter[bool]:
    """Call a function and count the garbage collections of new objects, by whether full
    collections are suspended.
    """
    counts: Counter[bool] = Counter()

    def count(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            counts[gc.get_threshold()[2] != before[2]] += 1

    before = gc.get_threshold()
    gc.set_threshold(50, *before[1:])
    gc.callbacks.append(count)
    try:
        function()
        assert gc.get_threshold()[1:] == before[1:]
    finally:
        gc.callbacks.remove(count)
        gc.set_threshold(*before)
    return counts


@pytest.mark.parametrize("task", [trace, train, save_and_load])
def test_full_collections_are_suspended(
    task: Callable[[Layers, Path], None], tmp_path: Path
) -> None:
    """Full collections are suspended while 19 of 20 new objects are created, at least."""
    task(Layers(3), tmp_path)  # imports modules and fills caches
    counts = collections_by_suspension(partial(task, Layers(80), tmp_path))
    assert counts[True] > 80
    assert counts[False] < counts[True] / 20


def test_suspension_nests_and_keeps_thresholds_of_other_code() -> None:
    """Nested suspensions end with the outermost one, also after an error, and a threshold that other
    code set meanwhile stays.
    """
    before = gc.get_threshold()
    try:
        with without_full_collections():
            with suppress(KeyError), without_full_collections():
                raise KeyError
            assert gc.get_threshold()[2] > before[2]
        assert gc.get_threshold() == before
        with without_full_collections():
            gc.set_threshold(600, 7, 8)
        assert gc.get_threshold() == (600, 7, 8)
    finally:
        gc.set_threshold(*before)
