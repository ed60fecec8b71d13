"""Tensors: values, names, printing and errors."""

from __future__ import annotations

import copy
import threading
from typing import Any, NamedTuple

import numpy as np
import pytest

import oarlock as paddle
from oarlock.core import rng


@pytest.mark.parametrize(
    ("value", "dtype", "shape"),
    [
        (1.5, "float32", []),
        (1, "int64", []),
        (True, "bool", []),
        ([1, 2], "int64", [2]),
        ([[1.0, 2]], "float32", [1, 2]),
        (1j, "complex64", []),
    ],
)
def test_dtype_of_python_values(value: object, dtype: str, shape: list[int]) -> None:
    made = paddle.to_tensor(value)
    assert (made.dtype.name, made.shape) == (dtype, shape)
    assert repr(made.dtype) == f"paddle.{dtype}"


def test_arrays_keep_their_dtype_and_are_copied() -> None:
    array = np.ones(3)
    made = paddle.to_tensor(array)
    array[0] = 5
    assert made.dtype == paddle.float64
    assert made.numpy().tolist() == [1, 1, 1]


def test_default_dtype() -> None:
    paddle.set_default_dtype("float64")
    try:
        assert paddle.zeros([1]).dtype == paddle.to_tensor(0.5).dtype == "float64"
    finally:
        paddle.set_default_dtype("float32")
    with pytest.raises(paddle.OpError, match="int32 is not a floating type"):
        paddle.set_default_dtype("int32")


def test_bfloat16_and_float16() -> None:
    x = paddle.ones([2], "bfloat16") + paddle.ones([2], "bfloat16")
    assert x.dtype == paddle.bfloat16
    assert x.astype("float32").tolist() == [2, 2]
    assert (paddle.ones([2], "float16") * 2.5).tolist() == [2.5, 2.5]


def test_repr() -> None:
    text = repr(paddle.to_tensor([[1.0, 2.0]]))
    assert (
        text
        == "Tensor(shape=[1, 2], dtype=float32, place=Place(cpu), stop_gradient=True,\n       [[1., 2.]])"
    )


def test_python_scalars() -> None:
    x = paddle.to_tensor([3])
    assert (int(x), float(x), bool(x), x.item(), [10, 11, 12, 13][x]) == (3, 3.0, True, 3, 13)
    with pytest.raises(
        paddle.OpError, match=r"bool\(\): only a tensor of one element .* \(X=int64\[2\]\)"
    ):
        bool(paddle.to_tensor([1, 2]))
    with pytest.raises(TypeError, match="0-D"):
        len(paddle.to_tensor(1))


def test_iteration_and_len() -> None:
    x = paddle.to_tensor([[1, 2], [3, 4]])
    assert len(x) == 2
    assert [row.tolist() for row in x] == [[1, 2], [3, 4]]


def test_errors_name_op_operands_and_line() -> None:
    with pytest.raises(paddle.OpError) as caught:
        paddle.ones([2, 3]) + paddle.ones([4, 5])
    message = str(caught.value)
    assert message.startswith("add: the shapes do not broadcast (X=float32[2,3], Y=float32[4,5])")
    assert "at test_tensor.py:" in message
    assert "paddle.ones([2, 3]) + paddle.ones([4, 5])" in message


@pytest.mark.parametrize(
    "call",
    [
        lambda: paddle.matmul(paddle.ones([2, 3]), paddle.ones([4, 5])),
        lambda: paddle.concat([paddle.ones([2, 3]), paddle.ones([3, 4])], axis=0),
        lambda: paddle.reshape(paddle.ones([2, 3]), [4, 2]),
        lambda: paddle.nn.functional.conv2d(paddle.ones([1, 3, 4, 4]), paddle.ones([2, 4, 3, 3])),
        lambda: paddle.ones([2])[5],
        lambda: paddle.to_tensor([[1], [2, 3]]),
        lambda: paddle.zeros(["a"]),
        lambda: paddle.nn.functional.embedding(paddle.to_tensor([9]), paddle.ones([3, 2])),
        lambda: paddle.ones([2]).item(),
        lambda: paddle.add(1, 2),
    ],
)
def test_invalid_operands_are_rejected_with_the_line(call: object) -> None:
    with pytest.raises((paddle.OpError, IndexError), match=r"test_tensor\.py:\d+|one element"):
        call()  # type: ignore[operator]


def test_in_place_op_on_leaf_with_gradient_is_rejected() -> None:
    x = paddle.ones([2])
    x.add_(paddle.ones([2]))
    x[0] = 7.0
    assert x.tolist() == [7, 2]
    x.stop_gradient = False
    with pytest.raises(paddle.OpError, match="in place"):
        x.add_(paddle.ones([2]))
    with paddle.no_grad():
        x[x > 5] = 0.0
    assert x.tolist() == [0, 2]


def test_setitem_gradients() -> None:
    x, v = (
        paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False),
        paddle.to_tensor(5.0, stop_gradient=False),
    )
    y = x * 1
    y[1] = v
    (y * paddle.to_tensor([1.0, 2.0, 3.0])).sum().backward()
    assert y.tolist() == [1, 5, 3]
    assert x.gradient().tolist() == [1, 0, 3]
    assert v.gradient() == 2


def test_names() -> None:
    with paddle.unique_name.guard():
        assert paddle.ones([1]).name == "generated_tensor_0"
        assert paddle.ones([1]).name == "generated_tensor_1"
    x = paddle.ones([1])
    x.name = "mine"
    assert x.name == "mine"


