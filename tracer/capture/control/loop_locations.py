"""Mutable locations that the iterations of a loop change. Their values are loop-carried like
variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..recorder import Recorder
from .escape_analysis import is_local
from .may_alias import Invalidated
from .mutable_locations import (
    MutableLocation,
    Mutations,
    is_path_dependent,
    length_differs,
    reject_length_change,
    track,
)

# If more containers than this are found under one name, each iteration creates new ones.
MAX_PER_NAME = 16


class LoopLocations:
    """The mutable locations that a loop changes, in the order in which they were found.

    names: by id, the names of lists whose length changes.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.locations: list[tuple[MutableLocation, Any]] = []
        self.names: dict[int, str] = {}  # of lists whose length changes, by id
        self._known: set[tuple[Any, Any]] = set()

    def write(self, values: Sequence[Any]) -> None:
        """Write the values to the locations."""
        for (location, key), value in zip(self.locations, values, strict=True):
            track(self.recorder, [location])
            if location.read().get(key, self) is not value:
                location.write_item(key, value)

    def invalidated(self) -> list[Invalidated | None]:
        """Return the Invalidated value of each location; None where the value is valid."""
        return [v if isinstance(v, Invalidated) else None for v in self.read()]

    def read(self) -> list[Any]:
        """Return the current values."""
        return [location.read().get(key, location.default(key)) for location, key in self.locations]

    def find_new(self, changes: Mutations, grown: dict[int, Any]) -> Iterator[tuple[str, Any]]:
        """Yield the name and the value before the loop of each location that an iteration changed
        for the first time.

        grown: by id, the lists whose length changes; lists in mutable locations are added to it.
        """
        for change in changes.values():
            location = change.location
            if id(location.target) in grown or any(
                isinstance(v, Invalidated) for v in location.read().values()
            ):
                continue  # it cannot be read any more
            if length_differs(location, change.before, change.after) and is_local(
                self.recorder, location.target
            ):
                grown[id(location.target)] = location.target
                self.names[id(location.target)] = location.name
                continue
            reject_length_change(location, change.before, change.after, "an iteration of a loop")
            for key in change.changed_keys():
                label = location.label(key)
                before, after = (
                    held.get(key, location.default(key)) for held in (change.before, change.after)
                )
                if self._is_new(location, key, label) and (
                    is_path_dependent(before)
                    or is_path_dependent(after)
                    or isinstance(after, Invalidated)
                ):
                    self.locations.append((location, key))
                    self._known.add((location.id, key))
                    yield label, before

    def _is_new(self, location: MutableLocation, key: Any, label: str) -> bool:
        """Whether a location must be carried. False if it is known already, or if it is one of many
        that each iteration creates under the same name.
        """
        if (location.id, key) in self._known:
            return False
        return sum(k.label(at) == label for k, at in self.locations) < MAX_PER_NAME
