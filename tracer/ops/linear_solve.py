"""Matrix inverses and linear systems."""

from __future__ import annotations

from typing import Any

from ..core.arrays import is_running_kernel_on_gpu, np
from ..core.op import HOST_NOT_IN_CUPY, NO_HALF_DECOMPOSITION, Meta, check, check_dtype, op
from .elementwise import add, scale, sub
from .linalg_helpers import (
    add_own_adjoint,
    adjoint,
    as_column,
    check_inexact_matrices,
    check_inexact_square_matrices,
    conjugate,
    lower_triangle,
    min_matrix_dim,
    multiply_chain,
    negate,
    squeeze_axis,
    transpose_last_two_axes,
    upper_triangle,
)
from .matmul import matmul
from .shared_op_rules import (
    Shape,
    broadcast_shapes,
    check_finite_array,
    dims_match,
    real_dtype,
    vjp_input_shape,
)


def solve_matrix_arrays(x: Any, y: Any) -> Any:
    """Return X^-1 Y for arrays of matrices, whose batch axes are broadcast."""
    check(y.ndim >= 2, "Y needs at least two axes")
    batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    return np.linalg.solve(
        np.broadcast_to(x, batch + x.shape[-2:]), np.broadcast_to(y, batch + y.shape[-2:])
    )


def matrix_solve_meta(x: Meta, y: Meta) -> Meta:
    """Check that X holds square matrices and Y fitting matrices, and return the Meta of the
    solution Z of X Z = Y.
    """
    check_inexact_square_matrices(x)
    check(len(y.shape) >= 2, "Y needs at least two axes")
    check_dtype(x.dtype == y.dtype, "the dtypes differ")
    check(
        dims_match(x.shape[-1], y.shape[-2]),
        f"X has {x.shape[-1]} columns, and Y {y.shape[-2]} rows",
    )
    rows = max(x.shape[-1], y.shape[-2])
    return Meta(broadcast_shapes(x.shape[:-2], y.shape[:-2]) + (rows, y.shape[-1]), x.dtype)


@op("inverse", "Input -> Output", no_half_reason=NO_HALF_DECOMPOSITION, validate_before_kernel=True)
def inverse(x):
    """Output = the inverse of each matrix. Input [*, M, M] -> Output [*, M, M]"""
    return np.linalg.inv(x)


@inverse.meta
def _(x):
    check_inexact_square_matrices(x, "Input")
    return x


@inverse.vjp
def _(g, x, *, Output):
    turned = transpose_last_two_axes(Output)
    return negate(multiply_chain(turned, g, turned))


def is_vector_rhs(x: Shape, y: Shape) -> bool:
    """Whether the right-hand sides in `y` are vectors, one per matrix in `x`, not matrices."""
    if len(y) == 1:
        return True
    if len(y) != len(x) - 1:
        return False
    check(
        min((*x, *y)) >= 0,
        "it is not known whether Y contains vectors or matrices, because sizes are dynamic",
    )
    return y == x[:-1]


@op(
    "solve",
    "X, Y -> Out",
    no_half_reason=NO_HALF_DECOMPOSITION,
    same_dtype="X Y",
    validate_before_kernel=True,
)
def solve(x, y):
    """Out = X^-1 Y.

    X [*A, M, M], Y [*B, M, K] or vectors [*A, M] or [M] -> Out [*broadcast(A, B), M, K] or [*A, M]
    """
    if is_vector_rhs(x.shape, y.shape):
        return solve_matrix_arrays(x, y[..., None])[..., 0]
    return solve_matrix_arrays(x, y)


@solve.meta
def _(x, y):
    check_inexact_square_matrices(x)
    if not is_vector_rhs(x.shape, y.shape):
        return matrix_solve_meta(x, y)
    found = matrix_solve_meta(x, Meta(y.shape + (1,), y.dtype))
    return Meta(found.shape[:-1], x.dtype)


