"""Variables that are None on some ways: beside the value goes whether it is None, and a condition
says what it tells of that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...core.op import Meta
from ..symbolic_scalars import either_of
from ..undefined_checks import IS_NONE, NOT_RETURNED, Late
from ..variable import Half, Variable
from .branch_values import Undefined, common, meta_of
from .loop_aliasing import Carried

BOOL = Meta((), np.dtype(bool))
Facts = frozenset[tuple[str, bool]]
NO_FACTS: tuple[Facts, Facts] = (frozenset(), frozenset())


def none_flag(value: Any) -> Any:
    """Whether a value is None: True, False, or a value of the program."""
    if value is None:
        return True
    return (
        value.half.none
        if isinstance(value, Variable) and value.half is not None and value.half.none is not None
        else False
    )


def tells(condition: Any) -> tuple[Facts, Facts]:
    """What is known of flags where a condition holds, and where it does not."""
    found: tuple[Facts, Facts] = getattr(condition, "tells", None) or NO_FACTS
    return found


def facts_of(condition: Any, holds: bool) -> Facts:
    """What is known where a condition holds, or where it does not: of which conditions and flags
    they hold, or do not.
    """
    if not isinstance(condition, Variable):
        return frozenset()
    side = 0 if holds else 1
    return (
        frozenset({(condition.name, holds)})
        | tells(condition)[side]
        | (condition.implies or NO_FACTS)[side]
    )


def implying(made: Any, where_true: Facts, where_false: Facts) -> Any:
    """A condition of which it is known what it says of others."""
    if isinstance(made, Variable):
        made.implies = where_true, where_false
    return made


def chosen_facts(pred: Any, a: Any, b: Any, value: bool) -> Facts:
    """What is known where a choice between two truth values by a condition is `value`."""
    ways = [
        facts_of(pred, holds) | (facts_of(way, value) if isinstance(way, Variable) else frozenset())
        for way, holds in ((a, True), (b, False))
        if isinstance(way, Variable) or bool(way) is value
    ]
    return frozenset.intersection(*ways) if ways else frozenset()


def make_none(value: Variable, name: str, flag: Variable, block: int, where: str = "") -> Variable:
    """Say of a variable that it is None where `flag` is true; no op of `block` may take it.

    where: the line that gave it a value.
    """
    flag.tells = frozenset({(flag.name, True)}), frozenset({(flag.name, False)})
    at = f" (see {value.where or where})" if value.where or where else ""
    late = Late(name, value.raw, flag.name, "", sense=False, kind=IS_NONE)
    value.half = Half(name, f"may be None here{at}: ask `is not None` before", block, flag, late)
    return value


def make_returned(value: Variable, function: str, missing: Variable) -> Variable:
    """Say of what a function gave that it is None where `missing` is true; an op that takes it
    fails in a run where it is.
    """
    made = make_none(value, function, missing, -1)
    assert made.half is not None
    made.half.late.kind = NOT_RETURNED
    return made


def flag_after(condition: Any, holds: bool, value: Any) -> Any:
    """Whether a value is None on one way through a condition."""
    flag = none_flag(value)
    for name, is_true in tells(condition)[0 if holds else 1]:
        if isinstance(flag, Variable) and flag.name == name:
            return is_true
    return flag


class Nones:
    """The values of a loop that are None before or after some round.

    flags: whether they are, by position.
    """

    def __init__(self) -> None:
        self.flags: dict[int, Carried] = {}

    def carry(
        self, i: int, name: str, initial: Any, after: Any, sides: tuple[str, str]
    ) -> Carried | None:
        """How such a value goes from round to round; None for any other."""
        given = [v for v in (initial, after) if meta_of(v) is not None]
        if (
            not given
            or (none_flag(initial) is False and none_flag(after) is False)
            or isinstance(initial, Undefined)
        ):
            return None
        if len(given) == 1 and not (initial is None or after is None):
            return None
        self.flags[i] = Carried(f"{name} is None", BOOL, none_flag(initial))
        meta = meta_of(given[0]) if len(given) == 1 else common(name, initial, after, sides)
        assert meta is not None
        return Carried(
            name, meta, Undefined(name) if initial is None else initial, stands=either_of(given)
        )

    def admit(self, i: int, carried: Carried, after: Any) -> bool:
        """Whether a value that was carried without turned out to be None after a round."""
        if i in self.flags or none_flag(after) is False:
            return False
        self.flags[i] = Carried(f"{carried.name} is None", BOOL, none_flag(carried.initial))
        return True

    def after(self, i: int, after: Any) -> Iterator[tuple[Carried, Any]]:
        """The flag of a value with what a round makes of it."""
        if i in self.flags:
            yield self.flags[i], none_flag(after)

    def say(self, values: list[Any], names: list[str], block: int) -> None:
        """Let the variables know it; no op of `block` may take them."""
        for i, flag in self.flags.items():
            assert flag.variable is not None
            make_none(values[i], names[i], flag.variable, block)

    def shift(self, leaf: int, more: int) -> None:
        """A value was taken apart into more."""
        self.flags = {(k + more if k > leaf else k): flag for k, flag in self.flags.items()}
