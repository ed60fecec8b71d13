"""Variables that are None on some paths.

The none flag of a variable is a bool of the program that states whether the variable is None.
A condition such as `x is not None` records the value that it implies for the none flag of `x`, so
that code under the condition may use `x`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...core.op import Meta
from ..symbolic_scalars import merge_scalar_kinds_of_values
from ..undefined_checks import IS_NONE_PREFIX, NOT_RETURNED_PREFIX, UndefinedCheck
from ..variable import MaybeUndefinedRecord, Variable
from .branch_values import Undefined, find_meta_of_value, require_common_meta_of_values
from .loop_aliasing import LoopCarriedVariable

BOOL_META = Meta((), np.dtype(bool))
KnownConditionValues = frozenset[tuple[str, bool]]
NO_KNOWN_CONDITIONS: tuple[KnownConditionValues, KnownConditionValues] = (frozenset(), frozenset())


def none_flag_or_constant(value: Any) -> Any:
    """Return whether a value is None: True, False, or the none flag of a Variable."""
    if value is None:
        return True
    return (
        value.maybe_undefined.none_flag
        if isinstance(value, Variable)
        and value.maybe_undefined is not None
        and value.maybe_undefined.none_flag is not None
        else False
    )


def none_flags_implied_by_true_and_false(
    condition: Any,
) -> tuple[KnownConditionValues, KnownConditionValues]:
    """Return two sets of none flags and their values: those implied if a condition is true, and
    those implied if it is false.
    """
    implied: tuple[KnownConditionValues, KnownConditionValues] = (
        getattr(condition, "implied_none_flags", None) or NO_KNOWN_CONDITIONS
    )
    return implied


def implied_condition_values(condition: Any, holds: bool) -> KnownConditionValues:
    """Return the names of conditions and none flags, with the value that each has if `condition`
    equals `holds`.
    """
    if not isinstance(condition, Variable):
        return frozenset()
    side = 0 if holds else 1
    return (
        frozenset({(condition.name, holds)})
        | none_flags_implied_by_true_and_false(condition)[side]
        | (condition.implied_conditions or NO_KNOWN_CONDITIONS)[side]
    )


def record_condition_implications(
    condition: Any, where_true: KnownConditionValues, where_false: KnownConditionValues
) -> Any:
    """Record which values of other conditions follow if `condition` is true, and which follow if it
    is false; return `condition`.
    """
    if isinstance(condition, Variable):
        condition.implied_conditions = where_true, where_false
    return condition


def conditions_implied_by_branch_result(
    pred: Any, a: Any, b: Any, value: bool
) -> KnownConditionValues:
    """Return the values of conditions that follow if the bool which a branch on `pred` merged from
    `a` (if `pred` is true) and `b` equals `value`.
    """
    implied = [
        implied_condition_values(pred, holds)
        | (
            implied_condition_values(branch_value, value)
            if isinstance(branch_value, Variable)
            else frozenset()
        )
        for branch_value, holds in ((a, True), (b, False))
        if isinstance(branch_value, Variable) or bool(branch_value) is value
    ]
    return frozenset.intersection(*implied) if implied else frozenset()


def mark_maybe_none(
    value: Variable, name: str, flag: Variable, block: int, where: str = ""
) -> Variable:
    """Mark a variable as None in runs in which `flag` is true. Using the variable in an op of
    `block` is an error, unless a condition states that the variable is not None.

    where: the line that assigned it.
    """
    flag.implied_none_flags = frozenset({(flag.name, True)}), frozenset({(flag.name, False)})
    at = f" (see {value.user_line or where})" if value.user_line or where else ""
    check = UndefinedCheck(
        name, value.raw, flag.name, "", expected=False, message_prefix=IS_NONE_PREFIX
    )
    value.maybe_undefined = MaybeUndefinedRecord(
        name, f"may be None here{at}: check `is not None` first", block, flag, check
    )
    return value


def mark_return_value_maybe_none(value: Variable, function: str, missing: Variable) -> Variable:
    """Mark the result of a function as None in runs in which `missing` is true. A run in which an
    op reads a result that is None fails.
    """
    marked = mark_maybe_none(value, function, missing, -1)
    assert marked.maybe_undefined is not None
    marked.maybe_undefined.check.message_prefix = NOT_RETURNED_PREFIX
    return marked


def none_flag_on_path(condition: Any, holds: bool, value: Any) -> Any:
    """Return whether `value` is None on the path on which `condition` equals `holds`: True, False,
    or the none flag of `value`.
    """
    flag = none_flag_or_constant(value)
    for name, is_true in none_flags_implied_by_true_and_false(condition)[0 if holds else 1]:
        if isinstance(flag, Variable) and flag.name == name:
            return is_true
    return flag


class LoopNoneFlags:
    """The none flags of loop-carried values that are None before or after some iteration.

    flag_by_position: by position of a value, its none flag
    """

    def __init__(self) -> None:
        self.flag_by_position: dict[int, LoopCarriedVariable] = {}

    def create_carried_variable_and_none_flag_if_maybe_none(
        self, i: int, name: str, initial: Any, after: Any, sides: tuple[str, str]
    ) -> LoopCarriedVariable | None:
        """Return the loop-carried variable of value `i` if the value may be None before the loop or
        after an iteration, and create its none flag; return None for other values.
        """
        tensors = [v for v in (initial, after) if find_meta_of_value(v) is not None]
        if (
            not tensors
            or (none_flag_or_constant(initial) is False and none_flag_or_constant(after) is False)
            or isinstance(initial, Undefined)
        ):
            return None
        if len(tensors) == 1 and not (initial is None or after is None):
            return None
        self.flag_by_position[i] = LoopCarriedVariable(
            f"{name} is None", BOOL_META, none_flag_or_constant(initial)
        )
        meta = (
            find_meta_of_value(tensors[0])
            if len(tensors) == 1
            else require_common_meta_of_values(name, initial, after, sides)
        )
        assert meta is not None
        return LoopCarriedVariable(
            name,
            meta,
            Undefined(name) if initial is None else initial,
            scalar_kind=merge_scalar_kinds_of_values(tensors),
        )

    def add_flag_if_needed(self, i: int, carried: LoopCarriedVariable, after: Any) -> bool:
        """Add a none flag for value `i` if it may be None after an iteration and has no flag yet;
        return whether a flag was added.
        """
        if i in self.flag_by_position or none_flag_or_constant(after) is False:
            return False
        self.flag_by_position[i] = LoopCarriedVariable(
            f"{carried.name} is None", BOOL_META, none_flag_or_constant(carried.initial)
        )
        return True

    def iter_flag_and_next_flag_if_present(
        self, i: int, after: Any
    ) -> Iterator[tuple[LoopCarriedVariable, Any]]:
        """Yield the none flag of value `i`, if it has one, with the value of the flag for the next
        iteration.
        """
        if i in self.flag_by_position:
            yield self.flag_by_position[i], none_flag_or_constant(after)

    def mark_flagged_values_maybe_none(
        self, values: list[Any], names: list[str], block: int
    ) -> None:
        """Mark the values that have a none flag as possibly None. Using a marked value in an op of
        `block` is an error, unless a condition states that the value is not None.
        """
        for i, flag in self.flag_by_position.items():
            assert flag.variable is not None
            mark_maybe_none(values[i], names[i], flag.variable, block)

    def shift_positions_after_leaf_expansion(self, leaf: int, num_added: int) -> None:
        """Shift the positions of the none flags after value number `leaf` was expanded to
        `num_added` more leaves.
        """
        self.flag_by_position = {
            (k + num_added if k > leaf else k): flag for k, flag in self.flag_by_position.items()
        }