@solve.vjp
def _(g, x, y, *, Out):
    vectors = is_vector_rhs(vjp_input_shape(x), vjp_input_shape(y))
    if vectors:
        g, Out = as_column(g), as_column(Out)
    back = solve(transpose_last_two_axes(x), g)
    return lambda: negate(matmul(back, transpose_last_two_axes(Out))), squeeze_axis(
        back, -1
    ) if vectors else back


def solve_triangular_arrays(
    x: Any, y: Any, upper: bool, transpose: bool = False, unit: bool = False
) -> Any:
    """Return X^-1 Y for arrays of triangular matrices X.

    The upper triangle is passed to LAPACK's `gesv`, whose pivots are then the diagonal elements.
    """
    x = np.triu(x) if upper else np.tril(x)
    if unit:
        size = x.shape[-1]
        x[..., range(size), range(size)] = 1
    if transpose:
        x, upper = np.swapaxes(x, -1, -2), not upper
    if upper:
        return solve_matrix_arrays(x, y)
    return solve_matrix_arrays(x[..., ::-1, ::-1], y[..., ::-1, :])[..., ::-1, :].copy()


@op(
    "triangular_solve",
    "X, Y -> Out",
    no_half_reason=NO_HALF_DECOMPOSITION,
    same_dtype="X Y",
    validate_before_kernel=True,
)
def triangular_solve(
    x, y, *, upper: bool = True, transpose: bool = False, unitriangular: bool = False
):
    """Out = X^-1 Y for triangular X. Only one triangle of X is read.

    upper: read the upper triangle.
    transpose: use X^T.
    unitriangular: the diagonal is 1 and not read.

    X [*A, M, M], Y [*B, M, K] -> Out [*, M, K]
    """
    return solve_triangular_arrays(x, y, upper, transpose, unitriangular)


@triangular_solve.meta
def _(x, y, **_):
    return matrix_solve_meta(x, y)


@triangular_solve.vjp
def _(g, x, y, *, upper, transpose, unitriangular, Out):
    back = triangular_solve(x, g, upper=upper, transpose=not transpose, unitriangular=unitriangular)

    def triangular_matrix_grad() -> Any:
        found = (
            matmul(Out, transpose_last_two_axes(back))
            if transpose
            else matmul(back, transpose_last_two_axes(Out))
        )
        return negate(_select_triangle(found, upper, unitriangular))

    return triangular_matrix_grad, back


def _select_triangle(x: Any, is_upper: bool, strict: bool) -> Any:
    return upper_triangle(x, int(strict)) if is_upper else lower_triangle(x, -int(strict))


@op(
    "cholesky_solve",
    "X, Y -> Out",
    no_half_reason=NO_HALF_DECOMPOSITION,
    same_dtype="X Y",
    validate_before_kernel=True,
)
def cholesky_solve(x, y, *, upper: bool = False):
    """Solve A Out = X, where Y is the Cholesky factor of A.

    upper: A = Y^H Y; otherwise A = Y Y^H.

    X [*A, M, K], Y [*B, M, M] -> Out [*, M, K]
    """
    left = np.conjugate(np.swapaxes(y, -1, -2)) if upper else y
    half = solve_triangular_arrays(left, x, upper=False)
    return solve_triangular_arrays(np.conjugate(left), half, upper=False, transpose=True)


@cholesky_solve.meta
def _(x, y, *, upper):
    return matrix_solve_meta(y, x)


@cholesky_solve.vjp
def _(g, x, y, *, upper, Out):
    back = cholesky_solve(g, conjugate(y), upper=upper)

    def cholesky_factor_grad() -> Any:
        change = conjugate(add_own_adjoint(matmul(back, transpose_last_two_axes(Out))))
        found = matmul(y, change) if upper else matmul(change, y)
        return negate(_select_triangle(conjugate(found), upper, False))

    return back, cholesky_factor_grad


