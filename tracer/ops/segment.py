"""Segment reductions, graph message passing, and shard_index."""

from __future__ import annotations

from typing import Any

from ..core.arrays import np
from ..core.op import NO_GRAD_NON_FLOAT_RESULT, OPS, Longs, Meta, check, check_dtype, op
from .along_axis import (
    divide_truncating_integers,
    max_or_inf_of_dtype,
    min_or_negative_inf_of_dtype,
)
from .comparison_and_logic import equal
from .elementwise import div, masked, mul, sum_to, zeros_like
from .half_precision import computed_in_float32_if_half
from .index import gather
from .scatter_at import ufunc_at
from .shared_op_rules import (
    broadcast_shapes,
    check_not_bool,
    dims_match,
    num_elements,
    vjp_input_dtype_proto,
    vjp_input_shape,
)

POOL_TYPES = ("SUM", "MEAN", "MAX", "MIN")


def _check_pool_type(word: str, what: str) -> None:
    check(word in POOL_TYPES, f"{what}={word} is not one of {', '.join(POOL_TYPES)}")


def _reduce_and_count_rows_by_index(
    rows: Any, places: Any, count: int, word: str
) -> tuple[Any, Any]:
    """Reduce the rows [E,*] that have the same index in `places` to one row. Returns the reduced
    rows [count,*], 0 for an index without rows, and the number of rows per index [count].
    """
    counts = np.bincount(places, minlength=count)
    if word in ("SUM", "MEAN"):
        out = np.zeros_like(rows, shape=(count, *rows.shape[1:]))
        ufunc_at(np.add, out, places, rows)
        if word == "MEAN":
            out = divide_truncating_integers(
                out, np.maximum(counts, 1).reshape(-1, *(1,) * (rows.ndim - 1))
            )
        return out, counts
    start = (
        min_or_negative_inf_of_dtype(rows.dtype)
        if word == "MAX"
        else max_or_inf_of_dtype(rows.dtype)
    )
    out = np.full_like(rows, start, shape=(count, *rows.shape[1:]))
    (np.maximum if word == "MAX" else np.minimum).at(out, places, rows)
    return np.where(
        (counts > 0).reshape(-1, *(1,) * (rows.ndim - 1)), out, rows.dtype.type(0)
    ), counts


def _mean_divisors_from_counts(counts: Any, x: Any) -> Any:
    """The divisors of means: counts [N], at least 1, with the dtype of x and reshaped to broadcast
    with it.
    """
    floats = OPS["cast"](
        counts, out_dtype=vjp_input_dtype_proto(x), in_dtype=vjp_input_dtype_proto(counts)
    )
    shaped = OPS["reshape2"](floats, shape=[-1] + [1] * (len(vjp_input_shape(x)) - 1))
    return OPS["clip"](shaped, None, None, min=1.0, max=float(2**31))


@op("segment_pool", "X, SegmentIds -> Out, SummedIds~", value_dependent_shape=True)
@computed_in_float32_if_half
def segment_pool(x, ids, *, pooltype: str = "SUM"):
    """Out = the reduction of the rows of each segment, 0 for an empty segment.

    X [N,*], SegmentIds int [N], nondecreasing -> Out [S,*]

    pooltype: SUM, MEAN, MAX or MIN.
    SummedIds [S,1]: the number of rows of each segment.
    """
    check_not_bool(x)
    check(
        bool(np.all(np.diff(ids) >= 0)) and bool(np.all(ids >= 0)),
        "SegmentIds has negative or decreasing elements",
    )
    check(ids.shape == x.shape[:1], "SegmentIds need one number per row of X")
    out, counts = _reduce_and_count_rows_by_index(
        x, ids, int(np.max(ids)) + 1 if ids.size else 0, pooltype
    )
    return out, counts.reshape(-1, 1).astype(x.dtype)


@segment_pool.meta
def _(x, ids, *, pooltype):
    check_not_bool(x)
    _check_pool_type(pooltype, "pooltype")
    check(len(ids.shape) == 1 and ids.dtype.kind in "iu", "SegmentIds are not whole numbers [rows]")
    check(
        len(x.shape) > 0 and dims_match(ids.shape[0], x.shape[0]),
        "SegmentIds need one number per row of X",
    )
    return Meta((-1, *x.shape[1:]), x.dtype), Meta((-1, 1), x.dtype)


@segment_pool.vjp
def _(g, x, ids, *, pooltype, Out, SummedIds):
    if pooltype in ("MAX", "MIN"):
        return masked(gather(g, ids), equal(x, gather(Out, ids))), None
    return gather(
        div(g, _mean_divisors_from_counts(SummedIds, x)) if pooltype == "MEAN" else g, ids
    ), None


