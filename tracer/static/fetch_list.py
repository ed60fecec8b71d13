"""The `fetch_list` of `Executor.run`: variables, names and optimizer ops; and the part of a program
that they depend on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..capture.variable import Variable
from ..core.errors import append_user_line
from ..ir import program as data
from ..ir.kernelless_op_traits import is_feed_or_fetch
from ..ir.op_role import OpRole
from ..ir.passes.prune import prune
from ..ir.program import OpDesc
from .graph.operator import Operator
from .graph.program import Program


def parse_fetch_list(fetch_list: Any) -> tuple[list[str], list[OpDesc]]:
    """Return the names of the variables and the optimizer ops in a fetch list.

    fetch_list: may contain ops or the result of `minimize`. Raises TypeError for other objects.
    """
    names: list[str] = []
    selected_ops: list[OpDesc] = []
    for item in _iter_fetch_items(fetch_list):
        if isinstance(item, Operator):
            selected_ops.append(item.raw)
        else:
            names.append(_require_fetched_variable_name(item))
    return names, selected_ops


def _iter_fetch_items(fetch_list: Any) -> Iterator[Any]:
    """Yield the items of nested lists. Of a pair that `minimize` returned, yield only the optimizer
    ops.
    """
    if fetch_list is None:
        return
    for item in (
        fetch_list if isinstance(fetch_list, list | tuple | set | frozenset) else [fetch_list]
    ):
        if isinstance(item, tuple) and item and isinstance(item[0], list | tuple):
            yield from item[0]
        elif isinstance(item, list | tuple):
            yield from item
        else:
            yield item


def _require_fetched_variable_name(item: Any) -> str:
    if isinstance(item, Variable | str):
        return item if isinstance(item, str) else item.name
    kind = type(item).__name__
    why = f"fetch_list contains {kind}, which is not a Variable, a name or an optimizer op"
    raise TypeError(append_user_line(f"Executor.run: {why}"))


def optimizer_ops_of_global_block(program: Program) -> list[OpDesc]:
    """Return the optimizer ops of the global block."""
    return [op for op in program.raw.block.ops if int(op.attr("op_role", 0)) & OpRole.OPTIMIZE]


def prune_program(
    program: Program, feeds: Iterable[str], fetches: Sequence[str], steps: Iterable[OpDesc]
) -> Program:
    """Return a program with only those ops on which the outputs `fetches` and the optimizer ops
    `steps` depend, without feed and fetch ops.
    """
    steps = list(steps)
    desc = _without_other_optimizer_ops(program, steps)
    outputs = dict.fromkeys([*fetches, *(name for op in steps for name in op.output_names())])
    inputs = [
        name for name in feeds if name in desc.block.vars and not desc.block.vars[name].persistable
    ]
    pruned = prune(desc, inputs, list(outputs), spare=True)
    pruned.block.ops = [op for op in pruned.block.ops if not is_feed_or_fetch(op.type)]
    return Program.view_of_raw(pruned)


def _without_other_optimizer_ops(program: Program, steps: list[OpDesc]) -> data.Program:
    """Return the program without those optimizer ops that are not in `steps` and write persistable
    variables, because they may overwrite the parameters that `steps` update.
    """
    desc, selected = program.raw, set(map(id, steps))
    others = {
        id(op)
        for op in optimizer_ops_of_global_block(program)
        if any(_is_persistable_variable(desc, name) for name in op.output_names())
    } - selected
    block = replace(desc.block, ops=[op for op in desc.block.ops if id(op) not in others])
    return replace(desc, blocks=[block, *desc.blocks[1:]])


def _is_persistable_variable(desc: data.Program, name: str) -> bool:
    return name in desc.block.vars and desc.block.vars[name].persistable
