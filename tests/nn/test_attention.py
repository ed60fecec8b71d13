"""Attention returns the same result with and without gradients, where it may be one op."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.core.errors import OpError
from oarlock.nn import functional as F


def numbers(*shape: int, dtype: str = "float32") -> Any:
    source = np.random.default_rng(sum(shape))
    return paddle.to_tensor(source.standard_normal(shape).astype(dtype))


def outcome(call: Callable[[], Any]) -> Any:
    """Return the result of a call, or the type of its error."""
    try:
        return call().numpy()
    except OpError as error:
        return type(error)


def check_with_and_without_gradients(call: Callable[[], Any]) -> None:
    with_gradients = outcome(call)
    with paddle.no_grad():
        without_gradients = outcome(call)
    if isinstance(with_gradients, type):
        assert without_gradients is with_gradients
    else:
        assert without_gradients.dtype == with_gradients.dtype
        np.testing.assert_allclose(without_gradients, with_gradients, rtol=1e-5, atol=1e-6)


# The shapes of query, and of key and value.
SHAPES = [
    ((2, 4, 3, 8), (2, 4, 3, 8)),
    ((2, 4, 3, 8), (2, 5, 3, 8)),
    ((1, 4, 3, 8), (2, 5, 3, 8)),  # the batch broadcasts
    ((2, 4, 3, 8), (1, 5, 1, 8)),  # the key and value of all heads
    ((2, 4, 3, 8), (2, 5, 3, 7)),  # an error
    ((0, 4, 3, 8), (0, 4, 3, 8)),
]
MASKS = [None, (), (5,), (4, 5), (2, 1, 1, 5), (1, 3, 4, 1), (6, 3, 4, 5), (1, 2, 3, 4, 5)]


@pytest.mark.parametrize("mask", MASKS, ids=str)
@pytest.mark.parametrize(("query", "key"), SHAPES, ids=str)
def test_operands_that_broadcast(
    query: tuple[int, ...], key: tuple[int, ...], mask: tuple[int, ...] | None
) -> None:
    q, k, m = numbers(*query), numbers(*key), None if mask is None else numbers(*mask)
    check_with_and_without_gradients(lambda: F.scaled_dot_product_attention(q, k, k, m))


@pytest.mark.parametrize("dtype", ["bool", "int32", "float16", "float32", "float64"])
def test_dtypes_of_masks(dtype: str) -> None:
    q, mask = numbers(2, 4, 3, 8), (numbers(4, 4) > 0).astype(dtype)
    check_with_and_without_gradients(lambda: F.scaled_dot_product_attention(q, q, q, mask))
    layer, x = nn.MultiHeadAttention(8, 2), numbers(2, 4, 8)
    layer.eval()
    check_with_and_without_gradients(lambda: layer(x, attn_mask=mask))


@pytest.mark.parametrize("mask", [(3, 1, 4, 4), (3, 2, 4, 4), (4, 4), (4,)], ids=str)
def test_mask_of_a_layer_that_broadcasts(mask: tuple[int, ...]) -> None:
    layer = nn.MultiHeadAttention(8, 2)
    layer.eval()
    check_with_and_without_gradients(lambda: layer(numbers(1, 4, 8), attn_mask=numbers(*mask)))
    check_with_and_without_gradients(lambda: layer(numbers(1, 4, 8), numbers(3, 5, 8)))
