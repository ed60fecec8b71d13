"""Activity analysis: find the variables that depend on the variables whose gradients are
requested. The backward pass computes gradients only for the variables found.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ..core.dtype import is_inexact, parse_dtype
from ..core.op import OPS
from ..ir.attr_types import referenced_block_indices
from ..ir.kernelless_op_traits import kernelless_op_traits_or_default
from ..ir.program import Block, OpDesc, Program, VarDesc, VarKind


class ActivityAnalysis:
    """The variables that depend on `sources` ("varied" in the literature). The analysis does not
    determine whether a loss depends on a variable.

    barred: names of variables that count as independent of `sources`, whatever they are computed
    from.
    within: the blocks that are still being recorded, outermost first. No op that runs them exists
    yet.
    """

    def __init__(
        self,
        program: Program,
        sources: Iterable[str],
        barred: Collection[str] = (),
        within: Sequence[Block] = (),
    ) -> None:
        self._program = program
        self._no_grad_names = set(barred)
        self._active_variables = {
            self._declaring_block_and_name(within[-1].idx if within else 0, name)
            for name in sources
        }
        for block in (program.block, *within):
            self._propagate_through_block(block)

    def needs_grad(self, block: int, name: str) -> bool:
        """Whether the gradient of variable `name`, resolved from a block, is needed."""
        return self._declaring_block_and_name(block, name) in self._active_variables

    def _declaring_block_and_name(self, block: int, name: str) -> tuple[int, str]:
        while block > 0 and name not in self._program.blocks[block].vars:
            block = self._program.blocks[block].parent
        return max(block, 0), name

    def _propagate_through_block(self, block: Block) -> None:
        for op in block.ops:
            self._propagate_through_op(block, op)

    def _propagate_through_op(self, block: Block, op: OpDesc) -> None:
        for index in (i for a in op.attrs.values() for i in referenced_block_indices(a)):
            before = -1
            while before != len(
                self._active_variables
            ):  # an iteration reads the results of the previous one
                before = len(self._active_variables)
                self._propagate_into_recurrent(block, op, index)
                self._propagate_through_block(self._program.blocks[index])
        if op.type == "recurrent":
            outs, inner = op.outputs["outputs"], op.attr("sub_block")
            self._active_variables |= {
                self._declaring_block_and_name(block.idx, n)
                for n in outs
                if self.needs_grad(inner, n) and self._can_have_grad(block, n)
            }
        if any(self.needs_grad(block.idx, n) for n in self._differentiable_input_names(op)):
            self._active_variables |= {
                self._declaring_block_and_name(block.idx, n)
                for n in op.output_names()
                if self._can_have_grad(block, n)
            }

    def _propagate_into_recurrent(self, block: Block, op: OpDesc, inner: int) -> None:
        """Propagate activity into the block of a `recurrent` op: to its sequences, and to
        the memories, which depend on the initial state and on the previous step.
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
        self._active_variables |= {
            (inner, name) for name, at, source in pairs if self.needs_grad(at, source)
        }

    @staticmethod
    def _differentiable_input_names(op: OpDesc) -> list[str]:
        definition = OPS.get(op.type)
        if definition is None:
            slots = kernelless_op_traits_or_default(op.type).differentiable_input_slots
            if slots is None:
                return list(op.input_names())
        else:
            slots = definition.differentiable_input_slots
        return [
            n
            for s in slots
            for n in (op.outputs.get(s[1:], []) if s[0] == ">" else op.inputs.get(s, []))
        ]

    def _can_have_grad(self, block: Block, name: str) -> bool:
        """Whether the output `name` of an op in `block` can have a gradient. The stop_gradient of a
        variable counts only if `block` declares the variable, not if an outer block does.
        """
        var = self._program.var(name, block.idx)
        stopped = var is not None and var.stop_gradient and name in block.vars
        return (
            var is not None
            and not stopped
            and has_differentiable_type(var)
            and name not in self._no_grad_names
        )


def has_differentiable_type(var: VarDesc) -> bool:
    """Whether a variable has a floating dtype and a kind that can have a gradient."""
    return (
        var.kind in (VarKind.DENSE, VarKind.ARRAY)
        and var.dtype != ""
        and is_inexact(parse_dtype(var.dtype).np)
    )
