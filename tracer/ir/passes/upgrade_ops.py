"""Ops of Paddle 1.x whose work another op does today: they are run as that one."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from ...core.op import OPS
from ..program import Attr, AttrType, Block, OpDesc, Program, VarDesc
from .upgrade_attrs import as_today

Find = Callable[[str], VarDesc | None]


class Renamed(NamedTuple):
    """Another type, other names of attributes, and those that it gets besides."""

    type: str
    attrs: dict[str, str]
    more: dict[str, Attr]


RENAMED = {
    "fill_zeros_like": Renamed("fill_any_like", {}, {"value": Attr(AttrType.FLOAT, 0.0)}),
    "expand": Renamed("tile", {"expand_times": "repeat_times"}, {}),
    "matmul": Renamed("matmul_v2", {"transpose_X": "trans_x", "transpose_Y": "trans_y"}, {}),
    "bilinear_interp": Renamed("bilinear_interp_v2", {}, {}),
    "nearest_interp": Renamed("nearest_interp_v2", {}, {}),
    "linear_interp": Renamed("linear_interp_v2", {}, {}),
    "bicubic_interp": Renamed("bicubic_interp_v2", {}, {}),
    "trilinear_interp": Renamed("trilinear_interp_v2", {}, {}),
    "reshape": Renamed("reshape2", {}, {}),
    "transpose": Renamed("transpose2", {}, {}),
    "squeeze": Renamed("squeeze2", {}, {}),
    "unsqueeze": Renamed("unsqueeze2", {}, {}),
    "minus": Renamed("elementwise_sub", {}, {}),
    "memcpy": Renamed("assign", {}, {}),
    "memcpy_h2d": Renamed("assign", {}, {}),
    "memcpy_d2h": Renamed("assign", {}, {}),
    "flatten": Renamed("reshape2", {}, {}),
    "flatten2": Renamed("reshape2", {}, {}),
}


def upgraded(program: Program) -> Program:
    """The program with ops of today; itself where there is nothing to do.

    An op that cannot be said so stays what it is.
    """
    program = as_today(program)
    if not any(op.type in RENAMED and op.type not in OPS for op in program.ops()):
        return program
    blocks = [_block(program, block) for block in program.blocks]
    return replace(program, blocks=blocks)


def _block(program: Program, block: Block) -> Block:
    return replace(
        block,
        ops=[op for old in block.ops for op in _ops(old, lambda n: program.var(n, block.idx))],
    )


def _ops(op: OpDesc, find: Find) -> list[OpDesc]:
    if op.type in OPS or op.type not in RENAMED:
        return [op]
    row = RENAMED[op.type]
    attrs = {row.attrs.get(name, name): attr for name, attr in op.attrs.items()} | row.more
    made = replace(op, type=row.type, attrs=attrs)
    if op.type == "matmul" and op.attr("alpha", 1.0) != 1.0:
        scale = {"scale": Attr(AttrType.FLOAT, op.attr("alpha"))}
        return [made, replace(op, type="scale", inputs={"X": op.outputs["Out"]}, attrs=scale)]
    if op.type.endswith("_interp") and not isinstance(op.attr("scale", []), list):
        scale = op.attr("scale")
        # a size alone says how far places are apart
        scaled = scale > 0 and not op.inputs.get("OutSize")
        made.attrs["scale"] = Attr(AttrType.FLOATS, [scale, scale] if scaled else [])
    if op.type.startswith("flatten"):
        shape = _flat(op, find)
        if shape is None:
            return [op]
        made.attrs["shape"] = Attr(AttrType.INTS, shape)
    return [made]


def _flat(op: OpDesc, find: Find) -> list[int] | None:
    """The shape [before the axis, from it on]; None where neither side is known."""
    var, axis = find(op.inputs["X"][0]), op.attr("axis", 1)
    if axis == 0:
        return [1, -1]
    if axis == 1:
        return [0, -1]
    if var is None or min(var.shape[axis:], default=1) < 0:
        return None
    return [-1, math.prod(var.shape[axis:])]
