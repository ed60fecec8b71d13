"""paddle._legacy_C_ops: operands, list lengths, output tensors, then attributes, as in PaddlePaddle
2.6.2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.core.op import OPS
from oarlock.fluid import core_ops

X = np.arange(6, dtype=np.float32).reshape(2, 3) - 2


def tensor(array: Any = X) -> Any:
    return paddle.to_tensor(array)


def test_paddle_legacy_c_ops_name() -> None:
    assert paddle._legacy_C_ops is core_ops


def test_attributes_follow_operands() -> None:
    found = core_ops.matmul_v2(tensor(), tensor(), "trans_x", False, "trans_y", True)
    np.testing.assert_allclose(found.numpy(), X @ X.T)


def test_attribute_without_value_is_rejected() -> None:
    with pytest.raises(paddle.OpError, match="softmax: the attribute 'axis' has no value"):
        core_ops.softmax(tensor(), "axis")


@pytest.mark.parametrize(
    ("name", "attrs", "wanted"),
    [
        ("reshape2", ("shape", [3, 2]), [3, 2]),
        ("transpose2", ("axis", [1, 0]), [3, 2]),
        ("unsqueeze2", ("axes", [1]), [2, 1, 3]),
        ("flatten_contiguous_range", ("start_axis", 0, "stop_axis", 1), [6]),
    ],
)
def test_xshape_output(name: str, attrs: tuple[Any, ...], wanted: list[int]) -> None:
    found, shape = getattr(core_ops, name)(tensor(), *attrs)
    assert found.shape == wanted
    assert shape.shape == [0, 2, 3]


def test_number_of_list_results() -> None:
    assert [t.shape for t in core_ops.unstack(tensor(), 2, "axis", 0, "num", 2)] == [[3], [3]]
    assert [t.shape for t in core_ops.meshgrid([tensor(X[0]), tensor(X[:, 0])], 2)] == [
        [3, 2],
        [3, 2],
    ]
    product, *_ = core_ops.einsum([tensor(), tensor()], 2, 2, "equation", "ij,kj->ik")
    np.testing.assert_allclose(product.numpy(), X @ X.T)


@pytest.mark.parametrize(
    ("name", "more", "wanted"),
    [
        ("relu_", (), np.maximum(X, 0)),
        ("scale_", ("scale", 3.0), X * 3),
        ("elementwise_add_", (X,), X * 2),
    ],
)
def test_in_place_ops(name: str, more: tuple[Any, ...], wanted: Any) -> None:
    x = tensor()
    found = getattr(core_ops, name)(
        x, *(tensor(m) if isinstance(m, np.ndarray) else m for m in more)
    )
    assert found is x
    np.testing.assert_allclose(x.numpy(), wanted)


def test_in_place_reshape_xshape() -> None:
    x = tensor()
    found, shape = core_ops.reshape2_(x, "shape", [3, 2])
    assert found is x
    assert x.shape == [3, 2]
    assert shape.shape == [0, 2, 3]


def test_optimizer_ops_write_their_outputs() -> None:
    parameter, rate = tensor(), tensor(np.array([0.1], np.float32))
    first, *rest = core_ops.sgd(parameter, rate, tensor(np.ones_like(X)), None, parameter, None)
    np.testing.assert_allclose(parameter.numpy(), X - 0.1, rtol=1e-6)
    np.testing.assert_allclose(first.numpy(), X - 0.1, rtol=1e-6)
    assert rest == [None]
    velocity = tensor(np.ones_like(X))
    core_ops.momentum(
        parameter,
        tensor(np.ones_like(X)),
        velocity,
        rate,
        None,
        parameter,
        velocity,
        None,
        "mu",
        0.5,
    )
    np.testing.assert_allclose(velocity.numpy(), np.full_like(X, 1.5))
    np.testing.assert_allclose(parameter.numpy(), X - 0.25, rtol=1e-5, atol=1e-6)


def test_unscale_writes_lists() -> None:
    gradient, found = tensor(), tensor(np.array([False]))
    core_ops.check_finite_and_unscale(
        [gradient], tensor(np.array([2.0], np.float32)), [gradient], found
    )
    np.testing.assert_allclose(gradient.numpy(), X / 2)


def test_operand_and_result_order() -> None:
    rows = core_ops.lookup_table_v2(tensor(np.array([1])), tensor(), "padding_idx", -1)
    np.testing.assert_allclose(rows.numpy(), X[[1]])
    loss, gap = core_ops.huber_loss(tensor(X[:, :1]), tensor(X[:, 1:2]), "delta", 0.5)
    np.testing.assert_allclose(gap.numpy(), [[1], [1]])
    np.testing.assert_allclose(loss.numpy(), [[0.375], [0.375]])


def test_gradients() -> None:
    x = tensor()
    x.stop_gradient = False
    core_ops.reshape2(x, "shape", [6])[0].sum().backward()
    assert np.all(x.grad.numpy() == 1)


def test_order_tables_name_existing_slots() -> None:
    for type_, names in core_ops.INPUT_ORDER.items():
        assert set(names.split()) == {slot.name for slot in OPS[type_].ins}
    for type_, names in core_ops.OUTPUT_ORDER.items():
        assert set(names.split()) == {slot.name for slot in OPS[type_].outs}


def test_unknown_op_raises_attribute_error() -> None:
    for name in ("no_such_op", "no_such_op_"):
        with pytest.raises(AttributeError, match=name):
            getattr(core_ops, name)
