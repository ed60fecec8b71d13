"""Lists of the program that branches and rounds replace by others: `q = q[1:]`, `q = q + [x]`, `q =
[]`.

Each way makes a list of its own. After a branch, and for each round of a loop, the name stands for
one more, which each way is copied to; elements are not copied.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...core.errors import TraceError, with_user_line
from ...ir.program import Block
from ..modes import Static
from .branch_values import meta_of
from .escape_analysis import is_made_here
from .may_alias import KINDS, current, is_moved, items_of
from .tensor_arrays import TensorArray


class OtherLength(TraceError):
    """A variable is a list on both ways of a branch, and of another length on each.

    name: of it.
    """

    def __init__(self, name: str) -> None:
        why = "the lists that the branches give have different lengths"
        super().__init__(
            with_user_line(f"'{name}': {why}; append to one list in both, or use an `if` statement")
        )
        self.name = name


def differ(a: Any, b: Any) -> bool:
    """Whether two values are lists, or tuples, of tensors, of lengths that differ or that only a
    run knows.
    """
    if not (_is_list(a) and _is_list(b)) or _is_tuple(a) is not _is_tuple(b):
        return False
    return (
        isinstance(a, TensorArray) or isinstance(b, TensorArray) or len(_items(a)) != len(_items(b))
    )


def _is_list(value: Any) -> bool:
    if isinstance(value, TensorArray):
        return True
    kind = (type(value) in KINDS and isinstance(value, list)) or type(value) is tuple
    return kind and all(meta_of(v) is not None for v in _items(value))


def _is_tuple(value: Any) -> bool:
    return value.is_tuple if isinstance(value, TensorArray) else isinstance(value, tuple)


def _items(value: Any) -> Sequence[Any]:
    return value if isinstance(value, tuple) else items_of(value)


def opened(mode: Static, name: str, value: Any) -> Any:
    """A list that was made here, as one of the program under whichever name; anything
    else itself.
    """
    if is_moved(value):
        return current(value)
    if not _is_list(value) or isinstance(value, TensorArray):
        return value
    if isinstance(value, tuple):
        return TensorArray.of(mode, value)
    if not is_made_here(mode.recorder, value):
        raise TraceError(
            with_user_line(
                f"'{name}': this list was there before; give the name a copy of it (`list(...)`)"
            )
        )
    return TensorArray.replacing(mode, name, value)


@dataclass
class CarriedList:
    """A list that a round replaces.

    initial: before the first; variable: what the name stands for in the rounds of this try.
    """

    name: str
    initial: TensorArray
    variable: TensorArray
    known: Any = None  # of its elements, when the try began

    @classmethod
    def of(cls, name: str, initial: TensorArray, after: Any) -> CarriedList:
        """What a name is carried as of which a round made something else."""
        made = cls(name, initial, initial)
        if isinstance(after, TensorArray):
            initial.like(after)
        return made

    def declare(self, mode: Static, block: Block) -> TensorArray:
        """The list that the name stands for in another try; declared in `block`, which is around
        the loop.
        """
        self.variable = TensorArray(mode, block=block).like(self.initial, self.variable)
        self.known = self.variable.facts
        return self.variable

    def follow(self, after: Any) -> bool:
        """Whether a round showed something new of the elements.

        after: what it left under the name.
        """
        if isinstance(after, TensorArray):
            self.variable.like(after)
        return bool(self.variable.facts != self.known)


def assign_all(pairs: Sequence[tuple[TensorArray, TensorArray]]) -> None:
    """Let the first of each pair hold what the second does, all at once."""
    targets = {id(to) for to, _ in pairs}
    values = [
        (to, value.copy() if id(value) in targets and value is not to else value)
        for to, value in pairs
    ]
    for to, value in values:
        if value is not to:
            value.assigned_to(to)
