"""`and`, `or`, `not`, `in` and chains of comparisons, of values of which only a run knows whether
they are true.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, KeysView, ValuesView
from contextlib import suppress
from typing import Any

import numpy as np

from ...capture.control.branch import cond
from ...capture.control.branch_values import as_condition, as_meta, constant, meta_of
from ...capture.control.may_alias import current
from ...capture.control.mutable_locations import taken_back
from ...capture.control.optional_values import NO_FACTS, facts_of, implying, tells
from ...capture.control.tensor_arrays import StillEmpty, TensorArray
from ...capture.modes import NoValue, SymbolicShape, static_mode
from ...capture.recorder import Inner
from ...capture.symbolic_scalars import BOOL, marked, stands_for
from ...capture.variable import Variable
from ...core.errors import TraceError, with_user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.tensor import Tensor
from ...ir.program import OpDesc
from .calls import asked, call
from .dunder_methods import method_for
from .exceptions import unconditional
from .iterables import rows_of
from .partial_dicts import all_whole
from .python_scalars import is_, is_there, standing
from .registry import register
from .sequences import folded

_UNSAID = object()  # stands for an operand that may not be looked at


@register
def and_(a: Any, b: Callable[[], Any]) -> Any:
    """`a and b()`."""
    a = asked(a)
    return _lazily("logical_and", a, b) if isinstance(a, Variable) else a and b()


@register
def or_(a: Any, b: Callable[[], Any]) -> Any:
    """`a or b()`."""
    a = asked(a)
    return _lazily("logical_or", a, b) if isinstance(a, Variable) else a or b()


def and_value(a: Any, b: Callable[[], Any]) -> Any:
    """`a and b()`, of which the value counts: one of the two."""
    return _either_value("logical_and", a, b) if isinstance(a, Variable) else a and b()


def or_value(a: Any, b: Callable[[], Any]) -> Any:
    """`a or b()`, of which the value counts: one of the two."""
    return _either_value("logical_or", a, b) if isinstance(a, Variable) else a or b()


def _either_value(op: str, a: Variable, b: Callable[[], Any]) -> Any:
    mode = static_mode(state.mode)
    if mode is None:
        return _logical(op, a, b())
    if a.meta.dtype == bool:
        mark, here = mode.recorder.mark(), Inner(mode.recorder.block)
        with mode.recorder.writing(here):
            second = b()
        if (
            not taken_back(here)
            and (meta_of(second) or a.meta).dtype == bool
            and meta_of(second) is not None
        ):
            return _logical(op, a, second)
        mode.recorder.rewind(mark)
    return _chosen_value(op.removeprefix("logical_"), a, b)


def _chosen_value(name: str, a: Variable, b: Callable[[], Any]) -> Any:
    if any(d not in (1, -1) for d in a.meta.shape):
        why = (
            "Python asks whether the first one is true, which has several elements; use "
            "`.any()`, `.all()` or paddle.where"
        )
        raise TraceError(with_user_line(f"{name}: {why} (X={a.meta}{a.made_at})"))

    def keep() -> Any:
        return a

    ways = (b, keep) if name == "and" else (keep, b)
    return unconditional(
        lambda: cond(as_condition(a), *ways, return_names=[f"`{name}`"]),
        "one side of an expression",
    )


def _lazily(op: str, a: Variable, b: Callable[[], Any]) -> Any:
    """Both operands are computed; where the second one changes more than its result, only if it
    counts.
    """
    mode = static_mode(state.mode)
    if mode is None:
        return _logical(op, a, b())
    mark, here = mode.recorder.mark(), Inner(mode.recorder.block)
    if tells(a) == NO_FACTS:
        second: Any = _UNSAID
        try:
            with mode.recorder.writing(here), suppress(NoValue):
                second = b()
        except StillEmpty:  # tried again when something is in the list
            if not mode.recorder.loops:
                raise
            return as_condition(a)
        looks_up = any(_may_fail(made) for made in mode.recorder.block.ops[mark.ops :])
        if not taken_back(here) and second is not _UNSAID and not looks_up:
            return _logical(op, a, second)
        mode.recorder.rewind(mark)
    said: list[Any] = []

    def other() -> Any:
        said.append(asked(b()))
        return as_condition(said[0]) if isinstance(said[0], Tensor) else bool(said[0])

    ways = other, (lambda: constant(op == "logical_or"))
    found = cond(as_condition(a), *(ways if op == "logical_and" else ways[::-1]))
    return _telling(op, found, a, said[0])


def _may_fail(op: OpDesc) -> bool:
    """Whether an op fails where a position is out of range, against which the first operand may
    guard.
    """
    return op.type in LOOKS_UP or (
        op.type == "slice"
        and bool(op.inputs.get("StartsTensorList") or op.inputs.get("StartsTensor"))
    )


LOOKS_UP = frozenset({"read_from_array", "gather", "gather_nd", "index_sample", "take_along_axis"})


def _telling(op: str, found: Any, a: Any, b: Any) -> Any:
    """A conjunction or disjunction, which tells what both of its operands do where it is clear that
    these hold, or do not.
    """
    if isinstance(found, Variable):
        one, two = tells(a), tells(b)
        both = op == "logical_and"
        found.tells = (
            (one[0] | two[0], one[1] & two[1]) if both else (one[0] & two[0], one[1] | two[1])
        )
        (yes, no), (too, neither) = ((facts_of(v, True), facts_of(v, False)) for v in (a, b))
        implying(found, *((yes | too, no & neither) if both else (yes & too, no | neither)))
    return found


def _logical(op: str, a: Variable, b: Any) -> Any:
    b = asked(b)
    if not isinstance(b, Tensor):
        keeps = bool(b) if op == "logical_and" else not b
        return as_condition(a) if keeps else b
    found = _telling(op, OPS[op](as_condition(a), as_condition(b)), a, b)
    if stands_for(a) is not None and stands_for(b) is not None:
        marked(found, BOOL)
    mode = static_mode(state.mode)
    if mode is not None:
        mode.recorder.aliases.join([(found, (a, b))])
    return found


def not_(a: Any) -> Any:
    """`not a`."""
    a = asked(a)
    if not isinstance(a, Variable):
        return not a
    made = marked(OPS["logical_not"](as_condition(a)), BOOL)
    made.tells = tells(a)[::-1]
    implying(made, facts_of(a, False), facts_of(a, True))
    return made


def in_(a: Any, b: Any) -> Any:
    """`a in b`."""
    b = current(b)
    method = method_for(b, "__contains__")
    if method is not None:
        return as_condition(call(method)(a))
    if isinstance(b, TensorArray):
        return folded(
            rows_of(b),
            False,
            lambda found, item: or_(found, lambda: item == a),
            "whether it is there",
        )
    if isinstance(b, Variable):
        same = OPS["equal"](b, as_meta(a, b.meta))
        return OPS["reduce_any"](same, reduce_all=True, dim=[], keep_dim=False)
    among = isinstance(b, list | tuple | range | set | frozenset) and (
        isinstance(a, Variable) or _of_program(a)
    )
    if among or _of_program(b):
        found: Any = False
        for value in b:
            found = or_(found, functools.partial(equal, a, value))
        return found
    if standing(a) is not None and isinstance(b, dict | KeysView | ValuesView | np.ndarray):
        return in_(a, list(b.flat if isinstance(b, np.ndarray) else b))
    found = (a if isinstance(b, dict) else all_whole(a)) in b
    held = b.get(a) if found and isinstance(b, dict) else None
    return is_there(held) if isinstance(held, Variable) else found


def equal(a: Any, b: Any) -> Any:
    """`a == b`, also of lists and tuples that hold values of the program, as shapes do."""
    if not _by_elements(a, b):
        return all_whole(a) == all_whole(b)
    pairs = list(zip(a, b, strict=False))
    known = [
        pair for pair in pairs if not any(isinstance(v, Variable | list | tuple) for v in pair)
    ]
    if len(a) != len(b) or any(one != other for one, other in known):
        return False
    found: Any = True
    for one, other in pairs:
        found = and_(found, functools.partial(equal, one, other)) if one is not other else found
    return found


def not_equal(a: Any, b: Any) -> Any:
    """`a != b`, the same."""
    return not_(equal(a, b)) if _by_elements(a, b) else all_whole(a) != all_whole(b)


def _by_elements(a: Any, b: Any) -> bool:
    """Whether two lists, or two tuples, are compared of which one holds values of the program."""
    alike = any(isinstance(a, kind) and isinstance(b, kind) for kind in (list, tuple))
    return alike and (_of_program(a) or _of_program(b))


def _of_program(value: Any) -> bool:
    """Whether a list or tuple holds a value of the program, or one that does."""
    if not isinstance(value, list | tuple) or isinstance(value, SymbolicShape):
        return isinstance(value, SymbolicShape)
    return any(isinstance(v, Variable) or _of_program(v) for v in value)


_COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "Eq": equal,
    "NotEq": not_equal,
    "Is": is_,
    "IsNot": lambda a, b: not_(is_(a, b)),
    "In": in_,
    "NotIn": lambda a, b: not_(in_(a, b)),
}


def chain(kinds: list[str], *operands: Callable[[], Any]) -> Any:
    """`a < b < c`: each operand is asked for once, and not at all once it is clear."""
    left, found = operands[0](), True
    for kind, operand in zip(kinds, operands[1:], strict=True):
        right = operand()
        found = and_(found, functools.partial(_COMPARED[kind], left, right))
        if not isinstance(found, Tensor) and not found:
            return found
        left = right
    return found
