"""What converted code calls: Python where a value is Python's, a part of the program where it is a
value of the program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...capture.control.branch_values import Undefined, as_condition
from ...capture.control.may_alias import current
from ...capture.control.optional_values import make_returned, none_flag
from ...capture.modes import static_mode
from ...capture.variable import Variable
from ...core import pytree
from ...core.errors import TraceError, with_user_line
from ...core.mode import state
from ...core.op import OPS
from .branches import if_, if_expression
from .calls import call
from .dynamic_indexing import item
from .exceptions import assert_, raised
from .logical import and_, and_value, chain, equal, in_, not_, not_equal, or_, or_value
from .loops import for_, listed, while_
from .nonlocal_writes import changing, new, owns
from .python_scalars import class_of, is_, looks_at, matched, mod, shown
from .sequences import opened, part

__all__ = [
    "Undefined",
    "and_",
    "and_value",
    "assert_",
    "attribute",
    "call",
    "chain",
    "changing",
    "class_of",
    "current",
    "equal",
    "for_",
    "if_",
    "if_expression",
    "in_",
    "is_",
    "is_set",
    "item",
    "listed",
    "matched",
    "mod",
    "new",
    "not_",
    "not_equal",
    "nothing_returned",
    "opened",
    "or_",
    "or_value",
    "owns",
    "part",
    "raised",
    "reading",
    "returned",
    "shown",
    "while_",
]

nothing_returned = Undefined(
    "the value returned", "is missing: not every way through the function returns one"
)


def returned(value: Any, whether: Any = True, name: str = "") -> Any:
    """What a function gives: None where no way through it gave anything.

    whether: it did, where that is not clear from its code.
    """
    if isinstance(whether, Variable) and value is not None:
        return _returned_if(whether, value, name)
    held = [
        v
        for v in pytree.flatten(value)[0]
        if isinstance(v, Undefined) and v is not nothing_returned
    ]
    if held:
        raise TraceError(with_user_line(f"return: '{held[0].name}' {held[0].why}"))
    return (
        None
        if isinstance(value, Undefined) or (not isinstance(whether, Variable) and not whether)
        else value
    )


def _returned_if(whether: Variable, value: Any, name: str) -> Any:
    """What a function gives that may come to its end without a value: None there, for which whoever
    uses it has to ask.
    """
    mode = static_mode(state.mode)
    assert mode is not None
    if not isinstance(value, Variable) or not mode.converts:
        why = f"not every way through {name} returns a value; Python would give None there"
        error = TraceError(
            with_user_line(f"return: {why}, beside {type(value).__name__}. Return one at its end")
        )
        return mode.trouble(error, value)
    missing, none = OPS["logical_not"](as_condition(whether)), none_flag(value)
    if isinstance(none, Variable):
        missing = OPS["logical_or"](missing, none)
    return make_returned(value, name, missing)


def attribute(read: Callable[[], Any], name: str) -> Any:
    """The value of an attribute; Undefined where there is none."""
    try:
        return read()
    except (AttributeError, NameError):
        return Undefined(name)


def is_set(value: Any, read: Callable[[], Any]) -> bool:
    """Whether an attribute has to be set to `value`: it is another one now."""
    if isinstance(value, Undefined):
        return False
    try:
        return read() is not value
    except (AttributeError, NameError):
        return True


def reading(value: Any, name: str) -> Any:
    """An object of which an attribute is about to be read: what was there before the recording may
    be another at the next call.
    """
    looks_at(value, name)
    return value
