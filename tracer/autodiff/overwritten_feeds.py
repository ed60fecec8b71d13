"""Rename inputs that a program overwrites: feed each under a new name and copy it to its original
name. Loops written by PaddlePaddle overwrite inputs. The gradient with respect to the new name is
then the gradient of the fed value.
"""

from __future__ import annotations

from dataclasses import replace

from ..ir.program import Block, OpDesc, Program
from .value_versions import names_written_by_op_and_blocks

FED_SUFFIX = "@FED"


def with_overwritten_feeds_renamed_and_copied(program: Program) -> Program:
    """A copy of the program in which each input that an op writes is fed under another name
    and then copied to its name; the same program if there is no such input.
    """
    fed = set(program.feed_names())
    overwritten = {
        n
        for op in program.block.ops
        if op.type != "feed"
        for n in names_written_by_op_and_blocks(program, op)
    } & fed
    return (
        replace(
            program,
            blocks=[
                _rename_feeds_and_insert_assigns(program.block, overwritten),
                *program.blocks[1:],
            ],
        )
        if overwritten
        else program
    )


def _rename_feeds_and_insert_assigns(block: Block, overwritten: set[str]) -> Block:
    own = {n + FED_SUFFIX: replace(block.vars[n], name=n + FED_SUFFIX) for n in overwritten}
    return replace(
        block,
        vars={**block.vars, **own},
        ops=[
            result
            for op in block.ops
            for result in _rename_feed_and_add_assign_if_overwritten(op, overwritten)
        ],
    )


def _rename_feed_and_add_assign_if_overwritten(op: OpDesc, overwritten: set[str]) -> list[OpDesc]:
    names = op.outputs.get("Out", [])
    if op.type != "feed" or names[0] not in overwritten:
        return [op]
    own = [names[0] + FED_SUFFIX]
    return [
        replace(op, outputs={"Out": own}),
        OpDesc("assign", {"X": own}, {"Out": names}, user_line=op.user_line),
    ]
