"""Singular values, eigenvalues and their vectors.

Vectors are unique up to a factor of absolute value 1 (real: up to a sign). The gradients are valid
for losses that do not depend on this factor. If values are equal, the vectors are not
differentiable: gradients through vectors are infinite, gradients through values are finite.
"""

from __future__ import annotations

from typing import Any

from ..core.arrays import np
from ..core.op import NO_GRAD_NON_FLOAT_RESULT, NO_HALF_DECOMPOSITION, OPS, Meta, check, op
from ..core.tensor import Tensor
from .elementwise import add, scale, sub
from .linalg_helpers import (
    add_own_adjoint,
    adjoint,
    as_row,
    cast_to_complex_like,
    check_inexact_matrices,
    check_inexact_square_matrices,
    conjugate,
    diagonal_matrix,
    diagonal_of,
    divide_by_differences,
    divide_with_zero_for_0_over_0,
    min_matrix_dim,
    multiply_chain,
    scale_columns,
    scale_rows,
    subtract_own_adjoint,
)
from .linear_solve import solve
from .matmul import matmul
from .shared_op_rules import (
    broadcast_shapes,
    check_finite_array,
    complex_dtype,
    is_vjp_input_complex,
    raise_unknown_size_unless,
    real_dtype,
    vjp_input_shape,
)
from .unary_math import square

LAPACK: Any = np.linalg  # typed as Any, because NumPy's annotations accept only literals for modes


@op("svd", "X -> U, S, VH", no_half_reason=NO_HALF_DECOMPOSITION, validate_before_kernel=True)
def svd(x, *, full_matrices: bool = False):
    """The singular value decomposition X = U diag(S) VH, with S in descending order.

    X [*, M, N] -> U [*, M, K], S real [*, K], VH [*, K, N], K = min(M, N)

    full_matrices: U [*, M, M], VH [*, N, N].
    """
    check_finite_array(x)
    return tuple(LAPACK.svd(x, full_matrices))


@svd.meta
def _(x, *, full_matrices):
    check_inexact_matrices(x)
    batch, (rows, columns), size = x.shape[:-2], x.shape[-2:], min_matrix_dim(x.shape)
    u = Meta((*batch, rows, rows if full_matrices else size), x.dtype)
    vh = Meta((*batch, columns if full_matrices else size, columns), x.dtype)
    return u, Meta((*batch, size), real_dtype(x.dtype)), vh


@svd.vjp
def _(of_u, of_s, of_vh, x, *, full_matrices, U, S, VH):
    """The gradient of `svd`, after Townsend, "Differentiating the Singular Value Decomposition"
    (2016). For complex matrices, the transposes in its formulas become adjoints.
    """
    left, of_left = U, conjugate(of_u)
    right, of_right = adjoint(VH), adjoint(conjugate(of_vh))
    if full_matrices:
        left, of_left = _thin_singular_vectors_and_grad(left, of_left, S)
        right, of_right = _thin_singular_vectors_and_grad(right, of_right, S)
    return conjugate(_thin_svd_grad(left, of_left, S, of_s, right, of_right))


def _thin_singular_vectors_and_grad(vectors: Any, g: Any, values: Any) -> tuple[Any, Any]:
    """Reduce the singular vectors of a full decomposition to those that have a singular value.
    Returns the remaining vectors, and their gradient, to which the contribution of the removed
    vectors (of the null space) is added.
    """
    size = vjp_input_shape(values)[-1]
    raise_unknown_size_unless(min(size, vjp_input_shape(vectors)[-1]) >= 0)
    part, axis = OPS["slice"], len(vjp_input_shape(vectors)) - 1
    (first, rest), (of_first, of_rest) = (
        (
            part(t, axes=[axis], starts=[0], ends=[size]),
            part(t, axes=[axis], starts=[size], ends=[vjp_input_shape(t)[-1]]),
        )
        for t in (vectors, g)
    )
    return first, sub(of_first, multiply_chain(rest, adjoint(of_rest), first))


