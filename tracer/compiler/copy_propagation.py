"""Copy propagation: instructions that read a copy of a register read the original register instead,
if neither register is written again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ..ir.program import VarDesc
from .instructions import Instruction, PythonStatement, body_of, iter_registers_written
from .loop_residuals import rename_read_registers_in_place

COPY_STATEMENT = "{o0} = {0}"


def propagate_copies_in_place(
    instructions: Sequence[Instruction], declared: Mapping[str, VarDesc], fed: Iterable[str] = ()
) -> dict[str, str]:
    """Replace reads of copied registers by reads of the originals; dead-code elimination can then
    remove the copies. Returns a dict from each copy to its original.

    fed: the registers of inputs, which have a value before any op writes them.
    """
    writes = Counter(iter_registers_written(list(instructions)))
    writes.update(register for register in fed if not _has_initial_value(declared[register]))
    found: dict[str, str] = {}
    _collect_propagatable_copies(instructions, writes, declared, found)
    for instruction in instructions:
        rename_read_registers_in_place(instruction, found)
    return found


def _collect_propagatable_copies(
    instructions: Sequence[Instruction],
    writes: Counter[str],
    declared: Mapping[str, VarDesc],
    found: dict[str, str],
) -> None:
    for instruction in instructions:
        _collect_propagatable_copies(body_of(instruction), writes, declared, found)
        if isinstance(instruction, PythonStatement) and instruction.template == COPY_STATEMENT:
            source, copy = instruction.ins[0], instruction.outs[0]
            var = declared[copy]
            original = found.get(source, source)
            fixed = writes[copy] == 1 and writes[original] <= (
                0 if _has_initial_value(declared[original]) else 1
            )
            if fixed and not _has_initial_value(var):
                found[copy] = original


def _has_initial_value(var: VarDesc) -> bool:
    """Whether a variable has a value before any op writes it."""
    return var.persistable or var.checks_feed
