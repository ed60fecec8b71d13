"""From ops to instructions: which cell a name is, which kernel an op, and what blocks become."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ..autodiff.grad_ops import Gradients
from ..capture.variable import GRADIENT
from ..core.op import OPS, AttrSpec, Op, Slot
from ..ir.attr_checks import check_attrs
from ..ir.block_captures import EMPTY
from ..ir.op_traits import is_feed_or_fetch, traits_of
from ..ir.passes.legalize_scalars import may_leave_none
from ..ir.passes.legalize_tensor_attrs import sized
from ..ir.program import Attr, AttrType, Block, Kind, OpDesc, Program
from .copy_propagation import without_copies
from .error_wrapping import errors_as_op_error
from .instructions import Call, Do, Loop, Plan, Step
from .lod_propagation import Sequences
from .loop_residuals import settle
from .registers import Registers

UNTYPED = (AttrType.BLOCK, AttrType.BLOCKS, AttrType.VAR, AttrType.VARS)
Rule = Callable[["Lowering", int, OpDesc], Step | None]
# Lowering rules of ops that are not lowered to a kernel call. The modules that define them register
# them in these tables.
RULES: dict[str, Rule] = {}  # rules that return one instruction, or None to call the kernel
# rules that return several instructions
SEQUENCE_RULES: dict[str, Callable[[Lowering, int, OpDesc], list[Step]]] = {}


class Lowering(Registers):
    """Lower the ops of a program to instructions.

    tensors: registers hold Tensors instead of arrays, so copies follow the current mode
    """

    def __init__(self, program: Program, tensors: bool = False) -> None:
        super().__init__(program, tensors)
        self.loops: dict[str, Loop] = {}  # by the cell of their rounds
        self.numbers: dict[str, str] = {}  # the cell of the number of a step, by that of the rounds
        self.walked = walked_loops(program)
        self.gradients = Gradients(program)
        self.sequences = Sequences(self, self.call)
        self.sequences.declare(program)

    # -- instructions
    # -------------------------------------------------------------------------------------------

    def plan(self) -> Plan:
        """The whole program."""
        steps = self.block(self.program.block)
        lods = self.sequences.cells
        if not self.tensors:
            same = without_copies(steps, self.declared, self.cells_of(0, self.program.feeds()))
            self.cells = {key: same.get(cell, cell) for key, cell in self.cells.items()}
            lods = {same.get(cell, cell): offsets for cell, offsets in lods.items()}
        settle(steps)
        return Plan(steps, self.cells, self.declared, lods, self.sequences.fed)

    def block(self, block: Block) -> list[Step]:
        """The instructions of one block."""
        return [
            step
            for op in block.ops
            if not is_feed_or_fetch(op.type)
            for step in self.steps(block.idx, op)
        ]

    def fresh(self, block: Block, desc: OpDesc) -> list[Step]:
        """What begins a round or branch: lists that are its own are empty, as in a scope of its
        own.
        """
        lists = [
            v.name
            for v in block.vars.values()
            if v.kind == Kind.ARRAY and not (v.persistable or GRADIENT in v.name)
        ]
        return [
            Do(desc, "{o0} = None", (), (cell,), {}) for cell in self.cells_of(block.idx, lists)
        ]

    def steps(self, block: int, desc: OpDesc) -> list[Step]:
        """The instructions of one op."""
        several = SEQUENCE_RULES.get(desc.type)
        with errors_as_op_error(desc):
            made = [self.step(block, desc)] if several is None else several(self, block, desc)
            return [*made, *self.with_an_axis(block, desc), *self.sequences.after(block, desc)]

    def with_an_axis(self, block: int, desc: OpDesc) -> list[Step]:
        """What gives the result of an op its one axis, where the program was written before there
        were tensors without axes.
        """
        names = desc.outputs.get("Out", [])
        var = (
            self.program.var(names[0], block)
            if names and may_leave_none(desc.type, desc.attrs)
            else None
        )
        if var is None or tuple(var.shape) != (1,):
            return []
        reshape = OpDesc(
            "reshape2", {"X": names}, {"Out": names}, {"shape": Attr(AttrType.INTS, [1])}
        )
        return [self.call(block, reshape)]

    def step(self, block: int, desc: OpDesc) -> Step:
        """The instruction of one op that is one."""
        # an op `vjp` that replaces a gradient op of Paddle
        desc = self.gradients.find(desc) or desc
        rule = RULES.get(desc.type)
        if self.tensors and desc.type == "assign" and not self.is_array(block, desc.inputs["X"][0]):
            rule = None
        made = None if rule is None else rule(self, block, desc)
        return self.call(block, desc) if made is None else made

    def call(self, block: int, desc: OpDesc) -> Call:
        """The call of a kernel."""
        desc = sized(desc)
        op = OPS[desc.type]
        check_attrs(op, desc)
        ins = tuple(self.operand(block, desc, op, s) for s in op.ins)
        outs = tuple(self.result(block, desc, s) for s in op.outs)
        return Call(desc, op, ins, outs, given_attrs(op, desc))

    def operand(self, block: int, desc: OpDesc, op: Op, slot: Slot) -> Any:
        """The cells of an operand slot."""
        if slot.lod_of and slot.name not in desc.inputs:
            of = next(s for s in op.ins if s.name == slot.lod_of)
            return self.sequences.operand(block, desc, slot, of.many)
        return self._slot(block, desc.inputs.get(slot.name, []), slot.many)

    def result(self, block: int, desc: OpDesc, slot: Slot) -> Any:
        """The cells of a result slot."""
        if slot.lod_of:
            return None if self.tensors else self.sequences.result(block, desc, slot)
        return self._slot(block, desc.outputs.get(slot.name, []), slot.many)

    def _slot(self, block: int, names: Sequence[str], many: bool) -> Any:
        if many:
            return self.cells_of(block, names) or None
        return self.cell(block, names[0]) if names and names[0] != EMPTY else None


def given_attrs(op: Op, desc: OpDesc) -> dict[str, Any]:
    """The attributes of an op that are not at their defaults; all for a kernel that takes those of
    another op.
    """
    given = {n: a.value for n, a in desc.attrs.items() if n in op.attrs and a.type not in UNTYPED}
    if any(p.kind is p.VAR_KEYWORD for p in inspect.signature(op.reference).parameters.values()):
        return given
    return {n: v for n, v in given.items() if not is_default(op.attrs[n], v)}


def is_default(spec: AttrSpec, value: Any) -> bool:
    """Whether a kernel takes this value where it is given none."""
    if spec.default is inspect.Parameter.empty:
        return False
    plain = list(value) if isinstance(value, tuple) else value
    return type(plain) is type(spec.default) and bool(plain == spec.default)


def walked_loops(program: Program) -> set[str]:
    """The names of the rounds of loops that are gone back through."""
    return {
        name
        for op in program.ops()
        for name in op.inputs.get(traits_of(op.type).forward_scopes, [])
    }
