"""Flags, readers, and parameters without a layer."""

from __future__ import annotations

import numpy as np
import pytest

import oarlock as paddle


def test_flags() -> None:
    before = paddle.get_flags("FLAGS_cudnn_deterministic")
    paddle.set_flags({"FLAGS_cudnn_deterministic": True})
    assert paddle.get_flags(["FLAGS_cudnn_deterministic"]) == {"FLAGS_cudnn_deterministic": True}
    with pytest.raises(paddle.OpError, match="FLAGS_call_stack_level"):
        paddle.set_flags({"FLAGS_cudnn_deterministic": False, "FLAGS_call_stack_level": 2})
    assert paddle.get_flags("FLAGS_cudnn_deterministic") == {"FLAGS_cudnn_deterministic": True}
    paddle.set_flags(before)
    with pytest.raises(paddle.OpError, match="FLAGS_nope"):
        paddle.get_flags("FLAGS_nope")
    with pytest.raises(paddle.OpError, match="expected a dict"):
        paddle.set_flags(["FLAGS_cudnn_deterministic"])  # type: ignore[arg-type]


def test_batch_of_a_reader() -> None:
    reader = lambda: iter(range(5))
    assert list(paddle.batch(reader, 2)()) == [[0, 1], [2, 3], [4]]
    assert list(paddle.batch(reader, 2, drop_last=True)()) == [[0, 1], [2, 3]]
    with pytest.raises(paddle.OpError, match="batch_size=0"):
        paddle.batch(reader, 0)


def test_cuda_rng_state() -> None:
    paddle.set_cuda_rng_state(paddle.get_cuda_rng_state())
    with pytest.raises(paddle.OpError, match="no GPU"):
        paddle.set_cuda_rng_state([1])
    assert paddle.CUDAPinnedPlace() == paddle.CPUPlace()
    assert paddle.in_dynamic_mode()


def test_create_parameter() -> None:
    with paddle.unique_name.guard():
        weight, bias = (
            paddle.create_parameter([2, 3], "float64"),
            paddle.create_parameter([3], "float32", is_bias=True),
        )
    assert (weight.name, bias.name) == ("create_parameter_0.w_0", "create_parameter_1.b_0")
    assert (weight.dtype, weight.stop_gradient, weight.persistable) == (paddle.float64, False, True)
    assert weight.numpy().std() > 0
    np.testing.assert_array_equal(bias.numpy(), np.zeros(3))
    two = paddle.create_parameter(
        [2], "float32", name="mine", default_initializer=paddle.nn.initializer.Constant(2.0)
    )
    assert (two.name, two.tolist()) == ("mine", [2.0, 2.0])
    frozen = paddle.create_parameter(
        [2], "float32", attr=paddle.ParamAttr(name="w", trainable=False)
    )
    assert (frozen.name, frozen.stop_gradient) == ("w", True)
    assert paddle.create_parameter([2], "float32", attr=False) is None
