"""Fusion of elementwise calls: a group becomes one `Expression` of `_kernels`, which keeps
intermediate values in the cache.

An expression returns NotImplemented for unusual broadcasts; then the kernels run one by one. It
writes over an input that is dead after the group if only the calling function holds it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..core import native
from ..ir.program import VarDesc
from . import buffer_reuse
from .instructions import BackwardLoop, Branch, FusedCalls, Instruction, KernelCall, Loop, body_of
from .kernel_selection import native_rule

Number = float
Operand = str | Number  # a register, `@i` (result of instruction i of the code), or a constant
# pairs of instruction and inputs
Code = list[tuple[str, Operand, Operand | None]]


ShapeOf = Callable[[str], tuple[int, ...]]
Rule = Callable[[KernelCall, ShapeOf], Code | None]


def binary(piece: str) -> Rule:
    """A rule for a kernel on two inputs. With attribute `axis` the call is not fused."""
    return lambda call, _: None if call.attrs else [(piece, call.ins[0], call.ins[1])]


def unary(piece: str) -> Rule:
    """A rule for a kernel on one input."""
    return lambda call, _: None if call.attrs else [(piece, call.ins[0], None)]


def _scale(call: KernelCall, _: ShapeOf) -> Code | None:
    if call.ins[1] is not None:
        return None
    factor, bias = call.attrs.get("scale", 1.0), call.attrs.get("bias", 0.0)
    if not bias:
        return [("mul", call.ins[0], factor)]
    if call.attrs.get("bias_after_scale", True):
        return [("mul", call.ins[0], factor), ("add", "@0", bias)]
    return [("add", call.ins[0], bias), ("mul", "@0", factor)]


def _sum(call: KernelCall, _: ShapeOf) -> Code | None:
    registers = call.ins[0]
    if not isinstance(registers, tuple) or len(registers) < 2:
        return None
    code: Code = [("add", registers[0], registers[1])]
    return code + [("add", f"@{i}", register) for i, register in enumerate(registers[2:])]


def _gelu(piece: str, approximate: str) -> Rule:
    def make(call: KernelCall, _: ShapeOf) -> Code | None:
        name = approximate if call.attrs.get("approximate") else piece
        return [(name, call.ins[0], call.ins[1] if len(call.ins) > 1 else None)]

    return make


def _dropout(call: KernelCall, _: ShapeOf) -> Code | None:
    return [("mul", call.ins[1], call.attrs.get("scale", 1.0)), ("mul", call.ins[0], "@0")]


def _clamp(x: Operand, low: float, high: float) -> Code:
    """Instructions that clamp `x` to [low, high].

    x: a register, or `@i` with the index i of the last preceding instruction.
    """
    last = int(x[1:]) if isinstance(x, str) and x[0] == "@" else -1
    return [
        ("max", low, x),
        ("min", high, f"@{last + 1}"),
    ]  # NumPy returns the bound for zeros of different sign


def _clip(low: str, high: str, default: tuple[float, float]) -> Rule:
    def make(call: KernelCall, _: ShapeOf) -> Code | None:
        if any(slot is not None for slot in call.ins[1:]):
            return None
        return _clamp(
            call.ins[0], call.attrs.get(low, default[0]), call.attrs.get(high, default[1])
        )

    return make


def _leaky_relu(call: KernelCall, _: ShapeOf) -> Code | None:
    alpha = call.attrs.get("alpha", 0.02)
    return [("mul", call.ins[0], alpha), ("max", "@0", call.ins[0])] if 0 < alpha <= 1 else None


def _hard_sigmoid(call: KernelCall, _: ShapeOf) -> Code | None:
    slope, offset = call.attrs.get("slope", 0.2), call.attrs.get("offset", 0.5)
    return [("mul", call.ins[0], slope), ("add", "@0", offset), *_clamp("@1", 0.0, 1.0)]


def _hard_swish(call: KernelCall, _: ShapeOf) -> Code | None:
    most, scale, offset = (
        call.attrs.get(name, d) for name, d in (("threshold", 6.0), ("scale", 6.0), ("offset", 3.0))
    )
    between = _clamp("@0", 0.0, most)
    return [
        ("add", call.ins[0], offset),
        *between,
        ("mul", call.ins[0], "@2"),
        ("div", "@3", scale),
    ]


def _fill_like(call: KernelCall, _: ShapeOf) -> Code | None:
    if "dtype" in call.attrs:
        return None
    return [("second", call.ins[0], call.attrs.get("value", 0.0))]


def _broadcast_grad(call: KernelCall, shape_of: ShapeOf) -> Code | None:
    """Broadcast the gradient of a reduction over the reduced axes, if NumPy's broadcasting
    does it.
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


