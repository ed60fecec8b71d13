"""Matrices as products of simpler ones, and their eigenvalues."""

from __future__ import annotations

from typing import Any

from ..core.errors import OpError, with_user_line
from ..core.op import OPS
from ..core.operand_checks import check_tensors
from ..core.tensor import Tensor
from .convert import cast, size_at
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
    """Triangles L with x = L L^H; upper: U with x = U^H U.

    x [*, M, M] Hermitian -> [*, M, M].
    Raises OpError unless it is positive definite.
    """
    return OPS["cholesky"](x, upper=upper)


def lu(
    x: Tensor, pivot: bool = True, get_infos: bool = False, name: str | None = None
) -> tuple[Tensor, ...]:
    """x = P L U, packed: L below the diagonal of the first result, U from it up.

    x [*, M, N] -> [*, M, N], swaps int32 [*, min(M, N)], infos int32 [*] or [1]

    swaps: the row, counted from 1, that each row was swapped with; infos, for get_infos: 0, or the
    first column without a pivot.
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
    """P, L, U of what `lu` gave; what is not wanted is empty.

    x [*, M, N], y int32 [*, K] -> [*, M, M], [*, M, K], [*, K, N]
    """
    return OPS["lu_unpack"](x, y, unpack_ludata=unpack_ludata, unpack_pivots=unpack_pivots)


def qr(x: Tensor, mode: str = "reduced", name: str | None = None) -> Any:
    """Q, R with x = Q R and Q^H Q = 1; only R for mode='r'.

    x [*, M, N] -> [*, M, K], [*, K, N], K = min(M, N), M for 'complete'
    """
    q, r = OPS["qr"](x, mode=mode)
    return r if mode == "r" else (q, r)


def svd(
    x: Tensor, full_matrices: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """U, S, VH with x = U diag(S) VH, S falling.

    x [*, M, N] -> [*, M, K], [*, K], [*, K, N], K = min(M, N)
    """
    return OPS["svd"](x, full_matrices=full_matrices)


def eigh(x: Tensor, UPLO: str = "L", name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues, rising, and vectors of Hermitian matrices; UPLO: the triangle that is read.

    x [*, M, M] -> [*, M], [*, M, M]
    """
    return OPS["eigh"](x, UPLO=UPLO)


def eigvalsh(x: Tensor, UPLO: str = "L", name: str | None = None) -> Tensor:
    """Eigenvalues of Hermitian matrices, rising; UPLO: the triangle that is read.

    x [*, M, M] -> [*, M]
    """
    check_tensors(x)
    values: Tensor = OPS["eigvalsh"](x, UPLO=UPLO, is_test=x.stop_gradient)[0]
    return values


def eig(x: Tensor, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues and vectors of length 1, complex.

    x [*, M, M] -> [*, M], [*, M, M]
    """
    return OPS["eig"](x)


def eigvals(x: Tensor, name: str | None = None) -> Tensor:
    """Eigenvalues, complex.

    x [*, M, M] -> [*, M]
    """
    return OPS["eigvals"](x)


def _adjoint(x: Tensor) -> Tensor:
    turned = transpose(x, [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2])
    return OPS["conj"](turned) if x.meta.dtype.kind == "c" else turned


def householder_product(x: Tensor, tau: Tensor, name: str | None = None) -> Tensor:
    """The first N columns of the product of 1 - tau_i v_i v_i^H, v_i being 1 under zeros and on x
    below the diagonal.

    x [*, M, N], tau [*, K] -> [*, M, N]
    """
    check_tensors(x, tau)
    (*batch, rows, columns), (*other, count) = (
        [size_at(t, i) for i in range(t.ndim)] for t in (x, tau)
    )
    if min(rows, columns, count) < 0:
        raise OpError(
            with_user_line(f"householder_product: needs known sizes (X={x.meta}, Tau={tau.meta})")
        )
    if x.meta.dtype != tau.meta.dtype or batch != other or rows < columns or columns < count:
        raise OpError(
            with_user_line(
                f"householder_product: the shapes or dtypes do not fit (X={x.meta}, Tau={tau.meta})"
            )
        )
    unit = cast(eye(rows), x.dtype)
    below = OPS["tril_triu"](x, diagonal=-1, lower=True)
    vectors = below + slice(unit, [1], [0], [columns])
    found = slice(unit, [1], [0], [columns])
    axis = x.ndim - 1
    for i in range(count - 1, -1, -1):  # from the right, on N columns instead of M
        v = slice(vectors, [axis], [i], [i + 1])
        factor = unsqueeze(slice(tau, [axis - 1], [i], [i + 1]), -1)
        found = found - matmul(v * factor, matmul(_adjoint(v), found))
    return found if count else OPS["elementwise_add"](found, x - x)


def pca_lowrank(
    x: Tensor, q: int | None = None, center: bool = True, niter: int = 2, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """The q largest singular values and vectors of x, less its mean over rows for center.

    x [*, M, N] -> U [*, M, q], S [*, q], V [*, N, q]

    By random projection and niter rounds of subspace iteration: N. Halko et al., "Finding structure
    with randomness" (2009), algorithm 5.1. q: by default at most 6.
    """
    check_tensors(x)
    rows, columns = x.shape[-2:]
    q = min(6, rows, columns) if q is None else q
    if not 0 <= q <= min(rows, columns):
        raise OpError(
            with_user_line(f"pca_lowrank: q={q} is not in [0, {min(rows, columns)}] (X={x.meta})")
        )
    if niter < 0:
        raise OpError(with_user_line(f"pca_lowrank: niter={niter} is negative"))
    if center:
        x = x - OPS["reduce_mean"](x, dim=[-2], keep_dim=True)
    flipped = _adjoint(x)
    basis = qr(matmul(flipped, cast(randn([rows, q]), x.dtype)))[0]
    for _ in range(niter):
        basis = qr(matmul(x, basis))[0]
        basis = qr(matmul(flipped, basis))[0]
    left, values, across = svd(matmul(x, basis))
    return left, values, matmul(basis, _adjoint(across))
