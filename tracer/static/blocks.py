"""What blocks of a program take from outside and change there."""

from __future__ import annotations

from collections.abc import Iterator

from .attrs import block_indices, var_names
from .program import Block, OpDesc, Program

EMPTY = "@EMPTY@"  # Paddle's name for an operand that is not there


def inner_blocks(program: Program, op: OpDesc) -> Iterator[Block]:
    """The blocks that an op runs, and those that their ops run."""
    for attr in op.attrs.values():
        for index in block_indices(attr):
            yield program.blocks[index]
            for inside in program.blocks[index].ops:
                yield from inner_blocks(program, inside)


def op_reads(op: OpDesc) -> Iterator[str]:
    """Every name that an op itself reads, attributes included."""
    yield from op.input_names()
    for attr in op.attrs.values():
        yield from var_names(attr)


def block_reads(program: Program, block: Block) -> list[str]:
    """The names that a block, or one inside of it, reads and does not declare; each once, in order."""
    return _outside(program, block, op_reads)


def block_writes(program: Program, block: Block) -> list[str]:
    """The names that a block, or one inside of it, writes and does not declare; each once, in order."""
    return _outside(program, block, OpDesc.output_names)


def _outside(program: Program, block: Block, names_of: object) -> list[str]:
    found: dict[str, None] = {}
    for op in block.ops:
        found.update(dict.fromkeys(names_of(op)))  # type: ignore[operator]
        for attr in op.attrs.values():
            for index in block_indices(attr):
                found.update(dict.fromkeys(_outside(program, program.blocks[index], names_of)))
    return [name for name in found if name not in block.vars and name != EMPTY]


def paddle_gradient_ops(program: Program) -> list[OpDesc]:
    """The ops that run a block back as real Paddle writes them: they look into what the runs of the other block left behind.

    Ours run a block inside of that one, and so see what it declares.
    """
    bodies, found = set(), []
    for op in (op for block in program.blocks for op in block.ops):
        index = op.attr("sub_block")
        if op.type not in ("while_grad", "conditional_block_grad"):
            bodies.add(index)
        elif isinstance(index, int) and 0 < index < len(program.blocks):
            found.append((op, program.blocks[index].parent))
    return [op for op, parent in found if parent not in bodies]
