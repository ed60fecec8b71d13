"""Sequences in tensors: the offsets travel beside the values, in cells of their own.

A program says which of its inputs hold sequences (`lod_level`).   Ops whose slots ask for offsets get them; results have those that the
op's own rule gives, or, where the program declares that they hold sequences, those of the first operand that has any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...core.op import OPS, Slot
from ..blocks import EMPTY
from ..program import OpDesc, Program, VarDesc
from .plan import Do, Step

if TYPE_CHECKING:
    from .lowering import Lowering


class WithLod(NamedTuple):
    """A fetched array and the offsets of the sequences in it."""

    array: Any
    offsets: list[Any]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.array if dtype is None else self.array.astype(dtype)


class Sequences:
    """Which cell holds the offsets of a cell.   fed: those of inputs, by name"""

    def __init__(self, lowering: Lowering) -> None:
        self._lowering = lowering
        self.cells: dict[str, str] = {}
        self.fed: dict[str, str] = {}

    def declare(self, program: Program) -> None:
        """The inputs of a program that hold sequences."""
        for name, var in program.block.vars.items():
            if not self._lowering.tensors and var.lod_level and (var.need_check_feed or name in program.feeds()):
                self.fed[name] = self.cells[self._lowering.cell(0, name)] = self._lowering.spare(VarDesc(""))

    def operand(self, block: int, desc: OpDesc, slot: Slot, many: bool) -> Any:
        """The cell with the offsets of what is in another slot, those of each in one of many; None where it holds no sequences."""
        names = [n for n in desc.inputs.get(slot.lod_of, []) if n != EMPTY]
        found = [self.cells.get(self._lowering.cell(block, name)) for name in names]
        if not found or None in found:
            return None
        return tuple(found) if many else found[0]

    def result(self, block: int, desc: OpDesc, slot: Slot) -> Any:
        """The cell that gets the offsets of what is in another result slot, one for each in one of many; None where nobody has that."""
        names = [n for n in desc.outputs.get(slot.lod_of, []) if n != EMPTY]
        for name in names:
            self.cells[self._lowering.cell(block, name)] = self._lowering.spare(VarDesc(""))
        made = tuple(self.cells[self._lowering.cell(block, name)] for name in names)
        return made if slot.many else made[0] if made else None

    def after(self, block: int, desc: OpDesc) -> list[Step]:
        """Note the offsets of what an op gives; gives the instruction that computes them, if any."""
        if self._lowering.tensors:
            return []
        op = OPS.get(desc.type)
        if op is not None and op.lod_rule is not None:
            return [self._computed(block, desc)]
        found = [s.lod_of for s in op.outs if s.lod_of] if op is not None else []
        if found:
            names = [n for slot in found for n in desc.outputs.get(slot, []) if n != EMPTY]
            return [self._one_level(desc, self.cells[self._lowering.cell(block, name)]) for name in names]
        if self.cells:
            self._shared(block, desc)
        return []

    def _one_level(self, desc: OpDesc, cell: str) -> Step:
        """Offsets that a kernel gave, as a list of levels."""
        return Do(desc, "{o0} = [{0}]", (cell,), (cell,))

    def _shared(self, block: int, desc: OpDesc) -> None:
        inputs = (self._lowering.cell(block, n) for names in desc.inputs.values() for n in names if n != EMPTY)
        source = next((self.cells[cell] for cell in inputs if cell in self.cells), None)
        for name in (n for names in desc.outputs.values() for n in names if n != EMPTY):
            var = self._lowering.program.var(name, block)
            if source is not None and var is not None and var.lod_level:
                self.cells[self._lowering.cell(block, name)] = source

    def _computed(self, block: int, desc: OpDesc) -> Step:
        call = self._lowering.call(block, desc)
        out = next(cell for cell in call.outs if cell is not None)
        made = self.cells[out] = self._lowering.spare(VarDesc(""))
        cells: list[str] = []
        for slot in call.ins:
            cells += slot if isinstance(slot, tuple) else [] if slot is None else [slot]
        places = iter(range(len(cells)))
        text = ", ".join(
            "None" if slot is None
            else f"[{', '.join(f'{{{next(places)}}}' for _ in slot)}]" if isinstance(slot, tuple)
            else f"{{{next(places)}}}"
            for slot in call.ins
        )  # fmt: skip
        return Do(
            desc,
            f"{{o0}} = {{RULE}}({text}, **{{ATTRS}})",
            tuple(cells),
            (made,),
            {"RULE": call.op.lod_rule, "ATTRS": call.attrs},
        )


def levels(offsets: Any) -> list[Any]:
    """The lists of offsets in what is fed: one, or a list of them."""
    return list(offsets) if isinstance(offsets, list | tuple) else [offsets]
