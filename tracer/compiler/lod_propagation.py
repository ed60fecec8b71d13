"""Sequences in tensors: the offsets travel beside the values, in cells of their own.

A program says which of its inputs hold sequences (`lod_level`).
Ops whose slots ask for offsets get them; results have those that the op's own rule gives, or, where
the program declares that they hold sequences, those of the first operand that has any.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from ..capture.variable import GRADIENT
from ..core.op import OPS, Slot
from ..ir.block_captures import EMPTY
from ..ir.program import OpDesc, Program, VarDesc
from ..ops.meta import float_like_x, like_x
from . import tensor_lists
from .instructions import Call, Do, Step
from .registers import Registers


class WithLod(NamedTuple):
    """A fetched array and the offsets of the sequences in it."""

    array: Any
    offsets: list[Any]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.array if dtype is None else self.array.astype(dtype)


class Sequences:
    """Which cell holds the offsets of a cell.   fed: those of inputs, by name

    A variable that several ops write has a cell of its own for them, and so has a list: a list of
    those of its elements.
    """

    def __init__(self, registers: Registers, call: Callable[[int, OpDesc], Call]) -> None:
        self._registers, self._call = registers, call
        self.cells: dict[str, str] = {}
        self.fed: dict[str, str] = {}
        self._again: set[str] = set()  # names that several ops write
        self._lists = False  # whether lists may hold sequences

    def declare(self, program: Program) -> None:
        """The inputs of a program that hold sequences."""
        feeds = frozenset(program.feeds())
        for name, var in program.block.vars.items():
            if not self._registers.tensors and var.lod_level and (var.checks_feed or name in feeds):
                self.fed[name] = self.cells[self._registers.cell(0, name)] = (
                    self._registers.new_temporary(VarDesc(""))
                )
        self._lists = bool(self.fed)
        if self.fed:
            written = Counter(
                name for op in program.ops() for names in op.outputs.values() for name in set(names)
            )
            self._again = {name for name, count in written.items() if count > 1}

    def operand(self, block: int, desc: OpDesc, slot: Slot, many: bool) -> Any:
        """The cell with the offsets of what is in another slot, those of each in one of many; None
        where it holds no sequences.
        """
        names = [n for n in desc.inputs.get(slot.lod_of, []) if n != EMPTY]
        found = [self.cells.get(self._registers.cell(block, name)) for name in names]
        if not found or None in found:
            return None
        return tuple(found) if many else found[0]

    def result(self, block: int, desc: OpDesc, slot: Slot) -> Any:
        """The cell that gets the offsets of what is in another result slot, one for each in one of
        many; None where nobody has that.
        """
        names = [n for n in desc.outputs.get(slot.lod_of, []) if n != EMPTY]
        for name in names:
            self.cells[self._registers.cell(block, name)] = self._registers.new_temporary(
                VarDesc("")
            )
        made = tuple(self.cells[self._registers.cell(block, name)] for name in names)
        return made if slot.many else made[0] if made else None

    def after(self, block: int, desc: OpDesc) -> list[Step]:
        """Note the offsets of what an op gives; gives the instruction that computes them,
        if any.
        """
        if self._registers.tensors:
            return []
        if self._lists and desc.type in ON_LISTS:
            return ON_LISTS[desc.type](self, block, desc)
        op = OPS.get(desc.type)
        if op is not None and op.lod_rule is not None:
            return [self._computed(block, desc)]
        found = [s.lod_of for s in op.outs if s.lod_of] if op is not None else []
        if found:
            names = [n for slot in found for n in desc.outputs.get(slot, []) if n != EMPTY]
            return [
                self._one_level(desc, self.cells[self._registers.cell(block, name)])
                for name in names
            ]
        return self._shared(block, desc) if self.cells and "sub_block" not in desc.attrs else []

    def _one_level(self, desc: OpDesc, cell: str) -> Step:
        """Offsets that a kernel gave, as a list of levels."""
        return Do(desc, "{o0} = [{0}]", (cell,), (cell,))

    def _shared(self, block: int, desc: OpDesc) -> list[Step]:
        names = [n for names in desc.inputs.values() for n in names if n != EMPTY]
        inputs = (
            self._registers.cell(block, n)
            for n in (names[:1] if desc.type in OF_THE_FIRST else names)
        )
        source = next((self.cells[cell] for cell in inputs if cell in self.cells), None)
        made: list[Step] = []
        like = source is not None and keeps_rows(desc.type)
        for name in (n for names in desc.outputs.values() for n in names if n != EMPTY):
            var = self._registers.program.var(name, block)
            if (
                var is None
                or self._registers.is_array(block, name)
                or not (var.lod_level or (like and GRADIENT not in name))
            ):
                continue
            if name in self._again and desc.type not in IN_PLACE:
                made.append(
                    self.do(
                        desc,
                        "{o0} = []" if source is None else "{o0} = {0}",
                        (source,),
                        self.own(block, name),
                    )
                )
            elif source is not None:
                self.cells[self._registers.cell(block, name)] = source
        return made

    def cell(self, block: int, name: str) -> str:
        """The cell of a variable."""
        return self._registers.cell(block, name)

    def own(self, block: int, name: str) -> str:
        """The cell for the offsets of a variable that has them for itself."""
        cell = self._registers.cell(block, name)
        if cell not in self.cells:
            self.cells[cell] = self._registers.new_temporary(VarDesc(""))
        return self.cells[cell]

    def of(self, block: int, desc: OpDesc, slot: str) -> str | None:
        """The cell with the offsets of what is in a slot."""
        return self.cells.get(self._registers.cell(block, desc.inputs[slot][0]))

    @staticmethod
    def do(desc: OpDesc, text: str, ins: tuple[str | None, ...], out: str, **names: Any) -> Step:
        """An instruction on offsets."""
        return Do(desc, text, tuple(cell for cell in ins if cell is not None), (out,), names)

    def _computed(self, block: int, desc: OpDesc) -> Step:
        call = self._call(block, desc)
        outs = [cell for cell in call.outs[: call.op.lod_outs] if cell is not None]
        again = any(n in self._again for names in desc.outputs.values() for n in names)
        made = (self.cells.get(outs[0]) if again else None) or self._registers.new_temporary(
            VarDesc("")
        )
        self.cells |= dict.fromkeys(outs, made)
        cells: list[str] = []
        for slot in call.ins:
            cells += slot if isinstance(slot, tuple) else [] if slot is None else [slot]
        places = iter(range(len(cells)))
        text = ", ".join(
            "None"
            if slot is None
            else f"[{', '.join(f'{{{next(places)}}}' for _ in slot)}]"
            if isinstance(slot, tuple)
            else f"{{{next(places)}}}"
            for slot in call.ins
        )
        return Do(
            desc,
            f"{{o0}} = {{RULE}}({text}, **{{ATTRS}})",
            tuple(cells),
            (made,),
            {"RULE": call.op.lod_rule, "ATTRS": call.attrs},
        )


# -- lists
# ------------------------------------------------------------------------------


def _written(self: Sequences, block: int, desc: OpDesc) -> list[Step]:
    held, at = self.own(block, desc.outputs["Out"][0]), self.cell(block, desc.inputs["I"][0])
    source = self.of(block, desc, "X")
    value = "[]" if source is None else "{2}"
    return [
        self.do(
            desc,
            f"{{o0}} = {{WRITE}}({{0}}, {{1}}, {value})",
            (held, at, source),
            held,
            WRITE=tensor_lists.written,
        )
    ]


def _read(self: Sequences, block: int, desc: OpDesc) -> list[Step]:
    held, at = self.own(block, desc.inputs["X"][0]), self.cell(block, desc.inputs["I"][0])
    return [
        self.do(
            desc,
            "{o0} = {READ}({0}, {1})",
            (held, at),
            self.own(block, desc.outputs["Out"][0]),
            READ=tensor_lists.read,
        )
    ]


def _nothing(self: Sequences, block: int, desc: OpDesc) -> list[Step]:
    return []


def _begun(self: Sequences, block: int, desc: OpDesc) -> list[Step]:
    return [self.do(desc, "{o0} = []", (), self.own(block, desc.outputs["Out"][0]))]


Rule = Callable[[Sequences, int, OpDesc], list[Step]]
ON_LISTS: dict[str, Rule] = {
    "create_array": _begun,
    "write_to_array": _written,
    "read_from_array": _read,
    "lod_array_length": _nothing,
    "tensor_array_to_tensor": _nothing,
    "beam_search_decode": _nothing,
    "lod_tensor_to_array": _nothing,
    "array_to_lod_tensor": _nothing,
}


def keeps_rows(type: str) -> bool:
    """Whether the result of an op has the sequences of its operand even where a program does not
    say so.
    """
    op = OPS.get(type)
    return (
        op is not None
        and op.meta_rule in (like_x, float_like_x)
        and op.single
        and not op.traits.breaks_lod
    )


OF_THE_FIRST = {"sum"}  # ops whose result has the sequences of the first operand only
IN_PLACE = {"increment"}


def levels(offsets: Any) -> list[Any]:
    """The lists of offsets in what is fed: one, or a list of them."""
    return list(offsets) if isinstance(offsets, list | tuple) else [offsets]
