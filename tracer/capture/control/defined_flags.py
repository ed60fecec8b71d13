"""Loop variables that only some iterations assign. A loop-carried bool states whether the variable
has a value; a read of the variable checks the bool at run time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...core.op import OPS
from ..recorder import Recorder
from ..undefined_checks import PATH_NOT_TAKEN_PREFIX, UndefinedCheck
from ..variable import MaybeUndefinedRecord, Variable
from .branch_values import Undefined, emit_scalar_constant
from .loop_aliasing import LoopCarriedVariable
from .optional_values import BOOL_META, implied_condition_values, record_condition_implications

UNASSIGNED_IN_LOOP = "has a value only if an iteration of the loop assigned it"
ANY_BLOCK = -1  # stands for every block: all reads of the variable are checked at run time


@dataclass
class LoopDefinedFlag(LoopCarriedVariable):
    """The loop-carried bool that states whether a loop variable has a value.

    initial_value: the variable before the loop.
    """

    initial_value: Any = None

    def initial_flag(self, recorder: Recorder) -> Any:
        """Return the bool that states whether the variable has a value before the first
        iteration.
        """
        found = variable_defined_flag(recorder, self.name, self.initial_value)
        return emit_scalar_constant(found) if isinstance(found, bool) else found


def is_user_variable_name(name: str) -> bool:
    """Whether `name` is the name of a variable in the user's code. Values that are not user
    variables have a description as their name, such as "the value returned".
    """
    return not name.startswith(("the ", "whether ", "result "))


def find_maybe_undefined_record_of_value(name: str, value: Any) -> MaybeUndefinedRecord | None:
    """Return the MaybeUndefinedRecord of a value if its record is about the user's variable `name`;
    None if it is about another variable or the value is always defined.
    """
    maybe_undefined = value.maybe_undefined if isinstance(value, Variable) else None
    return (
        None
        if maybe_undefined is None
        or maybe_undefined.none_flag is not None
        or maybe_undefined.check is None
        or maybe_undefined.name != name
        else maybe_undefined
    )


def variable_defined_flag(recorder: Recorder, name: str, value: Any) -> Any:
    """Whether the user's variable `name`, which holds `value`, has a value: True, False, or a bool
    Variable.
    """
    maybe_undefined = find_maybe_undefined_record_of_value(name, value)
    if maybe_undefined is None:
        return not isinstance(value, Undefined)
    return value_defined_flag(recorder, value)


def _undefined_check_of(value: Any) -> UndefinedCheck | None:
    """Return the UndefinedCheck of a maybe-undefined value; None if the value is always defined."""
    if not isinstance(value, Variable):
        return None
    maybe_undefined = value.maybe_undefined
    check: UndefinedCheck | None = (
        None
        if maybe_undefined is None or maybe_undefined.none_flag is not None
        else maybe_undefined.check
    )
    return check if check is not None and check.desc is value.raw else None


def value_defined_flag(recorder: Recorder, value: Any) -> Any:
    """Whether a value is defined: True, or a bool Variable. The branch that this bool selects may
    read the value without a check.
    """
    check = _undefined_check_of(value)
    if check is None:
        return True
    desc = recorder.program.var(check.flag_name, recorder.block.idx)
    assert desc is not None
    flag = recorder.create_variable(desc)
    if check.expected:
        return flag
    return record_condition_implications(
        OPS["logical_not"](flag),
        implied_condition_values(flag, False),
        implied_condition_values(flag, True),
    )


def copy_without_undefined_check(recorder: Recorder, value: Any) -> Any:
    """Return a copy of a maybe-undefined value that has no run-time check, for a value that the
    user's code does not read any more; return other values unchanged.
    """
    return (
        value
        if _undefined_check_of(value) is None
        else OPS["assign"](recorder.create_variable(value.raw))
    )


class LoopDefinedFlags:
    """The flags of loop-carried values that may be undefined after some iteration.

    flag_by_position: by position, the bool that states whether the value is defined.
    """

    def __init__(self) -> None:
        self.flag_by_position: dict[int, LoopDefinedFlag] = {}

    def add_flag_if_needed(self, i: int, name: str, before: Any, after: Any) -> bool:
        """Add a flag for value `i` if it is maybe-undefined before the loop or after an iteration;
        return whether a flag was added.

        before: the value before the loop.
        """
        if i in self.flag_by_position or (
            find_maybe_undefined_record_of_value(name, before) is None
            and find_maybe_undefined_record_of_value(name, after) is None
        ):
            return False
        self.flag_by_position[i] = LoopDefinedFlag(name, BOOL_META, None, initial_value=before)
        return True

    def mark_flagged_values_maybe_undefined(self, values: list[Any], where: str = "") -> None:
        """Mark the values that have a flag as maybe-undefined.

        where: the line of the loop; given after the loop only.
        """
        for i, flag in self.flag_by_position.items():
            assert flag.variable is not None
            check = UndefinedCheck(
                flag.name,
                values[i].raw,
                flag.variable.name,
                where,
                message_prefix=PATH_NOT_TAKEN_PREFIX,
            )
            values[i].maybe_undefined = MaybeUndefinedRecord(
                flag.name, UNASSIGNED_IN_LOOP, ANY_BLOCK, None, check
            )

    def iter_flag_and_next_flag_if_present(
        self, i: int, defined: dict[int, Any]
    ) -> Iterator[tuple[LoopCarriedVariable, Any]]:
        """Yield the flag of value `i`, if it has one, with the value of the flag for the next
        iteration.

        defined: by position, whether each value is defined after the iteration.
        """
        if i in self.flag_by_position:
            yield self.flag_by_position[i], defined[i]

    def flags_by_position_after_iteration(
        self, recorder: Recorder, values: list[Any]
    ) -> dict[int, Any]:
        """Return, by position, whether each value that has a flag is defined after an iteration."""
        return {
            i: variable_defined_flag(recorder, flag.name, values[i])
            for i, flag in self.flag_by_position.items()
        }

    def shift_positions_after_leaf_expansion(self, leaf: int, num_added: int) -> None:
        """Shift the positions of the flags after value number `leaf` was expanded to `num_added`
        more leaves, and remove the flag of that value.
        """
        self.flag_by_position = {
            (k + num_added if k > leaf else k): flag
            for k, flag in self.flag_by_position.items()
            if k != leaf
        }
