"""Select the residuals of loops: the values that each iteration saves because the backward pass
reads them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .instructions import (
    BackwardLoop,
    ConditionalBody,
    Instruction,
    KernelCall,
    Loop,
    PythonStatement,
    body_of,
    iter_registers_read,
    iter_registers_written,
)


def set_saved_registers_of_loops(instructions: Sequence[Instruction]) -> None:
    """Set `saved_registers` of every differentiated loop to the registers that its backward loops
    read.

    The backward loops read the saved values from separate registers, because after the loop the
    original registers hold the values of the last iteration.
    """
    backs = list(_iter_backward_loops_innermost_first(instructions))
    for instruction in backs:
        result = set(iter_registers_written(instruction.forward_loop.body))
        kept = dict.fromkeys(
            register for register in iter_registers_read(instruction.body) if register in result
        )
        renamed = {register: f"{register}r" for register in kept}
        for inside in instruction.body:
            rename_read_registers_in_place(inside, renamed)
        instruction.forward_loop.saved_registers, instruction.saved_registers = (
            tuple(dict.fromkeys((*instruction.forward_loop.saved_registers, *kept))),
            tuple(kept),
        )
    for instruction in backs:
        instruction.saved_registers = tuple(
            f"{register}r" if register in instruction.saved_registers else "_"
            for register in instruction.forward_loop.saved_registers
        )


def _iter_backward_loops_innermost_first(
    instructions: Sequence[Instruction],
) -> Iterator[BackwardLoop]:
    """Yield the backward loops among the instructions and in their bodies, innermost first."""
    for instruction in instructions:
        yield from _iter_backward_loops_innermost_first(body_of(instruction))
        if isinstance(instruction, BackwardLoop):
            yield instruction


def rename_read_registers_in_place(instruction: Instruction, renamed: Mapping[str, str]) -> None:
    """Replace the names of registers that an instruction and its body read, by the dict
    `renamed`.
    """
    if isinstance(instruction, KernelCall | PythonStatement | ConditionalBody):
        instruction.ins = _map_register_names(instruction.ins, renamed)
    elif isinstance(instruction, Loop):
        instruction.condition_register = renamed.get(
            instruction.condition_register, instruction.condition_register
        )
    elif isinstance(instruction, BackwardLoop):
        instruction.residual_list = renamed.get(
            instruction.residual_list, instruction.residual_list
        )
    for inside in body_of(instruction):
        rename_read_registers_in_place(inside, renamed)


def _map_register_names(slots: tuple[Any, ...], renamed: Mapping[str, str]) -> tuple[Any, ...]:
    return tuple(
        _map_register_names(s, renamed) if isinstance(s, tuple) else renamed.get(s, s)
        for s in slots
    )
