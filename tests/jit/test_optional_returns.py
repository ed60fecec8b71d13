"""Functions that end without a `return` on some paths: None, as in Python, and an error if it is
used as a tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import oarlock as paddle
from oarlock.core.errors import OarlockError
from oarlock.jit import to_static
from oarlock.static import InputSpec

# ruff: noqa: RET503 - that is what is tested


def doubled(x: Any) -> Any:
    if x.sum() > 0:
        return x * 2


def first_above(x: Any, limit: float) -> Any:
    for row in x:
        if row.sum() > limit:
            return row


def used(x: Any) -> Any:
    y = doubled(x)
    return y + 1


def not_used(x: Any) -> Any:
    y = doubled(x)
    z = x + 1
    if x.sum() > 0:
        z = z + y
    return z


def asked(x: Any) -> Any:
    y = doubled(x)
    return x - 1 if y is None else y


def asked_of_a_loop(x: Any) -> Any:
    y = first_above(x, 1.0)
    if y is not None:
        return y * 3
    return x.sum()


MORE, LESS = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([-1.0, -2.0])


@pytest.mark.parametrize("function", [not_used, asked, asked_of_a_loop])
@pytest.mark.parametrize("trains", [False, True])
def test_tested_or_unused_result_equals_python(
    function: Callable[[Any], Any], trains: bool
) -> None:
    program = to_static(function, [InputSpec([None])])
    for given in (MORE, LESS):
        x = paddle.to_tensor(given.numpy(), stop_gradient=not trains)
        assert program(x).tolist() == function(x).tolist()


@pytest.mark.parametrize("function", [used, doubled])
@pytest.mark.parametrize("trains", [False, True])
def test_using_none_raises_with_the_function_name(
    function: Callable[[Any], Any], trains: bool
) -> None:
    program = to_static(function)
    x, less = (paddle.to_tensor(v.numpy(), stop_gradient=not trains) for v in (MORE, LESS))
    assert program(x).tolist() == function(x).tolist()
    with pytest.raises(OarlockError, match="'doubled' ended without a `return`.*") as caught:
        program(less)
    assert "test_optional_returns.py" in str(caught.value)


@pytest.mark.filterwarnings("ignore:.*there are no parameters")
def test_saved_model_raises_the_same_error(tmp_path: Path) -> None:
    paddle.jit.save(to_static(used), str(tmp_path / "m"), [InputSpec([2])], verify=False)
    loaded = paddle.jit.load(str(tmp_path / "m"))
    assert loaded(MORE).tolist() == [3.0, 5.0]
    with pytest.raises(OarlockError, match="'doubled' ended without a `return`"):
        loaded(LESS)
