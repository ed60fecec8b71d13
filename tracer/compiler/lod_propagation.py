"""Propagate LoD offsets from op to op at run time. The offsets of a variable are held in a separate
register.

A program declares which inputs hold sequences (`lod_level`). Ops with LoD slots read the offsets.
The offsets of a result come from the op's LoD rule. If the op has no LoD rule, a result that the
program declares as a sequence gets the offsets of the first input that has offsets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..capture.variable import GRADIENT_SUFFIX
from ..core.op import OPS, Slot
from ..ir.block_captures import EMPTY_NAME
from ..ir.program import OpDesc, Program, VarDesc
from ..ops.shared_op_rules import like_x_meta, like_x_meta_requiring_float
from . import tensor_lists
from .instructions import Instruction, KernelCall, PythonStatement
from .registers import RegisterAllocator


class FetchedArrayAndLodOffsets(NamedTuple):
    """A fetched array with LoD offsets."""

    array: Any
    offsets: list[Any]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.array, dtype, copy=copy)


class LodPropagation:
    """Assigns to each register that holds sequences a second register, which holds their LoD
    offsets.

    lod_registers: by register, the register with its offsets.
    feed_lod_registers: by name of an input, the register with its offsets.

    A variable that several ops write has its own offsets register. The offsets of a TensorArray are
    a list with the offsets of its elements.
    """

    def __init__(
        self, registers: RegisterAllocator, call: Callable[[int, OpDesc], KernelCall]
    ) -> None:
        self._registers, self._lower_to_kernel_call = registers, call
        self.lod_registers: dict[str, str] = {}
        self.feed_lod_registers: dict[str, str] = {}
        self._multi_write_names: set[str] = set()  # names that several ops write
        self._arrays_have_lod = False

    def create_offsets_registers_of_lod_inputs(self, program: Program) -> None:
        """Create an offsets register for each fed input with LoD."""
        feeds = frozenset(program.feed_names())
        for name, var in program.block.vars.items():
            if not self._registers.tensors and var.lod_level and (var.checks_feed or name in feeds):
                self.feed_lod_registers[name] = self.lod_registers[
                    self._registers.get_or_create_register(0, name)
                ] = self._registers.new_temporary(VarDesc(""))
        self._arrays_have_lod = bool(self.feed_lod_registers)
        if self.feed_lod_registers:
            written = Counter(
                name for op in program.ops() for names in op.outputs.values() for name in set(names)
            )
            self._multi_write_names = {name for name, count in written.items() if count > 1}

    def find_offsets_registers_of_lod_slot(
        self, block: int, desc: OpDesc, slot: Slot, many: bool
    ) -> Any:
        """The offsets register for an LoD input slot (a tuple for a list slot); None if the input
        is not a sequence.
        """
        names = [n for n in desc.inputs.get(slot.values_slot_of_lod_slot, []) if n != EMPTY_NAME]
        found = [
            self.lod_registers.get(self._registers.get_or_create_register(block, name))
            for name in names
        ]
        if not found or None in found:
            return None
        return tuple(found) if many else found[0]

    def create_offsets_registers_of_lod_slot(self, block: int, desc: OpDesc, slot: Slot) -> Any:
        """The offsets register for an LoD output slot; None if the output is unused."""
        names = [n for n in desc.outputs.get(slot.values_slot_of_lod_slot, []) if n != EMPTY_NAME]
        for name in names:
            self.lod_registers[self._registers.get_or_create_register(block, name)] = (
                self._registers.new_temporary(VarDesc(""))
            )
        result = tuple(
            self.lod_registers[self._registers.get_or_create_register(block, name)]
            for name in names
        )
        return result if slot.is_list else result[0] if result else None

    def lower_output_lod_of_op(self, block: int, desc: OpDesc) -> list[Instruction]:
        """Create offsets registers for the results of an op; return the instructions that compute
        the offsets.
        """
        if self._registers.tensors:
            return []
        if self._arrays_have_lod and desc.type in TENSOR_ARRAY_RULES:
            return TENSOR_ARRAY_RULES[desc.type](self, block, desc)
        op = OPS.get(desc.type)
        if op is not None and op.lod_rule is not None:
            return [self._make_lod_rule_call(block, desc)]
        found = (
            [s.values_slot_of_lod_slot for s in op.outs if s.values_slot_of_lod_slot]
            if op is not None
            else []
        )
        if found:
            names = [n for slot in found for n in desc.outputs.get(slot, []) if n != EMPTY_NAME]
            return [
                self._make_wrap_in_level_list_statement(
                    desc, self.lod_registers[self._registers.get_or_create_register(block, name)]
                )
                for name in names
            ]
        return (
            self._lower_lod_inherited_from_input(block, desc)
            if self.lod_registers and "sub_block" not in desc.attrs
            else []
        )

    def _make_wrap_in_level_list_statement(self, desc: OpDesc, register: str) -> Instruction:
        """Return a statement that wraps the offsets array returned by a kernel in a list of one
        level.
        """
        return PythonStatement(desc, "{o0} = [{0}]", (register,), (register,))

    def _lower_lod_inherited_from_input(self, block: int, desc: OpDesc) -> list[Instruction]:
        names = [n for names in desc.inputs.values() for n in names if n != EMPTY_NAME]
        inputs = (
            self._registers.get_or_create_register(block, n)
            for n in (names[:1] if desc.type in FIRST_INPUT_LOD_OPS else names)
        )
        source = next(
            (self.lod_registers[register] for register in inputs if register in self.lod_registers),
            None,
        )
        result: list[Instruction] = []
        like = source is not None and propagates_lod_to_undeclared_result(desc.type)
        for name in (n for names in desc.outputs.values() for n in names if n != EMPTY_NAME):
            var = self._registers.program.var(name, block)
            if (
                var is None
                or self._registers.is_tensor_array(block, name)
                or not (var.lod_level or (like and GRADIENT_SUFFIX not in name))
            ):
                continue
            if name in self._multi_write_names and desc.type not in IN_PLACE_OPS:
                result.append(
                    self.make_lod_statement(
                        desc,
                        "{o0} = []" if source is None else "{o0} = {0}",
                        (source,),
                        self.get_or_create_lod_register(block, name),
                    )
                )
            elif source is not None:
                self.lod_registers[self._registers.get_or_create_register(block, name)] = source
        return result

    def get_or_create_register(self, block: int, name: str) -> str:
        """The register of a variable, resolved from `block` outwards; a new one at the first
        call.
        """
        return self._registers.get_or_create_register(block, name)

    def get_or_create_lod_register(self, block: int, name: str) -> str:
        """The separate offsets register of a variable; created if necessary."""
        register = self._registers.get_or_create_register(block, name)
        if register not in self.lod_registers:
            self.lod_registers[register] = self._registers.new_temporary(VarDesc(""))
        return self.lod_registers[register]

    def find_input_lod_register(self, block: int, desc: OpDesc, slot: str) -> str | None:
        """The offsets register of the variable in an input slot; None if the variable has none."""
        return self.lod_registers.get(
            self._registers.get_or_create_register(block, desc.inputs[slot][0])
        )

    @staticmethod
    def make_lod_statement(
        desc: OpDesc, text: str, ins: tuple[str | None, ...], out: str, **names: Any
    ) -> Instruction:
        """Return an instruction that runs the Python statement `text` on the offsets registers
        `ins` and writes the offsets register `out`.
        """
        return PythonStatement(
            desc, text, tuple(register for register in ins if register is not None), (out,), names
        )

    def _make_lod_rule_call(self, block: int, desc: OpDesc) -> Instruction:
        call = self._lower_to_kernel_call(block, desc)
        outs = [register for register in call.outs[: call.op.num_lod_outs] if register is not None]
        again = any(n in self._multi_write_names for names in desc.outputs.values() for n in names)
        result = (
            self.lod_registers.get(outs[0]) if again else None
        ) or self._registers.new_temporary(VarDesc(""))
        self.lod_registers |= dict.fromkeys(outs, result)
        registers: list[str] = []
        for slot in call.ins:
            registers += slot if isinstance(slot, tuple) else [] if slot is None else [slot]
        places = iter(range(len(registers)))
        text = ", ".join(
            "None"
            if slot is None
            else f"[{', '.join(f'{{{next(places)}}}' for _ in slot)}]"
            if isinstance(slot, tuple)
            else f"{{{next(places)}}}"
            for slot in call.ins
        )
        return PythonStatement(
            desc,
            f"{{o0}} = {{RULE}}({text}, **{{ATTRS}})",
            tuple(registers),
            (result,),
            {"RULE": call.op.lod_rule, "ATTRS": call.attrs},
        )


# -- TensorArrays
# ------------------------------------------------------------------------------


def _lower_lod_of_write_to_array(
    self: LodPropagation, block: int, desc: OpDesc
) -> list[Instruction]:
    held, at = (
        self.get_or_create_lod_register(block, desc.outputs["Out"][0]),
        self.get_or_create_register(block, desc.inputs["I"][0]),
    )
    source = self.find_input_lod_register(block, desc, "X")
    value = "[]" if source is None else "{2}"
    return [
        self.make_lod_statement(
            desc,
            f"{{o0}} = {{WRITE}}({{0}}, {{1}}, {value})",
            (held, at, source),
            held,
            WRITE=tensor_lists.write_element,
        )
    ]


def _lower_lod_of_read_from_array(
    self: LodPropagation, block: int, desc: OpDesc
) -> list[Instruction]:
    held, at = (
        self.get_or_create_lod_register(block, desc.inputs["X"][0]),
        self.get_or_create_register(block, desc.inputs["I"][0]),
    )
    return [
        self.make_lod_statement(
            desc,
            "{o0} = {READ}({0}, {1})",
            (held, at),
            self.get_or_create_lod_register(block, desc.outputs["Out"][0]),
            READ=tensor_lists.read_element,
        )
    ]


def _lower_to_no_lod_instructions(
    self: LodPropagation, block: int, desc: OpDesc
) -> list[Instruction]:
    return []


def _lower_lod_of_create_array(self: LodPropagation, block: int, desc: OpDesc) -> list[Instruction]:
    return [
        self.make_lod_statement(
            desc, "{o0} = []", (), self.get_or_create_lod_register(block, desc.outputs["Out"][0])
        )
    ]


LodLoweringRule = Callable[[LodPropagation, int, OpDesc], list[Instruction]]
TENSOR_ARRAY_RULES: dict[str, LodLoweringRule] = {
    "create_array": _lower_lod_of_create_array,
    "write_to_array": _lower_lod_of_write_to_array,
    "read_from_array": _lower_lod_of_read_from_array,
    "lod_array_length": _lower_to_no_lod_instructions,
    "tensor_array_to_tensor": _lower_to_no_lod_instructions,
    "beam_search_decode": _lower_to_no_lod_instructions,
    "lod_tensor_to_array": _lower_to_no_lod_instructions,
    "array_to_lod_tensor": _lower_to_no_lod_instructions,
}


def propagates_lod_to_undeclared_result(type: str) -> bool:
    """Whether the result of an op gets the LoD of its input even if the program does not
    declare the result as a sequence.
    """
    op = OPS.get(type)
    return (
        op is not None
        and op.meta_rule in (like_x_meta, like_x_meta_requiring_float)
        and op.has_single_output
        and not op.traits.breaks_lod
    )


FIRST_INPUT_LOD_OPS = {"sum"}  # ops whose result has the LoD of the first input only
IN_PLACE_OPS = {"increment"}


def offsets_as_level_list(offsets: Any) -> list[Any]:
    """Convert fed LoD offsets to a list of levels; a single array becomes the only level."""
    return list(offsets) if isinstance(offsets, list | tuple) else [offsets]
