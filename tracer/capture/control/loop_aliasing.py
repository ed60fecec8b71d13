"""Alias analysis of loops: which loop-carried values may be the same tensor in some iteration, and
which of them are invalidated. The body is recorded until the result no longer changes.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...core.errors import user_line
from ...core.op import Meta
from ..aliasing import Aliasable, Aliases, Invalidation, is_mutable
from ..symbolic_scalars import ScalarKind
from ..variable import Variable


@dataclass
class LoopCarried:
    """A loop-carried variable.

    meta: a shape and dtype that hold in every iteration.
    initial: the value before the first iteration.
    scalar_kind: the Python scalar types that it stands for.
    """

    name: str
    meta: Meta
    initial: Any
    variable: Variable | None = None
    scalar_kind: ScalarKind | None = None


class LoopAliasAnalysis:
    """The aliases that the body of one loop creates.

    aliases: the alias relation of the program before the loop.
    """

    def __init__(self, aliases: Aliases) -> None:
        self.aliases = aliases
        self._entry, self._start = dict(aliases.invalidated), aliases.timestamp()
        # External tensors that are invalidated after an iteration.
        self._invalidated: dict[int, Invalidation] = {}
        self._invalidated_values: dict[Hashable, Invalidation] = {}  # the same for carried values
        # External tensors that a carried value may alias.
        self._external_aliases: dict[Hashable, dict[int, Any]] = {}
        self._pairs: set[tuple[Hashable, Hashable]] = set()  # carried values that may be the same
        self._lists: set[tuple[Hashable, Hashable]] = set()  # carried lists that may be the same
        # External lists that a carried list may alias.
        self._external_lists: dict[Hashable, dict[int, Any]] = {}
        self._links, self._since = 0, str(user_line() or "")

    def reset(self) -> None:
        """Discard the results, because the keys of the carried values changed."""
        (
            self._invalidated_values,
            self._external_aliases,
            self._pairs,
            self._lists,
            self._external_lists,
        ) = (
            {},
            {},
            set(),
            set(),
            {},
        )

    def add_array(self, array: Any) -> None:
        """Register a TensorArray that replaces a list from before the loop."""
        self.aliases.record_creation(array, self._start)

    def begin_iteration(self, values: Mapping[Hashable, Any]) -> None:
        """Set up the alias relation for recording the body: it contains every alias that a previous
        iteration may have created.

        values: the carried values. The key of a value is the same in each recording of the body.
        """
        aliases = self.aliases
        self._links = aliases.num_links()
        aliases.invalidated = {**self._entry, **self._invalidated}
        aliases.merge([(carried.variable, (carried.initial,)) for carried in values.values()])
        self._begin_lists(values)
        for key, carried in values.items():
            for other in self._external_aliases.get(key, {}).values():
                aliases.link(carried.variable, other, self._since)
            found = self._entry.get(id(carried.initial)) or self._invalidated_values.get(key)
            if found is not None:
                aliases.invalidated[id(carried.variable)] = replace(found, tensor=carried.variable)
        for one, two in self._pairs:
            if one in values and two in values:
                aliases.link(values[one].variable, values[two].variable, self._since)

    def _begin_lists(self, values: Mapping[Hashable, Any]) -> None:
        """Record which lists may be the same."""
        lists = {
            key: carried
            for key, carried in values.items()
            if isinstance(carried.variable, Aliasable)
        }
        for key, carried in lists.items():
            for other in (carried.initial, *self._external_lists.get(key, {}).values()):
                self.aliases.link_lists(carried.variable, other)
        for one, two in self._lists:
            if one in lists and two in lists:
                self.aliases.link_lists(lists[one].variable, lists[two].variable)

    def end_iteration(self, left: dict[Hashable, Any]) -> bool:
        """Record the aliases after an iteration; return whether there are new ones.

        left: the values for the next iteration, by key.
        """
        before = self._size()
        for key, value in left.items():
            self._record(key, value)
        keys = [key for key, value in left.items() if is_mutable(value)]
        for i, one in enumerate(keys):
            self._pairs |= {
                (two, one) for two in keys[:i] if self.aliases.may_alias(left[one], left[two])
            }
            lists = self.aliases.list_aliases(left[one])
            self._lists |= {(two, one) for two in keys[:i] if any(left[two] is v for v in lists)}
        for id_, found in self.aliases.invalidated.items():
            if self.aliases.existed_at(found.tensor, self._start):
                self._invalidated[id_] = found
        return self._size() != before or self.aliases.has_new_links(self._links, self._start)

    def _record(self, key: Hashable, value: Any) -> None:
        old = {
            id(o): o
            for o in self.aliases.aliases_of(value)
            if self.aliases.existed_at(o, self._start)
        }
        self._external_aliases.setdefault(key, {}).update(old)
        if isinstance(value, Aliasable):
            older = (
                v
                for v in self.aliases.list_aliases(value)
                if self.aliases.existed_at(v, self._start)
            )
            self._external_lists.setdefault(key, {}).update((id(v), v) for v in older)
        if id(value) in self.aliases.invalidated:
            self._invalidated_values[key] = self.aliases.invalidated[id(value)]

    def _size(self) -> tuple[int, ...]:
        held = (*self._external_aliases.values(), *self._external_lists.values())
        return (
            len(self._invalidated),
            len(self._invalidated_values),
            sum(map(len, held)),
            len(self._pairs),
            len(self._lists),
        )
