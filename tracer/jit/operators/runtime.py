"""The operators that converted code calls at run time, under the name `__ol`. An operator runs
Python's operation on Python values, and records ops for symbolic values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...capture.control.branch_values import Undefined, cast_variable_to_bool
from ...capture.control.container_aliasing import resolve_replaced_list_and_reject_invalidated
from ...capture.control.optional_values import mark_return_value_maybe_none, none_flag_or_constant
from ...capture.modes import find_static_base_mode
from ...capture.variable import Variable
from ...core import pytree
from ...core.errors import TraceError, append_user_line
from ...core.mode import state
from ...core.op import OPS
from .branches import if_, if_expression
from .calls import call
from .dynamic_indexing import get_item
from .logical import (
    and_,
    compare_chain,
    equal,
    in_,
    not_,
    not_equal,
    or_,
    short_circuit_and_value,
    short_circuit_or_value,
)
from .loops import for_, list_comprehension, while_
from .nonlocal_writes import (
    attach_write_targets_to_setter,
    register_new_object,
    save_and_wrap_before_write,
)
from .python_scalars import (
    check_and_track_match_subject,
    get_class,
    guard_or_reject_attribute_read,
    is_,
    mod,
    reject_symbolic_value_in_f_string,
)
from .raise_assert_and_print import assert_, mark_exception_of_raise_statement
from .sequences import get_slice, is_iterable_by_recorded_loop

__all__ = [
    "NO_RETURN_VALUE",
    "Undefined",
    "and_",
    "assert_",
    "attach_write_targets_to_setter",
    "attribute_needs_assignment",
    "call",
    "check_and_track_match_subject",
    "compare_chain",
    "equal",
    "for_",
    "get_class",
    "get_item",
    "get_slice",
    "if_",
    "if_expression",
    "in_",
    "is_",
    "is_iterable_by_recorded_loop",
    "list_comprehension",
    "mark_exception_of_raise_statement",
    "mod",
    "not_",
    "not_equal",
    "or_",
    "read_attribute_or_undefined",
    "record_read_and_return_owner",
    "register_new_object",
    "reject_symbolic_value_in_f_string",
    "resolve_replaced_list_and_reject_invalidated",
    "return_value",
    "save_and_wrap_before_write",
    "short_circuit_and_value",
    "short_circuit_or_value",
    "while_",
]

NO_RETURN_VALUE = Undefined(
    "the value returned", "is missing, because some paths through the function return no value"
)


def return_value(value: Any, was_returned: Any = True, name: str = "") -> Any:
    """Operator for the return value of a function; None if no path through the function returns a
    value.

    was_returned: whether a value was returned; a bool Variable if that depends on the path.
    """
    if isinstance(was_returned, Variable) and value is not None:
        return _mark_return_value_maybe_none(was_returned, value, name)
    undefined = [
        v for v in pytree.flatten(value)[0] if isinstance(v, Undefined) and v is not NO_RETURN_VALUE
    ]
    if undefined:
        raise TraceError(append_user_line(f"return: '{undefined[0].name}' {undefined[0].why}"))
    return (
        None
        if isinstance(value, Undefined)
        or (not isinstance(was_returned, Variable) and not was_returned)
        else value
    )


def _mark_return_value_maybe_none(was_returned: Variable, value: Any, name: str) -> Any:
    """Return the value of a function, marked as None on the paths on which the function ends
    without a `return`. If the value is not a Variable, or the mode does not convert source, raises
    TraceError; while `oarlock explain` runs, the error is collected instead.
    """
    mode = find_static_base_mode(state.mode)
    assert mode is not None
    if not isinstance(value, Variable) or not mode.converts_source:
        why = f"not every path through {name} returns a value; Python would return None"
        error = TraceError(
            append_user_line(
                f"return: {why} on one, and {type(value).__name__} on another. Return a value "
                "at its end"
            )
        )
        return mode.raise_error_unless_collecting(error, value)
    missing, value_none_flag = (
        OPS["logical_not"](cast_variable_to_bool(was_returned)),
        none_flag_or_constant(value),
    )
    if isinstance(value_none_flag, Variable):
        missing = OPS["logical_or"](missing, value_none_flag)
    return mark_return_value_maybe_none(value, name, missing)


def read_attribute_or_undefined(read: Callable[[], Any], name: str) -> Any:
    """Operator that reads an attribute by calling `read`; returns Undefined if the attribute does
    not exist.
    """
    try:
        return read()
    except (AttributeError, NameError):
        return Undefined(name)


def attribute_needs_assignment(value: Any, read: Callable[[], Any]) -> bool:
    """Whether a setter must assign `value` to an attribute, because the attribute does not hold
    this object yet.
    """
    if isinstance(value, Undefined):
        return False
    try:
        return read() is not value
    except (AttributeError, NameError):
        return True


def record_read_and_return_owner(value: Any, name: str) -> Any:
    """Operator for `value` in `value.name`: add a guard for the attribute that is about to be read,
    because the program depends on it, and return `value`.
    """
    guard_or_reject_attribute_read(value, name)
    return value
