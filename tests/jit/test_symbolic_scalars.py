"""A Python number that became a symbolic scalar behaves as the number does, or raises an error;
never as a tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.core.errors import TraceError
from oarlock.jit import to_static
from oarlock.static import InputSpec

from .scalar_operations import COMPUTED, REJECTED

SPEC = [InputSpec([None], "float32", "x")]
CALLS = ([1.0, 2.0, 3.0], [-1.0, -2.0, -3.0])


def an_int(look: Callable[..., Any]) -> Callable[..., Any]:
    def function(x: Any) -> Any:
        v = 1
        if x.sum() > 0:
            v = 2
        return look(x, v)

    return function


def a_float(look: Callable[..., Any]) -> Callable[..., Any]:
    def function(x: Any) -> Any:
        v = 1.0
        if x.sum() > 0:
            v = 2.5
        return look(x, v)

    return function


def a_bool(look: Callable[..., Any]) -> Callable[..., Any]:
    def function(x: Any) -> Any:
        v = False
        if x.sum() > 0:
            v = True
        return look(x, v)

    return function


def counted(look: Callable[..., Any]) -> Callable[..., Any]:
    def function(x: Any) -> Any:
        v = 0
        for row in x:
            if row > -2.5:
                v += 1
        return look(x, v)

    return function


def a_size(look: Callable[..., Any]) -> Callable[..., Any]:
    def function(x: Any) -> Any:
        return look(x, x.shape[0])

    return function


def cast(look: Callable[..., Any]) -> Callable[..., Any]:
    def function(x: Any) -> Any:
        return look(x, int(x.max()))

    return function


def int_or_float(look: Callable[..., Any]) -> Callable[..., Any]:
    def function(x: Any) -> Any:
        v = 1
        if x.sum() > 0:
            v = 2.5
        return look(x, v)

    return function


KINDS = (a_float, a_bool, counted, a_size, cast, int_or_float)
COMPLEX = {
    ("a_float", "rpowminus"),
    ("int_or_float", "rpowminus"),
    ("cast", "powhalf"),
}  # Python gives a complex number there


def numbers(value: Any) -> Any:
    return np.asarray(value.numpy() if isinstance(value, paddle.Tensor) else value, np.float64)


@pytest.mark.parametrize("name", COMPUTED)
def test_computed(name: str) -> None:
    program = to_static(an_int(COMPUTED[name]), SPEC)
    for call in CALLS:
        x = paddle.to_tensor(call)
        np.testing.assert_allclose(
            numbers(program(x)), numbers(an_int(COMPUTED[name])(x)), rtol=1e-6
        )


@pytest.mark.parametrize("name", REJECTED)
def test_rejected(name: str) -> None:
    with pytest.raises(TraceError, match=r"\n  at scalar_operations.py:\d+"):
        to_static(an_int(REJECTED[name]), SPEC)(paddle.to_tensor(CALLS[0]))


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.__name__)
@pytest.mark.parametrize("name", COMPUTED | REJECTED)
def test_result_equals_python_or_is_rejected(kind: Callable[..., Any], name: str) -> None:
    look = (COMPUTED | REJECTED)[name]
    for call in CALLS if (kind.__name__, name) not in COMPLEX else ():
        x = paddle.to_tensor(call)
        try:
            wanted = numbers(kind(look)(x))
        except (
            TypeError,
            ValueError,
            ArithmeticError,
            LookupError,
            AttributeError,
            RuntimeError,
            Warning,
        ):
            continue  # Python has none
        try:
            found = numbers(to_static(kind(look), SPEC)(x))
        except TraceError as error:
            assert "\n  at scalar_operations.py:" in str(
                error
            ) or "\n  at test_symbolic_scalars.py:" in str(error)
            continue
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
