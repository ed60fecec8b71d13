"""Linear algebra under the names of `paddle.linalg`; `oarlock.tensor` defines the functions."""

from ..tensor.covariance import corrcoef, cov
from ..tensor.decompositions import (
    cholesky,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    householder_product,
    lu,
    lu_unpack,
    pca_lowrank,
    qr,
    svd,
)
from ..tensor.linalg import multi_dot, norm
from ..tensor.solvers_and_matrix_functions import (
    cholesky_solve,
    cond,
    det,
    inv,
    lstsq,
    matrix_power,
    matrix_rank,
    pinv,
    slogdet,
    solve,
    triangular_solve,
)

__all__ = [
    "cholesky",
    "cholesky_solve",
    "cond",
    "corrcoef",
    "cov",
    "det",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "householder_product",
    "inv",
    "lstsq",
    "lu",
    "lu_unpack",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pca_lowrank",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "triangular_solve",
]
