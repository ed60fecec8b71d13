"""The pass behind `clone(for_test=True)`: remove backward and optimizer ops, and set dropout and
norms to eval mode.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from ...core.op import OPS
from ..attr_types import referenced_block_indices, referenced_var_names
from ..op_role import OpRole
from ..program import Attr, AttrType, OpDesc, Program


def is_forward_op(op: OpDesc) -> bool:
    """Whether an op belongs to the forward pass, by its attribute op_role."""
    return not int(op.attr("op_role", 0)) & (OpRole.BACKWARD | OpRole.OPTIMIZE)


def convert_for_test_in_place(program: Program) -> Program:
    """Remove backward and optimizer ops from `program`, set its ops to eval mode, and return it.
    Blocks that only gradient ops run are removed at the end of the list of blocks and emptied
    elsewhere, so that the indices of other blocks stay valid.
    """
    kept = {0}
    num_uses = Counter(_iter_variable_name_occurrences(program.ops()))
    for block in program.blocks:
        forward = [op for op in block.ops if is_forward_op(op)] if block.idx in kept else []
        kept.update(
            i
            for op in forward
            for attr in op.attrs.values()
            for i in referenced_block_indices(attr)
        )
        removed = Counter(_iter_variable_name_occurrences(block.ops))
        removed.subtract(_iter_variable_name_occurrences(forward))
        block.ops = forward
        num_uses.subtract(removed)
        block.vars = {n: v for n, v in block.vars.items() if not removed[n] or num_uses[n]}
        for op in block.ops:
            if op.type in OPS and "is_test" in OPS[op.type].attrs:
                op.attrs["is_test"] = Attr(AttrType.BOOLEAN, True)
    del program.blocks[max(kept) + 1 :]
    return program


def _iter_variable_name_occurrences(ops: Iterable[OpDesc]) -> Iterator[str]:
    """Yield every variable name in the ops, once for each occurrence."""
    for op in ops:
        yield from op.input_names()
        yield from op.output_names()
        for attr in op.attrs.values():
            yield from referenced_var_names(attr)
