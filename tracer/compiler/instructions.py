"""Instructions on registers. A register is a variable of one block and a local variable of the
compiled function.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..core.op import Op
from ..ir.program import OpDesc, VarDesc

# by slot: a register, None for a missing input, or a tuple of registers for a list slot
RegisterSlots = tuple[Any, ...]


@dataclass(slots=True, eq=False)
class Instruction:
    """One instruction. desc: its op; dead_after: registers that are not read after it."""

    desc: OpDesc
    dead_after: tuple[str, ...] = field(default=(), init=False)

    def reads(self) -> Iterator[str]:
        """The registers that it reads, without its body."""
        return iter(())

    def writes(self) -> Iterator[str]:
        """The registers that it writes, without its body."""
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

    def reads(self) -> Iterator[str]:
        """The registers of the input slots."""
        return iter_registers(self.ins)

    def writes(self) -> Iterator[str]:
        """The registers of the output slots."""
        return iter_registers(self.outs)


@dataclass(slots=True, eq=False)
class Statement(Instruction):
    """A Python statement.

    text: its source with `{0}`, `{1}` ... for inputs and `{o0}` ... for outputs.
    names: the values of its other names.
    """

    text: str
    ins: tuple[str, ...]
    outs: tuple[str, ...]
    names: dict[str, Any] = field(default_factory=dict)

    def reads(self) -> Iterator[str]:
        """The inputs."""
        return iter(self.ins)

    def writes(self) -> Iterator[str]:
        """The outputs."""
        return iter(self.outs)


@dataclass(slots=True, eq=False)
class Branch(Instruction):
    """A body that runs if a condition holds.

    test: source of the condition, with `{0}` ... for the registers that it reads.
    """

    test: str
    ins: tuple[str, ...]
    body: list[Instruction]

    def reads(self) -> Iterator[str]:
        """The registers of the condition."""
        return iter(self.ins)


@dataclass(slots=True, eq=False)
class Loop(Instruction):
    """A body that repeats while register `cond` is true.

    residuals: the register with the list of residuals, one tuple per iteration; None if the loop is
    not differentiated.
    saved: the registers in each tuple.
    """

    cond: str
    body: list[Instruction]
    residuals: str | None
    saved: tuple[str, ...] = ()

    def reads(self) -> Iterator[str]:
        """The condition."""
        return iter((self.cond,))

    def writes(self) -> Iterator[str]:
        """The residuals."""
        return iter(() if self.residuals is None else (self.residuals,))


@dataclass(slots=True, eq=False)
class BackwardLoop(Instruction):
    """A body that runs once for each iteration of a loop, in reverse order.

    saved: the registers to which the residuals of an iteration are assigned.
    """

    loop: Loop
    residuals: str
    body: list[Instruction]
    saved: tuple[str, ...] = ()

    def reads(self) -> Iterator[str]:
        """The residuals."""
        return iter((self.residuals,))


@dataclass(slots=True, eq=False)
class FusedCalls(Instruction):
    """Elementwise calls fused to one expression.

    codes: the expression instructions of each call.
    ins: registers from outside.
    outs: results that are read later.
    """

    calls: list[KernelCall]
    codes: list[Any]
    ins: tuple[str, ...]
    outs: tuple[str, ...] = ()

    def reads(self) -> Iterator[str]:
        """The inputs of the group."""
        return iter(self.ins)

    def writes(self) -> Iterator[str]:
        """All registers that the calls write."""
        for call in self.calls:
            yield from call.writes()


@dataclass(slots=True)
class LoweredProgram:
    """A program as instructions.

    registers: by block and name.
    declared: the variable of each register.
    lods: the register with the LoD offsets of a register.
    fed_lods: the same for inputs, by name.
    """

    instructions: list[Instruction]
    registers: dict[tuple[int, str], str]
    declared: dict[str, VarDesc]
    lods: dict[str, str] = field(default_factory=dict)
    fed_lods: dict[str, str] = field(default_factory=dict)

    def register(self, name: str) -> str | None:
        """The register of a variable of the outermost block; None if no op reads or writes it."""
        return self.registers.get((0, name))

    def lod_inputs(self) -> list[str]:
        """The inputs whose LoD offsets an instruction reads."""
        read = set(all_reads(self.instructions)) if self.fed_lods else set[str]()
        return [name for name, register in self.fed_lods.items() if register in read]

    def register_for(self, name: str) -> str:
        """The register of a variable of the outermost block; created if necessary."""
        return self.registers.setdefault((0, name), f"u{len(self.registers)}")


def iter_registers(slots: RegisterSlots) -> Iterator[str]:
    """All registers of some slots."""
    for slot in slots:
        if isinstance(slot, tuple):
            yield from slot
        elif slot is not None:
            yield slot


def body_of(instruction: Instruction) -> list[Instruction]:
    """The body of an instruction; empty if it has none."""
    return instruction.body if isinstance(instruction, Branch | Loop | BackwardLoop) else []


def all_reads(instructions: list[Instruction]) -> Iterator[str]:
    """All registers that instructions read, bodies included."""
    for instruction in instructions:
        yield from instruction.reads()
        inside = body_of(instruction)
        if inside:
            own = set(instruction.saved) if isinstance(instruction, BackwardLoop) else set[str]()
            yield from (register for register in all_reads(inside) if register not in own)


def all_writes(instructions: list[Instruction]) -> Iterator[str]:
    """All registers that instructions write, bodies included."""
    for instruction in instructions:
        yield from instruction.writes()
        yield from all_writes(body_of(instruction))
