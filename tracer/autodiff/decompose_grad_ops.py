"""Decompose Paddle's gradient ops (`relu_grad`) into the ops of the gradient rules, for execution
and for second-order gradients.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..capture.modes import Static
from ..capture.recorder import OpenBlock, Recorder
from ..capture.variable import GRADIENT_SUFFIX, Variable
from ..core.dtype import is_inexact
from ..core.mode import use_mode
from ..core.op import OPS, Slot
from ..ir.block_captures import EMPTY_NAME, forward_block_index_by_recurrent_grad_block
from ..ir.program import OpDesc, Program, VarKind
from ..ops.shared_op_rules import UnknownSizeInGradientError
from .backward_pass import apply_vjp_rule
from .cotangents import emit_zero_grad_like, reduce_and_cast_grad_like
from .grad_op_replacements import GradOpReplacements


def decompose_grad_ops(program: Program) -> Program:
    """Return a copy of the program in which Paddle's gradient ops are decomposed into ops of the
    gradient rules; if the program has no gradient ops, return it unchanged.

    An op whose rule needs run-time sizes becomes an op `vjp`.
    """
    gradients = GradOpReplacements(program)
    if not any(gradients.find_replacement(op) for op in program.ops()):
        return program
    blocks = [
        replace(block, vars=dict(block.vars), ops=list(block.ops)) for block in program.blocks
    ]
    made = replace(program, blocks=blocks)
    decompose_grad_ops_in_place(Recorder.for_existing_program(made), gradients)
    return made


def decompose_grad_ops_in_place(
    recorder: Recorder, gradients: GradOpReplacements, only: Sequence[OpDesc] | None = None
) -> None:
    """Replace gradient ops in the program of a recorder by the ops of the gradient rules.

    only: the gradient ops to decompose; default: all.
    """
    chosen = None if only is None else {id(op) for op in only}
    around = forward_block_index_by_recurrent_grad_block(recorder.program)
    with use_mode(Static(recorder)):
        for block in recorder.program.blocks:
            before, block.ops = block.ops, []
            with recorder.enter_block(OpenBlock(block)):
                for op in before:
                    gradient = (
                        gradients.find_replacement(op)
                        if chosen is None or id(op) in chosen
                        else None
                    )
                    # the variables of a gradient block are declared in the block that encloses it
                    seen = around.get(block.idx, block.parent) == block.parent
                    if (
                        gradient is None
                        or not seen
                        or not VjpOpDecomposition(
                            recorder, gradient
                        ).emit_or_rewind_if_sizes_unknown()
                    ):
                        block.ops.append(gradient or op)


class VjpOpDecomposition:
    """Decomposes one op `vjp`, which stands for a gradient op, into the ops of the gradient
    rule.
    """

    def __init__(self, recorder: Recorder, desc: OpDesc) -> None:
        self.recorder, self.desc = recorder, desc
        self.op = OPS[desc.attr("of")]

    def emit_or_rewind_if_sizes_unknown(self) -> bool:
        """Emit the ops of the gradient rule and return True. If the rule needs run-time sizes, or
        the program does not declare the shape or dtype of a variable, emit nothing and return
        False.
        """
        mark = self.recorder.checkpoint()
        start = mark.num_ops
        try:
            self._emit_vjp_rule_and_grad_assigns()
        except (UnknownSizeInGradientError, UndeclaredVariableError):
            self.recorder.rewind(mark)
            return False
        for made in self.recorder.block.ops[start:]:
            made.user_line, made.layer_path = self.desc.user_line, self.desc.layer_path
            made.attrs |= {
                n: a for n, a in self.desc.attrs.items() if n in ("op_role", "op_device")
            }
        return True

    def _emit_vjp_rule_and_grad_assigns(self) -> None:
        op, inputs = self.op, self.desc.inputs
        operands = [self._slot_variables(s, inputs.get(s.name, [])) for s in op.ins]
        results = {
            op.outs[i].name: self._slot_variables(op.outs[i], inputs.get(op.outs[i].name, []))
            for i in op.vjp_output_indices
        }
        input_grads = apply_vjp_rule(
            op,
            self.desc,
            [self._slot_output_grads_or_zeros(op.outs[i]) for i in op.grad_out_indices],
            operands,
            results,
        )
        parts = input_grads if isinstance(input_grads, tuple) else (input_grads,)
        for slot, operand, part in zip(op.ins, operands, parts, strict=False):
            names = self.desc.outputs.get(slot.name + GRADIENT_SUFFIX, [])
            likes = operand if slot.is_list else [operand]
            for i, name in enumerate(names):
                if name != EMPTY_NAME:
                    self._emit_grad_assignment(
                        name, part[i] if slot.is_list and part is not None else part, likes[i]
                    )

    def _emit_grad_assignment(self, name: str, found: Any, like: Variable) -> None:
        found = found() if callable(found) else found
        gradient = (
            emit_zero_grad_like(self.recorder, like)
            if found is None
            else reduce_and_cast_grad_like(found, like)
        )
        self.recorder.append_op("assign", {"X": [gradient.name]}, {"Out": [name]})

    def _slot_variables(self, slot: Slot, names: list[str]) -> Any:
        found = [self._require_declared_variable(n) for n in names if n != EMPTY_NAME]
        return (found or None) if slot.is_list else found[0] if found else None

    def _slot_output_grads_or_zeros(self, slot: Slot) -> Any:
        """The gradients of the outputs in one slot of the forward op; zeros for an output without
        gradient.
        """
        results = self.desc.inputs.get(slot.name, [])
        given = self.desc.inputs.get(slot.name + GRADIENT_SUFFIX) or [EMPTY_NAME] * len(results)
        found = [
            self._output_grad_or_zeros(g, results[i] if i < len(results) else EMPTY_NAME)
            for i, g in enumerate(given)
        ]
        return found if slot.is_list else found[0] if found else None

    def _output_grad_or_zeros(self, name: str, result: str) -> Variable | None:
        if name != EMPTY_NAME:
            return self._require_declared_variable(name)
        like = self._require_declared_variable(result)
        return emit_zero_grad_like(self.recorder, like) if is_inexact(like.meta.dtype) else None

    def _require_declared_variable(self, name: str) -> Variable:
        desc = self.recorder.var(name)
        if desc is None or desc.kind != VarKind.DENSE or not desc.dtype:
            raise UndeclaredVariableError(name)
        return self.recorder.create_variable(desc)


class UndeclaredVariableError(Exception):
    """Raised if a gradient rule needs the shape or dtype of a variable that the program does not
    declare.
    """
