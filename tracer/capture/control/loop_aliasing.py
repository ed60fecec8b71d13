"""Alias analysis of loops: which loop-carried values may be the same tensor in some iteration, and
which of them are invalidated. The body of the loop is recorded repeatedly until the analysis finds
no new aliases.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...core.errors import user_line
from ...core.op import Meta
from ..aliasing import Aliases, Invalidation, TensorArrayMarkerBase, is_aliasable
from ..symbolic_scalars import PossibleScalarTypes
from ..variable import Variable


@dataclass
class LoopCarriedVariable:
    """A loop-carried variable.

    meta: a shape and dtype that hold in every iteration.
    initial: the value before the first iteration.
    scalar_kind: the Python scalar types that it stands for.
    """

    name: str
    meta: Meta
    initial: Any
    variable: Variable | None = None
    scalar_kind: PossibleScalarTypes | None = None


class LoopAliasAnalysis:
    """Collects the aliases that the iterations of one loop may create.

    aliases: the alias relation of the program before the loop.
    """

    def __init__(self, aliases: Aliases) -> None:
        self.aliases = aliases
        self._invalidated_before_loop, self._loop_timestamp = (
            dict(aliases.invalidated),
            aliases.timestamp(),
        )
        # External tensors that an iteration invalidates.
        self._invalidated_externals: dict[int, Invalidation] = {}
        # carried values that an iteration invalidates
        self._invalidated_carried: dict[Hashable, Invalidation] = {}
        # By key of a carried value: external tensors that it may alias after an iteration.
        self._external_aliases: dict[Hashable, dict[int, Any]] = {}
        self._aliasing_pairs: set[tuple[Hashable, Hashable]] = (
            set()
        )  # pairs of carried values that may be the same tensor after an iteration
        self._aliasing_list_pairs: set[tuple[Hashable, Hashable]] = (
            set()
        )  # pairs of carried lists that may be the same list after an iteration
        # By key of a carried list: external lists that it may alias after an iteration.
        self._external_list_aliases: dict[Hashable, dict[int, Any]] = {}
        self._num_tensor_links_at_start, self._loop_line = 0, str(user_line() or "")

    def reset(self) -> None:
        """Discard the aliases collected so far. Called when the keys of the carried values
        change.
        """
        (
            self._invalidated_carried,
            self._external_aliases,
            self._aliasing_pairs,
            self._aliasing_list_pairs,
            self._external_list_aliases,
        ) = (
            {},
            {},
            set(),
            set(),
            {},
        )

    def mark_array_created_before_loop(self, array: Any) -> None:
        """Record that a TensorArray, created during the recording of the loop in place of a list,
        existed before the loop, like that list.
        """
        self.aliases.record_creation_time(array, self._loop_timestamp)

    def set_alias_state_before_iteration(self, values: Mapping[Hashable, Any]) -> None:
        """Set the alias relation to the state at the start of an iteration: it contains every alias
        that a previous iteration may have created. Called before each recording of the body and
        after the loop.

        values: the carried values. The key of a value is the same in each recording of the body.
        """
        aliases = self.aliases
        self._num_tensor_links_at_start = aliases.num_tensor_links()
        aliases.invalidated = {**self._invalidated_before_loop, **self._invalidated_externals}
        aliases.record_merged_value_aliases(
            [(carried.variable, (carried.initial,)) for carried in values.values()]
        )
        self._link_carried_list_aliases(values)
        for key, carried in values.items():
            for other in self._external_aliases.get(key, {}).values():
                aliases.record_may_alias(carried.variable, other, self._loop_line)
            invalidation = self._invalidated_before_loop.get(
                id(carried.initial)
            ) or self._invalidated_carried.get(key)
            if invalidation is not None:
                aliases.invalidated[id(carried.variable)] = replace(
                    invalidation, tensor=carried.variable
                )
        for one, two in self._aliasing_pairs:
            if one in values and two in values:
                aliases.record_may_alias(
                    values[one].variable, values[two].variable, self._loop_line
                )

    def _link_carried_list_aliases(self, values: Mapping[Hashable, Any]) -> None:
        """Record which lists each carried list may alias."""
        lists = {
            key: carried
            for key, carried in values.items()
            if isinstance(carried.variable, TensorArrayMarkerBase)
        }
        for key, carried in lists.items():
            for other in (carried.initial, *self._external_list_aliases.get(key, {}).values()):
                self.aliases.record_lists_may_alias(carried.variable, other)
        for one, two in self._aliasing_list_pairs:
            if one in lists and two in lists:
                self.aliases.record_lists_may_alias(lists[one].variable, lists[two].variable)

    def record_iteration_aliases_and_report_new(self, next_values: dict[Hashable, Any]) -> bool:
        """Collect the aliases that exist after an iteration; return whether some of them are
        new.

        next_values: the values for the next iteration, by key.
        """
        before = self._sizes_of_alias_sets()
        for key, value in next_values.items():
            self._record_external_aliases(key, value)
        keys = [key for key, value in next_values.items() if is_aliasable(value)]
        for i, one in enumerate(keys):
            self._aliasing_pairs |= {
                (two, one)
                for two in keys[:i]
                if self.aliases.may_alias(next_values[one], next_values[two])
            }
            lists = self.aliases.tensor_array_and_aliases(next_values[one])
            self._aliasing_list_pairs |= {
                (two, one) for two in keys[:i] if any(next_values[two] is v for v in lists)
            }
        for id_, invalidation in self.aliases.invalidated.items():
            if self.aliases.existed_at(invalidation.tensor, self._loop_timestamp):
                self._invalidated_externals[id_] = invalidation
        return (
            self._sizes_of_alias_sets() != before
            or self.aliases.has_new_tensor_links_of_older_values(
                self._num_tensor_links_at_start, self._loop_timestamp
            )
        )

    def _record_external_aliases(self, key: Hashable, value: Any) -> None:
        external_aliases = {
            id(o): o
            for o in self.aliases.tensor_and_aliases(value)
            if self.aliases.existed_at(o, self._loop_timestamp)
        }
        self._external_aliases.setdefault(key, {}).update(external_aliases)
        if isinstance(value, TensorArrayMarkerBase):
            external_lists = (
                v
                for v in self.aliases.tensor_array_and_aliases(value)
                if self.aliases.existed_at(v, self._loop_timestamp)
            )
            self._external_list_aliases.setdefault(key, {}).update(
                (id(v), v) for v in external_lists
            )
        if id(value) in self.aliases.invalidated:
            self._invalidated_carried[key] = self.aliases.invalidated[id(value)]

    def _sizes_of_alias_sets(self) -> tuple[int, ...]:
        external_aliases = (*self._external_aliases.values(), *self._external_list_aliases.values())
        return (
            len(self._invalidated_externals),
            len(self._invalidated_carried),
            sum(map(len, external_aliases)),
            len(self._aliasing_pairs),
            len(self._aliasing_list_pairs),
        )
