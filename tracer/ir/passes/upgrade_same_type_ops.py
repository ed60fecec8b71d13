"""Upgrade ops of older Paddle versions that kept their type: renamed attributes, the value
attributes of set_value, the LoD input of roi_align and roi_pool, and the additional axis of the
result of dot.

Renamed attributes are part of the definition of each op (`older_attrs`). C++ reads the same table
from paddle/renamed_attrs.inc, which tests/ops/renamed_attr_table.py writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from ...core.dtype import parse_dtype
from ...core.op import OPS
from ..program import Attr, AttrType, Block, OpDesc, Program, VarDesc


def upgrade_same_type_ops(program: Program) -> Program:
    """The upgraded program; the same object if no type of its ops has older attributes or an
    upgrade rule.
    """
    if not any(_new_attr_name_by_old(op.type) or op.type in UPGRADE_RULES for op in program.ops()):
        return program
    blocks = [replace(block, vars=dict(block.vars)) for block in program.blocks]
    found = replace(program, blocks=blocks)
    for block in blocks:
        block.ops = [result for op in block.ops for result in _upgrade_op(found, block, op)]
    return found


def _new_attr_name_by_old(type: str) -> Mapping[str, str]:
    return OPS[type].traits.older_attrs if type in OPS else {}


def _upgrade_op(program: Program, block: Block, op: OpDesc) -> list[OpDesc]:
    names = {
        old: new
        for old, new in _new_attr_name_by_old(op.type).items()
        if old in op.attrs and new not in op.attrs
    }
    if names:
        op = replace(op, attrs={names.get(name, name): attr for name, attr in op.attrs.items()})
    return UPGRADE_RULES[op.type](program, block, op) if op.type in UPGRADE_RULES else [op]


def _declare_temporary(
    block: Block, op: OpDesc, what: str, shape: tuple[int, ...], dtype: str
) -> str:
    name = f"{op.outputs['Out'][0]}.{what}"
    block.vars[name] = VarDesc(name, shape, dtype, stop_gradient=True)
    return name


def _upgrade_dot_with_kept_axis(program: Program, block: Block, op: OpDesc) -> list[OpDesc]:
    """In older versions, the result had as many axes as the inputs: the summed axis had size 1."""
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
    """Older versions took the LoD offsets of the regions of each image. Today's ops take the
    number of regions.
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


def _upgrade_set_value(program: Program, block: Block, op: OpDesc) -> list[OpDesc]:
    """Up to Paddle 2.4, set_value had one value attribute per dtype."""
    attrs = {name: attr for name, attr in op.attrs.items() if name not in VALUE_ATTRS}
    given = [
        op.attrs[name].value for name in VALUE_ATTRS if name in op.attrs and op.attrs[name].value
    ]
    if given and not (attrs.get("values") and attrs["values"].value):
        attrs["values"] = Attr(AttrType.SCALARS, list(given[0]))
    return [replace(op, attrs=attrs)]


VALUE_ATTRS = ("bool_values", "int32_values", "int64_values", "fp32_values", "fp64_values")
UPGRADE_RULES: dict[str, Callable[[Program, Block, OpDesc], list[OpDesc]]] = {
    "dot": _upgrade_dot_with_kept_axis,
    "roi_align": _upgrade_rois_lod_to_rois_num,
    "roi_pool": _upgrade_rois_lod_to_rois_num,
    "set_value": _upgrade_set_value,
}
