"""Convert programs to the ops, attributes and shapes of Paddle 1.8 before they are written."""

from __future__ import annotations

from collections.abc import Callable

from ...core.op import OPS
from ...ir.program import Attr, AttrType, Block, OpDesc, Program, VarDesc, VarKind
from ...static.graph.program_recorder import OPS_WITH_XSHAPE_OUTPUT
from .op_downgrades import downgrade_ops_in_place

OPS_WITH_RENAMED_ATTRS = ("flip", "roll", "trace")
# Outputs that ops must have in Paddle 1.8 although no op reads them.
UNUSED_OUTPUTS = {
    "sample_logits": {"LogitsDim": "int64", "LabelsDim": "int64"},
    "roi_perspective_transform": {"Out2InIdx": "int32", "Out2InWeights": "float32"},
}
LAYOUTS = {"NCDHW": "NCHW", "NDHWC": "NHWC"}


def convert_to_paddle1_in_place(program: Program) -> None:
    """Convert a program to the ops, attributes and shapes of Paddle 1.8, in place."""
    downgrade_ops_in_place(program)
    for block in program.blocks:
        for op in block.ops:
            _add_required_outputs(program, block, op)
            _convert_attrs(op)
            # A negative axis of split is replaced by a non-negative one: with a negative axis,
            # Paddle 1.8 writes out of bounds.
            if op.type == "split" and op.attr("axis", 0) < 0:
                op.attrs["axis"] = Attr(
                    AttrType.INT, op.attr("axis") + len(_shape_of_input_x(program, block, op))
                )
            if op.type in REPLACEMENTS:
                REPLACEMENTS[op.type](program, block, op)
        for var in block.vars.values():
            if not var.shape and var.kind in (VarKind.DENSE, VarKind.ARRAY):
                var.shape = (1,)


def _declare_missing_output(
    block: Block, op: OpDesc, slot: str, shape: tuple[int, ...], dtype: str
) -> None:
    name = f"{next(iter(op.outputs.values()))[0]}.{slot.lower()}"
    block.vars[name] = VarDesc(name, shape, dtype, stop_gradient=True)
    op.outputs[slot] = [name]


def _add_required_outputs(program: Program, block: Block, op: OpDesc) -> None:
    """Declare the outputs of an op that Paddle 1.8 requires. The shape of the output XShape is a 0
    followed by the shape of X.
    """
    if op.type in OPS_WITH_XSHAPE_OUTPUT and not op.outputs.get("XShape"):
        x = program.var(op.inputs["X"][0], block.idx)
        assert x is not None
        _declare_missing_output(block, op, "XShape", (0, *x.shape), x.dtype)
    for slot, dtype in UNUSED_OUTPUTS.get(op.type, {}).items():
        if not op.outputs.get(slot):
            _declare_missing_output(block, op, slot, (-1,), dtype)
    if op.type == "lod_rank_table":
        block.vars[op.outputs["Out"][0]].kind = VarKind.RANK_TABLE


def _convert_attrs(op: OpDesc) -> None:
    names: dict[str, str] = {}
    if op.type in OPS_WITH_RENAMED_ATTRS:
        names = {new: old for old, new in OPS[op.type].traits.older_attrs.items()}
    elif op.type == "tile":  # becomes `expand`
        names = {"repeat_times": "expand_times"}
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


EXPAND_SLOTS = {"RepeatTimes": "ExpandTimes", "repeat_times_tensor": "expand_times_tensor"}


def _replace_tile_by_expand(program: Program, block: Block, op: OpDesc) -> None:
    if len(op.attr("expand_times", [])) == len(_shape_of_input_x(program, block, op)):
        op.type = "expand"
        op.inputs = {EXPAND_SLOTS.get(slot, slot): names for slot, names in op.inputs.items()}


def _replace_flatten_by_reshape(program: Program, block: Block, op: OpDesc) -> None:
    out = program.var(op.outputs["Out"][0], block.idx)
    assert out is not None
    rank = max(len(_shape_of_input_x(program, block, op)), 1)
    start = op.attr("start_axis", 1) % rank
    # 0 copies a dimension
    sizes = [0 if i < start and d < 0 else d for i, d in enumerate(out.shape)]
    if sizes.count(-1) <= 1:
        op.type, op.attrs = "reshape2", {"shape": Attr(AttrType.INTS, sizes)}


def _replace_top_k_v2_by_top_k(program: Program, block: Block, op: OpDesc) -> None:
    last = len(_shape_of_input_x(program, block, op)) - 1
    if op.attr("axis", -1) in (-1, last) and op.attr("largest", True):
        op.type, op.attrs = "top_k", {"k": Attr(AttrType.INT, op.attr("k", 1))}


def _shape_of_input_x(program: Program, block: Block, op: OpDesc) -> tuple[int, ...]:
    desc = program.var(op.inputs["X"][0], block.idx)
    assert desc is not None
    return desc.shape


def _convert_unsorted_unique_to_paddle1(program: Program, block: Block, op: OpDesc) -> None:
    if not op.attr("is_sorted", False):
        op.outputs = {slot: op.outputs[slot] for slot in ("Out", "Index")}
        op.attrs = {"dtype": op.attrs["dtype"]}


# Ops that Paddle 1.8 has under another type; an op is replaced if the op of 1.8 supports its
# attributes.
REPLACEMENTS: dict[str, Callable[[Program, Block, OpDesc], None]] = {
    "tile": _replace_tile_by_expand,
    "flatten_contiguous_range": _replace_flatten_by_reshape,
    "top_k_v2": _replace_top_k_v2_by_top_k,
    "unique": _convert_unsorted_unique_to_paddle1,
}
