"""Matrix decompositions and eigenvalues."""

from __future__ import annotations

from typing import Any, Literal, overload

from ..core.errors import OpError, append_user_line
from ..core.op import OPS
from ..core.operand_checks import check_tensors
from ..core.tensor import Tensor
from .convert import cast, guard_and_get_size_or_minus_one
from .creation import eye, randn
from .linalg import matmul, transpose
from .manipulation import slice, unsqueeze

__all__ = ["cholesky", "eigvalsh"]
METHODS = [
    "cholesky",
    "eig",
    "eigvals",
    "eigvalsh",
    "householder_product",
    "lu",
    "lu_unpack",
    "pca_lowrank",
    "qr",
]


def cholesky(x: Tensor, upper: bool = False, name: str | None = None) -> Tensor:
    """Cholesky decomposition of positive definite matrices.

    x = L L^H with a lower triangular L, or x = U^H U with an upper triangular U

    Parameters
    ----------
    x : Tensor [*, M, M], floating or complex
        Symmetric or Hermitian; only one triangle is read.
    upper : bool, default False
        Whether to return U instead of L.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, M, M], dtype of x

    Raises
    ------
    OpError
        If a matrix is not positive definite or not square, or x has half precision.

    Examples
    --------
    >>> x = paddle.to_tensor([[4.0, 2.0], [2.0, 2.0]])
    >>> paddle.linalg.cholesky(x).tolist()
    [[2.0, 0.0], [1.0, 1.0]]
    """
    return OPS["cholesky"](x, upper=upper)


def lu(
    x: Tensor, pivot: bool = True, get_infos: bool = False, name: str | None = None
) -> tuple[Tensor, ...]:
    """LU decomposition of matrices with row pivoting, packed into one matrix.

    x = P L U with a permutation P, L lower triangular with ones on the diagonal, U upper triangular

    Parameters
    ----------
    x : Tensor [*, M, N], floating or complex
    pivot : bool, default True
        False is not supported, as in Paddle on the CPU.
    get_infos : bool, default False
        Whether to return `infos` as well.
    name : str, optional
        Not used.

    Returns
    -------
    packed : Tensor [*, M, N], dtype of x
        L below the diagonal, U on and above it.
    pivots : Tensor [*, min(M, N)], int32
        The row, counted from 1, that each row was exchanged with.
    infos : Tensor [*] or [1], int32
        0, or the first column without a pivot, counted from 1. Only if get_infos.

    Raises
    ------
    OpError
        If x has fewer than two axes, or pivot is False.

    See Also
    --------
    lu_unpack : P, L and U as three tensors.

    Examples
    --------
    >>> packed, pivots = paddle.linalg.lu(paddle.to_tensor([[1.0, 2.0], [2.0, 8.0]]))
    >>> packed.tolist(), pivots.tolist()
    ([[2.0, 8.0], [0.5, -2.0]], [2, 2])
    """
    packed, pivots, infos = OPS["lu"](x, pivots=pivot)
    return (packed, pivots, infos) if get_infos else (packed, pivots)


