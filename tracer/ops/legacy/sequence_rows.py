"""Concatenate, reverse, pad, unpad, reshape, enumerate, slice and scatter packed sequences, and
lod_reset.
"""

from __future__ import annotations

from ...core.arrays import np
from ...core.op import HOST_PYTHON_LOOP, Ints, Meta, check, op
from ..lod import (
    offsets_from_lengths,
    require_row_offsets,
    row_indices_of_ranges,
    sequence_id_per_row,
    sequence_lengths,
    set_lod_rules_to_no_lod,
)
from ..shape import reshape_like
from ..shared_op_rules import like_x_meta, make_vjp_rule_rejecting_second_order

NO_GRAD_INTEGER_RESULT = "its inputs and outputs are integers"


def _lod_level_of_first_input(level, *_):
    return level


# -- reverse
# ------------------------------------------------------------------------------


@op(
    "sequence_reverse",
    "X, X@LOD*?! -> Y",
    meta=like_x_meta,
    host_reason=HOST_PYTHON_LOOP,
    grad_keeps_shape=True,
)
def sequence_reverse(x, lod=None):
    """Y = the rows of each sequence in reverse order. X [R,*] -> Y [R,*]"""
    offsets = require_row_offsets(lod)
    owner = sequence_id_per_row(offsets)
    return x[offsets[owner] + offsets[owner + 1] - 1 - np.arange(offsets[-1])]


@sequence_reverse.lod(_lod_level_of_first_input)
def _(x, lod=None):
    return list(lod)


@sequence_reverse.vjp
def _(g, x, lod):
    return reverse_rows_per_sequence_of_like(g, x, lod), None


