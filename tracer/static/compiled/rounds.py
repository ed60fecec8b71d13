"""What the rounds of a loop leave for the way back: found once all instructions are there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .plan import Back, Branch, Call, Do, Loop, Step, all_reads, all_writes, body_of


def settle(steps: Sequence[Step]) -> None:
    """Say for every loop what is kept of a round, the innermost loops first.

    On the way back it is put in cells of its own: a variable from outside of the loop stays what it was after the last round.
    """
    for step in steps:
        settle(body_of(step))
        if isinstance(step, Back):
            made = set(all_writes(step.loop.body))
            kept = tuple(dict.fromkeys(cell for cell in all_reads(step.body) if cell in made))
            renamed = {cell: f"{cell}r" for cell in kept}
            for inside in step.body:
                rename(inside, renamed)
            step.loop.kept, step.kept = kept, tuple(renamed.values())


def rename(step: Step, renamed: Mapping[str, str]) -> None:
    """Let an instruction and those inside of it read other cells."""
    if isinstance(step, Call | Do | Branch):
        step.ins = _slots(step.ins, renamed)
    elif isinstance(step, Loop):
        step.cond = renamed.get(step.cond, step.cond)
    elif isinstance(step, Back):
        step.rounds = renamed.get(step.rounds, step.rounds)
    for inside in body_of(step):
        rename(inside, renamed)


def _slots(slots: tuple[Any, ...], renamed: Mapping[str, str]) -> tuple[Any, ...]:
    return tuple(_slots(s, renamed) if isinstance(s, tuple) else renamed.get(s, s) for s in slots)
