"""The engine concatenates the lists of loops in chunks: the results are those of eager calls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle

pytestmark = pytest.mark.filterwarnings("ignore:.*there are no parameters")
CHUNK = 128  # kChunk of concat_loop_sequences_in_chunks.cpp


def concat(x: Any, count: Any) -> Any:
    i, y, results = paddle.zeros([1], "int64"), x, []
    while i < count:
        y = paddle.tanh(y * 0.5 + x)
        results.append(y)
        i = i + 1
    return paddle.concat(results, axis=1), y


def stack(x: Any, count: Any) -> Any:
    i, y, results = paddle.zeros([1], "int64"), x, []
    while i < count:
        y = paddle.tanh(y * 0.5 + x)
        results.append(y)
        i = i + 1
    return paddle.stack(results, axis=-1)


def elements_of_different_sizes(x: Any, count: Any) -> Any:
    i, y, results = paddle.zeros([1], "int64"), x, []
    while i < count:
        y = paddle.concat([y, x * i.astype("float32")]) if i < 3 else y[1:]
        results.append(y)
        i = i + 1
    return paddle.concat(results)


def several_lists(x: Any, count: Any) -> Any:
    i, products, squares, counts = paddle.zeros([1], "int64"), [], [], []
    while i < count:
        products.append(x * i.astype("float32"))
        squares.append((i * i).astype("float32"))
        counts.append(i)
        i = i + 1
    return paddle.stack(products), paddle.concat(squares), counts[-1]


def initial_elements(x: Any, count: Any) -> Any:
    i, results = paddle.zeros([1], "int64"), [x, x * 2]
    while i < count:
        results.append(x * i.astype("float32"))
        i = i + 1
    return paddle.concat(results)


def nested(x: Any, count: Any) -> Any:
    i, outer = paddle.zeros([1], "int64"), []
    while i < 3:
        j, inner = paddle.zeros([1], "int64"), []
        while j < count:
            inner.append(x * (i + j).astype("float32"))
            j = j + 1
        outer.append(paddle.concat(inner))
        i = i + 1
    return paddle.concat(outer)


@pytest.mark.parametrize("count", [1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK])
@pytest.mark.parametrize(
    "function",
    [concat, stack, elements_of_different_sizes, several_lists, initial_elements, nested],
)
def test_results_of_the_engine(function: Callable[..., Any], count: int, tmp_path: Path) -> None:
    specs = [
        paddle.static.InputSpec([None, 4], "float32", "x"),
        paddle.static.InputSpec([1], "int64", "count"),
    ]
    static = paddle.jit.to_static(function, input_spec=specs)
    paddle.jit.save(static, str(tmp_path / "m"), verify=False)
    x, many = paddle.ones([200, 4]), paddle.full([1], count, "int64")
    expected, actual = function(x, many), paddle.jit.load(str(tmp_path / "m"))(x, many)
    pair = (r if isinstance(r, tuple | list) else [r] for r in (expected, actual))
    for a, b in zip(*pair, strict=True):
        np.testing.assert_allclose(b.numpy(), a.numpy(), rtol=1e-5)
