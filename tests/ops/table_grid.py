"""Rows of grid and weights."""

from __future__ import annotations

import itertools

import numpy as np

from .rows import Numbers, Row

n = Numbers(36)
f = n.f


def place(g, size, padding, corners):
    """Return the pixel coordinate of a grid value."""
    at = (g + 1) / 2 * (size - 1) if corners else ((g + 1) * size - 1) / 2
    low, high = (0, size - 1) if corners else (-0.5, size - 0.5)
    while padding == "reflection" and not low <= at <= high:
        at = 2 * low - at if at < low else 2 * high - at
    return min(max(at, 0), size - 1) if padding != "zeros" else at


def sampled(mode="bilinear", padding="zeros", corners=True):
    def of(x, grid):
        rank = x.ndim - 2
        y = np.zeros((*x.shape[:2], *grid.shape[1:-1]))
        for at in np.ndindex(*grid.shape[:-1]):
            where = [
                place(float(grid[at][rank - 1 - i]), x.shape[2 + i], padding, corners)
                for i in range(rank)
            ]
            near = (
                [[round(w)] for w in where]
                if mode == "nearest"
                else [[int(np.floor(w)), int(np.floor(w)) + 1] for w in where]
            )
            for pixel in itertools.product(*near):
                if all(0 <= p < s for p, s in zip(pixel, x.shape[2:], strict=True)):
                    share = (
                        1
                        if mode == "nearest"
                        else np.prod([1 - abs(w - p) for w, p in zip(where, pixel, strict=True)])
                    )
                    y[(at[0], slice(None), *at[1:])] += share * x[(at[0], slice(None), *pixel)]
        return y

    return of


def affine(sizes, corners=True):
    def of(theta, *_):
        rank = len(sizes)
        y = np.zeros((len(theta), *sizes, rank))
        for at in np.ndindex(*sizes):
            point = [
                -1 + 2 * i / (s - 1) if corners else (2 * i + 1) / s - 1
                for i, s in zip(at, sizes, strict=True)
            ]
            y[(slice(None), *at)] = theta @ np.array([*reversed(point), 1])
        return y

    return of


def spectral(dim=0, iterations=1):
    def of(w, u, v):
        m = np.moveaxis(w, dim, 0).reshape(w.shape[dim], -1).astype("d")
        for _ in range(iterations):
            v = m.T @ u
            v = v / np.linalg.norm(v)
            u = m @ v
            u = u / np.linalg.norm(u)
        return w / (u @ m @ v)

    return of


X4, X5 = f(2, 3, 4, 5), f(1, 2, 3, 4, 3)
G4, G5 = f(2, 3, 4, 2) * 1.4 + 0.013, f(1, 2, 3, 2, 3) * 1.3 + 0.017
ROWS = [
    Row("grid_sampler", [x, g], {"mode": mode, "padding_mode": padding, "align_corners": corners}, tol=3e-5, second=False,
        ref=sampled(mode, padding, corners), constant=frozenset({"Grid"}) if mode == "nearest" else frozenset(),
        paddle="2.6.2 compares positions with the border before rounding them" if (mode, padding) == ("nearest", "zeros") and x.ndim == 5 else "")
    for (x, g), mode, padding, corners in itertools.product(
        [(X4, G4), (X5, G5)], ["bilinear", "nearest"], ["zeros", "border", "reflection"], [True, False])
]  # fmt: skip
U, V = f(3), f(8)
ROWS += [
    Row("affine_grid", [f(2, 2, 3)], {"output_shape": [2, 3, 4, 5]}, ref=affine((4, 5))),
    Row("affine_grid", [f(2, 2, 3)], {"output_shape": [2, 3, 4, 5], "align_corners": False}, ref=affine((4, 5), False)),
    Row("affine_grid", [f(2, 3, 4)], {"output_shape": [2, 1, 2, 4, 3]}, ref=affine((2, 4, 3))),
    Row("affine_grid", [f(1, 3, 4)], {"output_shape": [1, 1, 2, 4, 3], "align_corners": False}, ref=affine((2, 4, 3), False)),
    Row("affine_grid", [f(2, 2, 3), np.array([2, 3, 4, 5], "int32")], ref=affine((4, 5))),
    Row("spectral_norm", [f(3, 8), U, V], ref=spectral(), tol=3e-5, grad=False),
    Row("spectral_norm", [f(3, 8), U, V], {"power_iters": 400}, ref=spectral(0, 400), tol=3e-5, second=False,
        paddle_grad="2.6.2 multiplies instead of summing"),
    Row("spectral_norm", [f(3, 2, 4), U, V], {"power_iters": 3}, ref=spectral(0, 3), tol=3e-5, grad=False),
    Row("spectral_norm", [f(2, 3, 2, 2), U, V], {"dim": 1, "power_iters": 2, "eps": 1e-8}, ref=spectral(1, 2), tol=3e-5, grad=False),
    Row("bilinear_tensor_product", [f(4, 3), f(4, 5), f(2, 3, 5)], ref=lambda x, y, w: np.einsum("bi,oij,bj->bo", x, w, y)),
    Row("bilinear_tensor_product", [f(4, 3), f(4, 5), f(2, 3, 5), f(1, 2)], ref=lambda x, y, w, b: np.einsum("bi,oij,bj->bo", x, w, y) + b),
]  # fmt: skip
