"""`and`, `or`, `not`, `in` and chained comparisons of symbolic values."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, KeysView, ValuesView
from contextlib import suppress
from typing import Any

import numpy as np

from ...capture.control.branch import cond
from ...capture.control.branch_values import (
    cast_or_fill_like,
    cast_variable_to_bool,
    emit_scalar_constant,
    find_meta_of_value,
)
from ...capture.control.container_aliasing import resolve_replaced_list_and_reject_invalidated
from ...capture.control.mutable_locations import collect_and_roll_back_mutations
from ...capture.control.optional_values import (
    NO_KNOWN_CONDITIONS,
    implied_condition_values,
    none_flags_implied_by_true_and_false,
    record_condition_implications,
)
from ...capture.control.tensor_arrays import EmptyArrayReadError, TensorArray
from ...capture.modes import MaybeUndefinedError, SymbolicShape, find_static_base_mode
from ...capture.recorder import OpenBlock
from ...capture.symbolic_scalars import BOOL, mark_symbolic_scalar, scalar_kind
from ...capture.variable import Variable
from ...core.errors import TraceError, append_user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.tensor import Tensor
from ...ir.program import OpDesc
from .calls import call, value_deciding_truth
from .dunder_and_property_conversion import find_python_dunder_method
from .iterables import as_indexed_iterable_if_possible
from .partial_dicts import require_complete_dicts_in
from .python_scalars import entry_defined_flag, is_, symbolic_scalar_kind
from .raise_assert_and_print import record_body_rejecting_raise
from .registry import register
from .sequences import fold_items

# marks an operand that was not recorded, because it may be undefined
_UNRECORDED_OPERAND = object()


@register
def and_(a: Any, b: Callable[[], Any]) -> Any:
    """Operator for `a and b()` in a condition."""
    a = value_deciding_truth(a)
    return _record_and_or("logical_and", a, b) if isinstance(a, Variable) else a and b()


@register
def or_(a: Any, b: Callable[[], Any]) -> Any:
    """Operator for `a or b()` in a condition."""
    a = value_deciding_truth(a)
    return _record_and_or("logical_or", a, b) if isinstance(a, Variable) else a or b()


def short_circuit_and_value(a: Any, b: Callable[[], Any]) -> Any:
    """Operator for `a and b()` where its value, one of the two operands, is used, not only its
    truth.
    """
    return (
        _record_short_circuit_value("logical_and", a, b) if isinstance(a, Variable) else a and b()
    )


def short_circuit_or_value(a: Any, b: Callable[[], Any]) -> Any:
    """Operator for `a or b()` where its value, one of the two operands, is used, not only its
    truth.
    """
    return _record_short_circuit_value("logical_or", a, b) if isinstance(a, Variable) else a or b()


def _record_short_circuit_value(op: str, a: Variable, b: Callable[[], Any]) -> Any:
    mode = find_static_base_mode(state.mode)
    if mode is None:
        return _emit_logical_op_unless_constant(op, a, b())
    if a.meta.dtype == bool:
        mark, trial_block = mode.recorder.checkpoint(), OpenBlock(mode.recorder.block)
        with mode.recorder.enter_block(trial_block):
            second = b()
        if (
            not collect_and_roll_back_mutations(trial_block)
            and (find_meta_of_value(second) or a.meta).dtype == bool
            and find_meta_of_value(second) is not None
        ):
            return _emit_logical_op_unless_constant(op, a, second)
        mode.recorder.rewind(mark)
    return _record_second_operand_as_branch(op.removeprefix("logical_"), a, b)


def _record_second_operand_as_branch(name: str, a: Variable, b: Callable[[], Any]) -> Any:
    if any(d not in (1, -1) for d in a.meta.shape):
        why = (
            "Python tests whether the first operand is true, but it has several elements; use "
            "`.any()`, `.all()` or paddle.where"
        )
        raise TraceError(
            append_user_line(f"{name}: {why} (X={a.meta}{a.creation_site_message_suffix})")
        )

    def first_operand() -> Any:
        return a

    branches = (b, first_operand) if name == "and" else (first_operand, b)
    return record_body_rejecting_raise(
        lambda: cond(cast_variable_to_bool(a), *branches, return_names=[f"`{name}`"]),
        "one side of an expression",
    )


def _record_and_or(op: str, a: Variable, b: Callable[[], Any]) -> Any:
    """Record `a and b()` or `a or b()` as one op. If the second operand has side effects or may
    fail, it is recorded in a branch instead, which runs only if the first operand does not
    determine the result.
    """
    mode = find_static_base_mode(state.mode)
    if mode is None:
        return _emit_logical_op_unless_constant(op, a, b())
    mark, trial_block = mode.recorder.checkpoint(), OpenBlock(mode.recorder.block)
    if none_flags_implied_by_true_and_false(a) == NO_KNOWN_CONDITIONS:
        second: Any = _UNRECORDED_OPERAND
        try:
            with mode.recorder.enter_block(trial_block), suppress(MaybeUndefinedError):
                second = b()
        except EmptyArrayReadError:
            # A later part of the loop body may write the list; the loop body is recorded again when
            # the element type is known.
            if not mode.recorder.num_open_loops:
                raise
            return cast_variable_to_bool(a)
        may_fail = any(
            _op_may_raise_index_error(result) for result in mode.recorder.block.ops[mark.num_ops :]
        )
        if (
            not collect_and_roll_back_mutations(trial_block)
            and second is not _UNRECORDED_OPERAND
            and not may_fail
        ):
            return _emit_logical_op_unless_constant(op, a, second)
        mode.recorder.rewind(mark)
    second_values: list[Any] = []

    def record_second() -> Any:
        second_values.append(value_deciding_truth(b()))
        return (
            cast_variable_to_bool(second_values[0])
            if isinstance(second_values[0], Tensor)
            else bool(second_values[0])
        )

    branches = record_second, (lambda: emit_scalar_constant(op == "logical_or"))
    found = cond(cast_variable_to_bool(a), *(branches if op == "logical_and" else branches[::-1]))
    return _set_combined_implications(op, found, a, second_values[0])


def _op_may_raise_index_error(op: OpDesc) -> bool:
    """Whether an op may raise an error for an index out of range. An op that may raise such an
    error must not run unconditionally if the first operand of `and` tests the index.
    """
    return op.type in INDEXING_OPS or (
        op.type == "slice"
        and bool(op.inputs.get("StartsTensorList") or op.inputs.get("StartsTensor"))
    )


INDEXING_OPS = frozenset(
    {"read_from_array", "gather", "gather_nd", "index_sample", "take_along_axis"}
)


def _set_combined_implications(op: str, found: Any, a: Any, b: Any) -> Any:
    """Record in `found`, the result of `a and b` or `a or b`, what the result implies about none
    flags and other conditions; return `found`.
    """
    if isinstance(found, Variable):
        one, two = none_flags_implied_by_true_and_false(a), none_flags_implied_by_true_and_false(b)
        both = op == "logical_and"
        found.implied_none_flags = (
            (one[0] | two[0], one[1] & two[1]) if both else (one[0] & two[0], one[1] | two[1])
        )
        (yes_a, no_a), (yes_b, no_b) = (
            (implied_condition_values(v, True), implied_condition_values(v, False)) for v in (a, b)
        )
        record_condition_implications(
            found, *((yes_a | yes_b, no_a & no_b) if both else (yes_a & yes_b, no_a | no_b))
        )
    return found


def _emit_logical_op_unless_constant(op: str, a: Variable, b: Any) -> Any:
    b = value_deciding_truth(b)
    if not isinstance(b, Tensor):
        is_neutral = bool(b) if op == "logical_and" else not b
        return cast_variable_to_bool(a) if is_neutral else b
    found = _set_combined_implications(
        op, OPS[op](cast_variable_to_bool(a), cast_variable_to_bool(b)), a, b
    )
    if scalar_kind(a) is not None and scalar_kind(b) is not None:
        mark_symbolic_scalar(found, BOOL)
    mode = find_static_base_mode(state.mode)
    if mode is not None:
        mode.recorder.aliases.record_merged_value_aliases([(found, (a, b))])
    return found


def not_(a: Any) -> Any:
    """Operator for `not a`."""
    a = value_deciding_truth(a)
    if not isinstance(a, Variable):
        return not a
    result = mark_symbolic_scalar(OPS["logical_not"](cast_variable_to_bool(a)), BOOL)
    result.implied_none_flags = none_flags_implied_by_true_and_false(a)[::-1]
    record_condition_implications(
        result, implied_condition_values(a, False), implied_condition_values(a, True)
    )
    return result


def in_(a: Any, b: Any) -> Any:
    """Operator for `a in b`."""
    b = resolve_replaced_list_and_reject_invalidated(b)
    method = find_python_dunder_method(b, "__contains__")
    if method is not None:
        return cast_variable_to_bool(call(method)(a))
    if isinstance(b, TensorArray):
        return fold_items(
            as_indexed_iterable_if_possible(b),
            False,
            lambda found, item: or_(found, lambda: item == a),
            "whether it is there",
        )
    if isinstance(b, Variable):
        same = OPS["equal"](b, cast_or_fill_like(a, b.meta))
        return OPS["reduce_any"](same, reduce_all=True, dim=[], keep_dim=False)
    is_search = isinstance(b, list | tuple | range | set | frozenset) and (
        isinstance(a, Variable) or _contains_symbolic(a)
    )
    if is_search or _contains_symbolic(b):
        found: Any = False
        for value in b:
            found = or_(found, functools.partial(equal, a, value))
        return found
    if symbolic_scalar_kind(a) is not None and isinstance(
        b, dict | KeysView | ValuesView | np.ndarray
    ):
        return in_(a, list(b.flat if isinstance(b, np.ndarray) else b))
    found = (a if isinstance(b, dict) else require_complete_dicts_in(a)) in b
    entry = b.get(a) if found and isinstance(b, dict) else None
    return entry_defined_flag(entry) if isinstance(entry, Variable) else found


def equal(a: Any, b: Any) -> Any:
    """Operator for `a == b`, also for lists and tuples with symbolic values, such as shapes."""
    if not _are_sequences_with_symbolic_items(a, b):
        return require_complete_dicts_in(a) == require_complete_dicts_in(b)
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
    """Operator for `a != b`."""
    return (
        not_(equal(a, b))
        if _are_sequences_with_symbolic_items(a, b)
        else require_complete_dicts_in(a) != require_complete_dicts_in(b)
    )


def _are_sequences_with_symbolic_items(a: Any, b: Any) -> bool:
    """Whether both values are lists, or both tuples, and at least one of them contains symbolic
    values.
    """
    alike = any(isinstance(a, kind) and isinstance(b, kind) for kind in (list, tuple))
    return alike and (_contains_symbolic(a) or _contains_symbolic(b))


def _contains_symbolic(value: Any) -> bool:
    """Whether a list or tuple holds a symbolic value, at any depth."""
    if not isinstance(value, list | tuple) or isinstance(value, SymbolicShape):
        return isinstance(value, SymbolicShape)
    return any(isinstance(v, Variable) or _contains_symbolic(v) for v in value)


_COMPARISON_BY_NODE_TYPE: dict[str, Callable[[Any, Any], Any]] = {
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


def compare_chain(kinds: list[str], left: Any, *right_operands: Callable[[], Any]) -> Any:
    """Operator for `a < b < c`. Each operand after the first is evaluated at most once, and only
    while the result is not determined.

    kinds: the names of the AST node types of the comparisons, such as "Lt".
    """
    found: Any = True
    for kind, operand in zip(kinds, right_operands, strict=True):
        right = operand()
        found = and_(found, functools.partial(_COMPARISON_BY_NODE_TYPE[kind], left, right))
        if not isinstance(found, Tensor) and not found:
            return found
        left = right
    return found
