"""The values of a loop that are containers: taken apart into leaves, each of which goes from round
to round by itself, and put together for a round.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core import pytree
from ...core.errors import TraceError, with_user_line
from ..recorder import Recorder
from .array_replacement import CarriedList
from .escape_analysis import born
from .loop_aliasing import Carried, Rounds
from .loop_containers import Apart
from .loop_locations import Placed
from .maybe_undefined import Unset
from .optional_values import Nones

Values = list[Any]


class TakenApart:
    """What a loop knows of its values.

    named: how many of them the caller has names for; the others are in places.
    """

    recorder: Recorder
    test: Callable[[Values], tuple[Any, Values]]
    body: Callable[[Values], Values]
    values: Values
    names: list[str]
    nestings: list[Any]
    carried: dict[int, Carried]
    lists: dict[int, CarriedList]
    named: int
    placed: Placed
    apart: Apart
    nones: Nones
    unset: Unset
    rounds: Rounds

    def _run(self, leaves: Values) -> Values:
        values = self._together(leaves)
        given = self.apart.given(values)
        self.placed.put(values[self.named :])
        made = [*self.body(values[: self.named]), *self.placed.held()]
        self.apart.end(given, made)
        return self._taken_apart(made)

    def _test(self, leaves: Values) -> tuple[Any, Values]:
        values = self._together(leaves)
        given = self.apart.given(values)
        self.placed.put(values[self.named :])
        condition, made = self.test(values[: self.named])
        made += self.placed.held()
        self.apart.end(given, made)
        return condition, self._taken_apart(made)

    def _together(self, leaves: Values) -> Values:
        """The values that the caller knows, of leaves."""
        found, at = [], 0
        for nesting in self.nestings:
            if nesting is None:
                found.append(leaves[at])
                at += 1
                continue
            count = pytree.num_leaves(nesting)
            found.append(pytree.unflatten(nesting, leaves[at : at + count]))
            self._make_known(found[-1])
            at += count
        return found

    def _make_known(self, made: Any) -> None:
        """Say of containers that they are of this round."""
        if isinstance(made, list | dict | tuple):
            born(self.recorder, made)
            for inner in made.values() if isinstance(made, dict) else made:
                self._make_known(inner)

    def _taken_apart(self, values: Values) -> Values:
        leaves = []
        for nesting, value in zip(self.nestings, values, strict=True):
            if nesting is None:
                leaves.append(value)
                continue
            inner, found = pytree.flatten(value)
            if found != nesting:
                why = (
                    f"an iteration changes the structure from {pytree.describe(nesting)} to "
                    f"{pytree.describe(found)}"
                )
                raise TraceError(with_user_line(f"{why}; only the values in it may change"))
            leaves += inner
        return leaves

    def _expand(self, leaf: int) -> None:
        """Take a container apart: its leaves go from round to round by themselves."""
        at = 0
        for i, nesting in enumerate(self.nestings):
            if nesting is None and at == leaf:
                leaves, found = pytree.flatten(self.apart.open(i, self.values[leaf]))
                self.nestings[i] = found
                self.values[leaf : leaf + 1] = leaves
                name = self.names[leaf]
                self.names[leaf : leaf + 1] = [name + p for p in pytree.key_paths(found)]
                more = len(leaves) - 1
                self.nones.shift(leaf, more)
                self.unset.shift(leaf, more)
                self.carried = {(k + more if k > leaf else k): c for k, c in self.carried.items()}
                self.lists = {(k + more if k > leaf else k): c for k, c in self.lists.items()}
                self.rounds.forget()
                return
            at += 1 if nesting is None else pytree.num_leaves(nesting)

    def depth(self) -> int:
        """How many blocks are open here."""
        return len(self.recorder.open)
