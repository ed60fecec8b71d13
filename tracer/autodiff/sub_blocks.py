"""The way back through ops that run blocks, and through those on lists of tensors.

A block gets another one that goes back through it, and writes its gradients to variables outside:
those of what the block only reads add up there, those of what it writes are what they were after
the block, and become what they were before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..capture.recorder import OpenBlock
from ..capture.variable import Variable
from ..core.dtype import dtype_of
from ..core.op import OPS
from ..ir.block_captures import block_reads, block_writes
from ..ir.program import Attr, AttrType, Block, Kind, OpDesc, VarDesc
from .backward_pass import RULES, Walk
from .cotangents import declared, fitted, shared_gradient, zeros_for
from .saved_values import Versions
from .scan import through_steps


class BlockWalk:
    """The way back through a block that an op runs.

    carried: by name of what the block writes, the variable of its gradient.

    The new block sees what the block saw, and so do its own inner blocks: what it shares with the
    one around it is declared there.
    """

    def __init__(self, outer: Walk, op: OpDesc, at: int, repeats: bool) -> None:
        self.outer, self.op, self.at, self.repeats = outer, op, at, repeats
        self.recorder = outer.recorder
        self.block = self.recorder.program.blocks[op.attr("sub_block")]
        self.carried: dict[str, Variable] = {}
        self.summed: dict[str, Variable] = {}

    def run(self) -> OpDesc | None:
        """Write the block and the op that runs it."""
        self._take_what_arrived()
        made = Block(len(self.recorder.program.blocks), self.block.idx)
        self.recorder.program.blocks.append(made)
        versions = Versions(self.recorder, self.block, (self.outer.versions, self.at), self.repeats)
        walk = Walk(self.recorder, self.outer.reach, versions)
        inner = OpenBlock(made)
        with self.recorder.in_block(inner):
            for name, gradient in self.carried.items():
                walk.pending.hold(name, gradient)
            walk.run()
            ends = {name: self._end(walk, name) for name in self.carried}
            reads = self._reads(walk)
        self._start_sums(reads)
        with self.recorder.in_block(inner):
            self._write_back(ends, reads)
        versions.finish()
        return self._emit(made)

    # -- what goes in
    # -------------------------------------------------------------------------------------------

    def _take_what_arrived(self) -> None:
        """The gradients of what the block writes, in variables that it may change."""
        outer = self.outer
        for name in self._writes():
            if name in outer.pending:
                total = outer.pending.take(name)
                gradient = shared_gradient(self.recorder, name, total.raw, outer.block)
                self.recorder.emit("assign", {"X": [total.name]}, {"Out": [gradient.name]})
            else:
                gradient = self._zeros(outer.after(name, self.at), name)
            self.carried[name] = gradient

    def _writes(self) -> Iterable[str]:
        """What the block writes and a gradient may flow to, there or in a round before."""
        for name in block_writes(self.recorder.program, self.block):
            kept = self.repeats or self.outer.versions.written_before(name, self.at)
            if name in self.outer.pending or (kept and self.outer.wants(name)):
                yield name

    def _zeros(self, like: Variable, name: str) -> Variable:
        """Zeros in a variable of their own."""
        zeros = zeros_for(self.recorder, like)
        made = shared_gradient(self.recorder, name, like.raw, self.outer.block)
        self.recorder.emit("assign", {"X": [zeros.name]}, {"Out": [made.name]})
        return made

    # -- what comes out
    # -----------------------------------------------------------------------------------------

    def _end(self, walk: Walk, name: str) -> Variable:
        """The gradient of what a written variable was before the block."""
        if name in walk.pending:
            total = walk.pending.total(name)
        elif self.repeats or self.outer.versions.written_before(name, self.at):
            total = zeros_for(self.recorder, walk.before(name, 0))
        else:
            return self.carried[name]
        copy = declared(self.recorder, self.recorder.namer.temporary("assign"), total.raw)
        # all are written back at once
        self.recorder.emit("assign", {"X": [total.name]}, {"Out": [copy.name]})
        return copy

    def _reads(self, walk: Walk) -> dict[str, Variable]:
        """The gradients of what the block only reads."""
        outside = block_reads(self.recorder.program, self.block)
        found = dict.fromkeys(n for n in outside if n not in self.carried and n in walk.pending)
        return {name: walk.pending.total(name) for name in found}

    def _start_sums(self, reads: dict[str, Variable]) -> None:
        for name in reads:
            like = self.outer.before(name, self.at)
            self.summed[name] = self._zeros(like, name)

    def _write_back(self, ends: dict[str, Variable], reads: dict[str, Variable]) -> None:
        for name, gradient in reads.items():
            sum_ = self.summed[name].name
            if self.repeats:
                self.recorder.emit("sum", {"X": [sum_, gradient.name]}, {"Out": [sum_]})
            else:
                self.recorder.emit("assign", {"X": [gradient.name]}, {"Out": [sum_]})
        for name, gradient in ends.items():
            if gradient.name != self.carried[name].name:
                self.recorder.emit(
                    "assign", {"X": [gradient.name]}, {"Out": [self.carried[name].name]}
                )

    def _emit(self, made: Block) -> OpDesc:
        outer, op = self.outer, self.op
        for name, gradient in self.carried.items():
            if self.repeats or outer.versions.written_before(name, self.at):
                outer.add(name, gradient)
        for name, gradient in self.summed.items():
            outer.add(name, gradient)
        given = [g.name for g in self.carried.values()]
        written = [*given, *(g.name for g in self.summed.values())]
        slot = "X" if self.repeats else "Input"
        operands = {k: list(v) for k, v in op.inputs.items() if k not in ("Cond", "Condition")}
        if not self.repeats:
            operands["Cond"] = [outer.before(n, self.at).name for n in op.inputs.get("Cond", [])]
        operands |= {
            k: list(op.outputs.get(k, []))
            for k in ("Out", "StepScopes" if self.repeats else "Scope")
        }
        attrs = {**op.attrs, "sub_block": Attr(AttrType.BLOCK, made.idx)}
        return self.recorder.emit(
            f"{op.type.removesuffix('_infer')}_grad",
            {**operands, "Out@GRAD": given},
            {f"{slot}@GRAD": written},
            attrs,
        )


def _conditional(walk: Walk, op: OpDesc, at: int) -> None:
    BlockWalk(walk, op, at, repeats=False).run()


def _while(walk: Walk, op: OpDesc, at: int) -> None:
    if not op.outputs.get("StepScopes"):
        name = walk.recorder.namer.temporary("while_scopes")
        walk.block.vars[name] = VarDesc(name, dtype="", kind=Kind.STEP_SCOPES)
        op.outputs["StepScopes"] = [name]
    BlockWalk(walk, op, at, repeats=True).run()


# -- values that are chosen
# -----------------------------------------------------------------------------------------


def _assign(walk: Walk, op: OpDesc, at: int) -> None:
    gradient = walk.pending.take(op.outputs["Out"][0])
    name = op.inputs["X"][0]
    if walk.wants(name):
        like = walk.before(name, at)
        walk.add(
            name,
            gradient
            if walk.is_array(name) or gradient.meta == like.meta
            else fitted(gradient, like),
        )


def _select_input(walk: Walk, op: OpDesc, at: int) -> None:
    gradient = walk.pending.take(op.outputs["Out"][0])
    operands = [walk.before(n, at) for n in op.inputs["X"]]
    made = [
        declared(walk.recorder, walk.recorder.namer.temporary("select_input"), v.raw)
        for v in operands
    ]
    given = {
        "Mask": [walk.before(op.inputs["Mask"][0], at).name],
        "Out@GRAD": [gradient.name],
        "X": [v.name for v in operands],
    }
    walk.recorder.emit("select_input_grad", given, {"X@GRAD": [v.name for v in made]})
    for name, part in zip(op.inputs["X"], made, strict=True):
        if walk.wants(name):
            walk.add(name, part)


# -- lists
# ------------------------------------------------------------------------------


def _write(walk: Walk, op: OpDesc, at: int) -> None:
    target, value = op.outputs["Out"][0], op.inputs["X"][0]
    gradient = walk.pending.take(target)
    operand = walk.before(value, at)
    position = walk.before(op.inputs["I"][0], at)
    made = declared(walk.recorder, walk.recorder.namer.temporary("write_to_array"), operand.raw)
    rest = declared(walk.recorder, walk.recorder.namer.temporary("write_to_array"), gradient.raw)
    given = {"Out@GRAD": [gradient.name], "I": [position.name], "X": [operand.name]}
    walk.recorder.emit(
        "write_to_array_grad", given, {"X@GRAD": [made.name], "Out@GRAD": [rest.name]}
    )
    if walk.wants(value):
        walk.add(value, made)
    walk.add(target, rest)


def _read(walk: Walk, op: OpDesc, at: int) -> None:
    gradient = walk.pending.take(op.outputs["Out"][0])
    name = op.inputs["X"][0]
    if walk.wants(name):
        _add_element(walk, name, walk.before(op.inputs["I"][0], at), gradient)


def _add_element(walk: Walk, name: str, position: Variable, gradient: Variable) -> None:
    """A gradient that arrives at one element of a list."""
    before = (
        walk.pending.take(name)
        if name in walk.pending
        else zeros_for(walk.recorder, walk.variable(name))
    )
    made = declared(walk.recorder, walk.recorder.namer.temporary("read_from_array"), before.raw)
    given = {"I": [position.name], "Out@GRAD": [gradient.name], "X@GRAD": [before.name]}
    walk.recorder.emit("read_from_array_grad", given, {"X@GRAD": [made.name]})
    walk.add(name, made)


def _join(walk: Walk, op: OpDesc, at: int) -> None:
    gradient = walk.pending.take(op.outputs["Out"][0])
    name = op.inputs["X"][0]
    if walk.wants(name):
        held = walk.before(name, at)
        made = declared(
            walk.recorder, walk.recorder.namer.temporary("tensor_array_to_tensor"), held.raw
        )
        given = {"Out@GRAD": [gradient.name], "X": [held.name]}
        walk.recorder.emit(
            "tensor_array_to_tensor_grad", given, {"X@GRAD": [made.name]}, dict(op.attrs)
        )
        walk.add(name, made)


def _slice(walk: Walk, op: OpDesc, at: int) -> None:
    """A list without its last elements keeps the places of the others; a tensor has its
    own rule.
    """
    name = op.inputs["Input"][0]
    if not walk.is_array(name):
        walk.plain(op, at)
        return
    gradient = walk.pending.take(op.outputs["Out"][0])
    if not walk.wants(name):
        return
    if op.attr("decrease_axis"):
        _add_element(walk, name, _number(op.attr("starts")[0]), gradient)
    else:
        walk.add(name, gradient)


def _number(value: int) -> Variable:
    found: Any = OPS["fill_constant"](shape=[1], value=float(value), dtype=dtype_of("int64").proto)
    return found


RULES |= {
    "conditional_block": _conditional,
    "conditional_block_infer": _conditional,
    "while": _while,
    "recurrent": through_steps,
    "assign": _assign,
    "rnn_memory_helper": _assign,
    "select_input": _select_input,
    "write_to_array": _write,
    "read_from_array": _read,
    "tensor_array_to_tensor": _join,
    "slice": _slice,
}