def test_deepcopy() -> None:
    x = paddle.to_tensor([1.0], stop_gradient=False)
    y = copy.deepcopy(x)
    y.set_value([5.0])
    assert (x.item(), y.item(), y.stop_gradient) == (1.0, 5.0, False)
    with paddle.utils.unique_name.guard():
        copies = [copy.deepcopy(p) for p in paddle.nn.Linear(2, 3).parameters()]
    # as in Paddle
    assert [p.name for p in copies] == ["linear_0.w_0_deepcopy_0", "linear_0.b_0_deepcopy_1"]
    assert copy.deepcopy(x * 2).is_leaf


def test_set_value_keeps_shape_and_dtype() -> None:
    x = paddle.ones([2])
    x.set_value(np.array([3, 4]))
    assert (x.tolist(), x.dtype.name) == ([3, 4], "float32")
    with pytest.raises(
        paddle.OpError, match=r"set_value: the shapes differ \(X=float32\[2\], value=int64\[3\]\)"
    ):
        x.set_value([1, 2, 3])


def test_seed() -> None:
    def draw() -> list[object]:
        paddle.seed(5)
        return [
            paddle.rand([3]).tolist(),
            paddle.randn([2]).tolist(),
            paddle.randint(0, 9, [4]).tolist(),
            paddle.randperm(5).tolist(),
        ]

    assert draw() == draw()
    state = paddle.get_rng_state()
    first = paddle.rand([3]).tolist()
    paddle.set_rng_state(state)
    assert paddle.rand([3]).tolist() == first


def test_first_random_number_of_a_thread_does_not_undo_a_seed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rng, "_generators", {})
    create, creating, seeded = np.random.PCG64, threading.Event(), threading.Event()

    def create_slowly(*seed: int) -> np.random.PCG64:
        if not seed:
            creating.set()
            seeded.wait()
        return create(*seed)

    monkeypatch.setattr(np.random, "PCG64", create_slowly)
    thread = threading.Thread(target=lambda: paddle.rand([1]))
    thread.start()
    creating.wait()
    wanted = rng.seed(7)
    seeded.set()
    thread.join()
    assert rng.generator() is wanted


def test_modes_are_per_thread() -> None:
    found = []
    with paddle.no_grad():
        thread = threading.Thread(target=lambda: found.append(paddle.is_grad_enabled()))
        thread.start()
        thread.join()
        assert not paddle.is_grad_enabled()
    assert found == [True]


def test_devices() -> None:
    assert paddle.get_device() == "cpu"
    assert paddle.set_device("cpu") == paddle.CPUPlace()
    with pytest.raises(paddle.OarlockError, match="needs CuPy"):
        paddle.set_device("gpu:0")


@pytest.mark.parametrize(
    "index",
    [
        np.s_[::-1],
        np.s_[4:-4:-1],
        np.s_[:-2:-1],
        np.s_[3::-2],
        np.s_[-2:0:-1],
        np.s_[1:3, None, 2],
        np.s_[None, :, None, 1],
        np.s_[..., -1],
        np.s_[[2, 0]],
        np.s_[:, [3, -1]],
        np.s_[[0, 1], [2, 3]],
        np.s_[5:2],
        np.s_[-100:100],
    ],
    ids=str,
)
def test_getitem_equals_numpy(index: object) -> None:
    array = np.arange(5 * 4 * 3).reshape(5, 4, 3)
    np.testing.assert_array_equal(paddle.to_tensor(array)[index].numpy(), array[index])


@pytest.mark.parametrize(
    "index",
    [np.s_[1], np.s_[:, 1:3], np.s_[::-2, 0], np.s_[None, 2:, None], np.s_[-1, ..., 1]],
    ids=str,
)
def test_setitem_equals_numpy(index: object) -> None:
    array = np.zeros((5, 4, 3), "float32")
    made = paddle.to_tensor(array)
    value = np.arange(array[index].size, dtype="float32").reshape(array[index].shape)
    array[index] = value
    made[index] = paddle.to_tensor(value)
    np.testing.assert_array_equal(made.numpy(), array)


def test_assign_with_output() -> None:
    x, out = paddle.to_tensor([1.0, 2.0], stop_gradient=False), paddle.zeros([3, 3], "int64")
    assert paddle.assign(x * 2, out) is out
    assert (out.dtype, out.shape) == (paddle.float32, [2])
    (out * 3).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [6, 6])
    layer = paddle.nn.Linear(2, 1)
    paddle.assign(paddle.full([2, 1], 5.0), layer.weight)
    np.testing.assert_array_equal(layer.weight.numpy(), [[5], [5]])
    assert not layer.weight.stop_gradient


def test_index_of_last_element_as_tensor_or_numpy_scalar() -> None:
    x = paddle.arange(5)
    assert x[paddle.to_tensor(-1)].item() == 4
    for stop in (-1, np.int64(-1), paddle.to_tensor(-1)):
        assert x[:stop:-1].shape == [0]


def test_fill_diagonal_of_three_axes() -> None:
    for offset, where in ((0, [0, 13, 26]), (1, [1, 14]), (-1, [12, 25]), (3, [])):
        x = paddle.zeros([3, 3, 3])
        x.fill_diagonal_(7.0, offset)
        assert np.flatnonzero(x.numpy()).tolist() == where


@pytest.mark.parametrize("join", [np.concatenate, np.stack])
def test_numpy_functions_take_named_tuples_of_tensors(join: Any) -> None:
    class Pair(NamedTuple):
        a: paddle.Tensor
        b: paddle.Tensor

    one = np.arange(3.0)
    pair = Pair(paddle.to_tensor(one), b=paddle.to_tensor(-one))
    np.testing.assert_array_equal(join(pair), join([one, -one]))
