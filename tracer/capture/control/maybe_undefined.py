"""Loop variables that only some iterations assign. A loop-carried bool states whether the variable
has a value; a read of the variable checks the bool at run time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...core.op import OPS
from ..recorder import Recorder
from ..undefined_checks import PATH_NOT_TAKEN, UndefinedCheck
from ..variable import MaybeUndefined, Variable
from .branch_values import Undefined, constant
from .loop_aliasing import LoopCarried
from .optional_values import BOOL, known_conditions, set_implications

WHY = "has a value only if an iteration of the loop assigned it"
ANY_BLOCK = -1  # in every block, reads are checked at run time


@dataclass
class DefinedFlag(LoopCarried):
    """The loop-carried bool that states whether a loop variable has a value.

    of: the variable before the loop.
    """

    of: Any = None

    def start(self, recorder: Recorder) -> Any:
        """Return the flag before the first iteration."""
        found = defined_flag(recorder, self.name, self.of)
        return constant(found) if isinstance(found, bool) else found


def is_user_name(name: str) -> bool:
    """Whether a name occurs in the user's code. Descriptions that the conversion uses as names
    contain spaces, such as "the value returned".
    """
    return not name.startswith(("the ", "whether ", "result "))


def maybe_undefined_of(name: str, value: Any) -> MaybeUndefined | None:
    """Return the MaybeUndefined of a variable with this name; None if it always has a value."""
    half = value.maybe_undefined if isinstance(value, Variable) else None
    return (
        None
        if half is None or half.is_none is not None or half.check is None or half.name != name
        else half
    )


def defined_flag(recorder: Recorder, name: str, value: Any) -> Any:
    """Whether a variable has a value: True, False, or a bool of the program."""
    half = maybe_undefined_of(name, value)
    if half is None:
        return not isinstance(value, Undefined)
    return is_defined(recorder, value)


def _check_of(value: Any) -> UndefinedCheck | None:
    """Return the check of a maybe-undefined value, regardless of its variable name; None if the
    value is always defined.
    """
    if not isinstance(value, Variable):
        return None
    half = value.maybe_undefined
    late: UndefinedCheck | None = None if half is None or half.is_none is not None else half.check
    return late if late is not None and late.desc is value.raw else None


def is_defined(recorder: Recorder, value: Any) -> Any:
    """Whether a value is defined: True, or a bool of the program. A branch on this bool may read
    the value.
    """
    late = _check_of(value)
    if late is None:
        return True
    desc = recorder.program.var(late.flag, recorder.block.idx)
    assert desc is not None
    flag = recorder.variable(desc)
    if late.expected:
        return flag
    return set_implications(
        OPS["logical_not"](flag), known_conditions(flag, False), known_conditions(flag, True)
    )


def without_check(recorder: Recorder, value: Any) -> Any:
    """Return a value without its run-time check, for a value that is not read any more."""
    return value if _check_of(value) is None else OPS["assign"](recorder.variable(value.raw))


class UndefinedLoopValues:
    """Loop-carried values that may be undefined after some iteration.

    flags: by position, the bool that states whether the value is defined.
    """

    def __init__(self) -> None:
        self.flags: dict[int, DefinedFlag] = {}

    def add_if_needed(self, i: int, name: str, before: Any, after: Any) -> bool:
        """Add a flag if the value needs one; return whether a flag was added.

        before: the value before the loop.
        """
        if i in self.flags or (
            maybe_undefined_of(name, before) is None and maybe_undefined_of(name, after) is None
        ):
            return False
        self.flags[i] = DefinedFlag(name, BOOL, None, of=before)
        return True

    def annotate(self, values: list[Any], where: str = "") -> None:
        """Mark the variables as maybe-undefined.

        where: the line of the loop; given after the loop only.
        """
        for i, flag in self.flags.items():
            assert flag.variable is not None
            late = UndefinedCheck(
                flag.name, values[i].raw, flag.variable.name, where, kind=PATH_NOT_TAKEN
            )
            values[i].maybe_undefined = MaybeUndefined(flag.name, WHY, ANY_BLOCK, None, late)

    def successors(self, i: int, left: dict[int, Any]) -> Iterator[tuple[LoopCarried, Any]]:
        """Yield the flag of value `i` with its next value.

        left: by position, whether each value is defined after the iteration.
        """
        if i in self.flags:
            yield self.flags[i], left[i]

    def defined_after(self, recorder: Recorder, made: list[Any]) -> dict[int, Any]:
        """Return whether each value is defined after an iteration."""
        return {i: defined_flag(recorder, flag.name, made[i]) for i, flag in self.flags.items()}

    def shift(self, leaf: int, more: int) -> None:
        """Adapt the positions after a value was expanded to more leaves."""
        self.flags = {
            (k + more if k > leaf else k): flag for k, flag in self.flags.items() if k != leaf
        }
