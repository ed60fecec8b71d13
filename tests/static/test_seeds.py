"""Equal seeds: equal random numbers, wherever they are equal in Paddle."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import fluid, nn, static
from oarlock.nn import functional as F

INITIALIZERS = {
    "default": None,
    "normal": nn.initializer.Normal(),
    "uniform": nn.initializer.Uniform(),
    "truncated": nn.initializer.TruncatedNormal(a=-1.0, b=1.0),
    "kaiming": nn.initializer.KaimingNormal(),
    "orthogonal": nn.initializer.Orthogonal(),
}


@contextmanager
def default_programs(seed: int) -> Iterator[None]:
    main, startup = static.Program(), static.Program()
    main.random_seed = startup.random_seed = seed
    with static.program_guard(main, startup):
        yield


@contextmanager
def guard(seed: int) -> Iterator[None]:
    with warnings.catch_warnings(), ExitStack() as stack:
        warnings.simplefilter("ignore", DeprecationWarning)
        stack.enter_context(fluid.dygraph.guard())
        fluid.default_main_program().random_seed = fluid.default_startup_program().random_seed = (
            seed
        )
        yield


@contextmanager
def global_seed(seed: int) -> Iterator[None]:
    paddle.seed(seed)
    yield


def eager(start: Any) -> list[Any]:
    weights = [nn.Linear(4, 4, weight_attr=start).weight.numpy() for _ in range(2)]
    return [*weights, F.dropout(paddle.ones([64])).numpy()]


@pytest.mark.parametrize("start", INITIALIZERS)
@pytest.mark.parametrize("seeded", [default_programs, guard, global_seed])
def test_eager_seed(seeded: Any, start: str) -> None:
    def made(seed: int) -> list[Any]:
        with seeded(seed):
            return eager(INITIALIZERS[start])

    first, again, other = made(3), made(3), made(4)
    for a, b, c in zip(first, again, other, strict=True):
        np.testing.assert_array_equal(a, b)
        assert not np.array_equal(a, c)
    if seeded is not global_seed:  # each starts from the seed, so equal shapes get equal values
        np.testing.assert_array_equal(first[0], first[1])


def ran(seed: int, start: Any) -> list[Any]:
    main, startup = static.Program(), static.Program()
    main.random_seed = startup.random_seed = seed
    with static.program_guard(main, startup), paddle.utils.unique_name.guard():
        layers = [nn.Linear(4, 4, weight_attr=start) for _ in range(2)]
        dropped, drawn = F.dropout(paddle.ones([64])), paddle.rand([3])
    executor = static.Executor()
    with static.scope_guard(static.Scope()):
        executor.run(startup)
        weights = executor.run(main, fetch_list=[layer.weight for layer in layers])
        return [*weights, *(executor.run(main, fetch_list=[dropped, drawn]) for _ in range(2))]


@pytest.mark.parametrize("start", INITIALIZERS)
def test_program_seed(start: str) -> None:
    paddle.enable_static()
    try:
        first, again, other = (ran(seed, INITIALIZERS[start]) for seed in (3, 3, 4))
    finally:
        paddle.disable_static()
    np.testing.assert_array_equal(first[0], first[1])
    assert not np.array_equal(first[0], other[0])
    # dropout has the seed of its program as an attribute
    np.testing.assert_array_equal(first[2][0], first[3][0])
    assert not np.array_equal(first[2][1], first[3][1])
    for a, b in zip(first[2:], again[2:], strict=True):
        np.testing.assert_array_equal(a[0], b[0])
        np.testing.assert_array_equal(a[1], b[1])


class Noisy(nn.Layer):
    def forward(self, x: Any) -> Any:
        return (
            x + paddle.rand([4]),
            x + paddle.randn([4]),
            F.dropout(x, training=True),
            paddle.randint(0, 1000, [8]),
        )


@pytest.mark.filterwarnings("ignore:.*(there are no parameters|is in train mode|random)")
@pytest.mark.parametrize("training", [False, True])
def test_loaded_program_seed(training: bool, tmp_path: Path) -> None:
    paddle.jit.save(Noisy(), str(tmp_path / "m"), [static.InputSpec([4])])
    layer = paddle.jit.load(str(tmp_path / "m"))
    layer.training = training

    def called(seed: int) -> list[Any]:
        paddle.seed(seed)
        return [out.numpy() for _ in range(2) for out in layer(paddle.ones([4]))]

    first, again, other = called(3), called(3), called(4)
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a, b)
    for place in (0, 1, 3):
        assert not np.array_equal(first[place], other[place])
        assert not np.array_equal(first[place], first[place + 4])


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_uniform_initializer_of_fluid_records_seed_and_diagonal(dtype: str) -> None:
    initializer = fluid.initializer.UniformInitializer(
        0.0, 1.0, seed=7, diag_num=2, diag_step=2, diag_val=9.0
    )
    paddle.enable_static()
    try:
        values = []
        for _ in range(2):
            main, startup = static.Program(), static.Program()
            with static.program_guard(main, startup):
                static.create_parameter([2, 2], dtype, name="w", default_initializer=initializer)
            executor = static.Executor()
            executor.run(startup)
            values.append(executor.run(main, fetch_list=["w"])[0])
    finally:
        paddle.disable_static()
    assert values[0][0, 0] == values[0][1, 1] == 9.0
    assert 0 < values[0][0, 1] < 1
    np.testing.assert_array_equal(*values)