@op(
    "pseudo_inverse",
    "X -> Out",
    internal=True,
    no_half_reason=NO_HALF_DECOMPOSITION,
    validate_before_kernel=True,
)
def pseudo_inverse(x, *, rcond: float = 1e-15, hermitian: bool = False):
    """Out = the Moore-Penrose pseudo-inverse. Singular values that are at most rcond times the
    largest singular value are treated as 0.

    X [*, M, N] -> Out [*, N, M]

    hermitian: X is Hermitian; only its lower triangle is read.
    """
    check_finite_array(x)
    if not is_running_kernel_on_gpu():
        return np.linalg.pinv(x, rcond, hermitian)
    below = np.tril(x, -1)  # copied to the upper triangle, because CuPy reads both triangles
    return np.linalg.pinv(
        np.tril(x) + np.conj(np.swapaxes(below, -1, -2)) if hermitian else x, rcond
    )


@pseudo_inverse.meta
def _(x, *, rcond, hermitian):
    check_inexact_matrices(x)
    return Meta(x.shape[:-2] + x.shape[:-3:-1], x.dtype)


@pseudo_inverse.vjp
def _pinv_grad(g, x, *, hermitian, Out):
    """The gradient of the pseudo-inverse, after Golub and Pereyra, "The Differentiation of
    Pseudo-Inverses and Nonlinear Least Squares Problems" (1973).
    """
    g, flipped = conjugate(g), adjoint(Out)
    inside = multiply_chain(flipped, g, flipped)
    rows, columns = (
        multiply_chain(flipped, Out, adjoint(g)),
        multiply_chain(adjoint(g), Out, flipped),
    )
    outer = add(
        sub(rows, multiply_chain(rows, Out, x)), sub(columns, multiply_chain(x, Out, columns))
    )
    found = sub(outer, inside)
    return conjugate(scale(add_own_adjoint(found), scale=0.5) if hermitian else found)


@op(
    "lstsq",
    "X, Y -> Solution, Residuals~, Rank~, SingularValues~",
    validate_before_kernel=True,
    value_dependent_shape=True,
    no_half_reason=NO_HALF_DECOMPOSITION,
    host_reason=HOST_NOT_IN_CUPY,
)
def lstsq(x, y, *, rcond: float = 0.0, driver: str = "gels"):
    """Solution = the least-squares solution Z of X Z = Y with the smallest norm.

    X [*, M, N], Y [*, M, K] -> Solution [*, N, K]

    Residuals [*, K]: |X Z - Y|^2 if M > N and all ranks are N, else empty, [0].
    Rank int32 [*], SingularValues [*, min(M, N)].
    driver: ignored; the solution is always computed from the singular value decomposition of X.
    """
    check(
        driver in ("gels", "gelsy", "gelsd", "gelss"),
        f"driver={driver} is not one of gels, gelsy, gelsd, gelss",
    )
    check_finite_array(x)
    values = np.linalg.svd(x, compute_uv=False)
    rank = np.sum(values > rcond * values[..., :1], axis=-1).astype(np.int32)
    solution = np.matmul(np.linalg.pinv(x, rcond), y)
    full = x.shape[-2] > x.shape[-1] and np.all(rank == x.shape[-1])
    rest = np.abs(np.matmul(x, solution) - y) ** 2
    return solution, np.sum(rest, axis=-2) if full else np.zeros(0, values.dtype), rank, values


@lstsq.meta
def _(x, y, *, rcond, driver):
    check_inexact_matrices(x)
    check_inexact_matrices(y, "Y")
    check_dtype(x.dtype == y.dtype, "the dtypes differ")
    check(dims_match(x.shape[-2], y.shape[-2]), f"X has {x.shape[-2]} rows, and Y {y.shape[-2]}")
    real, batch = real_dtype(x.dtype), x.shape[:-2]
    rest = Meta((-1,) * (len(batch) + 1), real)
    values = Meta((*batch, min_matrix_dim(x.shape)), real)
    return (
        Meta((*batch, x.shape[-1], y.shape[-1]), x.dtype),
        rest,
        Meta(batch, np.dtype(np.int32)),
        values,
    )


@lstsq.vjp
def _(g, x, y, *, rcond):
    found = pseudo_inverse(x, rcond=rcond)
    return lambda: _pinv_grad(
        matmul(g, transpose_last_two_axes(y)), x, hermitian=False, Out=found
    ), lambda: matmul(transpose_last_two_axes(found), g)
