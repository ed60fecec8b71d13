"""Activity analysis: the variables that depend on those whose gradient is requested. Only they need
gradients.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ..core.dtype import dtype_of, is_float
from ..core.op import OPS
from ..ir.attr_types import block_indices
from ..ir.program import Block, Kind, OpDesc, Program, VarDesc

# Ops without a kernel: the input slots through which a gradient flows.
THROUGH = {
    "assign": ("X",),
    "rnn_memory_helper": ("X",),
    "select_input": ("X",),
    "select_output": ("X",),
    "write_to_array": ("X", ">Out"),
    "read_from_array": ("X",),
    "tensor_array_to_tensor": ("X",),
    "slice": ("Input",),
    "print": ("In",),
    "py_func": ("X",),
    "pylayer": ("X",),
    # gradient ops: linear in the cotangent. Their own gradient raises an error if it is requested
    "select_input_grad": ("Out@GRAD",),
    "write_to_array_grad": ("Out@GRAD",),
    "read_from_array_grad": ("Out@GRAD", "X@GRAD"),
    "tensor_array_to_tensor_grad": ("Out@GRAD",),
}
# Ops through which no gradient flows. The gradient of any other op without a kernel raises an
# error.
STOPS = ("feed", "fetch", "create_array", "lod_array_length", "assert", "auc")
RUNS_BLOCKS = (
    "while",
    "conditional_block",
    "conditional_block_infer",
    "recurrent",
    "while_grad",
    "conditional_block_grad",
)


class Reach:
    """The variables that depend on `sources`.

    barred: names through which no dependency propagates; within: the open blocks, outermost first.
    No op runs them yet.
    """

    def __init__(
        self,
        program: Program,
        sources: Iterable[str],
        barred: Collection[str] = (),
        within: Sequence[Block] = (),
    ) -> None:
        self._program = program
        self._barred = set(barred)
        self._found = {self._key(within[-1].idx if within else 0, name) for name in sources}
        for block in (program.block, *within):
            self._block(block)

    def wants(self, block: int, name: str) -> bool:
        """Whether a gradient of a variable, seen from a block, is needed."""
        return self._key(block, name) in self._found

    def _key(self, block: int, name: str) -> tuple[int, str]:
        while block > 0 and name not in self._program.blocks[block].vars:
            block = self._program.blocks[block].parent
        return max(block, 0), name

    def _block(self, block: Block) -> None:
        for op in block.ops:
            self._op(block, op)

    def _op(self, block: Block, op: OpDesc) -> None:
        for index in (i for a in op.attrs.values() for i in block_indices(a)):
            before = -1
            while before != len(self._found):  # what a round makes is an operand of the next
                before = len(self._found)
                self._hand_in(block, op, index)
                self._block(self._program.blocks[index])
        if op.type == "recurrent":
            outs, inner = op.outputs["outputs"], op.attr("sub_block")
            self._found |= {
                self._key(block.idx, n)
                for n in outs
                if self.wants(inner, n) and self._carries(block, n)
            }
        if op.type not in RUNS_BLOCKS and any(self.wants(block.idx, n) for n in self._operands(op)):
            self._found |= {
                self._key(block.idx, n) for n in op.output_names() if self._carries(block, n)
            }

    def _hand_in(self, block: Block, op: OpDesc, inner: int) -> None:
        """What a step of `recurrent` gets: its part of the inputs, and memories from before the
        first step or from the one before.
        """
        if op.type != "recurrent":
            return
        memories = op.attr("ex_states", [])
        pairs = [(name, block.idx, name) for name in op.inputs["inputs"]]
        pairs += [
            (m, block.idx, n)
            for m, n in zip(memories, op.inputs.get("initial_states", []), strict=True)
        ]
        pairs += [(m, inner, n) for m, n in zip(memories, op.attr("states", []), strict=True)]
        self._found |= {(inner, name) for name, at, source in pairs if self.wants(at, source)}

    @staticmethod
    def _operands(op: OpDesc) -> list[str]:
        slots = THROUGH.get(op.type)
        if slots is None:
            known = OPS.get(op.type)
            if known is None:
                return [] if op.type in STOPS else list(op.input_names())
            if not known.has_vjp:
                return []
            slots = tuple(s.name for s in known.ins if not s.constant)
        return [
            n
            for s in slots
            for n in (op.outputs.get(s[1:], []) if s[0] == ">" else op.inputs.get(s, []))
        ]

    def _carries(self, block: Block, name: str) -> bool:
        """Whether a result can have a gradient.

        What a block writes outside of itself is as differentiable as what it writes.
        """
        var = self._program.var(name, block.idx)
        stopped = var is not None and var.stop_gradient and name in block.vars
        return var is not None and not stopped and differentiable(var) and name not in self._barred


def differentiable(var: VarDesc) -> bool:
    """Whether a variable holds numbers that can have a gradient."""
    return (
        var.kind in (Kind.DENSE, Kind.ARRAY)
        and var.dtype != ""
        and is_float(dtype_of(var.dtype).np)
    )
