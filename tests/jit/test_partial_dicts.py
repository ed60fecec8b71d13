"""Dicts that have a key on some paths only: one key is checked at run time, reading the whole dict
is rejected.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.core.errors import TraceError

ROWS = [paddle.full([2], value) for value in (4.0, 0.5, -1.0)]


class Holder:
    """An object with a dict."""

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}


def counted(x: Any) -> Any:
    found = {}
    if x.sum() > 0:
        found["sum"] = x * 2
    return x + len(found)


def counted_in_another_function(x: Any) -> Any:
    holder = Holder()

    def keep() -> None:
        holder.found["sum"] = x * 2

    if x.sum() > 0:
        keep()
    return x + len(holder.found)


def asked_whether_it_is_there(x: Any) -> Any:
    found = {"first": x}
    if x.sum() > 0:
        found["second"] = x * 2
        if x.sum() > 3:
            found["third"] = x * 3
    y = found["first"] + found.get("second", 7)
    return y + found["third"] if "third" in found else y


def asked_for_its_truth(x: Any) -> Any:
    found = {}
    if x.sum() > 0:
        found.update(one=x)
    return x + 1 if found else x - 1


def other_keys_on_each_way(x: Any) -> Any:
    if x.sum() > 0:
        found = {"above": x * 2, "both": x}
    else:
        found = {"both": x * 3}
    return found["both"] + 10 * len(found) + (5 if "above" in found else 0)


def taken_out(x: Any) -> Any:
    found = {"kept": x, "gone": x}
    if x.sum() > 0:
        del found["gone"]
    return x + len(found)


def a_number(x: Any) -> Any:
    found = {}
    if x.sum() > 0:
        found["steps"] = 3
    if "steps" in found:
        x = x + found["steps"] * 2
    return x + found.get("steps", 5) + found.get("nothing", 1)


def perhaps_none(x: Any) -> Any:
    found = {}
    if x.sum() > 0:
        found["sum"] = x * 2
    got = found.get("sum")
    return x if got is None else got


def nobody_reads_it(x: Any) -> Any:
    holder = Holder()
    if x.sum() > 0:
        holder.found["list"] = [x]
        holder.found["more"] = x
    return x * 2


def set_on_all_ways_afterwards(x: Any) -> Any:
    found = {}
    if x.sum() > 0:
        found["sum"] = x * 2
    found["sum"] = x * 3
    for value in found.values():
        x = x + value
    return x


@pytest.mark.parametrize(
    "function",
    [
        counted,
        counted_in_another_function,
        asked_whether_it_is_there,
        asked_for_its_truth,
        other_keys_on_each_way,
        taken_out,
        a_number,
        perhaps_none,
        nobody_reads_it,
        set_on_all_ways_afterwards,
    ],
)
def test_equals_python(function: Any) -> None:
    static = paddle.jit.to_static(function)
    for x in ROWS:
        np.testing.assert_array_equal(static(x).numpy(), function(x).numpy())


def test_layer_attribute_set_on_one_path() -> None:
    class Keeping(paddle.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.kept: dict[str, Any] = {}

        def forward(self, x: Any) -> Any:
            self.kept["bias"] = paddle.full([1], 2.0)
            if x.sum() > 0:
                self.kept["scale"] = x.max()
                x = x * self.kept["scale"]
            return x + self.kept["bias"]

    for x in ROWS:
        want = Keeping()(x).numpy()
        with pytest.warns(UserWarning, match="kept"):
            np.testing.assert_array_equal(paddle.jit.to_static(Keeping())(x).numpy(), want)


def looped_over(found: dict[str, Any]) -> Any:
    return sum(1 for _ in found)


def walked(found: dict[str, Any]) -> Any:
    n = 0
    for _ in found:
        n += 1
    return n


def gathered(found: dict[str, Any]) -> Any:
    return len(list(found.items()))


def copied(found: dict[str, Any]) -> Any:
    return len(dict(found))


def compared(found: dict[str, Any]) -> Any:
    return 1 if found == {} else 2


def compared_inside(found: dict[str, Any]) -> Any:
    return 1 if [found] != [{}] else 2


def among_others(found: dict[str, Any]) -> Any:
    return 1 if found in [{}] else 2


def in_order(found: dict[str, Any]) -> Any:
    return len(sorted(found))


def as_list(found: dict[str, Any]) -> Any:
    return len(list(found))


def any_of_them(found: dict[str, Any]) -> Any:
    return 1 if any(found) else 2


WHOLE = [
    looped_over,
    walked,
    gathered,
    copied,
    compared,
    compared_inside,
    among_others,
    in_order,
    as_list,
    any_of_them,
]


@pytest.mark.parametrize("read", WHOLE)
def test_reading_the_whole_dict_is_rejected(read: Any) -> None:
    def function(x: Any) -> Any:
        found = {}
        if x.sum() > 0:
            found["sum"] = x * 2
        return x + read(found)

    with pytest.raises(
        TraceError, match=r"'found': the key 'sum' has a value only if .*; use `in` or `len`"
    ):
        paddle.jit.to_static(function)(ROWS[0])


@pytest.mark.parametrize("apart", [True, False])
def test_list_under_a_partial_key(apart: bool) -> None:
    def function(x: Any) -> Any:
        holder = Holder()

        def keep() -> None:
            holder.found["list"] = [x]

        if x.sum() > 0:
            if apart:
                keep()
            else:
                holder.found["list"] = [x]
        return x + (1 if "list" in holder.found else 0)

    with pytest.raises(
        TraceError, match=r"found\['list'\]' has a value only if the condition holds, and is list"
    ):
        paddle.jit.to_static(function)(ROWS[0])
