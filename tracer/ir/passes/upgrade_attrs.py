"""Ops as older Paddle wrote them, where today's take the same under other names or leave out an
axis.

Renamed attributes are stated at the definition of each op. C++ reads the same table as
paddle/older_attrs.inc, which tests/ops/older_attr_table.py writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from ...core.dtype import dtype_of
from ...core.op import OPS
from ..program import Attr, AttrType, Block, OpDesc, Program, VarDesc


def as_today(program: Program) -> Program:
    """The program said as today; itself where there is nothing to do."""
    if not any(_older_attrs(op.type) or op.type in CHANGED for op in program.ops()):
        return program
    blocks = [replace(block, vars=dict(block.vars)) for block in program.blocks]
    found = replace(program, blocks=blocks)
    for block in blocks:
        block.ops = [made for op in block.ops for made in _ops(found, block, op)]
    return found


def _older_attrs(type: str) -> Mapping[str, str]:
    return OPS[type].traits.older_attrs if type in OPS else {}


def _ops(program: Program, block: Block, op: OpDesc) -> list[OpDesc]:
    names = {
        old: new
        for old, new in _older_attrs(op.type).items()
        if old in op.attrs and new not in op.attrs
    }
    if names:
        op = replace(op, attrs={names.get(name, name): attr for name, attr in op.attrs.items()})
    return CHANGED[op.type](program, block, op) if op.type in CHANGED else [op]


def _fresh(block: Block, op: OpDesc, what: str, shape: tuple[int, ...], dtype: str) -> str:
    name = f"{op.outputs['Out'][0]}.{what}"
    block.vars[name] = VarDesc(name, shape, dtype, stop_gradient=True)
    return name


def _dot(program: Program, block: Block, op: OpDesc) -> list[OpDesc]:
    """It kept the axis that it sums over: its result is declared with as many axes as its
    operands.
    """
    x, out = program.var(op.inputs["X"][0], block.idx), program.var(op.outputs["Out"][0], block.idx)
    if x is None or out is None or len(x.shape) != len(out.shape):
        return [op]
    summed = _fresh(block, op, "summed", out.shape[:-1], out.dtype)
    back = OpDesc(
        "unsqueeze2",
        {"X": [summed]},
        {"Out": [out.name]},
        {"axes": Attr(AttrType.INTS, [len(out.shape) - 1])},
    )
    return [replace(op, outputs={"Out": [summed]}), back]


def _regions(program: Program, block: Block, op: OpDesc) -> list[OpDesc]:
    """Where the regions of each picture begin and end, now how many there are."""
    inputs = {slot: names for slot, names in op.inputs.items() if slot != "RoisLod"}
    edges = op.inputs.get("RoisLod")
    if not edges or op.inputs.get("RoisNum"):
        return [replace(op, inputs=inputs)]
    parts = [_fresh(block, op, what, (-1,), "int64") for what in ("ends", "starts", "wide")]
    counts = _fresh(block, op, "counts", (-1,), "int32")
    cuts = [_cut(edges[0], parts[0], 1, 2**31 - 1), _cut(edges[0], parts[1], 0, -1)]
    kinds = {"in_dtype": "int64", "out_dtype": "int32"}
    attrs = {name: Attr(AttrType.INT, dtype_of(dtype).proto) for name, dtype in kinds.items()}
    apart = OpDesc("elementwise_sub", {"X": [parts[0]], "Y": [parts[1]]}, {"Out": [parts[2]]}, {})
    narrow = OpDesc("cast", {"X": [parts[2]]}, {"Out": [counts]}, attrs)
    return [*cuts, apart, narrow, replace(op, inputs=inputs | {"RoisNum": [counts]})]


def _cut(x: str, out: str, start: int, end: int) -> OpDesc:
    where = {"axes": [0], "starts": [start], "ends": [end]}
    return OpDesc(
        "slice",
        {"Input": [x]},
        {"Out": [out]},
        {k: Attr(AttrType.INTS, v) for k, v in where.items()},
    )


def _values(program: Program, block: Block, op: OpDesc) -> list[OpDesc]:
    """Up to Paddle 2.4 each dtype of numbers had an attribute."""
    attrs = {name: attr for name, attr in op.attrs.items() if name not in VALUES}
    given = [op.attrs[name].value for name in VALUES if name in op.attrs and op.attrs[name].value]
    if given and not (attrs.get("values") and attrs["values"].value):
        attrs["values"] = Attr(AttrType.SCALARS, list(given[0]))
    return [replace(op, attrs=attrs)]


VALUES = ("bool_values", "int32_values", "int64_values", "fp32_values", "fp64_values")
CHANGED: dict[str, Callable[[Program, Block, OpDesc], list[OpDesc]]] = {
    "dot": _dot,
    "roi_align": _regions,
    "roi_pool": _regions,
    "set_value": _values,
}
