"""`while_loop`: a loop whose condition and body are functions. In eager mode, the loop runs in
Python; while a program is recorded, the loop becomes a `while` op.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...core import pytree
from ...core.errors import OpError, TraceError, append_user_line
from ...core.mode import state
from ..modes import Static, find_static_base_mode
from ..variable import Variable
from .branch import check_one_element_bool_condition
from .loop import LoopValues, record_loop


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Sequence[Any],
    is_test: bool = False,
    name: str | None = None,
) -> list[Any]:
    """Run `body(*loop_vars)` while `cond(*loop_vars)` is true. Return the final values, nested like
    `loop_vars`.

    cond: returns a bool with one element.
    body: returns a list like loop_vars.

    Sizes may change from iteration to iteration; dtypes must not.
    """
    if not callable(cond) or not callable(body):
        raise TypeError(append_user_line("while_loop: cond and body should be functions"))
    if not isinstance(loop_vars, list | tuple):
        raise TypeError(
            append_user_line(
                f"while_loop: loop_vars should be a list or tuple, not {type(loop_vars).__name__}"
            )
        )
    if not loop_vars:
        raise OpError(append_user_line("while_loop: loop_vars should not be empty"))
    current = list(loop_vars)
    mode = find_static_base_mode(state.mode)
    while True:
        condition = cond(*current)
        if mode is not None and isinstance(condition, Variable):
            check_one_element_bool_condition("while_loop", condition)
            return _record_while(mode, cond, body, current)
        if mode is not None and mode.program_builder is not None:
            raise TypeError(
                append_user_line(
                    f"while_loop: cond returns a {type(condition).__name__}, not a variable of the "
                    "program"
                )
            )
        if not condition:
            return current
        current = _require_body_value_list(body(*current), len(current))


def _require_body_value_list(result: Any, count: int) -> list[Any]:
    values = (
        list(result)
        if isinstance(result, list | tuple) and not hasattr(result, "_fields")
        else [result]
    )
    if len(values) != count:
        raise OpError(
            append_user_line(f"while_loop: body returns {len(values)} values for {count} loop_vars")
        )
    return values


def _record_while(
    mode: Static, cond: Callable[..., Any], body: Callable[..., Any], start: list[Any]
) -> list[Any]:
    leaves, spec = pytree.flatten(start)

    def flat_test(values: LoopValues) -> tuple[Any, LoopValues]:
        return cond(*pytree.unflatten(spec, values)), values

    def flat_body(values: LoopValues) -> LoopValues:
        result, other = pytree.flatten(
            _require_body_value_list(body(*pytree.unflatten(spec, values)), len(start))
        )
        if other != spec:
            why = (
                f"body returns {pytree.format_spec_root(other)}, whose structure differs from "
                f"loop_vars ({pytree.format_spec_root(spec)})"
            )
            raise TraceError(append_user_line(f"while_loop: {why}"))
        return result

    labels = [f"loop_vars{p}" for p in pytree.subscript_paths(spec)]
    values: list[Any] = pytree.unflatten(
        spec, record_loop(mode, flat_test, flat_body, leaves, labels)
    )
    return values
