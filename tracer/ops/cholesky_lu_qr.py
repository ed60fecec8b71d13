"""Matrix decompositions: Cholesky, LU and QR."""

from __future__ import annotations

from typing import Any

from ..core.arrays import np
from ..core.op import NO_HALF_DECOMPOSITION, OPS, Meta, check, op
from .elementwise import add, scale, sub
from .linalg_helpers import (
    add_own_adjoint,
    adjoint,
    check_inexact_matrices,
    check_inexact_square_matrices,
    conjugate,
    lower_triangle,
    min_matrix_dim,
    upper_triangle,
)
from .linear_solve import triangular_solve
from .matmul import matmul
from .shared_op_rules import (
    check_inexact,
    dims_match,
    raise_unknown_size_unless,
    vjp_input_shape,
)

LAPACK: Any = np.linalg  # typed as Any, because NumPy's annotations accept only literals for `mode`


@op("cholesky", "X -> Out", no_half_reason=NO_HALF_DECOMPOSITION, validate_before_kernel=True)
def cholesky(x, *, upper: bool = False):
    """The Cholesky decomposition X = L L^H with lower triangular L.

    X [*, M, M] Hermitian, positive definite -> Out [*, M, M]

    upper: return U with X = U^H U.
    Only one triangle of X is read. Raises OpError if X is not positive definite.
    """
    if not upper:
        return np.linalg.cholesky(x)
    return np.conjugate(
        np.swapaxes(np.linalg.cholesky(np.conjugate(np.swapaxes(x, -1, -2))), -1, -2)
    ).copy()


@cholesky.meta
def _(x, *, upper):
    check_inexact_square_matrices(x)
    return x


def left_solve_lower_adjoint(triangle: Any, x: Any) -> Any:
    """Return L^-H X for a lower triangular matrix L, where L^-H is the inverse of the conjugate
    transpose.
    """
    return triangular_solve(conjugate(triangle), x, upper=False, transpose=True)


@cholesky.vjp
def _(g, x, *, upper, Out):
    """The gradient of `cholesky`, after Murray, "Differentiation of the Cholesky decomposition"
    (2016), for Hermitian dX.
    """
    g = conjugate(g)
    if upper:
        g, Out = adjoint(g), adjoint(Out)
    inside = matmul(adjoint(Out), g)
    half = scale(add(lower_triangle(inside), lower_triangle(inside, -1)), scale=0.5)
    outer = left_solve_lower_adjoint(Out, adjoint(left_solve_lower_adjoint(Out, half)))
    return conjugate(scale(add_own_adjoint(outer), scale=0.5))


@op("lu", "X -> Out, Pivots~, Infos~", no_half_reason=NO_HALF_DECOMPOSITION)
def lu(x, *, pivots: bool = True):
    """The LU decomposition X = P L U with partial pivoting, packed in one matrix: U on and above
    the diagonal, L below it (its diagonal is 1).

    X [*, M, N] -> Out [*, M, N], Pivots int32 [*, min(M, N)], Infos int32 [*] or [1]

    Pivots: the row with which each row was swapped, counted from 1.
    Infos: the first column without a pivot, counted from 1; 0 if all columns have one.
    """
    check(pivots, "pivots=False is not supported, as in Paddle on the CPU")
    out = np.array(x).reshape(-1, *x.shape[-2:])
    size = min(x.shape[-2:])
    swaps, infos = np.zeros((len(out), size), np.int32), np.zeros(len(out), np.int32)
    for k in range(size):
        swaps[:, k], empty = _pivot_and_eliminate_column(out, k)
        infos[(infos == 0) & empty] = k + 1
    batch = x.shape[:-2]
    return out.reshape(x.shape), swaps.reshape(*batch, size), infos.reshape(batch or (1,))


def _pivot_and_eliminate_column(out: Any, k: int) -> tuple[Any, Any]:
    """Perform step k of the LU decomposition in place: swap in the pivot row and eliminate column
    k.

    Returns the pivot rows, counted from 1, and a mask of the matrices without a pivot.
    """
    every = np.arange(len(out))
    best = k + np.argmax(np.abs(out[:, k:, k]), axis=1)
    rows = out[every, best].copy()
    out[every, best] = out[:, k]
    out[:, k] = rows
    pivot = rows[:, k]
    out[:, k + 1 :, k] /= np.where(pivot == 0, out.dtype.type(1), pivot)[:, None]
    out[:, k + 1 :, k + 1 :] -= out[:, k + 1 :, k, None] * out[:, None, k, k + 1 :]
    return best + 1, pivot == 0


