"""Write the ops that run a block: `while`, `conditional_block` and `recurrent`, with the attributes
that Paddle expects.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.block_captures import outer_names_read_by_block, outer_names_written_by_block
from ...ir.program import Attr, AttrType, Block, OpDesc, VarDesc, VarKind
from ..recorder import Recorder


def emit_while(recorder: Recorder, block: Block, flag: str, is_test: bool = False) -> None:
    """Append a `while` op.

    flag: the name of the variable that holds the condition.
    """
    reads = [n for n in outer_names_read_by_block(recorder.program, block) if n != flag]
    writes = outer_names_written_by_block(recorder.program, block)
    attrs = {
        "is_test": Attr(AttrType.BOOLEAN, is_test),
        "sub_block": Attr(AttrType.BLOCK, block.idx),
    }
    reads += [n for n in writes if n not in reads and n != flag]
    outputs = {"Out": writes, "StepScopes": [_declare_step_scopes(recorder, "while_scopes")]}
    recorder.append_op("while", {"Condition": [flag], "X": reads}, outputs, attrs)


def emit_conditional_block(
    recorder: Recorder,
    block: Block,
    conditions: Sequence[str],
    outs: Sequence[str],
    scalar: bool = True,
) -> None:
    """Append a `conditional_block` op.

    conditions: with `scalar`, the name of one bool; without `scalar`, the names of tensors, and the
    block runs if none of them is empty.
    """
    reads = [n for n in outer_names_read_by_block(recorder.program, block) if n not in outs]
    attrs = {
        "is_scalar_condition": Attr(AttrType.BOOLEAN, scalar),
        "sub_block": Attr(AttrType.BLOCK, block.idx),
    }
    outputs = {"Out": [*outs], "Scope": [_declare_step_scopes(recorder, "conditional_block_scope")]}
    recorder.append_op("conditional_block", {"Cond": [*conditions], "Input": reads}, outputs, attrs)


def emit_recurrent(
    recorder: Recorder,
    block: Block,
    inputs: Sequence[str],
    memories: Sequence[tuple[str, str, str]],
    outs: Sequence[str],
) -> OpDesc:
    """Append a `recurrent` op, which runs a block once per time step.

    memories: for each memory its initial value, its variable in the block, and the variable of its
    next value.

    In the block, the name of a sequence input or output denotes its slice of the current step. All
    other outer variables that the block reads are `parameters`.
    """
    first, current, following = ([m[i] for m in memories] for i in range(3))
    attrs = {
        "has_states": Attr(AttrType.BOOLEAN, bool(memories)),
        "ex_states": Attr(AttrType.STRINGS, current),
        "states": Attr(AttrType.STRINGS, following),
        "sub_block": Attr(AttrType.BLOCK, block.idx),
        "reverse": Attr(AttrType.BOOLEAN, False),
        "is_train": Attr(AttrType.BOOLEAN, True),
        "skip_eager_deletion_vars": Attr(AttrType.STRINGS, []),
    }
    reads = {
        "inputs": [*inputs],
        "initial_states": first,
        "parameters": outer_names_read_by_block(recorder.program, block),
    }
    outputs = {"outputs": [*outs], "step_scopes": [_declare_step_scopes(recorder, "step_scopes")]}
    return recorder.append_op("recurrent", reads, outputs, attrs)


def _declare_step_scopes(recorder: Recorder, name: str) -> str:
    """Declare the variable in which Paddle stores the scopes of a block's runs."""
    result = recorder.namer.generate_temporary_name(name)
    recorder.block.vars[result] = VarDesc(result, dtype="", kind=VarKind.STEP_SCOPES)
    return result
