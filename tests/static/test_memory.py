"""Compiled programs free arrays after their last use, in runs and in backward passes."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.compiler import CompiledProgram
from oarlock.jit import to_static
from oarlock.static import InputSpec


def peak(run: Callable[[], Any]) -> int:
    """Return the peak memory in bytes of the second call."""
    run()
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def chain(x: Any) -> Any:
    for _ in range(30):
        x = nn.functional.softmax(paddle.matmul(x, x) * 0.001) + x
    return x.sum()


def loop(x: Any) -> Any:
    i = paddle.zeros([], "int64")
    while i < 30:
        x = nn.functional.softmax(paddle.matmul(x, x) * 0.001) + x
        i = i + 1
    return x.sum()


def neighbors(x: Any) -> Any:
    for _ in range(30):
        x = paddle.tanh(x) + paddle.exp(x * 0.01)
    return x


@pytest.mark.parametrize(("function", "arrays"), [(chain, 3), (loop, 3), (neighbors, 1)])
def test_number_of_live_arrays(function: Callable[..., Any], arrays: int) -> None:
    recording = to_static(function, [InputSpec([256, 256])]).concrete_program.captured_program
    compiled = CompiledProgram(recording.program)
    x = np.random.default_rng(0).standard_normal((256, 256)).astype("float32")
    assert (
        peak(lambda: compiled.run(recording.scope, {compiled.feeds[0]: x}))
        < (arrays + 0.5) * x.nbytes
    )


class Deep(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.LayerList([nn.Linear(64, 64) for _ in range(12)])

    def forward(self, x: Any) -> Any:
        for layer in self.layers:
            x = nn.functional.relu(layer(x))
        return x.mean()


def test_step_needs_less_memory_than_eager() -> None:
    x = paddle.ones([2048, 64])

    def step(net: nn.Layer) -> None:
        net.clear_gradients()
        net(x).backward()

    eager, static = Deep(), to_static(Deep())
    assert peak(lambda: step(static)) < 0.6 * peak(lambda: step(eager))
