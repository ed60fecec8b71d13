"""Text matching: match_matrix_tensor, sequence_topk_avg_pooling, var_conv_2d.

The table of a pair of sequences with h and w elements has C channels of h rows and w columns. All
tables are concatenated to one column, [sum of C h w, 1].
"""

from __future__ import annotations

from ...core.arrays import np
from ...core.op import HOST_PYTHON_LOOP, Ints, Meta, check, op
from ..lod import offsets_from_lengths, require_row_offsets, sequence_lengths
from ..shared_op_rules import (
    check_float,
    dims_match,
    like_x_meta,
    make_meta_rule_like_inputs_at,
    make_vjp_rule_rejecting_second_order,
    scale_dim,
)

PAIR_SLOTS = "X, X@LOD*?!, Y, Y@LOD*?!, W"
TABLE_SLOTS = "X, X@LOD*?!, ROW!, ROW@LOD*?!, COLUMN!, COLUMN@LOD*?!"


def _pair_row_slices(x_lod, y_lod, x="X", y="Y"):
    """For each pair of sequences, the slice of the rows of the first sequence and that of the
    second one.
    """
    one, two = require_row_offsets(x_lod, x), require_row_offsets(y_lod, y)
    check(len(one) == len(two), f"{x} holds {len(one) - 1} sequences, {y} {len(two) - 1}")
    return [tuple(slice(e[i], e[i + 1]) for e in (one, two)) for i in range(len(one) - 1)]


