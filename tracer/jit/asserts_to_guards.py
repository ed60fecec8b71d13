"""Convert the asserts of a program to guards when the program is saved. Guards are checked by every
runtime of Oarlock that reads the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..capture.recorder import Recorder, attrs_with_file_types
from ..core.op import OPS
from ..ir.attr_types import referenced_block_indices
from ..ir.guards import ASSERT_READER_PREFIX
from ..ir.kernelless_op_traits import kernelless_op_traits_or_default
from ..ir.program import Block, Guard, OpDesc, VarDesc


def extract_assert_guards_and_drop_prints(recorder: Recorder) -> list[Guard]:
    """Remove the asserts and prints of a program, and return the asserts as guards.

    A guard refers to a variable of the outermost block. For an assert in branches or loops, that
    variable is the conjunction of the assert's conditions in all iterations, and true if the run
    does not reach the assert.
    """
    guards: list[Guard] = []
    for block in recorder.program.blocks:
        remaining_ops: list[OpDesc] = []
        for op in block.ops:
            if op.type == "assert":
                guards.append(
                    _guard_from_assert(
                        op, _emit_condition_in_outermost_block(recorder, block, op, remaining_ops)
                    )
                )
            elif not _is_resultless_py_func(op):
                remaining_ops.append(op)
        block.ops = remaining_ops
    return guards


def _is_resultless_py_func(op: OpDesc) -> bool:
    """Whether an op calls a Python function that returns nothing, as a captured `print` does."""
    return op.type == "py_func" and not op.outputs.get("Out")


def _guard_from_assert(op: OpDesc, var: str) -> Guard:
    where, _, text = op.user_line.partition(": ")
    message = op.attr("message") or "the condition does not hold"
    return Guard("value", var, 0, "True", ASSERT_READER_PREFIX + message, where, text)


def _emit_condition_in_outermost_block(
    recorder: Recorder, block: Block, op: OpDesc, preceding_ops: list[OpDesc]
) -> str:
    """Emit ops that carry the condition of an assert out of its block. Return the name of the
    variable of the outermost block that states whether the assert held.

    preceding_ops: the ops before the assert; new ops are appended to it.
    """
    (condition,) = op.inputs["Cond"]
    return _AssertConditionHoister(recorder, op).export(
        block, condition, preceding_ops, len(preceding_ops)
    )


class _AssertConditionHoister:
    """Emits ops that carry the condition of an assert from an inner block to the outermost
    block.

    op: the assert; new ops get the user's line of this op.
    """

    def __init__(self, recorder: Recorder, op: OpDesc) -> None:
        self._recorder, self._blocks, self._assert_op = recorder, recorder.program.blocks, op

    def export(self, block: Block, condition: str, ops: list[OpDesc], index: int) -> str:
        """Return the name of a variable of the outermost block that is true if `condition`, a
        variable of `block`, was true whenever the block ran.

        ops, index: the list of ops, and the index in it, to which new ops of the block are
        inserted.
        """
        if block.idx == 0:
            return condition
        enclosing = list(_iter_enclosing_ops(self._recorder, block))
        count = next(
            (i for i, (_, runs) in enumerate(enclosing) if runs.type == "recurrent"), len(enclosing)
        )
        is_in_recurrent = count < len(
            enclosing
        )  # a step of a `recurrent` op cannot write outer variables
        target_block = self._blocks[enclosing[count][1].attr("sub_block") if is_in_recurrent else 0]
        shape = self._one_element_shape_like(block, condition)
        holds = self._declare_bool(target_block, shape)
        ops.insert(
            index, self._make_op_desc("logical_and", {"X": [holds], "Y": [condition]}, holds)
        )
        first = 0 if is_in_recurrent else len(self._recorder.program.feed_names())
        fill = self._make_op_desc("fill_constant", {}, holds, shape=list(shape), dtype=0, value=1.0)
        (ops if target_block is block else target_block.ops).insert(first, fill)
        for _, runs in enclosing[:count]:
            captured = runs.inputs.setdefault(
                kernelless_op_traits_or_default(runs.type).capture_slot, []
            )
            for slot in (captured, runs.outputs["Out"]):
                slot.append(holds)
        return (
            self._hoist_condition_out_of_recurrent(*enclosing[count], holds, shape)
            if is_in_recurrent
            else holds
        )

    def _hoist_condition_out_of_recurrent(
        self, block: Block, steps: OpDesc, holds: str, shape: tuple[int, ...]
    ) -> str:
        """Add an output to a `recurrent` op, and return the name of the variable of the outermost
        block that states whether the condition held in all steps.
        """
        steps.outputs["outputs"].append(holds)
        block.vars[holds] = VarDesc(holds, (-1, *shape), "bool", stop_gradient=True)
        all_steps = self._declare_bool(block, shape)
        index = next(i for i, op in enumerate(block.ops) if op is steps) + 1
        block.ops.insert(
            index, self._make_op_desc("reduce_all", {"X": [holds]}, all_steps, dim=[0])
        )
        return self.export(block, all_steps, block.ops, index + 1)

    def _one_element_shape_like(self, block: Block, name: str) -> tuple[int, ...]:
        var = self._recorder.program.var(name, block.idx)
        assert var is not None
        return (1,) * len(var.shape)

    def _declare_bool(self, block: Block, shape: tuple[int, ...]) -> str:
        name = self._recorder.namer.generate_temporary_name("assert")
        block.vars[name] = VarDesc(name, shape, "bool", stop_gradient=True)
        return name

    def _make_op_desc(
        self, type: str, inputs: dict[str, list[str]], out: str, **attrs: Any
    ) -> OpDesc:
        op = OPS[type]
        return OpDesc(
            type,
            inputs,
            {"Out": [out]},
            attrs_with_file_types(op, op.attrs_with_defaults(attrs)),
            self._assert_op.user_line,
            self._assert_op.layer_path,
        )


def _iter_enclosing_ops(recorder: Recorder, block: Block) -> Iterator[tuple[Block, OpDesc]]:
    """Yield the ops that run `block` or a block around it, innermost first, each with the block
    that contains the op.
    """
    while block.idx != 0:
        holders = ((b, op) for b in recorder.program.blocks for op in b.ops)
        index = block.idx
        block, op = next(
            (b, op)
            for b, op in holders
            if any(index in referenced_block_indices(a) for a in op.attrs.values())
        )
        yield block, op
