"""Determinants, and the cofactors for their gradients."""

from __future__ import annotations

from ..core.arrays import np
from ..core.op import NO_HALF_DECOMPOSITION, OPS, Meta, check_dtype, op
from .elementwise import mul, sub
from .linalg_helpers import (
    as_column,
    check_inexact_square_matrices,
    multiply_chain,
    transpose_last_two_axes,
)
from .linear_solve import inverse
from .reduce import reduce_sum
from .shared_op_rules import check_finite_array, check_float, like_x_meta


@op(
    "determinant",
    "Input -> Out",
    no_half_reason=NO_HALF_DECOMPOSITION,
    validate_before_kernel=True,
    public_name="det",
)
def determinant(x):
    """Out = the determinant of each matrix. Input [*, M, M] -> Out [*]"""
    return np.linalg.det(x)


@determinant.meta
def _(x):
    check_inexact_square_matrices(x, "Input")
    return Meta(x.shape[:-2], x.dtype)


@determinant.vjp
def _(g, x):
    return mul(as_column(as_column(g)), cofactors(x))


@op("cofactors", "X -> Out", meta=like_x_meta, internal=True, no_half_reason=NO_HALF_DECOMPOSITION)
def cofactors(x):
    """Out = the cofactor matrix of each matrix X, which is det X * X^-T if X is invertible.
    X may be singular.

    X [*, M, M] -> Out [*, M, M]

    With the SVD X = U S V^H, Out = det U * det V^H * conj(U C V^H), where C[i] is the product of
    all singular values but S[i].
    """
    check_finite_array(x)
    u, s, vh = np.linalg.svd(x)
    others = OPS["product_of_others"].kernel(s, axes=[s.ndim - 1])
    factor = (np.linalg.det(u) * np.linalg.det(vh))[..., None, None]
    return factor * np.matmul(np.conjugate(u) * others[..., None, :], np.conjugate(vh))


@cofactors.vjp
def _(g, x):
    """The gradient of the cofactor matrix, as the derivative of det X * X^-T. The formula requires
    that X is invertible.
    """
    found, flipped = cofactors(x), transpose_last_two_axes(inverse(x))
    total = reduce_sum(mul(g, found), dim=[-2, -1], keep_dim=True)
    return sub(mul(total, flipped), multiply_chain(flipped, transpose_last_two_axes(g), found))


@op("slogdeterminant", "Input -> Out", no_half_reason=NO_HALF_DECOMPOSITION, public_name="slogdet")
def slogdeterminant(x):
    """Out[0] = the sign, Out[1] = ln |det| of each matrix. Input [*, M, M] -> Out [2, *]"""
    check_dtype(x.dtype.kind == "f", "needs a floating dtype")
    return np.stack(np.linalg.slogdet(x))


@slogdeterminant.meta
def _(x):
    check_inexact_square_matrices(x, "Input")
    check_float(x)
    return Meta((2, *x.shape[:-2]), x.dtype)


@slogdeterminant.vjp
def _(g, x):
    of_log = OPS["slice"](g, axes=[0], starts=[1], ends=[2], decrease_axis=[0])
    return mul(as_column(as_column(of_log)), transpose_last_two_axes(inverse(x)))
