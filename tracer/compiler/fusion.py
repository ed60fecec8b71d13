"""Neighbours that work element by element become one call: an expression of `_kernels`, which keeps
what lies between them in the cache.

A call of an expression may answer NotImplemented - operands that broadcast in an odd way - and then
its kernels run one by one. It writes over an input that is not read again, if nothing but the
calling function holds it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..core import native
from ..ir.program import VarDesc
from . import buffer_reuse
from .instructions import Back, Branch, Call, Fused, Loop, Step, body_of
from .kernel_selection import quick_kernel

Number = float
Operand = str | Number  # a cell or a result so far, or a constant
# instruction, its operands; `@1` is the result of number 1 of these
Code = list[tuple[str, Operand, Operand | None]]


ShapeOf = Callable[[str], tuple[int, ...]]
Rule = Callable[[Call, ShapeOf], Code | None]


def binary(piece: str) -> Rule:
    """A kernel on two operands; with `axis` they do not simply broadcast."""
    return lambda call, _: None if call.attrs else [(piece, call.ins[0], call.ins[1])]


def unary(piece: str) -> Rule:
    """A kernel on one operand."""
    return lambda call, _: None if call.attrs else [(piece, call.ins[0], None)]


def _scale(call: Call, _: ShapeOf) -> Code | None:
    if call.ins[1] is not None:
        return None
    factor, bias = call.attrs.get("scale", 1.0), call.attrs.get("bias", 0.0)
    if not bias:
        return [("mul", call.ins[0], factor)]
    if call.attrs.get("bias_after_scale", True):
        return [("mul", call.ins[0], factor), ("add", "@0", bias)]
    return [("add", call.ins[0], bias), ("mul", "@0", factor)]


def _sum(call: Call, _: ShapeOf) -> Code | None:
    cells = call.ins[0]
    if not isinstance(cells, tuple) or len(cells) < 2:
        return None
    code: Code = [("add", cells[0], cells[1])]
    return code + [("add", f"@{i}", cell) for i, cell in enumerate(cells[2:])]


def _gelu(piece: str, approximate: str) -> Rule:
    def make(call: Call, _: ShapeOf) -> Code | None:
        name = approximate if call.attrs.get("approximate") else piece
        return [(name, call.ins[0], call.ins[1] if len(call.ins) > 1 else None)]

    return make


def _masked(call: Call, _: ShapeOf) -> Code | None:
    return [("mul", call.ins[1], call.attrs.get("scale", 1.0)), ("mul", call.ins[0], "@0")]


def _between(x: Operand, low: float, high: float) -> Code:
    """Instructions behind those of which `x` is the last result, or on a cell."""
    last = int(x[1:]) if isinstance(x, str) and x[0] == "@" else -1
    return [("max", low, x), ("min", high, f"@{last + 1}")]  # of equal zeros NumPy gives the bound


def _clip(low: str, high: str, default: tuple[float, float]) -> Rule:
    def make(call: Call, _: ShapeOf) -> Code | None:
        if any(slot is not None for slot in call.ins[1:]):
            return None
        return _between(
            call.ins[0], call.attrs.get(low, default[0]), call.attrs.get(high, default[1])
        )

    return make


def _leaky(call: Call, _: ShapeOf) -> Code | None:
    alpha = call.attrs.get("alpha", 0.02)
    return [("mul", call.ins[0], alpha), ("max", "@0", call.ins[0])] if 0 < alpha <= 1 else None


def _hard_sigmoid(call: Call, _: ShapeOf) -> Code | None:
    slope, offset = call.attrs.get("slope", 0.2), call.attrs.get("offset", 0.5)
    return [("mul", call.ins[0], slope), ("add", "@0", offset), *_between("@1", 0.0, 1.0)]


def _hard_swish(call: Call, _: ShapeOf) -> Code | None:
    most, scale, offset = (
        call.attrs.get(name, d) for name, d in (("threshold", 6.0), ("scale", 6.0), ("offset", 3.0))
    )
    between = _between("@0", 0.0, most)
    return [
        ("add", call.ins[0], offset),
        *between,
        ("mul", call.ins[0], "@2"),
        ("div", "@3", scale),
    ]


def _filled(call: Call, _: ShapeOf) -> Code | None:
    if "dtype" in call.attrs:
        return None
    return [("second", call.ins[0], call.attrs.get("value", 0.0))]


def _spread(call: Call, shape_of: ShapeOf) -> Code | None:
    """A reduced gradient goes back over the axes that it lacks, if NumPy would broadcast it just
    so.
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


PIECES: dict[str, Rule] = {
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
    "leaky_relu": _leaky,
    "hard_sigmoid": _hard_sigmoid,
    "hard_swish": _hard_swish,
    "scale": _scale,
    "sum": _sum,
    "masked": _masked,
    "spread_like": _spread,
    "fill_any_like": _filled,
}
# NumPy does these as well, if they are alone: they write over nothing
NEW_MEMORY = ("fill_any_like", "spread_like")
MOST_INPUTS = 64  # as many as an expression takes
MOST_CALLS = 400


@dataclass
class Group:
    """Calls that become one.

    key: dtype and shape of all results; made: the cells that they write; read: those from outside.
    """

    key: tuple[Any, ...]
    calls: list[Call] = field(default_factory=list)
    made: set[str] = field(default_factory=set)
    read: dict[str, None] = field(default_factory=dict)


