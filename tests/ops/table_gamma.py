"""Rows of special functions."""

from __future__ import annotations

import numpy as np
from scipy import special

from .rows import Numbers, Row

n = Numbers(51)
f, pos = n.f, n.pos
WIDE = np.array([1e-3, 0.3, 1.0, 1.5, 2.0, 7.9, 8.1, 33.0, 500.0], "f")
BELOW = np.array([-0.3, -1.7, -5.2], "f")

ROWS = [
    Row("lgamma", [WIDE], ref=special.gammaln, tol=2e-5),
    Row("lgamma", [BELOW], ref=special.gammaln, tol=2e-5),
    Row("lgamma", [np.array([0.0, -1.0, -2.0, np.inf], "f")], grad=False, ref=special.gammaln),
    Row("lgamma", [pos()], ref=special.gammaln, tol=2e-5),
    Row("lgamma", [f(0, 2)], ref=lambda x: x, paddle="2.6.2 rejects empty tensors"),
    Row("digamma", [WIDE[1:]], ref=special.digamma, tol=2e-5),
    Row("digamma", [BELOW], ref=special.digamma, tol=5e-5, second=False),
    Row("digamma", [np.array([0.0, -1.0], "f")], grad=False, ref=lambda x: x * np.nan),
    Row("polygamma", [WIDE[1:]], {"n": 1}, ref=lambda x: special.polygamma(1, x), tol=5e-5),
    Row("polygamma", [pos(2, 3) + 1], {"n": 3}, ref=lambda x: special.polygamma(3, x), tol=5e-5),
    Row("polygamma", [pos(2, 3) + 1], {"n": 0}, ref=special.digamma, tol=5e-5, paddle="2.6.2 rejects n = 0"),
    Row("erfinv", [f(3, 4) * 0.9], ref=special.erfinv, tol=2e-5),
    Row("erfinv", [np.array([-1, -0.999, 0.0, 0.99999, 1.0, 1.5], "f")], grad=False, ref=special.erfinv, tol=2e-4, paddle="2.6.2 returns infinity for |X| > 1"),
    Row("i0", [f(3, 4) * 5], ref=special.i0, tol=2e-5),
    Row("i0", [np.array([0.0, 29.9, 30.1, -60.0], "f")], ref=special.i0, tol=2e-5, second=False, grad=False,
        half="float16 holds nothing as large"),
    Row("i0e", [f(3, 4) * 5], ref=special.i0e, tol=2e-5),
    Row("i0e", [np.array([29.9, 30.1, -60.0, 1e4], "f")], ref=special.i0e, tol=2e-5),
    Row("i1", [f(3, 4) * 5], ref=special.i1, tol=2e-5),
    Row("i1", [np.zeros(2, "f")], ref=special.i1, second=False),
    Row("i1e", [f(3, 4) * 5], ref=special.i1e, tol=2e-5),
    Row("i1e", [np.array([29.9, 30.1, -60.0, 1e4], "f")], ref=special.i1e, tol=2e-5),
    Row("trunc", [f(3, 4) * 5], ref=np.trunc, second=False),
    Row("trunc", [n.ints(3, low=-5)], ref=np.trunc),
]  # fmt: skip