def _thin_svd_grad(u: Any, of_u: Any, s: Any, of_s: Any, v: Any, of_v: Any) -> Any:
    inner_u, inner_v = matmul(adjoint(u), of_u), matmul(adjoint(v), of_v)
    turn_u, turn_v = (
        divide_by_differences(subtract_own_adjoint(t), square(s)) for t in (inner_u, inner_v)
    )
    core = add(
        add(scale_columns(turn_u, s), scale_rows(turn_v, s)),
        diagonal_matrix(cast_to_complex_like(of_s, u)),
    )
    if is_vjp_input_complex(u):
        phases = divide_with_zero_for_0_over_0(
            diagonal_of(subtract_own_adjoint(inner_u)), scale(s, scale=2.0)
        )
        core = add(core, diagonal_matrix(phases))
    found = multiply_chain(u, core, adjoint(v))
    if vjp_input_shape(u)[-1] != vjp_input_shape(u)[-2]:
        found = add(
            found, matmul(_grad_outside_span_divided_by_values(u, of_u, inner_u, s), adjoint(v))
        )
    if vjp_input_shape(v)[-1] != vjp_input_shape(v)[-2]:
        found = add(
            found, matmul(u, adjoint(_grad_outside_span_divided_by_values(v, of_v, inner_v, s)))
        )
    return found


def _grad_outside_span_divided_by_values(vectors: Any, g: Any, inner: Any, values: Any) -> Any:
    """The part of a gradient that is orthogonal to the span of the vectors, divided by the singular
    values.
    """
    return divide_with_zero_for_0_over_0(sub(g, matmul(vectors, inner)), as_row(values))


def _eigh_meta(x, *, UPLO, **_):
    check_inexact_square_matrices(x)
    check(UPLO in ("L", "U"), f"UPLO={UPLO} is neither L nor U")
    return Meta(x.shape[:-1], real_dtype(x.dtype)), x


@op(
    "eigh",
    "X -> Eigenvalues, Eigenvectors",
    meta=_eigh_meta,
    validate_before_kernel=True,
    no_half_reason=NO_HALF_DECOMPOSITION,
)
def eigh(x, *, UPLO: str = "L"):
    """The eigendecomposition X = V diag(Eigenvalues) V^H of Hermitian matrices, eigenvalues
    ascending.

    X [*, M, M] -> Eigenvalues real [*, M], Eigenvectors V [*, M, M]

    UPLO: the triangle of X that is read.
    """
    return tuple(LAPACK.eigh(x, UPLO))


@eigh.vjp
def _(of_values, of_vectors, x, *, Eigenvalues, Eigenvectors):
    """The gradient of `eigh`, after Giles (2008), "An extended collection of matrix derivative
    results", section 3.1, with adjoints in place of transposes.
    """
    return _eigh_grad(
        of_values, matmul(adjoint(Eigenvectors), conjugate(of_vectors)), Eigenvalues, Eigenvectors
    )


def _eigh_grad(of_values: Any, inner: Any, values: Any, vectors: Any) -> Any:
    core = diagonal_matrix(cast_to_complex_like(of_values, vectors))
    if inner is not None:
        core = add(core, divide_by_differences(inner, values))
    return conjugate(
        scale(add_own_adjoint(multiply_chain(vectors, core, adjoint(vectors))), scale=0.5)
    )


@op(
    "eigvalsh",
    "X -> Eigenvalues, Eigenvectors~",
    meta=_eigh_meta,
    validate_before_kernel=True,
    no_half_reason=NO_HALF_DECOMPOSITION,
)
def eigvalsh(x, *, UPLO: str = "L", is_test: bool = False):
    """The eigenvalues of Hermitian matrices, ascending. The output Eigenvectors is saved for the
    gradient; with is_test, it is zeros.

    X [*, M, M] -> Eigenvalues real [*, M], Eigenvectors [*, M, M]
    """
    if is_test:
        return LAPACK.eigvalsh(x, UPLO), np.zeros_like(x)
    return tuple(LAPACK.eigh(x, UPLO))


@eigvalsh.vjp
def _(g, x, *, UPLO, is_test, Eigenvalues, Eigenvectors):
    # The eigenvectors saved by the forward pass carry no gradient, so a second-order gradient
    # recomputes them.
    second = isinstance(x, Tensor)
    vectors = eigh(x, UPLO=UPLO)[1] if is_test or second else Eigenvectors
    return _eigh_grad(g, None, Eigenvalues, vectors)


