"""Lists and dicts that a loop expands to their leaves, which are loop-carried. Each iteration gets
new containers, which may alias the containers from before the loop or from the previous iteration.
"""

from __future__ import annotations

from typing import Any

from ..recorder import Recorder
from .container_aliasing import (
    ContainerMerge,
    ContainerSnapshot,
    container_snapshot_or_none,
    create_may_alias_container,
    invalidate_container,
    items_without_alias_check,
)
from .mutable_locations import DictItemsLocation, ListItemsLocation, save_locations_in_open_blocks


class ExpandedContainers:
    """The expanded containers of a loop.

    initial_snapshots: by position of the value, the snapshot of the container before the loop.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.initial_snapshots: dict[int, ContainerSnapshot] = {}
        # By position: the container that the body assigned, if it is not the one of the start of
        # the iteration.
        self._last_replacements: dict[int, ContainerSnapshot] = {}
        # Whether the body mutates one of the containers that it starts with.
        self._has_mutations = False

    def expand(self, i: int, container: Any) -> Any:
        """Save a snapshot of the container that is value `i`, and return a copy of the container.
        While the loop is recorded, reading the original container raises an error.
        """
        snapshot = self._find_initial_snapshot(container) or container_snapshot_or_none(container)
        if snapshot is None:
            return container
        self.initial_snapshots[i] = snapshot
        self._save_and_invalidate_container_tree(snapshot)
        return snapshot.copy()

    def _find_initial_snapshot(self, container: Any) -> ContainerSnapshot | None:
        return next(
            (found for found in self.initial_snapshots.values() if found.container is container),
            None,
        )

    def copy_as_before_expansion(self, container: Any) -> Any:
        """Return a copy of an expanded container with the contents from before the loop; return
        other values unchanged.
        """
        snapshot = self._find_initial_snapshot(container)
        return container if snapshot is None else snapshot.copy()

    def _save_and_invalidate_container_tree(self, snapshot: ContainerSnapshot) -> None:
        for inner in snapshot.children.values():
            self._save_and_invalidate_container_tree(inner)
        container = snapshot.container
        if not isinstance(container, tuple) and items_without_alias_check(container):
            save_locations_in_open_blocks(
                self.recorder,
                [
                    (DictItemsLocation if isinstance(container, dict) else ListItemsLocation)(
                        "a list or dict", container
                    )
                ],
            )
            invalidate_container(container)

    def wrap_aliased_and_snapshot_containers(
        self, values: list[Any]
    ) -> dict[int, ContainerSnapshot]:
        """Return snapshots of the containers of an iteration. A container that may also be known
        under another name is replaced in `values` by a MayAliasList or MayAliasDict.
        """
        starts = [id(found.container) for found in self.initial_snapshots.values()]
        for i, snapshot in self.initial_snapshots.items():
            origins = [self._last_replacements[i].container] if i in self._last_replacements else []
            if starts.count(id(snapshot.container)) > 1:
                origins.append(snapshot.container)
            if origins and type(values[i]) in (list, dict):
                values[i] = create_may_alias_container(values[i], *origins)
        return {
            i: start_snapshot
            for i in self.initial_snapshots
            if (start_snapshot := container_snapshot_or_none(values[i])) is not None
        }

    def record_mutations_and_replacements(
        self, start_snapshots: dict[int, ContainerSnapshot], values: list[Any]
    ) -> None:
        """Record whether the iteration mutated containers, and which containers it replaced by new
        ones.
        """
        for i, start in start_snapshots.items():
            self._has_mutations = self._has_mutations or any(
                True for _ in start.iter_changed_containers()
            )
            if (
                values[i] is not start.container
                and (snapshot := container_snapshot_or_none(values[i])) is not None
            ):
                self._last_replacements[i] = snapshot

    def merge_containers_in_loop_results(self, values: list[Any]) -> list[Any]:
        """Replace the expanded containers in `values`, in place, by the containers that their names
        denote after the loop, and return `values`.

        If no iteration mutates a container, the original containers get back their items. Original
        containers that a name still denotes after the loop receive the merged items.
        """
        merge = ContainerMerge()
        if not self._has_mutations:
            for snapshot in self.initial_snapshots.values():
                snapshot.restore()
        for i, snapshot in self.initial_snapshots.items():
            values[i] = merge.find_or_create_merged_container(
                values[i], snapshot, self._last_replacements.get(i, snapshot)
            )
        merge.apply_merge()
        return values
