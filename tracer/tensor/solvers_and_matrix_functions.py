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

    Parameters
    ----------
    x : Tensor [*, M, M], float32 | float64 | complex64 | complex128
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, M, M], dtype of x

    Raises
    ------
    OpError
        If a matrix is singular or not square, or x has another dtype.

    Examples
    --------
    >>> x = paddle.to_tensor([[2.0, 1.0], [1.0, 3.0]])
    >>> paddle.inverse(x).numpy().round(3)
    array([[ 0.6, -0.2],
           [-0.2,  0.4]], dtype=float32)
    """
    return OPS["inverse"](x)


inv = inverse


def det(x: Tensor, name: str | None = None) -> Tensor:
    """Determinant of each matrix.

    Parameters
    ----------
    x : Tensor [*, M, M], float32 | float64 | complex64 | complex128
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If the matrices are not square, or x has another dtype.

    Examples
    --------
    >>> x = paddle.to_tensor([[2.0, 1.0], [1.0, 3.0]])
    >>> round(float(paddle.linalg.det(x)), 3)
    5.0
    """
    return OPS["determinant"](x)


def slogdet(x: Tensor, name: str | None = None) -> Tensor:
    """Sign and logarithm of the absolute value of the determinant of each matrix.

    Unlike `det`, the result neither overflows nor underflows for large matrices.

    Parameters
    ----------
    x : Tensor [*, M, M], float32 | float64
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [2, *], dtype of x
        Signs 1, -1 or 0, and logarithms; (0, -inf) for a singular matrix.

    Raises
    ------
    OpError
        If the matrices are not square, or x has another dtype.

    Examples
    --------
    >>> x = paddle.to_tensor([[2.0, 1.0], [1.0, 3.0]])
    >>> paddle.linalg.slogdet(x).numpy().round(3)
    array([1.   , 1.609], dtype=float32)
    """
    return OPS["slogdeterminant"](x)


def solve(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Solve systems of linear equations: the z with x z = y.

    Parameters
    ----------
    x : Tensor [*A, M, M], float32 | float64 | complex64 | complex128
    y : Tensor [*B, M, K], dtype of x
        Or vectors: [M], or [*A, M] with as many axes as the batch of x has plus one.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, M, K] or [*, M], dtype of x
        Batches broadcast.

    Raises
    ------
    OpError
        If a matrix is singular or not square, shapes or dtypes do not fit, or x has another
        dtype.

    Examples
    --------
    >>> x = paddle.to_tensor([[2.0, 1.0], [1.0, 3.0]])
    >>> paddle.linalg.solve(x, paddle.to_tensor([3.0, 4.0])).numpy().round(3)
    array([1., 1.], dtype=float32)
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
    """Solve systems of linear equations with triangular matrices: the z with x z = y.

    Parameters
    ----------
    x : Tensor [*A, M, M], float32 | float64 | complex64 | complex128
        Only the triangle that `upper` selects is read.
    y : Tensor [*B, M, K], dtype of x
    upper : bool, default True
        Whether x stands for its upper or its lower triangle.
    transpose : bool, default False
        Solve x' z = y instead.
    unitriangular : bool, default False
        The diagonal of x counts as 1.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, M, K], dtype of x
        Batches broadcast.

    Raises
    ------
    OpError
        If a triangle is singular, shapes or dtypes do not fit, or x has another dtype.

    Examples
    --------
    >>> x = paddle.to_tensor([[2.0, 1.0], [0.0, 3.0]])
    >>> paddle.linalg.triangular_solve(x, paddle.to_tensor([[3.0], [3.0]])).numpy().round(3)
    array([[1.],
           [1.]], dtype=float32)
    """
    return OPS["triangular_solve"](
        x, y, upper=upper, transpose=transpose, unitriangular=unitriangular
    )


def cholesky_solve(x: Tensor, y: Tensor, upper: bool = False, name: str | None = None) -> Tensor:
    """Solve systems of linear equations with a Cholesky factor y: the z with (y y^H) z = x.

    Parameters
    ----------
    x : Tensor [*A, M, K], float32 | float64 | complex64 | complex128
        The right-hand sides.
    y : Tensor [*B, M, M], dtype of x
        Result of `cholesky`.
    upper : bool, default False
        y is an upper triangle, and (y^H y) z = x is solved.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, M, K], dtype of x
        Batches broadcast.

    Raises
    ------
    OpError
        If shapes or dtypes do not fit, a factor is singular, or x has another dtype.

    Examples
    --------
    >>> factor = paddle.linalg.cholesky(paddle.to_tensor([[2.0, 1.0], [1.0, 3.0]]))
    >>> paddle.linalg.cholesky_solve(paddle.to_tensor([[3.0], [4.0]]), factor).numpy().round(3)
    array([[1.],
           [1.]], dtype=float32)
    """
    return OPS["cholesky_solve"](x, y, upper=upper)


def lstsq(
    x: Tensor,
    y: Tensor,
    rcond: float | None = None,
    driver: str | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Least squares: the z of minimal norm that minimizes the norm of x z - y.

    Parameters
    ----------
    x : Tensor [*, M, N], float32 | float64 | complex64 | complex128
    y : Tensor [*, M, K], dtype of x
    rcond : float, optional
        Singular values up to rcond times the largest count as 0. Default: max(M, N) times 1e-7, or
        times 1e-15 for float64.
    driver : "gelsy", "gels", "gelsd" or "gelss", default "gelsy"
        LAPACK's name of the method. All compute the same solution.
    name : str, optional
        Not used.

    Returns
    -------
    solution : Tensor [*, N, K], dtype of x
    residuals : Tensor [*, K] or [0]
        Sums of squares of x z - y; empty unless M > N and the rank is N.
    rank : Tensor [*], int32
        Empty for "gels".
    singular_values : Tensor [*, min(M, N)]
        Empty for "gels" and "gelsy".

    Raises
    ------
    OpError
        If shapes or dtypes do not fit, `driver` has another value, or x has another dtype.

    Notes
    -----
    Unlike in Paddle, the solution has a gradient.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> y = paddle.to_tensor([[1.0], [3.0], [5.0]])
    >>> solution, _, rank, _ = paddle.linalg.lstsq(x, y)
    >>> solution.numpy().round(3), int(rank)  # y = 1 + 2 x
    (array([[1.],
           [2.]], dtype=float32), 2)
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
    """Power of each matrix with an integer exponent.

    x^n = x x ... x; the identity for n = 0; a power of the inverse for negative n

    Parameters
    ----------
    x : Tensor [*, M, M], float32 | float64 | complex64 | complex128
    n : int
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, M, M], dtype of x

    Raises
    ------
    OpError
        If the matrices are not square, n is negative and a matrix is singular, or x has another
        dtype.

    Examples
    --------
    >>> x = paddle.to_tensor([[2.0, 1.0], [1.0, 3.0]])
    >>> paddle.linalg.matrix_power(x, 2).tolist()
    [[5.0, 5.0], [5.0, 10.0]]
    """
    return OPS["matrix_power"](x, n=n)


def matrix_rank(
    x: Tensor, tol: float | Tensor | None = None, hermitian: bool = False, name: str | None = None
) -> Tensor:
    """Rank of each matrix: the number of singular values above a tolerance.

    Parameters
    ----------
    x : Tensor [*A, M, N], float32 | float64 | complex64 | complex128
    tol : float or Tensor [*B], optional
        Default: largest singular value * max(M, N) * machine epsilon.
    hermitian : bool, default False
        x is Hermitian; absolute eigenvalues are used instead of singular values.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], int32
        The batches A and B broadcast.

    Raises
    ------
    OpError
        If x has fewer than two axes or another dtype.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0], [2.0, 4.0]])
    >>> int(paddle.linalg.matrix_rank(x))
    1
    """
    if isinstance(tol, Tensor):
        return OPS["matrix_rank"](x, cast(tol, x.dtype), use_default_tol=False, hermitian=hermitian)
    return OPS["matrix_rank"](
        x, tol=float(tol or 0.0), use_default_tol=tol is None, hermitian=hermitian
    )


def pinv(
    x: Tensor, rcond: float | Tensor = 1e-15, hermitian: bool = False, name: str | None = None
) -> Tensor:
    """Pseudo-inverse of each matrix, from the singular values (Moore-Penrose).

    pinv(u diag(s) v^H) = v diag(1 / s) u^H, where 1 / s is 0 for singular values that count as 0

    Parameters
    ----------
    x : Tensor [*, M, N], float32 | float64 | complex64 | complex128
    rcond : float or Tensor [*, 1], default 1e-15
        Singular values up to rcond times the largest count as 0.
    hermitian : bool, default False
        x is Hermitian; only its lower triangle is read, and eigenvalues are used.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, N, M], dtype of x

    Raises
    ------
    OpError
        If x has fewer than two axes or another dtype.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> (paddle.linalg.pinv(x) @ x).numpy().round(3) + 0.0
    array([[1., 0.],
           [0., 1.]], dtype=float32)
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