def _eig_meta(x):
    check_inexact_square_matrices(x)
    wide = complex_dtype(x.dtype)
    return Meta(x.shape[:-1], wide), Meta(x.shape, wide)


@op("eig", "X -> Eigenvalues, Eigenvectors", meta=_eig_meta, no_half_reason=NO_HALF_DECOMPOSITION)
def eig(x):
    """The eigendecomposition X V = V diag(Eigenvalues) with eigenvectors of norm 1.

    X [*, M, M] -> Eigenvalues complex [*, M], Eigenvectors complex [*, M, M]
    """
    wide = complex_dtype(x.dtype)
    return tuple(t.astype(wide, copy=False) for t in np.linalg.eig(x))


@eig.vjp
def _(of_values, of_vectors, x, *, Eigenvalues, Eigenvectors):
    """The gradient of `eig`, after Boeddeker et al., "On the Computation of Complex-valued
    Gradients with Application to Statistically Optimum Beamforming" (2017).
    """
    inner = matmul(adjoint(Eigenvectors), conjugate(of_vectors))
    lengths = OPS["real"](diagonal_of(inner))
    inner = sub(inner, scale_columns(matmul(adjoint(Eigenvectors), Eigenvectors), lengths))
    core = divide_by_differences(inner, conjugate(Eigenvalues))
    return _eig_grad_from_core(add(core, diagonal_matrix(conjugate(of_values))), Eigenvectors)


def _eig_grad_from_core(core: Any, vectors: Any) -> Any:
    """Return the conjugate of V^-H core V^H, the form that the gradients of `eig` and `eigvals`
    have.
    """
    flipped = adjoint(vectors)
    return conjugate(solve(flipped, matmul(core, flipped)))


@op("eigvals", "X -> Out", no_half_reason=NO_HALF_DECOMPOSITION)
def eigvals(x):
    """Out = the eigenvalues. X [*, M, M] -> Out complex [*, M]"""
    return np.linalg.eigvals(x).astype(complex_dtype(x.dtype), copy=False)


@eigvals.meta
def _(x):
    return _eig_meta(x)[0]


@eigvals.vjp
def _(g, x):
    """The gradient of `eigvals`. The eigenvectors are recomputed with `eig`, which returns the
    eigenvalues in the same order.
    """
    return _eig_grad_from_core(diagonal_matrix(conjugate(g)), eig(x)[1])


@op(
    "matrix_rank",
    "X, TolTensor? -> Out",
    validate_before_kernel=True,
    no_grad_reason=NO_GRAD_NON_FLOAT_RESULT,
    no_half_reason=NO_HALF_DECOMPOSITION,
)
def matrix_rank(
    x, tol_tensor=None, *, tol: float = 0.0, hermitian: bool = False, use_default_tol: bool = True
):
    """Out = the rank of each matrix: the number of singular values above the tolerance.

    X [*A, M, N], TolTensor [*B] -> Out int32 [*broadcast(A, B)]

    TolTensor: replaces the attribute tol if given.
    use_default_tol: the tolerance is the largest singular value * max(M, N) * the machine epsilon.
    """
    check_finite_array(x)
    values = np.abs(LAPACK.eigvalsh(x)) if hermitian else LAPACK.svd(x, compute_uv=False)
    if tol_tensor is not None:
        limit = tol_tensor
    elif use_default_tol:
        limit = np.max(values, axis=-1) * max(x.shape[-2:]) * np.finfo(values.dtype).eps
    else:
        limit = np.asarray(tol, values.dtype)
    return np.sum(values > np.asarray(limit)[..., None], axis=-1).astype(np.int32)


@matrix_rank.meta
def _(x, tol_tensor, *, tol, hermitian, use_default_tol):
    check_inexact_square_matrices(x) if hermitian else check_inexact_matrices(x)
    batch = x.shape[:-2]
    return Meta(
        batch if tol_tensor is None else broadcast_shapes(batch, tol_tensor.shape),
        np.dtype(np.int32),
    )
