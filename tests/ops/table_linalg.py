"""Rows of linear algebra: equations, determinants, factors, products."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from .rows import Numbers, Row

n = Numbers(43)
f, c = n.f, n.c
NO_COMPLEX = "2.6.2 has no CPU kernel for complex numbers"
EMPTY = "2.6.2 rejects empty tensors"
UNIT = "2.6.2 is wrong for lower triangles with a unit diagonal"
X = frozenset({"X"})


def well(*shape):
    """Square matrices that are far from singular."""
    return f(*shape) + 2 * np.eye(shape[-1], dtype="f")


def well_c(*shape):
    """The same, complex."""
    return c(*shape) + 2 * np.eye(shape[-1], dtype="c8")


def definite(*shape):
    """Hermitian positive definite matrices."""
    x = f(*shape)
    return x @ x.swapaxes(-1, -2) + np.eye(shape[-1], dtype="f")


def definite_c(*shape):
    """The same, complex."""
    x = c(*shape)
    return x @ x.swapaxes(-1, -2).conj() + np.eye(shape[-1], dtype="c8")


def adjoint(x):
    return x.swapaxes(-1, -2).conj()


def triangular(is_upper=True, turned=False, unit=False):
    """The reference of triangular_solve, matrix by matrix."""

    def one(x, y):
        return scipy.linalg.solve_triangular(
            x, y, trans=int(turned), lower=not is_upper, unit_diagonal=unit
        )

    return np.vectorize(one, signature="(m,m),(m,k)->(m,k)")


def by_factor(x, y, is_upper=False):
    """The reference of cholesky_solve."""
    return np.linalg.solve(adjoint(y) @ y if is_upper else y @ adjoint(y), x)


def packed(x):
    """The reference of lu for one matrix."""
    out, swaps = scipy.linalg.lu_factor(x)
    return out, swaps + 1, np.zeros(1, "int32")


def unpacked(x, pivots):
    """The reference of lu_unpack for one square matrix."""
    order = np.arange(len(x))
    for k, target in enumerate(pivots - 1):
        order[[k, target]] = order[[target, k]]
    return np.eye(len(x))[order].T, np.tril(x, -1) + np.eye(len(x)), np.triu(x)


def least(x, y):
    """The reference of lstsq for one pair."""
    found = np.linalg.lstsq(x, y, rcond=1e-6)
    return found[0], None, np.int32(found[2]), found[3]


def cofactors_of(x):
    """Return the determinants without one row and one column each."""
    size = len(x)

    def one(i, j):
        return (-1) ** (i + j) * np.linalg.det(np.delete(np.delete(x, i, 0), j, 1))

    return np.array([[one(i, j) for j in range(size)] for i in range(size)])


def summed(xs, equation, ref, **settings):
    """Return a row of einsum; outputs that only Paddle's gradient needs are not compared."""
    kept = frozenset({"InnerCache", "XShape"})
    return Row(
        "einsum",
        [xs],
        {"equation": equation},
        ref=lambda ts: (ref(ts), [None] * len(xs), [None] * len(xs)),
        unset=kept,
        **settings,
    )


LOW, UP = np.linalg.cholesky(definite(3, 3)), adjoint(np.linalg.cholesky(definite(3, 3)))
LOW_C = np.linalg.cholesky(definite_c(3, 3))
PACKED = f(4, 4)
SINGULAR = np.array([[1, 2], [2, 4]], "f")

