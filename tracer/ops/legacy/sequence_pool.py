"""Pooling, softmax and expansion of packed sequences."""

from __future__ import annotations

from ...core.arrays import np
from ...core.op import HOST_PYTHON_LOOP, Meta, check, op
from ..lod import (
    offsets_from_lengths,
    require_row_offsets,
    reshape_row_values_to_broadcast,
    row_indices_of_ranges,
    segment_sum,
    sequence_id_per_row,
    sequence_lengths,
)
from ..shared_op_rules import like_x_meta, make_vjp_rule_rejecting_second_order

POOL_TYPES = ("AVERAGE", "SUM", "SQRT", "MAX", "LAST", "FIRST")


def _num_lod_levels_without_innermost(level: int, *_: int) -> int:
    return max(level - 1, 0)


@op("sequence_pool", "X, X@LOD*?! -> Out, MaxIndex~", host_reason=HOST_PYTHON_LOOP)
def sequence_pool(x, lod=None, *, pooltype: str = "AVERAGE", pad_value: float = 0.0):
    """Out = one row for each sequence: the mean, sum, sum / sqrt(length), maximum, last or first
    row; pad_value for an empty sequence.

    X [R,*] -> Out [n,*]

    MaxIndex int32: the row of the maximum, counted within the sequence.
    """
    offsets = require_row_offsets(lod)
    index = np.zeros((len(offsets) - 1, *x.shape[1:]), np.int32)
    full = sequence_lengths(offsets) > 0
    out = np.full((len(offsets) - 1, *x.shape[1:]), pad_value, x.dtype)
    if pooltype in ("LAST", "FIRST"):
        out[full] = x[(offsets[1:] - 1 if pooltype == "LAST" else offsets[:-1])[full]]
    elif pooltype == "MAX":
        for i in np.flatnonzero(full):
            rows = x[offsets[i] : offsets[i + 1]]
            index[i] = np.argmax(rows, axis=0)
            out[i] = rows.max(axis=0)
    else:
        out[full] = (
            segment_sum(x, offsets)
            / reshape_row_values_to_broadcast(
                _pooling_divisor_per_sequence(pooltype, sequence_lengths(offsets)), x
            )
        )[full]
    return out, index


def _pooling_divisor_per_sequence(pooltype, counts):
    return {
        "SUM": np.ones(len(counts)),
        "AVERAGE": np.maximum(counts, 1),
        "SQRT": np.sqrt(np.maximum(counts, 1)),
    }[pooltype]


@sequence_pool.meta
def _(x, lod, *, pooltype, pad_value):
    check(pooltype in POOL_TYPES, f"pooltype={pooltype!r} is not one of {list(POOL_TYPES)}")
    return Meta((-1, *x.shape[1:]), x.dtype), Meta((-1, *x.shape[1:]), np.dtype(np.int32))


@sequence_pool.lod(_num_lod_levels_without_innermost)
def _(x, lod=None, *, pooltype="AVERAGE", pad_value=0.0):
    return list(lod[:-1])


@sequence_pool.vjp
def _(g, x, lod, *, pooltype):
    return sequence_pool_grad(x, lod, g, pooltype=pooltype), None


