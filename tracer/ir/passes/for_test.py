"""A program as it is tested: without gradients and optimizers, dropout and norms in eval mode."""

from __future__ import annotations

from collections.abc import Iterable

from ...core.op import OPS
from ..attr_types import block_indices, var_names
from ..op_role import Role
from ..program import Attr, AttrType, OpDesc, Program


def is_forward(op: OpDesc) -> bool:
    """Whether an op is neither of a gradient nor of an optimizer."""
    return not int(op.attr("op_role", 0)) & (Role.BACKWARD | Role.OPTIMIZE)


def for_testing(program: Program) -> Program:
    """`program`, changed to what is tested; blocks that only gradients ran go, or stay, unused and empty, where others come after them."""
    kept = {0}
    for block in program.blocks:
        before, block.ops = block.ops, [op for op in block.ops if is_forward(op)] if block.idx in kept else []
        kept.update(i for op in block.ops for attr in op.attrs.values() for i in block_indices(attr))
        gone = _names(before) - _names(block.ops)
        used = _names(program.ops())
        block.vars = {n: v for n, v in block.vars.items() if n not in gone or n in used}
        for op in block.ops:
            if op.type in OPS and "is_test" in OPS[op.type].attrs:
                op.attrs["is_test"] = Attr(AttrType.BOOLEAN, True)
    del program.blocks[max(kept) + 1 :]
    return program


def _names(ops: Iterable[OpDesc]) -> set[str]:
    found: set[str] = set()
    for op in ops:
        found.update(op.input_names(), op.output_names())
        found.update(name for attr in op.attrs.values() for name in var_names(attr))
    return found
