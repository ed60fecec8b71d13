"""The verifier: a table of rules that a valid program satisfies. Each rule is a function that
yields a message for each violation in a program.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from ..core.dtype import parse_dtype
from ..core.errors import OpError
from .attr_checks import iter_attr_problems_if_known_op
from .attr_types import attr_problem, referenced_block_indices, referenced_var_names
from .block_captures import (
    EMPTY_NAME,
    block_var_names_assigned_before_run,
    block_var_names_read_after_run,
    iter_inner_blocks,
    outer_names_written_by_block,
    select_paddle_form_control_flow_grads,
)
from .dim import NamedDimensions
from .kernelless_op_traits import kernelless_op_traits_or_default
from .program import AttrType, Block, Contract, OpDesc, Program, VarKind

VerifierRule = Callable[[Program], Iterator[str]]

MAX_BLOCK_DEPTH = 64
MAX_TREE_DEPTH = 64
MAX_GUARD_AXES = 32
# The largest number of problems that a rule reports. The limit bounds the size of a report, because
# a problem repeats names and source locations, which may be long in a file.
MAX_PROBLEMS = 100
MAX_PROBLEM_LENGTH = 2000  # largest number of characters of a problem
MAX_BYTES = (1 << 63) - 1
TENSOR_KINDS = (VarKind.DENSE, VarKind.SELECTED_ROWS, VarKind.ARRAY)


def _iter_blocks_ops_and_locations(program: Program) -> Iterator[tuple[Block, OpDesc, str]]:
    """Yield every op with its block, and its location as text for messages."""
    for block in program.blocks:
        for i, op in enumerate(block.ops):
            line = f" at {op.user_line}" if op.user_line else ""
            yield block, op, f"block {block.idx}, op {i} ({op.type}){line}"


def block_nesting_problems(program: Program) -> Iterator[str]:
    """Rule: block i is at position i of the list, the first block has no parent, and the parent of
    every other block comes before it.
    """
    if not program.blocks:
        yield "a program has at least one block"
    for i, block in enumerate(program.blocks):
        if block.idx != i:
            yield f"block {i}: has the index {block.idx}"
        if i == 0 and block.parent != -1:
            yield f"block 0: is the outermost but has parent {block.parent}"
        if i > 0 and not 0 <= block.parent < i:
            yield f"block {i}: its parent is {block.parent}, which does not come before it"


def block_depth_problems(program: Program) -> Iterator[str]:
    """Rule: blocks are nested at most MAX_BLOCK_DEPTH deep."""
    depth: list[int] = []
    for block in program.blocks:
        depth.append(1 if block.parent < 0 else depth[block.parent] + 1)
        if depth[-1] > MAX_BLOCK_DEPTH:
            yield f"block {block.idx}: nested {depth[-1]} deep, more than {MAX_BLOCK_DEPTH}"


def block_index_attribute_problems(program: Program) -> Iterator[str]:
    """Rule: an attribute `sub_block` has type BLOCK, and every BLOCK attribute is the index of an
    existing block other than the outermost.
    """
    for _, op, where in _iter_blocks_ops_and_locations(program):
        for name, attr in op.attrs.items():
            if name == "sub_block" and attr.type != AttrType.BLOCK:
                yield f"{where}: attribute sub_block is of type {attr.type.name}, not BLOCK"
            for index in referenced_block_indices(attr):
                if not 0 < index < len(program.blocks):
                    yield (
                        f"{where}: attribute {name} is block {index}, but the number of blocks is "
                        f"{len(program.blocks)}"
                    )


def sub_block_ownership_problems(program: Program) -> Iterator[str]:
    """Rule: a sub-block is a child of the block that contains the op which runs it, and only one op
    references it.

    The rule excludes recursion: blocks form a tree, and a traversal visits each block once. The
    block of a gradient op may also be a child of the forward block, whose variables it reads.
    """
    owner: dict[int, str] = {}
    for block, op, where in _iter_blocks_ops_and_locations(program):
        for name, attr in op.attrs.items():
            for index in referenced_block_indices(attr):
                if not _is_child_of_op_block(program, op, index, block.idx):
                    yield (
                        f"{where}: attribute {name} is block {index}, which is not a child of "
                        f"block {block.idx}"
                    )
                elif index in owner:
                    yield (
                        f"{where}: attribute {name} is block {index}, which {owner[index]} "
                        f"already runs"
                    )
                owner.setdefault(index, where)


def _is_child_of_op_block(program: Program, op: OpDesc, index: int, block: int) -> bool:
    parent = program.blocks[index].parent
    return parent == block or (
        op.type.endswith("_grad") and parent > 0 and program.blocks[parent].parent == block
    )


def attribute_type_problems(program: Program) -> Iterator[str]:
    """Rule: every attribute value fits the attribute's type."""
    for _, op, where in _iter_blocks_ops_and_locations(program):
        for name, attr in op.attrs.items():
            problem = attr_problem(attr)
            if problem:
                yield f"{where}: attribute {name}: {problem}"


