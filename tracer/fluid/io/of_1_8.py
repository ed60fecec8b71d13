"""Programs as real Paddle 1.8 reads them: its names of attributes, its outputs, and an axis where
today there is none.
"""

from __future__ import annotations

from collections.abc import Callable

from ...ir.program import Attr, AttrType, Block, Kind, OpDesc, Program, VarDesc
from .around import with_others

WITH_SHAPE = ("reshape2", "transpose2", "squeeze2", "unsqueeze2", "flatten2")
ATTRS = {
    "flip": {"axis": "dims"},
    "roll": {"axis": "dims"},
    "trace": {"axis1": "dim1", "axis2": "dim2"},
    "tile": {"repeat_times": "expand_times"},
}
# Outputs that are declared and that nobody reads.
UNREAD = {
    "sample_logits": {"LogitsDim": "int64", "LabelsDim": "int64"},
    "roi_perspective_transform": {"Out2InIdx": "int32", "Out2InWeights": "float32"},
}
LAYOUTS = {"NCDHW": "NCHW", "NDHWC": "NHWC"}


def as_in_1_8(program: Program) -> None:
    """Change a program that is about to be written."""
    with_others(program)
    for block in program.blocks:
        for op in block.ops:
            _outputs(program, block, op)
            _attrs(op)
            # with which 1.8 writes beyond its results
            if op.type == "split" and op.attr("axis", 0) < 0:
                op.attrs["axis"] = Attr(
                    AttrType.INT, op.attr("axis") + len(_shape(program, block, op))
                )
            if op.type in RETYPED:
                RETYPED[op.type](program, block, op)
        for var in block.vars.values():
            if not var.shape and var.kind in (Kind.DENSE, Kind.ARRAY):
                var.shape = (1,)


def _declare(block: Block, op: OpDesc, slot: str, shape: tuple[int, ...], dtype: str) -> None:
    name = f"{next(iter(op.outputs.values()))[0]}.{slot.lower()}"
    block.vars[name] = VarDesc(name, shape, dtype, stop_gradient=True)
    op.outputs[slot] = [name]


def _outputs(program: Program, block: Block, op: OpDesc) -> None:
    """Those that 1.8 does without in no file; of XShape the shape is that of what the op took,
    behind a zero.
    """
    if op.type in WITH_SHAPE and not op.outputs.get("XShape"):
        x = program.var(op.inputs["X"][0], block.idx)
        assert x is not None
        _declare(block, op, "XShape", (0, *x.shape), x.dtype)
    for slot, dtype in UNREAD.get(op.type, {}).items():
        if not op.outputs.get(slot):
            _declare(block, op, slot, (-1,), dtype)
    if op.type == "lod_rank_table":
        block.vars[op.outputs["Out"][0]].kind = Kind.RANK_TABLE


def _attrs(op: OpDesc) -> None:
    names = ATTRS.get(op.type, {})
    op.attrs = {
        names.get(n, n): a for n, a in op.attrs.items() if a.type <= AttrType.LONGS or a.value
    }
    if op.type.startswith("reduce_"):
        op.attrs["dim"] = Attr(AttrType.INTS, list(op.attr("dim", [0])))
    if op.type == "fill_constant" and op.attr("shape") == []:
        op.attrs["shape"] = Attr(op.attrs["shape"].type, [1])
    if op.type == "conv3d_transpose":
        layout = op.attr("data_format", "NCHW")
        op.attrs["data_format"] = Attr(AttrType.STRING, LAYOUTS.get(layout, layout))


SLOTS_OF_EXPAND = {"RepeatTimes": "ExpandTimes", "repeat_times_tensor": "expand_times_tensor"}


def _repeated(program: Program, block: Block, op: OpDesc) -> None:
    if len(op.attr("expand_times", [])) == len(_shape(program, block, op)):
        op.type = "expand"
        op.inputs = {SLOTS_OF_EXPAND.get(slot, slot): names for slot, names in op.inputs.items()}


def _flattened(program: Program, block: Block, op: OpDesc) -> None:
    out = program.var(op.outputs["Out"][0], block.idx)
    assert out is not None
    rank = max(len(_shape(program, block, op)), 1)
    start = op.attr("start_axis", 1) % rank
    # 0: as many as there
    sizes = [0 if i < start and d < 0 else d for i, d in enumerate(out.shape)]
    if sizes.count(-1) <= 1:
        op.type, op.attrs = "reshape2", {"shape": Attr(AttrType.INTS, sizes)}
        _outputs(program, block, op)


def _largest(program: Program, block: Block, op: OpDesc) -> None:
    last = len(_shape(program, block, op)) - 1
    if op.attr("axis", -1) in (-1, last) and op.attr("largest", True):
        op.type, op.attrs = "top_k", {"k": Attr(AttrType.INT, op.attr("k", 1))}


def _shape(program: Program, block: Block, op: OpDesc) -> tuple[int, ...]:
    found = program.var(op.inputs["X"][0], block.idx)
    assert found is not None
    return found.shape


def _in_order(program: Program, block: Block, op: OpDesc) -> None:
    if not op.attr("is_sorted", False):
        op.outputs = {slot: op.outputs[slot] for slot in ("Out", "Index")}
        op.attrs = {"dtype": op.attrs["dtype"]}


# Ops that 1.8 has under another name, where they do what that one can.
RETYPED: dict[str, Callable[[Program, Block, OpDesc], None]] = {
    "tile": _repeated,
    "flatten_contiguous_range": _flattened,
    "top_k_v2": _largest,
    "unique": _in_order,
}
