"""Copy inputs that a program overwrites, as loops written by PaddlePaddle do. The gradients
are then those of the fed values.
"""

from __future__ import annotations

from dataclasses import replace

from ..ir.program import Block, OpDesc, Program
from .saved_values import op_writes

FED = "@FED"


def copy_overwritten_inputs(program: Program) -> Program:
    """A copy of the program in which each input that an op writes is fed under another name
    and then copied to its name; the same program if there is no such input.
    """
    fed = set(program.feeds())
    again = {
        n for op in program.block.ops if op.type != "feed" for n in op_writes(program, op)
    } & fed
    return (
        replace(program, blocks=[_block(program.block, again), *program.blocks[1:]])
        if again
        else program
    )


def _block(block: Block, again: set[str]) -> Block:
    own = {n + FED: replace(block.vars[n], name=n + FED) for n in again}
    return replace(
        block,
        vars={**block.vars, **own},
        ops=[result for op in block.ops for result in _ops(op, again)],
    )


def _ops(op: OpDesc, again: set[str]) -> list[OpDesc]:
    names = op.outputs.get("Out", [])
    if op.type != "feed" or names[0] not in again:
        return [op]
    own = [names[0] + FED]
    return [
        replace(op, outputs={"Out": own}),
        OpDesc("assign", {"X": own}, {"Out": names}, where=op.where),
    ]
