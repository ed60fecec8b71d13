"""Values saved for the backward pass: a program may overwrite a variable whose earlier value a
gradient op needs.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..capture.recorder import Recorder
from ..ir.attr_types import block_indices
from ..ir.block_captures import block_writes
from ..ir.program import Attr, AttrType, Block, OpDesc, Program


class SavedValues:
    """The writes to variables in one block.

    outer: the SavedValues of the parent block, and the index of the op there that runs this block.
    repeats: whether the block is a loop body.
    around: for a block that is still being recorded, its enclosing blocks, outermost first. Their
    ops so far precede the ops of the block.
    """

    def __init__(
        self,
        recorder: Recorder,
        block: Block,
        outer: tuple[SavedValues, int] | None = None,
        repeats: bool = False,
        around: Sequence[Block] = (),
    ) -> None:
        self._recorder, self.block, self._outer, self._repeats = recorder, block, outer, repeats
        self._parts = [(part, len(part.ops)) for part in (*around, block)]
        # before gradient ops are added
        self.ops = [op for part, _ in self._parts for op in part.ops]
        # indices of the ops that write a variable, ascending
        self._writes: dict[str, list[int]] = {}
        for i, op in enumerate(self.ops):
            for name in op_writes(recorder.program, op):
                self._writes.setdefault(name, []).append(i)
        self._copy_names: dict[tuple[str, int], str] = {}
        self._copies: dict[int, list[OpDesc]] = {}

    def first_index(self, block: Block) -> int:
        """The index of the first op of a block."""
        before = 0
        for part, count in self._parts:
            if part is block:
                return before
            before += count
        return 0

    def block_at(self, at: int) -> Block:
        """The block that contains op `at`."""
        for part, count in self._parts:
            if at < count:
                return part
            at -= count
        return self.block

    def written_before(self, name: str, at: int) -> bool:
        """Whether a variable has a value before op `at`."""
        if self._writes.get(name, [at])[0] < at or name in self._recorder.scope:
            return True
        if self._repeats and name in self._writes and name not in self.block.vars:
            return True  # by the previous iteration
        var = self._recorder.program.var(name, self.block.idx)
        if var is not None and (var.persistable or var.checks_feed):
            return True
        return (
            self._outer is not None
            and name not in self.block.vars
            and self._outer[0].written_before(name, self._outer[1])
        )

    def before(self, name: str, at: int) -> str:
        """The variable that holds, during the backward pass, the value of `name` before op `at`."""
        writes = self._writes.get(name, [])
        later = bisect_left(writes, at)
        if later < len(writes):
            return self._saved_copy(name, writes[later])
        if self._outer is not None and name not in self.block.vars:
            outer, index = self._outer
            if name not in self._writes:
                return outer.before(name, index)
            return (
                name if self._repeats else outer.after(name, index)
            )  # loop residuals save every value of an iteration
        return name

    def after(self, name: str, at: int) -> str:
        """The variable that holds, during the backward pass, the value of `name` after op `at`."""
        return self.before(name, at + 1)

    def is_unchanged(self, name: str, at: int) -> bool:
        """Whether `name` still holds its value from before op `at` during the backward pass, so
        that no copy is needed.
        """
        if self._writes.get(name, [-1])[-1] >= at:
            return False
        if self._outer is None or name in self.block.vars:
            return True
        outer, index = self._outer
        if name not in self._writes:
            return outer.is_unchanged(name, index)
        return self._repeats or outer.is_unchanged(name, index + 1)

    def _saved_copy(self, name: str, overwritten: int) -> str:
        found = self._copy_names.get((name, overwritten))
        if found is None:
            recorder = self._recorder
            var = recorder.program.var(name, self.block.idx)
            assert var is not None
            found = self._copy_names[name, overwritten] = recorder.namer.fresh(f"{name}@SAVED")
            self.block_at(overwritten).vars[found] = replace(
                var, name=found, persistable=False, is_parameter=False, checks_feed=False
            )
            role = (
                {"op_role": Attr(AttrType.INT, 1)} if recorder.policy.emits_grad_ops else {}
            )  # marked as backward ops, so that clone(for_test=True) removes the copies
            copy = OpDesc(
                "assign", {"X": [name]}, {"Out": [found]}, role, self.ops[overwritten].where
            )
            self._copies.setdefault(overwritten, []).append(copy)
        return found

    def insert_copies(self) -> None:
        """Insert the copies into the block; ops appended after the original ones stay at
        the end.
        """
        first = 0
        for part, count in self._parts:
            rest = part.ops[count:]
            part.ops[:] = [*self._with_copies(first, first + count), *rest]
            first += count

    def _with_copies(self, first: int, end: int) -> Iterator[OpDesc]:
        for i in range(first, end):
            yield from self._copies.get(i, ())
            yield self.ops[i]


def op_writes(program: Program, op: OpDesc) -> list[str]:
    """The names that an op, or a sub-block that it runs, writes."""
    found = dict.fromkeys(op.output_names())
    for attr in op.attrs.values():
        for index in block_indices(attr):
            found.update(dict.fromkeys(block_writes(program, program.blocks[index])))
    return list(found)
