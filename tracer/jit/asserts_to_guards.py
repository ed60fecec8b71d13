"""Convert the asserts of a program to guards when it is saved; every reader of Oarlock enforces
guards.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..capture.recorder import Recorder, typed_attrs
from ..core.op import OPS
from ..ir.attr_types import referenced_block_indices
from ..ir.guards import ASSERT_READER_PREFIX
from ..ir.op_traits import program_op_traits
from ..ir.program import Block, Guard, OpDesc, VarDesc


def take_asserts(recorder: Recorder) -> list[Guard]:
    """Remove the asserts and prints of a program, and return the asserts as guards.

    A guard refers to a variable of the outermost block. For an assert in branches or loops, that
    variable is the conjunction of all its conditions, and true if the assert was not reached.
    """
    found: list[Guard] = []
    for block in recorder.program.blocks:
        kept: list[OpDesc] = []
        for op in block.ops:
            if op.type == "assert":
                found.append(_make_guard(op, _exported_condition(recorder, block, op, kept)))
            elif not _is_print(op):
                kept.append(op)
        block.ops = kept
    return found


def _is_print(op: OpDesc) -> bool:
    """Whether an op calls a Python function without a result: a `print`."""
    return op.type == "py_func" and not op.outputs.get("Out")


def _make_guard(op: OpDesc, var: str) -> Guard:
    where, _, text = op.user_line.partition(": ")
    message = op.attr("message") or "the condition does not hold"
    return Guard("value", var, 0, "True", ASSERT_READER_PREFIX + message, where, text)


def _exported_condition(recorder: Recorder, block: Block, op: OpDesc, kept: list[OpDesc]) -> str:
    """Return the variable of the outermost block that states whether the assert held.

    kept: the ops before the assert; new ops are appended to it.
    """
    (condition,) = op.inputs["Cond"]
    return _ConditionExporter(recorder, op).export(block, condition, kept, len(kept))


class _ConditionExporter:
    """Exports a bool from inner blocks to the outermost block.

    op: the assert; new ops get its line.
    """

    def __init__(self, recorder: Recorder, op: OpDesc) -> None:
        self._recorder, self._blocks, self._op = recorder, recorder.program.blocks, op

    def export(self, block: Block, condition: str, ops: list[OpDesc], at: int) -> str:
        """Return the variable of the outermost block for a condition of `block`.

        ops, at: the list of ops, and the index in it, to which new ops of the block are inserted.
        """
        if block.idx == 0:
            return condition
        around = list(_enclosing_ops(self._recorder, block))
        count = next(
            (i for i, (_, runs) in enumerate(around) if runs.type == "recurrent"), len(around)
        )
        inside = count < len(
            around
        )  # in a step of a `recurrent` op, which cannot write outer variables
        home = self._blocks[around[count][1].attr("sub_block") if inside else 0]
        shape = self._shape(block, condition)
        holds = self._declare(home, shape)
        ops.insert(at, self._new_op("logical_and", {"X": [holds], "Y": [condition]}, holds))
        first = 0 if inside else len(self._recorder.program.feeds())
        fill = self._new_op("fill_constant", {}, holds, shape=list(shape), dtype=0, value=1.0)
        (ops if home is block else home.ops).insert(first, fill)
        for _, runs in around[:count]:
            captured = runs.inputs.setdefault(program_op_traits(runs.type).capture_slot, [])
            for slot in (captured, runs.outputs["Out"]):
                slot.append(holds)
        return self._after_steps(*around[count], holds, shape) if inside else holds

    def _after_steps(self, block: Block, steps: OpDesc, holds: str, shape: tuple[int, ...]) -> str:
        """Add an output to a `recurrent` op, and return whether the condition held in all of its
        steps.
        """
        steps.outputs["outputs"].append(holds)
        block.vars[holds] = VarDesc(holds, (-1, *shape), "bool", stop_gradient=True)
        every = self._declare(block, shape)
        at = next(i for i, op in enumerate(block.ops) if op is steps) + 1
        block.ops.insert(at, self._new_op("reduce_all", {"X": [holds]}, every, dim=[0]))
        return self.export(block, every, block.ops, at + 1)

    def _shape(self, block: Block, name: str) -> tuple[int, ...]:
        var = self._recorder.program.var(name, block.idx)
        assert var is not None
        return (1,) * len(var.shape)

    def _declare(self, block: Block, shape: tuple[int, ...]) -> str:
        name = self._recorder.namer.temporary_name("assert")
        block.vars[name] = VarDesc(name, shape, "bool", stop_gradient=True)
        return name

    def _new_op(self, type: str, inputs: dict[str, list[str]], out: str, **attrs: Any) -> OpDesc:
        op = OPS[type]
        return OpDesc(
            type,
            inputs,
            {"Out": [out]},
            typed_attrs(op, op.full_attrs(attrs)),
            self._op.user_line,
            self._op.layer_path,
        )


def _enclosing_ops(recorder: Recorder, block: Block) -> Iterator[tuple[Block, OpDesc]]:
    """Yield the ops that contain a block, innermost first, each with the block in which it is."""
    while block.idx != 0:
        holders = ((b, op) for b in recorder.program.blocks for op in b.ops)
        index = block.idx
        block, op = next(
            (b, op)
            for b, op in holders
            if any(index in referenced_block_indices(a) for a in op.attrs.values())
        )
        yield block, op
