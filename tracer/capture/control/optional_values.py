"""Variables that are None on some paths.

The none flag of a variable is a bool of the program that states whether the variable is None.
Conditions such as `x is not None` record which none flags they imply, so that `x` may be used under
them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...core.op import Meta
from ..symbolic_scalars import merged_kind
from ..undefined_checks import IS_NONE, NOT_RETURNED, UndefinedCheck
from ..variable import MaybeUndefined, Variable
from .branch_values import Undefined, merged_meta, meta_of
from .loop_aliasing import LoopCarried

BOOL = Meta((), np.dtype(bool))
KnownConditions = frozenset[tuple[str, bool]]
NO_CONDITIONS: tuple[KnownConditions, KnownConditions] = (frozenset(), frozenset())


def none_flag(value: Any) -> Any:
    """Return the none flag of a value: True, False, or a bool of the program."""
    if value is None:
        return True
    return (
        value.maybe_undefined.is_none
        if isinstance(value, Variable)
        and value.maybe_undefined is not None
        and value.maybe_undefined.is_none is not None
        else False
    )


def none_implications(condition: Any) -> tuple[KnownConditions, KnownConditions]:
    """Return what is known about none flags if a condition is true, and if it is false."""
    found: tuple[KnownConditions, KnownConditions] = (
        getattr(condition, "none_conditions", None) or NO_CONDITIONS
    )
    return found


def known_conditions(condition: Any, holds: bool) -> KnownConditions:
    """Return the conditions and none flags whose values are known if `condition` equals `holds`."""
    if not isinstance(condition, Variable):
        return frozenset()
    side = 0 if holds else 1
    return (
        frozenset({(condition.name, holds)})
        | none_implications(condition)[side]
        | (condition.implied_conditions or NO_CONDITIONS)[side]
    )


def set_implications(made: Any, where_true: KnownConditions, where_false: KnownConditions) -> Any:
    """Record what a condition implies about other conditions."""
    if isinstance(made, Variable):
        made.implied_conditions = where_true, where_false
    return made


def merged_conditions(pred: Any, a: Any, b: Any, value: bool) -> KnownConditions:
    """Return what is known if a merged bool equals `value`: `a` where `pred` is true, otherwise
    `b`.
    """
    ways = [
        known_conditions(pred, holds)
        | (known_conditions(way, value) if isinstance(way, Variable) else frozenset())
        for way, holds in ((a, True), (b, False))
        if isinstance(way, Variable) or bool(way) is value
    ]
    return frozenset.intersection(*ways) if ways else frozenset()


def mark_optional(
    value: Variable, name: str, flag: Variable, block: int, where: str = ""
) -> Variable:
    """Mark a variable as None where `flag` is true; ops of `block` must not use it.

    where: the line that assigned it.
    """
    flag.none_conditions = frozenset({(flag.name, True)}), frozenset({(flag.name, False)})
    at = f" (see {value.where or where})" if value.where or where else ""
    late = UndefinedCheck(name, value.raw, flag.name, "", expected=False, kind=IS_NONE)
    value.maybe_undefined = MaybeUndefined(
        name, f"may be None here{at}: check `is not None` before", block, flag, late
    )
    return value


def mark_optional_result(value: Variable, function: str, missing: Variable) -> Variable:
    """Mark the result of a function as None where `missing` is true. If an op uses the result in a
    run in which it is None, the run fails.
    """
    made = mark_optional(value, function, missing, -1)
    assert made.maybe_undefined is not None
    made.maybe_undefined.check.kind = NOT_RETURNED
    return made


def none_flag_on_path(condition: Any, holds: bool, value: Any) -> Any:
    """Return the none flag of `value` on the path on which `condition` equals `holds`."""
    flag = none_flag(value)
    for name, is_true in none_implications(condition)[0 if holds else 1]:
        if isinstance(flag, Variable) and flag.name == name:
            return is_true
    return flag


class OptionalLoopValues:
    """Loop-carried values that are None before or after some iteration.

    flags: their none flags, by position
    """

    def __init__(self) -> None:
        self.flags: dict[int, LoopCarried] = {}

    def carry(
        self, i: int, name: str, initial: Any, after: Any, sides: tuple[str, str]
    ) -> LoopCarried | None:
        """Return the loop-carried variable for a value that may be None; None for other values."""
        given = [v for v in (initial, after) if meta_of(v) is not None]
        if (
            not given
            or (none_flag(initial) is False and none_flag(after) is False)
            or isinstance(initial, Undefined)
        ):
            return None
        if len(given) == 1 and not (initial is None or after is None):
            return None
        self.flags[i] = LoopCarried(f"{name} is None", BOOL, none_flag(initial))
        meta = meta_of(given[0]) if len(given) == 1 else merged_meta(name, initial, after, sides)
        assert meta is not None
        return LoopCarried(
            name,
            meta,
            Undefined(name) if initial is None else initial,
            scalar_kind=merged_kind(given),
        )

    def add_if_needed(self, i: int, carried: LoopCarried, after: Any) -> bool:
        """Add a none flag if the value may be None after an iteration; return whether a flag was
        added.
        """
        if i in self.flags or none_flag(after) is False:
            return False
        self.flags[i] = LoopCarried(f"{carried.name} is None", BOOL, none_flag(carried.initial))
        return True

    def successors(self, i: int, after: Any) -> Iterator[tuple[LoopCarried, Any]]:
        """Yield the none flag of value `i` with its next value."""
        if i in self.flags:
            yield self.flags[i], none_flag(after)

    def annotate(self, values: list[Any], names: list[str], block: int) -> None:
        """Mark the variables as optional; ops of `block` must not use them."""
        for i, flag in self.flags.items():
            assert flag.variable is not None
            mark_optional(values[i], names[i], flag.variable, block)

    def shift(self, leaf: int, more: int) -> None:
        """Adapt the positions after a value was expanded to more leaves."""
        self.flags = {(k + more if k > leaf else k): flag for k, flag in self.flags.items()}
