"""Dicts that have a key on some ways only: `d["w"] = x` under a condition. Who asks for one key is
told; the whole dict nobody knows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...capture.control.branch import cond
from ...capture.control.may_alias import current, items_of, named
from ...capture.modes import static_mode
from ...capture.symbolic_scalars import NATURAL, marked
from ...capture.variable import Variable
from ...core.errors import TraceError, with_user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.tensor import Tensor
from .exceptions import unconditional
from .python_scalars import is_there

OF_ONE_KEY = frozenset(
    {"get", "__getitem__", "__contains__", "__setitem__", "__delitem__", "update", "clear"}
)


def count_of(held: dict[Any, Any]) -> Any:
    """How many keys a dict has: an int, or a number that only a run knows."""
    found = len(held)
    for _, value in _unsure(held):
        there = OPS["reshape2"](OPS["cast"](is_there(value), in_dtype=0, out_dtype=3), shape=[])
        found = there + (found - 1)
    return marked(found, NATURAL) if isinstance(found, Tensor) else found


def whole(value: Any) -> Any:
    """A value that is read as a whole.

    Raises TraceError for a dict of which only a run knows the keys.
    """
    value = current(value)
    if isinstance(value, dict) and static_mode(state.mode) is not None:
        for key, held in _unsure(value):
            assert held.half is not None
            why = (
                f"the key {key!r} {held.half.why}; ask `in` or `len`, read the key, or set it "
                f"on all ways"
            )
            raise TraceError(with_user_line(f"{named(value) or 'a dict: '}{why}"))
    return value


def all_whole(value: Any) -> Any:
    """A value that is compared, with the dicts that it holds."""
    inner = (
        value.values()
        if isinstance(value, dict)
        else value
        if isinstance(value, list | tuple)
        else ()
    )
    for one in inner:
        if isinstance(one, dict | list | tuple):
            all_whole(one)
    return whole(value) if isinstance(value, dict) else value


def getting(held: dict[Any, Any]) -> Callable[..., Any]:
    """`get` of a dict that has a key on some ways only."""

    def get(key: Any, default: Any = None) -> Any:
        value = dict.get(held, key, default)
        there = is_there(value) if isinstance(value, Variable) else True
        if there is True:
            return value
        return unconditional(
            lambda: cond(there, lambda: value, lambda: default, return_names=["get()"]), "`get`"
        )

    return get


def is_unsure(value: Any) -> bool:
    """Whether a dict has a key on some ways only."""
    return isinstance(value, dict) and static_mode(state.mode) is not None and bool(_unsure(value))


def _unsure(held: dict[Any, Any]) -> list[tuple[Any, Variable]]:
    pairs = (
        (key, value)
        for key, value in items_of(held)
        if isinstance(value, Variable) and value.half is not None
    )
    return [(key, value) for key, value in pairs if is_there(value) is not True]
