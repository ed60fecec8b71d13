"""Instructions on registers. A register is a local variable of the compiled function, and holds the
value of a variable of one block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..core.op import Op
from ..ir.program import OpDesc, VarDesc

# one item per slot: a register, None for a missing input, or a tuple of registers for a list slot
RegisterSlots = tuple[Any, ...]


@dataclass(slots=True, eq=False)
class Instruction:
    """One instruction.

    desc: the op that it was lowered from.
    dead_after: registers that are set to None after the instruction, because no later instruction
    reads them.
    """

    desc: OpDesc
    dead_after: tuple[str, ...] = field(default=(), init=False)

    def iter_registers_read_excluding_body(self) -> Iterator[str]:
        """The registers that the instruction itself reads, without those that only its body
        reads.
        """
        return iter(())

    def iter_registers_written_excluding_body(self) -> Iterator[str]:
        """The registers that the instruction itself writes, without those that its body writes."""
        return iter(())


@dataclass(slots=True, eq=False)
class KernelCall(Instruction):
    """A call of a kernel.

    ins, outs: registers by slot.
    attrs: attributes with non-default values.
    """

    op: Op
    ins: RegisterSlots
    outs: RegisterSlots
    attrs: dict[str, Any]

    def iter_registers_read_excluding_body(self) -> Iterator[str]:
        """The registers in the input slots of the call."""
        return iter_registers_of_slots(self.ins)

    def iter_registers_written_excluding_body(self) -> Iterator[str]:
        """The registers in the output slots of the call."""
        return iter_registers_of_slots(self.outs)


@dataclass(slots=True, eq=False)
class PythonStatement(Instruction):
    """A Python statement.

    template: the source, with `{0}`, `{1}` ... for inputs and `{o0}` ... for outputs.
    name_values: the values of other names in the source.
    """

    template: str
    ins: tuple[str, ...]
    outs: tuple[str, ...]
    name_values: dict[str, Any] = field(default_factory=dict)

    def iter_registers_read_excluding_body(self) -> Iterator[str]:
        """The registers that the statement reads."""
        return iter(self.ins)

    def iter_registers_written_excluding_body(self) -> Iterator[str]:
        """The registers that the statement assigns."""
        return iter(self.outs)


@dataclass(slots=True, eq=False)
class ConditionalBody(Instruction):
    """A body that runs if a condition holds.

    condition: the source of the condition, with `{0}` ... for the registers that it reads.
    """

    condition: str
    ins: tuple[str, ...]
    body: list[Instruction]

    def iter_registers_read_excluding_body(self) -> Iterator[str]:
        """The registers that the condition reads."""
        return iter(self.ins)


@dataclass(slots=True, eq=False)
class Loop(Instruction):
    """A body that repeats while `condition_register` is true.

    residual_list: the register that holds a list with one tuple of residuals per iteration; None if
    the loop is not differentiated.
    saved_registers: the registers in each tuple.
    """

    condition_register: str
    body: list[Instruction]
    residual_list: str | None
    saved_registers: tuple[str, ...] = ()

    def iter_registers_read_excluding_body(self) -> Iterator[str]:
        """Yield the register of the condition. Registers that the body reads are reported by the
        instructions in the body.
        """
        return iter((self.condition_register,))

    def iter_registers_written_excluding_body(self) -> Iterator[str]:
        """Yield the register of the list of residuals, if there is one. Registers that the body
        writes are reported by the instructions in the body.
        """
        return iter(() if self.residual_list is None else (self.residual_list,))


@dataclass(slots=True, eq=False)
class BackwardLoop(Instruction):
    """A body that runs once for each iteration of a loop, in reverse order.

    saved_registers: the registers to which the residuals of an iteration are assigned.
    """

    forward_loop: Loop
    residual_list: str
    body: list[Instruction]
    saved_registers: tuple[str, ...] = ()

    def iter_registers_read_excluding_body(self) -> Iterator[str]:
        """Yield the register of the list of residuals. Registers that the body reads are reported
        by the instructions in the body.
        """
        return iter((self.residual_list,))


@dataclass(slots=True, eq=False)
class FusedCalls(Instruction):
    """Elementwise calls that are fused to one expression.

    call_codes: the expression instructions of each call.
    ins: registers that the group reads and does not write.
    outs: results that later instructions read.
    """

    calls: list[KernelCall]
    call_codes: list[Any]
    ins: tuple[str, ...]
    outs: tuple[str, ...] = ()

    def iter_registers_read_excluding_body(self) -> Iterator[str]:
        """The registers that the group reads before it writes them."""
        return iter(self.ins)

    def iter_registers_written_excluding_body(self) -> Iterator[str]:
        """All registers that the fused calls write, used later or not."""
        for call in self.calls:
            yield from call.iter_registers_written_excluding_body()


@dataclass(slots=True)
class LoweredProgram:
    """A program lowered to instructions on registers.

    registers: the registers by block and variable name.
    variables: the declaration of the variable in each register.
    lod_registers: by register, the register with its LoD offsets.
    feed_lod_registers: by name of an input, the register with its LoD offsets.
    """

    instructions: list[Instruction]
    registers: dict[tuple[int, str], str]
    variables: dict[str, VarDesc]
    lod_registers: dict[str, str] = field(default_factory=dict)
    feed_lod_registers: dict[str, str] = field(default_factory=dict)

    def find_outermost_variable_register(self, name: str) -> str | None:
        """The register of a variable of the outermost block; None if no op reads or writes it."""
        return self.registers.get((0, name))

    def inputs_needing_row_splits(self) -> list[str]:
        """The inputs whose LoD offsets an instruction reads."""
        read = (
            set(iter_registers_read(self.instructions)) if self.feed_lod_registers else set[str]()
        )
        return [name for name, register in self.feed_lod_registers.items() if register in read]

    def get_or_create_outermost_variable_register(self, name: str) -> str:
        """The register of a variable of the outermost block; a new one if no op reads or writes the
        variable.
        """
        return self.registers.setdefault((0, name), f"u{len(self.registers)}")


def iter_registers_of_slots(slots: RegisterSlots) -> Iterator[str]:
    """Yield all registers in some slots, including those in list slots."""
    for slot in slots:
        if isinstance(slot, tuple):
            yield from slot
        elif slot is not None:
            yield slot


def body_of(instruction: Instruction) -> list[Instruction]:
    """The instructions in the body of an instruction; empty for an instruction without body."""
    return (
        instruction.body if isinstance(instruction, ConditionalBody | Loop | BackwardLoop) else []
    )


def iter_registers_read(instructions: list[Instruction]) -> Iterator[str]:
    """All registers that instructions read, bodies included."""
    for instruction in instructions:
        yield from instruction.iter_registers_read_excluding_body()
        inside = body_of(instruction)
        if inside:
            own = (
                set(instruction.saved_registers)
                if isinstance(instruction, BackwardLoop)
                else set[str]()
            )
            yield from (register for register in iter_registers_read(inside) if register not in own)


def iter_registers_written(instructions: list[Instruction]) -> Iterator[str]:
    """All registers that instructions write, bodies included."""
    for instruction in instructions:
        yield from instruction.iter_registers_written_excluding_body()
        yield from iter_registers_written(body_of(instruction))
