"""Gradient rules of control flow and TensorArray ops.

Each block gets a gradient block, which writes gradients to outer variables. The gradient block adds
to the gradients of variables that the block only reads. For variables that the block writes, the
outer variable holds the gradient of the value after the block before the gradient block runs, and
that of the value before the block afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..capture.recorder import OpenBlock
from ..capture.variable import Variable
from ..core.dtype import parse_dtype
from ..core.errors import OarlockError, append_user_line
from ..core.op import OPS
from ..ir.block_captures import outer_names_read_by_block, outer_names_written_by_block
from ..ir.program import Attr, AttrType, Block, OpDesc, VarDesc, VarKind
from .backward_pass import GRADIENT_RULES, ProgramBackwardPass, recorded_at_message_suffix
from .cotangents import (
    declare_cross_block_gradient,
    declare_variable_like,
    emit_zero_grad_like,
    reduce_and_cast_grad_like,
)
from .recurrent_gradient import gradient_rule_of_recurrent
from .value_versions import ValueVersions


class BlockOpGradientEmitter:
    """Emits the gradient of an op that runs a block, such as `while`.

    written_grads: the gradients of the variables that the block writes, by name.

    The gradient block is a child of the forward block, so that it can read the variables of the
    forward block. Gradients that both the gradient block and the enclosing block use are declared
    in the enclosing block.
    """

    def __init__(self, outer: ProgramBackwardPass, op: OpDesc, at: int, is_loop: bool) -> None:
        self.outer, self.op, self.op_index, self.is_loop = outer, op, at, is_loop
        self.recorder = outer.recorder
        self.block = self.recorder.program.blocks[op.attr("sub_block")]
        self.written_grads: dict[str, Variable] = {}
        self.accumulators: dict[str, Variable] = {}

    def run(self) -> OpDesc | None:
        """Emit the gradient block and the op that runs it."""
        self._emit_copies_of_written_grads()
        made = Block(len(self.recorder.program.blocks), self.block.idx)
        self.recorder.program.blocks.append(made)
        value_versions = ValueVersions(
            self.recorder, self.block, (self.outer.value_versions, self.op_index), self.is_loop
        )
        backward = ProgramBackwardPass(self.recorder, self.outer.activity, value_versions)
        inner = OpenBlock(made)
        with self.recorder.enter_block(inner):
            for name, gradient in self.written_grads.items():
                backward.cotangents.set_from_outer_block(name, gradient)
            backward.run()
            ends = {
                name: self._emit_or_get_initial_value_grad(backward, name)
                for name in self.written_grads
            }
            reads = self._grads_of_only_read_variables(backward)
        self._emit_zero_accumulators(reads)
        with self.recorder.enter_block(inner):
            self._emit_gradient_writes_to_outer_variables(ends, reads)
        value_versions.insert_copies()
        return self._accumulate_grads_and_emit_block_grad_op(made)

    # -- inputs
    # -------------------------------------------------------------------------------------------

    def _emit_copies_of_written_grads(self) -> None:
        """Fill `written_grads`: for each variable that the block writes and that needs a gradient,
        a copy of the gradient, or zeros if there is none. A copy is needed because the gradient
        block may overwrite the variable.
        """
        outer = self.outer
        for name in self._iter_written_names_needing_grad():
            if name in outer.cotangents:
                total = outer.cotangents.pop(name)
                gradient = declare_cross_block_gradient(self.recorder, name, total.raw, outer.block)
                self.recorder.append_op("assign", {"X": [total.name]}, {"Out": [gradient.name]})
            else:
                gradient = self._emit_cross_block_zeros(
                    outer.value_after(name, self.op_index), name
                )
            self.written_grads[name] = gradient

    def _iter_written_names_needing_grad(self) -> Iterable[str]:
        """The variables that the block writes and whose gradient is needed after the block
        or in an earlier iteration.
        """
        for name in outer_names_written_by_block(self.recorder.program, self.block):
            kept = self.is_loop or self.outer.value_versions.has_value_before(name, self.op_index)
            if name in self.outer.cotangents or (kept and self.outer.needs_grad(name)):
                yield name

    def _emit_cross_block_zeros(self, like: Variable, name: str) -> Variable:
        """Emit zeros into a new gradient variable of `name` that several blocks may write, and
        return it.
        """
        zeros = emit_zero_grad_like(self.recorder, like)
        made = declare_cross_block_gradient(self.recorder, name, like.raw, self.outer.block)
        self.recorder.append_op("assign", {"X": [zeros.name]}, {"Out": [made.name]})
        return made

    # -- outputs
    # -----------------------------------------------------------------------------------------

    def _emit_or_get_initial_value_grad(self, backward: ProgramBackwardPass, name: str) -> Variable:
        """The gradient of the value that a variable, which the block writes, had before the block
        ran.
        """
        if name in backward.cotangents:
            total = backward.cotangents.total(name)
        elif self.is_loop or self.outer.value_versions.has_value_before(name, self.op_index):
            total = emit_zero_grad_like(self.recorder, backward.value_before(name, 0))
        else:
            return self.written_grads[name]
        copy = declare_variable_like(
            self.recorder, self.recorder.namer.generate_temporary_name("assign"), total.raw
        )
        # a copy, because all gradients must be read before any of them is overwritten
        self.recorder.append_op("assign", {"X": [total.name]}, {"Out": [copy.name]})
        return copy

    def _grads_of_only_read_variables(self, backward: ProgramBackwardPass) -> dict[str, Variable]:
        """The gradients of the variables that the block only reads."""
        outside = outer_names_read_by_block(self.recorder.program, self.block)
        found = dict.fromkeys(
            n for n in outside if n not in self.written_grads and n in backward.cotangents
        )
        return {name: backward.cotangents.total(name) for name in found}

    def _emit_zero_accumulators(self, reads: dict[str, Variable]) -> None:
        for name in reads:
            like = self.outer.value_before(name, self.op_index)
            self.accumulators[name] = self._emit_cross_block_zeros(like, name)

    def _emit_gradient_writes_to_outer_variables(
        self, ends: dict[str, Variable], reads: dict[str, Variable]
    ) -> None:
        for name, gradient in reads.items():
            sum_ = self.accumulators[name].name
            if self.is_loop:
                self.recorder.append_op("sum", {"X": [sum_, gradient.name]}, {"Out": [sum_]})
            else:
                self.recorder.append_op("assign", {"X": [gradient.name]}, {"Out": [sum_]})
        for name, gradient in ends.items():
            if gradient.name != self.written_grads[name].name:
                self.recorder.append_op(
                    "assign", {"X": [gradient.name]}, {"Out": [self.written_grads[name].name]}
                )

    def _accumulate_grads_and_emit_block_grad_op(self, made: Block) -> OpDesc:
        outer, op = self.outer, self.op
        for name, gradient in self.written_grads.items():
            if self.is_loop or outer.value_versions.has_value_before(name, self.op_index):
                outer.accumulate(name, gradient)
        for name, gradient in self.accumulators.items():
            outer.accumulate(name, gradient)
        given = [g.name for g in self.written_grads.values()]
        written = [*given, *(g.name for g in self.accumulators.values())]
        slot = "X" if self.is_loop else "Input"
        operands = {k: list(v) for k, v in op.inputs.items() if k not in ("Cond", "Condition")}
        if not self.is_loop:
            operands["Cond"] = [
                outer.value_before(n, self.op_index).name for n in op.inputs.get("Cond", [])
            ]
        operands |= {
            k: list(op.outputs.get(k, []))
            for k in ("Out", "StepScopes" if self.is_loop else "Scope")
        }
        attrs = {**op.attrs, "sub_block": Attr(AttrType.BLOCK, made.idx)}
        return self.recorder.append_op(
            f"{op.type.removesuffix('_infer')}_grad",
            {**operands, "Out@GRAD": given},
            {f"{slot}@GRAD": written},
            attrs,
        )


def _gradient_rule_of_conditional_block(backward: ProgramBackwardPass, op: OpDesc, at: int) -> None:
    BlockOpGradientEmitter(backward, op, at, is_loop=False).run()


def _gradient_rule_of_while(backward: ProgramBackwardPass, op: OpDesc, at: int) -> None:
    if not op.outputs.get("StepScopes"):
        name = backward.recorder.namer.generate_temporary_name("while_scopes")
        backward.block.vars[name] = VarDesc(name, dtype="", kind=VarKind.STEP_SCOPES)
        op.outputs["StepScopes"] = [name]
    BlockOpGradientEmitter(backward, op, at, is_loop=True).run()


# -- selection
# -----------------------------------------------------------------------------------------


def _gradient_rule_of_assign(backward: ProgramBackwardPass, op: OpDesc, at: int) -> None:
    gradient = backward.cotangents.pop(op.outputs["Out"][0])
    name = op.inputs["X"][0]
    if backward.needs_grad(name):
        like = backward.value_before(name, at)
        backward.accumulate(
            name,
            gradient
            if backward.is_tensor_array(name) or gradient.meta == like.meta
            else reduce_and_cast_grad_like(gradient, like),
        )


def _gradient_rule_of_select_input(backward: ProgramBackwardPass, op: OpDesc, at: int) -> None:
    gradient = backward.cotangents.pop(op.outputs["Out"][0])
    operands = [backward.value_before(n, at) for n in op.inputs["X"]]
    made = [
        declare_variable_like(
            backward.recorder,
            backward.recorder.namer.generate_temporary_name("select_input"),
            v.raw,
        )
        for v in operands
    ]
    given = {
        "Mask": [backward.value_before(op.inputs["Mask"][0], at).name],
        "Out@GRAD": [gradient.name],
        "X": [v.name for v in operands],
    }
    backward.recorder.append_op("select_input_grad", given, {"X@GRAD": [v.name for v in made]})
    for name, part in zip(op.inputs["X"], made, strict=True):
        if backward.needs_grad(name):
            backward.accumulate(name, part)


# -- TensorArrays
# ------------------------------------------------------------------------------


def _gradient_rule_of_write_to_array(backward: ProgramBackwardPass, op: OpDesc, at: int) -> None:
    target, value = op.outputs["Out"][0], op.inputs["X"][0]
    gradient = backward.cotangents.pop(target)
    operand = backward.value_before(value, at)
    position = backward.value_before(op.inputs["I"][0], at)
    made = declare_variable_like(
        backward.recorder,
        backward.recorder.namer.generate_temporary_name("write_to_array"),
        operand.raw,
    )
    rest = declare_variable_like(
        backward.recorder,
        backward.recorder.namer.generate_temporary_name("write_to_array"),
        gradient.raw,
    )
    given = {"Out@GRAD": [gradient.name], "I": [position.name], "X": [operand.name]}
    backward.recorder.append_op(
        "write_to_array_grad", given, {"X@GRAD": [made.name], "Out@GRAD": [rest.name]}
    )
    if backward.needs_grad(value):
        backward.accumulate(value, made)
    backward.accumulate(target, rest)


def _gradient_rule_of_read_from_array(backward: ProgramBackwardPass, op: OpDesc, at: int) -> None:
    gradient = backward.cotangents.pop(op.outputs["Out"][0])
    name = op.inputs["X"][0]
    if backward.needs_grad(name):
        _accumulate_array_element_grad(
            backward, name, backward.value_before(op.inputs["I"][0], at), gradient
        )


def _accumulate_array_element_grad(
    backward: ProgramBackwardPass, name: str, position: Variable, gradient: Variable
) -> None:
    """Add `gradient` to the element at `position` of the gradient of the TensorArray `name`."""
    before = (
        backward.cotangents.pop(name)
        if name in backward.cotangents
        else emit_zero_grad_like(backward.recorder, backward.require_variable(name))
    )
    made = declare_variable_like(
        backward.recorder,
        backward.recorder.namer.generate_temporary_name("read_from_array"),
        before.raw,
    )
    given = {"I": [position.name], "Out@GRAD": [gradient.name], "X@GRAD": [before.name]}
    backward.recorder.append_op("read_from_array_grad", given, {"X@GRAD": [made.name]})
    backward.accumulate(name, made)


def _gradient_rule_of_tensor_array_to_tensor(
    backward: ProgramBackwardPass, op: OpDesc, at: int
) -> None:
    gradient = backward.cotangents.pop(op.outputs["Out"][0])
    name = op.inputs["X"][0]
    if backward.needs_grad(name):
        held = backward.value_before(name, at)
        made = declare_variable_like(
            backward.recorder,
            backward.recorder.namer.generate_temporary_name("tensor_array_to_tensor"),
            held.raw,
        )
        given = {"Out@GRAD": [gradient.name], "X": [held.name]}
        backward.recorder.append_op(
            "tensor_array_to_tensor_grad", given, {"X@GRAD": [made.name]}, dict(op.attrs)
        )
        backward.accumulate(name, made)


def _gradient_rule_of_slice(backward: ProgramBackwardPass, op: OpDesc, at: int) -> None:
    """The gradient rule of `slice`, for a slice of a TensorArray; for a slice of a tensor, it calls
    the VJP rule of the op.
    """
    name = op.inputs["Input"][0]
    if not backward.is_tensor_array(name):
        backward.differentiate_op(op, at)
        return
    gradient = backward.cotangents.pop(op.outputs["Out"][0])
    if not backward.needs_grad(name):
        return
    if op.attr("decrease_axis"):
        _accumulate_array_element_grad(
            backward, name, _emit_int64_constant(op.attr("starts")[0]), gradient
        )
    elif op.attr("starts") != [0]:
        why = "backward: the gradient of a slice of a TensorArray requires that it starts at 0"
        raise OarlockError(append_user_line(f"{why}{recorded_at_message_suffix(op)}"))
    else:
        backward.accumulate(name, gradient)


def _emit_int64_constant(value: int) -> Variable:
    found: Any = OPS["fill_constant"](
        shape=[1], value=float(value), dtype=parse_dtype("int64").proto
    )
    return found


GRADIENT_RULES |= {
    "conditional_block": _gradient_rule_of_conditional_block,
    "conditional_block_infer": _gradient_rule_of_conditional_block,
    "while": _gradient_rule_of_while,
    "recurrent": gradient_rule_of_recurrent,
    "assign": _gradient_rule_of_assign,
    "rnn_memory_helper": _gradient_rule_of_assign,
    "select_input": _gradient_rule_of_select_input,
    "write_to_array": _gradient_rule_of_write_to_array,
    "read_from_array": _gradient_rule_of_read_from_array,
    "tensor_array_to_tensor": _gradient_rule_of_tensor_array_to_tensor,
    "slice": _gradient_rule_of_slice,
}