def cond(x: Tensor, p: float | str | None = None, name: str | None = None) -> Tensor:
    """Condition number of each matrix: the norm of x times the norm of its inverse.

    Parameters
    ----------
    x : Tensor [*, M, N], float32 | float64 | complex64 | complex128
    p : None, 2, -2, "fro", "nuc", 1, -1, inf or -inf, default None
        The norm. None and 2: largest / smallest singular value, -2: its inverse; x need not be
        square. "fro": root of the sum of squares. "nuc": sum of singular values. 1, -1: largest and
        smallest sum of absolute values of a column; inf, -inf: of a row.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], real dtype of x

    Raises
    ------
    OpError
        If `p` has another value, x has fewer than two axes, another dtype or empty matrices; for
        "fro", "nuc", 1, -1, inf and -inf also if a matrix is singular or not square.

    Examples
    --------
    >>> x = paddle.to_tensor([[2.0, 0.0], [0.0, 4.0]])
    >>> float(paddle.linalg.cond(x))
    2.0
    """
    check_tensors(x)
    if x.ndim < 2:
        raise OpError(append_user_line(f"cond: the rank must be at least 2 (X={x.meta})"))
    if 0 in x.meta.shape[:-2]:
        return zeros(list(x.meta.shape[:-2]), x.dtype)
    if 0 in x.meta.shape:
        raise OpError(append_user_line(f"cond: the matrices are empty (X={x.meta})"))
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
