"""What a program that is saved keeps of asserts: assumptions, which every reader of Oarlock's enforces."""

from __future__ import annotations

import warnings

from ..static.guards import ASSERTED
from ..static.program import Guard, OpDesc, Program


def asserted(program: Program, name: str) -> tuple[list[Guard], bool]:
    """Take out what only a program that runs here does - asserts, prints - and give the asserts of its outermost block as guards,
    and whether there were any at all.

    Warns of those in branches and loops: a guard is on a value of the outermost block.
    """
    found: list[Guard] = []
    inside: list[str] = []
    for block in program.blocks:
        for op in block.ops:
            if op.type == "assert" and block.idx == 0:
                found.append(_guard(op))
            elif op.type == "assert":
                inside.append(op.where)
        block.ops = [op for op in block.ops if op.type != "assert" and not _shows(op)]
    if inside:
        lines = "".join(f"\n  at {line}" for line in dict.fromkeys(inside))
        warnings.warn(f"{name}: asserts inside of branches and loops are not in the file{lines}", stacklevel=5)
    return found, bool(found or inside)


def _shows(op: OpDesc) -> bool:
    """Whether an op calls Python and gives nothing: a `print`."""
    return op.type == "py_func" and not op.outputs.get("Out")


def _guard(op: OpDesc) -> Guard:
    where, _, text = op.where.partition(": ")
    message = op.attr("message") or "the condition does not hold"
    return Guard("value", op.inputs["Cond"][0], 0, "True", ASSERTED + message, where, text)
