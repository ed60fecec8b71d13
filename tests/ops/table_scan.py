"""Rows of ops along an axis."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(53)
f, pos, distinct = n.f, n.pos, n.distinct


def extreme(function):
    def of(x, axis=-1):
        out = function.accumulate(x, axis=axis)
        rows, best = np.moveaxis(x, axis, 0), np.moveaxis(out, axis, 0)
        where = np.zeros(rows.shape, "int64")
        for k in range(1, len(rows)):
            where[k] = np.where(rows[k] == best[k], k, where[k - 1])
        return out, np.moveaxis(where, 0, axis)

    return of


def log_sums(x, axis=-1, reverse=False, exclusive=False):
    x = np.flip(x, axis) if reverse else x
    total = np.cumsum(np.exp(x.astype("d")), axis)
    total = total - np.exp(x) if exclusive else total
    with np.errstate(divide="ignore"):
        out = np.log(np.maximum(total, 0))
    if exclusive:
        np.moveaxis(out, axis, 0)[:1] = -np.inf
    return np.flip(out, axis) if reverse else out


ROWS = [
    Row("cumprod", [f(3, 4)], {"dim": 1}, ref=lambda x: np.cumprod(x, 1)),
    Row("cumprod", [np.array(2.0, "f")], {"dim": 0}, ref=lambda x: x),
    Row("cumprod", [f(2, 3, 4)], {"dim": -2}, ref=lambda x: np.cumprod(x, -2)),
    Row("cumprod", [np.array([1.5, 0.0, 2.0, 0.0, 3.0], "f")], {"dim": 0}, ref=np.cumprod),
    Row("cumprod", [n.ints(2, 3, low=1)], {"dim": 0}, ref=lambda x: np.cumprod(x, 0)),
    Row("cummax", [distinct(3, 4)], ref=extreme(np.maximum), paddle_grad="Paddle's own test also expects another gradient", second=False),
    Row("cummax", [distinct(2, 3, 4)], {"axis": 1}, ref=lambda x: extreme(np.maximum)(x, 1), second=False, paddle_grad="Paddle's own test also expects another gradient"),
    Row("cummax", [np.array([1, 1, 2, 2, 0, 2], "f")], {"axis": 0, "dtype": 2}, ref=lambda x: extreme(np.maximum)(x, 0), grad=False),
    Row("cummin", [distinct(3, 4)], ref=extreme(np.minimum), second=False, paddle_grad="Paddle's own test also expects another gradient"),
    Row("cummin", [n.ints(3, 4)], {"axis": 0}, ref=lambda x: extreme(np.minimum)(x, 0)),
    Row("logcumsumexp", [f(3, 4)], ref=log_sums, tol=2e-5),
    Row("logcumsumexp", [f(3, 4)], {"axis": 0, "reverse": True}, ref=lambda x: log_sums(x, 0, True), tol=2e-5),
    Row("logcumsumexp", [f(3, 4)], {"flatten": True}, ref=lambda x: log_sums(x.ravel()), tol=2e-5),
    Row("logcumsumexp", [f(3, 4)], {"axis": 1, "exclusive": True}, ref=lambda x: log_sums(x, 1, False, True), tol=2e-5, grad=False,
        paddle="2.6.2 returns the lowest float for an empty sum, not -inf"),
    Row("logcumsumexp", [np.array([500.0, 501.0, -700.0], "f")], ref=lambda x: np.logaddexp.accumulate(x.astype("d")), tol=2e-5, grad=False),
]  # fmt: skip