def attribute_definition_problems(program: Program) -> Iterator[str]:
    """Rule: every attribute that the op definition declares has an accepted type and is in range.
    Ops that no output needs are checked, too.
    """
    for _, op, where in _iter_blocks_ops_and_locations(program):
        yield from (f"{where}: {problem}" for problem in iter_attr_problems_if_known_op(op))


def _shape_problem(shape: tuple[int, ...]) -> str | None:
    if not all(type(n) is int and -1 <= n < 1 << 63 for n in shape):
        return f"the shape {list(shape)} has an axis that is neither a size nor -1"
    # 16 is the number of bytes of the widest dtype
    if math.prod(max(n, 1) for n in shape) > MAX_BYTES // 16:
        return f"the shape {list(shape)} has more elements than fit into memory"
    return None


def _dtype_problem(dtype: str) -> str | None:
    try:
        parse_dtype(dtype)
    except OpError:
        return f"{dtype!r} is not a data type"
    return None


def variable_problems(program: Program) -> Iterator[str]:
    """Rule: a variable is declared once, under its own name, with sizes >= -1, and with a dtype if
    variables of its kind have one.
    """
    for block in program.blocks:
        for name, var in block.vars.items():
            where = f"block {block.idx}, variable {name!r}"
            if var.name != name:
                yield f"{where}: is declared as {var.name!r}"
            problems = [
                _shape_problem(var.shape),
                _dtype_problem(var.dtype) if var.kind in TENSOR_KINDS else None,
            ]
            yield from (f"{where}: {problem}" for problem in problems if problem)


def undeclared_operand_problems(program: Program) -> Iterator[str]:
    """Rule: every variable that an op reads or writes is declared in the block of the op or an
    enclosing one. Gradient blocks in the form that PaddlePaddle writes are exempt.
    """
    foreign = {op.attr("sub_block") for op in select_paddle_form_control_flow_grads(program)}
    foreign |= {block.idx for block in program.blocks if block.parent in foreign}
    for block, op, where in _iter_blocks_ops_and_locations(program):
        if block.idx in foreign:
            continue
        by_attr = [name for attr in op.attrs.values() for name in referenced_var_names(attr)]
        holders = {"feed": op.inputs, "fetch": op.outputs}.get(op.type, {})
        ignore = {EMPTY_NAME, *(name for names in holders.values() for name in names)}
        for name in dict.fromkeys([*op.input_names(), *op.output_names(), *by_attr]):
            if name not in ignore and program.var(name, block.idx) is None:
                yield f"{where}: variable {name!r} is not declared"


RECURRENT_ATTR_TYPES = {
    "sub_block": AttrType.BLOCK,
    "ex_states": AttrType.STRINGS,
    "states": AttrType.STRINGS,
}


def recurrent_op_problems(program: Program) -> Iterator[str]:
    """Rule: a `recurrent` op has inputs and one initial state per memory, and its block declares
    the variables of a step.
    """
    for _, op, where in _iter_blocks_ops_and_locations(program):
        if op.type == "recurrent":
            yield from (f"{where}: {problem}" for problem in _recurrent_problems(program, op))


def _recurrent_problems(program: Program, op: OpDesc) -> Iterator[str]:
    wrong = [
        n for n, type in RECURRENT_ATTR_TYPES.items() if n in op.attrs and op.attrs[n].type != type
    ]
    if wrong or "sub_block" not in op.attrs:
        yield "sub_block should be a block, and ex_states and states should be lists of strings"
        return
    before, after, first = (
        op.attr("ex_states", []),
        op.attr("states", []),
        op.inputs.get("initial_states", []),
    )
    if not len(before) == len(after) == len(first):
        yield f"has {len(first)} initial_states for {len(before)} ex_states and {len(after)} states"
    if not op.inputs.get("inputs"):
        yield "has no inputs"
    block = program.blocks[op.attr("sub_block")]
    for name in dict.fromkeys(
        [*block_var_names_assigned_before_run(op), *block_var_names_read_after_run(op)]
    ):
        if name not in block.vars:
            yield f"block {block.idx} does not declare {name!r}"


