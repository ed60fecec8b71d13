"""Rewrites of ops that Paddle 1.8 defines with other outputs or operands: each is replaced by ops
of Paddle 1.8 with the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...core.dtype import parse_dtype
from ...ir.program import Attr, AttrType, Block, OpDesc, Program, VarDesc


class OpRewriteContext:
    """One op of a program that is about to be written, its block, and the ops to insert."""

    def __init__(self, program: Program, block: Block, op: OpDesc) -> None:
        self.program, self.block, self.op = program, block, op
        self.before: list[OpDesc] = []
        self.after: list[OpDesc] = []

    def first_var_in_slot(self, slot: str) -> VarDesc:
        """Return the declaration of the first variable of a slot."""
        return self.var((self.op.inputs.get(slot) or self.op.outputs[slot])[0])

    def var(self, name: str) -> VarDesc:
        """Return the declaration of a variable."""
        desc = self.program.var(name, self.block.idx)
        assert desc is not None
        return desc

    def declare_temporary(self, suffix: str, shape: Sequence[int], dtype: str) -> str:
        """Declare a temporary variable, named after the first output of the op, and return its
        name.
        """
        name = f"{next(iter(self.op.outputs.values()))[0]}.{suffix}"
        self.block.vars[name] = VarDesc(name, tuple(shape), dtype, stop_gradient=True)
        return name


def _create_op_desc(
    type: str, inputs: dict[str, list[str]], out: str, **attrs: tuple[AttrType, object]
) -> OpDesc:
    return OpDesc(type, inputs, {"Out": [out]}, {name: Attr(*a) for name, a in attrs.items()})


def _cast_op_desc(x: str, out: str, in_dtype: str, out_dtype: str) -> OpDesc:
    dtypes = {"in_dtype": in_dtype, "out_dtype": out_dtype}
    return _create_op_desc(
        "cast",
        {"X": [x]},
        out,
        **{k: (AttrType.INT, parse_dtype(v).proto) for k, v in dtypes.items()},
    )


def _transpose_op_desc(x: str, out: str, perm: list[int]) -> OpDesc:
    return _create_op_desc("transpose2", {"X": [x]}, out, axis=(AttrType.INTS, perm))


def squeeze_output_of_dot(rewrite: OpRewriteContext) -> None:
    """Rewrite dot for Paddle 1.8, whose op keeps the reduced axis: append an op that squeezes this
    axis.
    """
    out = rewrite.first_var_in_slot("Out")
    if not out.shape:
        return
    column = rewrite.declare_temporary("column", (*out.shape, 1), out.dtype)
    rewrite.op.outputs["Out"] = [column]
    rewrite.after.append(
        _create_op_desc(
            "squeeze2", {"X": [column]}, out.name, axes=(AttrType.INTS, [len(out.shape)])
        )
    )


def rewrite_gather(rewrite: OpRewriteContext) -> None:
    """Rewrite gather for Paddle 1.8, whose op gathers along the first axis only: transpose the axis
    to the front before, and back after the op.
    """
    x, out = rewrite.first_var_in_slot("X"), rewrite.first_var_in_slot("Out")
    axis = rewrite.op.attr("axis", 0) % len(x.shape)
    if not axis or rewrite.op.inputs.get("Axis"):
        return
    axes = list(range(len(x.shape)))
    perm = [axis, *(a for a in axes if a != axis)]
    inverse = [perm.index(a) for a in axes]
    rows = rewrite.declare_temporary("rows", [x.shape[a] for a in perm], x.dtype)
    gathered = rewrite.declare_temporary("taken", [out.shape[a] for a in perm], out.dtype)
    rewrite.before.append(_transpose_op_desc(x.name, rows, perm))
    rewrite.after.append(_transpose_op_desc(gathered, out.name, inverse))
    rewrite.op.inputs["X"], rewrite.op.outputs["Out"] = [rows], [gathered]
    del rewrite.op.attrs["axis"]


def rewrite_unbind(rewrite: OpRewriteContext) -> None:
    """Rewrite unbind of a vector for Paddle 1.8, in which the results have the shape [1], as those
    of `split`.
    """
    if len(rewrite.first_var_in_slot("X").shape) == 1:
        rewrite.op.type = "split"
        rewrite.op.attrs = {
            "num": Attr(AttrType.INT, len(rewrite.op.outputs["Out"])),
            "axis": Attr(AttrType.INT, 0),
        }


def rewrite_flatten_with_dynamic_dims(rewrite: OpRewriteContext) -> None:
    """Rewrite flatten of a tensor with several dynamic dimensions as transposes and a reshape:
    dynamic dimensions behind the flattened axes are moved to the front, where the reshape copies
    them (0), because it can infer only one size.
    """
    x, out = rewrite.first_var_in_slot("X"), rewrite.first_var_in_slot("Out")
    rank = max(len(x.shape), 1)
    start, stop = (
        rewrite.op.attr("start_axis", 1) % rank,
        rewrite.op.attr("stop_axis", 1) % rank + 1,
    )
    if start or stop == rank or out.shape.count(-1) <= 1:
        return
    perm = [*range(stop, rank), *range(stop)]
    num_copied = rank - stop
    transposed = rewrite.declare_temporary("moved", [x.shape[a] for a in perm], x.dtype)
    flattened = rewrite.declare_temporary("joined", [*x.shape[stop:], -1], x.dtype)
    rewrite.before.append(_transpose_op_desc(x.name, transposed, perm))
    rewrite.after.append(_transpose_op_desc(flattened, out.name, [num_copied, *range(num_copied)]))
    rewrite.op.type = "reshape2"
    rewrite.op.attrs = {"shape": Attr(AttrType.INTS, [0] * num_copied + [-1])}
    rewrite.op.inputs, rewrite.op.outputs = {"X": [transposed]}, {"Out": [flattened]}


def rewrite_broadcast_tensors(rewrite: OpRewriteContext) -> None:
    """Replace broadcast_tensors, which Paddle 1.8 does not have, by an expand_as to a tensor of the
    broadcast shape for each tensor.
    """
    names, outs = rewrite.op.inputs["X"], rewrite.op.outputs["Out"]
    full_shape = rewrite.first_var_in_slot("Out").shape
    target = next((n for n in names if rewrite.var(n).shape == full_shape), None)
    if target is None:
        return
    ops = [
        _make_expand_as_or_assign_op_desc(rewrite, name, out, target)
        for name, out in zip(names, outs, strict=True)
    ]
    rewrite.op.type, rewrite.op.inputs, rewrite.op.outputs = (
        ops[0].type,
        ops[0].inputs,
        ops[0].outputs,
    )
    rewrite.after[:0] = ops[1:]


def _make_expand_as_or_assign_op_desc(
    rewrite: OpRewriteContext, name: str, out: str, target: str
) -> OpDesc:
    var, target_var = rewrite.var(name), rewrite.var(target)
    if var.shape == target_var.shape:
        return _create_op_desc("assign", {"X": [name]}, out)
    num_new_axes = len(target_var.shape) - len(var.shape)
    if num_new_axes:
        unsqueezed = rewrite.declare_temporary(
            "lifted", (*[1] * num_new_axes, *var.shape), var.dtype
        )
        axes = (AttrType.INTS, list(range(num_new_axes)))
        rewrite.before.append(_create_op_desc("unsqueeze2", {"X": [name]}, unsqueezed, axes=axes))
        name = unsqueezed
    expand = _create_op_desc("expand_as", {"X": [name], "target_tensor": [target]}, out)
    if var.dtype != target_var.dtype:  # the op requires equal dtypes
        dtype = target_var.dtype
        cast = rewrite.declare_temporary("number", var.shape, dtype)
        expanded = rewrite.declare_temporary("repeated", target_var.shape, dtype)
        rewrite.before.append(_cast_op_desc(name, cast, var.dtype, dtype))
        rewrite.after.append(_cast_op_desc(expanded, out, dtype, var.dtype))
        expand.inputs["X"], expand.outputs["Out"] = [cast], [expanded]
    return expand


def cast_bools_to_int32_and_back(rewrite: OpRewriteContext) -> None:
    """Insert casts of bools to int32 and back around an op that does not accept bools in Paddle
    1.8.
    """
    x, out = rewrite.first_var_in_slot("X"), rewrite.first_var_in_slot("Out")
    if x.dtype == "bool":
        ints = rewrite.declare_temporary("number", x.shape, "int32")
        result = rewrite.declare_temporary("made", out.shape, "int32")
        rewrite.before.append(_cast_op_desc(x.name, ints, "bool", "int32"))
        rewrite.after.append(_cast_op_desc(result, out.name, "int32", "bool"))
        rewrite.op.inputs["X"], rewrite.op.outputs["Out"] = [ints], [result]


def add_row_splits_input_from_counts(rewrite: OpRewriteContext) -> None:
    """Replace the input RoisNum (regions per image) by RoisLod, their row splits, which the op of
    Paddle 1.8 reads.
    """
    rois_num = rewrite.op.inputs.get("RoisNum")
    if not rois_num:
        return
    ends = rewrite.declare_temporary("ends", (-1,), "int64")
    splits = rewrite.declare_temporary("edges", (-1,), "int64")
    counts = rewrite.declare_temporary("counts", (-1,), "int64")
    rewrite.before.append(
        _cast_op_desc(rois_num[0], counts, rewrite.first_var_in_slot("RoisNum").dtype, "int64")
    )
    rewrite.before.append(_create_op_desc("cumsum", {"X": [counts]}, ends, axis=(AttrType.INT, -1)))
    zero = rewrite.declare_temporary("zero", (1,), "int64")
    shape, dtype = (AttrType.LONGS, [1]), (AttrType.INT, parse_dtype("int64").proto)
    rewrite.before.append(
        _create_op_desc(
            "fill_constant", {}, zero, shape=shape, dtype=dtype, value=(AttrType.FLOAT, 0.0)
        )
    )
    rewrite.before.append(
        _create_op_desc("concat", {"X": [zero, ends]}, splits, axis=(AttrType.INT, 0))
    )
    rewrite.op.inputs["RoisLod"] = [splits]


def redirect_outputs_to_custom_samples(rewrite: OpRewriteContext) -> None:
    """Let readers of the outputs of sample_logits read its inputs CustomizedSamples and
    CustomizedProbabilities, because the op of Paddle 1.8 outputs these inputs if
    use_customized_samples is set.
    """
    if not rewrite.op.attr("use_customized_samples", False):
        return
    for slot in ("Samples", "Probabilities"):
        old = rewrite.op.outputs[slot][0]
        custom = rewrite.op.inputs["Customized" + slot][0]
        rewrite.op.outputs[slot] = [custom]
        for op in rewrite.block.ops:
            op.inputs = {
                s: [custom if n == old else n for n in names] for s, names in op.inputs.items()
            }


REWRITES: dict[str, Callable[[OpRewriteContext], None]] = {
    "dot": squeeze_output_of_dot,
    "gather": rewrite_gather,
    "unbind": rewrite_unbind,
    "squeeze2": cast_bools_to_int32_and_back,
    "unsqueeze2": cast_bools_to_int32_and_back,
    "flatten_contiguous_range": rewrite_flatten_with_dynamic_dims,
    "broadcast_tensors": rewrite_broadcast_tensors,
    "roi_align": add_row_splits_input_from_counts,
    "roi_pool": add_row_splits_input_from_counts,
    "sample_logits": redirect_outputs_to_custom_samples,
}


def downgrade_ops_in_place(program: Program) -> None:
    """Rewrite all ops of a program that Paddle 1.8 defines with other outputs or operands; changes
    the program in place.
    """
    for block in program.blocks:
        ops: list[OpDesc] = []
        for op in block.ops:
            rewrite = OpRewriteContext(program, block, op)
            if op.type in REWRITES:
                REWRITES[op.type](rewrite)
            ops += [*rewrite.before, op, *rewrite.after]
        block.ops[:] = ops
