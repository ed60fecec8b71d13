"""Which values of a loop may be one tensor in some round, and which are out of date: found by
trying rounds, and only ever more.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...core.errors import user_line
from ...core.op import Meta
from ..aliasing import Aliases, Container, Stale, is_shared
from ..symbolic_scalars import Stands
from ..variable import Variable


@dataclass
class Carried:
    """A value that goes from round to round.

    meta: what holds it in every round; initial: before the first; stands: which numbers of Python
    it stands for.
    """

    name: str
    meta: Meta
    initial: Any
    variable: Variable | None = None
    stands: Stands | None = None


class Rounds:
    """What a loop's body does to the names of its tensors.

    aliases: of the recording, as they are before the loop.
    """

    def __init__(self, aliases: Aliases) -> None:
        self.aliases = aliases
        self._entry, self._start = dict(aliases.stale), aliases.now()
        # tensors from outside that are out of date after a round
        self._stale: dict[int, Stale] = {}
        self._stale_values: dict[Hashable, Stale] = {}  # the same of carried values
        # tensors from outside that a carried value may be one with
        self._with: dict[Hashable, dict[int, Any]] = {}
        self._pairs: set[tuple[Hashable, Hashable]] = set()  # carried values that may be one
        self._lists: set[tuple[Hashable, Hashable]] = set()  # carried lists that may be one list
        # lists from outside that a carried one may be
        self._lists_with: dict[Hashable, dict[int, Any]] = {}
        self._links, self._since = 0, str(user_line() or "")

    def forget(self) -> None:
        """Begin anew with the carried values, which have other keys now."""
        self._stale_values, self._with, self._pairs, self._lists, self._lists_with = (
            {},
            {},
            set(),
            set(),
            {},
        )

    def admit(self, array: Any) -> None:
        """A list of the program was made of one that was there before the loop."""
        self.aliases.meet(array, self._start)

    def begin(self, values: Mapping[Hashable, Any]) -> None:
        """A round begins: what the rounds so far did holds for it as well.

        values: by a key that stays from try to try.
        """
        aliases = self.aliases
        self._links = aliases.links()
        aliases.stale = {**self._entry, **self._stale}
        aliases.join([(carried.variable, (carried.initial,)) for carried in values.values()])
        self._begin_lists(values)
        for key, carried in values.items():
            for other in self._with.get(key, {}).values():
                aliases.link(carried.variable, other, self._since)
            found = self._entry.get(id(carried.initial)) or self._stale_values.get(key)
            if found is not None:
                aliases.stale[id(carried.variable)] = replace(found, tensor=carried.variable)
        for one, two in self._pairs:
            if one in values and two in values:
                aliases.link(values[one].variable, values[two].variable, self._since)

    def _begin_lists(self, values: Mapping[Hashable, Any]) -> None:
        """Say which lists may be one list."""
        lists = {
            key: carried
            for key, carried in values.items()
            if isinstance(carried.variable, Container)
        }
        for key, carried in lists.items():
            for other in (carried.initial, *self._lists_with.get(key, {}).values()):
                self.aliases.one_list(carried.variable, other)
        for one, two in self._lists:
            if one in lists and two in lists:
                self.aliases.one_list(lists[one].variable, lists[two].variable)

    def end(self, left: dict[Hashable, Any]) -> bool:
        """Whether a round did something new.

        left: the tensors that the next round gets, by key; any may be a number as well.
        """
        before = self._size()
        for key, value in left.items():
            self._note(key, value)
        keys = [key for key, value in left.items() if is_shared(value)]
        for i, one in enumerate(keys):
            self._pairs |= {
                (two, one) for two in keys[:i] if self.aliases.may_be_one(left[one], left[two])
            }
            lists = self.aliases.lists_of(left[one])
            self._lists |= {(two, one) for two in keys[:i] if any(left[two] is v for v in lists)}
        for id_, found in self.aliases.stale.items():
            if self.aliases.is_older(found.tensor, self._start):
                self._stale[id_] = found
        return self._size() != before or self.aliases.has_linked(self._links, self._start)

    def _note(self, key: Hashable, value: Any) -> None:
        old = {id(o): o for o in self.aliases.which(value) if self.aliases.is_older(o, self._start)}
        self._with.setdefault(key, {}).update(old)
        if isinstance(value, Container):
            older = (
                v for v in self.aliases.lists_of(value) if self.aliases.is_older(v, self._start)
            )
            self._lists_with.setdefault(key, {}).update((id(v), v) for v in older)
        if id(value) in self.aliases.stale:
            self._stale_values[key] = self.aliases.stale[id(value)]

    def _size(self) -> tuple[int, ...]:
        held = (*self._with.values(), *self._lists_with.values())
        return (
            len(self._stale),
            len(self._stale_values),
            sum(map(len, held)),
            len(self._pairs),
            len(self._lists),
        )
