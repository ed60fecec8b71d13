"""Variables that only a loop iteration assigns, read after a loop without iterations: an error, as
in Python.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import oarlock as paddle
from oarlock.core.errors import OarlockError
from oarlock.static import InputSpec

Body = Callable[..., Any]


def last_of_while(x: Any, n: Any) -> Any:
    i = paddle.zeros([1], "int64")
    while i < n:
        last = x * i.astype("float32")
        i = i + 1
    return last


def last_of_for(x: Any, n: Any) -> Any:
    for k in range(n):
        last = x * k
    return last * 2.0


def counter(x: Any, n: Any) -> Any:
    for k in range(n):  # noqa: B007 - it is read after the loop
        x = x + 0.0
    return k + x


def two_loops(x: Any, n: Any) -> Any:
    for k in range(n):
        last = x * k
    for _ in range(3):
        last = last + x
    return last


def in_a_branch(x: Any, n: Any) -> Any:
    for k in range(n):
        last = x * k
    if x.sum() > 0:
        last = last + 1.0
    return last


BODIES = [last_of_while, last_of_for, counter, two_loops, in_a_branch]
X = paddle.to_tensor([1.0, 2.0])
NONE, TWO = (paddle.to_tensor([n], "int64") for n in (0, 2))


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("trains", [False, True])
def test_reading_is_an_error(body: Body, trains: bool) -> None:
    function = paddle.jit.to_static(body)
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=not trains)
    assert function(x, TWO).tolist() == body(x, TWO).tolist()
    name = "k" if body is counter else "last"
    said = (
        f"'{name}' has no value: the loop that assigns it ran zero iterations"
        if trains
        else f"undefined_after_zero_iterations_{name}"
    )
    with pytest.raises(OarlockError, match=said):
        function(x, NONE)
    with pytest.raises(UnboundLocalError):
        body(x, NONE)


def test_gradient_of_the_last_iteration() -> None:
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    paddle.jit.to_static(last_of_for)(x, paddle.to_tensor([4])).sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]


@pytest.mark.filterwarnings("ignore:.*there are no parameters")
def test_error_in_a_saved_model(tmp_path: Path) -> None:
    paddle.jit.save(
        paddle.jit.to_static(last_of_for),
        str(tmp_path / "m"),
        [InputSpec([2]), InputSpec([1], "int64")],
        verify=False,
    )
    loaded = paddle.jit.load(str(tmp_path / "m"))
    assert loaded(X, TWO).tolist() == [2.0, 4.0]
    with pytest.raises(OarlockError, match="undefined_after_zero_iterations_last"):
        loaded(X, NONE)


def test_unread_variable_is_no_error() -> None:
    @paddle.jit.to_static
    def function(x: Any, n: Any) -> Any:
        for k in range(n):
            last = x * k
        if n > 0:
            x = x + last
        return x

    assert function(X, NONE).tolist() == [1.0, 2.0]
    assert function(X, TWO).tolist() == [2.0, 4.0]


def chosen_in_some_round(x: Any) -> Any:
    i = paddle.zeros([1], "int64")
    while i < 3:
        if x.sum() > 2.0 + i.astype("float32"):
            best = x * i.astype("float32")
            number = 3
        i = i + 1
    return best + number


def kept_under_another_name(x: Any) -> Any:
    kept = x
    for row in x:
        if row > 2:
            best = row * 2
        if row > 3:
            kept = best + x
    return kept, best


def found_in_an_inner_loop(x: Any) -> Any:
    for a in x:
        for b in x:
            if a + b > 2:
                best = a * b
    return best * 2


def broken_off(x: Any) -> Any:
    for i in range(x.shape[0]):
        if x[i] > 1:
            best = x[i]
            break
    return best


def _flat(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)


@pytest.mark.parametrize(
    "body", [chosen_in_some_round, kept_under_another_name, found_in_an_inner_loop, broken_off]
)
@pytest.mark.parametrize("trains", [False, True])
def test_variable_not_assigned_in_any_iteration_is_an_error(body: Body, trains: bool) -> None:
    function = paddle.jit.to_static(body, [InputSpec([None])])
    x, less = (paddle.to_tensor(v, stop_gradient=not trains) for v in ([1.0, 4.0], [-1.0, -2.0]))
    for found, want in zip(_flat(function(x)), _flat(body(x)), strict=True):
        assert found.tolist() == want.tolist()
    with pytest.raises(
        OarlockError, match="'(best|number)' has no value: the branch that assigns it was not taken"
    ) as caught:
        function(less)
    assert "test_zero_iterations.py" in str(caught.value)
    with pytest.raises(UnboundLocalError):
        body(less)


def test_gradient_of_the_assigning_iteration() -> None:
    def gradient(function: Body) -> Any:
        x = paddle.to_tensor([1.0, 4.0], stop_gradient=False)
        function(x).sum().backward()
        return x.grad.tolist()

    assert gradient(paddle.jit.to_static(found_in_an_inner_loop, [InputSpec([None])])) == gradient(
        found_in_an_inner_loop
    )
