"""Lower ops to instructions: map variables to registers and ops to kernels."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ..autodiff.grad_op_replacements import GradOpReplacements
from ..capture.variable import GRADIENT_SUFFIX
from ..core.op import OPS, AttrSpec, Op, Slot
from ..ir.attr_checks import check_attrs
from ..ir.attr_types import REFERENCE_ATTR_TYPES
from ..ir.block_captures import EMPTY_NAME
from ..ir.kernelless_op_traits import is_feed_or_fetch, kernelless_op_traits_or_default
from ..ir.passes.move_var_name_attr_to_input_slot import move_var_name_attr_to_input_slot
from ..ir.passes.scalar_result_predicates import may_reduce_to_scalar
from ..ir.program import Attr, AttrType, Block, OpDesc, Program, VarKind
from .copy_propagation import propagate_copies_in_place
from .error_wrapping import errors_as_op_error
from .instructions import Instruction, KernelCall, Loop, LoweredProgram, PythonStatement
from .lod_propagation import LodPropagation
from .loop_residuals import set_saved_registers_of_loops
from .registers import RegisterAllocator

LoweringRule = Callable[["Lowering", int, OpDesc], Instruction | None]
# Lowering rules of ops that are not lowered to a kernel call. Each module that defines rules adds
# them to the two tables when it is imported.
LOWERING_RULES: dict[
    str, LoweringRule
] = {}  # by op type: rules that return one instruction, or None to lower the op to a kernel call
# by op type: rules that return a list of instructions
MULTI_INSTRUCTION_RULES: dict[str, Callable[[Lowering, int, OpDesc], list[Instruction]]] = {}


class Lowering(RegisterAllocator):
    """Lower the ops of a program to instructions.

    tensors: registers hold Tensors instead of arrays; ops run in the current mode.
    """

    def __init__(self, program: Program, tensors: bool = False) -> None:
        super().__init__(program, tensors)
        # name of the register for residuals -> the loop that saves them
        self.forward_loops: dict[str, Loop] = {}
        self.step_index_registers: dict[
            str, str
        ] = {}  # name of the register for residuals -> the register of the loop's step index
        self.differentiated_step_scopes = find_differentiated_step_scope_names(program)
        self.grad_op_replacements = GradOpReplacements(program)
        self.lod_propagation = LodPropagation(self, self.lower_to_kernel_call)
        self.lod_propagation.create_offsets_registers_of_lod_inputs(program)

    # -- instructions
    # -------------------------------------------------------------------------------------------

    def lower_to_instructions(self) -> LoweredProgram:
        """Lower the whole program, propagate copies, and select the residuals of loops."""
        instructions = self.lower_block(self.program.block)
        lods = self.lod_propagation.lod_registers
        if not self.tensors:
            same = propagate_copies_in_place(
                instructions,
                self.variables,
                self.get_or_create_registers(0, self.program.feed_names()),
            )
            self.registers = {
                key: same.get(register, register) for key, register in self.registers.items()
            }
            lods = {same.get(register, register): offsets for register, offsets in lods.items()}
        set_saved_registers_of_loops(instructions)
        return LoweredProgram(
            instructions,
            self.registers,
            self.variables,
            lods,
            self.lod_propagation.feed_lod_registers,
        )

    def lower_block(self, block: Block) -> list[Instruction]:
        """Return the instructions of all ops of a block, except feed and fetch ops."""
        return [
            instruction
            for op in block.ops
            if not is_feed_or_fetch(op.type)
            for instruction in self.lower_op(block.idx, op)
        ]

    def block_array_reset_instructions(self, block: Block, desc: OpDesc) -> list[Instruction]:
        """Return instructions for the start of an iteration or branch: they empty the TensorArrays
        that `block` declares.
        """
        lists = [
            v.name
            for v in block.vars.values()
            if v.kind == VarKind.ARRAY and not (v.persistable or GRADIENT_SUFFIX in v.name)
        ]
        return [
            PythonStatement(desc, "{o0} = None", (), (register,), {})
            for register in self.get_or_create_registers(block.idx, lists)
        ]

    def lower_op(self, block: int, desc: OpDesc) -> list[Instruction]:
        """Return the instructions that compute an op and the LoD offsets of its results."""
        several = MULTI_INSTRUCTION_RULES.get(desc.type)
        with errors_as_op_error(desc):
            result = (
                [self.lower_to_one_instruction(block, desc)]
                if several is None
                else several(self, block, desc)
            )
            return [
                *result,
                *self.scalar_axis_restoring_instructions(block, desc),
                *self.lod_propagation.lower_output_lod_of_op(block, desc),
            ]

    def scalar_axis_restoring_instructions(self, block: int, desc: OpDesc) -> list[Instruction]:
        """Return a reshape from 0-D to shape [1] for an op that reduces to a scalar if the program
        declares the result with shape [1], as programs written before Paddle 2.5 do; otherwise
        return an empty list.
        """
        names = desc.outputs.get("Out", [])
        var = (
            self.program.var(names[0], block)
            if names and may_reduce_to_scalar(desc.type, desc.attrs)
            else None
        )
        if var is None or tuple(var.shape) != (1,):
            return []
        reshape = OpDesc(
            "reshape2", {"X": names}, {"Out": names}, {"shape": Attr(AttrType.INTS, [1])}
        )
        return [self.lower_to_kernel_call(block, reshape)]

    def lower_to_one_instruction(self, block: int, desc: OpDesc) -> Instruction:
        """Return the single instruction of an op whose rule does not return several."""
        # a gradient op of Paddle becomes an op `vjp`
        desc = self.grad_op_replacements.find_replacement(desc) or desc
        rule = LOWERING_RULES.get(desc.type)
        if (
            self.tensors
            and desc.type == "assign"
            and not self.is_tensor_array(block, desc.inputs["X"][0])
        ):
            rule = None
        result = None if rule is None else rule(self, block, desc)
        return self.lower_to_kernel_call(block, desc) if result is None else result

    def lower_to_kernel_call(self, block: int, desc: OpDesc) -> KernelCall:
        """Return an instruction that calls the kernel of an op."""
        desc = move_var_name_attr_to_input_slot(desc)
        op = OPS[desc.type]
        check_attrs(op, desc)
        ins = tuple(self.input_slot_registers(block, desc, op, s) for s in op.ins)
        outs = tuple(self.output_slot_registers(block, desc, s) for s in op.outs)
        return KernelCall(desc, op, ins, outs, attrs_to_pass_to_kernel(op, desc))

    def input_slot_registers(self, block: int, desc: OpDesc, op: Op, slot: Slot) -> Any:
        """The register, or for a list slot the tuple of registers, of the variables in an input
        slot.
        """
        if slot.values_slot_of_lod_slot and slot.name not in desc.inputs:
            of = next(s for s in op.ins if s.name == slot.values_slot_of_lod_slot)
            return self.lod_propagation.find_offsets_registers_of_lod_slot(
                block, desc, slot, of.is_list
            )
        return self._registers_of_slot(block, desc.inputs.get(slot.name, []), slot.is_list)

    def output_slot_registers(self, block: int, desc: OpDesc, slot: Slot) -> Any:
        """The register, or for a list slot the tuple of registers, of the variables in an output
        slot.
        """
        if slot.values_slot_of_lod_slot:
            return (
                None
                if self.tensors
                else self.lod_propagation.create_offsets_registers_of_lod_slot(block, desc, slot)
            )
        return self._registers_of_slot(block, desc.outputs.get(slot.name, []), slot.is_list)

    def _registers_of_slot(self, block: int, names: Sequence[str], many: bool) -> Any:
        if many:
            return self.get_or_create_registers(block, names) or None
        return (
            self.get_or_create_register(block, names[0])
            if names and names[0] != EMPTY_NAME
            else None
        )


def attrs_to_pass_to_kernel(op: Op, desc: OpDesc) -> dict[str, Any]:
    """Return the attributes that a call passes to the kernel of `op`: those with non-default
    values, or all of them if the kernel takes `**attributes`.
    """
    given = {
        n: a.value
        for n, a in desc.attrs.items()
        if n in op.attrs and a.type not in REFERENCE_ATTR_TYPES
    }
    if op.accepts_any_attrs:
        return given
    return {n: v for n, v in given.items() if not is_default_attr_value(op.attrs[n], v)}


def is_default_attr_value(spec: AttrSpec, value: Any) -> bool:
    """Whether a value is the default of an attribute."""
    if spec.default is inspect.Parameter.empty:
        return False
    plain = list(value) if isinstance(value, tuple) else value
    return type(plain) is type(spec.default) and bool(plain == spec.default)


def find_differentiated_step_scope_names(program: Program) -> set[str]:
    """The names of the variables for step scopes of those loops that have a backward pass in the
    program.
    """
    return {
        name
        for op in program.ops()
        for name in op.inputs.get(kernelless_op_traits_or_default(op.type).forward_scopes_slot, [])
    }
