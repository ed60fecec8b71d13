"""Upgrade ops of Paddle 1.x to the ops that replaced them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from ...core.op import OPS
from ..program import Attr, AttrType, Block, OpDesc, Program, VarDesc
from .upgrade_same_type_ops import upgrade_same_type_ops

FindVariable = Callable[[str], VarDesc | None]


class OpRename(NamedTuple):
    """The new op type, the new names of attributes, and additional attributes."""

    type: str
    renamed_attrs: dict[str, str]
    added_attrs: dict[str, Attr]


RENAMED_OPS = {
    "fill_zeros_like": OpRename("fill_any_like", {}, {"value": Attr(AttrType.FLOAT, 0.0)}),
    "expand": OpRename("tile", {"expand_times": "repeat_times"}, {}),
    "matmul": OpRename("matmul_v2", {"transpose_X": "trans_x", "transpose_Y": "trans_y"}, {}),
    "bilinear_interp": OpRename("bilinear_interp_v2", {}, {}),
    "nearest_interp": OpRename("nearest_interp_v2", {}, {}),
    "linear_interp": OpRename("linear_interp_v2", {}, {}),
    "bicubic_interp": OpRename("bicubic_interp_v2", {}, {}),
    "trilinear_interp": OpRename("trilinear_interp_v2", {}, {}),
    "reshape": OpRename("reshape2", {}, {}),
    "transpose": OpRename("transpose2", {}, {}),
    "squeeze": OpRename("squeeze2", {}, {}),
    "unsqueeze": OpRename("unsqueeze2", {}, {}),
    "minus": OpRename("elementwise_sub", {}, {}),
    "memcpy": OpRename("assign", {}, {}),
    "memcpy_h2d": OpRename("assign", {}, {}),
    "memcpy_d2h": OpRename("assign", {}, {}),
    "flatten": OpRename("reshape2", {}, {}),
    "flatten2": OpRename("reshape2", {}, {}),
}


def upgrade_program(program: Program) -> Program:
    """The upgraded program; the same program if nothing changes.

    An op that cannot be upgraded stays.
    """
    program = upgrade_same_type_ops(program)
    if not any(op.type in RENAMED_OPS and op.type not in OPS for op in program.ops()):
        return program
    blocks = [_make_upgraded_block(program, block) for block in program.blocks]
    return replace(program, blocks=blocks)


def _make_upgraded_block(program: Program, block: Block) -> Block:
    return replace(
        block,
        ops=[
            op for old in block.ops for op in _upgrade_op(old, lambda n: program.var(n, block.idx))
        ],
    )


def _upgrade_op(op: OpDesc, find: FindVariable) -> list[OpDesc]:
    if op.type in OPS or op.type not in RENAMED_OPS:
        return [op]
    row = RENAMED_OPS[op.type]
    attrs = {
        row.renamed_attrs.get(name, name): attr for name, attr in op.attrs.items()
    } | row.added_attrs
    result = replace(op, type=row.type, attrs=attrs)
    if op.type == "matmul" and op.attr("alpha", 1.0) != 1.0:
        scale = {"scale": Attr(AttrType.FLOAT, op.attr("alpha"))}
        return [result, replace(op, type="scale", inputs={"X": op.outputs["Out"]}, attrs=scale)]
    if op.type.endswith("_interp") and not isinstance(op.attr("scale", []), list):
        scale = op.attr("scale")
        # Paddle ignores the scale if an output size is given
        scaled = scale > 0 and not op.inputs.get("OutSize")
        result.attrs["scale"] = Attr(AttrType.FLOATS, [scale] if scaled else [])
    if op.type.startswith("flatten"):
        shape = _flattening_reshape_shape(op, find)
        if shape is None:
            return [op]
        result.attrs["shape"] = Attr(AttrType.INTS, shape)
    return [result]


def _flattening_reshape_shape(op: OpDesc, find: FindVariable) -> list[int] | None:
    """The attribute `shape` of the reshape that flattens X to a matrix at `axis`; None if
    the declared sizes do not determine it.
    """
    var, axis = find(op.inputs["X"][0]), op.attr("axis", 1)
    if axis == 0:
        return [1, -1]
    if axis == 1:
        return [0, -1]
    if var is None or min(var.shape[axis:], default=1) < 0:
        return None
    return [-1, math.prod(var.shape[axis:])]
