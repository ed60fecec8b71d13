"""`recurrent`: a loop over the steps of its inputs, and the way back through it.

The block of a step has variables of its own: a step of each input and output, under the name of the
whole, and the memories.
The way back is a block too, on the gradients of these: `<variable>@GRAD`, as in Paddle.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.errors import OpError
from ..core.op import OPS
from ..ir.block_captures import EMPTY
from ..ir.program import Kind, OpDesc, VarDesc
from .copy_propagation import SAME
from .instructions import Back, Do, Loop, Step
from .lowering import SEQUENCE_RULES, Lowering
from .tensor_lists import ON_TENSORS

LIST = VarDesc("", kind=Kind.ARRAY)
STEP = "{o0} = {0}[{1}, ...]"  # one step of a sequence
GATHER = "{0}.append({1})"
NEXT = "{o0} = {0}.pop()"


def order(inputs: Sequence[Any], reverse: bool) -> list[int]:
    """The numbers of the steps, the last one first.

    Raises OpError where the inputs have not the same number of them.
    """
    lengths = [x.shape[0] for x in inputs]
    if len(set(lengths)) > 1:
        raise OpError(
            f"recurrent: the inputs have {lengths} steps; they should have the same number of them"
        )
    if not lengths[0]:
        raise OpError(
            "recurrent: the inputs have no steps, so nobody knows what their outputs are like"
        )
    return list(range(lengths[0]) if reverse else reversed(range(lengths[0])))


def stacked(items: list[Any], reverse: bool) -> Any:
    """The sequence of what steps gave, the last one given being the first if `reverse`."""
    return np.stack(items[::-1] if reverse else items)


def stacked_tensor(items: list[Any], reverse: bool) -> Any:
    """`stacked` of Tensors, by an op."""
    return OPS["stack"](items[::-1] if reverse else items, axis=0)


def zeros(like: Any) -> Any:
    """The gradient of what no later step looked at."""
    return np.zeros_like(like)


ON_TENSORS[id(stacked)] = stacked_tensor


def forward(lowering: Lowering, block: int, desc: OpDesc) -> list[Step]:
    """A block that runs for each step."""
    inner = desc.attr("sub_block")
    sequences, outs = desc.inputs["inputs"], desc.outputs["outputs"]
    held = lowering.cells_of(inner, desc.attr("ex_states", []))
    after = lowering.cells_of(inner, desc.attr("states", []))
    first = lowering.cells_of(block, desc.inputs.get("initial_states", []))
    left, at = lowering.new_temporary(LIST), lowering.new_temporary(VarDesc(""))
    carried = [lowering.new_temporary(lowering.declared[cell]) for cell in held]
    lists = [lowering.new_temporary(LIST) for _ in outs]
    reverse = bool(desc.attr("reverse", False))
    given = lowering.cells_of(block, sequences)
    names = {"ORDER": order, "reverse": reverse}
    listed = "".join(f"{{{i}}}, " for i in range(len(given)))
    start: list[Step] = [
        Do(desc, f"{{o0}} = {{ORDER}}(({listed}), {{reverse}})", given, (left,), names)
    ]
    start += [Do(desc, SAME, (one,), (cell,)) for one, cell in zip(first, carried, strict=True)]
    start += [Do(desc, "{o0} = []", (), (cell,)) for cell in lists]
    body: list[Step] = [Do(desc, NEXT, (left,), (at,))]
    body += [
        Do(desc, STEP, (lowering.cell(block, n), at), (lowering.cell(inner, n),)) for n in sequences
    ]
    body += [Do(desc, SAME, (cell,), (one,)) for cell, one in zip(carried, held, strict=True)]
    body += lowering.block(lowering.program.blocks[inner])
    body += [
        Do(desc, GATHER, (cell, lowering.cell(inner, n)), (cell,))
        for cell, n in zip(lists, outs, strict=True)
    ]
    body += [Do(desc, SAME, (one,), (cell,)) for one, cell in zip(after, carried, strict=True)]
    loop = Loop(desc, left, body, _rounds(lowering, block, desc))
    if loop.rounds is not None:
        lowering.loops[loop.rounds], lowering.numbers[loop.rounds] = loop, at
    return [
        *start,
        loop,
        *(_stack(lowering, block, desc, pair, reverse) for pair in zip(lists, outs, strict=True)),
    ]


def _rounds(lowering: Lowering, block: int, desc: OpDesc) -> str | None:
    scopes = desc.outputs.get("step_scopes", [])
    return lowering.cell(block, scopes[0]) if scopes and scopes[0] in lowering.walked else None


def _stack(
    lowering: Lowering, block: int, desc: OpDesc, pair: tuple[str, str], reverse: bool
) -> Step:
    cell, name = pair
    names = {"STACKED": stacked, "reverse": reverse}
    return Do(
        desc, "{o0} = {STACKED}({0}, {reverse})", (cell,), (lowering.cell(block, name),), names
    )


def back(lowering: Lowering, block: int, desc: OpDesc) -> list[Step]:
    """The way back through the steps."""
    return _Back(lowering, block, desc).steps()


class _Back:
    """start, body, end: what is done before the last step, in each, and after the first."""

    def __init__(self, lowering: Lowering, block: int, desc: OpDesc) -> None:
        self._lowering, self._block, self._desc = lowering, block, desc
        self._made = lowering.program.blocks[desc.attr("sub_block")]
        self._start: list[Step] = []
        self._before: list[Step] = []
        self._after: list[Step] = []
        self._end: list[Step] = []

    def steps(self) -> list[Step]:
        """All of it."""
        lowering, desc = self._lowering, self._desc
        rounds = lowering.cell(self._block, desc.inputs["step_scopes"][0])
        for name in desc.inputs.get("outputs@GRAD", []):
            if name != EMPTY:
                self._do(
                    self._before,
                    STEP,
                    (self._outer(name), lowering.numbers[rounds]),
                    self._given(name),
                )
        self._memories(lowering.loops[rounds].desc.attr("sub_block"))
        for name, gradient in self._pairs("inputs"):
            self._sequence(name, gradient)
        for name, gradient in self._pairs("parameters"):
            self._sum(name, gradient)
        body = [*self._before, *lowering.block(self._made), *self._after]
        return [*self._start, Back(desc, lowering.loops[rounds], rounds, body), *self._end]

    def _pairs(self, slot: str) -> list[tuple[str, str]]:
        """The gradient of each operand of a slot in a step, and that of the whole."""
        made = self._desc.outputs.get(f"{slot}@GRAD", [])
        pairs = zip(self._desc.inputs.get(slot, []), made, strict=False)
        found = [(f"{name}@GRAD", whole) for name, whole in pairs if whole != EMPTY]
        return [(one, whole) for one, whole in found if one in self._made.vars]

    def _memories(self, forward: int) -> None:
        """The gradient of a memory is that of what the step before made of it."""
        desc = self._desc
        firsts = desc.outputs.get("initial_states@GRAD") or [EMPTY] * len(desc.attr("states", []))
        for held, after, first in zip(
            desc.attr("ex_states", []), desc.attr("states", []), firsts, strict=True
        ):
            if f"{held}@GRAD" not in self._made.vars:
                continue
            state = self._lowering.cell(forward, after)
            carried = self._spare(self._lowering.declared[state])
            text = "{o0} = {ZEROS}({1}) if {0} is None else {0}"
            self._do(self._start, "{o0} = None", (), carried)
            self._do(
                self._before, text, (carried, state), self._given(f"{after}@GRAD"), ZEROS=zeros
            )
            self._do(self._after, SAME, (self._inner(f"{held}@GRAD"),), carried)
            if first != EMPTY:
                self._do(self._end, SAME, (carried,), self._outer(first))

    def _sequence(self, name: str, gradient: str) -> None:
        """The steps went the other way: the last one's gradient came first."""
        held, turned = self._spare(LIST), not self._desc.attr("reverse", False)
        self._do(self._start, "{o0} = []", (), held)
        self._do(self._after, GATHER, (held, self._inner(name)), held)
        text = "{o0} = {STACKED}({0}, {turned})"
        self._do(self._end, text, (held,), self._outer(gradient), STACKED=stacked, turned=turned)

    def _sum(self, name: str, gradient: str) -> None:
        """What all steps read gets a gradient of each."""
        one, total = self._inner(name), self._outer(gradient)
        self._do(self._start, "{o0} = None", (), total)
        self._do(self._after, "{o0} = {0} if {1} is None else {1} + {0}", (one, total), total)

    def _do(
        self, where: list[Step], text: str, ins: tuple[str, ...], out: str, **names: Any
    ) -> None:
        where.append(Do(self._desc, text, ins, (out,), names))

    def _given(self, name: str) -> str:
        """The local of a gradient that the block is given; real Paddle's does not declare it."""
        self._lowering.given.add((self._made.idx, name))
        return self._inner(name)

    def _inner(self, name: str) -> str:
        return self._lowering.cell(self._made.idx, name)

    def _outer(self, name: str) -> str:
        return self._lowering.cell(self._block, name)

    def _spare(self, like: VarDesc) -> str:
        return self._lowering.new_temporary(like)


SEQUENCE_RULES |= {"recurrent": forward, "recurrent_grad": back}
