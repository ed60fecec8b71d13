"""Variables of a loop that some rounds give a value and others do not: beside each goes whether it
has one, and whoever reads it asks that in a run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...core.op import OPS
from ..recorder import Recorder
from ..undefined_checks import NO_WAY, Late
from ..variable import Half, Variable
from .branch_values import Undefined, constant
from .loop_aliasing import Carried
from .optional_values import BOOL, facts_of, implying

WHY = "has a value only if a round of the loop gave it one"
ANYWHERE = -1  # no block: nothing refuses it while it is recorded


@dataclass
class HasValue(Carried):
    """Whether a value of a loop has been given.   of: that value before the loop."""

    of: Any = None

    def start(self, recorder: Recorder) -> Any:
        """Whether it has one before the first round."""
        found = flag_of(recorder, self.name, self.of)
        return constant(found) if isinstance(found, bool) else found


def is_users(name: str) -> bool:
    """Whether a name is one of the user's code; the conversion's own are words."""
    return not name.startswith(("the ", "whether ", "result "))


def half_of(name: str, value: Any) -> Half | None:
    """How a variable of this name may be without a value; None where it has one."""
    half = value.half if isinstance(value, Variable) else None
    return (
        None
        if half is None or half.none is not None or half.late is None or half.name != name
        else half
    )


def flag_of(recorder: Recorder, name: str, value: Any) -> Any:
    """Whether a variable has a value: True, False, or a truth value of the program."""
    half = half_of(name, value)
    if half is None:
        return not isinstance(value, Undefined)
    return whether_set(recorder, value)


def _late_of(value: Any) -> Late | None:
    """How a value may be missing in a run, under whichever name; None where it is there."""
    if not isinstance(value, Variable):
        return None
    half = value.half
    late: Late | None = None if half is None or half.none is not None else half.late
    return late if late is not None and late.desc is value.raw else None


def whether_set(recorder: Recorder, value: Any) -> Any:
    """Whether a value is there: True, or a truth value of the program, of which a branch knows that
    it is this one.
    """
    late = _late_of(value)
    if late is None:
        return True
    desc = recorder.program.var(late.flag, recorder.block.idx)
    assert desc is not None
    flag = recorder.variable(desc)
    if late.sense:
        return flag
    return implying(OPS["logical_not"](flag), facts_of(flag, False), facts_of(flag, True))


def unchecked(recorder: Recorder, value: Any) -> Any:
    """A value that nobody reads any more, without the question whether it is there."""
    return value if _late_of(value) is None else OPS["assign"](recorder.variable(value.raw))


class Unset:
    """The values of a loop that may be without one after some round.

    flags: whether they have one, by position.
    """

    def __init__(self) -> None:
        self.flags: dict[int, HasValue] = {}

    def admit(self, i: int, name: str, before: Any, after: Any) -> bool:
        """Whether a value that was carried without a flag turned out to need one.

        before: what it was before the loop.
        """
        if i in self.flags or (half_of(name, before) is None and half_of(name, after) is None):
            return False
        self.flags[i] = HasValue(name, BOOL, None, of=before)
        return True

    def say(self, values: list[Any], where: str = "") -> None:
        """Let the variables know it.   where: the line of the loop, behind it."""
        for i, flag in self.flags.items():
            assert flag.variable is not None
            late = Late(flag.name, values[i].raw, flag.variable.name, where, kind=NO_WAY)
            values[i].half = Half(flag.name, WHY, ANYWHERE, None, late)

    def after(self, i: int, left: dict[int, Any]) -> Iterator[tuple[Carried, Any]]:
        """The flag of a value with what a round makes of it.   left: of each."""
        if i in self.flags:
            yield self.flags[i], left[i]

    def left(self, recorder: Recorder, made: list[Any]) -> dict[int, Any]:
        """Whether each has a value after a round."""
        return {i: flag_of(recorder, flag.name, made[i]) for i, flag in self.flags.items()}

    def shift(self, leaf: int, more: int) -> None:
        """A value was taken apart into more."""
        self.flags = {
            (k + more if k > leaf else k): flag for k, flag in self.flags.items() if k != leaf
        }
