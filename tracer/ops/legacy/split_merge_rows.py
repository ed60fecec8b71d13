"""Split rows by a mask and merge them: the branches of `IfElse`."""

from __future__ import annotations

from ...core.arrays import np
from ...core.op import Meta, check, check_dtype, op
from ..shared_op_rules import pick_known_dim, shapes_match


def _flatten_to_bool_row_mask(mask, rows):
    flat = mask.reshape(-1)
    check(len(flat) == rows, f"Mask has {len(flat)} rows, but the data has {rows}")
    return flat.astype(bool)


@op("split_lod_tensor", "X, Mask! -> OutTrue, OutFalse", value_dependent_shape=True)
def split_lod_tensor(x, mask, *, level: int = 0):
    """OutTrue = the rows of X where Mask is true, OutFalse = the other rows.

    X [R,*], Mask bool [R,1] -> [S,*], [R - S,*]
    """
    which = _flatten_to_bool_row_mask(mask, x.shape[0])
    return x[which], x[~which]


@split_lod_tensor.meta
def _(x, mask, *, level):
    check(level == 0, f"level={level} is not supported, only rows are split")
    check_dtype(mask.dtype == np.bool_, "Mask needs the dtype bool")
    part = Meta((-1, *x.shape[1:]), x.dtype)
    return part, part


@split_lod_tensor.vjp
def _(g_true, g_false, x, mask):
    return merge_lod_tensor(x, mask, g_true, g_false), None


@op(
    "merge_lod_tensor",
    "X!, Mask!, InTrue, InFalse -> Out",
    value_dependent_shape=True,
    validate_before_kernel=True,
)
def merge_lod_tensor(x, mask, in_true, in_false, *, level: int = 0):
    """The inverse of split_lod_tensor: each row of Out is the next row of InTrue where Mask is
    true, otherwise the next row of InFalse.

    InTrue [S,*], InFalse [R - S,*], Mask bool [R,1] -> [R,*]
    """
    which = _flatten_to_bool_row_mask(mask, len(in_true) + len(in_false))
    check(
        int(which.sum()) == len(in_true),
        f"Mask is true for {int(which.sum())} rows, but InTrue has {len(in_true)}",
    )
    out = np.empty((len(which), *in_true.shape[1:]), in_true.dtype)
    out[which], out[~which] = in_true, in_false
    return out


@merge_lod_tensor.meta
def _(x, mask, in_true, in_false, *, level):
    same = shapes_match(in_true.shape[1:], in_false.shape[1:]) and in_true.dtype == in_false.dtype
    check(same, "the parts differ in shape or dtype")
    return Meta(
        (mask.shape[0], *map(pick_known_dim, in_true.shape[1:], in_false.shape[1:])), in_true.dtype
    )


@merge_lod_tensor.vjp
def _(g, x, mask, in_true, in_false):
    of_true, of_false = split_lod_tensor(g, mask)
    return None, None, of_true, of_false
