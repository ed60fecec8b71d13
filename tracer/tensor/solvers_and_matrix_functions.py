"""Linear equations, inverses, determinants, powers and ranks of matrices."""

from __future__ import annotations

import math
from typing import Any

from ..core.errors import OpError, append_user_line
from ..core.mode import state
from ..core.op import OPS
from ..core.operand_checks import check_tensors
from ..core.tensor import Tensor
from .convert import cast, guard_and_get_size_or_minus_one
from .creation import zeros
from .linalg import matmul, transpose

__all__ = ["inverse"]
METHODS = ["cholesky_solve", "cond", "inverse", "lstsq", "matrix_power", "pinv", "solve"]


def inverse(x: Tensor, name: str | None = None) -> Tensor:
    """Inverse of each matrix.

    x [*, M, M] -> [*, M, M]

    Raises OpError for a singular matrix.
    """
    return OPS["inverse"](x)


inv = inverse


def det(x: Tensor, name: str | None = None) -> Tensor:
    """Determinants.

    x [*, M, M] -> [*]
    """
    return OPS["determinant"](x)


def slogdet(x: Tensor, name: str | None = None) -> Tensor:
    """Sign and logarithm of the absolute value of the determinants.

    x [*, M, M] -> [2, *]
    """
    return OPS["slogdeterminant"](x)


