"""Sequences of labels and image patches: ctc_align, sequence_erase, chunk_eval, im2sequence."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from ...core.arrays import np
from ...core.op import HOST_PYTHON_LOOP, NO_GRAD_NON_FLOAT_RESULT, Ints, Meta, check, op
from ..lod import (
    offsets_from_lengths,
    require_row_offsets,
    sequence_id_per_row,
    sequence_lengths,
    set_lod_rules_to_no_lod,
)
from ..pixel_shuffle import fold_like, unfold
from ..shared_op_rules import like_x_meta, make_vjp_rule_rejecting_second_order

NO_GRAD_DISCRETE_RESULT = "it selects integers"


def _ctc_kept_label_mask(x: Any, owner: Any, blank: int, merge: bool) -> Any:
    """A mask of the labels that ctc_align keeps: those that are not blank and, with `merge`, differ
    from the previous label.
    """
    flat = x.reshape(-1)
    same = np.zeros(len(flat), bool)
    same[1:] = (flat[1:] == flat[:-1]) & (owner[1:] == owner[:-1])
    return (flat != blank) & ~(same if merge else np.zeros_like(same))


def _count_kept_labels_per_sequence(kept: Any, owner: Any, count: int) -> Any:
    return np.bincount(owner[kept], minlength=count)


@op(
    "ctc_align",
    "Input, Input@LOD*?!, InputLength?! -> Output, OutputLength",
    no_grad_reason=NO_GRAD_DISCRETE_RESULT,
    value_dependent_shape=True,
    host_reason=HOST_PYTHON_LOOP,
)
def ctc_align(
    x, lod=None, length=None, *, blank: int = 0, merge_repeated: bool = True, padding_value: int = 0
):
    """Output = the labels without blanks and, with merge_repeated, without repetitions.

    Input int [R,1] -> Output [S,1]; [[-1]] if no label remains

    With InputLength [B,1] the sequences are padded: Input [B,T] -> Output [B,T], padded with
    padding_value. OutputLength [B,1]: the lengths.
    """
    if length is None:
        offsets = require_row_offsets(lod, "Input")
        owner = sequence_id_per_row(offsets)
        kept = _ctc_kept_label_mask(x, owner, blank, merge_repeated)
        counts = _count_kept_labels_per_sequence(kept, owner, len(offsets) - 1)
        return (x[kept] if kept.any() else np.full((1, 1), -1, x.dtype)), counts.reshape(
            -1, 1
        ).astype(x.dtype)
    inside = np.arange(x.shape[1]) < length.reshape(-1, 1)
    owner = np.repeat(np.arange(x.shape[0]), x.shape[1])
    kept = _ctc_kept_label_mask(x, owner, blank, merge_repeated) & inside.reshape(-1)
    counts = _count_kept_labels_per_sequence(kept, owner, x.shape[0])
    out = np.full(x.shape, padding_value, x.dtype)
    out[np.arange(x.shape[1]) < counts[:, None]] = x.reshape(-1)[kept]
    return out, counts.reshape(-1, 1).astype(x.dtype)


@ctc_align.meta
def _(x, lod, length, *, blank, merge_repeated, padding_value):
    if length is None:
        return Meta((-1, 1), x.dtype), Meta((-1, 1), x.dtype)
    return x, Meta((x.shape[0], 1), x.dtype)


@ctc_align.lod(lambda level, *_: level)
def _(x, lod=None, length=None, *, blank=0, merge_repeated=True, padding_value=0):
    if length is not None:
        return []
    offsets = require_row_offsets(lod, "Input")
    owner = sequence_id_per_row(offsets)
    return [
        offsets_from_lengths(
            _count_kept_labels_per_sequence(
                _ctc_kept_label_mask(x, owner, blank, merge_repeated), owner, len(offsets) - 1
            )
        )
    ]


@op(
    "sequence_erase",
    "X, X@LOD*?! -> Out",
    no_grad_reason=NO_GRAD_DISCRETE_RESULT,
    value_dependent_shape=True,
    host_reason=HOST_PYTHON_LOOP,
)
def sequence_erase(x, lod=None, *, tokens: Ints):
    """Out = the rows of X whose value is not in `tokens`. X int [R,1] -> Out [S,1]"""
    return x[~np.isin(x.reshape(-1), tokens)]


@sequence_erase.meta
def _(x, lod, *, tokens):
    return Meta((-1, *x.shape[1:]), x.dtype)


@sequence_erase.lod(lambda level, *_: level)
def _(x, lod=None, *, tokens):
    offsets = require_row_offsets(lod)
    return [
        offsets_from_lengths(
            _count_kept_labels_per_sequence(
                ~np.isin(x.reshape(-1), tokens), sequence_id_per_row(offsets), len(offsets) - 1
            )
        )
    ]


# -- images
# ------------------------------------------------------------------------------


def _unfold_attrs(kernels, strides, paddings):
    return {"kernel_sizes": kernels, "strides": strides, "paddings": paddings, "dilations": [1, 1]}


@op("im2sequence", "X, Y?! -> Out", host_reason=HOST_PYTHON_LOOP)
def im2sequence(
    x,
    y=None,
    *,
    kernels: Ints,
    strides: Ints = [1, 1],
    paddings: Ints = [0, 0, 0, 0],
    out_stride: Ints = [1, 1],
):
    """Out = one row for each of the L window positions of an image, which holds the elements in the
    window; the rows of an image form a sequence.

    X [N,C,H,W] -> Out [N L, C KH KW]
    """
    columns = unfold.numpy_kernel(x, **_unfold_attrs(kernels, strides, paddings))
    return columns.transpose(0, 2, 1).reshape(-1, columns.shape[1])


@im2sequence.meta
def _(x, y, *, kernels, strides, paddings, out_stride):
    check(y is None, "images of different sizes (Y) are not supported")
    columns = unfold.infer((x,), _unfold_attrs(kernels, strides, paddings))
    rows = (
        -1 if min(columns.shape[0], columns.shape[2]) < 0 else columns.shape[0] * columns.shape[2]
    )
    return Meta((rows, columns.shape[1]), x.dtype)


@im2sequence.lod(lambda *_: 1)
def _(x, y=None, **attrs):
    rows = im2sequence.numpy_kernel(x[:1], None, **attrs).shape[0]
    return [np.arange(x.shape[0] + 1) * rows]


@im2sequence.vjp
def _(g, x, y, *, kernels, strides, paddings):
    return im2sequence_grad(x, g, kernels=kernels, strides=strides, paddings=paddings), None


@op(
    "im2sequence_grad",
    "X, Out@GRAD -> X@GRAD",
    meta=like_x_meta,
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def im2sequence_grad(x, g, *, kernels: Ints, strides: Ints = [1, 1], paddings: Ints = [0, 0, 0, 0]):
    """The gradient of im2sequence. Out@GRAD [N L, C KH KW] -> X@GRAD [N,C,H,W]"""
    columns = g.reshape(x.shape[0], -1, g.shape[1]).transpose(0, 2, 1)
    return fold_like.numpy_kernel(columns, x, **_unfold_attrs(kernels, strides, paddings))


im2sequence_grad.vjp(make_vjp_rule_rejecting_second_order("im2sequence"))


# -- chunks
# ------------------------------------------------------------------------------

# scheme -> the tag numbers of: the begin of a chunk, its inside, its end, a chunk of one element;
# -1: the scheme has no such tag
CHUNK_SCHEMES = {
    "IOB": (0, 1, -1, -1),
    "IOE": (-1, 0, 1, -1),
    "IOBES": (0, 1, 2, 3),
    "plain": (-1, 0, -1, -1),
}


def _is_chunk_end(
    scheme: tuple[int, ...], tag: int, kind: int, then: int, after: int, other: int
) -> bool:
    """Whether a chunk ends between two consecutive labels.

    tag, kind: of the first label.
    then, after: tag and kind of the second label.
    other: the kind of labels outside of chunks.
    """
    begin, inside, end, single = scheme
    if other in (kind, after) or after != kind:
        return kind != other
    if tag in (begin, inside):
        return then in (begin, single)
    return tag in (end, single)


def _is_chunk_start(
    scheme: tuple[int, ...], tag: int, kind: int, then: int, after: int, other: int
) -> bool:
    """Whether a chunk starts at the second of two consecutive labels."""
    begin, inside, end, single = scheme
    if other in (kind, after) or after != kind:
        return after != other
    if then in (begin, single):
        return True
    return then in (inside, end) and tag in (end, single)


def _iter_chunks(labels: Any, scheme: str, kinds: int) -> Iterator[tuple[int, int, int]]:
    """Return the start, end and kind of each chunk in a sequence of labels."""
    order = CHUNK_SCHEMES[scheme]
    tags = max(order) + 1
    begun, tag, kind = -1, -1, kinds
    for i, label in enumerate(labels):
        before, was = tag, kind
        tag, kind = int(label) % tags, int(label) // tags
        if begun >= 0 and _is_chunk_end(order, before, was, tag, kind, kinds):
            yield begun, i - 1, was
            begun = -1
        if _is_chunk_start(order, before, was, tag, kind, kinds):
            begun = i
    if begun >= 0:
        yield begun, len(labels) - 1, kind


@op(
    "chunk_eval",
    "Inference, Inference@LOD*?!, Label, Label@LOD*?!, SeqLength?! -> Precision, Recall, "
    "F1-Score, NumInferChunks, NumLabelChunks, NumCorrectChunks",
    no_grad_reason=NO_GRAD_NON_FLOAT_RESULT,
    host_reason=HOST_PYTHON_LOOP,
)
def chunk_eval(
    inference,
    lod=None,
    label=None,
    label_lod=None,
    length=None,
    *,
    num_chunk_types: int,
    chunk_scheme: str = "IOB",
    excluded_chunk_types: Ints = [],
):
    """Compare the chunks of Inference and Label: precision, recall and F1 float32 [1], and the
    numbers of inferred, labeled and correct chunks int64 [1]. An inferred chunk is correct if a
    labeled chunk has the same kind and position.

    Inference, Label int64 [R,1]: kind * number of tags + tag. With SeqLength [B,1] they are padded,
    [B,T].
    """
    found = np.zeros(3, np.int64)
    for ours, theirs in _iter_inference_and_label_sequences(inference, lod, label, length):
        parts = [
            {
                c
                for c in _iter_chunks(each, chunk_scheme, num_chunk_types)
                if c[2] not in excluded_chunk_types
            }
            for each in (ours, theirs)
        ]
        found += [len(parts[0]), len(parts[1]), len(parts[0] & parts[1])]
    inferred, labeled, correct = found
    precision, recall = (correct / n if n else 0.0 for n in (inferred, labeled))
    f1 = 2 * precision * recall / (precision + recall) if correct else 0.0
    shares = (np.array([v], np.float32) for v in (precision, recall, f1))
    return *shares, *(np.array([v], np.int64) for v in found)


def _iter_inference_and_label_sequences(
    inference: Any, lod: Any, label: Any, length: Any
) -> Iterator[tuple[Any, Any]]:
    if length is not None:
        for ours, theirs, count in zip(inference, label, length.reshape(-1), strict=True):
            yield ours.reshape(-1)[:count], theirs.reshape(-1)[:count]
        return
    offsets = require_row_offsets(lod, "Inference")
    check(int(sequence_lengths(offsets).sum()) == label.size, "Label is not as long as Inference")
    for a, b in itertools.pairwise(offsets):
        yield inference[a:b].reshape(-1), label[a:b].reshape(-1)


@chunk_eval.meta
def _(
    inference, lod, label, label_lod, length, *, num_chunk_types, chunk_scheme, excluded_chunk_types
):
    check(
        chunk_scheme in CHUNK_SCHEMES,
        f"chunk_scheme={chunk_scheme!r} is not one of {list(CHUNK_SCHEMES)}",
    )
    share, count = Meta((1,), np.dtype(np.float32)), Meta((1,), np.dtype(np.int64))
    return share, share, share, count, count, count


set_lod_rules_to_no_lod(chunk_eval)