def _feed_fetch_col(op: OpDesc) -> int | None:
    """The attribute `col` of a feed or fetch op, which is the index of the input or output. Returns
    None if `col` is missing or does not have the type INT, which Paddle requires.
    """
    attr = op.attrs.get("col")
    return int(attr.value) if attr is not None and attr.type == AttrType.INT else None


def feed_and_fetch_problems(program: Program) -> Iterator[str]:
    """Rule: feed and fetch ops are in the outermost block, with one variable each and `col` 0, 1,
    2, ...
    """
    for kind, slot in (("feed", "Out"), ("fetch", "X")):
        found = [
            (block, op, where)
            for block, op, where in _iter_blocks_ops_and_locations(program)
            if op.type == kind
        ]
        for block, op, where in found:
            names = (op.outputs if kind == "feed" else op.inputs).get(slot, [])
            if block.idx != 0:
                yield f"{where}: is not in the outermost block"
            if len(names) != 1:
                yield f"{where}: {slot} is one variable, not {len(names)}"
        cols = [_feed_fetch_col(op) for _, op, _ in found]
        if sorted(col for col in cols if col is not None) != list(range(len(cols))):
            yield f"the {kind} ops have col {cols}, not 0 ... {len(cols) - 1}"


def repeated_or_persistable_feed_problems(program: Program) -> Iterator[str]:
    """Rule: no input has two feed ops, and no input is persistable."""
    names = program.feed_names()
    for name in sorted(name for name, count in Counter(names).items() if count > 1):
        yield f"input {name!r} is fed twice"
    for name in dict.fromkeys(names):
        var = program.var(name)
        if var is not None and var.persistable:
            yield f"input {name!r} is persistable: a value from the file would be overwritten"


def persistable_write_problems(program: Program) -> Iterator[str]:
    """Rule: a persistable variable is written only by an op that also reads it (an in-place
    update), or by a quantization op that observes a scale.

    Ops in a sub-block are checked there, not for the op that runs the sub-block.
    """
    writes: dict[int, list[str]] = {}
    for block, op, where in _iter_blocks_ops_and_locations(program):
        if op.type == "fetch" or op.type.startswith(("fake_", "moving_average_abs_max")):
            continue
        by_blocks = {
            name
            for inner in iter_inner_blocks(program, op)
            for name in outer_names_written_by_block(program, inner, writes)
        }
        for name in sorted(set(op.output_names()) - set(op.input_names()) - by_blocks):
            var = program.var(name, block.idx)
            if var is not None and var.persistable:
                yield f"{where}: overwrites {name!r}, which is persistable"


def read_before_write_problems(program: Program) -> Iterator[str]:
    """Rule: ops read only inputs, persistable variables and results of earlier ops."""
    known = {var.name for var in program.persistables()}
    known |= {var.name for var in program.block.vars.values() if var.checks_feed}
    yield from _unwritten_read_problems(program, program.block, known)


def _unwritten_read_problems(program: Program, block: Block, known: set[str]) -> Iterator[str]:
    for i, op in enumerate(block.ops):
        for name in dict.fromkeys(op.input_names()):
            var = program.var(name, block.idx)
            if name not in known and var is not None and var.kind == VarKind.DENSE:
                yield (
                    f"block {block.idx}, op {i} ({op.type}): reads {name!r}, which nothing "
                    f"has written yet"
                )
                known.add(name)  # so that each name is reported once
        for index in (i for attr in op.attrs.values() for i in referenced_block_indices(attr)):
            if kernelless_op_traits_or_default(op.type).is_control_flow:
                yield from _unwritten_read_problems(
                    program,
                    program.blocks[index],
                    {*known, *block_var_names_assigned_before_run(op)},
                )
        known.update(op.output_names())


