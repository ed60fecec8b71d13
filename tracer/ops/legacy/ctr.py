"""Click-through-rate models: cvm and filter_by_instag."""

from __future__ import annotations

from ...core.arrays import np
from ...core.op import HOST_PYTHON_LOOP, Long, Meta, check, op
from ..lod import (
    offsets_from_lengths,
    require_row_offsets,
    row_indices_of_ranges,
    sequence_id_per_row,
    sequence_lengths,
)
from ..shared_op_rules import (
    check_float,
    dims_match,
    like_x_meta,
    make_vjp_rule_rejecting_second_order,
)


@op("cvm", "X, X@LOD*?!, CVM! -> Y", host_reason=HOST_PYTHON_LOOP, validate_before_kernel=True)
def cvm(x, lod=None, counts=None, *, use_cvm: bool = True):
    """Transform the first two columns of X (show and click counts) to ln(shows + 1) and ln(clicks +
    1) - ln(shows + 1). use_cvm=False: remove these columns instead.

    X [R,D] -> Y [R,D] or [R,D-2]
    """
    if not use_cvm:
        return x[:, 2:].copy()
    shows = np.log(x[:, :1] + x.dtype.type(1))
    return np.concatenate([shows, np.log(x[:, 1:2] + x.dtype.type(1)) - shows, x[:, 2:]], axis=1)


@cvm.meta
def _(x, lod, counts, *, use_cvm):
    check_float(x)
    check(len(x.shape) == 2, "X needs two axes")
    check(len(counts.shape) == 2 and dims_match(counts.shape[1], 2), "CVM needs two columns")
    return x if use_cvm or x.shape[1] < 0 else Meta((x.shape[0], x.shape[1] - 2), x.dtype)


@cvm.lod(lambda x, *_: x)
def _(x, lod=None, counts=None, *, use_cvm=True):
    return list(lod or [])


@cvm.vjp
def _(g, x, lod, counts, *, use_cvm):
    return cvm_grad(x, lod, counts, g, use_cvm=use_cvm), None, None


@op(
    "cvm_grad",
    "X, X@LOD*?!, CVM, Y@GRAD -> X@GRAD",
    meta=like_x_meta,
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def cvm_grad(x, lod=None, counts=None, g=None, *, use_cvm: bool = True):
    """The gradient of cvm as Paddle defines it: its first two columns are the input CVM, repeated
    for the rows of a sequence, and the other columns are their gradients.

    -> [R,D]
    """
    of_rows = counts[sequence_id_per_row(require_row_offsets(lod))] if lod else counts
    return np.concatenate([of_rows.astype(x.dtype), g[:, 2:] if use_cvm else g], axis=1)


cvm_grad.vjp(make_vjp_rule_rejecting_second_order("cvm"))


# -- filter by tags
# ------------------------------------------------------------------------------


def _row_offsets_and_tagged_instance_indices(ins, lod, tags, tags_lod, wanted, is_lod):
    """Return the row offsets of the instances in Ins, and the indices of the instances that have a
    tag in `wanted`.
    """
    own = require_row_offsets(lod, "Ins") if is_lod else np.arange(ins.shape[0] + 1)
    ends = require_row_offsets(tags_lod, "Ins_tag")
    check(len(ends) == len(own), f"Ins holds {len(own) - 1} instances, Ins_tag {len(ends) - 1}")
    hit = np.isin(tags.reshape(-1), wanted.reshape(-1))
    return own, np.unique(sequence_id_per_row(ends)[hit])


@op(
    "filter_by_instag",
    "Ins, Ins@LOD*?!, Ins_tag!, Ins_tag@LOD*?!, Filter_tag! -> Out, LossWeight~, IndexMap~",
    value_dependent_shape=True,
    host_reason=HOST_PYTHON_LOOP,
)
def filter_by_instag(
    ins,
    lod=None,
    tags=None,
    tags_lod=None,
    wanted=None,
    *,
    is_lod: bool,
    out_val_if_empty: Long = 0,
):
    """Select the rows of Ins (with is_lod: the sequences) that have a tag in Filter_tag.

    Ins [R,D], Ins_tag int64 [T,1] -> Out [S,D]

    LossWeight [n,1]: ones.
    IndexMap int64 [n,3]: for each selected instance its start in Out, its start in Ins, its length.
    If none is selected, Out is one row of out_val_if_empty and LossWeight is 0.
    """
    own, kept = _row_offsets_and_tagged_instance_indices(ins, lod, tags, tags_lod, wanted, is_lod)
    if not len(kept):
        nothing = np.full((1, *ins.shape[1:]), out_val_if_empty, ins.dtype)
        return nothing, np.zeros((1, 1), np.float32), np.array([[0, 1, 1]], np.int64)
    counts = sequence_lengths(own)[kept]
    places = np.stack([offsets_from_lengths(counts)[:-1], own[kept], counts], axis=1)
    return (
        ins[row_indices_of_ranges(own[kept], counts)],
        np.ones((len(kept), 1), np.float32),
        places.astype(np.int64),
    )


@filter_by_instag.meta
def _(ins, lod, tags, tags_lod, wanted, *, is_lod, out_val_if_empty):
    check(
        tags.dtype == np.int64 and wanted.dtype == np.int64, "Ins_tag and Filter_tag are not int64"
    )
    return (
        Meta((-1, *ins.shape[1:]), ins.dtype),
        Meta((-1, 1), np.dtype(np.float32)),
        Meta((-1, 3), np.dtype(np.int64)),
    )


@filter_by_instag.lod(lambda *_: 1)
def _(ins, lod=None, tags=None, tags_lod=None, wanted=None, *, is_lod, out_val_if_empty=0):
    own, kept = _row_offsets_and_tagged_instance_indices(ins, lod, tags, tags_lod, wanted, is_lod)
    return [
        offsets_from_lengths(sequence_lengths(own)[kept])
        if len(kept)
        else np.array([0, 1], np.int64)
    ]


@filter_by_instag.vjp
def _(g, ins, lod, tags, tags_lod, wanted, *, LossWeight, IndexMap):
    return filter_by_instag_grad(ins, g, LossWeight, IndexMap), None, None, None, None


@op(
    "filter_by_instag_grad",
    "Ins, Out@GRAD, LossWeight, IndexMap -> Ins@GRAD",
    meta=like_x_meta,
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def filter_by_instag_grad(ins, g, weight, places):
    """The gradient of filter_by_instag with respect to Ins, which is zero for rows that were not
    selected. Out@GRAD [S,D] -> [R,D]
    """
    back = np.zeros_like(ins)
    if weight.any():
        back[row_indices_of_ranges(places[:, 1], places[:, 2])] = g
    return back


filter_by_instag_grad.vjp(make_vjp_rule_rejecting_second_order("filter_by_instag"))
