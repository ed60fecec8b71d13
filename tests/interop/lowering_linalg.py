"""One op each, continued: linear algebra."""

import numpy as np
from lowering_cases import a, f, op, w


def definite(*shape, seed=7):
    """Matrices that are symmetric and positive definite."""
    x = f(*shape, seed=seed)
    return x @ np.swapaxes(x, -1, -2) + np.eye(shape[-1], dtype="float32")


def regular(*shape, seed=7, dtype="float32"):
    """Return well-conditioned matrices."""
    return (f(*shape, seed=seed) + 3 * np.eye(shape[-1], dtype="float32")).astype(dtype)


SQUARE, BATCH = regular(4, 4), regular(2, 3, 3)
SWAPPED = a([[0, 1, 2], [3, 0, 1], [1, 4, 0]], "float32")  # nothing on the diagonal

SOLVE = [
    *[
        op("inverse", Input=x, out="Output")
        for x in (SQUARE, BATCH, SWAPPED, regular(3, 3, dtype="float64"))
    ],
    op("solve", SQUARE, Y=f(4, 2, seed=1), undeclared="batch"),
    op("solve", SQUARE, Y=f(4, seed=1), undeclared="batch"),
    op("solve", BATCH, Y=f(2, 3, 2, seed=1)),
    op("solve", BATCH, Y=f(2, 3, seed=1), rejected={"batch": "known", "open": "known"}),
    op("solve", SWAPPED, Y=f(2, 3, 1, seed=1), undeclared="batch"),
    *[
        op(
            "triangular_solve",
            SQUARE,
            Y=f(4, 2, seed=1),
            upper=upper,
            transpose=transpose,
            unitriangular=unit,
            undeclared="batch",
        )
        for upper, transpose, unit in (
            (True, False, False),
            (False, True, False),
            (True, True, True),
        )
    ],
    op("triangular_solve", BATCH, Y=f(2, 3, 2, seed=1), upper=False),
    op("triangular_solve", regular(3, 3), Y=f(2, 3, 2, seed=1), undeclared="batch"),
    op("cholesky_solve", f(4, 2), Y=np.linalg.cholesky(definite(4, 4)), undeclared="batch"),
    op(
        "cholesky_solve",
        f(2, 3, 2),
        Y=np.linalg.cholesky(definite(2, 3, 3)).swapaxes(1, 2).copy(),
        upper=True,
    ),
]

DECOMPOSE = [
    *[op("cholesky", definite(4, 4), upper=upper, undeclared="batch") for upper in (False, True)],
    *[op("cholesky", definite(2, 3, 3), upper=upper) for upper in (False, True)],
    *[op("slogdeterminant", Input=x) for x in (SQUARE, BATCH, SWAPPED, -regular(3, 3))],
    op("slogdeterminant", Input=np.zeros((3, 3), "float32")),
    *[op("matrix_power", BATCH, n=n) for n in (0, 1, 2, 3, 5, -1, -2)],
    op(
        "spectral_norm",
        Weight=w(f(4, 6)),
        U=w(f(4, seed=1)),
        V=w(f(6, seed=2)),
        variants=("known",),
    ),
    op(
        "spectral_norm",
        Weight=w(f(2, 4, 3)),
        U=w(f(4, seed=1)),
        V=w(f(6, seed=2)),
        dim=1,
        power_iters=3,
        variants=("known",),
    ),
]

PRODUCTS = [
    op("multi_dot", [f(3, 4), f(4, 5, seed=1), f(5, 2, seed=2)], variants=("known", "open")),
    op("multi_dot", [f(4), f(4, 5, seed=1), f(5, seed=2)], variants=("known", "open")),
    op("multi_dot", [f(3, 4), f(4, 2, seed=1)]),
    op(
        "bilinear_tensor_product", f(3, 4), Y=f(3, 5, seed=1), Weight=w(f(6, 4, 5)), Bias=w(f(1, 6))
    ),
    op("bilinear_tensor_product", f(3, 4), Y=f(3, 5, seed=1), Weight=w(f(6, 4, 5))),
    op("fsp", f(2, 3, 4, 5), Y=f(2, 6, 4, 5, seed=1), keep=(1,)),
]

OPS = [*SOLVE, *DECOMPOSE, *PRODUCTS]
