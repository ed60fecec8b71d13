"""A program made ready to run: what it is fed and gives, what it keeps in a scope, and the instructions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.eager import NO_TAPE
from ..core.errors import OpError, with_user_line
from ..core.mode import pushed
from ..core.tensor import Tensor
from .attrs import block_indices
from .interpreter import Interpreter
from .program import Kind, OpDesc, Program
from .scope import Scope

HOLDERS = ("feed", "fetch")


class Ready:
    """A program for certain feeds and fetches.   kept: its persistable variables; needed: those that must have a value before."""

    def __init__(self, program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
        self.program = program
        self.feeds, self.fetches = list(feeds), list(fetches)
        kinds = (Kind.DENSE, Kind.SELECTED_ROWS)
        read, written = order_of_use(program)
        self.kept = [
            v.name for v in program.persistables() if v.kind in kinds and v.name in {*read, *written, *fetches}
        ]
        first_read = reads_before_writes(program) | (set(fetches) - written)
        self.needed = [name for name in self.kept if name in first_read]
        self._scope: Scope | None = None
        self._runner: Any = None
        self._places: dict[str, Tensor] = {}

    def run(self, scope: Scope, feed: Mapping[str, Any]) -> list[Any]:
        """The fetched arrays.   feed: an array for each feed.   Raises OpError, listing all variables that have no value yet."""
        if self._scope is not scope or self._stale(scope):
            self._places = {name: scope.place_of(name) for name in self.kept}
            self._runner = Interpreter(self.program, self._places, self.fetches)
            self._runner.feeds = self.feeds
            self._scope = scope
        missing = [name for name in self.needed if self._places[name].array is None]
        if missing:
            why = f"{missing} have no value; run the startup program first, or load them"
            raise OpError(with_user_line(f"Executor.run: {why}"))
        with pushed(NO_TAPE):
            made = self._runner.run({name: Tensor(np.asarray(value)) for name, value in feed.items()})
        return [t.array for t in made]

    def _stale(self, scope: Scope) -> bool:
        return any(scope.find(name) is not place for name, place in self._places.items())


def order_of_use(program: Program) -> tuple[set[str], set[str]]:
    """The names that ops read, and those that they write, in any block."""
    ops = [op for block in program.blocks for op in block.ops if op.type not in HOLDERS]
    return {n for op in ops for n in op.input_names()}, {n for op in ops for n in op.output_names()}


def reads_before_writes(program: Program) -> set[str]:
    """The names that are read when nothing has written them in this run."""
    found: set[str] = set()

    def walk(ops: list[OpDesc], known: set[str]) -> None:
        for op in ops:
            if op.type in HOLDERS:
                continue
            found.update(n for n in op.input_names() if n not in known)
            for attr in op.attrs.values():
                for index in block_indices(attr):
                    walk(program.blocks[index].ops, set(known))
            known.update(op.output_names())

    walk(program.block.ops, set())
    return found