@lu.meta
def _(x, *, pivots):
    check_inexact_matrices(x)
    batch, whole = x.shape[:-2], np.dtype(np.int32)
    return x, Meta((*batch, min_matrix_dim(x.shape)), whole), Meta(batch or (1,), whole)


def _split_tensor_at(x: Any, size: int, axis: int) -> tuple[Any, Any]:
    """Split x along an axis: return the first `size` elements and the rest."""
    part = OPS["slice"]
    axis %= len(vjp_input_shape(x))
    end = vjp_input_shape(x)[axis]
    return part(x, axes=[axis], starts=[0], ends=[size]), part(
        x, axes=[axis], starts=[size], ends=[end]
    )


@lu.vjp
def _(g, x, *, Out, Pivots):
    """The gradient of `lu` follows from L^-1 dL + dU U^-1 = L^-1 P^T dX U^-1, where L^-1 dL is
    strictly lower triangular and dU U^-1 is upper triangular.
    """
    rows, columns = vjp_input_shape(x)[-2:]
    size = min_matrix_dim(vjp_input_shape(x))
    raise_unknown_size_unless(size >= 0)
    swapped, left, right = OPS["lu_unpack"](Out, Pivots)
    g = conjugate(g)
    low, high = (
        lower_triangle(_split_tensor_at(g, size, -1)[0], -1),
        upper_triangle(_split_tensor_at(g, size, -2)[0]),
    )
    (top, below), (first, last) = (
        _split_tensor_at(left, size, -2),
        _split_tensor_at(right, size, -1),
    )
    (of_top, of_below), (of_first, of_last) = (
        _split_tensor_at(low, size, -2),
        _split_tensor_at(high, size, -1),
    )
    inner = matmul(adjoint(top), of_top)
    outer = matmul(of_first, adjoint(first))
    if columns > rows:
        inner = sub(inner, matmul(of_last, adjoint(last)))
    if rows > columns:
        outer = sub(outer, matmul(adjoint(below), of_below))
    core = left_solve_lower_adjoint(top, add(lower_triangle(inner, -1), upper_triangle(outer)))
    found = _right_solve_upper_adjoint(core, first)
    join = OPS["concat"]
    if columns > rows:
        found = join(
            [found, left_solve_lower_adjoint(top, of_last)], axis=len(vjp_input_shape(x)) - 1
        )
    if rows > columns:
        found = join(
            [found, _right_solve_upper_adjoint(of_below, first)], axis=len(vjp_input_shape(x)) - 2
        )
    return conjugate(matmul(swapped, found))


def _right_solve_upper_adjoint(x: Any, triangle: Any) -> Any:
    """Return X U^-H for an upper triangular matrix U, where U^-H is the inverse of the conjugate
    transpose.
    """
    return adjoint(triangular_solve(triangle, adjoint(x), upper=True))


@op("lu_unpack", "X, Pivots! -> Pmat~, L, U", no_half_reason=NO_HALF_DECOMPOSITION)
def lu_unpack(x, pivots, *, unpack_ludata: bool = True, unpack_pivots: bool = True):
    """Unpack the result of `lu` into Pmat, L and U.

    X [*, M, N], Pivots int [*, K] -> Pmat [*, M, M], L [*, M, K], U [*, K, N]

    Outputs that are not requested are empty, [0].
    """
    check_inexact(x)
    size, nothing = min(x.shape[-2:]), np.zeros(0, x.dtype)
    check(pivots.shape[-1] == size, "Pivots does not fit X")
    swapped = _permutation_matrices(pivots, x) if unpack_pivots else nothing
    if not unpack_ludata:
        return swapped, nothing, nothing
    left = np.tril(x[..., :size], -1)
    left[..., range(size), range(size)] = 1
    return swapped, left, np.triu(x[..., :size, :])


def _permutation_matrices(pivots: Any, x: Any) -> Any:
    """The permutation matrices that undo the row swaps."""
    rows = x.shape[-2]
    order = np.broadcast_to(np.arange(rows), (*x.shape[:-2], rows)).reshape(-1, rows).copy()
    every = np.arange(len(order))
    for k, target in enumerate(pivots.reshape(len(order), -1).T - 1):
        other = order[every, target]
        order[every, target] = order[:, k]
        order[:, k] = other
    made = np.zeros((len(order), rows, rows), x.dtype)
    made[every[:, None], order, np.arange(rows)] = 1
    return made.reshape(*x.shape[:-1], rows)


