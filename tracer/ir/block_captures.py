"""The captured variables of blocks: outer variables that a block reads or writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..core.op import OPS
from .attr_types import referenced_block_indices, referenced_var_names
from .kernelless_op_traits import is_feed_or_fetch, kernelless_op_traits_or_default
from .program import Block, OpDesc, Program

EMPTY_NAME = "@EMPTY@"  # Paddle's name of a missing input or output


def program_draws_random(program: Program) -> bool:
    """Whether any op of a program draws random numbers."""
    return any(_op_draws_random(op) for op in program.ops() if op.type in OPS)


def _op_draws_random(op: OpDesc) -> bool:
    drops = op.attrs.get("dropout_prob")
    if drops is None or not drops.value:
        return OPS[op.type].traits.random
    tested = op.attrs.get("is_test")
    return tested is None or not tested.value


def iter_inner_blocks(program: Program, op: OpDesc) -> Iterator[Block]:
    """Yield the blocks that an op runs, and their sub-blocks."""
    for attr in op.attrs.values():
        for index in referenced_block_indices(attr):
            yield program.blocks[index]
            for inside in program.blocks[index].ops:
                yield from iter_inner_blocks(program, inside)


def block_var_names_assigned_before_run(op: OpDesc) -> list[str]:
    """The names of the variables, declared in the block that an op runs, that the op assigns before
    each run of the block. The op `recurrent` assigns one step of each input, and the memories;
    other ops assign no such variables.
    """
    return (
        [*op.inputs.get("inputs", []), *op.attr("ex_states", [])] if op.type == "recurrent" else []
    )


def block_var_names_read_after_run(op: OpDesc) -> list[str]:
    """The names of the variables, declared in the block that an op runs, that the op reads after
    each run of the block. The op `recurrent` reads one step of each output, and the next memories;
    other ops read no such variables.
    """
    return (
        [*op.outputs.get("outputs", []), *op.attr("states", [])] if op.type == "recurrent" else []
    )


def iter_names_read_by_op_excluding_blocks(op: OpDesc) -> Iterator[str]:
    """Yield every name in the input slots and attributes of an op. Names that only the op's blocks
    read are not included.
    """
    yield from op.input_names()
    for attr in op.attrs.values():
        yield from referenced_var_names(attr)


def outer_names_read_by_block(program: Program, block: Block) -> list[str]:
    """The names that a block or its sub-blocks read but do not declare, without duplicates,
    in order.
    """
    return _captured_names(program, block, iter_names_read_by_op_excluding_blocks, {})


def outer_names_written_by_block(
    program: Program, block: Block, known: dict[int, list[str]] | None = None
) -> list[str]:
    """The names that a block or its sub-blocks write but do not declare, without duplicates, in
    order.

    known: a cache of results by block index, which several calls for one program share.
    """
    return _captured_names(program, block, OpDesc.output_names, {} if known is None else known)


def outer_names_maybe_read_by_op_and_blocks(program: Program, op: OpDesc) -> set[str]:
    """Every outer name that an op reads, or that its blocks read or write. A name that a block
    writes counts as read: if the block does not run, the variable keeps its previous value.
    """
    found = set(iter_names_read_by_op_excluding_blocks(op))
    for attr in op.attrs.values():
        for index in referenced_block_indices(attr):
            block = program.blocks[index]
            found.update(
                outer_names_read_by_block(program, block),
                outer_names_written_by_block(program, block),
            )
    return found - {EMPTY_NAME}


def names_read_or_fetched_before_written(program: Program, fetches: Sequence[str]) -> set[str]:
    """The names in input slots of a program and its blocks that are read before an op writes them,
    and the fetches that no op of the outermost block writes.
    """
    found: set[str] = set()
    known: set[str] = set()

    def visit(ops: list[OpDesc], known: set[str]) -> None:
        for op in ops:
            if is_feed_or_fetch(op.type):
                continue
            found.update(n for n in op.input_names() if n not in known)
            for attr in op.attrs.values():
                for index in referenced_block_indices(attr):
                    visit(program.blocks[index].ops, set(known))
            known.update(op.output_names())

    visit(program.block.ops, known)
    return found | (set(fetches) - known)


def _captured_names(
    program: Program, block: Block, names_of: object, known: dict[int, list[str]]
) -> list[str]:
    if block.idx in known:
        return known[block.idx]
    found: dict[str, None] = {}
    for op in block.ops:
        found.update(dict.fromkeys(names_of(op)))  # type: ignore[operator]
        for attr in op.attrs.values():
            for index in referenced_block_indices(attr):
                found.update(
                    dict.fromkeys(_captured_names(program, program.blocks[index], names_of, known))
                )
    known[block.idx] = [name for name in found if name not in block.vars and name != EMPTY_NAME]
    return known[block.idx]


def select_paddle_form_control_flow_grads(program: Program) -> list[OpDesc]:
    """The gradient ops of control flow in the form that PaddlePaddle writes, whose gradient blocks
    read variables from scopes that the run of the forward block left.

    In the form that Oarlock writes, the gradient block is a child of the forward block.
    """
    bodies, found = set(), []
    for op in program.ops():
        index = op.attr("sub_block")
        if not kernelless_op_traits_or_default(op.type).is_control_flow_grad:
            bodies.add(index)
        elif isinstance(index, int) and 0 < index < len(program.blocks):
            found.append((op, program.blocks[index].parent))
    return [op for op, parent in found if parent not in bodies]


def forward_block_index_by_recurrent_grad_block(program: Program) -> dict[int, int]:
    """Map the index of the block of each `recurrent_grad` to the index of the block of its
    `recurrent`. In Paddle, the gradient block reads variables of the forward block without being
    its child.
    """
    forward: dict[str, int] = {}
    found: dict[int, int] = {}
    for op in program.ops():
        if op.type == "recurrent":
            forward |= dict.fromkeys(op.outputs.get("step_scopes", []), op.attr("sub_block"))
    for op in program.ops():
        if op.type == "recurrent_grad":
            found |= {
                op.attr("sub_block"): forward[n]
                for n in op.inputs.get("step_scopes", [])
                if n in forward
            }
    return found
