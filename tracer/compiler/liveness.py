"""Which cells are read after an instruction, so that memory is given back when nobody reads a cell
again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.op_traits import traits_of
from .instructions import Back, Branch, Call, Do, Fused, Loop, Step

Big = Callable[[str], bool]


def mark(steps: Sequence[Step], after: set[str], big: Big) -> set[str]:
    """Set `dying` of every instruction, and `outs` of fused ones; gives the cells that are read
    before anything here writes them.

    after: the cells that are read later; big: whether the memory of a cell is worth giving back
    early.
    """
    live = set(after)
    for step in reversed(steps):
        if isinstance(step, Branch | Loop | Back):
            later = set(live)
            live |= (
                mark(step.body, live, big)
                if isinstance(step, Branch)
                else _around(step, live, big)[0]
            )
            live |= set(step.reads())
            if isinstance(step, Loop) and step.rounds is not None:
                live.discard(step.rounds)
            dying = live - later
        else:
            if isinstance(step, Fused):
                step.outs = tuple(c for c in dict.fromkeys(step.writes()) if c in live)
            written, read = (
                set(step.outs if isinstance(step, Fused) else step.writes()),
                set(step.reads()),
            )
            dying = (written | read) - live
            live -= written
            live |= read
        step.dying = tuple(sorted(filter(big, dying)))
    return live


def _around(step: Loop | Back, after: set[str], big: Big) -> tuple[set[str], set[str]]:
    """What is live at the start of a round, and at its end: what is read later, by the next round,
    by the test, or kept.
    """
    live = after | (set(step.kept) | {step.cond} if isinstance(step, Loop) else set())
    while True:
        before = mark(step.body, live, big) - (set(step.kept) if isinstance(step, Back) else set())
        if before <= live:
            return before, live
        live |= before


def needed(steps: Sequence[Step], after: set[str]) -> list[Step]:
    """The instructions without kernels whose results nobody reads.

    Those that draw random numbers stay: others draw after them.
    """
    kept: list[Step] = []
    _keep(steps, set(after), kept)
    return kept


def _keep(steps: Sequence[Step], live: set[str], kept: list[Step]) -> set[str]:
    """Put what is needed in `kept`; gives what is read before anything here writes it."""
    for step in reversed(steps):
        if _may_go(step) and live.isdisjoint(step.writes()):
            continue
        if isinstance(step, Branch):
            body: list[Step] = []
            live |= _keep(step.body, set(live), body)
            step.body = body
        elif isinstance(step, Loop | Back):
            before, end = _around(step, live, lambda _: False)
            body = []
            _keep(step.body, end, body)
            step.body = body
            live |= before
        else:
            live -= set(step.writes())
        live |= set(step.reads())
        kept.append(step)
    kept.reverse()
    return live


def _may_go(step: Step) -> bool:
    """Whether an instruction does nothing but give its results."""
    if isinstance(step, Call):
        return not step.op.traits.random
    return isinstance(step, Do) and not traits_of(step.desc.type).has_side_effects
