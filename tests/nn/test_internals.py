"""Internals that model libraries use: attention, helpers, tuples as operands, ignore_index."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.core.errors import OperandError
from oarlock.nn import functional as F


class NegatedKeysAttention(nn.MultiHeadAttention):
    def _prepare_qkv(self, query: Any, key: Any, value: Any, cache: Any = None) -> Any:
        q, k, v, *cached = super()._prepare_qkv(query, key, value, cache)
        return (q, -k, v, *cached)


def test_overridden_prepare_qkv_is_used() -> None:
    paddle.seed(0)
    turned, plain = NegatedKeysAttention(8, 2), nn.MultiHeadAttention(8, 2)
    plain.set_state_dict(turned.state_dict())
    x = paddle.randn([2, 3, 8])
    assert np.abs(turned(x).numpy() - plain(x).numpy()).max() > 1e-3
    plain.k_proj.weight.set_value(-plain.k_proj.weight)
    plain.k_proj.bias.set_value(-plain.k_proj.bias)
    np.testing.assert_allclose(turned(x).numpy(), plain(x).numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", [nn.MultiHeadAttention.Cache, nn.MultiHeadAttention.StaticCache])
def test_attention_returns_cache(kind: Any) -> None:
    layer = nn.MultiHeadAttention(8, 2)
    x = paddle.randn([2, 3, 8])
    cache = layer.gen_cache(x, type=kind)
    _, again = layer(x, x, x, None, cache)
    assert type(again) is kind
    assert again.k.shape == [2, 2, 3, 4]


def test_private_mask_and_attr_helpers() -> None:
    mask = paddle.to_tensor([[True, False]])
    assert nn._convert_attention_mask(None, "float32") is None
    np.testing.assert_array_equal(nn._convert_attention_mask(mask, "float32").numpy(), [[0, -1e9]])
    np.testing.assert_array_equal(
        nn._convert_attention_mask(mask.astype("int64"), "float64").numpy(), [[0, -1e9]]
    )
    assert nn._convert_attention_mask(paddle.ones([2]), "float64").dtype == paddle.float64
    given, none = nn._convert_param_attr_to_list([None, False], 2)
    assert isinstance(given, nn.ParamAttr)
    assert none is False
    assert [a.name for a in nn._convert_param_attr_to_list(nn.ParamAttr(name="w"), 2)] == [
        "w_0",
        "w_1",
    ]


def test_layer_helper_attribute() -> None:
    layer = nn.Linear(2, 3, bias_attr=False)
    assert layer._helper.get_default_dtype() == "float32"
    assert (layer._weight_attr, layer._bias_attr) == (None, False)
    out = layer._helper.create_variable_for_type_inference("float32")
    layer._helper.append_op(
        "relu", inputs={"X": paddle.to_tensor([-1.0, 2.0])}, outputs={"Out": out}
    )
    np.testing.assert_array_equal(out.numpy(), [0, 2])
    layer._helper = "mine"
    assert layer._helper == "mine"
    with pytest.raises(TypeError):
        nn.ParamAttr._to_attr(3)
    assert nn.ParamAttr._to_attr(False) is False


def test_first_of_a_tuple_is_the_operand() -> None:
    x, w = paddle.ones([2, 3]), paddle.ones([3, 4])
    x.stop_gradient = False
    found = F.linear((x, "rest"), w)
    np.testing.assert_array_equal(found.numpy(), np.full((2, 4), 3))
    found.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), np.full((2, 3), 4))
    for wrong in ((), ("x",), [x], ((x,),)):
        with pytest.raises(OperandError, match="operand"):
            F.relu(wrong)


@pytest.mark.parametrize("weight", [None, [1.0, 2.0, 3.0]])
def test_ignore_index_as_tensor(weight: Any) -> None:
    scores, label = paddle.randn([4, 3]), paddle.to_tensor([0, 2, 1, 2])
    weight = None if weight is None else paddle.to_tensor(weight)
    settings = {"weight": weight}

    def loss(x: Any, y: Any) -> Any:
        return F.cross_entropy(x, y, ignore_index=paddle.full([1], 2, "int64"), **settings)

    wanted = F.cross_entropy(scores, label, ignore_index=2, **settings).numpy()
    np.testing.assert_allclose(loss(scores, label).numpy(), wanted, rtol=1e-6)
    np.testing.assert_allclose(paddle.jit.to_static(loss)(scores, label).numpy(), wanted, rtol=1e-6)
    logs = F.log_softmax(scores)
    found = F.nll_loss(logs, label, weight, ignore_index=paddle.to_tensor(2))
    np.testing.assert_allclose(
        found.numpy(), F.nll_loss(logs, label, weight, ignore_index=2).numpy(), rtol=1e-6
    )


WHOLE, HALF = paddle.to_tensor([7, 7]), paddle.to_tensor([0.5, 0.5])


@pytest.mark.parametrize(
    ("x", "y", "dtype", "wanted"),
    [
        (1, 0, "int64", [1, 0]),
        (1.5, 0.0, "float64", [1.5, 0]),
        (1.5, 0, "float64", [1.5, 0]),
        (1, WHOLE, "int64", [1, 7]),
        (1.5, WHOLE, "float64", [1.5, 7]),
        (HALF, 0, "float32", [0.5, 0]),
    ],
)
def test_where_with_scalars(x: Any, y: Any, dtype: str, wanted: list[float]) -> None:
    for condition in (paddle.to_tensor([True, False]), paddle.to_tensor([2.0, 0.0])):
        found = paddle.where(condition, x, y)
        assert found.dtype.name == dtype
        np.testing.assert_array_equal(found.numpy(), wanted)
