"""Gradient rules of control flow and TensorArray ops.

Each block gets a gradient block, which writes gradients to outer variables. For variables that the
block only reads, it adds to their gradients. For variables that the block writes, the outer
variable holds the gradient of the value after the block before the gradient block runs, and that of
the value before the block afterwards.
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
from .backward_pass import RULES, ProgramBackwardPass
from .cotangents import declare_like, declare_shared_gradient, reduce_to, zeros_for
from .saved_values import SavedValues
from .scan import recurrent_grad


class BlockGradient:
    """The gradient of an op that runs a block.

    carried: the gradients of the variables that the block writes, by name.

    The gradient block is a child of the forward block, so that it can read its variables. Variables
    that it shares with the enclosing block are declared there.
    """

    def __init__(self, outer: ProgramBackwardPass, op: OpDesc, at: int, repeats: bool) -> None:
        self.outer, self.op, self.at, self.repeats = outer, op, at, repeats
        self.recorder = outer.recorder
        self.block = self.recorder.program.blocks[op.attr("sub_block")]
        self.carried: dict[str, Variable] = {}
        self.accumulators: dict[str, Variable] = {}

    def run(self) -> OpDesc | None:
        """Emit the gradient block and the op that runs it."""
        self._take_output_grads()
        made = Block(len(self.recorder.program.blocks), self.block.idx)
        self.recorder.program.blocks.append(made)
        saved_values = SavedValues(
            self.recorder, self.block, (self.outer.saved_values, self.at), self.repeats
        )
        backward = ProgramBackwardPass(self.recorder, self.outer.activity, saved_values)
        inner = OpenBlock(made)
        with self.recorder.record_in_block(inner):
            for name, gradient in self.carried.items():
                backward.cotangents.set_external(name, gradient)
            backward.run()
            ends = {name: self._initial_value_grad(backward, name) for name in self.carried}
            reads = self._read_grads(backward)
        self._declare_accumulators(reads)
        with self.recorder.record_in_block(inner):
            self._write_back(ends, reads)
        saved_values.insert_copies()
        return self._emit(made)

    # -- inputs
    # -------------------------------------------------------------------------------------------

    def _take_output_grads(self) -> None:
        """Copy the gradients of the written variables to variables that the gradient block
        may overwrite.
        """
        outer = self.outer
        for name in self._written_names():
            if name in outer.cotangents:
                total = outer.cotangents.take(name)
                gradient = declare_shared_gradient(self.recorder, name, total.raw, outer.block)
                self.recorder.emit("assign", {"X": [total.name]}, {"Out": [gradient.name]})
            else:
                gradient = self._zeros(outer.after(name, self.at), name)
            self.carried[name] = gradient

    def _written_names(self) -> Iterable[str]:
        """The variables that the block writes and whose gradient is needed after the block
        or in an earlier iteration.
        """
        for name in block_writes(self.recorder.program, self.block):
            kept = self.repeats or self.outer.saved_values.written_before(name, self.at)
            if name in self.outer.cotangents or (kept and self.outer.needs_grad(name)):
                yield name

    def _zeros(self, like: Variable, name: str) -> Variable:
        """Zeros in a new variable."""
        zeros = zeros_for(self.recorder, like)
        made = declare_shared_gradient(self.recorder, name, like.raw, self.outer.block)
        self.recorder.emit("assign", {"X": [zeros.name]}, {"Out": [made.name]})
        return made

    # -- outputs
    # -----------------------------------------------------------------------------------------

    def _initial_value_grad(self, backward: ProgramBackwardPass, name: str) -> Variable:
        """The gradient of a written variable's value before the block."""
        if name in backward.cotangents:
            total = backward.cotangents.total(name)
        elif self.repeats or self.outer.saved_values.written_before(name, self.at):
            total = zeros_for(self.recorder, backward.before(name, 0))
        else:
            return self.carried[name]
        copy = declare_like(self.recorder, self.recorder.namer.temporary("assign"), total.raw)
        # copy all gradients before any of them is written
        self.recorder.emit("assign", {"X": [total.name]}, {"Out": [copy.name]})
        return copy

    def _read_grads(self, backward: ProgramBackwardPass) -> dict[str, Variable]:
        """The gradients of the variables that the block only reads."""
        outside = block_reads(self.recorder.program, self.block)
        found = dict.fromkeys(
            n for n in outside if n not in self.carried and n in backward.cotangents
        )
        return {name: backward.cotangents.total(name) for name in found}

    def _declare_accumulators(self, reads: dict[str, Variable]) -> None:
        for name in reads:
            like = self.outer.before(name, self.at)
            self.accumulators[name] = self._zeros(like, name)

    def _write_back(self, ends: dict[str, Variable], reads: dict[str, Variable]) -> None:
        for name, gradient in reads.items():
            sum_ = self.accumulators[name].name
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
            if self.repeats or outer.saved_values.written_before(name, self.at):
                outer.accumulate(name, gradient)
        for name, gradient in self.accumulators.items():
            outer.accumulate(name, gradient)
        given = [g.name for g in self.carried.values()]
        written = [*given, *(g.name for g in self.accumulators.values())]
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


def _conditional_block_grad(backward: ProgramBackwardPass, op: OpDesc, at: int) -> None:
    BlockGradient(backward, op, at, repeats=False).run()


