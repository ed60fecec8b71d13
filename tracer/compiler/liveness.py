"""Liveness analysis: free memory after the last read of a register, and remove dead code."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..ir.kernelless_op_traits import kernelless_op_traits_or_default
from .instructions import (
    BackwardLoop,
    ConditionalBody,
    FusedCalls,
    Instruction,
    KernelCall,
    Loop,
    PythonStatement,
)

IsLargeRegister = Callable[[str], bool]


def mark_dead_and_get_live_registers(
    instructions: Sequence[Instruction], after: set[str], big: IsLargeRegister
) -> set[str]:
    """Set `dead_after` of every instruction, and `outs` of fused groups. Return the registers that
    are live before the first instruction.

    after: registers that are read after these instructions.
    big: tells whether the array of a register may be so large that it is freed early.
    """
    live = set(after)
    for instruction in reversed(instructions):
        if isinstance(instruction, ConditionalBody | Loop | BackwardLoop):
            later = set(live)
            live |= (
                mark_dead_and_get_live_registers(instruction.body, live, big)
                if isinstance(instruction, ConditionalBody)
                else _mark_loop_registers_and_get_live(instruction, live, big)[0]
            )
            live |= set(instruction.iter_registers_read_excluding_body())
            if isinstance(instruction, Loop) and instruction.residual_list is not None:
                live.discard(instruction.residual_list)
            dead_after = live - later
        else:
            if isinstance(instruction, FusedCalls):
                instruction.outs = tuple(
                    c
                    for c in dict.fromkeys(instruction.iter_registers_written_excluding_body())
                    if c in live
                )
            written, read = (
                set(
                    instruction.outs
                    if isinstance(instruction, FusedCalls)
                    else instruction.iter_registers_written_excluding_body()
                ),
                set(instruction.iter_registers_read_excluding_body()),
            )
            dead_after = (written | read) - live
            live -= written
            live |= read
        instruction.dead_after = tuple(sorted(filter(big, dead_after)))
    return live


def _mark_loop_registers_and_get_live(
    instruction: Loop | BackwardLoop, after: set[str], big: IsLargeRegister
) -> tuple[set[str], set[str]]:
    """Set `dead_after` in the body of a loop; return the registers that are live at the start and
    at the end of an iteration.
    """
    live = after | (
        set(instruction.saved_registers) | {instruction.condition_register}
        if isinstance(instruction, Loop)
        else set()
    )
    while True:
        before = mark_dead_and_get_live_registers(instruction.body, live, big) - (
            set(instruction.saved_registers) if isinstance(instruction, BackwardLoop) else set()
        )
        if before <= live:
            return before, live
        live |= before


def eliminate_dead_code(instructions: Sequence[Instruction], after: set[str]) -> list[Instruction]:
    """Remove instructions whose results are not read. Random ops stay, because removing one
    would change the random numbers that later ops draw.
    """
    kept: list[Instruction] = []
    _append_live_and_get_live_registers(instructions, set(after), kept)
    return kept


def _append_live_and_get_live_registers(
    instructions: Sequence[Instruction], live: set[str], kept: list[Instruction]
) -> set[str]:
    """Append the live instructions to `kept`. `live` holds the registers that are live after the
    instructions; return those that are live before them.
    """
    for instruction in reversed(instructions):
        if _is_removable_if_unread(instruction) and live.isdisjoint(
            instruction.iter_registers_written_excluding_body()
        ):
            continue
        if isinstance(instruction, ConditionalBody):
            body: list[Instruction] = []
            live |= _append_live_and_get_live_registers(instruction.body, set(live), body)
            instruction.body = body
        elif isinstance(instruction, Loop | BackwardLoop):
            before, end = _mark_loop_registers_and_get_live(instruction, live, lambda _: False)
            body = []
            _append_live_and_get_live_registers(instruction.body, end, body)
            instruction.body = body
            live |= before
        else:
            live -= set(instruction.iter_registers_written_excluding_body())
        live |= set(instruction.iter_registers_read_excluding_body())
        kept.append(instruction)
    kept.reverse()
    return live


def _is_removable_if_unread(instruction: Instruction) -> bool:
    """Whether an instruction may be removed if nothing reads its results: it has no side effect and
    draws no random numbers.
    """
    if isinstance(instruction, KernelCall):
        return not instruction.op.traits.random
    return (
        isinstance(instruction, PythonStatement)
        and not kernelless_op_traits_or_default(instruction.desc.type).has_side_effects
    )
