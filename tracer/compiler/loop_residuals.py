"""What the rounds of a loop leave for the way back: found once all instructions are there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .instructions import Back, Branch, Call, Do, Loop, Step, all_reads, all_writes, body_of


def settle(steps: Sequence[Step]) -> None:
    """Say for every loop what is kept of a round: whatever one of the ways back through it reads.

    On the way back it is put in cells of its own: a variable from outside of the loop stays what it
    was after the last round.
    """
    backs = list(_backs(steps))
    for step in backs:
        made = set(all_writes(step.loop.body))
        kept = dict.fromkeys(cell for cell in all_reads(step.body) if cell in made)
        renamed = {cell: f"{cell}r" for cell in kept}
        for inside in step.body:
            rename(inside, renamed)
        step.loop.kept, step.kept = tuple(dict.fromkeys((*step.loop.kept, *kept))), tuple(kept)
    for step in backs:
        step.kept = tuple(f"{cell}r" if cell in step.kept else "_" for cell in step.loop.kept)


def _backs(steps: Sequence[Step]) -> Iterator[Back]:
    """The ways back through loops, the innermost first."""
    for step in steps:
        yield from _backs(body_of(step))
        if isinstance(step, Back):
            yield step


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
