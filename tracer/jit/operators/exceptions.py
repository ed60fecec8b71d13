"""What converted code refuses and shows: `assert`, `raise` under a condition that only a run knows,
and `print`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...capture.control.branch import check_condition, put_back
from ...capture.control.branch_values import as_condition
from ...capture.control.mutable_locations import refuse_changed
from ...capture.control.optional_values import facts_of
from ...capture.modes import Static, static_mode
from ...capture.side_effects.py_func import py_func
from ...capture.variable import Variable
from ...core import pytree
from ...core.errors import TraceError, user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.tensor import Tensor

# of an exception that a statement of the user's raised while its code was recorded
MARK = "_oarlock_raised_at"


class Stopped(Exception):
    """A branch that only a run takes raises.

    holds: whether it is the one where the condition holds; error: the user's exception
    """

    def __init__(self, holds: bool, error: Exception) -> None:
        super().__init__(str(error))
        self.holds, self.error = holds, error


def raised(error: Any) -> Any:
    """What `raise error` raises."""
    made = error() if isinstance(error, type) and issubclass(error, Exception) else error
    if isinstance(made, Exception) and static_mode(state.mode) is not None:
        made.__dict__[MARK] = str(user_line() or "")
    return made


def tried(mode: Static, holds: bool, run: Callable[[], Any]) -> Any:
    """Record a branch.

    Raises Stopped where it raises by a statement of the user's; what it changed in place is put
    back.
    """
    try:
        return run()
    except Exception as error:
        if MARK not in error.__dict__:
            raise
        refuse_changed(mode.recorder.open[-1])
        for tensor, desc in mode.recorder.open[-1].changed.values():
            put_back(mode, tensor, desc)
        raise Stopped(holds, error) from error


def refuse_where(mode: Static, condition: Variable, stop: Stopped) -> None:
    """Write down that a run ends where a condition leads to a `raise`."""
    holds = OPS["logical_not"](condition) if stop.holds else condition
    check(mode, holds, f"{type(stop.error).__name__}: {stop.error}", stop.error.__dict__[MARK])


def unconditional(run: Callable[[], Any], what: str) -> Any:
    """Run a recording.   Raises TraceError where the user's code raises whatever the values are."""
    try:
        return run()
    except Exception as error:
        if MARK not in error.__dict__:
            raise
        why = (
            f"raise: {type(error).__name__} in {what}, of which only a run knows whether "
            f"there is one; raise it under an `if`"
        )
        raise TraceError(f"{why}\n  at {error.__dict__[MARK]}") from error


def assert_(test: Any, message: Callable[[], Any]) -> None:
    """`assert test, message()`.   A value of the program is looked at when it runs."""
    mode = static_mode(state.mode)
    if not isinstance(test, Variable) or mode is None:
        if not test:
            said = message()
            raise raised(AssertionError() if said is None else AssertionError(said))
        return
    said = _said(message)
    data = [said] if isinstance(said, Variable) else []
    check(mode, as_condition(test), "" if data or said is None else str(said), "", data)


def _said(message: Callable[[], Any]) -> Any:
    """The message of an assert; its text in the source where it asks for values."""
    try:
        return message()
    except TraceError:
        line = user_line()
        return line.text.partition(",")[2].strip() if line else None


def check(
    mode: Static, holds: Any, message: str, where: str, data: list[Variable] | None = None
) -> None:
    """Write down that a run ends where `holds` is not true.

    where: the line, by default the one that is being recorded.
    """
    check_condition("assert", holds)
    mode.recorder.open[-1].facts |= facts_of(holds, True)
    made = mode.recorder.emit_assert(holds, message, data or [])
    made.where = where or made.where


def print_(*values: Any, **how: Any) -> None:
    """`print(*values)`: with values of the program whenever it runs, as Python would print them."""
    leaves, nesting = pytree.flatten(values)
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, Variable)]
    mode = static_mode(state.mode)
    if not places or mode is None:
        if mode is None or mode.recorder.rollback is None or how.get("file") is not None:
            print(*values, **how)
        else:
            mode.recorder.rollback.defer_print(values, how)
        return

    def show(*arrays: Any) -> None:
        shown = list(leaves)
        for i, array in zip(places, arrays, strict=True):
            shown[i] = Tensor(array)
        print(*pytree.unflatten(nesting, shown), **how)

    py_func(show, [leaves[i] for i in places], None)
