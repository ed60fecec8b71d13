"""Lower `recurrent` (a loop over time steps) and `recurrent_grad`.

The block of a step has its own variables: one step of each sequence, under the name of the whole
sequence, and the memories. The gradient block works on their gradients `<variable>@GRAD`, as in
Paddle.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.errors import OpError
from ..core.op import OPS
from ..ir.block_captures import EMPTY
from ..ir.program import Kind, OpDesc, VarDesc
from .copy_propagation import COPY
from .instructions import BackwardLoop, Instruction, Loop, Statement
from .lowering import SEQUENCE_RULES, Lowering
from .tensor_lists import ON_TENSORS

LIST = VarDesc("", kind=Kind.ARRAY)
SELECT_STEP = "{o0} = {0}[{1}, ...]"
APPEND = "{0}.append({1})"
POP = "{o0} = {0}.pop()"


def step_order(inputs: Sequence[Any], reverse: bool) -> list[int]:
    """The step indices in reverse order of execution.

    Raises OpError if the inputs have different lengths or are empty.
    """
    lengths = [x.shape[0] for x in inputs]
    if len(set(lengths)) > 1:
        raise OpError(
            f"recurrent: the inputs have {lengths} steps; they should have the same number of them"
        )
    if not lengths[0]:
        raise OpError("recurrent: the inputs have no steps, so the output shape is unknown")
    return list(range(lengths[0]) if reverse else reversed(range(lengths[0])))


def stack_steps(items: list[Any], reverse: bool) -> Any:
    """Stack the results of the steps; in reverse order if `reverse`."""
    return np.stack(items[::-1] if reverse else items)


def stack_step_tensors(items: list[Any], reverse: bool) -> Any:
    """`stack_steps` for Tensors."""
    return OPS["stack"](items[::-1] if reverse else items, axis=0)


def zeros_like(like: Any) -> Any:
    """The gradient of a state that no later step reads."""
    return np.zeros_like(like)


ON_TENSORS[id(stack_steps)] = stack_step_tensors


def lower_recurrent(lowering: Lowering, block: int, desc: OpDesc) -> list[Instruction]:
    """Lower `recurrent` to a loop."""
    inner = desc.attr("sub_block")
    sequences, outs = desc.inputs["inputs"], desc.outputs["outputs"]
    held = lowering.registers_of(inner, desc.attr("ex_states", []))
    after = lowering.registers_of(inner, desc.attr("states", []))
    first = lowering.registers_of(block, desc.inputs.get("initial_states", []))
    left, at = lowering.new_temporary(LIST), lowering.new_temporary(VarDesc(""))
    carried = [lowering.new_temporary(lowering.declared[register]) for register in held]
    lists = [lowering.new_temporary(LIST) for _ in outs]
    reverse = bool(desc.attr("reverse", False))
    given = lowering.registers_of(block, sequences)
    names = {"ORDER": step_order, "reverse": reverse}
    listed = "".join(f"{{{i}}}, " for i in range(len(given)))
    start: list[Instruction] = [
        Statement(desc, f"{{o0}} = {{ORDER}}(({listed}), {{reverse}})", given, (left,), names)
    ]
    start += [
        Statement(desc, COPY, (one,), (register,))
        for one, register in zip(first, carried, strict=True)
    ]
    start += [Statement(desc, "{o0} = []", (), (register,)) for register in lists]
    body: list[Instruction] = [Statement(desc, POP, (left,), (at,))]
    body += [
        Statement(
            desc, SELECT_STEP, (lowering.register(block, n), at), (lowering.register(inner, n),)
        )
        for n in sequences
    ]
    body += [
        Statement(desc, COPY, (register,), (one,))
        for register, one in zip(carried, held, strict=True)
    ]
    body += lowering.block(lowering.program.blocks[inner])
    body += [
        Statement(desc, APPEND, (register, lowering.register(inner, n)), (register,))
        for register, n in zip(lists, outs, strict=True)
    ]
    body += [
        Statement(desc, COPY, (one,), (register,))
        for one, register in zip(after, carried, strict=True)
    ]
    loop = Loop(desc, left, body, _rounds(lowering, block, desc))
    if loop.residuals is not None:
        lowering.loops[loop.residuals], lowering.step_registers[loop.residuals] = loop, at
    return [
        *start,
        loop,
        *(_stack(lowering, block, desc, pair, reverse) for pair in zip(lists, outs, strict=True)),
    ]


def _rounds(lowering: Lowering, block: int, desc: OpDesc) -> str | None:
    scopes = desc.outputs.get("step_scopes", [])
    return (
        lowering.register(block, scopes[0])
        if scopes and scopes[0] in lowering.differentiated
        else None
    )


def _stack(
    lowering: Lowering, block: int, desc: OpDesc, pair: tuple[str, str], reverse: bool
) -> Instruction:
    register, name = pair
    names = {"STACKED": stack_steps, "reverse": reverse}
    return Statement(
        desc,
        "{o0} = {STACKED}({0}, {reverse})",
        (register,),
        (lowering.register(block, name),),
        names,
    )


def lower_recurrent_grad(lowering: Lowering, block: int, desc: OpDesc) -> list[Instruction]:
    """Lower `recurrent_grad` to a backward loop."""
    return _RecurrentGradLowering(lowering, block, desc).steps()


class _RecurrentGradLowering:
    """The instructions before the loop, at the start and end of an iteration, and after the
    loop.
    """

    def __init__(self, lowering: Lowering, block: int, desc: OpDesc) -> None:
        self._lowering, self._block, self._desc = lowering, block, desc
        self._grad_block = lowering.program.blocks[desc.attr("sub_block")]
        self._start: list[Instruction] = []
        self._prologue: list[Instruction] = []
        self._epilogue: list[Instruction] = []
        self._end: list[Instruction] = []

    def steps(self) -> list[Instruction]:
        """All instructions."""
        lowering, desc = self._lowering, self._desc
        residuals = lowering.register(self._block, desc.inputs["step_scopes"][0])
        for name in desc.inputs.get("outputs@GRAD", []):
            if name != EMPTY:
                self._do(
                    self._prologue,
                    SELECT_STEP,
                    (self._outer(name), lowering.step_registers[residuals]),
                    self._read_outer(name),
                )
        self._memories(lowering.loops[residuals].desc.attr("sub_block"))
        for name, gradient in self._pairs("inputs"):
            self._sequence(name, gradient)
        for name, gradient in self._pairs("parameters"):
            self._sum(name, gradient)
        body = [*self._prologue, *lowering.block(self._grad_block), *self._epilogue]
        return [
            *self._start,
            BackwardLoop(desc, lowering.loops[residuals], residuals, body),
            *self._end,
        ]

    def _pairs(self, slot: str) -> list[tuple[str, str]]:
        """The gradient of each input of a slot in one step, with that of the whole input."""
        result = self._desc.outputs.get(f"{slot}@GRAD", [])
        pairs = zip(self._desc.inputs.get(slot, []), result, strict=False)
        found = [(f"{name}@GRAD", whole) for name, whole in pairs if whole != EMPTY]
        return [(one, whole) for one, whole in found if one in self._grad_block.vars]

    def _memories(self, forward: int) -> None:
        """Carry the gradient of each memory from a step to the previous one."""
        desc = self._desc
        firsts = desc.outputs.get("initial_states@GRAD") or [EMPTY] * len(desc.attr("states", []))
        for held, after, first in zip(
            desc.attr("ex_states", []), desc.attr("states", []), firsts, strict=True
        ):
            if f"{held}@GRAD" not in self._grad_block.vars:
                continue
            state = self._lowering.register(forward, after)
            carried = self._spare(self._lowering.declared[state])
            text = "{o0} = {ZEROS}({1}) if {0} is None else {0}"
            self._do(self._start, "{o0} = None", (), carried)
            self._do(
                self._prologue,
                text,
                (carried, state),
                self._read_outer(f"{after}@GRAD"),
                ZEROS=zeros_like,
            )
            self._do(self._epilogue, COPY, (self._inner(f"{held}@GRAD"),), carried)
            if first != EMPTY:
                self._do(self._end, COPY, (carried,), self._outer(first))

    def _sequence(self, name: str, gradient: str) -> None:
        """Collect the gradients of a sequence; the backward loop visits the steps in reverse
        order.
        """
        held, turned = self._spare(LIST), not self._desc.attr("reverse", False)
        self._do(self._start, "{o0} = []", (), held)
        self._do(self._epilogue, APPEND, (held, self._inner(name)), held)
        text = "{o0} = {STACKED}({0}, {turned})"
        self._do(
            self._end, text, (held,), self._outer(gradient), STACKED=stack_steps, turned=turned
        )

    def _sum(self, name: str, gradient: str) -> None:
        """Sum the gradients of a parameter over all steps."""
        one, total = self._inner(name), self._outer(gradient)
        self._do(self._start, "{o0} = None", (), total)
        self._do(self._epilogue, "{o0} = {0} if {1} is None else {1} + {0}", (one, total), total)

    def _do(
        self, where: list[Instruction], text: str, ins: tuple[str, ...], out: str, **names: Any
    ) -> None:
        where.append(Statement(self._desc, text, ins, (out,), names))

    def _read_outer(self, name: str) -> str:
        """The register of a gradient that the block reads; Paddle's blocks do not declare it."""
        self._lowering.implicit.add((self._grad_block.idx, name))
        return self._inner(name)

    def _inner(self, name: str) -> str:
        return self._lowering.register(self._grad_block.idx, name)

    def _outer(self, name: str) -> str:
        return self._lowering.register(self._block, name)

    def _spare(self, like: VarDesc) -> str:
        return self._lowering.new_temporary(like)


SEQUENCE_RULES |= {"recurrent": lower_recurrent, "recurrent_grad": lower_recurrent_grad}
