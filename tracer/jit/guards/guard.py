"""Guards on Python state. A guard is the assumption that a source has the value that it had when
the program was captured.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import CellType
from typing import Any

from .side_effects import is_symbolic_value
from .snapshots import (
    MISSING,
    ConstantSnapshot,
    IdentitySnapshot,
    Snapshot,
    consists_of_constants,
    iter_value_and_items,
    restore_container_items,
)
from .source import LAYER_REGISTRIES, ClosureCellSource, NamespaceSource, Source


@dataclass
class StateGuard:
    """The assumption that a source has the value from before the capture.

    expected: the snapshot of the value.
    is_checked_by_version: whether the layer counts assignments to the source, so that a call
    compares the value only if the count has changed.
    was_read: for a source that ReadTracker found, whether converted code read it; False if the code
    only wrote it.
    """

    source: Source
    expected: Snapshot
    is_checked_by_version: bool = False
    was_read: bool = True

    def is_satisfied(self) -> bool:
        """Whether the current value of the source matches the snapshot."""
        return self.source.matches(self.expected)

    def has_call_local_value(self) -> bool:
        """Whether the value that a capture stored in the source is data of one call: constants,
        symbolic values, or a list or dict that was mutated in place. False if the value is another
        object, such as a layer, which may outlive the call.
        """
        now = self.source.read()
        return self.source.key not in LAYER_REGISTRIES and (
            now is self.expected.value
            or consists_of_constants(now)
            or any(map(is_symbolic_value, iter_value_and_items(now)))
        )

    def restore_value(self) -> None:
        """Assign the value from before the capture to the source, and restore the items of its
        containers.
        """
        restore_container_items(self.expected)
        if self.expected.value is MISSING:
            self.source.delete()
        elif self.source.read() is not self.expected.value:
            self.source.write(self.expected.value)


class NameGuards:
    """Guards on names whose values have no items to compare. At most calls, the names still refer
    to the same objects as at the capture, which is quick to check.
    """

    def __init__(self) -> None:
        self.state_guards: list[StateGuard] = []
        self._expected_cells: list[tuple[CellType, Any]] = []
        self._expected_names: list[tuple[dict[str, Any], str, Any]] = []

    def add(self, guard: StateGuard) -> bool:
        """Add a guard if it is on a global or closure variable whose value has no items to compare;
        return whether it was added.
        """
        source, expected = guard.source, guard.expected
        if type(expected) not in (IdentitySnapshot, ConstantSnapshot) or expected.value is MISSING:
            return False
        if isinstance(source, ClosureCellSource):
            self._expected_cells.append((source.holder, expected.value))
        elif isinstance(source, NamespaceSource):
            self._expected_names.append((source.holder, source.key, expected.value))
        else:
            return False
        self.state_guards.append(guard)
        return True

    def are_satisfied(self) -> bool:
        """Whether all guards in this set hold."""
        return self._all_names_refer_to_expected_objects() or all(
            guard.is_satisfied() for guard in self.state_guards
        )

    def _all_names_refer_to_expected_objects(self) -> bool:
        try:
            for cell, value in self._expected_cells:
                if cell.cell_contents is not value:
                    return False
            for names, name, value in self._expected_names:
                if names[name] is not value:
                    return False
        except (KeyError, ValueError):  # a deleted name or an empty cell
            return False
        return True
