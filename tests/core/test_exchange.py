"""Exchange with NumPy and other libraries: copies, shared memory, errors."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import oarlock as paddle
from oarlock.utils.dlpack import from_dlpack, to_dlpack


def test_numpy_returns_a_copy() -> None:
    x = paddle.ones([3])
    mine = x.numpy()
    mine[0] = 5
    assert x.tolist() == [1.0, 1.0, 1.0]


def test_asarray_is_a_read_only_view() -> None:
    x = paddle.ones([3])
    view = np.asarray(x)
    assert np.shares_memory(view, np.asarray(x))
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 5
    np.array(x)[0] = 5
    np.asarray(x, dtype="float64")[0] = 5
    assert x.tolist() == [1.0, 1.0, 1.0]


def test_numpy_functions_and_operators() -> None:
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = np.array([3.0, 4.0], "float32") * x
    assert isinstance(y, paddle.Tensor)
    assert not y.stop_gradient
    assert float(np.sum(x.detach())) == 3.0
    np.testing.assert_array_equal(np.stack([x, x.detach()]), [[1, 2], [1, 2]])
    np.testing.assert_array_equal(np.where(x > 1, x, np.zeros(2)), [0, 2])


def test_dlpack_shares_memory() -> None:
    source = np.arange(6, dtype="float32").reshape(2, 3)
    x = from_dlpack(source)
    assert np.shares_memory(np.asarray(x), source)
    assert np.shares_memory(np.from_dlpack(x), np.asarray(x))
    again = from_dlpack(to_dlpack(x))
    assert np.shares_memory(np.asarray(again), source)
    np.testing.assert_array_equal(again.numpy(), source)


@pytest.mark.parametrize(
    "dtype", ["bool", "uint8", "int32", "int64", "float16", "float32", "float64", "complex64"]
)
def test_dlpack_of_every_dtype(dtype: str) -> None:
    x = paddle.to_tensor([0, 1, 1]).astype(dtype)
    assert from_dlpack(to_dlpack(x)).dtype == x.dtype


def test_dlpack_errors() -> None:
    x = paddle.ones([2]).astype("bfloat16")
    with pytest.raises(
        paddle.OpError, match=r"(?s)dlpack: .*\(X=bfloat16\[2\]\).*test_exchange.py:\d+"
    ):
        to_dlpack(x)
    with pytest.raises(paddle.OpError, match="from_dlpack"):
        from_dlpack(3)
    with pytest.raises(paddle.OpError, match="list is not a Tensor"):
        to_dlpack([1])
    with pytest.raises(paddle.OpError, match="dlpack: .*stream"):
        paddle.ones([2]).__dlpack__(stream=1)
    used = to_dlpack(paddle.ones([2]))
    from_dlpack(used)
    with pytest.raises(paddle.OpError, match="from_dlpack"):
        from_dlpack(used)


def test_copy_and_deepcopy() -> None:
    x = paddle.to_tensor([1.0], stop_gradient=False)
    assert not copy.copy(x).stop_gradient
    deep = copy.deepcopy({"x": x, "again": x})
    assert deep["x"] is deep["again"]
    assert deep["x"] is not x
    assert not deep["x"].stop_gradient
    inner = copy.deepcopy(x * 2)
    assert inner.is_leaf
    assert not inner.stop_gradient


def test_printoptions() -> None:
    with pytest.raises(paddle.OarlockError, match="precision=-1"):
        paddle.set_printoptions(precision=-1)