EXPRESSION_RULES: dict[str, Rule] = {
    "elementwise_add": binary("add"),
    "elementwise_sub": binary("sub"),
    "elementwise_mul": binary("mul"),
    "elementwise_div": binary("div"),
    "elementwise_max": binary("max"),
    "elementwise_min": binary("min"),
    "keep": binary("mask"),
    **{
        n: unary(n)
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
    "swish": unary("silu"),
    **{n: binary(n) for n in ("relu_grad", "tanh_grad", "sigmoid_grad", "silu_grad")},
    "gelu": _gelu("gelu", "gelu_tanh"),
    "gelu_grad": _gelu("gelu_grad", "gelu_tanh_grad"),
    "relu6": _clip("", "threshold", (0.0, 6.0)),
    "brelu": _clip("t_min", "t_max", (0.0, 24.0)),
    "clip": _clip("min", "max", (0.0, 0.0)),
    "leaky_relu": _leaky_relu,
    "hard_sigmoid": _hard_sigmoid,
    "hard_swish": _hard_swish,
    "scale": _scale,
    "sum": _sum,
    "masked": _dropout,
    "spread_like": _broadcast_grad,
    "fill_any_like": _fill_like,
}
# a single call of these is as fast in NumPy
NOT_WORTH_FUSING = ("fill_any_like", "spread_like")
MAX_INPUTS = 64  # limit of Expression
MAX_CALLS = 400


@dataclass
class Group:
    """Calls that are fused.

    key: dtype and shape of all results.
    written: registers that the calls write.
    read: registers that they read from outside.
    """

    key: tuple[Any, ...]
    calls: list[KernelCall] = field(default_factory=list)
    written: set[str] = field(default_factory=set)
    read: dict[str, None] = field(default_factory=dict)


class Fusion:
    """Fuse the calls of straight-line code. declared: the variable of each register."""

    def __init__(self, declared: Mapping[str, VarDesc]) -> None:
        self._declared = declared
        self._open: list[Group] = []
        self._output: list[Instruction] = []

    def run(self, instructions: Sequence[Instruction]) -> list[Instruction]:
        """The instructions with fused groups."""
        for instruction in instructions:
            if isinstance(instruction, Branch | Loop | BackwardLoop):
                self._close_all()
                instruction.body = Fusion(self._declared).run(body_of(instruction))
                self._output.append(instruction)
                continue
            key = self._key(instruction)
            home = None if key is None else self._home(instruction, key)
            self._close_for(instruction, home)
            if home is not None and isinstance(instruction, KernelCall):
                self._add(home, instruction)
            else:
                self._output.append(instruction)
        self._close_all()
        return self._output

    def _key(self, instruction: Instruction) -> tuple[Any, ...] | None:
        """The key of the groups that an instruction may join; None if it cannot be fused."""
        if (
            not isinstance(instruction, KernelCall)
            or instruction.op.type not in EXPRESSION_RULES
            or not isinstance(instruction.outs[0], str)
        ):
            return None
        if len(set(instruction.reads())) > MAX_INPUTS:
            return None
        if any(
            register is None and not slot.optional
            for slot, register in zip(instruction.op.ins, instruction.ins, strict=True)
        ):
            return None  # not fused: its kernel reports the missing input
        if EXPRESSION_RULES[instruction.op.type](instruction, self._shape) is None:
            return None
        var = self._var(instruction.outs[0])
        if var.dtype not in ("float32", "float64") or not var.shape:
            return None
        return var.dtype, var.shape

    def _shape(self, register: str) -> tuple[int, ...]:
        return self._var(register).shape

    def _var(self, register: str) -> VarDesc:
        return self._declared.get(register.rstrip("r"), VarDesc(""))

    def _home(self, instruction: Instruction, key: tuple[Any, ...]) -> Group:
        """The open group that a call joins; a new one if it fits none."""
        written, read = set(instruction.writes()), set(instruction.reads())
        for group in self._open:
            room = (
                len(group.read.keys() | (read - group.written)) <= MAX_INPUTS
                and len(group.calls) < MAX_CALLS
            )
            if group.key == key and room and not written & (group.written | group.read.keys()):
                return group
        return Group(key)

    def _close_for(self, instruction: Instruction, home: Group | None) -> None:
        """Close the groups whose results the instruction reads, or whose registers it writes."""
        reads, writes = set(instruction.reads()), set(instruction.writes())
        for group in [g for g in self._open if g is not home]:
            if group.written & reads or writes & (group.written | group.read.keys()):
                self._close(group)

    def _add(self, group: Group, call: KernelCall) -> None:
        if group not in self._open:
            self._open.append(group)
        for register in call.reads():
            if register not in group.written:
                group.read[register] = None
        group.calls.append(call)
        group.written |= set(call.writes())

    def _close(self, group: Group) -> None:
        self._open.remove(group)
        if len(group.calls) == 1 and group.calls[0].op.type in NOT_WORTH_FUSING:
            self._output += group.calls
        else:
            codes = [EXPRESSION_RULES[c.op.type](c, self._shape) or [] for c in group.calls]
            self._output.append(
                FusedCalls(group.calls[0].desc, group.calls, codes, tuple(group.read))
            )

    def _close_all(self) -> None:
        for group in list(self._open):
            self._close(group)


def fuse_elementwise(
    instructions: Sequence[Instruction], declared: Mapping[str, VarDesc]
) -> list[Instruction]:
    """Fuse elementwise calls, if compiled kernels are available."""
    if not native.switch.on or native.kernel("Expression") is native.not_available:
        return list(instructions)
    return Fusion(declared).run(instructions)


def is_better_unfused(instruction: FusedCalls) -> bool:
    """Whether a group is one call with a kernel of its own and no dead input to write over."""
    op = instruction.calls[0].op
    fast = op.type == "elementwise_div" or native_rule(op) is not None
    return (
        len(instruction.calls) == 1
        and fast
        and not set(instruction.ins) & set(instruction.dead_after)
    )


def compile_expression(instruction: FusedCalls) -> Any:
    """The compiled expression of a group, a function from `ins` to `outs`."""
    numbers: dict[Operand, int] = {register: i for i, register in enumerate(instruction.ins)}
    code, constants = _number_operands(instruction, numbers)
    shift = len(instruction.ins)

    def place(v: int) -> int:
        return (
            v
            if v < shift
            else v - CONSTANTS + shift
            if v < RESULTS
            else v - RESULTS + shift + len(constants)
        )

    result = native.kernel("Expression")
    instructions = [(piece, place(x), place(y)) for piece, x, y in code]
    spent = [i for i, register in enumerate(instruction.ins) if register in instruction.dead_after]
    return result(
        len(instruction.ins),
        constants,
        instructions,
        [place(numbers[register]) for register in instruction.outs],
        spent,
        buffer_reuse.UNSHARED_REFCOUNT,
    )


# First numbers of constants and results until their counts are known.
CONSTANTS, RESULTS = 1 << 20, 1 << 21


def _number_operands(
    instruction: FusedCalls, numbers: dict[Operand, int]
) -> tuple[list[tuple[str, int, int]], list[float]]:
    """The instructions of a group with numbered inputs; results are added to `numbers`."""
    code: list[tuple[str, int, int]] = []
    constants: list[float] = []

    def number(operand: Operand | None, start: int) -> int:
        if operand is None:
            return -1
        if isinstance(operand, str):
            return RESULTS + start + int(operand[1:]) if operand[0] == "@" else numbers[operand]
        same = [
            i
            for i, c in enumerate(constants)
            if c == operand and math.copysign(1, c) == math.copysign(1, operand)
        ]
        if not same:
            constants.append(float(operand))
        return CONSTANTS + (same[0] if same else len(constants) - 1)

    for call, pieces in zip(instruction.calls, instruction.codes, strict=True):
        start = len(code)
        for piece, x, y in pieces:
            first = number(x, start)
            code.append((piece, first, first if y is None else number(y, start)))
        numbers[call.outs[0]] = RESULTS + len(code) - 1
    return code, constants
