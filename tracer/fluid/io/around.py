"""Ops that Paddle 1.8 has with other results or operands than today: written as its own, with ops
around them that make up for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...core.dtype import dtype_of
from ...ir.program import Attr, AttrType, Block, OpDesc, Program, VarDesc


class Around:
    """One op of a program that is about to be written, and the block that it is in; what is added
    stands before or after it.
    """

    def __init__(self, program: Program, block: Block, op: OpDesc) -> None:
        self.program, self.block, self.op = program, block, op
        self.before: list[OpDesc] = []
        self.after: list[OpDesc] = []

    def var(self, slot: str) -> VarDesc:
        """The declaration of the first variable in a slot."""
        return self.var_of((self.op.inputs.get(slot) or self.op.outputs[slot])[0])

    def var_of(self, name: str) -> VarDesc:
        """The declaration of a variable."""
        found = self.program.var(name, self.block.idx)
        assert found is not None
        return found

    def fresh(self, what: str, shape: Sequence[int], dtype: str) -> str:
        """Declare a variable more; gives its name."""
        name = f"{next(iter(self.op.outputs.values()))[0]}.{what}"
        self.block.vars[name] = VarDesc(name, tuple(shape), dtype, stop_gradient=True)
        return name


def _op(
    type: str, inputs: dict[str, list[str]], out: str, **attrs: tuple[AttrType, object]
) -> OpDesc:
    return OpDesc(type, inputs, {"Out": [out]}, {name: Attr(*a) for name, a in attrs.items()})


def _cast(x: str, out: str, before: str, after: str) -> OpDesc:
    kinds = {"in_dtype": before, "out_dtype": after}
    return _op(
        "cast", {"X": [x]}, out, **{k: (AttrType.INT, dtype_of(v).proto) for k, v in kinds.items()}
    )


def _transposed(x: str, out: str, perm: list[int]) -> OpDesc:
    return _op("transpose2", {"X": [x]}, out, axis=(AttrType.INTS, perm))


def dot(around: Around) -> None:
    """Its result keeps the axis that it sums over."""
    out = around.var("Out")
    if not out.shape:
        return
    kept = around.fresh("column", (*out.shape, 1), out.dtype)
    around.op.outputs["Out"] = [kept]
    around.after.append(
        _op("squeeze2", {"X": [kept]}, out.name, axes=(AttrType.INTS, [len(out.shape)]))
    )


def gather(around: Around) -> None:
    """It takes rows only."""
    axis = around.op.attr("axis", 0)
    if not axis or around.op.inputs.get("Axis"):
        return
    x, out = around.var("X"), around.var("Out")
    axes = list(range(len(x.shape)))
    perm = [axis, *(a for a in axes if a != axis)]
    back = [perm.index(a) for a in axes]
    rows = around.fresh("rows", [x.shape[a] for a in perm], x.dtype)
    taken = around.fresh("taken", [out.shape[a] for a in perm], out.dtype)
    around.before.append(_transposed(x.name, rows, perm))
    around.after.append(_transposed(taken, out.name, back))
    around.op.inputs["X"], around.op.outputs["Out"] = [rows], [taken]
    del around.op.attrs["axis"]


def unbind(around: Around) -> None:
    """It leaves no axis of a vector; what `split` gives has one."""
    if len(around.var("X").shape) == 1:
        around.op.type = "split"
        around.op.attrs = {
            "num": Attr(AttrType.INT, len(around.op.outputs["Out"])),
            "axis": Attr(AttrType.INT, 0),
        }


def flatten(around: Around) -> None:
    """Its reshape finds out one free size, so the free ones behind the joined axes go to the front,
    where 0 keeps them.
    """
    x, out = around.var("X"), around.var("Out")
    rank = len(x.shape)
    start, behind = (
        around.op.attr("start_axis", 1) % rank,
        around.op.attr("stop_axis", 1) % rank + 1,
    )
    if start or behind == rank or out.shape.count(-1) <= 1:
        return
    perm = [*range(behind, rank), *range(behind)]
    kept = rank - behind
    moved = around.fresh("moved", [x.shape[a] for a in perm], x.dtype)
    joined = around.fresh("joined", [*x.shape[behind:], -1], x.dtype)
    around.before.append(_transposed(x.name, moved, perm))
    around.after.append(_transposed(joined, out.name, [kept, *range(kept)]))
    around.op.type, around.op.attrs = "reshape2", {"shape": Attr(AttrType.INTS, [0] * kept + [-1])}
    around.op.inputs, around.op.outputs = {"X": [moved]}, {"Out": [joined]}


def broadcast(around: Around) -> None:
    """It repeats one tensor at a time, until it is like another."""
    names, outs = around.op.inputs["X"], around.op.outputs["Out"]
    whole = around.var("Out").shape
    like = next((n for n in names if around.var_of(n).shape == whole), None)
    if like is None:
        return
    made = [_as_large(around, name, out, like) for name, out in zip(names, outs, strict=True)]
    around.op.type, around.op.inputs, around.op.outputs = (
        made[0].type,
        made[0].inputs,
        made[0].outputs,
    )
    around.after[:0] = made[1:]


def _as_large(around: Around, name: str, out: str, like: str) -> OpDesc:
    var, whole = around.var_of(name), around.var_of(like).shape
    if var.shape == whole:
        return _op("assign", {"X": [name]}, out)
    more = len(whole) - len(var.shape)
    if more:
        lifted = around.fresh("lifted", (*[1] * more, *var.shape), var.dtype)
        around.before.append(
            _op("unsqueeze2", {"X": [name]}, lifted, axes=(AttrType.INTS, list(range(more))))
        )
        name = lifted
    large = _op("expand_as", {"X": [name], "target_tensor": [like]}, out)
    dtype = around.var_of(like).dtype
    if var.dtype != dtype:  # which both have to have
        number, repeated = (
            around.fresh("number", var.shape, dtype),
            around.fresh("repeated", whole, dtype),
        )
        around.before.append(_cast(name, number, var.dtype, dtype))
        around.after.append(_cast(repeated, out, dtype, var.dtype))
        large.inputs["X"], large.outputs["Out"] = [number], [repeated]
    return large


def no_bools(around: Around) -> None:
    """It takes no bools."""
    x, out = around.var("X"), around.var("Out")
    if x.dtype == "bool":
        number, made = (
            around.fresh("number", x.shape, "int32"),
            around.fresh("made", out.shape, "int32"),
        )
        around.before.append(_cast(x.name, number, "bool", "int32"))
        around.after.append(_cast(made, out.name, "int32", "bool"))
        around.op.inputs["X"], around.op.outputs["Out"] = [number], [made]


def regions(around: Around) -> None:
    """It is told where the regions of each picture begin and end, and overlooks how many there are,
    which others read.
    """
    given = around.op.inputs.get("RoisNum")
    if not given:
        return
    ends, edges = around.fresh("ends", (-1,), "int64"), around.fresh("edges", (-1,), "int64")
    counts = around.fresh("counts", (-1,), "int64")
    around.before.append(_cast(given[0], counts, around.var("RoisNum").dtype, "int64"))
    around.before.append(_op("cumsum", {"X": [counts]}, ends, axis=(AttrType.INT, -1)))
    zero = around.fresh("zero", (1,), "int64")
    sizes, kind = (AttrType.LONGS, [1]), (AttrType.INT, dtype_of("int64").proto)
    around.before.append(
        _op("fill_constant", {}, zero, shape=sizes, dtype=kind, value=(AttrType.FLOAT, 0.0))
    )
    around.before.append(_op("concat", {"X": [zero, ends]}, edges, axis=(AttrType.INT, 0)))
    around.op.inputs["RoisLod"] = [edges]


def sampled(around: Around) -> None:
    """Classes that the user drew are its results as they are."""
    if not around.op.attr("use_customized_samples", False):
        return
    for slot in ("Samples", "Probabilities"):
        old, given = around.op.outputs[slot][0], around.op.inputs["Customized" + slot][0]
        around.op.outputs[slot] = [given]
        for op in around.block.ops:
            op.inputs = {
                s: [given if n == old else n for n in names] for s, names in op.inputs.items()
            }


AROUND: dict[str, Callable[[Around], None]] = {
    "dot": dot,
    "gather": gather,
    "unbind": unbind,
    "squeeze2": no_bools,
    "unsqueeze2": no_bools,
    "flatten_contiguous_range": flatten,
    "broadcast_tensors": broadcast,
    "roi_align": regions,
    "roi_pool": regions,
    "sample_logits": sampled,
}


def with_others(program: Program) -> None:
    """Put what has to stand around ops there."""
    for block in program.blocks:
        written: list[OpDesc] = []
        for op in block.ops:
            around = Around(program, block, op)
            if op.type in AROUND:
                AROUND[op.type](around)
            written += [*around.before, op, *around.after]
        block.ops[:] = written
