"""`while_loop`: a loop of functions, Python's own or one of a program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...core import pytree
from ...core.errors import OpError, TraceError, with_user_line
from ...core.mode import state
from ..modes import Static, static_mode
from ..variable import Variable
from .branch import check_condition
from .loop import Values, record_loop


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Sequence[Any],
    is_test: bool = False,
    name: str | None = None,
) -> list[Any]:
    """`body(*loop_vars)` as long as `cond(*loop_vars)` holds; gives the last loop_vars, nested as
    the first ones.

    cond: gives bool of one element; body: gives a list like loop_vars.
    Sizes may change from round to round, dtypes may not.
    """
    if not callable(cond) or not callable(body):
        raise TypeError(with_user_line("while_loop: cond and body should be functions"))
    if not isinstance(loop_vars, list | tuple):
        raise TypeError(
            with_user_line(
                f"while_loop: loop_vars should be a list or tuple, not {type(loop_vars).__name__}"
            )
        )
    if not loop_vars:
        raise OpError(with_user_line("while_loop: there should be one of loop_vars at least"))
    current = list(loop_vars)
    mode = static_mode(state.mode)
    while True:
        condition = cond(*current)
        if mode is not None and isinstance(condition, Variable):
            check_condition("while_loop", condition)
            return _recorded(mode, cond, body, current)
        if mode is not None and mode.builder is not None:
            raise TypeError(
                with_user_line(
                    f"while_loop: cond gives a {type(condition).__name__}, not a "
                    f"variable "
                    f"of "
                    f"the program"
                )
            )
        if not condition:
            return current
        current = _as_list(body(*current), len(current))


def _as_list(made: Any, count: int) -> list[Any]:
    values = (
        list(made) if isinstance(made, list | tuple) and not hasattr(made, "_fields") else [made]
    )
    if len(values) != count:
        raise OpError(
            with_user_line(f"while_loop: body gives {len(values)} values for {count} loop_vars")
        )
    return values


def _recorded(
    mode: Static, cond: Callable[..., Any], body: Callable[..., Any], start: list[Any]
) -> list[Any]:
    leaves, nesting = pytree.flatten(start)

    def test(values: Values) -> tuple[Any, Values]:
        return cond(*pytree.unflatten(nesting, values)), values

    def run(values: Values) -> Values:
        made, other = pytree.flatten(_as_list(body(*pytree.unflatten(nesting, values)), len(start)))
        if other != nesting:
            why = (
                f"body returns {pytree.describe(other)}, whose structure differs from "
                f"loop_vars ({pytree.describe(nesting)})"
            )
            raise TraceError(with_user_line(f"while_loop: {why}"))
        return made

    labels = [f"loop_vars{p}" for p in pytree.key_paths(nesting)]
    found: list[Any] = pytree.unflatten(nesting, record_loop(mode, test, run, leaves, labels))
    return found