class Fusion:
    """Puts calls of a straight line together.   declared: what the program says of cells."""

    def __init__(self, declared: Mapping[str, VarDesc]) -> None:
        self._declared = declared
        self._open: list[Group] = []
        self._done: list[Step] = []

    def run(self, steps: Sequence[Step]) -> list[Step]:
        """The instructions, with groups in place of their calls."""
        for step in steps:
            if isinstance(step, Branch | Loop | Back):
                self._close_all()
                step.body = Fusion(self._declared).run(body_of(step))
                self._done.append(step)
                continue
            key = self._key(step)
            home = None if key is None else self._home(step, key)
            self._close_for(step, home)
            if home is not None and isinstance(step, Call):
                self._add(home, step)
            else:
                self._done.append(step)
        self._close_all()
        return self._done

    def _key(self, step: Step) -> tuple[Any, ...] | None:
        """What all calls of a group share; None for a step that is in none."""
        if (
            not isinstance(step, Call)
            or step.op.type not in PIECES
            or not isinstance(step.outs[0], str)
        ):
            return None
        if len(set(step.reads())) > MOST_INPUTS:
            return None
        if any(
            cell is None and not slot.optional
            for slot, cell in zip(step.op.ins, step.ins, strict=True)
        ):
            return None  # not fused: its kernel reports the missing operand
        if PIECES[step.op.type](step, self._shape) is None:
            return None
        var = self._var(step.outs[0])
        if var.dtype not in ("float32", "float64") or not var.shape:
            return None
        return var.dtype, var.shape

    def _shape(self, cell: str) -> tuple[int, ...]:
        return self._var(cell).shape

    def _var(self, cell: str) -> VarDesc:
        return self._declared.get(cell.rstrip("r"), VarDesc(""))

    def _home(self, step: Step, key: tuple[Any, ...]) -> Group:
        """The group that a call joins, a new one where it has to."""
        written, read = set(step.writes()), set(step.reads())
        for group in self._open:
            room = (
                len(group.read.keys() | (read - group.made)) <= MOST_INPUTS
                and len(group.calls) < MOST_CALLS
            )
            if group.key == key and room and not written & (group.made | group.read.keys()):
                return group
        return Group(key)

    def _close_for(self, step: Step, home: Group | None) -> None:
        """Close the groups whose results a step reads, and those that it would disturb by what it
        writes.
        """
        reads, writes = set(step.reads()), set(step.writes())
        for group in [g for g in self._open if g is not home]:
            if group.made & reads or writes & (group.made | group.read.keys()):
                self._close(group)

    def _add(self, group: Group, call: Call) -> None:
        if group not in self._open:
            self._open.append(group)
        for cell in call.reads():
            if cell not in group.made:
                group.read[cell] = None
        group.calls.append(call)
        group.made |= set(call.writes())

    def _close(self, group: Group) -> None:
        self._open.remove(group)
        if len(group.calls) == 1 and group.calls[0].op.type in NEW_MEMORY:
            self._done += group.calls
        else:
            codes = [PIECES[c.op.type](c, self._shape) or [] for c in group.calls]
            self._done.append(Fused(group.calls[0].desc, group.calls, codes, tuple(group.read)))

    def _close_all(self) -> None:
        for group in list(self._open):
            self._close(group)


def fused(steps: Sequence[Step], declared: Mapping[str, VarDesc]) -> list[Step]:
    """The instructions with neighbours put together, where there are compiled kernels."""
    if not native.switch.on or native.kernel("Expression") is native.declined:
        return list(steps)
    return Fusion(declared).run(steps)


def as_good_alone(step: Fused) -> bool:
    """Whether a group is one call that has a kernel of its own, and nothing to write over."""
    op = step.calls[0].op
    fast = op.type == "elementwise_div" or quick_kernel(op) is not None
    return len(step.calls) == 1 and fast and not set(step.ins) & set(step.dying)


def expression(step: Fused) -> Any:
    """The compiled expression of a group: called with its `ins`, it gives its `outs`."""
    numbers: dict[Operand, int] = {cell: i for i, cell in enumerate(step.ins)}
    code, constants = _numbered(step, numbers)
    shift = len(step.ins)

    def place(v: int) -> int:
        return (
            v
            if v < shift
            else v - CONSTANTS + shift
            if v < RESULTS
            else v - RESULTS + shift + len(constants)
        )

    made = native.kernel("Expression")
    instructions = [(piece, place(x), place(y)) for piece, x, y in code]
    spent = [i for i, cell in enumerate(step.ins) if cell in step.dying]
    return made(
        len(step.ins),
        constants,
        instructions,
        [place(numbers[cell]) for cell in step.outs],
        spent,
        buffer_reuse.ALONE,
    )


# Where the numbers of constants and of results start until it is known how many there are.
CONSTANTS, RESULTS = 1 << 20, 1 << 21


def _numbered(
    step: Fused, numbers: dict[Operand, int]
) -> tuple[list[tuple[str, int, int]], list[float]]:
    """The instructions of a group on numbers; results are added to `numbers`."""
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

    for call, pieces in zip(step.calls, step.codes, strict=True):
        start = len(code)
        for piece, x, y in pieces:
            first = number(x, start)
            code.append((piece, first, first if y is None else number(y, start)))
        numbers[call.outs[0]] = RESULTS + len(code) - 1
    return code, constants