def lu_unpack(
    x: Tensor,
    y: Tensor,
    unpack_ludata: bool = True,
    unpack_pivots: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Permutation and triangular matrices of an LU decomposition.

    Parameters
    ----------
    x : Tensor [*, M, N]
        The packed matrices that `lu` returned.
    y : Tensor [*, K], int32
        The pivots that `lu` returned, K = min(M, N).
    unpack_ludata : bool, default True
        Whether to return L and U; otherwise they are empty.
    unpack_pivots : bool, default True
        Whether to return P; otherwise it is empty.
    name : str, optional
        Not used.

    Returns
    -------
    P : Tensor [*, M, M], dtype of x
    L : Tensor [*, M, K], dtype of x
    U : Tensor [*, K, N], dtype of x

    Raises
    ------
    OpError
        If x has fewer than two axes.

    Examples
    --------
    >>> packed, pivots = paddle.linalg.lu(paddle.to_tensor([[1.0, 2.0], [2.0, 8.0]]))
    >>> P, L, U = paddle.linalg.lu_unpack(packed, pivots)
    >>> (P @ L @ U).tolist()
    [[1.0, 2.0], [2.0, 8.0]]
    """
    return OPS["lu_unpack"](x, y, unpack_ludata=unpack_ludata, unpack_pivots=unpack_pivots)


@overload
def qr(x: Tensor, mode: Literal["r"], name: str | None = None) -> Tensor: ...
@overload
def qr(
    x: Tensor, mode: Literal["reduced", "complete"] = "reduced", name: str | None = None
) -> tuple[Tensor, Tensor]: ...
@overload
def qr(x: Tensor, mode: str, name: str | None = None) -> Any: ...
def qr(x: Tensor, mode: str = "reduced", name: str | None = None) -> Any:
    """QR decomposition of matrices.

    x = Q R with Q^H Q = 1 and R upper triangular

    Parameters
    ----------
    x : Tensor [*, M, N], floating or complex
    mode : "reduced", "complete" or "r", default "reduced"
        K = min(M, N) columns in Q, or K = M columns, or only R with K = min(M, N).
    name : str, optional
        Not used.

    Returns
    -------
    Q : Tensor [*, M, K], dtype of x
        Not for mode "r", which returns R alone.
    R : Tensor [*, K, N], dtype of x

    Raises
    ------
    OpError
        If `mode` is another string.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> Q, R = paddle.linalg.qr(x)
    >>> Q.shape, R.shape
    ([3, 2], [2, 2])
    >>> bool(paddle.allclose(Q @ R, x, atol=1e-5))
    True
    """
    q, r = OPS["qr"](x, mode=mode)
    return r if mode == "r" else (q, r)


def svd(
    x: Tensor, full_matrices: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Singular value decomposition of matrices.

    x = U diag(S) VH with U^H U = 1 and VH VH^H = 1

    Parameters
    ----------
    x : Tensor [*, M, N], floating or complex
    full_matrices : bool, default False
        Whether U and VH are square instead of having K = min(M, N) columns and rows.
    name : str, optional
        Not used.

    Returns
    -------
    U : Tensor [*, M, K] or [*, M, M], dtype of x
    S : Tensor [*, K], real
        The singular values in descending order.
    VH : Tensor [*, K, N] or [*, N, N], dtype of x

    Raises
    ------
    OpError
        If x has half precision, or fewer than two axes.

    Notes
    -----
    Gradients are undefined where singular values coincide.

    Examples
    --------
    >>> U, S, VH = paddle.linalg.svd(paddle.to_tensor([[3.0, 0.0], [0.0, 4.0]]))
    >>> print(S.numpy().round(3))
    [4. 3.]
    >>> print((U @ paddle.diag(S) @ VH).numpy().round(3))
    [[3. 0.]
     [0. 4.]]
    """
    return OPS["svd"](x, full_matrices=full_matrices)


def eigh(x: Tensor, UPLO: str = "L", name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues and eigenvectors of symmetric or Hermitian matrices.

    x V = V diag(values)

    Parameters
    ----------
    x : Tensor [*, M, M], floating or complex
    UPLO : "L" or "U", default "L"
        The triangle that is read: the lower or the upper one.
    name : str, optional
        Not used.

    Returns
    -------
    values : Tensor [*, M], real
        In ascending order.
    vectors : Tensor [*, M, M], dtype of x
        Unit vectors in the columns.

    Raises
    ------
    OpError
        If the matrices are not square, or `UPLO` is another string.

    Notes
    -----
    Gradients are undefined where eigenvalues coincide.

    Examples
    --------
    >>> values, vectors = paddle.linalg.eigh(paddle.to_tensor([[2.0, 1.0], [1.0, 2.0]]))
    >>> print(values.numpy().round(3))
    [1. 3.]
    >>> vectors.shape
    [2, 2]
    """
    return OPS["eigh"](x, UPLO=UPLO)


def eigvalsh(x: Tensor, UPLO: str = "L", name: str | None = None) -> Tensor:
    """Eigenvalues of symmetric or Hermitian matrices.

    Parameters
    ----------
    x : Tensor [*, M, M], floating or complex
    UPLO : "L" or "U", default "L"
        The triangle that is read: the lower or the upper one.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, M], real
        In ascending order.

    Raises
    ------
    OpError
        If the matrices are not square, or `UPLO` is another string.

    Examples
    --------
    >>> print(paddle.linalg.eigvalsh(paddle.to_tensor([[2.0, 1.0], [1.0, 2.0]])).numpy().round(3))
    [1. 3.]
    """
    check_tensors(x)
    values: Tensor = OPS["eigvalsh"](x, UPLO=UPLO, is_test=x.stop_gradient)[0]
    return values


def eig(x: Tensor, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues and eigenvectors of general matrices.

    x V = V diag(values)

    Parameters
    ----------
    x : Tensor [*, M, M], floating or complex
    name : str, optional
        Not used.

    Returns
    -------
    values : Tensor [*, M], complex64 or complex128
        In no particular order.
    vectors : Tensor [*, M, M], complex64 or complex128
        Unit vectors in the columns.

    Raises
    ------
    OpError
        If the matrices are not square, or x has integers.

    Examples
    --------
    >>> values, vectors = paddle.linalg.eig(paddle.to_tensor([[2.0, 0.0], [0.0, 3.0]]))
    >>> print(values.numpy().round(3))
    [2.+0.j 3.+0.j]
    """
    return OPS["eig"](x)


def eigvals(x: Tensor, name: str | None = None) -> Tensor:
    """Eigenvalues of general matrices.

    Parameters
    ----------
    x : Tensor [*, M, M], floating or complex
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, M], complex64 or complex128
        In no particular order.

    Raises
    ------
    OpError
        If the matrices are not square, or x has fewer than two axes.

    Examples
    --------
    >>> print(paddle.linalg.eigvals(paddle.to_tensor([[2.0, 0.0], [0.0, 3.0]])).numpy().round(3))
    [2.+0.j 3.+0.j]
    """
    return OPS["eigvals"](x)


def _adjoint(x: Tensor) -> Tensor:
    transposed = transpose(x, [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2])
    return OPS["conj"](transposed) if x.meta.dtype.kind == "c" else transposed


def householder_product(x: Tensor, tau: Tensor, name: str | None = None) -> Tensor:
    """First columns of a product of Householder reflections.

    out = first N columns of (1 - tau[0] v_0 v_0^H) (1 - tau[1] v_1 v_1^H) ...

    v_i is zero above the diagonal of column i, 1 on it, and x below it.

    Parameters
    ----------
    x : Tensor [*, M, N], floating or complex, M >= N
    tau : Tensor [*, K], dtype of x, K <= N
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, M, N], dtype of x

    Raises
    ------
    OpError
        If shapes or dtypes do not fit, or a size is dynamic in a program.

    Examples
    --------
    >>> x, tau = paddle.to_tensor([[1.0], [2.0]]), paddle.to_tensor([0.4])
    >>> print(paddle.linalg.householder_product(x, tau).numpy().round(3))
    [[ 0.6]
     [-0.8]]
    """
    check_tensors(x, tau)
    (*batch, rows, columns), (*other, count) = (
        [guard_and_get_size_or_minus_one(t, i) for i in range(t.ndim)] for t in (x, tau)
    )
    if min(rows, columns, count) < 0:
        raise OpError(
            append_user_line(
                f"householder_product: the sizes must be static (X={x.meta}, Tau={tau.meta})"
            )
        )
    if x.meta.dtype != tau.meta.dtype or batch != other or rows < columns or columns < count:
        raise OpError(
            append_user_line(
                "householder_product: the shapes or dtypes do not match "
                f"(X={x.meta}, Tau={tau.meta})"
            )
        )
    identity = cast(eye(rows), x.dtype)
    lower = OPS["tril_triu"](x, diagonal=-1, lower=True)
    vectors = lower + slice(identity, [1], [0], [columns])
    product = slice(identity, [1], [0], [columns])
    axis = x.ndim - 1
    for i in range(count - 1, -1, -1):  # from the right, on N columns instead of M
        v = slice(vectors, [axis], [i], [i + 1])
        factor = unsqueeze(slice(tau, [axis - 1], [i], [i + 1]), -1)
        product = product - matmul(v * factor, matmul(_adjoint(v), product))
    return product if count else OPS["elementwise_add"](product, x - x)


def pca_lowrank(
    x: Tensor, q: int | None = None, center: bool = True, niter: int = 2, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Largest singular values and vectors of matrices, by random projection.

    x - mean of the rows = U diag(S) V^H approximately (Halko et al. 2009, algorithm 5.1)

    Parameters
    ----------
    x : Tensor [*, M, N], floating
    q : int, optional
        Number of singular values, in [0, min(M, N)]. Default: min(6, M, N).
    center : bool, default True
        Whether the mean of the rows is subtracted first.
    niter : int, default 2
        Number of subspace iterations; more are more exact.
    name : str, optional
        Not used.

    Returns
    -------
    U : Tensor [*, M, q], dtype of x
    S : Tensor [*, q], dtype of x
        In descending order.
    V : Tensor [*, N, q], dtype of x

    Raises
    ------
    OpError
        If q is out of range, or niter is negative.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 0.0], [3.0, 0.0], [5.0, 0.0]])
    >>> U, S, V = paddle.linalg.pca_lowrank(x, q=1)
    >>> print(S.numpy().round(3))
    [2.828]
    >>> U.shape, V.shape
    ([3, 1], [2, 1])
    """
    check_tensors(x)
    rows, columns = x.shape[-2:]
    q = min(6, rows, columns) if q is None else q
    if not 0 <= q <= min(rows, columns):
        raise OpError(
            append_user_line(f"pca_lowrank: q={q} is not in [0, {min(rows, columns)}] (X={x.meta})")
        )
    if niter < 0:
        raise OpError(append_user_line(f"pca_lowrank: niter={niter} is negative"))
    if center:
        x = x - OPS["reduce_mean"](x, dim=[-2], keep_dim=True)
    flipped = _adjoint(x)
    basis = qr(matmul(flipped, cast(randn([rows, q]), x.dtype)))[0]
    for _ in range(niter):
        basis = qr(matmul(x, basis))[0]
        basis = qr(matmul(flipped, basis))[0]
    left, values, across = svd(matmul(x, basis))
    return left, values, matmul(basis, _adjoint(across))
