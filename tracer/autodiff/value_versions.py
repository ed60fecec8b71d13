"""Values of variables that the backward pass reads. If a program overwrites such a variable, a copy
saves the earlier value.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..capture.recorder import Recorder
from ..ir.attr_types import referenced_block_indices
from ..ir.block_captures import outer_names_written_by_block
from ..ir.program import Attr, AttrType, Block, OpDesc, Program


class ValueVersions:
    """Records which ops of a block write which variables, and finds or copies the value that a
    variable has at a given op.

    outer: the ValueVersions of the parent block, and the index, in the parent block, of the op that
    runs this block.
    is_loop_body: whether the block is a loop body.
    around: if the block is still being recorded, its enclosing blocks, outermost first. The ops
    that the enclosing blocks contain so far are executed before those of the block.
    """

    def __init__(
        self,
        recorder: Recorder,
        block: Block,
        outer: tuple[ValueVersions, int] | None = None,
        is_loop_body: bool = False,
        around: Sequence[Block] = (),
    ) -> None:
        self._recorder, self.block, self._outer_versions, self._is_loop_body = (
            recorder,
            block,
            outer,
            is_loop_body,
        )
        self._blocks_with_num_ops = [(part, len(part.ops)) for part in (*around, block)]
        # the forward ops; gradient ops are appended later
        self.forward_ops = [op for part, _ in self._blocks_with_num_ops for op in part.ops]
        # indices of the ops that write a variable, ascending
        self._write_indices: dict[str, list[int]] = {}
        for i, op in enumerate(self.forward_ops):
            for name in names_written_by_op_and_blocks(recorder.program, op):
                self._write_indices.setdefault(name, []).append(i)
        self._copy_names: dict[tuple[str, int], str] = {}
        self._copy_ops: dict[int, list[OpDesc]] = {}

    def first_op_index_of_block(self, block: Block) -> int:
        """The index in `forward_ops` of the first op of `block`; 0 for a block without forward
        ops.
        """
        before = 0
        for part, count in self._blocks_with_num_ops:
            if part is block:
                return before
            before += count
        return 0

    def block_of_op(self, at: int) -> Block:
        """The block that contains op `at`."""
        for part, count in self._blocks_with_num_ops:
            if at < count:
                return part
            at -= count
        return self.block

    def has_value_before(self, name: str, at: int) -> bool:
        """Whether the variable `name` can have a value before op number `at` runs."""
        if self._write_indices.get(name, [at])[0] < at or name in self._recorder.scope:
            return True
        if self._is_loop_body and name in self._write_indices and name not in self.block.vars:
            return True  # the previous iteration wrote it
        var = self._recorder.program.var(name, self.block.idx)
        if var is not None and (var.persistable or var.checks_feed):
            return True
        return (
            self._outer_versions is not None
            and name not in self.block.vars
            and self._outer_versions[0].has_value_before(name, self._outer_versions[1])
        )

    def name_or_scheduled_copy_before(self, name: str, at: int) -> str:
        """The variable that holds, during the backward pass, the value of `name` before op `at`."""
        writes = self._write_indices.get(name, [])
        later = bisect_left(writes, at)
        if later < len(writes):
            return self._get_or_schedule_copy(name, writes[later])
        if self._outer_versions is not None and name not in self.block.vars:
            outer, index = self._outer_versions
            if name not in self._write_indices:
                return outer.name_or_scheduled_copy_before(name, index)
            return (
                name if self._is_loop_body else outer.name_or_scheduled_copy_after(name, index)
            )  # loop residuals save the value in every iteration
        return name

    def name_or_scheduled_copy_after(self, name: str, at: int) -> str:
        """The variable that holds, during the backward pass, the value of `name` after op `at`."""
        return self.name_or_scheduled_copy_before(name, at + 1)

    def is_unchanged_until_backward(self, name: str, at: int) -> bool:
        """Whether `name` still has the value from before op `at` when the backward pass
        runs, so that no copy is needed.
        """
        if self._write_indices.get(name, [-1])[-1] >= at:
            return False
        if self._outer_versions is None or name in self.block.vars:
            return True
        outer, index = self._outer_versions
        if name not in self._write_indices:
            return outer.is_unchanged_until_backward(name, index)
        return self._is_loop_body or outer.is_unchanged_until_backward(name, index + 1)

    def _get_or_schedule_copy(self, name: str, overwritten: int) -> str:
        found = self._copy_names.get((name, overwritten))
        if found is None:
            recorder = self._recorder
            var = recorder.program.var(name, self.block.idx)
            assert var is not None
            found = self._copy_names[name, overwritten] = recorder.namer.unique_name(
                f"{name}@SAVED"
            )
            self.block_of_op(overwritten).vars[found] = replace(
                var, name=found, persistable=False, is_parameter=False, checks_feed=False
            )
            role = (
                {"op_role": Attr(AttrType.INT, 1)} if recorder.policy.emits_grad_ops else {}
            )  # copies count as backward ops, so that clone(for_test=True) removes them
            copy = OpDesc(
                "assign",
                {"X": [name]},
                {"Out": [found]},
                role,
                self.forward_ops[overwritten].user_line,
            )
            self._copy_ops.setdefault(overwritten, []).append(copy)
        return found

    def insert_copies(self) -> None:
        """Insert the scheduled copies before the ops that overwrite the variables. Ops that were
        appended after the forward ops stay at the end.
        """
        first = 0
        for part, count in self._blocks_with_num_ops:
            rest = part.ops[count:]
            part.ops[:] = [*self._iter_ops_with_copies(first, first + count), *rest]
            first += count

    def _iter_ops_with_copies(self, first: int, end: int) -> Iterator[OpDesc]:
        for i in range(first, end):
            yield from self._copy_ops.get(i, ())
            yield self.forward_ops[i]


def names_written_by_op_and_blocks(program: Program, op: OpDesc) -> list[str]:
    """The names of the variables that an op, including its sub-blocks, writes."""
    found = dict.fromkeys(op.output_names())
    for attr in op.attrs.values():
        for index in referenced_block_indices(attr):
            found.update(
                dict.fromkeys(outer_names_written_by_block(program, program.blocks[index]))
            )
    return list(found)