def _check_edge_index_metas(src: Meta, dst: Meta) -> None:
    edges = (
        src.dtype.kind in "iu"
        and dst.dtype.kind in "iu"
        and dims_match(num_elements(src.shape), num_elements(dst.shape))
    )
    check(edges, "Src_index and Dst_index are not whole numbers, one each per edge")


def _check_edge_ends_in_range(ends: Any, count: int) -> None:
    check(bool(np.all((ends >= 0) & (ends < count))), "an edge has an end outside of the graph")


def _out_size_or_num_input_nodes(size_tensor: Any, out_size: Any, rows: int) -> int:
    """The number of nodes in the result of message passing: Out_size if it is positive, otherwise
    the number of rows of X.
    """
    given = (
        int(size_tensor.reshape(-1)[0])
        if size_tensor is not None
        else int(out_size[0])
        if out_size
        else 0
    )
    return given if given > 0 else rows


@op(
    "graph_send_recv",
    "X, Src_index, Dst_index, Out_size? -> Out, Dst_count~",
    validate_before_kernel=True,
    public_name="send_u_recv",
)
@computed_in_float32_if_half
def graph_send_recv(
    x, src, dst, size_tensor=None, *, reduce_op: str = "SUM", out_size: Longs = [0]
):
    """Send the row X[Src_index[e]] along each edge e; Out = the reduction of the rows that arrive
    at each node Dst_index[e].

    X [N,*], Src_index, Dst_index int [E] -> Out [out_size or N,*]

    reduce_op: SUM, MEAN, MAX or MIN.
    Dst_count int32: the number of edges that arrive at each node.
    """
    count = _out_size_or_num_input_nodes(size_tensor, out_size, x.shape[0])
    _check_edge_ends_in_range(dst, count)
    _check_edge_ends_in_range(src, x.shape[0])
    out, counts = _reduce_and_count_rows_by_index(x[src], dst, count, reduce_op)
    return out, counts.astype(np.int32)


@graph_send_recv.meta
def _(x, src, dst, size_tensor, *, reduce_op, out_size):
    check_not_bool(x)
    _check_pool_type(reduce_op, "reduce_op")
    check(len(x.shape) > 0, "X needs an axis")
    _check_edge_index_metas(src, dst)
    count = (
        -1
        if size_tensor is not None
        else int(out_size[0])
        if out_size and out_size[0] > 0
        else x.shape[0]
    )
    return Meta((count, *x.shape[1:]), x.dtype), Meta((count,), np.dtype(np.int32))


@graph_send_recv.vjp
def _(g, x, src, dst, size_tensor, *, reduce_op, Out, Dst_count):
    if reduce_op == "MEAN":
        g = div(g, _mean_divisors_from_counts(Dst_count, x))
    sent = gather(g, dst)
    if reduce_op in ("MAX", "MIN"):
        sent = masked(sent, equal(gather(x, src), gather(Out, dst)))
    back = OPS["scatter_nd_add"](zeros_like(x), OPS["reshape2"](src, shape=[-1, 1]), sent)
    return back, None, None, None


# Paddle supports only these message ops
MESSAGE_OPS = {
    "ADD": (np.add, OPS["elementwise_add"]),
    "MUL": (np.multiply, OPS["elementwise_mul"]),
}


def _edge_message_meta(x: Meta, y: Meta, edges: int, word: str) -> Meta:
    """The Meta of the messages along the edges of a graph, which combine rows of x and y by
    broadcasting.
    """
    check_not_bool(x)
    check(word in MESSAGE_OPS, f"message_op={word} is not one of {', '.join(MESSAGE_OPS)}")
    check_dtype(x.dtype == y.dtype, "the dtypes of the two operands differ")
    check(len(x.shape) > 0 and len(y.shape) > 0, "an operand needs an axis")
    return Meta((edges, *broadcast_shapes(x.shape[1:], y.shape[1:])), x.dtype)


def _message_operand_grad(word: str, sent: Any, own: Any, other: Any) -> Any:
    """The gradient of `own`, one of the two operands of messages, given the gradient `sent` of the
    messages.
    """
    back = mul(sent, other) if word == "MUL" else sent
    return (
        back
        if vjp_input_shape(back)[1:] == vjp_input_shape(own)[1:]
        else sum_to(back, shape=list(vjp_input_shape(own)))
    )


def _emit_edge_row_sums_at_nodes(rows: Any, ends: Any, x: Any) -> Any:
    """Sum the rows of all edges that end at the same node (`ends`); the result has the shape of
    x.
    """
    return OPS["scatter_nd_add"](zeros_like(x), OPS["reshape2"](ends, shape=[-1, 1]), rows)


