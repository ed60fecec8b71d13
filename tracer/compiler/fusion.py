"""Fusion of elementwise calls: a group becomes one `Expression` of `_kernels`, which keeps
intermediate values in the cache.

An expression returns NotImplemented for broadcasts that it does not support; then the kernels of
the group run one by one. An expression may write its result into the buffer of an input, if no
instruction after the group reads the input and only the compiled function refers to the array.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..core import native
from ..core.op import kernel_selection
from ..ir.program import VarDesc
from . import buffer_reuse
from .instructions import (
    BackwardLoop,
    ConditionalBody,
    FusedCalls,
    Instruction,
    KernelCall,
    Loop,
    body_of,
)
from .kernel_selection import find_native_kernel

Number = float
Operand = str | Number  # a register, `@i` (the result of instruction i of the group), or a constant
# expression instructions: pairs of name and operands
ExpressionInstructions = list[tuple[str, Operand, Operand | None]]


ShapeLookup = Callable[[str], tuple[int, ...]]
ExpressionRule = Callable[[KernelCall, ShapeLookup], ExpressionInstructions | None]


def make_binary_rule(piece: str) -> ExpressionRule:
    """Return a rule that translates a call with two inputs to one expression instruction, called
    `piece`. Calls with an attribute `axis` are not fused.
    """
    return lambda call, _: None if call.attrs else [(piece, call.ins[0], call.ins[1])]


def make_unary_rule(piece: str) -> ExpressionRule:
    """Return a rule that translates a call with one input to one expression instruction, called
    `piece`.
    """
    return lambda call, _: None if call.attrs else [(piece, call.ins[0], None)]


def _scale_expression_instructions(
    call: KernelCall, _: ShapeLookup
) -> ExpressionInstructions | None:
    if call.ins[1] is not None:
        return None
    factor, bias = call.attrs.get("scale", 1.0), call.attrs.get("bias", 0.0)
    if not bias:
        return [("mul", call.ins[0], factor)]
    if call.attrs.get("bias_after_scale", True):
        return [("mul", call.ins[0], factor), ("add", "@0", bias)]
    return [("add", call.ins[0], bias), ("mul", "@0", factor)]


def _translate_sum_op_to_expression(
    call: KernelCall, _: ShapeLookup
) -> ExpressionInstructions | None:
    registers = call.ins[0]
    if not isinstance(registers, tuple) or len(registers) < 2:
        return None
    code: ExpressionInstructions = [("add", registers[0], registers[1])]
    return code + [("add", f"@{i}", register) for i, register in enumerate(registers[2:])]


def _make_gelu_rule(piece: str, approximate: str) -> ExpressionRule:
    def translate(call: KernelCall, _: ShapeLookup) -> ExpressionInstructions | None:
        name = approximate if call.attrs.get("approximate") else piece
        return [(name, call.ins[0], call.ins[1] if len(call.ins) > 1 else None)]

    return translate


def _apply_scaled_mask_expression_instructions(
    call: KernelCall, _: ShapeLookup
) -> ExpressionInstructions | None:
    return [("mul", call.ins[1], call.attrs.get("scale", 1.0)), ("mul", call.ins[0], "@0")]


def _make_clamp_expression_instructions(
    x: Operand, low: float, high: float
) -> ExpressionInstructions:
    """Return expression instructions that clamp `x` to [low, high].

    x: a register, or `@i` with the index i of the last preceding instruction.
    """
    last = int(x[1:]) if isinstance(x, str) and x[0] == "@" else -1
    return [
        ("max", low, x),
        ("min", high, f"@{last + 1}"),
    ]  # in this order of operands, the bound is returned for zeros of different sign, as in NumPy


def _make_clip_rule(low: str, high: str, default: tuple[float, float]) -> ExpressionRule:
    def translate(call: KernelCall, _: ShapeLookup) -> ExpressionInstructions | None:
        if any(slot is not None for slot in call.ins[1:]):
            return None
        return _make_clamp_expression_instructions(
            call.ins[0], call.attrs.get(low, default[0]), call.attrs.get(high, default[1])
        )

    return translate


def _leaky_relu_expression_instructions(
    call: KernelCall, _: ShapeLookup
) -> ExpressionInstructions | None:
    alpha = call.attrs.get("alpha", 0.02)
    return [("mul", call.ins[0], alpha), ("max", "@0", call.ins[0])] if 0 < alpha <= 1 else None


def _hard_sigmoid_expression_instructions(
    call: KernelCall, _: ShapeLookup
) -> ExpressionInstructions | None:
    slope, offset = call.attrs.get("slope", 0.2), call.attrs.get("offset", 0.5)
    return [
        ("mul", call.ins[0], slope),
        ("add", "@0", offset),
        *_make_clamp_expression_instructions("@1", 0.0, 1.0),
    ]


def _hard_swish_expression_instructions(
    call: KernelCall, _: ShapeLookup
) -> ExpressionInstructions | None:
    most, scale, offset = (
        call.attrs.get(name, d) for name, d in (("threshold", 6.0), ("scale", 6.0), ("offset", 3.0))
    )
    between = _make_clamp_expression_instructions("@0", 0.0, most)
    return [
        ("add", call.ins[0], offset),
        *between,
        ("mul", call.ins[0], "@2"),
        ("div", "@3", scale),
    ]


def _fill_like_expression_instructions(
    call: KernelCall, _: ShapeLookup
) -> ExpressionInstructions | None:
    if "dtype" in call.attrs:
        return None
    return [("second", call.ins[0], call.attrs.get("value", 0.0))]


def _reduction_grad_expression_instructions(
    call: KernelCall, shape_of: ShapeLookup
) -> ExpressionInstructions | None:
    """Return expression instructions that broadcast the gradient of a reduction over the reduced
    axes; None if NumPy's broadcasting rules would not do this.
    """
    axes, shape = sorted(call.attrs["axes"]), shape_of(call.ins[1])
    if not call.attrs.get("keep_dim") and axes != list(range(len(axes))):
        return None
    if not call.attrs.get("average"):
        return [("first", call.ins[0], call.ins[1])]
    count = math.prod(shape[a] for a in axes) if axes and max(axes) < len(shape) else -1
    return (
        [("div", call.ins[0], float(count)), ("first", "@0", call.ins[1])]
        if count > 0 and -1 not in shape
        else None
    )


EXPRESSION_RULES: dict[str, ExpressionRule] = {
    "elementwise_add": make_binary_rule("add"),
    "elementwise_sub": make_binary_rule("sub"),
    "elementwise_mul": make_binary_rule("mul"),
    "elementwise_div": make_binary_rule("div"),
    "elementwise_max": make_binary_rule("max"),
    "elementwise_min": make_binary_rule("min"),
    "keep": make_binary_rule("mask"),
    **{
        n: make_unary_rule(n)
        for n in (
            "relu",
            "tanh",
            "sigmoid",
            "silu",
            "exp",
            "erf",
            "sqrt",
            "square",
            "abs",
            "reciprocal",
        )
    },
    "swish": make_unary_rule("silu"),
    **{n: make_binary_rule(n) for n in ("relu_grad", "tanh_grad", "sigmoid_grad", "silu_grad")},
    "gelu": _make_gelu_rule("gelu", "gelu_tanh"),
    "gelu_grad": _make_gelu_rule("gelu_grad", "gelu_tanh_grad"),
    "relu6": _make_clip_rule("", "threshold", (0.0, 6.0)),
    "brelu": _make_clip_rule("t_min", "t_max", (0.0, 24.0)),
    "clip": _make_clip_rule("min", "max", (0.0, 0.0)),
    "leaky_relu": _leaky_relu_expression_instructions,
    "hard_sigmoid": _hard_sigmoid_expression_instructions,
    "hard_swish": _hard_swish_expression_instructions,
    "scale": _scale_expression_instructions,
    "sum": _translate_sum_op_to_expression,
    "masked": _apply_scaled_mask_expression_instructions,
    "spread_like": _reduction_grad_expression_instructions,
    "fill_any_like": _fill_like_expression_instructions,
}
# Ops that are not compiled to an expression of their own, because NumPy computes a single call as
# fast.
OPS_NOT_FUSED_ALONE = ("fill_any_like", "spread_like")
MAX_GROUP_INPUTS = 64  # largest number of inputs of an Expression
MAX_GROUP_CALLS = 400


@dataclass
class FusionGroup:
    """A group of elementwise calls that will be fused.

    dtype_and_shape: dtype and shape of all results.
    written_registers: registers that the calls write.
    read_registers: registers that the calls read and do not write.
    """

    dtype_and_shape: tuple[Any, ...]
    calls: list[KernelCall] = field(default_factory=list)
    written_registers: set[str] = field(default_factory=set)
    read_registers: dict[str, None] = field(default_factory=dict)


class ElementwiseFusion:
    """Fuses elementwise calls that are not separated by a branch or loop.

    declared: the declaration of the variable in each register.
    """

    def __init__(self, declared: Mapping[str, VarDesc]) -> None:
        self._variables = declared
        self._open_groups: list[FusionGroup] = []
        self._fused_instructions: list[Instruction] = []

    def run(self, instructions: Sequence[Instruction]) -> list[Instruction]:
        """Return the instructions with groups of elementwise calls replaced by FusedCalls."""
        for instruction in instructions:
            if isinstance(instruction, ConditionalBody | Loop | BackwardLoop):
                self._close_all_groups()
                instruction.body = ElementwiseFusion(self._variables).run(body_of(instruction))
                self._fused_instructions.append(instruction)
                continue
            key = self._group_key_if_fusible(instruction)
            home = None if key is None else self._find_or_create_group(instruction, key)
            self._close_conflicting_groups(instruction, home)
            if home is not None and isinstance(instruction, KernelCall):
                self._add_to_group(home, instruction)
            else:
                self._fused_instructions.append(instruction)
        self._close_all_groups()
        return self._fused_instructions

    def _group_key_if_fusible(self, instruction: Instruction) -> tuple[Any, ...] | None:
        """The dtype and shape of the result of a call, which must equal those of the group that the
        call joins; None if the instruction cannot be fused.
        """
        if (
            not isinstance(instruction, KernelCall)
            or instruction.op.type not in EXPRESSION_RULES
            or not isinstance(instruction.outs[0], str)
        ):
            return None
        if len(set(instruction.iter_registers_read_excluding_body())) > MAX_GROUP_INPUTS:
            return None
        if any(
            register is None and not slot.is_optional
            for slot, register in zip(instruction.op.ins, instruction.ins, strict=True)
        ):
            # the call is not fused, so that its kernel raises the error for the missing input
            return None
        if EXPRESSION_RULES[instruction.op.type](instruction, self._shape_of_register) is None:
            return None
        var = self._var_desc_of_register(instruction.outs[0])
        if var.dtype not in ("float32", "float64") or not var.shape:
            return None
        return var.dtype, var.shape

    def _shape_of_register(self, register: str) -> tuple[int, ...]:
        return self._var_desc_of_register(register).shape

    def _var_desc_of_register(self, register: str) -> VarDesc:
        return self._variables.get(register.rstrip("r"), VarDesc(""))

    def _find_or_create_group(self, instruction: Instruction, key: tuple[Any, ...]) -> FusionGroup:
        """The first open group that the call can join; a new group if there is none."""
        written, read = (
            set(instruction.iter_registers_written_excluding_body()),
            set(instruction.iter_registers_read_excluding_body()),
        )
        for group in self._open_groups:
            room = (
                len(group.read_registers.keys() | (read - group.written_registers))
                <= MAX_GROUP_INPUTS
                and len(group.calls) < MAX_GROUP_CALLS
            )
            if (
                group.dtype_and_shape == key
                and room
                and not written & (group.written_registers | group.read_registers.keys())
            ):
                return group
        return FusionGroup(key)

    def _close_conflicting_groups(self, instruction: Instruction, home: FusionGroup | None) -> None:
        """Close the open groups, except `home`, whose results the instruction reads, or whose
        registers it overwrites.
        """
        reads, writes = (
            set(instruction.iter_registers_read_excluding_body()),
            set(instruction.iter_registers_written_excluding_body()),
        )
        for group in [g for g in self._open_groups if g is not home]:
            if group.written_registers & reads or writes & (
                group.written_registers | group.read_registers.keys()
            ):
                self._close_group(group)

    def _add_to_group(self, group: FusionGroup, call: KernelCall) -> None:
        if group not in self._open_groups:
            self._open_groups.append(group)
        for register in call.iter_registers_read_excluding_body():
            if register not in group.written_registers:
                group.read_registers[register] = None
        group.calls.append(call)
        group.written_registers |= set(call.iter_registers_written_excluding_body())

    def _close_group(self, group: FusionGroup) -> None:
        self._open_groups.remove(group)
        if len(group.calls) == 1 and group.calls[0].op.type in OPS_NOT_FUSED_ALONE:
            self._fused_instructions += group.calls
        else:
            codes = [
                EXPRESSION_RULES[c.op.type](c, self._shape_of_register) or [] for c in group.calls
            ]
            self._fused_instructions.append(
                FusedCalls(group.calls[0].desc, group.calls, codes, tuple(group.read_registers))
            )

    def _close_all_groups(self) -> None:
        for group in list(self._open_groups):
            self._close_group(group)


def fuse_elementwise(
    instructions: Sequence[Instruction], declared: Mapping[str, VarDesc]
) -> list[Instruction]:
    """Replace groups of elementwise calls by FusedCalls. Without compiled kernels, return the
    instructions unchanged.
    """
    if (
        not kernel_selection.native_enabled
        or native.compiled_function_or_placeholder("Expression") is native.return_not_implemented
    ):
        return list(instructions)
    return ElementwiseFusion(declared).run(instructions)


def is_better_unfused(instruction: FusedCalls) -> bool:
    """Whether a fused group is faster as a kernel call: it has one call, for which there is a
    compiled kernel, and no input whose buffer can be reused.
    """
    op = instruction.calls[0].op
    fast = op.type == "elementwise_div" or find_native_kernel(op) is not None
    return (
        len(instruction.calls) == 1
        and fast
        and not set(instruction.ins) & set(instruction.dead_after)
    )


def compile_fused_expression(instruction: FusedCalls) -> Any:
    """The compiled expression of a group, a function from `ins` to `outs`."""
    numbers: dict[Operand, int] = {register: i for i, register in enumerate(instruction.ins)}
    code, constants = _build_code_and_number_results(instruction, numbers)
    num_inputs = len(instruction.ins)

    def final_operand_index(v: int) -> int:
        return (
            v
            if v < num_inputs
            else v - FIRST_CONSTANT + num_inputs
            if v < FIRST_RESULT
            else v - FIRST_RESULT + num_inputs + len(constants)
        )

    result = native.compiled_function_or_placeholder("Expression")
    instructions = [(piece, final_operand_index(x), final_operand_index(y)) for piece, x, y in code]
    reusable = [
        i for i, register in enumerate(instruction.ins) if register in instruction.dead_after
    ]
    return result(
        len(instruction.ins),
        constants,
        instructions,
        [final_operand_index(numbers[register]) for register in instruction.outs],
        reusable,
        buffer_reuse.UNSHARED_REFCOUNT,
    )


# Constants and results are numbered provisionally from these numbers, and renumbered when the
# number of inputs is known.
FIRST_CONSTANT, FIRST_RESULT = 1 << 20, 1 << 21


def _build_code_and_number_results(
    instruction: FusedCalls, numbers: dict[Operand, int]
) -> tuple[list[tuple[str, int, int]], list[float]]:
    """Return the expression instructions of a group with operands as numbers, and the constants.
    The numbers of results are added to `numbers`.
    """
    code: list[tuple[str, int, int]] = []
    constants: list[float] = []

    def provisional_operand_number(operand: Operand | None, start: int) -> int:
        if operand is None:
            return -1
        if isinstance(operand, str):
            return (
                FIRST_RESULT + start + int(operand[1:]) if operand[0] == "@" else numbers[operand]
            )
        same = [
            i
            for i, c in enumerate(constants)
            if c == operand and math.copysign(1, c) == math.copysign(1, operand)
        ]
        if not same:
            constants.append(float(operand))
        return FIRST_CONSTANT + (same[0] if same else len(constants) - 1)

    for call, pieces in zip(instruction.calls, instruction.call_codes, strict=True):
        start = len(code)
        for piece, x, y in pieces:
            first = provisional_operand_number(x, start)
            code.append(
                (piece, first, first if y is None else provisional_operand_number(y, start))
            )
        numbers[call.outs[0]] = FIRST_RESULT + len(code) - 1
    return code, constants
