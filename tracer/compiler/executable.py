"""Executable: a program compiled for the Executor, with its variables in a scope."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.errors import OpError, append_user_line
from ..core.tensor import Tensor
from ..ir.block_captures import names_read_or_fetched_before_written
from ..ir.kernelless_op_traits import is_feed_or_fetch
from ..ir.program import Program, VarKind
from ..ir.scope import Scope
from . import CompiledProgram


class Executable:
    """A program compiled for certain feeds and fetches, as Paddle's Executor caches them.

    persistable_names: the persistable variables of the program.
    required_names: the persistable variables that must have a value before the run.
    """

    def __init__(self, program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> None:
        self.program = program
        self._compiled_program = CompiledProgram(program, feeds, fetches)
        used = {*fetches}
        for op in (op for op in program.ops() if not is_feed_or_fetch(op.type)):
            used.update(op.input_names(), op.output_names())
        kinds = (VarKind.DENSE, VarKind.SELECTED_ROWS)
        self.persistable_names = [
            v.name for v in program.persistables() if v.kind in kinds and v.name in used
        ]
        first_read = names_read_or_fetched_before_written(program, fetches)
        self.required_names = [name for name in self.persistable_names if name in first_read]

    def run(self, scope: Scope, feed: Mapping[str, Any]) -> list[Any]:
        """Run the program and return the fetched arrays.

        feed: an array for each feed.
        Raises OpError if persistable variables have no value; the message lists all of them.
        """
        tensors: dict[str, Tensor] = {
            name: scope.find_or_create(name) for name in self.persistable_names
        }
        missing = [
            name for name in self.required_names if tensors[name].array is None and name not in feed
        ]
        if missing:
            why = f"{missing} have no value; run the startup program first, or load them"
            raise OpError(append_user_line(f"Executor.run: {why}"))
        return self._compiled_program.run(tensors, feed)