@op(
    "match_matrix_tensor",
    f"{PAIR_SLOTS} -> Out, Tmp~",
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
def match_matrix_tensor(x, x_lod=None, y=None, y_lod=None, w=None, *, dim_t: int = 1):
    """Out = X_i W_t Y_i' for each pair of sequences and each t.

    X [R,D], Y [S,E], W [D,T,E] -> Out [sum of T h w,1]; Tmp [R T E,1]: X W
    """
    half = np.tensordot(x, w, (1, 0))
    tables = [
        np.einsum("hte,we->thw", half[a], y[b]).reshape(-1)
        for a, b in _pair_row_slices(x_lod, y_lod)
    ]
    return np.concatenate(tables).reshape(-1, 1), half.reshape(-1, 1)


@match_matrix_tensor.meta
def _(x, x_lod, y, y_lod, w, *, dim_t):
    check_float(x)
    check(
        len(x.shape) == len(y.shape) == 2 and len(w.shape) == 3,
        "needs X and Y of two axes and W of three",
    )
    check(dims_match(w.shape[1], dim_t), "dim_t is not the size of the second axis of W")
    check(
        dims_match(x.shape[1], w.shape[0]) and dims_match(y.shape[1], w.shape[2]),
        "W does not fit X and Y",
    )
    count = (
        scale_dim(scale_dim(x.shape[0], w.shape[1]), w.shape[2])
        if -1 not in (w.shape[1], w.shape[2])
        else -1
    )
    return Meta((-1, 1), x.dtype), Meta((count, 1), x.dtype)


@match_matrix_tensor.lod(lambda *_: 1)
def _(x, x_lod=None, y=None, y_lod=None, w=None, *, dim_t=1):
    return [
        offsets_from_lengths(
            [
                dim_t * (a.stop - a.start) * (b.stop - b.start)
                for a, b in _pair_row_slices(x_lod, y_lod)
            ]
        )
    ]


@match_matrix_tensor.vjp
def _(g, x, x_lod, y, y_lod, w):
    of_x, of_y, of_w = match_matrix_tensor_grad(x, x_lod, y, y_lod, w, g)
    return of_x, None, of_y, None, of_w


@op(
    "match_matrix_tensor_grad",
    f"{PAIR_SLOTS}, Out@GRAD -> X@GRAD, Y@GRAD, W@GRAD",
    meta=make_meta_rule_like_inputs_at(0, 2, 4),
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def match_matrix_tensor_grad(x, x_lod=None, y=None, y_lod=None, w=None, g=None):
    """The gradients of match_matrix_tensor with respect to X, Y and W."""
    half, at = np.tensordot(x, w, (1, 0)), 0
    of_half, of_y = np.zeros_like(half), np.zeros_like(y)
    for a, b in _pair_row_slices(x_lod, y_lod):
        shape = (w.shape[1], a.stop - a.start, b.stop - b.start)
        table = g[at : at + np.prod(shape)].reshape(shape)
        at += np.prod(shape)
        of_half[a] = np.einsum("thw,we->hte", table, y[b])
        of_y[b] = np.einsum("thw,hte->we", table, half[a])
    return np.tensordot(of_half, w, ((1, 2), (1, 2))), of_y, np.tensordot(x, of_half, (0, 0))


match_matrix_tensor_grad.vjp(make_vjp_rule_rejecting_second_order("match_matrix_tensor"))


# -- tables
# ------------------------------------------------------------------------------


def _split_into_pair_tables(x, row_lod, column_lod, channels):
    """Split the column that holds all tables: return the table [C,h,w] of each pair."""
    at, found = 0, []
    for a, b in _pair_row_slices(row_lod, column_lod, "ROW", "COLUMN"):
        shape = (channels, a.stop - a.start, b.stop - b.start)
        found.append(x[at : at + np.prod(shape)].reshape(shape))
        at += int(np.prod(shape))
    check(
        at == x.shape[0],
        f"the sequences of ROW and COLUMN need {at} elements in X, which has {x.shape[0]}",
    )
    return found


@op("sequence_topk_avg_pooling", f"{TABLE_SLOTS} -> Out, pos~", host_reason=HOST_PYTHON_LOOP)
def sequence_topk_avg_pooling(
    x,
    lod=None,
    row=None,
    row_lod=None,
    column=None,
    column_lod=None,
    *,
    topks: Ints,
    channel_num: int,
):
    """For each row of a table, each channel and each k in topks: the sum of the k largest elements,
    divided by k.

    X: tables -> Out [rows of ROW,C K]

    pos int32 [rows C max(topks)]: the columns of the largest elements; -1 if the row has fewer.
    """
    check_float(x)
    most, out, places = max(topks), [], []
    for table in _split_into_pair_tables(x, row_lod, column_lod, channel_num):
        order = np.argsort(-table, axis=2, kind="stable")[:, :, :most]
        sums = np.cumsum(np.take_along_axis(table, order, 2), axis=2)
        ends = [
            sums[:, :, min(k, sums.shape[2]) - 1] / table.dtype.type(k)
            if sums.shape[2]
            else 0 * table[:, :, :1].sum(2)
            for k in topks
        ]
        out.append(np.stack(ends, axis=2).transpose(1, 0, 2).reshape(table.shape[1], -1))
        missing = ((0, 0), (0, 0), (0, most - order.shape[2]))
        places.append(np.pad(order, missing, constant_values=-1).transpose(1, 0, 2).reshape(-1))
    return np.concatenate(out), np.concatenate(places).astype(np.int32)


@sequence_topk_avg_pooling.meta
def _(x, lod, row, row_lod, column, column_lod, *, topks, channel_num):
    check_float(x)
    check(len(topks) > 0 and min(topks) > 0, "topks are not positive")
    count = row.shape[0] * channel_num
    places = count * max(topks) if row.shape[0] >= 0 else -1
    return Meta((row.shape[0], channel_num * len(topks)), x.dtype), Meta(
        (places,), np.dtype(np.int32)
    )


@sequence_topk_avg_pooling.lod(lambda x, lod, row, *_: row)
def _(x, lod=None, row=None, row_lod=None, column=None, column_lod=None, **_):
    return list(row_lod)


@sequence_topk_avg_pooling.vjp
def _(g, x, lod, row, row_lod, column, column_lod, *, topks, channel_num, pos):
    of_x = sequence_topk_avg_pooling_grad(
        x, lod, row, row_lod, column, column_lod, pos, g, topks=topks, channel_num=channel_num
    )
    return of_x, None, None, None, None, None


@op(
    "sequence_topk_avg_pooling_grad",
    f"{TABLE_SLOTS}, pos, Out@GRAD -> X@GRAD",
    meta=like_x_meta,
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def sequence_topk_avg_pooling_grad(
    x,
    lod=None,
    row=None,
    row_lod=None,
    column=None,
    column_lod=None,
    places=None,
    g=None,
    *,
    topks: Ints,
    channel_num: int,
):
    """The gradient of sequence_topk_avg_pooling: each of the k largest elements of a row gets 1 / k
    of the gradient.
    """
    most, found, start = max(topks), [], 0
    shares = (np.arange(most) < np.array(topks)[:, None]) / np.array(topks)[:, None]
    where = places.reshape(-1, channel_num, most)
    weights = np.einsum(
        "rck,kp->rcp", g.reshape(-1, channel_num, len(topks)), shares.astype(g.dtype)
    )
    for table in _split_into_pair_tables(x, row_lod, column_lod, channel_num):
        # missing elements (-1) accumulate in an additional last column
        back = np.zeros((table.shape[1], channel_num, table.shape[2] + 1), g.dtype)
        rows = slice(start, start + table.shape[1])
        np.put_along_axis(back, where[rows], weights[rows], 2)
        start = rows.stop
        found.append(back[:, :, :-1].transpose(1, 0, 2).reshape(-1))
    return np.concatenate(found).reshape(x.shape)


sequence_topk_avg_pooling_grad.vjp(
    make_vjp_rule_rejecting_second_order("sequence_topk_avg_pooling")
)


# -- convolution
# ------------------------------------------------------------------------------


def _window_indices_and_output_shape(shape, kernel, stride):
    """Return the row and column indices, in a zero-padded table, of the window at each output
    position, and the output shape.
    """
    (_, h, w), (kh, kw), (sh, sw) = shape, kernel, stride
    tops, lefts = np.arange(0, h, sh), np.arange(0, w, sw)
    rows, columns = tops[:, None] + np.arange(kh), lefts[:, None] + np.arange(kw)
    return rows[:, None, :, None], columns[None, :, None, :], (len(tops), len(lefts))


def _im2col(table, kernel, stride):
    """The windows of a zero-padded table as columns of a matrix (im2col). table [C,h,w] -> [C kh
    kw, positions]
    """
    (kh, kw), (_, h, w) = kernel, table.shape
    wide = np.zeros((table.shape[0], h + kh, w + kw), table.dtype)
    wide[:, kh // 2 : kh // 2 + h, kw // 2 : kw // 2 + w] = table
    rows, columns, _ = _window_indices_and_output_shape(table.shape, kernel, stride)
    return wide[:, rows, columns].transpose(0, 3, 4, 1, 2).reshape(table.shape[0] * kh * kw, -1)


@op(
    "var_conv_2d",
    f"{TABLE_SLOTS}, W -> Out, Col~",
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
def var_conv_2d(
    x,
    lod=None,
    row=None,
    row_lod=None,
    column=None,
    column_lod=None,
    w=None,
    *,
    InputChannel: int = 1,
    OutputChannel: int = 1,
    StrideH: int = 1,
    StrideW: int = 1,
    KernelH: int = 1,
    KernelW: int = 1,
):
    """The convolution of each table with W, zero-padded, with strides StrideH and StrideW.

    W [O,C KernelH KernelW]

    Col: the im2col matrices.
    """
    kernel, stride = (KernelH, KernelW), (StrideH, StrideW)
    windows = [
        _im2col(table, kernel, stride)
        for table in _split_into_pair_tables(x, row_lod, column_lod, InputChannel)
    ]
    made = [(w @ each).reshape(-1) for each in windows]
    return np.concatenate(made).reshape(-1, 1), np.concatenate(
        [each.reshape(-1) for each in windows]
    ).reshape(-1, 1)


@var_conv_2d.meta
def _(
    x,
    lod,
    row,
    row_lod,
    column,
    column_lod,
    w,
    *,
    InputChannel,
    OutputChannel,
    KernelH,
    KernelW,
    **_,
):
    check_float(x)
    check(
        len(w.shape) == 2 and dims_match(w.shape[0], OutputChannel),
        "W should have one row per output channel",
    )
    check(
        dims_match(w.shape[1], InputChannel * KernelH * KernelW),
        "the number of columns of W is not InputChannel * KernelH * KernelW",
    )
    return Meta((-1, 1), x.dtype), Meta((-1, 1), x.dtype)


@var_conv_2d.lod(lambda *_: 1)
def _(
    x,
    lod=None,
    row=None,
    row_lod=None,
    column=None,
    column_lod=None,
    w=None,
    *,
    OutputChannel=1,
    StrideH=1,
    StrideW=1,
    **_,
):
    heights, widths = (
        sequence_lengths(require_row_offsets(row_lod, "ROW")),
        sequence_lengths(require_row_offsets(column_lod, "COLUMN")),
    )
    return [offsets_from_lengths(OutputChannel * -(-heights // StrideH) * -(-widths // StrideW))]


@var_conv_2d.vjp
def _(g, x, lod, row, row_lod, column, column_lod, w, **attrs):
    kept = {k: v for k, v in attrs.items() if k in var_conv_2d.attrs}
    of_x, of_w = var_conv_2d_grad(x, lod, row, row_lod, column, column_lod, w, g, **kept)
    return of_x, None, None, None, None, None, of_w


@op(
    "var_conv_2d_grad",
    f"{TABLE_SLOTS}, W, Out@GRAD -> X@GRAD, W@GRAD",
    meta=make_meta_rule_like_inputs_at(0, 6),
    internal=True,
    attrs_of=var_conv_2d,
    host_reason=HOST_PYTHON_LOOP,
)
def var_conv_2d_grad(
    x, lod=None, row=None, row_lod=None, column=None, column_lod=None, w=None, g=None, **attributes
):
    """The gradients of var_conv_2d with respect to X and W."""
    attrs = var_conv_2d.attrs_with_defaults(attributes)
    kernel, stride = (attrs["KernelH"], attrs["KernelW"]), (attrs["StrideH"], attrs["StrideW"])
    found, of_w, at = [], np.zeros_like(w), 0
    for table in _split_into_pair_tables(x, row_lod, column_lod, attrs["InputChannel"]):
        windows = _im2col(table, kernel, stride)
        size = w.shape[0] * windows.shape[1]
        back = g[at : at + size].reshape(w.shape[0], -1)
        at += size
        of_w += back @ windows.T
        found.append(_col2im(w.T @ back, table.shape, kernel, stride).reshape(-1))
    return np.concatenate(found).reshape(x.shape), of_w


def _col2im(windows, shape, kernel, stride):
    """Add the gradients of windows at their positions in the table (col2im): return the gradient of
    the table.
    """
    (channels, h, w), (kh, kw) = shape, kernel
    rows, columns, (high, across) = _window_indices_and_output_shape(shape, kernel, stride)
    wide = np.zeros((channels, h + kh, w + kw), windows.dtype)
    parts = windows.reshape(channels, kh, kw, high, across).transpose(0, 3, 4, 1, 2)
    for table, part in zip(wide, parts, strict=True):
        np.add.at(table, (rows, columns), part)
    return wide[:, kh // 2 : kh // 2 + h, kw // 2 : kw // 2 + w]


var_conv_2d_grad.vjp(make_vjp_rule_rejecting_second_order("var_conv_2d"))
