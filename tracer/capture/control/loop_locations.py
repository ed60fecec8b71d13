"""Mutable locations that the iterations of a loop change. The values of these locations are
loop-carried like variables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..recorder import Recorder
from .container_aliasing import InvalidatedMarker
from .escape_analysis import is_local_object
from .mutable_locations import (
    MutableLocation,
    Mutations,
    has_different_lengths,
    is_merged_by_value,
    reject_length_change,
    save_locations_in_open_blocks,
)

# If more containers than this are found under one name, each iteration creates new ones.
MAX_LOCATIONS_PER_NAME = 16


class LoopMutableLocations:
    """The mutable locations that a loop changes, in the order in which they were found.

    list_names: by id, the names of lists whose length changes.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.locations: list[tuple[MutableLocation, Any]] = []
        self.list_names: dict[int, str] = {}  # by id of a list whose length changes: its name
        self._known_keys: set[tuple[Any, Any]] = set()

    def write_values(self, values: Sequence[Any]) -> None:
        """Assign one value to each location."""
        for (location, key), value in zip(self.locations, values, strict=True):
            save_locations_in_open_blocks(self.recorder, [location])
            if location.read().get(key, self) is not value:
                location.write_item(key, value)

    def invalidated_marker_per_location(self) -> list[InvalidatedMarker | None]:
        """Return, for each location, the InvalidatedMarker that it holds, or None if its value may
        be read.
        """
        return [v if isinstance(v, InvalidatedMarker) else None for v in self.read_values()]

    def read_values(self) -> list[Any]:
        """Return the current value of each location."""
        return [
            location.read().get(key, location.class_attribute_or_undefined(key))
            for location, key in self.locations
        ]

    def add_and_iter_new_locations(
        self, changes: Mutations, resized_lists: dict[int, Any]
    ) -> Iterator[tuple[str, Any]]:
        """Yield the name and the value before the loop of each location that an iteration changed
        for the first time.

        resized_lists: by id, the lists whose length changes; lists in mutable locations are added
        to it.
        """
        for change in changes.values():
            location = change.location
            if id(location.target) in resized_lists or any(
                isinstance(v, InvalidatedMarker) for v in location.read().values()
            ):
                # the container was invalidated or is being replaced, so its items are not read any
                # more
                continue
            if has_different_lengths(location, change.before, change.after) and is_local_object(
                self.recorder, location.target
            ):
                resized_lists[id(location.target)] = location.target
                self.list_names[id(location.target)] = location.name
                continue
            reject_length_change(location, change.before, change.after, "an iteration of a loop")
            for key in change.iter_changed_keys():
                label = location.label(key)
                before, after = (
                    held.get(key, location.class_attribute_or_undefined(key))
                    for held in (change.before, change.after)
                )
                if self._is_new_and_below_limit(location, key, label) and (
                    is_merged_by_value(before)
                    or is_merged_by_value(after)
                    or isinstance(after, InvalidatedMarker)
                ):
                    self.locations.append((location, key))
                    self._known_keys.add((location.id, key))
                    yield label, before

    def _is_new_and_below_limit(self, location: MutableLocation, key: Any, label: str) -> bool:
        """Whether a location is not carried yet, and fewer than MAX_LOCATIONS_PER_NAME locations of
        the same name are carried. If the limit is exceeded, each iteration creates new containers
        under the name.
        """
        if (location.id, key) in self._known_keys:
            return False
        return sum(k.label(at) == label for k, at in self.locations) < MAX_LOCATIONS_PER_NAME