@op(
    "sequence_pool_grad",
    "X, X@LOD*?!, Out@GRAD -> X@GRAD",
    meta=like_x_meta,
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def sequence_pool_grad(x, lod=None, g=None, *, pooltype: str = "AVERAGE"):
    """The gradient of sequence_pool. X [R,*], Out@GRAD [n,*] -> X@GRAD [R,*]"""
    offsets = require_row_offsets(lod)
    counts, owner = sequence_lengths(offsets), sequence_id_per_row(offsets)
    if pooltype in ("SUM", "AVERAGE", "SQRT"):
        return (
            g / reshape_row_values_to_broadcast(_pooling_divisor_per_sequence(pooltype, counts), g)
        )[owner]
    out = np.zeros_like(x)
    full = counts > 0
    if pooltype == "MAX":
        for i in np.flatnonzero(full):
            rows = x[offsets[i] : offsets[i + 1]]
            np.put_along_axis(
                out[offsets[i] : offsets[i + 1]], np.argmax(rows, axis=0)[None], g[i][None], axis=0
            )
    else:
        out[(offsets[1:] - 1 if pooltype == "LAST" else offsets[:-1])[full]] = g[full]
    return out


sequence_pool_grad.vjp(make_vjp_rule_rejecting_second_order("sequence_pool"))


@op("sequence_softmax", "X, X@LOD*?! -> Out", meta=like_x_meta, host_reason=HOST_PYTHON_LOOP)
def sequence_softmax(x, lod=None):
    """Out = exp(X) / the sum of exp(X) over the row's sequence. X [R] or [R,1] -> Out like X"""
    check(x.size == x.shape[0], "X should have one element per row")
    offsets = require_row_offsets(lod)
    owner = sequence_id_per_row(offsets)
    top = np.full(len(offsets) - 1, -np.inf, x.dtype)
    np.maximum.at(top, owner, x.reshape(-1))
    weights = np.exp(x.reshape(-1) - top[owner])
    return (weights / segment_sum(weights, offsets)[owner]).reshape(x.shape)


@sequence_softmax.vjp
def _(g, x, lod, *, Out):
    return sequence_softmax_grad(x, lod, Out, g), None


@op(
    "sequence_softmax_grad",
    "X, X@LOD*?!, Out, Out@GRAD -> X@GRAD",
    meta=like_x_meta,
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def sequence_softmax_grad(x, lod=None, out=None, g=None):
    """The gradient of sequence_softmax. X, Out, Out@GRAD [R] or [R,1] -> X@GRAD like X"""
    offsets = require_row_offsets(lod)
    weighted = (g * out).reshape(-1)
    return (
        weighted - out.reshape(-1) * segment_sum(weighted, offsets)[sequence_id_per_row(offsets)]
    ).reshape(x.shape)


sequence_softmax_grad.vjp(make_vjp_rule_rejecting_second_order("sequence_softmax"))


def _sequence_offsets_and_repeats(x, x_lod, y_lod, level):
    """Return the row offsets of the sequences of X, and how often each sequence is repeated.
    Without LoD, each row of X counts as a sequence.
    """
    own = np.arange(x.shape[0] + 1) if not x_lod else require_row_offsets(x_lod)
    check(bool(y_lod), "Y holds no sequences")
    counts = sequence_lengths(np.asarray(y_lod[level], np.int64))
    check(
        len(counts) == len(own) - 1,
        f"Y has {len(counts)} sequences at that level, X {len(own) - 1}",
    )
    return own, counts


def _expanded_row_indices_and_lengths(x, x_lod, y_lod, level):
    own, counts = _sequence_offsets_and_repeats(x, x_lod, y_lod, level)
    which = np.repeat(np.arange(len(counts)), counts)
    return row_indices_of_ranges(own[:-1][which], sequence_lengths(own)[which]), sequence_lengths(
        own
    )[which]


@op("sequence_expand", "X, X@LOD*?!, Y!, Y@LOD*?! -> Out", host_reason=HOST_PYTHON_LOOP)
def sequence_expand(x, x_lod=None, y=None, y_lod=None, *, ref_level: int = -1):
    """Out = each sequence of X (without LoD: each row), repeated as often as the matching sequence
    of Y at LoD level ref_level has elements.

    X [R,*] -> Out [S,*]
    """
    return x[_expanded_row_indices_and_lengths(x, x_lod, y_lod, ref_level)[0]]


@sequence_expand.meta
def _(x, x_lod, y, y_lod, *, ref_level):
    return Meta((-1, *x.shape[1:]), x.dtype)


@sequence_expand.lod(lambda x, *_: x)
def _(x, x_lod=None, y=None, y_lod=None, *, ref_level=-1):
    return (
        [offsets_from_lengths(_expanded_row_indices_and_lengths(x, x_lod, y_lod, ref_level)[1])]
        if x_lod
        else []
    )


@sequence_expand.vjp
def _(g, x, x_lod, y, y_lod, *, ref_level):
    return sequence_expand_grad(x, x_lod, y, y_lod, g, ref_level=ref_level), None, None, None


@op(
    "sequence_expand_grad",
    "X, X@LOD*?!, Y, Y@LOD*?!, Out@GRAD -> X@GRAD",
    meta=like_x_meta,
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def sequence_expand_grad(x, x_lod=None, y=None, y_lod=None, g=None, *, ref_level: int = -1):
    """The gradient of sequence_expand with respect to X. Out@GRAD [S,*] -> X@GRAD [R,*]"""
    out = np.zeros_like(x)
    np.add.at(out, _expanded_row_indices_and_lengths(x, x_lod, y_lod, ref_level)[0], g)
    return out


sequence_expand_grad.vjp(make_vjp_rule_rejecting_second_order("sequence_expand"))


@op("sequence_expand_as", "X, Y!, Y@LOD*?! -> Out", host_reason=HOST_PYTHON_LOOP)
def sequence_expand_as(x, y=None, y_lod=None):
    """Out = row i of X, repeated for each row of sequence i of Y. X [n,*] -> Out [R,*]"""
    counts = sequence_lengths(require_row_offsets(y_lod, "Y"))
    check(len(counts) == x.shape[0], f"Y has {len(counts)} sequences")
    return np.repeat(x, counts, axis=0)


@sequence_expand_as.meta
def _(x, y, y_lod):
    return Meta((-1, *x.shape[1:]), x.dtype)


@sequence_expand_as.lod(lambda x, y, *_: 1)
def _(x, y=None, y_lod=None):
    return [require_row_offsets(y_lod, "Y")]


@sequence_expand_as.vjp
def _(g, x, y, y_lod):
    return sequence_expand_as_grad(x, y, y_lod, g), None, None


@op(
    "sequence_expand_as_grad",
    "X, Y, Y@LOD*?!, Out@GRAD -> X@GRAD",
    meta=like_x_meta,
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def sequence_expand_as_grad(x, y=None, y_lod=None, g=None):
    """The gradient of sequence_expand_as with respect to X. Out@GRAD [R,*] -> X@GRAD [n,*]"""
    return segment_sum(g, require_row_offsets(y_lod, "Y"))


sequence_expand_as_grad.vjp(make_vjp_rule_rejecting_second_order("sequence_expand_as"))