def contract_problems(program: Program) -> Iterator[str]:
    """Rule: the contract lists the inputs and outputs of the program, and its guards refer to
    variables of the program.
    """
    contract = program.contract
    if contract is None:
        return
    for what, args, names in (
        ("input", contract.inputs, program.feed_names()),
        ("output", contract.outputs, program.fetch_names()),
    ):
        if [arg.name for arg in args] != names:
            yield (
                f"contract: the {what}s are {[arg.name for arg in args]}, the program's are {names}"
            )
        for arg in args:
            problems = (_shape_problem(arg.shape), _dtype_problem(arg.dtype))
            yield from (
                f"contract: {what} {arg.name!r}: {problem}" for problem in problems if problem
            )
    yield from _named_dimension_problems(program, contract)
    for guard in contract.guards:
        if not 0 <= guard.axis < MAX_GUARD_AXES:
            yield f"contract: the axis {guard.axis} of a guard is not in [0, {MAX_GUARD_AXES})"
        if guard.kind not in ("dim", "rank", "value"):
            yield f"contract: a guard of kind {guard.kind!r} is not known"
        if program.var(guard.var) is None:
            yield f"contract: a guard reads {guard.var!r}, which is not declared"
    yield from _output_tree_problems(contract.output_tree, len(contract.outputs))


def _named_dimension_problems(program: Program, contract: Contract) -> Iterator[str]:
    """Rule: only dynamic dimensions of inputs have names, and dimensions with the same name have
    the same range.
    """
    for arg in contract.outputs:
        if arg.dims:
            yield f"contract: output {arg.name!r} has names of dimensions, which only inputs have"
    for arg in contract.inputs:
        var = program.block.vars.get(arg.name)
        for axis, dim in enumerate(arg.dims):
            if dim is not None and any(
                axis >= len(shape) or shape[axis] >= 0
                for shape in (arg.shape, () if var is None else var.shape)
            ):
                why = f"dimension {axis} has the name {dim.name!r}, but is not dynamic"
                yield f"contract: input {arg.name!r}: {why}"
    try:
        NamedDimensions((arg.name, arg.dims) for arg in contract.inputs)
    except OpError as error:
        yield f"contract: {str(error).splitlines()[0]}"


def _output_tree_problems(text: str, count: int) -> Iterator[str]:
    try:
        todo = (
            [(json.loads(text, object_pairs_hook=_build_dict_rejecting_duplicates), 0)]
            if text
            else []
        )
    except (ValueError, RecursionError):
        yield "contract: the output tree is not JSON"
        return
    while todo:
        node, depth = todo.pop()
        inner = _output_tree_children(node)
        if depth > MAX_TREE_DEPTH:
            yield f"contract: the output tree is nested more than {MAX_TREE_DEPTH} deep"
            return
        if inner is not None:
            todo.extend((item, depth + 1) for item in inner)
        elif type(node) is not int or not 0 <= node < count:
            yield (
                f"contract: the output tree holds {node!r:.80}, which is not one of {count} outputs"
            )


def _build_dict_rejecting_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build a dict from the fields of a JSON object. Raises ValueError if a field occurs twice."""
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("duplicate field")
    return fields


def _output_tree_children(node: Any) -> list[Any] | None:
    """The children of a node in the JSON structure of nested outputs; None for an output index or
    an invalid node.
    """
    if node is None or isinstance(node, list):
        return node or []
    if not isinstance(node, dict) or len(node) != 1:
        return None
    ((kind, inner),) = node.items()
    if kind == "value":
        return None if isinstance(inner, dict | list) else []
    if kind == "dict" and isinstance(inner, dict):
        return list(inner.values())
    return inner if kind == "tuple" and isinstance(inner, list) else None


# The rules that every program file must satisfy, in groups. A rule may assume that the rules of the
# groups before it hold.
FILE_RULES: tuple[tuple[VerifierRule, ...], ...] = (
    (block_nesting_problems, variable_problems, attribute_type_problems),
    (block_depth_problems, block_index_attribute_problems, attribute_definition_problems),
    (
        sub_block_ownership_problems,
        undeclared_operand_problems,
        feed_and_fetch_problems,
        recurrent_op_problems,
    ),
    (contract_problems,),
)
# The rules that a program must satisfy to be run, in groups.
ALL_RULES: tuple[tuple[VerifierRule, ...], ...] = (
    *FILE_RULES,
    (repeated_or_persistable_feed_problems, persistable_write_problems, read_before_write_problems),
)


def find_problems(
    program: Program, rules: tuple[tuple[VerifierRule, ...], ...] = ALL_RULES
) -> list[str]:
    """List the problems of the first group of rules that finds any, at most MAX_PROBLEMS per rule;
    empty if the program is valid.
    """
    for group in rules:
        found = [
            problem[:MAX_PROBLEM_LENGTH]
            for rule in group
            for problem in islice(rule(program), MAX_PROBLEMS)
        ]
        if found:
            return found
    return []
