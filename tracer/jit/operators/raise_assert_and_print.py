"""`assert`, `raise` under a symbolic condition, and `print`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...capture.control.branch import check_one_element_bool_condition, rebind_tensor_to_declaration
from ...capture.control.branch_values import cast_variable_to_bool
from ...capture.control.mutable_locations import reject_unrestorable_changes
from ...capture.control.optional_values import implied_condition_values
from ...capture.modes import Static, find_static_base_mode
from ...capture.side_effects.py_func_and_static_pylayer import py_func
from ...capture.variable import Variable
from ...core import pytree
from ...core.errors import TraceError, user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.tensor import Tensor

# Attribute that marks an exception as raised by a `raise` statement of the user's code during the
# recording.
RAISE_LOCATION_ATTR = "_oarlock_raised_at"


class RaisedInBranchError(Exception):
    """Signals that the user's code raises an exception in a branch that is being recorded.

    holds: whether the branch is the one for a true condition.
    error: the user's exception.
    """

    def __init__(self, holds: bool, error: Exception) -> None:
        super().__init__(str(error))
        self.in_true_branch, self.error = holds, error


def mark_exception_of_raise_statement(error: Any) -> Any:
    """Operator for the exception of a `raise` statement: marks it as raised by the user's code."""
    result = error() if isinstance(error, type) and issubclass(error, Exception) else error
    if isinstance(result, Exception) and find_static_base_mode(state.mode) is not None:
        result.__dict__[RAISE_LOCATION_ATTR] = str(user_line() or "")
    return result


def record_branch_converting_raise(mode: Static, holds: bool, run: Callable[[], Any]) -> Any:
    """Record the body of a branch; a `raise` of the user's code becomes RaisedInBranchError.

    Raises RaisedInBranchError if the body executes a `raise` statement of the user; in-place
    changes of the body are then undone.
    """
    try:
        return run()
    except Exception as error:
        if RAISE_LOCATION_ATTR not in error.__dict__:
            raise
        reject_unrestorable_changes(mode.recorder.open_blocks[-1])
        for tensor, desc in mode.recorder.open_blocks[-1].inplace_writes.values():
            rebind_tensor_to_declaration(mode, tensor, desc)
        raise RaisedInBranchError(holds, error) from error


def emit_assert_for_raising_branch(
    mode: Static, condition: Variable, raised: RaisedInBranchError
) -> None:
    """Append an assert that stops each run in which the condition selects the branch that
    raises.
    """
    holds = OPS["logical_not"](condition) if raised.in_true_branch else condition
    emit_assert(
        mode,
        holds,
        f"{type(raised.error).__name__}: {raised.error}",
        raised.error.__dict__[RAISE_LOCATION_ATTR],
    )


def record_body_rejecting_raise(run: Callable[[], Any], what: str) -> Any:
    """Record the body of a loop or expression; raise TraceError if the user's code raises an
    exception in it, because every run would then raise it, whatever its inputs are.
    """
    try:
        return run()
    except Exception as error:
        if RAISE_LOCATION_ATTR not in error.__dict__:
            raise
        why = (
            f"raise: {type(error).__name__} in {what}, which may run zero times; raise it "
            f"under an `if`"
        )
        raise TraceError(f"{why}\n  at {error.__dict__[RAISE_LOCATION_ATTR]}") from error


def assert_(test: Any, message: Callable[[], Any]) -> None:
    """Operator for `assert test, message()`. If `test` is a symbolic value, an assert is recorded,
    which each run checks.
    """
    mode = find_static_base_mode(state.mode)
    if not isinstance(test, Variable) or mode is None:
        if not test:
            text = message()
            raise mark_exception_of_raise_statement(
                AssertionError() if text is None else AssertionError(text)
            )
        return
    text = _evaluate_message_or_source_text(message)
    data = [text] if isinstance(text, Variable) else []
    emit_assert(
        mode, cast_variable_to_bool(test), "" if data or text is None else str(text), "", data
    )


def _evaluate_message_or_source_text(message: Callable[[], Any]) -> Any:
    """Return the message of an assert, or the source text of the message if its value depends on
    symbolic values.
    """
    try:
        return message()
    except TraceError:
        line = user_line()
        return line.text.partition(",")[2].strip() if line else None


def emit_assert(
    mode: Static, holds: Any, message: str, where: str, data: list[Variable] | None = None
) -> None:
    """Append an assert that stops each run in which `holds` is false.

    where: the user's line for the error message, by default the current one.
    """
    check_one_element_bool_condition("assert", holds)
    mode.recorder.open_blocks[-1].conditions |= implied_condition_values(holds, True)
    result = mode.recorder.emit_assert(holds, message, data or [])
    result.user_line = where or result.user_line


def print_(*values: Any, **options: Any) -> None:
    """Operator for `print(*values)`. If one of the values is symbolic, the call is recorded, and
    each run prints.
    """
    leaves, spec = pytree.flatten(values)
    variable_indices = [i for i, leaf in enumerate(leaves) if isinstance(leaf, Variable)]
    mode = find_static_base_mode(state.mode)
    if not variable_indices or mode is None:
        if mode is None or mode.recorder.rollback is None or options.get("file") is not None:
            print(*values, **options)
        else:
            mode.recorder.rollback.defer_print(values, options)
        return

    def print_run_time_values(*arrays: Any) -> None:
        shown = list(leaves)
        for i, array in zip(variable_indices, arrays, strict=True):
            shown[i] = Tensor(array)
        print(*pytree.unflatten(spec, shown), **options)

    py_func(print_run_time_values, [leaves[i] for i in variable_indices], None)
