"""Adaptive average pooling to dynamic sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.core.errors import TraceError
from oarlock.nn.functional import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool2d,
)
from oarlock.static import InputSpec

POOLS: dict[str, tuple[Any, tuple[int, ...]]] = {
    "1d": (lambda x, n: adaptive_avg_pool1d(x, n), (2, 3, 7)),
    "2d": (lambda x, n: adaptive_avg_pool2d(x, [n, 3]), (2, 3, 7, 5)),
    "channels last": (
        lambda x, n: adaptive_avg_pool2d(x, [2, n], data_format="NHWC"),
        (2, 7, 5, 3),
    ),
    "3d": (lambda x, n: adaptive_avg_pool3d(x, [2, n, None]), (2, 2, 5, 6, 3)),
}


@pytest.mark.filterwarnings("ignore:.*there are no parameters")
@pytest.mark.parametrize("case", POOLS)
def test_nan_affects_only_its_windows(case: str, tmp_path: Path) -> None:
    pool, shape = POOLS[case]
    x = np.random.default_rng(0).standard_normal(shape).astype("float32")
    x.reshape(-1)[[0, -2]] = np.nan, np.inf
    static = paddle.jit.to_static(pool)
    paddle.jit.save(
        static,
        str(tmp_path / "m"),
        [InputSpec([None] * x.ndim), InputSpec([], "int64")],
        verify=False,
    )
    loaded = paddle.jit.load(str(tmp_path / "m"))
    for n in (1, 2, 3, 4, 7, 9):
        wanted = pool(paddle.to_tensor(x), n).numpy()
        for found in (static(paddle.to_tensor(x), paddle.to_tensor(n)), loaded(x, np.int64(n))):
            np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("case", POOLS)
def test_gradients_of_adaptive_average_pooling(case: str) -> None:
    pool, shape = POOLS[case]
    x, grads = np.random.default_rng(0).standard_normal(shape).astype("float32"), []
    for function, n in ((pool, 4), (paddle.jit.to_static(pool), paddle.to_tensor(4))):
        tensor = paddle.to_tensor(x, stop_gradient=False)
        (function(tensor, n) ** 2).sum().backward()
        grads.append(tensor.grad.numpy())
    np.testing.assert_allclose(grads[1], grads[0], rtol=1e-5, atol=1e-6)


def test_max_pooling_over_dynamic_windows_is_rejected() -> None:
    largest = paddle.jit.to_static(lambda x: adaptive_max_pool2d(x, [paddle.shape(x)[2] - 1, 2]))
    with pytest.raises(TraceError, match="is not known while the program is recorded"):
        largest(paddle.ones([1, 2, 5, 6]))
