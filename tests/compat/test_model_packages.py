"""Private names that model packages import."""

from __future__ import annotations

from typing import Any

import numpy as np

import oarlock
from oarlock import compat


def test_unique_endpoints_keep_first_port() -> None:
    with compat.as_paddle():
        from paddle.utils.download import _get_unique_endpoints

        given = ["10.0.0.2:6171", "10.0.0.1:6171", "10.0.0.1:6170", "10.0.0.2:6170"]
        assert _get_unique_endpoints(given) == {"10.0.0.1:6170", "10.0.0.2:6170"}


def test_custom_layer_with_layer_helper() -> None:
    space: dict[str, Any] = {}
    with compat.as_paddle("2.6"):
        line = "from paddle.common_ops_import import Variable, LayerHelper, check_variable_and_dtype, check_type, check_dtype"
        exec(line, space)
        x = oarlock.to_tensor(np.array([-1.0, 2.0], dtype=np.float32))
        space["check_variable_and_dtype"](x, "x", ["float32"], "relu")
        helper = space["LayerHelper"]("relu", input=x)
        out = helper.create_variable_for_type_inference(dtype="float32")
        helper.append_op(type="relu", inputs={"X": x}, outputs={"Out": out})
        np.testing.assert_array_equal(out.numpy(), [0.0, 2.0])
        assert isinstance(x, space["Variable"])


def test_fused_allreduce_in_one_process() -> None:
    with compat.as_paddle():
        from paddle.distributed.fleet.utils.hybrid_parallel_util import fused_allreduce_gradients

        x = oarlock.to_tensor([2.0], stop_gradient=False)
        (x * x).backward()
        fused_allreduce_gradients([x], None)
        np.testing.assert_array_equal(x.grad.numpy(), [4.0])


def test_paddle_contains_paddle() -> None:
    with compat.as_paddle():
        import paddle

        assert paddle.paddle.zeros([1]).tolist() == [0.0]