def _while_grad(backward: ProgramBackwardPass, op: OpDesc, at: int) -> None:
    if not op.outputs.get("StepScopes"):
        name = backward.recorder.namer.temporary("while_scopes")
        backward.block.vars[name] = VarDesc(name, dtype="", kind=Kind.STEP_SCOPES)
        op.outputs["StepScopes"] = [name]
    BlockGradient(backward, op, at, repeats=True).run()


# -- selection
# -----------------------------------------------------------------------------------------


def _assign_grad(backward: ProgramBackwardPass, op: OpDesc, at: int) -> None:
    gradient = backward.cotangents.take(op.outputs["Out"][0])
    name = op.inputs["X"][0]
    if backward.needs_grad(name):
        like = backward.before(name, at)
        backward.accumulate(
            name,
            gradient
            if backward.is_array(name) or gradient.meta == like.meta
            else reduce_to(gradient, like),
        )


def _select_input_grad(backward: ProgramBackwardPass, op: OpDesc, at: int) -> None:
    gradient = backward.cotangents.take(op.outputs["Out"][0])
    operands = [backward.before(n, at) for n in op.inputs["X"]]
    made = [
        declare_like(backward.recorder, backward.recorder.namer.temporary("select_input"), v.raw)
        for v in operands
    ]
    given = {
        "Mask": [backward.before(op.inputs["Mask"][0], at).name],
        "Out@GRAD": [gradient.name],
        "X": [v.name for v in operands],
    }
    backward.recorder.emit("select_input_grad", given, {"X@GRAD": [v.name for v in made]})
    for name, part in zip(op.inputs["X"], made, strict=True):
        if backward.needs_grad(name):
            backward.accumulate(name, part)


# -- TensorArrays
# ------------------------------------------------------------------------------


def _write_to_array_grad(backward: ProgramBackwardPass, op: OpDesc, at: int) -> None:
    target, value = op.outputs["Out"][0], op.inputs["X"][0]
    gradient = backward.cotangents.take(target)
    operand = backward.before(value, at)
    position = backward.before(op.inputs["I"][0], at)
    made = declare_like(
        backward.recorder, backward.recorder.namer.temporary("write_to_array"), operand.raw
    )
    rest = declare_like(
        backward.recorder, backward.recorder.namer.temporary("write_to_array"), gradient.raw
    )
    given = {"Out@GRAD": [gradient.name], "I": [position.name], "X": [operand.name]}
    backward.recorder.emit(
        "write_to_array_grad", given, {"X@GRAD": [made.name], "Out@GRAD": [rest.name]}
    )
    if backward.needs_grad(value):
        backward.accumulate(value, made)
    backward.accumulate(target, rest)


def _read_from_array_grad(backward: ProgramBackwardPass, op: OpDesc, at: int) -> None:
    gradient = backward.cotangents.take(op.outputs["Out"][0])
    name = op.inputs["X"][0]
    if backward.needs_grad(name):
        _add_element(backward, name, backward.before(op.inputs["I"][0], at), gradient)


def _add_element(
    backward: ProgramBackwardPass, name: str, position: Variable, gradient: Variable
) -> None:
    """Add a gradient to one element of the gradient of a TensorArray."""
    before = (
        backward.cotangents.take(name)
        if name in backward.cotangents
        else zeros_for(backward.recorder, backward.variable(name))
    )
    made = declare_like(
        backward.recorder, backward.recorder.namer.temporary("read_from_array"), before.raw
    )
    given = {"I": [position.name], "Out@GRAD": [gradient.name], "X@GRAD": [before.name]}
    backward.recorder.emit("read_from_array_grad", given, {"X@GRAD": [made.name]})
    backward.accumulate(name, made)


def _tensor_array_to_tensor_grad(backward: ProgramBackwardPass, op: OpDesc, at: int) -> None:
    gradient = backward.cotangents.take(op.outputs["Out"][0])
    name = op.inputs["X"][0]
    if backward.needs_grad(name):
        held = backward.before(name, at)
        made = declare_like(
            backward.recorder, backward.recorder.namer.temporary("tensor_array_to_tensor"), held.raw
        )
        given = {"Out@GRAD": [gradient.name], "X": [held.name]}
        backward.recorder.emit(
            "tensor_array_to_tensor_grad", given, {"X@GRAD": [made.name]}, dict(op.attrs)
        )
        backward.accumulate(name, made)


def _slice_grad(backward: ProgramBackwardPass, op: OpDesc, at: int) -> None:
    """The gradient of `slice` of a TensorArray. For a tensor, the vjp rule of `slice` is used."""
    name = op.inputs["Input"][0]
    if not backward.is_array(name):
        backward.differentiate_op(op, at)
        return
    gradient = backward.cotangents.take(op.outputs["Out"][0])
    if not backward.needs_grad(name):
        return
    if op.attr("decrease_axis"):
        _add_element(backward, name, _int64_constant(op.attr("starts")[0]), gradient)
    else:
        backward.accumulate(name, gradient)


def _int64_constant(value: int) -> Variable:
    found: Any = OPS["fill_constant"](shape=[1], value=float(value), dtype=dtype_of("int64").proto)
    return found


RULES |= {
    "conditional_block": _conditional_block_grad,
    "conditional_block_infer": _conditional_block_grad,
    "while": _while_grad,
    "recurrent": recurrent_grad,
    "assign": _assign_grad,
    "rnn_memory_helper": _assign_grad,
    "select_input": _select_input_grad,
    "write_to_array": _write_to_array_grad,
    "read_from_array": _read_from_array_grad,
    "tensor_array_to_tensor": _tensor_array_to_tensor_grad,
    "slice": _slice_grad,
}
