"""The loop-carried state of a loop. A container that changes is expanded to its leaves. Each leaf
is carried as a separate variable, and each iteration rebuilds the container.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core import pytree
from ...core.errors import TraceError, append_user_line
from ..recorder import Recorder
from .array_replacement import CarriedArray
from .defined_flags import LoopDefinedFlags
from .escape_analysis import register_local_object
from .loop_aliasing import LoopAliasAnalysis, LoopCarriedVariable
from .loop_containers import ExpandedContainers
from .loop_locations import LoopMutableLocations
from .optional_values import LoopNoneFlags

LoopValues = list[Any]


class LoopState:
    """The values of a loop.

    num_variables: the first `num_variables` values are variables of the caller; the others are in
    attributes, elements, globals or closure cells, see `LoopMutableLocations`.
    specs: the structure of each value that is expanded to leaves; None for a leaf.
    """

    recorder: Recorder
    test: Callable[[LoopValues], tuple[Any, LoopValues]]
    body: Callable[[LoopValues], LoopValues]
    values: LoopValues
    names: list[str]
    specs: list[Any]
    carried: dict[int, LoopCarriedVariable]
    arrays: dict[int, CarriedArray]
    num_variables: int
    locations: LoopMutableLocations
    containers: ExpandedContainers
    optional_values: LoopNoneFlags
    undefined_values: LoopDefinedFlags
    alias_analysis: LoopAliasAnalysis

    def _run_body(self, leaves: LoopValues) -> LoopValues:
        """Call the body once with the values rebuilt from the leaves. Returns the leaves of the
        values that the body returns.
        """
        values = self._rebuild_from_leaves(leaves)
        snapshots = self.containers.wrap_aliased_and_snapshot_containers(values)
        self.locations.write_values(values[self.num_variables :])
        result = [*self.body(values[: self.num_variables]), *self.locations.read_values()]
        self.containers.record_mutations_and_replacements(snapshots, result)
        return self._flatten_and_check_structure(result)

    def _run_test(self, leaves: LoopValues) -> tuple[Any, LoopValues]:
        """Call the test of the loop with the values rebuilt from the leaves. Returns the condition,
        and the leaves after the test, because the test may assign variables and mutate containers.
        """
        values = self._rebuild_from_leaves(leaves)
        snapshots = self.containers.wrap_aliased_and_snapshot_containers(values)
        self.locations.write_values(values[self.num_variables :])
        condition, result = self.test(values[: self.num_variables])
        result += self.locations.read_values()
        self.containers.record_mutations_and_replacements(snapshots, result)
        return condition, self._flatten_and_check_structure(result)

    def _rebuild_from_leaves(self, leaves: LoopValues) -> LoopValues:
        """Rebuild the values of the loop, including containers, from the leaves."""
        values, position = [], 0
        for spec in self.specs:
            if spec is None:
                values.append(leaves[position])
                position += 1
                continue
            count = pytree.num_leaves(spec)
            values.append(pytree.unflatten(spec, leaves[position : position + count]))
            self._mark_containers_created_in_iteration(values[-1])
            position += count
        return values

    def _mark_containers_created_in_iteration(self, result: Any) -> None:
        """Mark the containers in `result` as created in the current iteration, so that mutating
        them is not a side effect.
        """
        if isinstance(result, list | dict | tuple):
            register_local_object(self.recorder, result)
            for inner in result.values() if isinstance(result, dict) else result:
                self._mark_containers_created_in_iteration(inner)

    def _flatten_and_check_structure(self, values: LoopValues) -> LoopValues:
        leaves = []
        for spec, value in zip(self.specs, values, strict=True):
            if spec is None:
                leaves.append(value)
                continue
            inner, structure = pytree.flatten(value)
            if structure != spec:
                why = (
                    f"an iteration changes the structure from {pytree.format_spec_root(spec)} to "
                    f"{pytree.format_spec_root(structure)}"
                )
                raise TraceError(append_user_line(f"{why}; only the values in it may change"))
            leaves += inner
        return leaves

    def _expand_container_at(self, leaf: int) -> None:
        """Replace a container by its leaves, each of which is carried as a separate variable."""
        position = 0
        for i, spec in enumerate(self.specs):
            if spec is None and position == leaf:
                leaves, leaf_structure = pytree.flatten(
                    self.containers.expand(i, self.values[leaf])
                )
                self.specs[i] = leaf_structure
                self.values[leaf : leaf + 1] = leaves
                name = self.names[leaf]
                self.names[leaf : leaf + 1] = [
                    name + p for p in pytree.subscript_paths(leaf_structure)
                ]
                num_added = len(leaves) - 1
                self.optional_values.shift_positions_after_leaf_expansion(leaf, num_added)
                self.undefined_values.shift_positions_after_leaf_expansion(leaf, num_added)
                self.carried = {
                    (k + num_added if k > leaf else k): c for k, c in self.carried.items()
                }
                self.arrays = {
                    (k + num_added if k > leaf else k): c for k, c in self.arrays.items()
                }
                self.alias_analysis.reset()
                return
            position += 1 if spec is None else pytree.num_leaves(spec)

    def num_open_recorder_blocks(self) -> int:
        """Return how many blocks the recorder is writing at the moment: the outermost block and
        those of enclosing loops and branches.
        """
        return len(self.recorder.open_blocks)