@op(
    "sequence_turned",
    "X, Like, Like@LOD*?! -> Out",
    meta=like_x_meta,
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def reverse_rows_per_sequence_of_like(x, like=None, lod=None):
    """Out = X, with the rows of each sequence of Like reversed. X [R,*] -> Out [R,*]"""
    return sequence_reverse.numpy_kernel(x, lod)


reverse_rows_per_sequence_of_like.vjp(make_vjp_rule_rejecting_second_order("sequence_reverse"))


# -- concatenate
# ------------------------------------------------------------------------------


def _row_indices_of_concatenation(x, lods):
    """For each row of the result of sequence_concat, its index in the concatenated inputs."""
    check(len(lods or ()) == len(x), "an operand holds no sequences")
    starts = np.cumsum([0, *(a.shape[0] for a in x[:-1])])
    parts = [lod if isinstance(lod, np.ndarray) else require_row_offsets(lod) for lod in lods]
    check(len({len(p) for p in parts}) == 1, "the operands hold different numbers of sequences")
    firsts = np.stack([s + p[:-1] for s, p in zip(starts, parts, strict=True)], axis=1).reshape(-1)
    return row_indices_of_ranges(
        firsts, np.stack([sequence_lengths(p) for p in parts], axis=1).reshape(-1)
    )


@op("sequence_concat", "X*, X@LOD*?! -> Out", host_reason=HOST_PYTHON_LOOP)
def sequence_concat(x, lods=None):
    """Out = for each i, the i-th sequences of all inputs, concatenated.

    X [R_k,*] -> Out [sum of R_k,*]
    """
    return np.concatenate(x)[_row_indices_of_concatenation(x, lods)]


@sequence_concat.meta
def _(x, lods):
    shapes = {m.shape[1:] for m in x}
    check(len(shapes) == 1, "the operands have rows of different shapes")
    return Meta((-1, *x[0].shape[1:]), x[0].dtype)


@sequence_concat.lod(_lod_level_of_first_input)
def _(x, lods=None):
    parts = [lod if isinstance(lod, np.ndarray) else require_row_offsets(lod) for lod in lods]
    return [np.sum(parts, axis=0)]


@sequence_concat.vjp
def _(g, x, lods):
    return sequence_concat_grad(x, lods, g), None


@op(
    "sequence_concat_grad",
    "X*, X@LOD*?!, Out@GRAD -> X@GRAD*",
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def sequence_concat_grad(x, lods=None, g=None):
    """The gradients of all inputs of sequence_concat.

    Out@GRAD [sum of R_k,*] -> X@GRAD each [R_k,*]
    """
    back = np.empty_like(g)
    back[_row_indices_of_concatenation(x, lods)] = g
    return np.split(back, np.cumsum([a.shape[0] for a in x[:-1]]))


@sequence_concat_grad.meta
def _(x, lods, g):
    return list(x)


sequence_concat_grad.vjp(make_vjp_rule_rejecting_second_order("sequence_concat"))


# -- pad
# ------------------------------------------------------------------------------


def _padded_width(counts, padded_length):
    longest = int(counts.max(initial=0))
    check(
        padded_length < 0 or padded_length >= longest,
        f"padded_length={padded_length} is less than the longest sequence",
    )
    return longest if padded_length < 0 else padded_length


def _padded_positions(offsets, width):
    """For each row of the sequences, its index among the n * width rows of the padded tensor."""
    owner = sequence_id_per_row(offsets)
    return owner * width + np.arange(offsets[-1]) - offsets[owner]


@op("sequence_pad", "X, X@LOD*?!, PadValue! -> Out, Length", host_reason=HOST_PYTHON_LOOP)
def sequence_pad(x, lod=None, pad_value=None, *, padded_length: int = -1):
    """Out = the sequences of X, padded with PadValue to padded_length rows; a padded_length of -1
    means the length of the longest sequence.

    X [R,*], PadValue [1] or [*] -> Out [n,T,*]

    Length int64 [n]: the length of each sequence.
    """
    offsets = require_row_offsets(lod)
    counts = sequence_lengths(offsets)
    width = _padded_width(counts, padded_length)
    out = np.empty((len(counts) * width, *x.shape[1:]), x.dtype)
    out[:] = pad_value.reshape(x.shape[1:]) if pad_value.size > 1 else pad_value.reshape(())
    out[_padded_positions(offsets, width)] = x
    return out.reshape(len(counts), width, *x.shape[1:]), counts.astype(np.int64)


@sequence_pad.meta
def _(x, lod, pad_value, *, padded_length):
    return Meta((-1, padded_length if padded_length > 0 else -1, *x.shape[1:]), x.dtype), Meta(
        (-1,), np.dtype(np.int64)
    )


set_lod_rules_to_no_lod(sequence_pad)


@sequence_pad.vjp
def _(g, length, x, lod, pad_value):
    return unpad_like(g, x, lod), None, None


@op(
    "sequence_unpadded",
    "X, Like, Like@LOD*?! -> Out",
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def unpad_like(x, like=None, lod=None):
    """Out = the rows of the padded X without the padding; the sequences have the lengths of those
    of Like.

    X [n,T,*] -> Out [R,*]
    """
    return x.reshape(-1, *x.shape[2:])[_padded_positions(require_row_offsets(lod), x.shape[1])]


@unpad_like.meta
def _(x, like, lod):
    return like


unpad_like.vjp(make_vjp_rule_rejecting_second_order("sequence_pad"))


@op("sequence_unpad", "X, Length! -> Out", value_dependent_shape=True, host_reason=HOST_PYTHON_LOOP)
def sequence_unpad(x, length):
    """Out = the first Length[i] rows of each X[i], concatenated.

    X [n,T,*], Length int64 [n] -> Out [R,*]
    """
    offsets = offsets_from_lengths(length.reshape(-1))
    check(
        bool((length <= x.shape[1]).all()),
        "an element of Length is larger than the padded length of X",
    )
    return x.reshape(-1, *x.shape[2:])[_padded_positions(offsets, x.shape[1])]


@sequence_unpad.meta
def _(x, length):
    return Meta((-1, *x.shape[2:]), x.dtype)


@sequence_unpad.lod(lambda *_: 1)
def _(x, length):
    return [offsets_from_lengths(length.reshape(-1))]


@sequence_unpad.vjp
def _(g, x, length):
    return sequence_unpad_grad(x, length, g), None


@op(
    "sequence_unpad_grad",
    "X, Length, Out@GRAD -> X@GRAD",
    meta=like_x_meta,
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def sequence_unpad_grad(x, length, g):
    """The gradient of sequence_unpad with respect to X. Out@GRAD [R,*] -> X@GRAD [n,T,*]"""
    out = np.zeros((x.shape[0] * x.shape[1], *x.shape[2:]), x.dtype)
    out[_padded_positions(offsets_from_lengths(length.reshape(-1)), x.shape[1])] = g
    return out.reshape(x.shape)


sequence_unpad_grad.vjp(make_vjp_rule_rejecting_second_order("sequence_unpad"))


# -- reshape and slice
# -----------------------------------------------------------------------------------------


@op("sequence_reshape", "X, X@LOD*?! -> Out", host_reason=HOST_PYTHON_LOOP)
def sequence_reshape(x, lod=None, *, new_dim: int):
    """Out = the elements of each sequence, arranged in rows of new_dim elements.

    X [R,D] -> Out [R D / new_dim, new_dim]
    """
    check(
        bool((sequence_lengths(require_row_offsets(lod)) * x.shape[1] % new_dim == 0).all()),
        f"new_dim={new_dim} does not divide the number of elements of a sequence",
    )
    return x.reshape(-1, new_dim)


@sequence_reshape.meta
def _(x, lod, *, new_dim):
    check(new_dim > 0, f"new_dim={new_dim} is not positive")
    return Meta((-1, new_dim), x.dtype)


@sequence_reshape.lod(_lod_level_of_first_input)
def _(x, lod=None, *, new_dim):
    return [require_row_offsets(lod) * x.shape[1] // new_dim]


@sequence_reshape.vjp
def _(g, x, lod):
    return reshape_like(g, x), None


@op(
    "sequence_enumerate",
    "X, X@LOD*?! -> Out",
    no_grad_reason=NO_GRAD_INTEGER_RESULT,
    host_reason=HOST_PYTHON_LOOP,
)
def sequence_enumerate(x, lod=None, *, win_size: int, pad_value: int = 0):
    """Out = one row for each element: the element and the win_size - 1 elements after it in its
    sequence, with pad_value after the end.

    X int [R] or [R,1] -> Out [R,win_size]
    """
    offsets = require_row_offsets(lod)
    places = np.arange(offsets[-1])[:, None] + np.arange(win_size)
    inside = places < offsets[sequence_id_per_row(offsets) + 1][:, None]
    return np.where(
        inside, x.reshape(-1)[np.where(inside, places, 0)], np.asarray(pad_value, x.dtype)
    )


@sequence_enumerate.meta
def _(x, lod, *, win_size, pad_value):
    check(win_size > 0, f"win_size={win_size} is not positive")
    return Meta((x.shape[0], win_size), x.dtype)


@sequence_enumerate.lod(_lod_level_of_first_input)
def _(x, lod=None, *, win_size, pad_value=0):
    return list(lod)


def _row_indices_of_slices(lod, offset, length):
    offsets = require_row_offsets(lod)
    starts, counts = offset.reshape(-1), length.reshape(-1)
    check(
        len(starts) == len(counts) == len(offsets) - 1,
        "Offset and Length should have one element per sequence",
    )
    fits = (starts >= 0) & (counts >= 0) & (starts + counts <= sequence_lengths(offsets))
    check(bool(fits.all()), "a slice of Offset and Length is not inside its sequence")
    return row_indices_of_ranges(offsets[:-1] + starts, counts)


@op("sequence_slice", "X, X@LOD*?!, Offset!, Length! -> Out", host_reason=HOST_PYTHON_LOOP)
def sequence_slice(x, lod=None, offset=None, length=None):
    """Out = Length[i] rows of sequence i, starting at Offset[i].

    X [R,*], Offset, Length int64 [n,1] -> Out [S,*]
    """
    return x[_row_indices_of_slices(lod, offset, length)]


@sequence_slice.meta
def _(x, lod, offset, length):
    return Meta((-1, *x.shape[1:]), x.dtype)


@sequence_slice.lod(_lod_level_of_first_input)
def _(x, lod=None, offset=None, length=None):
    return [offsets_from_lengths(length.reshape(-1))]


@sequence_slice.vjp
def _(g, x, lod, offset, length):
    return sequence_slice_grad(x, lod, offset, length, g), None, None, None


@op(
    "sequence_slice_grad",
    "X, X@LOD*?!, Offset, Length, Out@GRAD -> X@GRAD",
    meta=like_x_meta,
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def sequence_slice_grad(x, lod=None, offset=None, length=None, g=None):
    """The gradient of sequence_slice with respect to X. Out@GRAD [S,*] -> X@GRAD [R,*]"""
    out = np.zeros_like(x)
    out[_row_indices_of_slices(lod, offset, length)] = g
    return out


sequence_slice_grad.vjp(make_vjp_rule_rejecting_second_order("sequence_slice"))


@op(
    "lod_reset", "X, X@LOD*?!, Y?!, Y@LOD*?! -> Out", meta=like_x_meta, host_reason=HOST_PYTHON_LOOP
)
def lod_reset(x, lod=None, y=None, y_lod=None, *, target_lod: Ints = [], append: bool = False):
    """Out = X with other LoD: that of Y, or offsets given by the values of Y or by target_lod.

    append: add the offsets as another level.

    X [R,*] -> Out [R,*]
    """
    return x


@lod_reset.lod(lambda x, lod=0, y=0, y_lod=0: max(y, 1))
def _(x, lod=None, y=None, y_lod=None, *, target_lod=[], append=False):
    if y_lod:
        return list(y_lod)
    made = np.asarray(target_lod if y is None else y.reshape(-1), np.int64)
    check(
        len(made) > 0 and made[0] == 0 and made[-1] == x.shape[0],
        f"the offsets {made.tolist()} should start at 0 and end at {x.shape[0]}, the rows of X",
    )
    return [*(lod or []), made] if append else [made]


@lod_reset.vjp
def _(g, x, lod, y, y_lod):
    return g, None, None, None


# -- scatter
# ------------------------------------------------------------------------------


def _row_and_column_indices_of_ids(ids, lod):
    return sequence_id_per_row(require_row_offsets(lod, "Ids")), ids.reshape(-1)


@op(
    "sequence_scatter",
    "X, Ids!, Ids@LOD*?!, Updates -> Out",
    meta=like_x_meta,
    host_reason=HOST_PYTHON_LOOP,
)
def sequence_scatter(x, ids, lod=None, updates=None):
    """Out = X with sequence i of Updates added to row i, at the positions in Ids.

    X [n,D], Ids int64 [R,1], Updates [R,1] -> Out [n,D]
    """
    rows, places = _row_and_column_indices_of_ids(ids, lod)
    check(
        len(require_row_offsets(lod, "Ids")) - 1 == x.shape[0],
        "the number of sequences of Ids is not the number of rows of X",
    )
    check(
        bool(((places >= 0) & (places < x.shape[1])).all()),
        "an element of Ids is not a column of X",
    )
    out = x.copy()
    np.add.at(out, (rows, places), updates.reshape(-1))
    return out


set_lod_rules_to_no_lod(sequence_scatter)


@sequence_scatter.vjp
def _(g, x, ids, lod, updates):
    return g, None, None, gather_row_elements_at_ids_of_sequences(g, ids, lod, updates)


@op(
    "sequence_gathered",
    "X, Ids, Ids@LOD*?!, Like -> Out",
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def gather_row_elements_at_ids_of_sequences(x, ids, lod=None, like=None):
    """Out = the elements of row i of X at the columns in sequence i of Ids.

    X [n,D] -> Out like Like, [R,1]
    """
    return x[_row_and_column_indices_of_ids(ids, lod)].reshape(like.shape)


@gather_row_elements_at_ids_of_sequences.meta
def _(x, ids, lod, like):
    return like


gather_row_elements_at_ids_of_sequences.vjp(
    make_vjp_rule_rejecting_second_order("sequence_scatter")
)
