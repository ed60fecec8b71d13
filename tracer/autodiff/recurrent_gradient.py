"""The gradient of `recurrent`: a block that differentiates one step and is executed for the steps
in reverse order.

As in Paddle, `<variable>@GRAD` is the gradient of a variable of the step. The gradients of outputs
and next memories are inputs of the block; the gradients of inputs, memories and parameters are its
results. Gradients of parameters are summed over all steps outside of the block.
"""

from __future__ import annotations

from ..capture.recorder import OpenBlock
from ..capture.variable import Variable
from ..ir.block_captures import EMPTY_NAME, outer_names_read_by_block
from ..ir.program import Attr, AttrType, Block, OpDesc, VarDesc, VarKind
from .backward_pass import ProgramBackwardPass
from .cotangents import declare_variable_like, emit_zero_grad_like
from .value_versions import ValueVersions


class RecurrentGradient:
    """Emits the gradient of a `recurrent` op.

    grad_block: the gradient block. It is a child of the forward block, so that it can read its
    variables.
    """

    def __init__(self, outer: ProgramBackwardPass, op: OpDesc, at: int) -> None:
        self.outer, self.op, self.op_index = outer, op, at
        self.recorder = outer.recorder
        blocks = self.recorder.program.blocks
        self.block = blocks[op.attr("sub_block")]
        self.grad_block = Block(len(blocks), self.block.idx)
        blocks.append(self.grad_block)
        value_versions = ValueVersions(
            self.recorder, self.block, (outer.value_versions, at), is_loop_body=True
        )
        self.backward = ProgramBackwardPass(self.recorder, outer.activity, value_versions)

    def run(self) -> None:
        """Emit the gradient block and the op that runs it."""
        op = self.op
        arrived = {
            n: self.outer.cotangents.pop(n)
            for n in op.outputs["outputs"]
            if n in self.outer.cotangents
        }
        held = [n for n in op.attr("ex_states", []) if self.backward.needs_grad(n)]
        with self.recorder.enter_block(OpenBlock(self.grad_block)):
            for name, gradient in arrived.items():
                self._declare_and_accumulate_received_grad(name, gradient.name)
            for before, after in zip(op.attr("ex_states", []), op.attr("states", []), strict=True):
                if before in held:
                    self._declare_and_accumulate_received_grad(after, f"{after}@GRAD")
            self.backward.run()
            read = [
                n
                for n in outer_names_read_by_block(self.recorder.program, self.block)
                if n in self.backward.cotangents
            ]
            self._assign_total_grads(
                [n for n in op.inputs["inputs"] if self.backward.needs_grad(n)] + held + read
            )
        self.backward.value_versions.insert_copies()
        self._emit_recurrent_grad(arrived, {*held}, {*read})

    def _declare_and_accumulate_received_grad(self, name: str, gradient: str) -> None:
        """Declare the variable `gradient` as the gradient of `name`, which the gradient block
        receives as an input, and accumulate it.
        """
        found = self.recorder.program.var(name, self.block.idx)
        assert found is not None
        self.backward.accumulate(name, declare_variable_like(self.recorder, gradient, found))

    def _assign_total_grads(self, names: list[str]) -> None:
        """Assign the gradient of each of `names` to the variable `<name>@GRAD`, from which the op
        `recurrent_grad` reads it.
        """
        totals = {n: self._total_cotangent_or_zeros(n) for n in dict.fromkeys(names)}
        for name, total in totals.items():
            out = declare_variable_like(self.recorder, f"{name}@GRAD", total.raw)
            self.recorder.append_op("assign", {"X": [total.name]}, {"Out": [out.name]})

    def _total_cotangent_or_zeros(self, name: str) -> Variable:
        cotangents = self.backward.cotangents
        return (
            cotangents.total(name)
            if name in cotangents
            else emit_zero_grad_like(self.recorder, self.backward.value_before(name, 0))
        )

    def _emit_recurrent_grad(
        self, arrived: dict[str, Variable], held: set[str], read: set[str]
    ) -> None:
        op = self.op
        names = op.outputs["outputs"]
        operands = {slot: list(found) for slot, found in (*op.inputs.items(), *op.outputs.items())}
        operands["outputs@GRAD"] = [arrived[n].name if n in arrived else EMPTY_NAME for n in names]
        memories = zip(op.attr("ex_states", []), op.inputs.get("initial_states", []), strict=True)
        outs = {
            "inputs@GRAD": [
                self._declare_and_accumulate_outer_grad_if_needed(n, self.backward.needs_grad(n))
                for n in op.inputs["inputs"]
            ],
            "initial_states@GRAD": [
                self._declare_and_accumulate_outer_grad_if_needed(first, n in held)
                for n, first in memories
            ],
            "parameters@GRAD": [
                self._declare_and_accumulate_outer_grad_if_needed(n, n in read)
                for n in op.inputs.get("parameters", [])
            ],
        }
        attrs = {**op.attrs, "sub_block": Attr(AttrType.BLOCK, self.grad_block.idx)}
        self.recorder.append_op("recurrent_grad", operands, outs, attrs)

    def _declare_and_accumulate_outer_grad_if_needed(self, name: str, result: bool) -> str:
        """Declare a variable of the outer block for the gradient of `name`, accumulate it as a term
        of this gradient, and return its name. If the gradient is not needed, return EMPTY.
        """
        if not result or not self.outer.needs_grad(name):
            return EMPTY_NAME
        like = self.outer.value_before(name, self.op_index).raw
        found = declare_variable_like(
            self.recorder, self.recorder.namer.generate_temporary_name("recurrent"), like
        )
        self.outer.accumulate(name, found)
        return found.name


def gradient_rule_of_recurrent(backward: ProgramBackwardPass, op: OpDesc, at: int) -> None:
    """The gradient rule of `recurrent`."""
    if not op.outputs.get("step_scopes"):
        name = backward.recorder.namer.generate_temporary_name("step_scopes")
        backward.block.vars[name] = VarDesc(name, dtype="", kind=VarKind.STEP_SCOPES)
        op.outputs["step_scopes"] = [name]
    RecurrentGradient(backward, op, at).run()
