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
    """Run a function as long as a condition holds.

    loop_vars = body(*loop_vars) while cond(*loop_vars)

    In eager mode, the loop runs in Python. While a program is built, each function is recorded, and
    the loop becomes a `while` op.

    Parameters
    ----------
    cond : callable
        Called with the loop variables; returns a bool tensor of one element.
    body : callable
        Called with the loop variables; returns their new values in a list or tuple, or the value if
        there is one.
    loop_vars : list or tuple of tensors, or of nested structures of tensors
        The initial values.
    is_test : bool, default False
        Has no effect.
    name : str, optional
        Not used.

    Returns
    -------
    list
        The final values, nested like `loop_vars`.

    Raises
    ------
    TypeError
        If `cond` or `body` is not callable, `loop_vars` is not a list or tuple, or, while a program
        is built, the condition is not a bool variable of one element.
    OpError
        If `loop_vars` is empty, or `body` returns another number of values.
    TraceError
        While a program is built, if an iteration changes the dtype of a loop variable.

    Notes
    -----
    Sizes of loop variables may change from iteration to iteration; dtypes must not.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     n = paddle.static.data("n", [1], "int64")
    ...     i, total = paddle.static.nn.while_loop(
    ...         lambda i, total: i < n,
    ...         lambda i, total: (i + 1, total + i),
    ...         [paddle.zeros([1], "int64"), paddle.zeros([1], "int64")],
    ...     )
    >>> feed = {"n": np.array([5], np.int64)}
    >>> paddle.static.Executor().run(main, feed, fetch_list=[total])[0].tolist()
    [10]
    >>> paddle.disable_static()
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
