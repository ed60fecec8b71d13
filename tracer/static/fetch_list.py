"""What a run is asked for: variables, names, and steps of optimizers; and the part of a program
that these need.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..capture.variable import Variable
from ..core.errors import with_user_line
from ..ir import program as data
from ..ir.op_role import Role
from ..ir.op_traits import is_feed_or_fetch
from ..ir.passes.prune import prune
from ..ir.program import OpDesc
from .graph.operator import Operator
from .graph.program import Program


def asked(fetch_list: Any) -> tuple[list[str], list[OpDesc]]:
    """The names of what is to be fetched, and the steps of optimizers among it: ops, or what
    `minimize` gave.

    Raises TypeError.
    """
    names: list[str] = []
    steps: list[OpDesc] = []
    for item in _flat(fetch_list):
        if isinstance(item, Operator):
            steps.append(item.raw)
        else:
            names.append(_name(item))
    return names, steps


def _flat(fetch_list: Any) -> Iterator[Any]:
    """What is asked for, one after the other; of the pair that `minimize` gives the ops."""
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


def _name(wanted: Any) -> str:
    if isinstance(wanted, Variable | str):
        return wanted if isinstance(wanted, str) else wanted.name
    kind = type(wanted).__name__
    why = f"fetch_list holds {kind}, neither a Variable nor a name nor a step of an optimizer"
    raise TypeError(with_user_line(f"Executor.run: {why}"))


def steps_of(program: Program) -> list[OpDesc]:
    """The ops that are steps of optimizers."""
    return [op for op in program.raw.block.ops if int(op.attr("op_role", 0)) & Role.OPTIMIZE]


def pruned(
    program: Program, feeds: Iterable[str], fetches: Sequence[str], steps: Iterable[OpDesc]
) -> Program:
    """The part of a program that some outputs and steps need, without the ops that feed
    and fetch.
    """
    steps = list(steps)
    desc = _with_steps(program, steps)
    wanted = dict.fromkeys([*fetches, *(name for op in steps for name in op.output_names())])
    given = [
        name for name in feeds if name in desc.block.vars and not desc.block.vars[name].persistable
    ]
    found = prune(desc, given, list(wanted), spare=True)
    found.block.ops = [op for op in found.block.ops if not is_feed_or_fetch(op.type)]
    return Program.of(found)


def _with_steps(program: Program, steps: list[OpDesc]) -> data.Program:
    """A program without what optimizers change but in these steps: another one may change the same
    parameters later.
    """
    desc, taken = program.raw, set(map(id, steps))
    others = {
        id(op)
        for op in steps_of(program)
        if any(_lasting(desc, name) for name in op.output_names())
    } - taken
    block = replace(desc.block, ops=[op for op in desc.block.ops if id(op) not in others])
    return replace(desc, blocks=[block, *desc.blocks[1:]])


def _lasting(desc: data.Program, name: str) -> bool:
    return name in desc.block.vars and desc.block.vars[name].persistable
