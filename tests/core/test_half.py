"""Half precision in public functions: result dtypes, and sums in float32."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import oarlock as paddle
from oarlock.core.dtype import compute_dtype, is_complex, is_half, is_real, promote_dtypes

HALF = ["float16", "bfloat16"]
each = pytest.mark.parametrize("dtype", HALF)
BF16 = np.dtype(ml_dtypes.bfloat16)


def test_dtype_predicates() -> None:
    names = ["bool", "int16", "int64", "float16", "float32", "complex64"]
    dtypes = [*map(np.dtype, names), BF16]
    assert [is_real(d) for d in dtypes] == [False, False, False, True, True, False, True]
    assert [is_half(d) for d in dtypes] == [False, False, False, True, False, False, True]
    assert [is_complex(d) for d in dtypes] == [False] * 5 + [True, False]
    assert [compute_dtype(d).name for d in dtypes] == [
        *names[:3],
        "float32",
        "float32",
        "complex64",
        "float32",
    ]


def test_promotion_of_half_precision() -> None:
    half, single, double = (np.dtype(t) for t in ("float16", "float32", "float64"))
    assert promote_dtypes(half, BF16) == promote_dtypes(BF16, half) == single
    assert promote_dtypes(half, half) == half
    assert promote_dtypes(BF16, single) == single
    assert promote_dtypes(double, BF16) == double
    assert (paddle.ones([2], "float16") + paddle.ones([2], "bfloat16")).dtype == paddle.float32


def values(dtype: str) -> Any:
    return paddle.to_tensor([[-1.5, 0.25, 2.0], [0.5, -3.0, 1.0]]).astype(dtype)


KEEPING: list[Callable[[Any], Any]] = [
    lambda x: paddle.clip(x, min=0),
    lambda x: paddle.clip(x, max=0.5),
    lambda x: x**3,
    lambda x: x.abs() ** 0.5,
    lambda x: 2.0 * x + 1,
    lambda x: x.sum(axis=1),
    lambda x: paddle.frexp(x)[0],
    lambda x: paddle.nn.functional.softmax(x),
    lambda x: paddle.nn.functional.gelu(x),
    lambda x: paddle.matmul(x, x, transpose_y=True),
    lambda x: paddle.std(x),
    lambda x: paddle.logsumexp(x),
]


@each
@pytest.mark.parametrize("number", range(len(KEEPING)))
def test_results_keep_the_dtype(number: int, dtype: str) -> None:
    x = values(dtype)
    got, wanted = KEEPING[number](x), KEEPING[number](x.astype("float32"))
    assert got.dtype == dtype
    np.testing.assert_allclose(got.astype("float32").numpy(), wanted.numpy(), rtol=2e-2, atol=2e-2)


LONG: list[Callable[[Any], Any]] = [
    paddle.sum,
    paddle.mean,
    paddle.logsumexp,
    lambda x: paddle.matmul(x, x),
    lambda x: paddle.norm(x),
    lambda x: paddle.cumsum(x)[-1],
    lambda x: paddle.nn.functional.avg_pool1d(x.reshape([1, 1, -1]), 5000).reshape([]),
    lambda x: paddle.nn.functional.layer_norm(x, [5000])[0],
    lambda x: paddle.nn.functional.softmax(x).max() * 5000.0,
    lambda x: paddle.nn.functional.cross_entropy(x.reshape([1, -1]), paddle.to_tensor([3])),
    lambda x: paddle.nn.functional.conv1d(x.reshape([1, 1, -1]), x.reshape([1, 1, -1])).reshape([]),
]


@each
@pytest.mark.parametrize("number", range(len(LONG)))
def test_sums_accumulate_in_float32(number: int, dtype: str) -> None:
    x = paddle.to_tensor(np.linspace(0.5, 1.5, 5000, dtype="float32")).astype(dtype)
    got, wanted = LONG[number](x), LONG[number](x.astype("float32"))
    assert got.dtype == dtype
    np.testing.assert_allclose(got.astype("float32").numpy(), wanted.numpy(), rtol=1e-2)


@each
def test_attention_masks(dtype: str) -> None:
    rng = np.random.default_rng(0)
    q, k, v = (
        paddle.to_tensor(rng.standard_normal((1, 4, 2, 8)).astype("float32")).astype(dtype)
        for _ in range(3)
    )
    seen = np.tril(np.ones((1, 1, 4, 4), bool))
    added = np.where(seen, 0.0, -1e4).astype("float32")
    attend = paddle.nn.functional.scaled_dot_product_attention
    single = attend(*(t.astype("float32") for t in (q, k, v)), paddle.to_tensor(added)).numpy()
    for mask in (paddle.to_tensor(seen), paddle.to_tensor(added).astype(dtype)):
        got = attend(q, k, v, mask)
        assert got.dtype == dtype
        np.testing.assert_allclose(got.astype("float32").numpy(), single, atol=3e-2)


@each
def test_arange_of_half_tensors_is_float32(dtype: str) -> None:
    assert paddle.arange(paddle.to_tensor(3.0).astype(dtype)).dtype == paddle.float32


@each
def test_layers_to_half_precision(dtype: str) -> None:
    net = paddle.nn.Sequential(paddle.nn.Linear(4, 3), paddle.nn.LayerNorm(3), paddle.nn.GELU())
    net = net.half() if dtype == "float16" else net.bfloat16()
    x = paddle.ones([2, 4]).astype(dtype)
    assert net(x).dtype == dtype
    assert {p.dtype.name for p in net.parameters()} == {dtype}
    assert net.float()(x.astype("float32")).dtype == paddle.float32
