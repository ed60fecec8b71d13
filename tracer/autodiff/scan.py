"""The way back through `recurrent`: a block that goes back through one step, run for each, the last
one first.

In it, as in Paddle, `<variable>@GRAD` is the gradient of a step's variable: those of outputs and of
the next memories are given, those of inputs, memories and parameters are made; what parameters get
in all steps adds up outside.
"""

from __future__ import annotations

from ..capture.recorder import OpenBlock
from ..capture.variable import Variable
from ..ir.block_captures import EMPTY, block_reads
from ..ir.program import Attr, AttrType, Block, Kind, OpDesc, VarDesc
from .backward_pass import Walk
from .cotangents import declared, zeros_for
from .saved_values import Versions


class StepWalk:
    """The way back through the block of a `recurrent`.

    made: the new block, inside of that one, so that it sees what that declares.
    """

    def __init__(self, outer: Walk, op: OpDesc, at: int) -> None:
        self.outer, self.op, self.at = outer, op, at
        self.recorder = outer.recorder
        blocks = self.recorder.program.blocks
        self.block = blocks[op.attr("sub_block")]
        self.made = Block(len(blocks), self.block.idx)
        blocks.append(self.made)
        versions = Versions(self.recorder, self.block, (outer.versions, at), repeats=True)
        self.walk = Walk(self.recorder, outer.reach, versions)

    def run(self) -> None:
        """Write the block and the op that runs it."""
        op = self.op
        arrived = {
            n: self.outer.pending.take(n) for n in op.outputs["outputs"] if n in self.outer.pending
        }
        held = [n for n in op.attr("ex_states", []) if self.walk.wants(n)]
        with self.recorder.in_block(OpenBlock(self.made)):
            for name, gradient in arrived.items():
                self._given(name, gradient.name)
            for before, after in zip(op.attr("ex_states", []), op.attr("states", []), strict=True):
                if before in held:
                    self._given(after, f"{after}@GRAD")
            self.walk.run()
            read = [
                n for n in block_reads(self.recorder.program, self.block) if n in self.walk.pending
            ]
            self._results([n for n in op.inputs["inputs"] if self.walk.wants(n)] + held + read)
        self.walk.versions.finish()
        self._emit(arrived, {*held}, {*read})

    def _given(self, name: str, gradient: str) -> None:
        """A gradient that a step gets, of its variable `name`."""
        found = self.recorder.program.var(name, self.block.idx)
        assert found is not None
        self.walk.add(name, declared(self.recorder, gradient, found))

    def _results(self, names: list[str]) -> None:
        """Let the block write the gradients of variables under the names that whoever runs it
        knows.
        """
        totals = {n: self._total(n) for n in dict.fromkeys(names)}
        for name, total in totals.items():
            out = declared(self.recorder, f"{name}@GRAD", total.raw)
            self.recorder.emit("assign", {"X": [total.name]}, {"Out": [out.name]})

    def _total(self, name: str) -> Variable:
        pending = self.walk.pending
        return (
            pending.total(name)
            if name in pending
            else zeros_for(self.recorder, self.walk.before(name, 0))
        )

    def _emit(self, arrived: dict[str, Variable], held: set[str], read: set[str]) -> None:
        op = self.op
        names = op.outputs["outputs"]
        operands = {slot: list(found) for slot, found in (*op.inputs.items(), *op.outputs.items())}
        operands["outputs@GRAD"] = [arrived[n].name if n in arrived else EMPTY for n in names]
        memories = zip(op.attr("ex_states", []), op.inputs.get("initial_states", []), strict=True)
        outs = {
            "inputs@GRAD": [self._outer(n, self.walk.wants(n)) for n in op.inputs["inputs"]],
            "initial_states@GRAD": [self._outer(first, n in held) for n, first in memories],
            "parameters@GRAD": [self._outer(n, n in read) for n in op.inputs.get("parameters", [])],
        }
        attrs = {**op.attrs, "sub_block": Attr(AttrType.BLOCK, self.made.idx)}
        self.recorder.emit("recurrent_grad", operands, outs, attrs)

    def _outer(self, name: str, made: bool) -> str:
        """The variable for a gradient outside; a new one, which arrives there, or none."""
        if not made or not self.outer.wants(name):
            return EMPTY
        like = self.outer.before(name, self.at).raw
        found = declared(self.recorder, self.recorder.namer.temporary("recurrent"), like)
        self.outer.add(name, found)
        return found.name


def through_steps(walk: Walk, op: OpDesc, at: int) -> None:
    """The way back through a `recurrent`."""
    if not op.outputs.get("step_scopes"):
        name = walk.recorder.namer.temporary("step_scopes")
        walk.block.vars[name] = VarDesc(name, dtype="", kind=Kind.STEP_SCOPES)
        op.outputs["step_scopes"] = [name]
    StepWalk(walk, op, at).run()
