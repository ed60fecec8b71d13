"""Values that may be None are tested before they are used; `and` and `or` return one of two
values.
"""

from __future__ import annotations

from typing import Any

import pytest

import oarlock as paddle
from oarlock.core.errors import AssertError, OpError, TraceError
from oarlock.jit import to_static


def used(x: Any) -> Any:
    r = None
    if x.sum() > 0:
        r = x * 2
    return r + 1


def given_back(x: Any) -> Any:
    r = None
    if x.sum() > 0:
        r = x * 2
    return r


def used_after_a_loop(x: Any) -> Any:
    best = None
    for row in x:
        if row > 1:
            best = row
    return best * 2


def of_several_elements(x: Any) -> Any:
    return x or x + 1


def of_other_dtypes(x: Any) -> Any:
    y = x.sum() > 0 and x.max()
    return x * y


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (used, r"'r' may be None here.*r = x \* 2\): check `is not None` first\n.*return r \+ 1"),
        (
            used_after_a_loop,
            r"'best' may be None here.*check `is not None` first\n.*return best \* 2",
        ),
        (
            of_several_elements,
            r"or: Python tests whether the first operand is true, but it has several elements.*return x or x \+ 1",
        ),
        (
            of_other_dtypes,
            r"an operand has another dtype .* in each branch.*: y = x.sum\(\) > 0 and x.max\(\)",
        ),
    ],
    ids=lambda v: v.__name__ if callable(v) else "",
)
def test_rejected(function: Any, words: str) -> None:
    with pytest.raises(TraceError, match=f"(?s){words}"):
        to_static(function)(paddle.to_tensor([1.0, 2.0]))


def test_none_result_is_a_run_time_error() -> None:
    program = to_static(given_back)
    assert program(paddle.to_tensor([1.0, 2.0])).tolist() == [2.0, 4.0]
    with pytest.raises(AssertError, match="'r' is None, but a program must return tensors"):
        program(paddle.to_tensor([-1.0, 2.0 - 4]))


def test_gradients_of_the_selected_operand() -> None:
    def either(x: Any, y: Any) -> Any:
        return x or y

    for value, wanted in ((2.0, [1.0, 0.0]), (0.0, [0.0, 1.0])):
        x, y = (
            paddle.to_tensor([value], stop_gradient=False),
            paddle.to_tensor([3.0], stop_gradient=False),
        )
        to_static(either)(x, y).sum().backward()
        assert [0.0 if t.grad is None else t.grad.item() for t in (x, y)] == wanted


def test_in_operator_of_tensors() -> None:
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    assert 2.0 in x
    assert 5.0 not in x
    assert paddle.to_tensor(4.0) in x


def none_in_another_branch(x: Any) -> Any:
    r = None
    if x.sum() > 0:
        r = x * 2
    y = x
    if x.max() > 0:
        y = r + 1
    return y


def none_in_rounds(x: Any) -> Any:
    r = None
    if x.sum() > 0:
        r = x * 2
    y = x
    while y.max() < 5:
        y = y + paddle.abs(r) + 1
    return y


def no_value_in_another_branch(x: Any) -> Any:
    if x.sum() > 0:
        r = x * 2
    y = x
    if x.max() > 0:
        y = r
    return y


def no_value_appended(x: Any) -> Any:
    if x.sum() > 0:
        r = x * 2
    out = []
    if x.max() > 0:
        out.append(r)
    else:
        out.append(x)
    return out[0]


@pytest.mark.parametrize(
    ("function", "why", "line"),
    [
        (none_in_another_branch, "'r' is None here; check `is not None` first", r"y = r \+ 1"),
        (none_in_rounds, "'r' is None here; check `is not None` first", r"paddle.abs\(r\)"),
        (
            no_value_in_another_branch,
            "'r' has no value: the branch that assigns it was not taken",
            "if x.max",
        ),
        (
            no_value_appended,
            "'r' has no value: the branch that assigns it was not taken",
            "if x.max",
        ),
    ],
    ids=lambda v: v.__name__ if callable(v) else "",
)
def test_using_a_missing_value_is_a_run_time_error(function: Any, why: str, line: str) -> None:
    program = to_static(function)
    assert (
        program(paddle.to_tensor([1.0, 2.0])).tolist()
        == function(paddle.to_tensor([1.0, 2.0])).tolist()
    )
    with pytest.raises(OpError, match=f"(?s){why}.*{line}"):
        program(paddle.to_tensor([-3.0, 2.0], stop_gradient=False))


@pytest.mark.filterwarnings("ignore:m. there are no parameters")
def test_missing_value_in_a_loaded_program(tmp_path: Any) -> None:
    paddle.jit.save(
        to_static(none_in_another_branch),
        str(tmp_path / "m"),
        [paddle.static.InputSpec([None], "float32")],
    )
    loaded = paddle.jit.load(str(tmp_path / "m"))
    assert loaded(paddle.to_tensor([1.0, 2.0])).tolist() == [3.0, 5.0]
    with pytest.raises(paddle.OarlockError, match="is_none_here_r"):
        loaded(paddle.to_tensor([-3.0, 2.0]))


def checked_by_an_assert(x: Any) -> Any:
    r = None
    if x.sum() > 0:
        r = x * 2
    assert r is not None, "nothing found"
    return r + 1


def test_use_after_an_assert() -> None:
    program = to_static(checked_by_an_assert)
    assert program(paddle.to_tensor([1.0, 2.0])).tolist() == [3.0, 5.0]
    with pytest.raises(AssertError, match="nothing found"):
        program(paddle.to_tensor([-3.0, 2.0]))
