"""What a program does, as instructions on cells: a cell is a variable of one block, and a local of
the function that is made of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..core.op import Op
from ..ir.program import OpDesc, VarDesc

# by slot: a cell, None for no operand, or a tuple of cells for a slot of many
Slotted = tuple[Any, ...]


@dataclass(slots=True, eq=False)
class Step:
    """One instruction.   desc: the op that it is; dying: cells that nobody reads after it."""

    desc: OpDesc
    dying: tuple[str, ...] = field(default=(), init=False)

    def reads(self) -> Iterator[str]:
        """The cells that it reads itself; bodies are asked apart."""
        return iter(())

    def writes(self) -> Iterator[str]:
        """The cells that it writes itself."""
        return iter(())


@dataclass(slots=True, eq=False)
class Call(Step):
    """A kernel.   ins, outs: cells by slot; attrs: those that are not at their defaults."""

    op: Op
    ins: Slotted
    outs: Slotted
    attrs: dict[str, Any]

    def reads(self) -> Iterator[str]:
        """See Step."""
        return cells_in(self.ins)

    def writes(self) -> Iterator[str]:
        """See Step."""
        return cells_in(self.outs)


@dataclass(slots=True, eq=False)
class Do(Step):
    """A statement that is no kernel.

    text: its source with `{0}`, `{1}` ... for operands; names: what else it is about, by name.
    """

    text: str
    ins: tuple[str, ...]
    outs: tuple[str, ...]
    names: dict[str, Any] = field(default_factory=dict)

    def reads(self) -> Iterator[str]:
        """See Step."""
        return iter(self.ins)

    def writes(self) -> Iterator[str]:
        """See Step."""
        return iter(self.outs)


@dataclass(slots=True, eq=False)
class Branch(Step):
    """A body that runs if a condition holds.

    test: its source, with `{0}` for the cells that it reads.
    """

    test: str
    ins: tuple[str, ...]
    body: list[Step]

    def reads(self) -> Iterator[str]:
        """See Step."""
        return iter(self.ins)


@dataclass(slots=True, eq=False)
class Loop(Step):
    """A body that runs while a cell holds.

    rounds: the cell of what each round leaves for the way back, which are `kept`.
    """

    cond: str
    body: list[Step]
    rounds: str | None
    kept: tuple[str, ...] = ()

    def reads(self) -> Iterator[str]:
        """See Step."""
        return iter((self.cond,))

    def writes(self) -> Iterator[str]:
        """See Step."""
        return iter(() if self.rounds is None else (self.rounds,))


@dataclass(slots=True, eq=False)
class Back(Step):
    """A body that runs for each round of a loop, the last one first.

    kept: cells that hold what the round had left.
    """

    loop: Loop
    rounds: str
    body: list[Step]
    kept: tuple[str, ...] = ()

    def reads(self) -> Iterator[str]:
        """See Step."""
        return iter((self.rounds,))


@dataclass(slots=True, eq=False)
class Fused(Step):
    """Several elementwise kernels that are one call.

    calls: in order; codes: what each is in an expression; ins: cells from outside; outs: results
    that somebody else reads.
    """

    calls: list[Call]
    codes: list[Any]
    ins: tuple[str, ...]
    outs: tuple[str, ...] = ()

    def reads(self) -> Iterator[str]:
        """See Step."""
        return iter(self.ins)

    def writes(self) -> Iterator[str]:
        """See Step."""
        for call in self.calls:
            yield from call.writes()


@dataclass(slots=True)
class Plan:
    """A program as instructions.

    cells: by block and name; declared: what the program says of a cell; lods: the cell with the
    offsets of the sequences in a cell; fed_lods: those of inputs, by name.
    """

    steps: list[Step]
    cells: dict[tuple[int, str], str]
    declared: dict[str, VarDesc]
    lods: dict[str, str] = field(default_factory=dict)
    fed_lods: dict[str, str] = field(default_factory=dict)

    def cell(self, name: str) -> str | None:
        """The cell of a variable of the outermost block, None for one that no op touches."""
        return self.cells.get((0, name))

    def packed(self) -> list[str]:
        """The inputs whose offsets some instruction reads."""
        read = set(all_reads(self.steps)) if self.fed_lods else set[str]()
        return [name for name, cell in self.fed_lods.items() if cell in read]

    def place(self, name: str) -> str:
        """The cell of a variable of the outermost block; a new one where no op touches it."""
        return self.cells.setdefault((0, name), f"u{len(self.cells)}")


def cells_in(slots: Slotted) -> Iterator[str]:
    """Every cell of some slots."""
    for slot in slots:
        if isinstance(slot, tuple):
            yield from slot
        elif slot is not None:
            yield slot


def body_of(step: Step) -> list[Step]:
    """The instructions inside of one."""
    return step.body if isinstance(step, Branch | Loop | Back) else []


def all_reads(steps: list[Step]) -> Iterator[str]:
    """Every cell that some instructions read, their bodies included."""
    for step in steps:
        yield from step.reads()
        inside = body_of(step)
        if inside:
            own = set(step.kept) if isinstance(step, Back) else set[str]()
            yield from (cell for cell in all_reads(inside) if cell not in own)


def all_writes(steps: list[Step]) -> Iterator[str]:
    """Every cell that some instructions write, their bodies included."""
    for step in steps:
        yield from step.writes()
        yield from all_writes(body_of(step))
