"""The loop-carried state of a loop. Containers are expanded to leaves; each leaf is carried as a
separate variable, and the containers are rebuilt for each iteration.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core import pytree
from ...core.errors import TraceError, with_user_line
from ..recorder import Recorder
from .array_replacement import CarriedArray
from .escape_analysis import register_local
from .loop_aliasing import LoopAliasAnalysis, LoopCarried
from .loop_containers import ExpandedContainers
from .loop_locations import LoopLocations
from .maybe_undefined import UndefinedLoopValues
from .optional_values import OptionalLoopValues

Values = list[Any]


class LoopState:
    """The values of a loop.

    num_named: the first `num_named` values are variables of the caller; the others are in
    attributes, elements, globals or closure cells, see `LoopLocations`.
    specs: the structure of each value that is expanded to leaves; None for a leaf.
    """

    recorder: Recorder
    test: Callable[[Values], tuple[Any, Values]]
    body: Callable[[Values], Values]
    values: Values
    names: list[str]
    specs: list[Any]
    carried: dict[int, LoopCarried]
    arrays: dict[int, CarriedArray]
    num_named: int
    locations: LoopLocations
    containers: ExpandedContainers
    optional_values: OptionalLoopValues
    undefined_values: UndefinedLoopValues
    alias_analysis: LoopAliasAnalysis

    def _run_body(self, leaves: Values) -> Values:
        values = self._pack(leaves)
        given = self.containers.begin_iteration(values)
        self.locations.write(values[self.num_named :])
        result = [*self.body(values[: self.num_named]), *self.locations.read()]
        self.containers.end_iteration(given, result)
        return self._unpack(result)

    def _run_test(self, leaves: Values) -> tuple[Any, Values]:
        values = self._pack(leaves)
        given = self.containers.begin_iteration(values)
        self.locations.write(values[self.num_named :])
        condition, result = self.test(values[: self.num_named])
        result += self.locations.read()
        self.containers.end_iteration(given, result)
        return condition, self._unpack(result)

    def _pack(self, leaves: Values) -> Values:
        """Rebuild the values of the caller from the leaves."""
        found, at = [], 0
        for spec in self.specs:
            if spec is None:
                found.append(leaves[at])
                at += 1
                continue
            count = pytree.num_leaves(spec)
            found.append(pytree.unflatten(spec, leaves[at : at + count]))
            self._register_local(found[-1])
            at += count
        return found

    def _register_local(self, result: Any) -> None:
        """Mark containers as created in this iteration."""
        if isinstance(result, list | dict | tuple):
            register_local(self.recorder, result)
            for inner in result.values() if isinstance(result, dict) else result:
                self._register_local(inner)

    def _unpack(self, values: Values) -> Values:
        leaves = []
        for spec, value in zip(self.specs, values, strict=True):
            if spec is None:
                leaves.append(value)
                continue
            inner, found = pytree.flatten(value)
            if found != spec:
                why = (
                    f"an iteration changes the structure from {pytree.format_spec(spec)} to "
                    f"{pytree.format_spec(found)}"
                )
                raise TraceError(with_user_line(f"{why}; only the values in it may change"))
            leaves += inner
        return leaves

    def _expand(self, leaf: int) -> None:
        """Replace a container by its leaves, each of which is carried as a separate variable."""
        at = 0
        for i, spec in enumerate(self.specs):
            if spec is None and at == leaf:
                leaves, found = pytree.flatten(self.containers.expand(i, self.values[leaf]))
                self.specs[i] = found
                self.values[leaf : leaf + 1] = leaves
                name = self.names[leaf]
                self.names[leaf : leaf + 1] = [name + p for p in pytree.key_paths(found)]
                more = len(leaves) - 1
                self.optional_values.shift(leaf, more)
                self.undefined_values.shift(leaf, more)
                self.carried = {(k + more if k > leaf else k): c for k, c in self.carried.items()}
                self.arrays = {(k + more if k > leaf else k): c for k, c in self.arrays.items()}
                self.alias_analysis.reset()
                return
            at += 1 if spec is None else pytree.num_leaves(spec)

    def depth(self) -> int:
        """Return the number of open blocks."""
        return len(self.recorder.open_blocks)
