"""What a program that is saved keeps of asserts: assumptions, which every reader of Oarlock's
enforces.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..capture.recorder import Recorder, typed_attrs
from ..core.op import OPS
from ..ir.attr_types import block_indices
from ..ir.guards import ASSERTED
from ..ir.op_traits import traits_of
from ..ir.program import Block, Guard, OpDesc, VarDesc


def asserted(recorder: Recorder) -> list[Guard]:
    """Take out what only a program that runs here does - asserts, prints - and give the asserts as
    guards.

    A guard is on a value of the outermost block.
    For one inside of branches and loops it is made there: true before, and after each time that the
    assert is come by, whether it held and all before did.
    """
    found: list[Guard] = []
    for block in recorder.program.blocks:
        kept: list[OpDesc] = []
        for op in block.ops:
            if op.type == "assert":
                found.append(_guard(op, _carried_out(recorder, block, op, kept)))
            elif not _shows(op):
                kept.append(op)
        block.ops = kept
    return found


def _shows(op: OpDesc) -> bool:
    """Whether an op calls Python and gives nothing: a `print`."""
    return op.type == "py_func" and not op.outputs.get("Out")


def _guard(op: OpDesc, var: str) -> Guard:
    where, _, text = op.where.partition(": ")
    message = op.attr("message") or "the condition does not hold"
    return Guard("value", var, 0, "True", ASSERTED + message, where, text)


def _carried_out(recorder: Recorder, block: Block, op: OpDesc, kept: list[OpDesc]) -> str:
    """The variable of the outermost block that says whether the assert held.

    kept: the ops before it, to which is added what finds out
    """
    (condition,) = op.inputs["Cond"]
    return _Carrying(recorder, op).out_of(block, condition, kept, len(kept))


class _Carrying:
    """Hands a truth value from inside of blocks to the outermost one.

    op: the assert, for what is written
    """

    def __init__(self, recorder: Recorder, op: OpDesc) -> None:
        self._recorder, self._blocks, self._op = recorder, recorder.program.blocks, op

    def out_of(self, block: Block, condition: str, ops: list[OpDesc], at: int) -> str:
        """The variable outside for `condition` of a block.

        ops, at: where in the block is written what finds out
        """
        if block.idx == 0:
            return condition
        around = list(_around(self._recorder, block))
        count = next(
            (i for i, (_, runs) in enumerate(around) if runs.type == "recurrent"), len(around)
        )
        inside = count < len(around)  # of the steps of a `recurrent`, which writes nothing outside
        home = self._blocks[around[count][1].attr("sub_block") if inside else 0]
        shape = self._shape(block, condition)
        holds = self._declared(home, shape)
        ops.insert(at, self._made("logical_and", {"X": [holds], "Y": [condition]}, holds))
        first = 0 if inside else len(self._recorder.program.feeds())
        fill = self._made("fill_constant", {}, holds, shape=list(shape), dtype=0, value=1.0)
        (ops if home is block else home.ops).insert(first, fill)
        for _, runs in around[:count]:
            captured = runs.inputs.setdefault(traits_of(runs.type).capture_slot, [])
            for slot in (captured, runs.outputs["Out"]):
                slot.append(holds)
        return self._after_steps(*around[count], holds, shape) if inside else holds

    def _after_steps(self, block: Block, steps: OpDesc, holds: str, shape: tuple[int, ...]) -> str:
        """Whether it held in all steps: in each it is one more output."""
        steps.outputs["outputs"].append(holds)
        block.vars[holds] = VarDesc(holds, (-1, *shape), "bool", stop_gradient=True)
        every = self._declared(block, shape)
        at = next(i for i, op in enumerate(block.ops) if op is steps) + 1
        block.ops.insert(at, self._made("reduce_all", {"X": [holds]}, every, dim=[0]))
        return self.out_of(block, every, block.ops, at + 1)

    def _shape(self, block: Block, name: str) -> tuple[int, ...]:
        var = self._recorder.program.var(name, block.idx)
        assert var is not None
        return (1,) * len(var.shape)

    def _declared(self, block: Block, shape: tuple[int, ...]) -> str:
        name = self._recorder.namer.temporary("assert")
        block.vars[name] = VarDesc(name, shape, "bool", stop_gradient=True)
        return name

    def _made(self, type: str, inputs: dict[str, list[str]], out: str, **attrs: Any) -> OpDesc:
        op = OPS[type]
        return OpDesc(
            type,
            inputs,
            {"Out": [out]},
            typed_attrs(op, op.full_attrs(attrs)),
            self._op.where,
            self._op.layer,
        )


def _around(recorder: Recorder, block: Block) -> Iterator[tuple[Block, OpDesc]]:
    """The ops that run a block, from the inside out, and the blocks that they are in."""
    while block.idx != 0:
        holders = ((b, op) for b in recorder.program.blocks for op in b.ops)
        index = block.idx
        block, op = next(
            (b, op)
            for b, op in holders
            if any(index in block_indices(a) for a in op.attrs.values())
        )
        yield block, op
