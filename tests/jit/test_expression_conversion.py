"""Conversion of expressions: the scopes of names, the types of values that stand for Python objects,
and branches that merge a number with a half-precision tensor.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import oarlock as paddle


def target_hides_iterable(x: Any) -> Any:
    if x.mean() > 0:
        h = [x, x * 2]
    else:
        h = [x, x * 3]
    return sum([h * 2 for h in h])


def walrus_before_call(x: Any) -> Any:
    return x * m if (m := x.mean()) < paddle.max(x) < 3.5 else x


def walrus_after_names(x: Any) -> Any:
    low = 2
    return x * m if 0 < low < (m := 3) else x


def walrus_after_call(x: Any) -> Any:
    return x * m if 0 < abs(-2) < (m := 3) else x


@pytest.mark.parametrize(
    "function", [target_hides_iterable, walrus_before_call, walrus_after_names, walrus_after_call]
)
def test_scope_of_names(function: Callable[[Any], Any]) -> None:
    x = paddle.to_tensor([1.0, 2.0, 3.0])
    result = paddle.jit.to_static(function, full_graph=True)(x)
    np.testing.assert_array_equal(result.numpy(), function(x).numpy())


def merge_with_number(x: Any) -> Any:
    if paddle.cast(x, "float32").mean() > 2:
        y = x
    else:
        y = 0.0  # type: ignore[assignment]
    return y


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_number_merges_with_half_tensor(dtype: str) -> None:
    for scale in (1.0, 2.0):
        x = paddle.to_tensor([1.0, 2.0, 3.0]).astype(dtype) * scale
        result = paddle.jit.to_static(merge_with_number, full_graph=True)(x)
        assert result.dtype == x.dtype
        expected = np.asarray(merge_with_number(x)) * np.ones(3)
        np.testing.assert_array_equal(result.astype("float32").numpy(), expected)


def type_of_recorded_list(x: Any) -> Any:
    items = []
    for _ in range(paddle.cast(x.sum(), "int32")):
        items.append(x * 1.0)
    if type(items) is list:
        x = x + 1
    if items.__class__ is list:
        x = x + 2
    if isinstance(items, list):
        x = x + 4
    return x + paddle.concat(items).sum()


def test_type_of_recorded_list() -> None:
    x = paddle.to_tensor([1.0, 2.0])
    result = paddle.jit.to_static(type_of_recorded_list, full_graph=True)(x)
    np.testing.assert_array_equal(result.numpy(), type_of_recorded_list(x).numpy())
