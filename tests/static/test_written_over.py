"""Kernels overwrite operands that are not read again; results are bitwise equal, whoever shares an
array.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.compiler import CompiledProgram, buffer_reuse
from oarlock.core import native
from oarlock.core.op import OPS
from oarlock.jit import to_static
from oarlock.static import InputSpec

from .test_memory import peak

pytestmark = pytest.mark.skipif(
    native.kernels_module is None, reason="built without compiled kernels"
)
F = nn.functional
SHAPE = [64, 128]  # large enough for its memory to be given back early
ONE: dict[str, Callable[[Any], Any]] = {
    "add": lambda x: x + 1.5, "tanh": paddle.tanh, "relu": F.relu, "softmax": F.softmax, "softmax first": lambda x: F.softmax(x, 0),
    "log_softmax": F.log_softmax, "sin": paddle.sin, "log": lambda x: paddle.log(x.abs() + 0.5), "floor": lambda x: paddle.floor(x * 8),
    "clip": lambda x: paddle.clip(x, -0.5, 0.7), "leaky": F.leaky_relu, "hard": F.hardswish, "gelu": F.gelu, "assign": paddle.assign,
    "reshape": lambda x: x.reshape([128, 64]).reshape(SHAPE), "transpose": lambda x: x.reshape([128, 64]).t(),
    "slice": lambda x: paddle.concat([x[:32], x[:32]]), "half": lambda x: x.astype("float64").astype("float32"),
    "product": lambda x: paddle.matmul(x, x, transpose_y=True)[:, :64].tile([1, 2]) * 0.01,
}  # fmt: skip
TWO: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda x, y: x + y, "product of each": lambda x, y: x * y, "ratio": lambda x, y: x / (y.abs() + 1), "largest": paddle.maximum,
    "where": lambda x, y: paddle.where(x > y, x, y), "row": lambda x, y: x - y[:1], "list": lambda x, y: paddle.add_n([x, y, x]),
}  # fmt: skip


@contextmanager
def off() -> Iterator[None]:
    """Programs that are compiled in the body write over nothing."""
    before, buffer_reuse.UNSHARED_REFCOUNT = buffer_reuse.UNSHARED_REFCOUNT, 0
    try:
        yield
    finally:
        buffer_reuse.UNSHARED_REFCOUNT = before


def random_function(seed: int) -> Callable[[Any, Any, Any], Any]:
    """Return a function of two arrays and a number that applies random ops, also in branches and
    loops.
    """
    rng = random.Random(seed)
    words = [
        (rng.random(), rng.choice([*ONE, *TWO]), rng.random(), rng.random())
        for _ in range(rng.randint(6, 20))
    ]
    wanted = [rng.random() for _ in range(2)]

    def at(held: list[Any], place: float) -> Any:
        return held[-1 - int(place * place * len(held))]

    def step(held: list[Any], word: str, x: float, y: float) -> Any:
        return ONE[word](at(held, x)) if word in ONE else TWO[word](at(held, x), at(held, y))

    def branch(held: list[Any], word: str, x: float, y: float) -> Any:
        cond = paddle.static.nn.cond
        return cond(
            at(held, y).sum() > 0, lambda: step(held, word, x, y) * 1.0, lambda: at(held, x) * 2
        )

    def rounds(held: list[Any], k: Any, word: str, x: float, y: float) -> Any:
        body = lambda i, v: (i + 1, step([*held, v], word, x, y) * 1.0)
        return paddle.static.nn.while_loop(lambda i, v: i < k, body, [k * 0, at(held, x)])[1]

    def function(a: Any, b: Any, k: Any) -> Any:
        held = [a, b]
        for kind, *rest in words:
            held.append(
                branch(held, *rest)
                if kind < 0.1
                else rounds(held, k, *rest)
                if kind < 0.2
                else step(held, *rest)
            )
        return (*(at(held, place) for place in wanted), held[-1])

    return function


def arrays() -> list[Any]:
    source = np.random.default_rng(0)
    return [source.standard_normal(SHAPE).astype("float32") for _ in range(2)] + [
        np.array(3, "int64")
    ]


SPECS = [
    InputSpec(SHAPE, "float32", "a"),
    InputSpec(SHAPE, "float32", "b"),
    InputSpec([], "int64", "k"),
]


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_are_bitwise_equal(seed: int) -> None:
    recording = to_static(random_function(seed), SPECS).concrete_program.captured_program
    feed = dict(zip("abk", arrays(), strict=True))
    compiled = CompiledProgram(recording.program)
    with off():
        plain = CompiledProgram(recording.program)
    wanted = plain.run(recording.scope, {n: v.copy() for n, v in feed.items()})
    for _ in range(2):
        for found, want in zip(compiled.run(recording.scope, feed), wanted, strict=True):
            np.testing.assert_array_equal(found, want)
    for array, before in zip(feed.values(), arrays(), strict=True):
        np.testing.assert_array_equal(array, before)


@pytest.mark.parametrize("seed", range(100, 120))
def test_gradients_are_bitwise_equal(seed: int) -> None:
    def step(on: bool) -> list[Any]:
        a, b, k = (paddle.to_tensor(v, stop_gradient=v.ndim == 0) for v in arrays())
        static = to_static(random_function(seed))
        sum((out * out).mean() for out in static(a, b, k)).backward()
        return [None if t.grad is None else t.grad.numpy() for t in (a, b)]

    with off():
        wanted = step(False)
    for found, want in zip(step(True), wanted, strict=True):
        np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize(
    "name",
    [
        n
        for n, function in buffer_reuse.OUT_FUNCTIONS.items()
        if function is not native.return_not_implemented
    ],
)
def test_in_place_function_equals_op(name: str) -> None:
    op = OPS[name]
    source = np.random.default_rng(0)
    given = [
        source.uniform(0.1, 0.9, (64, 65)).astype("float32") + (name == "acosh")
        for _ in range(len(op.ins))
    ]
    wanted = op.kernel(*given)
    call = native.compiled_function_or_placeholder("InPlaceKernel")(
        buffer_reuse.OUT_FUNCTIONS[name], [0], buffer_reuse.UNSHARED_REFCOUNT
    )
    x, rest = given.pop(0), given
    place, held = x.ctypes.data, [x]
    assert (call(x) if not rest else call(x, rest[0])) is NotImplemented
    held.clear()
    found = call(x) if not rest else call(x, rest[0])
    assert found.ctypes.data == place
    np.testing.assert_array_equal(found, wanted)


def test_unsupported_arrays_are_declined() -> None:
    call = native.compiled_function_or_placeholder("InPlaceKernel")(
        np.sin, [0], buffer_reuse.UNSHARED_REFCOUNT
    )
    assert call(np.ones(5000, "float16")) is NotImplemented
    x = np.ones((50, 100), "float32").T
    assert call(x) is NotImplemented
    both = native.compiled_function_or_placeholder("InPlaceKernel")(
        native.compiled_function_or_placeholder("softmax_grad"),
        [0, 1],
        buffer_reuse.UNSHARED_REFCOUNT,
    )
    y, g = np.ones((50, 100), "float32"), np.ones((50, 1), "float32")
    assert both(y, g) is NotImplemented


def between_products(x: Any) -> Any:
    for _ in range(10):
        x = F.softmax(x)
        x = paddle.sin(x)
        x = F.relu(x)
        x = F.leaky_relu(paddle.floor(x * 8))
    return x


def test_unfused_chain_uses_one_array() -> None:
    recording = to_static(
        between_products, [InputSpec([256, 256])]
    ).concrete_program.captured_program
    x = np.random.default_rng(0).standard_normal((256, 256)).astype("float32")
    feed = {recording.program.feed_names()[0]: x}
    compiled = CompiledProgram(recording.program)
    with off():
        plain = CompiledProgram(recording.program)
    assert peak(lambda: compiled.run(recording.scope, feed)) < 1.5 * x.nbytes
    assert peak(lambda: plain.run(recording.scope, feed)) > 1.9 * x.nbytes
