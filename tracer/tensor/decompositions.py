"""Matrix decompositions and eigenvalues."""

from __future__ import annotations

from typing import Any

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
    """Cholesky decomposition: L with x = L L^H, or U with x = U^H U if `upper`.

    x [*, M, M] Hermitian -> [*, M, M]

    Raises OpError if x is not positive definite.
    """
    return OPS["cholesky"](x, upper=upper)


def lu(
    x: Tensor, pivot: bool = True, get_infos: bool = False, name: str | None = None
) -> tuple[Tensor, ...]:
    """LU decomposition x = P L U, packed: L below the diagonal, U on and above it.

    x [*, M, N] -> packed [*, M, N], pivots int32 [*, min(M, N)], infos int32 [*] or [1]

    pivots: the 1-based row that each row was swapped with.
    infos, returned if get_infos: 0, or the first column without a pivot.
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
    """Return P, L and U of the result of `lu`; those that are not requested are empty.

    x [*, M, N], y int32 [*, K] -> [*, M, M], [*, M, K], [*, K, N]
    """
    return OPS["lu_unpack"](x, y, unpack_ludata=unpack_ludata, unpack_pivots=unpack_pivots)


def qr(x: Tensor, mode: str = "reduced", name: str | None = None) -> Any:
    """QR decomposition x = Q R with Q^H Q = 1; returns only R for mode='r'.

    x [*, M, N] -> [*, M, K], [*, K, N], K = min(M, N), or M for 'complete'
    """
    q, r = OPS["qr"](x, mode=mode)
    return r if mode == "r" else (q, r)


def svd(
    x: Tensor, full_matrices: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Singular value decomposition x = U diag(S) VH, S in descending order.

    x [*, M, N] -> [*, M, K], [*, K], [*, K, N], K = min(M, N)
    """
    return OPS["svd"](x, full_matrices=full_matrices)


def eigh(x: Tensor, UPLO: str = "L", name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues in ascending order and eigenvectors of Hermitian matrices.

    x [*, M, M] -> [*, M], [*, M, M]

    UPLO: the triangle that is read
    """
    return OPS["eigh"](x, UPLO=UPLO)


def eigvalsh(x: Tensor, UPLO: str = "L", name: str | None = None) -> Tensor:
    """Eigenvalues of Hermitian matrices in ascending order.

    x [*, M, M] -> [*, M]

    UPLO: the triangle that is read
    """
    check_tensors(x)
    values: Tensor = OPS["eigvalsh"](x, UPLO=UPLO, is_test=x.stop_gradient)[0]
    return values


def eig(x: Tensor, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Complex eigenvalues and unit eigenvectors of matrices.

    x [*, M, M] -> [*, M], [*, M, M]
    """
    return OPS["eig"](x)


def eigvals(x: Tensor, name: str | None = None) -> Tensor:
    """Complex eigenvalues of matrices.

    x [*, M, M] -> [*, M]
    """
    return OPS["eigvals"](x)


def _adjoint(x: Tensor) -> Tensor:
    transposed = transpose(x, [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2])
    return OPS["conj"](transposed) if x.meta.dtype.kind == "c" else transposed


def householder_product(x: Tensor, tau: Tensor, name: str | None = None) -> Tensor:
    """First N columns of the product of the reflections 1 - tau_i v_i v_i^H.

    v_i is zero above the diagonal of column i, 1 on it, and x below it. x [*, M, N], tau [*, K] ->
    [*, M, N]
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
    """Largest q singular values and vectors of x, centred over its rows if `center`.

    x [*, M, N] -> U [*, M, q], S [*, q], V [*, N, q]

    Uses random projection and `niter` iterations of subspace iteration (Halko et al. 2009,
    algorithm 5.1).
    q: at most 6 by default.
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
