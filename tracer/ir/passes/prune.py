"""Prune a program to the ops that some outputs need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace

from ...core.errors import OpError
from ..block_captures import (
    EMPTY_NAME,
    block_var_names_assigned_before_run,
    block_var_names_read_after_run,
    iter_inner_blocks,
    iter_names_read_by_op_excluding_blocks,
    outer_names_maybe_read_by_op_and_blocks,
    outer_names_read_by_block,
    outer_names_written_by_block,
)
from ..kernelless_op_traits import is_feed_or_fetch, kernelless_op_traits_or_default
from ..program import (
    Attr,
    AttrType,
    Block,
    Contract,
    ContractInputOrOutput,
    OpDesc,
    Program,
    VarDesc,
    VarKind,
)


def make_feed_op(name: str, col: int) -> OpDesc:
    """Create the feed op that makes the variable `name` input number `col` of a program."""
    return OpDesc("feed", {"X": ["feed"]}, {"Out": [name]}, {"col": Attr(AttrType.INT, col)})


def make_fetch_op(name: str, col: int) -> OpDesc:
    """Create the fetch op that makes the variable `name` output number `col` of a program."""
    return OpDesc("fetch", {"X": [name]}, {"Out": ["fetch"]}, {"col": Attr(AttrType.INT, col)})


def prune(
    program: Program, feeds: Sequence[str], fetches: Sequence[str], spare: bool = False
) -> Program:
    """Return a new program with inputs `feeds` and outputs `fetches`. The new program contains the
    ops and variables that the outputs and the guards need.

    Any variable can be in `feeds`; the ops that compute it are removed.
    spare: accept feeds that no output needs.

    Raises OpError that lists every unknown name, unused feed and missing input.
    """
    _check_feeds_and_fetches_exist(program, feeds, fetches)
    program = _program_with_pruned_sub_blocks(program)
    guarded = [guard.var for guard in program.contract.guards] if program.contract else []
    ops, needed = _needed_or_side_effect_ops_and_read_names(program, feeds, [*fetches, *guarded])
    _check_feeds_needed_and_sufficient(
        program, ops, needed | set(feeds) if spare else needed, feeds
    )
    return _build_pruned_program(program, ops, feeds, fetches)


def prune_in_place(program: Program, feeds: Sequence[str], fetches: Sequence[str]) -> Program:
    """Remove the feed and fetch ops and the other ops of the outermost block that `fetches` do not
    need given `feeds`, and return the program.

    Raises OpError for unknown names.
    """
    _check_feeds_and_fetches_exist(program, feeds, fetches)
    ops, needed = _needed_or_side_effect_ops_and_read_names(program, feeds, fetches)
    block = program.block
    names = {
        *needed,
        *feeds,
        *fetches,
        *(
            n
            for op in ops
            for n in (*outer_names_maybe_read_by_op_and_blocks(program, op), *op.output_names())
        ),
    }
    block.ops = ops
    block.vars = {name: var for name, var in block.vars.items() if name in names or var.persistable}
    return program


def eliminate_dead_ops(program: Program) -> Program:
    """Return the program without the ops that neither outputs nor persistable variables need. All
    inputs are kept.
    """
    program = _program_with_pruned_sub_blocks(program)
    guarded = [guard.var for guard in program.contract.guards] if program.contract else []
    kept = [var.name for var in program.persistables()]
    feeds, fetches = program.feed_names(), program.fetch_names()
    ops, _ = _needed_or_side_effect_ops_and_read_names(program, feeds, [*fetches, *guarded, *kept])
    return _build_pruned_program(program, ops, feeds, fetches)


def _program_with_pruned_sub_blocks(program: Program) -> Program:
    """A copy of the program without dead ops in sub-blocks.

    Returns the program itself if it has no sub-blocks, or if an op that runs a block has no capture
    slot, because then other ops may read the block's variables.
    """
    if len(program.blocks) == 1 or any(
        not kernelless_op_traits_or_default(op.type).capture_slot
        and any(iter_inner_blocks(program, op))
        for op in program.ops()
    ):
        return program
    result = replace(program, blocks=[deepcopy(block) for block in program.blocks])
    runs = {op.attr("sub_block"): op for op in result.ops()}
    # reversed, because a block precedes its children in the list
    for block in reversed(result.blocks[1:]):
        taken = block_var_names_read_after_run(runs[block.idx]) if block.idx in runs else []
        block.ops = _live_ops(result, block, taken)
        used = {
            name
            for op in block.ops
            for name in (*outer_names_maybe_read_by_op_and_blocks(result, op), *op.output_names())
        }
        used.update(
            taken, block_var_names_assigned_before_run(runs[block.idx]) if block.idx in runs else []
        )
        block.vars = {name: var for name, var in block.vars.items() if name in used}
    for op in result.ops():
        for block in iter_inner_blocks(result, op):
            slot, known = (
                kernelless_op_traits_or_default(op.type).capture_slot,
                {
                    *outer_names_read_by_block(result, block),
                    *outer_names_written_by_block(result, block),
                },
            )
            op.inputs[slot] = [name for name in op.inputs.get(slot, []) if name in known]
            break  # only the op's own block; blocks nested deeper belong to ops in that block
    return result


def _live_ops(program: Program, block: Block, taken: Iterable[str]) -> list[OpDesc]:
    """Return the ops of a block that have side effects or whose results are needed. Needed at the
    end of the block are the outer variables that the block writes, and those in `taken`.
    """
    needed = {*outer_names_written_by_block(program, block), *taken}
    kept: list[OpDesc] = []
    for op in reversed(block.ops):
        if needed.intersection(op.output_names()) or _has_side_effects(program, op):
            kept.append(op)
            needed |= outer_names_maybe_read_by_op_and_blocks(program, op)
    return kept[::-1]


def _has_side_effects(program: Program, op: OpDesc) -> bool:
    """Whether an op, or an op in the blocks that it runs, has side effects."""
    inside = (o for block in iter_inner_blocks(program, op) for o in block.ops)
    return any(kernelless_op_traits_or_default(o.type).has_side_effects for o in (op, *inside))


def _check_feeds_and_fetches_exist(
    program: Program, feeds: Sequence[str], fetches: Sequence[str]
) -> None:
    problems = [
        f"{what}[{i}] {name!r} is not in the program"
        for what, names in (("feeds", feeds), ("fetches", fetches))
        for i, name in enumerate(names)
        if name not in program.block.vars
    ]
    problems += [
        f"{name!r} is fed twice" for name, count in sorted(Counter(feeds).items()) if count > 1
    ]
    if problems:
        raise OpError(f"prune: {'; '.join(problems)}")


def _needed_or_side_effect_ops_and_read_names(
    program: Program, feeds: Iterable[str], wanted: Iterable[str]
) -> tuple[list[OpDesc], set[str]]:
    """The ops of the outermost block that `wanted` needs or that have side effects, in order, and
    every name that they read.
    """
    given = set(feeds)
    needed = set(wanted)
    kept: list[OpDesc] = []
    for op in reversed(program.block.ops):
        if is_feed_or_fetch(op.type):
            continue
        # An op that computes a fed variable is not needed, unless it updates the variable in place.
        writes = {
            name for name in op.output_names() if name not in given or name in op.input_names()
        }
        if writes & needed or _has_side_effects(program, op):
            kept.append(op)
            needed |= outer_names_maybe_read_by_op_and_blocks(program, op)
    return kept[::-1], needed


def _check_feeds_needed_and_sufficient(
    program: Program, ops: list[OpDesc], needed: set[str], feeds: Sequence[str]
) -> None:
    problems = []
    for i, name in enumerate(feeds):
        if name not in needed:
            problems.append(f"feeds[{i}] {name!r} is not needed by the outputs")
        if program.block.vars[name].persistable:
            problems.append(f"feeds[{i}] {name!r} is persistable: its value comes from the file")
    for name in dict.fromkeys(_iter_missing_inputs(program, ops, needed, feeds)):
        problems.append(f"{name!r} is needed by the outputs but is neither fed nor computed")
    if problems:
        raise OpError(f"prune: {'; '.join(problems)}")


def _iter_missing_inputs(
    program: Program, ops: list[OpDesc], needed: set[str], feeds: Sequence[str]
) -> Iterator[str]:
    """Yield the names that an op reads before an op writes them, and those in `needed` that no op
    writes, except fed variables and persistables.
    """
    known = {
        name
        for name, var in program.block.vars.items()
        if var.persistable or var.kind != VarKind.DENSE
    } | set(feeds)
    for op in ops:
        written = set(op.output_names()).union(
            *(o.output_names() for b in iter_inner_blocks(program, op) for o in b.ops)
        )
        read = outer_names_maybe_read_by_op_and_blocks(program, op) - written | set(
            op.input_names()
        ) - {EMPTY_NAME}
        yield from sorted(name for name in read - known if name in program.block.vars)
        known |= written
    yield from sorted(name for name in needed - known if name in program.block.vars)


def _build_pruned_program(
    program: Program, ops: list[OpDesc], feeds: Sequence[str], fetches: Sequence[str]
) -> Program:
    inner = {block.idx for op in ops for block in iter_inner_blocks(program, op)}
    order = [
        0,
        *sorted(inner | {p for i in inner for p in _iter_ancestor_indices(program, i)} - {0}),
    ]
    renamed = {old: new for new, old in enumerate(order)}
    kept = [_copy_block_renumbered(program.blocks[i], renamed) for i in order]
    block = kept[0]
    block.ops = [
        *(make_feed_op(name, i) for i, name in reversed(list(enumerate(feeds)))),
        *(_copy_op_renumbered(op, renamed) for op in ops),
        *(make_fetch_op(name, i) for i, name in enumerate(fetches)),
    ]
    guarded = [guard.var for guard in program.contract.guards] if program.contract else []
    used = {*feeds, *fetches, *guarded, *_iter_names_read_or_written_in_blocks(kept)}
    block.vars = {
        name: var for name, var in block.vars.items() if name in used and not is_feed_or_fetch(name)
    }
    for name in sorted({op.type for op in block.ops}):
        holder = kernelless_op_traits_or_default(name).feed_fetch_kind
        if holder is not None:
            block.vars[name] = VarDesc(name, dtype="", kind=holder, persistable=True)
    contract = (
        None
        if program.contract is None
        else _make_pruned_contract(program.contract, block, feeds, fetches)
    )
    return Program(kept, program.version, contract)


def _iter_ancestor_indices(program: Program, index: int) -> Iterator[int]:
    while index > 0:
        index = program.blocks[index].parent
        yield index


def _iter_names_read_or_written_in_blocks(blocks: list[Block]) -> Iterator[str]:
    for block in blocks:
        for op in block.ops:
            yield from iter_names_read_by_op_excluding_blocks(op)
            yield from op.output_names()


def _copy_block_renumbered(block: Block, renamed: dict[int, int]) -> Block:
    """Return a copy of a block with block indices replaced by `renamed`. Block 0 is copied without
    ops, because the caller sets its ops.
    """
    ops = [] if block.idx == 0 else [_copy_op_renumbered(op, renamed) for op in block.ops]
    variables = {name: replace(var) for name, var in block.vars.items()}
    return Block(renamed[block.idx], renamed.get(block.parent, -1), variables, ops)


def _copy_op_renumbered(op: OpDesc, renamed: dict[int, int]) -> OpDesc:
    copied = deepcopy(op)
    for attr in copied.attrs.values():
        if attr.type == AttrType.BLOCK:
            attr.value = renamed[attr.value]
        elif attr.type == AttrType.BLOCKS:
            attr.value = [renamed[index] for index in attr.value]
    return copied


def _make_pruned_contract(
    contract: Contract, block: Block, feeds: Sequence[str], fetches: Sequence[str]
) -> Contract:
    """The contract of the pruned program. The new contract has no verification result, and no
    output tree if the outputs change.
    """
    pruned = deepcopy(contract)
    inputs, outputs = ({arg.name: arg for arg in a} for a in (contract.inputs, contract.outputs))
    pruned.inputs = [
        replace(inputs[n]) if n in inputs else block.vars[n].to_contract_input("") for n in feeds
    ]
    pruned.outputs = [
        replace(outputs[n])
        if n in outputs
        else ContractInputOrOutput(n, block.vars[n].dtype, block.vars[n].shape)
        for n in fetches
    ]
    if [arg.name for arg in contract.outputs] != list(fetches):
        pruned.output_tree = ""
    pruned.verified = ""
    return pruned
