"""Dicts that have a key on some paths only: `d["w"] = x` under a condition. Converted code can read
and test single keys of these dicts; iterating or copying the dicts raises an error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...capture.control.branch import cond
from ...capture.control.container_aliasing import (
    container_name_message_prefix,
    items_without_alias_check,
    resolve_replaced_list_and_reject_invalidated,
)
from ...capture.modes import find_static_base_mode
from ...capture.symbolic_scalars import NONNEGATIVE_INT, mark_symbolic_scalar
from ...capture.variable import Variable
from ...core.errors import TraceError, append_user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.tensor import Tensor
from .python_scalars import entry_defined_flag
from .raise_assert_and_print import record_body_rejecting_raise

SINGLE_KEY_DICT_METHODS = frozenset(
    {"get", "__getitem__", "__contains__", "__setitem__", "__delitem__", "update", "clear"}
)


def num_dict_keys(partial_dict: dict[Any, Any]) -> Any:
    """Return the number of keys of a dict: an int, or a symbolic int if some keys exist on some
    paths only.
    """
    count = len(partial_dict)
    for _, value in _list_conditional_items(partial_dict):
        is_there = OPS["reshape2"](
            OPS["cast"](entry_defined_flag(value), in_dtype=0, out_dtype=3), shape=[]
        )
        count = is_there + (count - 1)
    return mark_symbolic_scalar(count, NONNEGATIVE_INT) if isinstance(count, Tensor) else count


def resolve_replaced_list_and_reject_incomplete(value: Any) -> Any:
    """Check a container whose items code is about to read all, and return it. For a list that was
    moved to a TensorArray, return the TensorArray. Raises TraceError for an invalidated container
    and for a dict whose keys depend on the path.
    """
    value = resolve_replaced_list_and_reject_invalidated(value)
    if isinstance(value, dict) and find_static_base_mode(state.mode) is not None:
        for key, entry in _list_conditional_items(value):
            assert entry.maybe_undefined is not None
            why = (
                f"the key {key!r} {entry.maybe_undefined.defined_when}; use `in` or `len`, "
                f"read the key, or set it on all paths"
            )
            raise TraceError(
                append_user_line(f"{container_name_message_prefix(value) or 'a dict: '}{why}")
            )
    return value


def require_complete_dicts_in(value: Any) -> Any:
    """Return `value`. Raise TraceError if it is, or contains, a dict that has a key on some paths
    only.
    """
    inner = (
        value.values()
        if isinstance(value, dict)
        else value
        if isinstance(value, list | tuple)
        else ()
    )
    for one in inner:
        if isinstance(one, dict | list | tuple):
            require_complete_dicts_in(one)
    return resolve_replaced_list_and_reject_incomplete(value) if isinstance(value, dict) else value


def make_partial_dict_get(partial_dict: dict[Any, Any]) -> Callable[..., Any]:
    """Return a replacement for the method `get` of a dict that has a key on some paths only."""

    def get_value(key: Any, default: Any = None) -> Any:
        value = dict.get(partial_dict, key, default)
        there = entry_defined_flag(value) if isinstance(value, Variable) else True
        if there is True:
            return value
        return record_body_rejecting_raise(
            lambda: cond(there, lambda: value, lambda: default, return_names=["get()"]), "`get`"
        )

    return get_value


def has_partial_keys(value: Any) -> bool:
    """Whether a dict has a key on some paths only."""
    return (
        isinstance(value, dict)
        and find_static_base_mode(state.mode) is not None
        and bool(_list_conditional_items(value))
    )


def _list_conditional_items(partial_dict: dict[Any, Any]) -> list[tuple[Any, Variable]]:
    pairs = (
        (key, value)
        for key, value in items_without_alias_check(partial_dict)
        if isinstance(value, Variable) and value.maybe_undefined is not None
    )
    return [(key, value) for key, value in pairs if entry_defined_flag(value) is not True]