@op(
    "graph_send_ue_recv",
    "X, Y, Src_index, Dst_index, Out_size? -> Out, Dst_count~",
    public_name="send_ue_recv",
)
@computed_in_float32_if_half
def graph_send_ue_recv(
    x,
    y,
    src,
    dst,
    size_tensor=None,
    *,
    message_op: str = "ADD",
    reduce_op: str = "SUM",
    out_size: Longs = [0],
):
    """graph_send_recv of the rows X[Src_index[e]], combined with the edge features Y[e] by
    message_op.

    X [N,*], Y [E,*], Src_index, Dst_index int [E] -> Out [out_size or N,*], Dst_count int32

    message_op: ADD or MUL.
    reduce_op, Dst_count: see graph_send_recv.
    """
    check_not_bool(x)
    count = _out_size_or_num_input_nodes(size_tensor, out_size, x.shape[0])
    _check_edge_ends_in_range(dst, count)
    _check_edge_ends_in_range(src, x.shape[0])
    check(len(y) == len(src), "Y needs one row per edge")
    out, counts = _reduce_and_count_rows_by_index(
        MESSAGE_OPS[message_op][0](x[src], y), dst, count, reduce_op
    )
    return out, counts.astype(np.int32)


@graph_send_ue_recv.meta
def _(x, y, src, dst, size_tensor, *, message_op, reduce_op, out_size):
    _check_pool_type(reduce_op, "reduce_op")
    _check_edge_index_metas(src, dst)
    message = _edge_message_meta(x, y, num_elements(src.shape), message_op)
    check(dims_match(y.shape[0], message.shape[0]), "Y needs one row per edge")
    return graph_send_recv.infer(
        (Meta((x.shape[0], *message.shape[1:]), x.dtype), src, dst, size_tensor),
        {"reduce_op": reduce_op, "out_size": out_size},
    )


@graph_send_ue_recv.vjp
def _(g, x, y, src, dst, size_tensor, *, message_op, reduce_op, Out, Dst_count):
    rows = gather(x, src)
    sent = gather(
        div(g, _mean_divisors_from_counts(Dst_count, g)) if reduce_op == "MEAN" else g, dst
    )
    if reduce_op in ("MAX", "MIN"):
        sent = masked(sent, equal(MESSAGE_OPS[message_op][1](rows, y), gather(Out, dst)))
    back = _emit_edge_row_sums_at_nodes(_message_operand_grad(message_op, sent, rows, y), src, x)
    return back, lambda: _message_operand_grad(message_op, sent, y, rows), None, None, None


@op(
    "graph_send_uv",
    "x, y, src_index, dst_index -> out",
    validate_before_kernel=True,
    public_name="send_uv",
)
@computed_in_float32_if_half
def graph_send_uv(x, y, src, dst, *, message_op: str = "ADD"):
    """out[e] = x[src_index[e]] combined with y[dst_index[e]] by message_op.

    x [N,*], y [M,*], src_index, dst_index int [E] -> out [E,*]

    message_op: ADD or MUL.
    """
    _check_edge_ends_in_range(src, x.shape[0])
    _check_edge_ends_in_range(dst, y.shape[0])
    return MESSAGE_OPS[message_op][0](x[src], y[dst])


@graph_send_uv.meta
def _(x, y, src, dst, *, message_op):
    _check_edge_index_metas(src, dst)
    return _edge_message_meta(x, y, num_elements(src.shape), message_op)


@graph_send_uv.vjp
def _(g, x, y, src, dst, *, message_op):
    a, b = gather(x, src), gather(y, dst)
    return (
        lambda: _emit_edge_row_sums_at_nodes(_message_operand_grad(message_op, g, a, b), src, x),
        lambda: _emit_edge_row_sums_at_nodes(_message_operand_grad(message_op, g, b, a), dst, y),
        None,
        None,
    )


@op("shard_index", "X -> Out", no_grad_reason=NO_GRAD_NON_FLOAT_RESULT)
def shard_index(x, *, index_num: int, nshards: int, shard_id: int, ignore_value: int = -1):
    """Out = X relative to the start of shard `shard_id` of `nshards`, ignore_value where X is in
    another shard.

    X int [N,1] -> Out [N,1]
    """
    size = -(-index_num // nshards)
    check(bool(np.all((x >= 0) & (x < index_num))), f"an index is not in 0 ... {index_num - 1}")
    return np.where(x // size == shard_id, x % size, x.dtype.type(ignore_value))


@shard_index.meta
def _(x, *, index_num, nshards, shard_id, ignore_value):
    check_dtype(x.dtype.kind in "iu", "X is not of whole numbers")
    check(
        index_num > 0 and nshards > 0 and 0 <= shard_id < nshards,
        f"shard_id={shard_id} is not one of nshards={nshards}",
    )
    return x