def solve(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Solve x Z = y for Z.

    x [*A, M, M], y [*B, M, K], or vectors [M] or [*A, M] -> [*, M, K] or [*, M]

    Raises OpError for a singular x.
    """
    return OPS["solve"](x, y)


def triangular_solve(
    x: Tensor,
    y: Tensor,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
    name: str | None = None,
) -> Tensor:
    """Solve x Z = y for Z, where x stands for its upper (`upper=True`) or lower triangle.

    x [*A, M, M], y [*B, M, K] -> [*, M, K]

    unitriangular: the diagonal of x counts as 1
    """
    return OPS["triangular_solve"](
        x, y, upper=upper, transpose=transpose, unitriangular=unitriangular
    )


def cholesky_solve(x: Tensor, y: Tensor, upper: bool = False, name: str | None = None) -> Tensor:
    """Solve (y y^H) Z = x, or (y^H y) Z = x if `upper`.

    x [*A, M, K], y [*B, M, M] triangular -> [*, M, K]
    """
    return OPS["cholesky_solve"](x, y, upper=upper)


def lstsq(
    x: Tensor,
    y: Tensor,
    rcond: float | None = None,
    driver: str | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Least squares: the Z of minimal norm that minimizes |x Z - y|.

    x [*, M, N], y [*, M, K] -> Z [*, N, K], residuals [*, K] or [0], rank [*], singular values [*,
    min(M, N)]

    driver: gelsy (default), gels, gelsd, gelss; the solution is the same. gels returns no rank;
    gels and gelsy return no singular values.
    rcond: singular values up to rcond * the largest count as 0; default: the longer side times
    1e-7, or 1e-15 for float64.
    """
    check_tensors(x, y)
    driver = driver or "gelsy"
    if rcond is None:
        rcond = (1e-15 if x.meta.dtype == "float64" else 1e-7) * max(
            guard_and_get_size_or_minus_one(x, -1), guard_and_get_size_or_minus_one(x, -2)
        )
    solution, residuals, rank, values = OPS["lstsq"](x, y, rcond=float(rcond), driver=driver)
    if driver == "gels":
        rank = zeros([0], "int32")
    return (
        solution,
        residuals,
        rank,
        zeros([0], values.dtype) if driver in ("gels", "gelsy") else values,
    )


def matrix_power(x: Tensor, n: int, name: str | None = None) -> Tensor:
    """n-th power of matrices; of the inverse if n is negative.

    x [*, M, M] -> [*, M, M]
    """
    return OPS["matrix_power"](x, n=n)


def matrix_rank(
    x: Tensor, tol: Any = None, hermitian: bool = False, name: str | None = None
) -> Tensor:
    """Number of singular values above a tolerance.

    x [*A, M, N], tol a number or [*B] -> int32 [*broadcast(A, B)]

    Default tolerance: largest singular value * longer side * machine epsilon.
    """
    if isinstance(tol, Tensor):
        return OPS["matrix_rank"](x, cast(tol, x.dtype), use_default_tol=False, hermitian=hermitian)
    return OPS["matrix_rank"](
        x, tol=float(tol or 0.0), use_default_tol=tol is None, hermitian=hermitian
    )


def pinv(x: Tensor, rcond: Any = 1e-15, hermitian: bool = False, name: str | None = None) -> Tensor:
    """Pseudo-inverse; singular values up to rcond times the largest count as 0.

    x [*, M, N] -> [*, N, M]

    hermitian: x is Hermitian; its lower triangle is read
    """
    if state.mode.is_eager and not isinstance(rcond, Tensor):
        return OPS["pseudo_inverse"](x, rcond=float(rcond), hermitian=hermitian)
    if hermitian:
        values, right = OPS["eigh"](x, UPLO="L")
        left = right
    else:
        left, values, vh = OPS["svd"](x)
        right = _swap_last_axes(OPS["conj"](vh) if vh.meta.dtype.kind == "c" else vh)
    magnitude = OPS["abs"](values)
    limit = OPS["reduce_max"](magnitude, dim=[-1], keep_dim=True) * rcond
    is_kept = cast(OPS["greater_than"](magnitude, limit), values.dtype)
    factors = is_kept / (values + (1.0 - is_kept))
    columns = right * cast(OPS["unsqueeze2"](factors, axes=[-2]), x.dtype)
    return matmul(
        columns, _swap_last_axes(OPS["conj"](left) if left.meta.dtype.kind == "c" else left)
    )


def _swap_last_axes(x: Tensor) -> Tensor:
    return transpose(x, [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2])


def cond(x: Tensor, p: Any = None, name: str | None = None) -> Tensor:
    """Condition number: norm of x times norm of its inverse.

    x [*, M, N] -> [*]

    p: None or 2, -2: by singular values, any matrix; 'fro', 'nuc', 1, -1, inf, -inf: square
    matrices
    """
    check_tensors(x)
    if x.ndim < 2:
        raise OpError(append_user_line(f"cond: the rank must be at least 2 (X={x.meta})"))
    if 0 in x.meta.shape[:-2]:
        return zeros(list(x.meta.shape[:-2]), x.dtype)
    if p in (None, 2, -2):
        values = OPS["svd"](x)[1]
        largest, smallest = (OPS[f"reduce_{name}"](values, dim=[-1]) for name in ("max", "min"))
        return smallest / largest if p == -2 else largest / smallest
    if p not in _NORMS:
        raise OpError(
            append_user_line(
                f"cond: p={p!r} is not one of None, 2, -2, {', '.join(map(str, _NORMS))}"
            )
        )
    return _NORMS[p](x) * _NORMS[p](inverse(x))


def _make_one_or_inf_norm(axis: int, extreme: str) -> Any:
    def max_or_min_abs_sum(x: Tensor) -> Tensor:
        return OPS[f"reduce_{extreme}"](OPS["reduce_sum"](OPS["abs"](x), dim=[axis]), dim=[-1])

    return max_or_min_abs_sum


def _frobenius_norm(x: Tensor) -> Tensor:
    return OPS["sqrt"](OPS["reduce_sum"](OPS["square"](OPS["abs"](x)), dim=[-2, -1]))


def _nuclear_norm(x: Tensor) -> Tensor:
    return OPS["reduce_sum"](OPS["svd"](x)[1], dim=[-1])


_NORMS: dict[Any, Any] = {
    "fro": _frobenius_norm,
    "nuc": _nuclear_norm,
    1: _make_one_or_inf_norm(-2, "max"),
    -1: _make_one_or_inf_norm(-2, "min"),
    math.inf: _make_one_or_inf_norm(-1, "max"),
    -math.inf: _make_one_or_inf_norm(-1, "min"),
}
