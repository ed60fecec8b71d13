"""Copies that are another name: where neither is ever written again, readers of the copy read what
it is a copy of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ..ir.program import VarDesc
from .instructions import Do, Step, all_writes, body_of
from .loop_residuals import rename

SAME = "{o0} = {0}"  # the statement of a copy


def without_copies(
    steps: Sequence[Step], declared: Mapping[str, VarDesc], fed: Iterable[str] = ()
) -> dict[str, str]:
    """Let every reader of a copy read the original; gives what each such copy is a copy of.

    The copies stay, read by nobody.

    fed: the cells of inputs, which have a value before any op writes them, whatever files declare
    """
    writes = Counter(all_writes(list(steps)))
    writes.update(cell for cell in fed if not _comes_from_outside(declared[cell]))
    found: dict[str, str] = {}
    _find(steps, writes, declared, found)
    for step in steps:
        rename(step, found)
    return found


def _find(
    steps: Sequence[Step],
    writes: Counter[str],
    declared: Mapping[str, VarDesc],
    found: dict[str, str],
) -> None:
    for step in steps:
        _find(body_of(step), writes, declared, found)
        if isinstance(step, Do) and step.text == SAME:
            source, copy = step.ins[0], step.outs[0]
            var = declared[copy]
            original = found.get(source, source)
            fixed = writes[copy] == 1 and writes[original] <= (
                0 if _comes_from_outside(declared[original]) else 1
            )
            if fixed and not _comes_from_outside(var):
                found[copy] = original


def _comes_from_outside(var: VarDesc) -> bool:
    """Whether a variable has a value before any op writes it."""
    return var.persistable or var.checks_feed
