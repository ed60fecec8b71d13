"""A program made ready to run: what it is fed and gives, what it keeps in a scope, and the
instructions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.errors import OpError, with_user_line
from ..core.tensor import Tensor
from ..ir.block_captures import reads_before_writes
from ..ir.op_traits import is_feed_or_fetch
from ..ir.program import Kind, Program
from ..ir.scope import Scope
from . import Compiled


class Ready:
    """A program for certain feeds and fetches.

    kept: its persistable variables; needed: those that must have a value before.
    """

    def __init__(self, program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
        self.program = program
        self._compiled = Compiled(program, feeds, fetches)
        used = {*fetches}
        for op in (op for op in program.ops() if not is_feed_or_fetch(op.type)):
            used.update(op.input_names(), op.output_names())
        kinds = (Kind.DENSE, Kind.SELECTED_ROWS)
        self.kept = [v.name for v in program.persistables() if v.kind in kinds and v.name in used]
        first_read = reads_before_writes(program, fetches)
        self.needed = [name for name in self.kept if name in first_read]

    def run(self, scope: Scope, feed: Mapping[str, Any]) -> list[Any]:
        """The fetched arrays.

        feed: an array for each feed.
        Raises OpError, listing all variables that have no value yet.
        """
        places: dict[str, Tensor] = {name: scope.place_of(name) for name in self.kept}
        missing = [name for name in self.needed if places[name].array is None and name not in feed]
        if missing:
            why = f"{missing} have no value; run the startup program first, or load them"
            raise OpError(with_user_line(f"Executor.run: {why}"))
        return self._compiled.run(places, feed)
