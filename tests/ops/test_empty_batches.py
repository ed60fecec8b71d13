"""Layers and their gradients for batches of size 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.core import native
from oarlock.nn import functional as F

LAYERS: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    "linear": (F.linear, [(0, 3), (3, 5), (5,)]),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, [4], w, b), [(0, 3, 4), (4,), (4,)]),
    "batch_norm": (
        lambda x, w, b: F.batch_norm(x, paddle.zeros([3]), paddle.ones([3]), w, b, training=True),
        [(0, 3, 4, 4), (3,), (3,)],
    ),
    "group_norm": (lambda x: F.group_norm(x, 3), [(0, 3, 4, 4)]),
    "conv2d": (F.conv2d, [(0, 3, 4, 4), (5, 3, 3, 3), (5,)]),
    "max_pool2d": (lambda x: F.max_pool2d(x, 2), [(0, 3, 4, 4)]),
    "max_pool2d_with_mask": (
        lambda x: F.max_pool2d(x, 2, return_mask=True)[0],
        [(0, 3, 4, 4)],
    ),
    "max_unpool2d": (
        lambda x: F.max_unpool2d(x, paddle.zeros([0, 3, 2, 2], "int32"), 2),
        [(0, 3, 2, 2)],
    ),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 2), [(0, 3, 4, 4)]),
    "attention": (lambda q: F.scaled_dot_product_attention(q, q, q), [(0, 4, 2, 3)]),
    "cumsum": (lambda x: paddle.cumsum(x, 1), [(0, 3)]),
    "gather_nd": (lambda x: paddle.gather_nd(x, paddle.to_tensor([[2], [1]])), [(3, 0)]),
}


@pytest.mark.parametrize("on", [True, False])
@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value encountered")
def test_gradients_of_an_empty_batch(name: str, on: bool) -> None:
    layer, shapes = LAYERS[name]
    with native.use_native_kernels(on):
        x, *parameters = (paddle.ones(shape) for shape in map(list, shapes))
        for tensor in (x, *parameters):
            tensor.stop_gradient = False
        out = layer(x, *parameters)
        assert out.size == 0
        out.sum().backward()
    assert x.grad.shape == x.shape
    for parameter in parameters:
        np.testing.assert_array_equal(parameter.grad.numpy(), np.zeros(parameter.shape))
