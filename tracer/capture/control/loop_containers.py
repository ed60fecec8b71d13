"""Lists and dicts that a loop expands to their leaves. Each iteration gets new containers, which
may alias those from before the loop or from the previous iteration.
"""

from __future__ import annotations

from typing import Any

from ..recorder import Recorder
from .may_alias import (
    ContainerMerge,
    ContainerSnapshot,
    invalidate,
    make_may_alias,
    raw_items,
    snapshot_container,
)
from .mutable_locations import DictItems, ListItems, track


class ExpandedContainers:
    """The expanded containers of a loop.

    initial: by position of the value, the snapshot of the container before the loop.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.initial: dict[int, ContainerSnapshot] = {}
        # By position: the container that the last iteration assigned, if it is a new one.
        self._final: dict[int, ContainerSnapshot] = {}
        # Whether an iteration mutates its containers.
        self._changed = False

    def expand(self, i: int, container: Any) -> Any:
        """Expand value `i`, and return a copy of it. While the loop is recorded, reading the
        original container raises an error.
        """
        found = self._snapshot_of(container) or snapshot_container(container)
        if found is None:
            return container
        self.initial[i] = found
        self._take_all(found)
        return found.copy()

    def _snapshot_of(self, container: Any) -> ContainerSnapshot | None:
        return next(
            (found for found in self.initial.values() if found.container is container), None
        )

    def original(self, container: Any) -> Any:
        """Return a copy of a container as it was before it was expanded; other values unchanged."""
        found = self._snapshot_of(container)
        return container if found is None else found.copy()

    def _take_all(self, found: ContainerSnapshot) -> None:
        for inner in found.children.values():
            self._take_all(inner)
        container = found.container
        if not isinstance(container, tuple) and raw_items(container):
            track(
                self.recorder,
                [
                    (DictItems if isinstance(container, dict) else ListItems)(
                        "a list or dict", container
                    )
                ],
            )
            invalidate(container)

    def begin_iteration(self, values: list[Any]) -> dict[int, ContainerSnapshot]:
        """Return snapshots of the containers of an iteration. A container that may have other names
        is replaced by a MayAlias container.
        """
        starts = [id(found.container) for found in self.initial.values()]
        for i, found in self.initial.items():
            origins = [self._final[i].container] if i in self._final else []
            if starts.count(id(found.container)) > 1:
                origins.append(found.container)
            if origins and type(values[i]) in (list, dict):
                values[i] = make_may_alias(values[i], *origins)
        return {
            i: again for i in self.initial if (again := snapshot_container(values[i])) is not None
        }

    def end_iteration(self, given: dict[int, ContainerSnapshot], made: list[Any]) -> None:
        """Record which containers the iteration mutated and which it replaced."""
        for i, start in given.items():
            self._changed = self._changed or any(True for _ in start.iter_changed())
            if made[i] is not start.container and (left := snapshot_container(made[i])) is not None:
                self._final[i] = left

    def results(self, values: list[Any]) -> list[Any]:
        """Return the values after the loop."""
        merge = ContainerMerge()
        if not self._changed:
            for found in self.initial.values():
                found.restore()
        for i, found in self.initial.items():
            values[i] = merge.merge(values[i], found, self._final.get(i, found))
        merge.finish()
        return values