ROWS = [
    Row("inverse", [well(3, 3)], ref=np.linalg.inv),
    Row("inverse", [well(2, 2, 3, 3)], ref=np.linalg.inv),
    Row("inverse", [well_c(3, 3)], ref=np.linalg.inv, paddle=NO_COMPLEX),
    Row("inverse", [f(0, 0)], ref=np.linalg.inv, paddle=EMPTY),
    Row("solve", [well(3, 3), f(3, 2)], ref=np.linalg.solve),
    Row("solve", [well(3, 3), f(3)], ref=np.linalg.solve),
    Row("solve", [well(2, 3, 3), f(2, 3)], ref=lambda x, y: np.linalg.solve(x, y[..., None])[..., 0]),
    Row("solve", [well(2, 3, 3), f(3, 2)], ref=lambda x, y: np.linalg.inv(x) @ y),
    Row("solve", [well(3, 3), f(2, 3, 2)], ref=lambda x, y: np.linalg.inv(x) @ y),
    Row("solve", [well_c(3, 3), c(3, 2)], ref=np.linalg.solve, paddle=NO_COMPLEX),
    Row("triangular_solve", [well(3, 3), f(3, 2)], ref=triangular()),
    Row("triangular_solve", [well(3, 3), f(3, 2)], {"upper": False}, ref=triangular(False)),
    Row("triangular_solve", [well(3, 3), f(3, 2)], {"transpose": True}, ref=triangular(turned=True)),
    Row("triangular_solve", [well(3, 3), f(3, 2)], {"upper": False, "transpose": True}, ref=triangular(False, True)),
    Row("triangular_solve", [well(3, 3), f(3, 2)], {"unitriangular": True}, ref=triangular(unit=True)),
    Row("triangular_solve", [well(3, 3), f(3, 2)], {"upper": False, "unitriangular": True}, ref=triangular(False, unit=True), paddle_grad=UNIT),
    Row("triangular_solve", [well(3, 3), f(3, 2)], {"upper": False, "transpose": True, "unitriangular": True},
        ref=triangular(False, True, True), paddle_grad=UNIT),
    Row("triangular_solve", [well(2, 3, 3), f(3, 2)], ref=triangular()),
    Row("triangular_solve", [well_c(3, 3), c(2, 3, 2)], {"upper": False}, ref=triangular(False), paddle=NO_COMPLEX),
    Row("cholesky", [definite(3, 3)], ref=np.linalg.cholesky, hermitian=X),
    Row("cholesky", [definite(2, 3, 3)], {"upper": True}, ref=lambda x: adjoint(np.linalg.cholesky(x)), hermitian=X),
    Row("cholesky", [definite_c(3, 3)], ref=np.linalg.cholesky, hermitian=X, paddle=NO_COMPLEX),
    Row("cholesky", [definite_c(3, 3)], {"upper": True}, ref=lambda x: adjoint(np.linalg.cholesky(x)), hermitian=X, paddle=NO_COMPLEX),
    Row("cholesky_solve", [f(3, 2), LOW], ref=by_factor),
    Row("cholesky_solve", [f(3, 2), UP], {"upper": True}, ref=lambda x, y: by_factor(x, y, True)),
    Row("cholesky_solve", [f(2, 3, 2), LOW], ref=by_factor),
    Row("cholesky_solve", [c(3, 2), LOW_C], ref=by_factor, paddle=NO_COMPLEX),
    Row("cholesky_solve", [c(3, 2), adjoint(LOW_C)], {"upper": True}, ref=lambda x, y: by_factor(x, y, True), paddle=NO_COMPLEX),
    Row("determinant", [f(3, 3)], ref=np.linalg.det),
    Row("determinant", [f(2, 3, 3)], ref=np.linalg.det),
    Row("determinant", [SINGULAR], ref=np.linalg.det, second=False, paddle_grad="2.6.2 returns zeros for a singular matrix"),
    Row("determinant", [c(3, 3)], ref=np.linalg.det, paddle=NO_COMPLEX),
    Row("determinant", [f(1, 1)], ref=np.linalg.det),
    Row("cofactors", [f(4, 4)], ref=cofactors_of),
    Row("cofactors", [np.ones((3, 3), "f")], ref=cofactors_of, grad=False),
    Row("cofactors", [c(3, 3)], ref=cofactors_of),
    Row("slogdeterminant", [f(3, 3)], ref=lambda x: np.stack(np.linalg.slogdet(x))),
    Row("slogdeterminant", [f(2, 3, 3)], ref=lambda x: np.stack(np.linalg.slogdet(x))),
    Row("slogdeterminant", [SINGULAR * 0], ref=lambda x: np.array([0, -np.inf]), grad=False),
    Row("lu", [f(3, 3)], ref=packed),
    Row("lu", [f(5, 3)], paddle="interop/same_linalg.py compares it"),
    Row("lu", [f(3, 5)], paddle="interop/same_linalg.py compares it"),
    Row("lu", [f(2, 2, 3, 3)], paddle="interop/same_linalg.py compares it"),
    Row("lu", [c(4, 4)], paddle=NO_COMPLEX),
    Row("lu", [c(4, 2)], paddle=NO_COMPLEX),
    Row("lu", [np.zeros((2, 2), "f")], ref=lambda x: (x, np.array([1, 2]), np.array([1])), grad=False),
    Row("lu_unpack", [PACKED, np.array([3, 3, 4, 4], "int32")], ref=unpacked),
    Row("lu_unpack", [f(4, 2), np.array([3, 2], "int32")]),
    Row("lu_unpack", [f(2, 2, 4), np.array([[2, 2], [1, 2]], "int32")]),
    Row("lu_unpack", [f(3, 3), np.array([3, 2, 3], "int32")], {"unpack_ludata": False}, grad=False, unset=frozenset({"L", "U"})),
    Row("lu_unpack", [f(3, 3), np.array([3, 2, 3], "int32")], {"unpack_pivots": False}),
    Row("qr", [f(4, 3)], ref=np.linalg.qr),
    Row("qr", [f(3, 3)], ref=np.linalg.qr),
    Row("qr", [f(3, 5)], ref=np.linalg.qr, paddle_grad="2.6.2 rejects more columns than rows"),
    Row("qr", [f(2, 4, 3)], ref=np.linalg.qr),
    Row("qr", [f(4, 3)], {"mode": "complete"}, ref=lambda x: np.linalg.qr(x, "complete"), grad=False),
    Row("qr", [f(3, 3)], {"mode": "complete"}, ref=lambda x: np.linalg.qr(x, "complete")),
    Row("qr", [f(4, 3)], {"mode": "r"}, ref=lambda x: (np.zeros(0), np.linalg.qr(x, "r")), paddle_grad="2.6.2 has no gradient for mode=r", unset=frozenset({"Q"})),
    Row("qr", [c(4, 3)], ref=np.linalg.qr, paddle=NO_COMPLEX),
    Row("qr", [c(3, 4)], ref=np.linalg.qr, paddle=NO_COMPLEX),
    Row("lstsq", [f(4, 3), f(4, 2)], {"rcond": 1e-6, "driver": "gelsd"}, ref=least, paddle_grad="2.6.2 has no gradient", unset=frozenset({"Residuals"})),
    Row("lstsq", [f(3, 4), f(3, 2)], {"rcond": 1e-6, "driver": "gelsd"}, ref=least, paddle_grad="2.6.2 has no gradient", unset=frozenset({"Residuals"})),
    Row("lstsq", [c(4, 3), c(4, 2)], {"rcond": 1e-6}, ref=least, paddle=NO_COMPLEX),
    Row("lstsq", [f(2, 4, 3), f(2, 4, 1)], {"rcond": 1e-6}, paddle="2.6.2 leaves outputs that `gels` does not compute uninitialized"),
    Row("multi_dot", [[f(2, 3), f(3, 4), f(4, 5)]], ref=np.linalg.multi_dot),
    Row("multi_dot", [[f(3), f(3, 4), f(4, 2), f(2)]], ref=np.linalg.multi_dot),
    Row("multi_dot", [[f(3), f(3, 4)]], ref=np.linalg.multi_dot),
    Row("multi_dot", [[c(2, 3), c(3, 4), c(4)]], ref=np.linalg.multi_dot, paddle=NO_COMPLEX),
    Row("matrix_power", [well(3, 3)], {"n": 3}, ref=lambda x: x @ x @ x),
    Row("matrix_power", [well(2, 3, 3)], {"n": -2}, ref=lambda x: np.linalg.inv(x @ x), tol=5e-5),
    Row("matrix_power", [f(3, 3)], {"n": 0}, ref=lambda x: np.eye(3), second=False),
    Row("matrix_power", [f(3, 3)], {"n": 1}, ref=lambda x: x, second=False),
    Row("matrix_power", [c(2, 3, 3)], {"n": 2}, ref=lambda x: x @ x, paddle=NO_COMPLEX),
    Row("kron", [f(2, 3), f(4, 2)], ref=np.kron),
    Row("kron", [f(3), f(2, 2)], ref=np.kron),
    Row("kron", [f(2, 3, 2), f(2)], ref=np.kron),
    Row("kron", [f(), f(2)], ref=np.kron),
    Row("kron", [n.ints(2, 2), n.ints(2, 3)], ref=np.kron),
    Row("kron", [c(2, 2), c(3)], ref=np.kron),
    Row("cross", [f(2, 3), f(2, 3)], ref=np.cross),
    Row("cross", [f(3, 4), f(3, 4)], ref=lambda x, y: np.cross(x, y, axis=0)),
    Row("cross", [f(3, 3), f(3, 3)], {"dim": 1}, ref=np.cross),
    Row("cross", [n.ints(2, 3), n.ints(2, 3)], {"dim": -1}, ref=np.cross),
    Row("dist", [f(3, 4), f(3, 4)], ref=lambda x, y: np.linalg.norm((x - y).ravel())),
    Row("dist", [f(3, 1), f(4)], {"p": 1.0}, ref=lambda x, y: np.abs(x - y).sum(), second=False),
    Row("dist", [n.distinct(3, 4), f()], {"p": float("inf")}, ref=lambda x, y: np.abs(x - y).max(), grad=False),
    Row("dist", [f(3, 4), f(3, 4)], {"p": 0.0}, ref=lambda x, y: np.array((x != y).sum()), second=False),
    Row("dist", [f(3, 4), f(3, 4)], {"p": 3.0}, ref=lambda x, y: (np.abs(x - y) ** 3).sum() ** (1 / 3)),
    summed(
        [f(2, 3, 4), f(4, 5), f(5)],
        "...ij,...jk,k->...i",
        lambda ts: np.einsum("...ij,...jk,k->...i", *ts),
        paddle="the einsum op of 2.6.2 takes at most two operands",
    ),
    summed([f(2, 3), f(3, 4)], "ij,jk->ik", lambda xs: xs[0] @ xs[1]),
    summed([f(2, 3)], "ij->ji", lambda xs: xs[0].T),
    summed([f(2, 3)], "ij->", lambda xs: xs[0].sum()),
    summed([f(2, 3)], "ij->j", lambda xs: xs[0].sum(0)),
    summed([f(3, 3)], "ii->i", lambda xs: np.diag(xs[0]), paddle_grad="2.6.2 has no gradient for a diagonal"),
    summed([f(3, 3), f(3)], "ii,j->ij", lambda xs: np.einsum("ii,j->ij", *xs), paddle_grad="2.6.2 has no gradient for a diagonal"),
    summed([f(5, 2, 3), f(3, 4)], "...ij,jk->...ik", lambda xs: xs[0] @ xs[1], paddle_grad="2.6.2 has no gradient for `...` in one operand only"),
    summed([f(2, 5, 2, 3), f(5, 3, 4)], "...ij,...jk->...ik", lambda xs: xs[0] @ xs[1]),
    summed([f(2, 3), f(4)], "ij,k->ik", lambda xs: xs[0].sum(1)[:, None] * xs[1]),
    summed([f(2, 3), f(3, 4), f(4, 2)], "ij,jk,kl->il", lambda xs: xs[0] @ xs[1] @ xs[2], paddle="the einsum op of 2.6.2 takes at most two operands"),
    summed([c(2, 3), c(3, 4)], "ij,jk->ki", lambda xs: (xs[0] @ xs[1]).T),
]  # fmt: skip
