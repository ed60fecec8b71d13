"""Errors for lists that loops and branches replace, and for indices that are known only at run
time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import oarlock as paddle
from oarlock.core.errors import OarlockError, TraceError
from oarlock.jit import to_static


def changed_in_the_first_round(x: Any, k: Any) -> Any:
    q = [x, x + 1]
    p = q
    for _ in range(k):
        q.append(x * 2)
        q = q[1:]
    return paddle.stack(q), paddle.stack(p)


def changed_after_the_loop(x: Any, k: Any) -> Any:
    q, p = [x], [x]
    for i in range(k):
        q = q + [x * i]
        p = q
    q.append(x * 9)
    return paddle.stack(q), paddle.stack(p)


def changed_after_a_branch(x: Any, k: Any) -> Any:
    q = [x, x * k]
    p = q
    if x.sum() > 0:
        q = q + [x]
    q.append(x)
    return paddle.stack(q), len(p) + x


def changed_under_the_other_name(x: Any, k: Any) -> Any:
    q = [x]
    for i in range(k):
        p = q
        q = q + [x * i]
        p.append(x)
        q = p if x.sum() > 0 else q
        p.append(x)
        x = x + q[0]
    return x


ONE_LIST = [
    changed_in_the_first_round,
    changed_after_the_loop,
    changed_after_a_branch,
    changed_under_the_other_name,
]


def a_tuple_of_tuples_that_grows(x: Any, k: Any) -> Any:
    q: Any = ()
    for _ in range(k):
        q = (*q, (x, x))
    return q[0]


def a_list_and_a_tuple(x: Any, k: Any) -> Any:
    q = [x]
    for _ in range(k):
        q = q + [x]
    return paddle.stack(q + (x,))


def another_dtype(x: Any, k: Any) -> Any:
    q = [x]
    for _ in range(k):
        q = q + [x.astype("int64")]
    return paddle.stack(q)


def as_often_as_a_run_says(x: Any, k: Any) -> Any:
    q = [x]
    for _ in range(k):
        q = q + [x]
    return paddle.stack(q * k)


def elements_that_are_not_alike(x: Any, k: Any) -> Any:
    items = [x, x.sum()]
    items[k] = x
    return items[0]


def an_element_that_is_a_list(x: Any, k: Any) -> Any:
    items = [[x], [x]]
    items[k] = [x]
    return items[0][0]


def deleted_at_a_position(x: Any, k: Any) -> Any:
    items = [x, x]
    del items[k]
    return items[0]


def read_from_an_empty_list(x: Any, k: Any) -> Any:
    items: list[Any] = []
    for i in range(k):
        items[i] += x
    return x


REJECTED: dict[Callable[..., Any], str] = {
    **dict.fromkeys(
        ONE_LIST,
        r"append.* is the same list as this one on some paths|may be the same object as one that was changed",
    ),
    a_tuple_of_tuples_that_grows: "'q': only tensors and numbers can be loop-carried",
    a_list_and_a_tuple: "only a list, not tuple, can be added by `\\+` to the list",
    another_dtype: "holds float32; this element is int64",
    as_often_as_a_run_says: r"`\*` repeats the list .* of the program only by a positive int",
    elements_that_are_not_alike: r"should have the type of all elements, which are float32\[2\], float32\[\]; the value is float32\[2\]",
    an_element_that_is_a_list: "should have the type of all elements, which are list; the value is list",
    read_from_an_empty_list: "a list without elements is read at a position",
    deleted_at_a_position: "del: the index is known only at run time",
}


@pytest.mark.parametrize("function", REJECTED, ids=lambda f: f.__name__)
def test_rejection_names_the_line(function: Callable[..., Any]) -> None:
    with pytest.raises(TraceError, match=REJECTED[function]) as caught:
        to_static(function)(paddle.ones([2]), paddle.to_tensor(2))
    assert "test_array_errors.py" in str(caught.value)


@pytest.mark.parametrize("trains", [False, True])
@pytest.mark.parametrize("position", [2, -3])
def test_index_out_of_range_is_a_run_time_error(position: int, trains: bool) -> None:
    def put(x: Any, k: Any) -> Any:
        items = [x, x + 1]
        items[k] = x * 5
        return items[0] + items[1]

    function = to_static(put)
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=not trains)
    assert function(x, paddle.to_tensor(-2)).tolist() == put(x, paddle.to_tensor(-2)).tolist()
    with pytest.raises(OarlockError):
        function(x, paddle.to_tensor(position))
