"""Padded sequences with lengths: sequence_mask, edit_distance, gather_tree, viterbi_decode."""

from __future__ import annotations

from typing import Any

from ..core.arrays import np
from ..core.op import HOST_PYTHON_LOOP, NO_GRAD_NON_FLOAT_RESULT, Meta, check, check_dtype, op
from .half_precision import computed_in_float32_if_half
from .shared_op_rules import (
    check_float,
    dims_match,
    num_elements,
    numpy_dtype_of_proto,
    shapes_match,
)

NO_GRAD_DISCRETE_RESULT = "it selects integers"


@op(
    "sequence_mask",
    "X, MaxLenTensor? -> Y",
    no_grad_reason=NO_GRAD_NON_FLOAT_RESULT,
    value_dependent_shape=True,
)
def sequence_mask(x, max_length=None, *, maxlen: int = -1, out_dtype: int):
    """Y = a mask: 1 at the positions below the length X, 0 at the others.

    maxlen: -1 for the largest X.

    X int [*] -> Y [*,maxlen]
    """
    count = maxlen if max_length is None else int(max_length.reshape(()))
    if count < 0:
        count = max(int(np.max(x)), 0) if x.size else 0
    return (np.arange(count) < x[..., None]).astype(numpy_dtype_of_proto(out_dtype))


@sequence_mask.meta
def _(x, max_length, *, maxlen, out_dtype):
    check_dtype(x.dtype.kind in "iuf", "X is not of numbers")
    return Meta(
        (*x.shape, max(maxlen, -1) if max_length is None else -1), numpy_dtype_of_proto(out_dtype)
    )


@op(
    "edit_distance",
    "Hyps, Refs, HypsLength?, RefsLength? -> SequenceNum, Out",
    no_grad_reason=NO_GRAD_NON_FLOAT_RESULT,
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
def edit_distance(hyps, refs, hyps_length=None, refs_length=None, *, normalized: bool = False):
    """Out = the edit distance of Hyps and Refs: the number of insertions, deletions and
    substitutions (Levenshtein 1966).

    Hyps int [B,T], Refs int [B,S] -> Out [B,1]

    normalized: divide by the length of Refs.
    SequenceNum int64 [1]: the batch size.
    """
    batch = hyps.shape[0]
    ends = [
        np.full(batch, a.shape[1]) if n is None else n.reshape(-1)
        for a, n in ((hyps, hyps_length), (refs, refs_length))
    ]
    found = np.array(
        [_pair_edit_distance(hyps[i, : ends[0][i]], refs[i, : ends[1][i]]) for i in range(batch)],
        np.float32,
    )
    if normalized:
        check(bool(np.all(ends[1] > 0)), "a sequence of Refs is empty")
        found = found / ends[1].astype(np.float32)
    return np.array([batch], np.int64), found.reshape(-1, 1).astype(np.float32)


def _pair_edit_distance(hyp: Any, ref: Any) -> float:
    """The edit distance, computed row by row of the dynamic programming table. Insertions within a
    row are computed by a running minimum.
    """
    places = np.arange(len(ref) + 1)
    row = places.astype(np.float64)
    for i, token in enumerate(hyp):
        new = np.minimum(row[1:] + 1, row[:-1] + (ref != token))
        new = np.concatenate([[i + 1.0], new])
        row = np.minimum.accumulate(new - places) + places
    return float(row[-1])


@edit_distance.meta
def _(hyps, refs, hyps_length, refs_length, *, normalized):
    check(len(hyps.shape) == len(refs.shape) == 2, "Hyps and Refs need two axes")
    check(dims_match(hyps.shape[0], refs.shape[0]), "the batches differ")
    return Meta((1,), np.dtype(np.int64)), Meta(
        (max(hyps.shape[0], refs.shape[0]), 1), np.dtype(np.float32)
    )


@op(
    "gather_tree",
    "Ids, Parents -> Out",
    no_grad_reason=NO_GRAD_DISCRETE_RESULT,
    validate_before_kernel=True,
)
def gather_tree(ids, parents):
    """Out = the complete beams: trace each beam back from the last step, with the token (Ids) and
    the parent beam (Parents) of each step.

    all int [T,B,W]
    """
    out = np.empty_like(ids)
    beam = np.broadcast_to(np.arange(ids.shape[2], dtype=parents.dtype), ids.shape[1:])
    for t in reversed(range(ids.shape[0])):
        out[t] = np.take_along_axis(ids[t], beam, axis=1)
        beam = np.take_along_axis(parents[t], beam, axis=1)
    return out


@gather_tree.meta
def _(ids, parents):
    check_dtype(
        ids.dtype.kind in "iu" and ids.dtype == parents.dtype,
        "Ids and Parents are not whole numbers of one dtype",
    )
    check(
        len(ids.shape) == 3 and shapes_match(ids.shape, parents.shape),
        "Ids and Parents need the shape [time, batch, beams]",
    )
    return ids


@op(
    "viterbi_decode",
    "Input, Transition, Length -> Scores, Path",
    no_grad_reason=NO_GRAD_DISCRETE_RESULT,
    value_dependent_shape=True,
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
@computed_in_float32_if_half
def viterbi_decode(x, transition, length, *, include_bos_eos_tag: bool = True):
    """Path = the tag sequence with the highest score, Scores = that score (Viterbi 1967).

    Input [B,T,N], Transition [N,N], Length int64 [B] -> Scores [B], Path [B,L]

    Transition[i, j]: the score of tag j after tag i.
    include_bos_eos_tag: the last tag is the start tag, the last but one the end tag.
    L: the largest length. Path is 0 after the end of a sequence.
    """
    batch, count = np.arange(x.shape[0]), int(np.max(length, initial=0))
    score = x[:, 0] + transition[-1] if include_bos_eos_tag else x[:, 0].copy()
    backpointers = np.zeros((count, *score.shape), np.int64)
    final = score + transition[-2] if include_bos_eos_tag else score
    # as in Paddle, an empty sequence gets no transition to the end tag
    ended = np.where((length > 0)[:, None], final, score)
    for t in range(1, count):
        each = score[:, :, None] + transition
        backpointers[t], score = np.argmax(each, axis=1), np.max(each, axis=1) + x[:, t]
        final = score + transition[-2] if include_bos_eos_tag else score
        ended = np.where((length > t)[:, None], final, ended)
    tag = np.argmax(ended, axis=1)
    path = np.zeros((x.shape[0], count), np.int64)
    for t in reversed(range(count)):
        inside = length > t
        path[:, t] = np.where(inside, tag, 0)
        tag = np.where(inside, backpointers[t, batch, tag], tag)
    return np.max(ended, axis=1), path


@viterbi_decode.meta
def _(x, transition, length, *, include_bos_eos_tag):
    check_float(x)
    check(
        len(x.shape) == 3 and len(transition.shape) == 2,
        "needs Input [batch, time, tags] and Transition [tags, tags]",
    )
    check(
        dims_match(x.shape[2], transition.shape[0]) and dims_match(x.shape[2], transition.shape[1]),
        "Transition does not fit Input",
    )
    check(
        dims_match(num_elements(length.shape), x.shape[0]), "Length needs one number per sequence"
    )
    return Meta((x.shape[0],), x.dtype), Meta((x.shape[0], -1), np.dtype(np.int64))
