"""Places outside of a function's variables that the rounds of a loop change: values of the loop
like those that have names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..recorder import Recorder
from .escape_analysis import is_made_here
from .may_alias import Gone
from .mutable_locations import (
    Changes,
    Keeper,
    differs_by_way,
    has_other_length,
    note,
    refuse_length,
)

# containers that have one name in a loop; more of them are new ones that each round makes
MOST_OF_A_NAME = 16


class Placed:
    """The places, in the order in which they were found.

    A list that became one of the program is another place's value.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.places: list[tuple[Keeper, Any]] = []
        self.names: dict[int, str] = {}  # of lists that rounds make longer, by id
        self._known: set[tuple[Any, Any]] = set()

    def put(self, values: Sequence[Any]) -> None:
        """Let each hold its value."""
        for (keeper, key), value in zip(self.places, values, strict=True):
            note(self.recorder, [keeper])
            if keeper.read().get(key, self) is not value:
                keeper.put(key, value)

    def gone(self) -> list[Gone | None]:
        """Of each, what stands there if its list or dict was taken away."""
        return [v if isinstance(v, Gone) else None for v in self.held()]

    def held(self) -> list[Any]:
        """What each holds now."""
        return [keeper.read().get(key, keeper.absent(key)) for keeper, key in self.places]

    def found(self, changes: Changes, grown: dict[int, Any]) -> Iterator[tuple[str, Any]]:
        """Places that a round changed for the first time: a name, and what was there before the
        loop.

        grown: lists of another length, by id, to which it adds those that are no variables.
        """
        for change in changes.values():
            keeper = change.keeper
            if id(keeper.target) in grown or any(
                isinstance(v, Gone) for v in keeper.read().values()
            ):
                continue  # nobody reads it any more
            if has_other_length(keeper, change.before, change.after) and is_made_here(
                self.recorder, keeper.target
            ):
                grown[id(keeper.target)] = keeper.target
                self.names[id(keeper.target)] = keeper.name
                continue
            refuse_length(keeper, change.before, change.after, "a round of a loop")
            for key in change.places():
                label = keeper.label(key)
                before, after = (
                    held.get(key, keeper.absent(key)) for held in (change.before, change.after)
                )
                if self._is_new(keeper, key, label) and (
                    differs_by_way(before) or differs_by_way(after) or isinstance(after, Gone)
                ):
                    self.places.append((keeper, key))
                    self._known.add((keeper.key, key))
                    yield label, before

    def _is_new(self, keeper: Keeper, key: Any, label: str) -> bool:
        """Whether a place is to be followed: not one of those that are made anew in each round."""
        if (keeper.key, key) in self._known:
            return False
        return sum(k.label(at) == label for k, at in self.places) < MOST_OF_A_NAME