@lu_unpack.meta
def _(x, pivots, *, unpack_ludata, unpack_pivots):
    check_inexact_matrices(x)
    check(len(pivots.shape) > 0, "Pivots has no axes")
    check(dims_match(pivots.shape[-1], min_matrix_dim(x.shape)), "Pivots does not fit X")
    batch, (rows, columns), size = x.shape[:-2], x.shape[-2:], min_matrix_dim(x.shape)
    nothing = Meta((0,), x.dtype)
    swapped = Meta((*pivots.shape[:-1], rows, rows), x.dtype) if unpack_pivots else nothing
    if not unpack_ludata:
        return swapped, nothing, nothing
    return swapped, Meta((*batch, rows, size), x.dtype), Meta((*batch, size, columns), x.dtype)


@lu_unpack.vjp
def _(of_left, of_right, x, pivots, *, unpack_ludata):
    if not unpack_ludata:
        return None, None
    rows, columns = vjp_input_shape(x)[-2:]
    size = min_matrix_dim(vjp_input_shape(x))
    before = [0, 0] * (len(vjp_input_shape(x)) - 2)
    left = OPS["pad"](lower_triangle(of_left, -1), paddings=[*before, 0, 0, 0, columns - size])
    return add(
        left, OPS["pad"](upper_triangle(of_right), paddings=[*before, 0, rows - size, 0, 0])
    ), None


@op("qr", "X -> Q, R", no_half_reason=NO_HALF_DECOMPOSITION, validate_before_kernel=True)
def qr(x, *, mode: str = "reduced"):
    """The QR decomposition X = Q R, where Q^H Q = I and R is upper triangular.

    X [*, M, N] -> Q [*, M, K], R [*, K, N]

    mode: "reduced": K = min(M, N); "complete": K = M; "r": as "reduced", but Q is empty, [0].
    """
    check(mode in ("reduced", "complete", "r"), f"mode={mode} is not one of reduced, complete, r")
    found = LAPACK.qr(x, mode)
    return (np.zeros(0, x.dtype), found) if mode == "r" else tuple(found)


@qr.meta
def _(x, *, mode):
    check_inexact_matrices(x)
    check(mode in ("reduced", "complete", "r"), f"mode={mode} is not one of reduced, complete, r")
    batch, (rows, columns) = x.shape[:-2], x.shape[-2:]
    size = rows if mode == "complete" else min_matrix_dim(x.shape)
    q = Meta((0,) if mode == "r" else (*batch, rows, size), x.dtype)
    return q, Meta((*batch, size, columns), x.dtype)


@qr.vjp
def _(of_q, of_r, x, *, mode, Q, R):
    """The gradient of `qr`, after Walter and Lehmann, "Algorithmic Differentiation of Linear
    Algebra Functions" (2018).
    """
    rows, columns = vjp_input_shape(x)[-2:]
    raise_unknown_size_unless(min(rows, columns) >= 0)
    check(
        mode != "complete" or rows <= columns,
        "mode=complete has no gradient for more rows than columns",
    )
    if mode == "r":
        Q, R = qr(x)
        of_q = scale(Q, scale=0.0)
    of_q, of_r = conjugate(of_q), conjugate(of_r)
    if rows >= columns:
        return conjugate(_tall_qr_grad(of_q, of_r, Q, R))
    (first, _), (of_first, of_last) = (
        _split_tensor_at(R, rows, -1),
        _split_tensor_at(of_r, rows, -1),
    )
    right = _split_tensor_at(x, rows, -1)[1]
    of_q = add(of_q, matmul(right, adjoint(of_last)))
    parts = [_tall_qr_grad(of_q, of_first, Q, first), matmul(Q, of_last)]
    return conjugate(OPS["concat"](parts, axis=len(vjp_input_shape(x)) - 1))


def _tall_qr_grad(of_q: Any, of_r: Any, q: Any, r: Any) -> Any:
    inner = upper_triangle(sub(matmul(of_r, adjoint(r)), matmul(adjoint(q), of_q)))
    middle = scale(add_own_adjoint(lower_triangle(inner)), scale=0.5)
    return _right_solve_upper_adjoint(add(of_q, matmul(q, sub(add_own_adjoint(inner), middle))), r)
