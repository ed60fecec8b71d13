"""What a program that is saved keeps of asserts: assumptions, which every reader of Oarlock's enforces."""

from __future__ import annotations

from collections.abc import Iterator

from ..core.op import OPS
from ..static.attrs import block_indices
from ..static.blocks import BODIES
from ..static.guards import ASSERTED
from ..static.program import Block, Guard, OpDesc, VarDesc
from ..static.record import Recorder, typed_attrs


def asserted(recorder: Recorder) -> list[Guard]:
    """Take out what only a program that runs here does - asserts, prints - and give the asserts as guards.

    A guard is on a value of the outermost block.   For one inside of branches and loops it is made there: true before, and after each time
    that the assert is come by, whether it held and all before did.
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
    """The variable of the outermost block that says whether the assert held.   kept: the ops before it, to which is added what finds out"""
    (condition,) = op.inputs["Cond"]
    if block.idx == 0:
        return condition
    desc = recorder.var(condition) or block.vars[condition]
    holds = recorder.namer.temporary("assert")
    shape = (1,) * len(desc.shape)
    recorder.program.block.vars[holds] = VarDesc(holds, shape, "bool", stop_gradient=True)
    fill, both = OPS["fill_constant"], OPS["logical_and"]
    start = typed_attrs(fill, fill.full_attrs({"shape": list(shape), "dtype": 0, "value": 1.0}))
    first = len(recorder.program.feeds())
    recorder.program.block.ops.insert(first, OpDesc("fill_constant", {}, {"Out": [holds]}, start, op.where, op.layer))
    attrs = typed_attrs(both, both.full_attrs({}))
    kept.append(OpDesc("logical_and", {"X": [holds], "Y": [condition]}, {"Out": [holds]}, attrs, op.where, op.layer))
    for runs in _around(recorder, block):
        for slot in (runs.inputs.setdefault(BODIES[runs.type], []), runs.outputs["Out"]):
            slot.append(holds)
    return holds


def _around(recorder: Recorder, block: Block) -> Iterator[OpDesc]:
    """The ops that run a block, from the inside out."""
    while block.idx != 0:
        holders = ((b, op) for b in recorder.program.blocks for op in b.ops)
        index = block.idx
        block, op = next((b, op) for b, op in holders if any(index in block_indices(a) for a in op.attrs.values()))
        yield op
