"""The calls of every row of the tables of programs take each branch, run each loop, and have more
than one size.
"""

from __future__ import annotations

import copy

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.compiler import CompiledProgram
from oarlock.ir.program import Attr, AttrType, OpDesc, Program, VarDesc
from oarlock.jit import to_static

from .program_rows import ROWS, made, specs
from .programs.table import Row


def counting(program: Program) -> tuple[Program, dict[int, str]]:
    """A copy in which each block but the first counts its runs, and the variables that they are
    counted in.
    """
    copied, counts = copy.deepcopy(program), {}
    for block in copied.blocks[1:]:
        name = counts[block.idx] = f"runs_of_{block.idx}"
        copied.block.vars[name] = VarDesc(name, (1,), persistable=True)
        step = {"step": Attr(AttrType.FLOAT, 1.0)}
        block.ops.insert(0, OpDesc("increment", {"X": [name]}, {"Out": [name]}, step))
    return copied, counts


def never_run(row: Row) -> list[str]:
    """The lines of the branches and loops that no call of a row takes."""
    function = to_static(made(row), specs(row))
    concrete = (function.forward if isinstance(function, nn.Layer) else function).concrete_program
    program, counts = counting(concrete.captured_program.program)
    scope = {
        **concrete.captured_program.scope,
        **{name: paddle.zeros([1]) for name in counts.values()},
    }
    compiled = CompiledProgram(program)
    for call in row.calls:
        given = [*call, *(t.array for t in concrete.result_builder.read_effect_input_tensors())]
        compiled.run(scope, dict(zip(program.feed_names(), given, strict=True)))
    lines = {op.attr("sub_block"): op.user_line for op in program.ops()}
    return [lines[i] for i, name in counts.items() if scope[name].item() == 0]


@pytest.mark.parametrize("name", ROWS)
def test_every_branch_is_executed(name: str) -> None:
    row = ROWS[name]
    found = never_run(row)
    assert bool(found) == bool(row.untaken), found


@pytest.mark.parametrize("name", ROWS)
def test_calls_have_several_sizes(name: str) -> None:
    row = ROWS[name]
    free = [
        (i, axis)
        for i, sizes in enumerate(row.dims)
        for axis, size in enumerate(sizes)
        if size is None
    ]
    assert (
        not free
        or len({tuple(np.shape(call[i])[axis] for i, axis in free) for call in row.calls}) > 1
    )
