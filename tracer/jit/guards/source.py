"""Places that a recording may have read: an attribute, a name of a module, or a cell; what was
there, and whether it still is.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import CellType
from typing import Any

from .side_effects import is_of_program
from .snapshots import MISSING, Plain, Snapshot, is_plain, reachable, restored

LISTED = (
    "_parameters",
    "_buffers",
    "_sub_layers",
    "_forward_pre_hooks",
    "_forward_post_hooks",
)  # of a layer: their keys or elements count


@dataclass
class Place:
    """Where a recording may have read.

    what: 'attribute' or 'name'; counted: changes of it are counted by layers; was: before the
    recording.
    """

    what: str
    label: str
    holder: Any  # an object with attributes, a dict of names, or a cell
    key: str
    was: Snapshot
    counted: bool = False

    def now(self) -> Any:
        """What is there; MISSING for nothing."""
        if isinstance(self.holder, CellType):
            return content(self.holder)
        table = self.holder if isinstance(self.holder, dict) else vars(self.holder)
        found = table.get(self.key, MISSING)
        return (
            list(found) if self.counted and self.key in LISTED and found is not MISSING else found
        )

    def set(self, value: Any) -> None:
        """Put a value there."""
        if isinstance(self.holder, CellType):
            self.holder.cell_contents = value
        elif isinstance(self.holder, dict):
            self.holder[self.key] = value
        else:
            setattr(self.holder, self.key, value)

    def holds(self) -> bool:
        """Whether it is as it was."""
        return self.was.same(self.now())

    def is_of_the_call(self) -> bool:
        """Whether what is there now is a count, or values of a program, or a list that grew: no
        layer or the like that lasts.
        """
        now = self.now()
        return self.key not in LISTED and (
            now is self.was.value or is_plain(now) or any(map(is_of_program, reachable(now)))
        )

    def put_back(self) -> None:
        """Make it what it was."""
        restored(self.was)
        if self.was.value is MISSING:
            self._remove()
        elif self.now() is not self.was.value:
            self.set(self.was.value)

    def _remove(self) -> None:
        if isinstance(self.holder, CellType):
            del self.holder.cell_contents
        elif isinstance(self.holder, dict):
            self.holder.pop(self.key, None)
        elif self.key in vars(self.holder):
            delattr(self.holder, self.key)


class PlainPlaces:
    """Places known by their names that hold what has no parts: most calls find the very objects
    there, which is quick to see.
    """

    def __init__(self) -> None:
        self.places: list[Place] = []
        self._cells: list[tuple[CellType, Any]] = []
        self._tables: list[tuple[dict[str, Any], str, Any]] = []

    def take(self, place: Place) -> bool:
        """Take a place in, if it is of this kind."""
        if type(place.was) not in (Snapshot, Plain) or place.was.value is MISSING:
            return False
        if isinstance(place.holder, CellType):
            self._cells.append((place.holder, place.was.value))
        elif isinstance(place.holder, dict):
            self._tables.append((place.holder, place.key, place.was.value))
        else:
            return False
        self.places.append(place)
        return True

    def hold(self) -> bool:
        """Whether all are what they were."""
        return self._unmoved() or all(place.holds() for place in self.places)

    def _unmoved(self) -> bool:
        try:
            for cell, was in self._cells:
                if cell.cell_contents is not was:
                    return False
            for table, key, was in self._tables:
                if table[key] is not was:
                    return False
        except (KeyError, ValueError):  # an empty cell
            return False
        return True


def content(cell: CellType) -> Any:
    """What a cell holds; MISSING for nothing."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING
