"""Sequences sorted by length, and the time steps of a DynamicRNN."""

from __future__ import annotations

from ...core.arrays import np
from ...core.op import HOST_PYTHON_LOOP, NO_GRAD_NON_FLOAT_RESULT, Meta, check, op
from ..lod import offsets_from_lengths, require_row_offsets, row_indices_of_ranges, sequence_lengths
from ..shared_op_rules import dims_match, like_x_meta, make_vjp_rule_rejecting_second_order


@op(
    "lod_rank_table",
    "X, X@LOD*?! -> Out",
    no_grad_reason=NO_GRAD_NON_FLOAT_RESULT,
    host_reason=HOST_PYTHON_LOOP,
)
def lod_rank_table(x, lod=None, *, level: int = 0):
    """Out = the index and the length of each sequence at a LoD level, sorted by descending length
    (stable).

    X [R,*] -> int64 [n,2]
    """
    check(0 <= level < len(lod or ()), f"X holds no sequences at level {level}")
    counts = sequence_lengths(np.asarray(lod[level], np.int64))
    order = np.argsort(-counts, kind="stable")
    return np.stack([order, counts[order]], axis=1)


@lod_rank_table.meta
def _(x, lod, *, level):
    return Meta((-1, 2), np.dtype(np.int64))


def _rows_and_lengths_in_rank_order(x, lod, table):
    """Return the row indices of X in the order of a rank table, and the sequence lengths of each
    LoD level in this order.
    """
    which, found = table[:, 0], []
    check(
        len(which) == (len(lod[0]) - 1 if lod else x.shape[0]),
        "RankTable and X have different numbers of sequences",
    )
    for level in lod or []:
        offsets = np.asarray(level, np.int64)
        counts = sequence_lengths(offsets)[which]
        found.append(counts)
        which = row_indices_of_ranges(offsets[:-1][which], counts)
    return which, found


@op(
    "reorder_lod_tensor_by_rank",
    "X, X@LOD*?!, RankTable! -> Out",
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
def reorder_lod_tensor_by_rank(x, lod=None, table=None):
    """Out = the sequences of X (without LoD: its rows) in the order of RankTable.

    X [R,*], RankTable int64 [n,2] -> Out [R,*]
    """
    return x[_rows_and_lengths_in_rank_order(x, lod, table)[0]]


@reorder_lod_tensor_by_rank.meta
def _(x, lod, table):
    check(
        len(table.shape) == 2 and dims_match(table.shape[1], 2),
        "RankTable is not an output of the op lod_rank_table",
    )
    return x


@reorder_lod_tensor_by_rank.lod(lambda x, *_: x)
def _(x, lod=None, table=None):
    return [
        offsets_from_lengths(counts) for counts in _rows_and_lengths_in_rank_order(x, lod, table)[1]
    ]


@reorder_lod_tensor_by_rank.vjp
def _(g, x, lod, table):
    return reorder_lod_tensor_by_rank_grad(x, lod, table, g), None, None


@op(
    "reorder_lod_tensor_by_rank_grad",
    "X, X@LOD*?!, RankTable, Out@GRAD -> X@GRAD",
    meta=like_x_meta,
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def reorder_lod_tensor_by_rank_grad(x, lod=None, table=None, g=None):
    """The gradient of reorder_lod_tensor_by_rank: the rows of Out@GRAD in the original order. [R,*]
    -> [R,*]
    """
    back = np.empty_like(g)
    back[_rows_and_lengths_in_rank_order(x, lod, table)[0]] = g
    return back


reorder_lod_tensor_by_rank_grad.vjp(
    make_vjp_rule_rejecting_second_order("reorder_lod_tensor_by_rank")
)


@op(
    "max_sequence_len",
    "RankTable -> Out",
    no_grad_reason=NO_GRAD_NON_FLOAT_RESULT,
    host_reason=HOST_PYTHON_LOOP,
)
def max_sequence_len(table):
    """Out = the length of the longest sequence of a rank table.

    RankTable int64 [n,2] -> int64 [1]
    """
    return np.max(table[:, 1], initial=0).reshape(1)


@max_sequence_len.meta
def _(table):
    return Meta((1,), np.dtype(np.int64))


def _num_rows_with_step(x, lod, table, step):
    """The number of rows of X whose sequence has the time step `step`; the rows of X are in the
    order of the rank table.
    """
    count = int((table[:, 1] > step.item()).sum())
    return int(np.asarray(lod[0])[count]) if lod else count


@op(
    "shrink_rnn_memory",
    "X, X@LOD*?!, RankTable!, I! -> Out",
    value_dependent_shape=True,
    host_reason=HOST_PYTHON_LOOP,
)
def shrink_rnn_memory(x, lod=None, table=None, step=None):
    """Out = the rows (or sequences) of X whose sequence has a time step I. The rows of X are in the
    order of RankTable.

    X [R,*], I int64 [1] -> Out [S,*]
    """
    return x[: _num_rows_with_step(x, lod, table, step)]


@shrink_rnn_memory.meta
def _(x, lod, table, step):
    return Meta((-1, *x.shape[1:]), x.dtype)


@shrink_rnn_memory.lod(lambda x, *_: x)
def _(x, lod=None, table=None, step=None):
    return (
        [np.asarray(lod[0], np.int64)[: int((table[:, 1] > step.item()).sum()) + 1]] if lod else []
    )


@shrink_rnn_memory.vjp
def _(g, x, lod, table, step):
    return shrink_rnn_memory_grad(x, g), None, None, None


@op(
    "shrink_rnn_memory_grad",
    "X, Out@GRAD -> X@GRAD",
    meta=like_x_meta,
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def shrink_rnn_memory_grad(x, g):
    """The gradient of shrink_rnn_memory, which is zero for the rows of X that are not in Out.
    Out@GRAD [S,*] -> X@GRAD [R,*]
    """
    back = np.zeros_like(x)
    back[: len(g)] = g
    return back


shrink_rnn_memory_grad.vjp(make_vjp_rule_rejecting_second_order("shrink_rnn_memory"))


def sequences_to_steps(x, lod, table):
    """The kernel of lod_tensor_to_array. For each time step, returns the rows of all sequences that
    have it, in the order of the rank table.

    X [R,*] -> a list of [S,*]
    """
    check(len(lod or ()) == 1, "X does not hold sequences of one level")
    starts = require_row_offsets(lod)[table[:, 0]]
    return [x[starts[table[:, 1] > t] + t] for t in range(int(np.max(table[:, 1], initial=0)))]


def steps_to_sequences(steps, table):
    """The kernel of array_to_lod_tensor. Returns the sequences of a list of time steps, in
    their original order, and their offsets.
    """
    check(bool(steps), "the list is empty")
    counts = np.empty(len(table), np.int64)
    counts[table[:, 0]] = table[:, 1]
    offsets = offsets_from_lengths(counts)
    out = np.empty((int(offsets[-1]), *steps[0].shape[1:]), steps[0].dtype)
    starts = offsets[:-1][table[:, 0]]
    for t, rows in enumerate(steps):
        out[starts[table[:, 1] > t] + t] = rows
    return out, [offsets]
