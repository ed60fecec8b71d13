"""Ops of rules in place of Paddle's gradient ops: what runs a program, or goes back through it once
more, knows no `relu_grad`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..capture.modes import Static
from ..capture.recorder import Inner, Recorder
from ..capture.variable import GRADIENT, Variable
from ..core.dtype import is_float
from ..core.mode import use_mode
from ..core.op import OPS, Slot
from ..ir.block_captures import EMPTY, step_gradients
from ..ir.program import Kind, OpDesc, Program
from ..ops.meta import UnknownSize
from .backward_pass import ask
from .cotangents import fitted, zeros_for
from .grad_ops import Gradients


def expanded(program: Program) -> Program:
    """The program with the ops of rules for its gradient ops; itself where it has none.

    One that needs what only a run knows becomes the op `vjp`, which asks the rule then.
    """
    gradients = Gradients(program)
    if not any(gradients.find(op) for op in program.ops()):
        return program
    blocks = [
        replace(block, vars=dict(block.vars), ops=list(block.ops)) for block in program.blocks
    ]
    made = replace(program, blocks=blocks)
    expand(Recorder.onto(made), gradients)
    return made


def expand(recorder: Recorder, gradients: Gradients, only: Sequence[OpDesc] | None = None) -> None:
    """The same in the program itself that a recorder writes.

    only: the gradient ops that are meant, all unless given
    """
    chosen = None if only is None else {id(op) for op in only}
    around = step_gradients(recorder.program)
    with use_mode(Static(recorder)):
        for block in recorder.program.blocks:
            before, block.ops = block.ops, []
            with recorder.writing(Inner(block)):
                for op in before:
                    gradient = gradients.find(op) if chosen is None or id(op) in chosen else None
                    # what it is about is declared
                    seen = around.get(block.idx, block.parent) == block.parent
                    if gradient is None or not seen or not Answer(recorder, gradient).write():
                        block.ops.append(gradient or op)


class Answer:
    """What the rule of an op says to an op `vjp`."""

    def __init__(self, recorder: Recorder, desc: OpDesc) -> None:
        self.recorder, self.desc = recorder, desc
        self.op = OPS[desc.attr("of")]

    def write(self) -> bool:
        """Write its ops; False, and nothing, where only a run can tell."""
        mark = self.recorder.mark()
        start = mark.ops
        try:
            self._write()
        except (UnknownSize, Undeclared):
            self.recorder.rewind(mark)
            return False
        for made in self.recorder.block.ops[start:]:
            made.where, made.layer = self.desc.where, self.desc.layer
            made.attrs |= {
                n: a for n, a in self.desc.attrs.items() if n in ("op_role", "op_device")
            }
        return True

    def _write(self) -> None:
        op, inputs = self.op, self.desc.inputs
        operands = [self._slot(s, inputs.get(s.name, [])) for s in op.ins]
        results = {
            op.outs[i].name: self._slot(op.outs[i], inputs.get(op.outs[i].name, []))
            for i in op.rule_outs
        }
        said = ask(
            op, self.desc, [self._arrived(op.outs[i]) for i in op.grad_outs], operands, results
        )
        parts = said if isinstance(said, tuple) else (said,)
        for slot, operand, part in zip(op.ins, operands, parts, strict=False):
            names = self.desc.outputs.get(slot.name + GRADIENT, [])
            likes = operand if slot.many else [operand]
            for i, name in enumerate(names):
                if name != EMPTY:
                    self._give(name, part[i] if slot.many and part is not None else part, likes[i])

    def _give(self, name: str, found: Any, like: Variable) -> None:
        found = found() if callable(found) else found
        gradient = zeros_for(self.recorder, like) if found is None else fitted(found, like)
        self.recorder.emit("assign", {"X": [gradient.name]}, {"Out": [name]})

    def _slot(self, slot: Slot, names: list[str]) -> Any:
        found = [self._variable(n) for n in names if n != EMPTY]
        return (found or None) if slot.many else found[0] if found else None

    def _arrived(self, slot: Slot) -> Any:
        """The gradients of a slot of results."""
        results = self.desc.inputs.get(slot.name, [])
        given = self.desc.inputs.get(slot.name + GRADIENT) or [EMPTY] * len(results)
        found = [
            self._gradient(g, results[i] if i < len(results) else EMPTY)
            for i, g in enumerate(given)
        ]
        return found if slot.many else found[0] if found else None

    def _gradient(self, name: str, result: str) -> Variable | None:
        if name != EMPTY:
            return self._variable(name)
        like = self._variable(result)
        return zeros_for(self.recorder, like) if is_float(like.meta.dtype) else None

    def _variable(self, name: str) -> Variable:
        desc = self.recorder.var(name)
        if desc is None or desc.kind != Kind.DENSE or not desc.dtype:
            raise Undeclared(name)
        return self.recorder.variable(desc)


class Undeclared(Exception):
    """A variable of which the program does not say what it is."""
