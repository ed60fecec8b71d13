"""Rows of singular values and eigenvalues."""

from __future__ import annotations

import numpy as np

import oarlock as paddle

from .rows import Numbers, Row
from .table_linalg import NO_COMPLEX, X, definite, definite_c

n = Numbers(47)
f, c = n.f, n.c
SIGNS = "the signs of vectors differ; interop/same_linalg.py compares them"
U, V = frozenset({"U", "VH"}), frozenset({"Eigenvectors"})


def singular(full=False):
    """The reference of svd: only the values are known."""
    return lambda x: (None, np.linalg.svd(x, full, compute_uv=False), None)


def hermitian(which="L"):
    return lambda x: (np.linalg.eigvalsh(x, which), None)


def turned(x):
    return paddle.conj(x).transpose([*range(x.ndim - 2), x.ndim - 1, x.ndim - 2])


def without_phases(u, s, vh):
    """What of a decomposition does not depend on the phases of the vectors."""
    size = s.shape[-1]
    u, vh, wide = u[..., :, :size], vh[..., :size, :], paddle.cast(s, u.dtype).unsqueeze(-2)
    return [s, (u * paddle.exp(wide)) @ vh, (u * paddle.sin(wide)) @ turned(u)]


def projectors(u, s, vh):
    """What of a full decomposition does not depend on the choice of vectors."""
    size = s.shape[-1]
    (of_u, rest_u), (_, rest_v) = ((t[:, :size], t[:, size:]) for t in (u, turned(vh)))
    return [
        *without_phases(u, s, vh),
        rest_u @ turned(rest_u),
        rest_v @ turned(rest_v),
        of_u @ turned(of_u),
    ]


def of_values(w, v):
    return [w, (v * paddle.exp(paddle.cast(w, v.dtype)).unsqueeze(-2)) @ turned(v), paddle.abs(v)]


def of_pairs(w, v):
    return [
        paddle.exp(w).sum(-1),
        paddle.abs(v).sum(-1),
        paddle.linalg.inv(v) @ (v * w.unsqueeze(-2)),
        (v * w.unsqueeze(-2)) @ turned(v),
    ]


def pairs(x):
    """X V - V diag(w) = 0: the reference of eig checks the kernel's results."""
    w, v = np.linalg.eig(x)
    np.testing.assert_allclose(x @ v, v * w[..., None, :], atol=1e-5)
    return w.astype("c8"), None


APART = np.diag(np.arange(1.0, 4.0)).astype("f")
FALLING = np.diag(np.array([1, 0.5, 0.1], "f"))

ROWS = [
    Row("svd", [f(4, 3)], ref=singular(), unset=U, paddle_grad=SIGNS),
    Row("svd", [f(3, 4)], ref=singular(), unset=U, paddle_grad=SIGNS),
    Row("svd", [f(2, 3, 3)], ref=singular(), unset=U, paddle_grad=SIGNS),
    Row("svd", [f(4, 2)], {"full_matrices": True}, ref=singular(), unset=U, paddle_grad=SIGNS, through=projectors),
    Row("svd", [f(2, 4)], {"full_matrices": True}, ref=singular(), unset=U, paddle_grad=SIGNS, through=projectors),
    Row("svd", [c(4, 3)], ref=singular(), paddle=NO_COMPLEX, through=without_phases),
    Row("svd", [c(2, 3, 4)], ref=singular(), paddle=NO_COMPLEX, through=without_phases),
    Row("eigh", [definite(3, 3) + APART], ref=hermitian(), unset=V, hermitian=X, paddle_grad=SIGNS),
    Row("eigh", [definite(2, 3, 3) + APART], {"UPLO": "U"}, ref=hermitian("U"), unset=V, hermitian=X, paddle_grad=SIGNS),
    Row("eigh", [definite_c(3, 3) + APART], ref=hermitian(), unset=V, hermitian=X, paddle_grad=SIGNS, through=of_values),
    Row("eigvalsh", [definite(3, 3) + APART], ref=hermitian(), unset=V, hermitian=X),
    Row("eigvalsh", [definite(2, 3, 3) + APART], {"is_test": True}, ref=hermitian(), unset=V, hermitian=X, paddle_grad="2.6.2 has no gradient with is_test"),
    Row("eigvalsh", [definite_c(3, 3) + APART], {"UPLO": "U"}, ref=hermitian("U"), unset=V, hermitian=X),
    Row("eig", [f(3, 3) + APART], ref=pairs, unset=V | {"Eigenvalues"}, paddle_grad="2.6.2 orders the eigenvalues differently", through=of_pairs, tol=5e-5),
    Row("eig", [f(2, 3, 3) + APART], ref=pairs, unset=V | {"Eigenvalues"}, paddle_grad="2.6.2 orders the eigenvalues differently", through=of_pairs, tol=5e-5),
    Row("eig", [c(3, 3) + APART], ref=pairs, unset=V | {"Eigenvalues"}, paddle_grad="2.6.2 orders the eigenvalues differently", through=of_pairs, tol=5e-5),
    Row("eigvals", [f(3, 3) + APART], ref=lambda x: pairs(x)[0], paddle_grad="2.6.2 has no gradient", unset=frozenset({"Out"}), tol=5e-5),
    Row("eigvals", [c(2, 3, 3) + APART], ref=lambda x: pairs(x)[0], paddle_grad="2.6.2 has no gradient", unset=frozenset({"Out"}), tol=5e-5),
    Row("matrix_rank", [f(3, 4), None], ref=lambda x, _: np.linalg.matrix_rank(x).astype("int32")),
    Row("matrix_rank", [np.ones((2, 3, 3), "f"), None], ref=lambda x, _: np.array([1, 1], "int32")),
    Row("matrix_rank", [definite(3, 3), None], {"hermitian": True}, ref=lambda *_: np.array(3, "int32")),
    Row("matrix_rank", [FALLING, None], {"tol": 0.2, "use_default_tol": False}, ref=lambda *_: np.array(2, "int32")),
    Row("matrix_rank", [FALLING, np.array([0.2, 0.6], "f")], {"use_default_tol": False}, ref=lambda *_: np.array([2, 1], "int32")),
]  # fmt: skip
