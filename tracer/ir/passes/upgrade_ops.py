"""Upgrade ops of older Paddle versions: types and attribute names, the LoD input of roi_align and
roi_pool, and the additional axis of the result of dot.

Older names are part of the definition of each op (`older_types`, `older_attrs`). C++ reads the same
tables from paddle/older_*.inc, which tests/ops/older_names_table.py writes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...core.dtype import parse_dtype
from ...core.op import CURRENT_TYPE_BY_OLDER, OPS
from ..program import Attr, AttrType, Block, OpDesc, Program, VarDesc


def upgrade_program(program: Program) -> Program:
    """Return the program with its ops upgraded; the same object if no op has an older type, older
    attributes or an upgrade rule.
    """
    if not any(_may_need_upgrade(op) for op in program.ops()):
        return program
    blocks = [replace(block, vars=dict(block.vars)) for block in program.blocks]
    found = replace(program, blocks=blocks)
    for block in blocks:
        block.ops = [result for op in block.ops for result in _upgrade_op(found, block, op)]
    return found


def _may_need_upgrade(op: OpDesc) -> bool:
    if op.type in CURRENT_TYPE_BY_OLDER or op.type in UPGRADE_RULES:
        return True
    return op.type in OPS and bool(OPS[op.type].traits.older_attrs)


def _upgrade_op(program: Program, block: Block, op: OpDesc) -> list[OpDesc]:
    if op.type in CURRENT_TYPE_BY_OLDER:
        op = replace(op, type=CURRENT_TYPE_BY_OLDER[op.type])
    if op.type in OPS:
        op = _rename_older_attrs(op)
    return UPGRADE_RULES[op.type](program, block, op) if op.type in UPGRADE_RULES else [op]


def _rename_older_attrs(op: OpDesc) -> OpDesc:
    """Return the op with older attribute names replaced by the current ones. If the current name
    has a value already, the older attribute stays in the op and is not read. If several older
    attributes became one, older versions leave all but one of them empty.
    """
    attrs = dict(op.attrs)
    for older, current in OPS[op.type].traits.older_attrs.items():
        if older in attrs and (current not in attrs or attrs[current].value == []):
            attrs[current] = attrs.pop(older)
    return op if attrs == op.attrs else replace(op, attrs=attrs)


def _declare_temporary(
    block: Block, op: OpDesc, what: str, shape: tuple[int, ...], dtype: str
) -> str:
    name = f"{op.outputs['Out'][0]}.{what}"
    block.vars[name] = VarDesc(name, shape, dtype, stop_gradient=True)
    return name


def _upgrade_dot_with_kept_axis(program: Program, block: Block, op: OpDesc) -> list[OpDesc]:
    """Replace a `dot` whose result keeps the summed axis with size 1, as in older versions, by a
    `dot` without this axis and an `unsqueeze2`; return other ops unchanged.
    """
    x, out = program.var(op.inputs["X"][0], block.idx), program.var(op.outputs["Out"][0], block.idx)
    if x is None or out is None or len(x.shape) != len(out.shape):
        return [op]
    summed = _declare_temporary(block, op, "summed", out.shape[:-1], out.dtype)
    back = OpDesc(
        "unsqueeze2",
        {"X": [summed]},
        {"Out": [out.name]},
        {"axes": Attr(AttrType.INTS, [len(out.shape) - 1])},
    )
    return [replace(op, outputs={"Out": [summed]}), back]


def _upgrade_rois_lod_to_rois_num(program: Program, block: Block, op: OpDesc) -> list[OpDesc]:
    """Replace the input RoisLod of older versions, the offsets of the regions of each image, by the
    input RoisNum of current versions, the number of regions of each image.
    """
    inputs = {slot: names for slot, names in op.inputs.items() if slot != "RoisLod"}
    edges = op.inputs.get("RoisLod")
    if not edges or op.inputs.get("RoisNum"):
        return [replace(op, inputs=inputs)]
    parts = [
        _declare_temporary(block, op, what, (-1,), "int64") for what in ("ends", "starts", "wide")
    ]
    counts = _declare_temporary(block, op, "counts", (-1,), "int32")
    cuts = [
        _make_row_slice_op(edges[0], parts[0], 1, 2**31 - 1),
        _make_row_slice_op(edges[0], parts[1], 0, -1),
    ]
    kinds = {"in_dtype": "int64", "out_dtype": "int32"}
    attrs = {name: Attr(AttrType.INT, parse_dtype(dtype).proto) for name, dtype in kinds.items()}
    apart = OpDesc("elementwise_sub", {"X": [parts[0]], "Y": [parts[1]]}, {"Out": [parts[2]]}, {})
    narrow = OpDesc("cast", {"X": [parts[2]]}, {"Out": [counts]}, attrs)
    return [*cuts, apart, narrow, replace(op, inputs=inputs | {"RoisNum": [counts]})]


def _make_row_slice_op(x: str, out: str, start: int, end: int) -> OpDesc:
    where = {"axes": [0], "starts": [start], "ends": [end]}
    return OpDesc(
        "slice",
        {"Input": [x]},
        {"Out": [out]},
        {k: Attr(AttrType.INTS, v) for k, v in where.items()},
    )


UPGRADE_RULES: dict[str, Callable[[Program, Block, OpDesc], list[OpDesc]]] = {
    "dot": _upgrade_dot_with_kept_axis,
    "roi_align": _upgrade_rois_lod_to_rois_num,
    "roi_pool": _upgrade_rois_lod_to_rois_num,
}
