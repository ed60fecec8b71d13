"""Complex numbers and linear algebra for same_code.py.

Vectors are known up to a sign, so what is compared is made of them: products of factors, absolute
values.
"""

import numpy as np
from same_code import Called, recordable


def data(*shape, seed=0):
    """Reproducible numbers, away from zero."""
    rng = np.random.default_rng(seed + 17 * len(shape))
    return (rng.uniform(0.2, 1.0, shape) * rng.choice([-1, 1], shape)).astype("float32")


def complex_data(*shape, seed=0):
    return (data(*shape, seed=seed) + 1j * data(*shape, seed=seed + 1)).astype("complex64")


def array(t):
    return np.asarray(t.numpy() if hasattr(t, "numpy") else t)


def weighted(P, t, seed):
    """A number that depends on all of a result."""
    if P.is_complex(t):
        t = P.as_real(t)
    return (t * P.to_tensor(data(*t.shape, seed=seed))).sum()


def case(function, *inputs, grads=True, plain=False):
    """Values, and the gradients of their weighted sum.

    plain: the function works on arrays, which is nothing to save
    """

    def run(P):
        ts = [P.to_tensor(x, stop_gradient=x.dtype.kind not in "fc") for x in inputs]
        made = function(P, *ts)
        outs = list(made) if isinstance(made, (list, tuple)) else [made]
        found = {f"out{i}": array(o) for i, o in enumerate(outs)}
        tensors = [o for o in outs if hasattr(o, "stop_gradient") and not o.stop_gradient]
        if grads and tensors:
            total = sum(weighted(P, o, 5 + i) for i, o in enumerate(tensors))
            total.backward()
            found.update(
                {f"grad{i}": t.grad.numpy() for i, t in enumerate(ts) if t.grad is not None}
            )
        return found

    return (
        run
        if plain
        else recordable(
            run, lambda P: Called(P, lambda: None, lambda _, *xs: function(P, *xs)), inputs
        )
    )


M, N, B = (
    data(3, 3) + 2 * np.eye(3, dtype="f"),
    data(3, 3, seed=3),
    data(2, 3, 3) + 2 * np.eye(3, dtype="f"),
)
R, W = data(5, 3), data(3, 5, seed=1)
S = (R.T @ R + np.diag([1, 2, 3])).astype("f")
LOW = np.linalg.cholesky(S).astype("f")
C, D = complex_data(3, 4), complex_data(3, 4, seed=5)
C3 = complex_data(2, 3, 3)
H = (C3[0] @ C3[0].conj().T + np.diag([1, 2, 3])).astype("complex64")
V = data(6)
inf = float("inf")


def turned(P, x):
    return P.transpose(x, [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2])


def by_svd(P, x, full=False):
    u, s, vh = P.linalg.svd(x, full_matrices=full)
    k = s.shape[-1]
    return (
        s,
        (u[..., :k] * P.exp(s).unsqueeze(-2)) @ vh[..., :k, :],
        (u[..., :k] * s.unsqueeze(-2)) @ turned(P, u[..., :k]),
    )


def by_eigh(P, x, **how):
    w, v = P.linalg.eigh(x, **how)
    return w, (v * P.sin(w).unsqueeze(-2)) @ turned(P, v), P.abs(v)


def by_eig(P, x):
    w, v = P.linalg.eig(x)
    order = np.argsort(w.numpy().round(3))
    return w.numpy()[order], np.abs(v.numpy())[:, order]


def by_lu(P, x):
    packed, pivots, infos = P.linalg.lu(x, get_infos=True)
    p, low, up = P.linalg.lu_unpack(packed, pivots)
    return packed, pivots, infos, p, low, up, p @ low @ up


def by_lstsq(driver):
    return lambda P, x, y: P.linalg.lstsq(x, y, driver=driver)


def by_pca(P, x):
    u, s, v = P.linalg.pca_lowrank(x, q=3, niter=3)
    return s, (u * s.unsqueeze(-2)) @ turned(P, v), P.abs(v)


def by_weights(P, x):
    f, a = (
        P.to_tensor(np.array([1, 2, 1, 3, 1], "int32")),
        P.to_tensor(np.array([0.5, 1, 2, 1, 1], "float32")),
    )
    return (
        P.linalg.cov(x, fweights=f),
        P.linalg.cov(x, aweights=a),
        P.linalg.cov(x, fweights=f, aweights=a, ddof=False),
    )


def householder(P, x, tau):
    return P.linalg.householder_product(x, tau)


def ill(P, function):
    """Whether something is rejected."""
    try:
        function()
    except (AssertionError, RuntimeError, ValueError):
        return np.array(True)
    return np.array(False)


def rejections(P, x):
    zero = P.zeros([2, 2])
    calls = [
        lambda: P.linalg.inv(zero), lambda: P.linalg.solve(zero, zero), lambda: P.linalg.cholesky(-P.eye(2)), lambda: P.linalg.inv(x),
        lambda: P.linalg.multi_dot([x]), lambda: P.linalg.norm(x, 2, [0, 1, 2]), lambda: P.linalg.norm(x, "nuc"), lambda: P.linalg.cond(x, "fro"),
        lambda: P.linalg.matrix_power(zero, -1), lambda: P.fft.fft(x, norm="none"), lambda: P.fft.fft(x, n=0), lambda: P.linalg.cov(x.unsqueeze(0)),
        lambda: P.einsum("ij,jk->ik", x, x), lambda: P.tensordot(x, x, 1), lambda: P.cross(x, x, 1), lambda: P.as_complex(x),
    ]  # fmt: skip
    return [ill(P, c) for c in calls]


TWO = (False, True)
ORDERS = [
    (2, None),
    ("fro", None),
    ("fro", 0),
    (1, [0, 1]),
    (2, [0, 1]),
    (inf, [0, 1]),
    (-inf, 1),
    (3, None),
    (inf, None),
    ("fro", [0, 1]),
    (-1, 1),
    (0, 1),
]
complex_numbers = {
    "parts": case(
        lambda P, x: [
            P.real(x),
            P.imag(x),
            P.conj(x),
            P.angle(x),
            P.abs(x),
            P.as_real(x),
            P.sgn(x),
            x.real(),
            x.angle(),
        ],
        C,
    ),
    "of_real": case(
        lambda P, x: [P.conj(x), P.sgn(x), P.angle(x), P.as_complex(x), P.abs(x)], data(3, 2)
    ),
    "made": case(
        lambda P, x, y: [P.complex(x, y), P.polar(P.abs(x), y), P.complex(x, y[:1])],
        data(3, 4),
        data(3, 4, seed=1),
    ),
    "arithmetic": case(
        lambda P, x, y: [
            x + y,
            x - y,
            x * y,
            x / y,
            -x,
            x * 2,
            x + 1.5,
            x / 2,
            x * 2j,
            1j * x,
            x @ turned(P, y),
        ],
        C,
        D,
    ),
    "mixed": case(
        lambda P, x, y: [
            x * y,
            y * x,
            x + y,
            y - x,
            x / y,
            P.matmul(x, turned(P, y)),
            P.matmul(turned(P, y), x),
        ],
        C,
        data(3, 4),
    ),
    "of_number": case(lambda P, x: x * 2j, V),
    "functions": case(
        lambda P, x: [
            P.exp(x),
            P.sin(x),
            P.cos(x),
            P.tanh(x),
            P.sum(x),
            P.mean(x, 0),
            x.reshape([4, 3]),
            x[1],
            P.concat([x, x]),
        ],
        C,
    ),
    "products": case(
        lambda P, x, y: [
            P.dot(x[0], y[0]),
            P.outer(x[0], y[0]),
            P.inner(x, y),
            P.kron(x, y),
            P.einsum("ij,kj->ik", x, y),
        ],
        C,
        D,
    ),
    "kinds": lambda P: {
        "kinds": np.array(
            [
                f(P.to_tensor(x))
                for f in (P.is_complex, P.is_floating_point, P.is_integer)
                for x in (C, V, np.arange(2), np.ones(2, bool))
            ]
        )
    },
    "create": lambda P: {
        str(i): array(t)
        for i, t in enumerate(
            [
                P.to_tensor(1 + 2j),
                P.to_tensor([1.0, 2j]),
                P.ones([2], "complex64"),
                P.to_tensor(C).astype("complex128"),
            ]
        )
    },
}
linalg = {
    "inverse": case(lambda P, x, b: [P.linalg.inv(x), P.inverse(b), x.inverse()], M, B),
    "solve": case(
        lambda P, a, b, x: [
            P.linalg.solve(a, x),
            P.linalg.solve(b, x),
            P.linalg.solve(a, x[0]),
            P.linalg.solve(b, x[:2]),
            a.solve(b),
        ],
        M,
        B,
        N,
    ),
    **{
        # of unit lower triangles real Paddle's gradient is wrong
        f"triangular_{u}_{t}_{n}": case(
            lambda P, x, y, how=(u, t, n): P.linalg.triangular_solve(x, y, *how),
            M,
            N,
            grads=u or not n,
        )
        for u in TWO
        for t in TWO
        for n in TWO
    },
    "cholesky": case(
        lambda P, x: [P.linalg.cholesky(x), P.cholesky(x, upper=True), x.cholesky()], S
    ),
    "cholesky_solve": case(
        lambda P, x, y: [
            P.linalg.cholesky_solve(x, y),
            P.linalg.cholesky_solve(x, turned(P, y), upper=True),
            x.cholesky_solve(y),
        ],
        N,
        LOW,
    ),
    "det": case(
        lambda P, x, b: [
            P.linalg.det(x),
            P.linalg.det(b),
            P.linalg.slogdet(x),
            P.linalg.slogdet(b),
        ],
        M,
        B,
    ),
    "svd": case(by_svd, R),
    "svd_wide": case(by_svd, W),
    "svd_full": case(lambda P, x: P.linalg.svd(x, full_matrices=True)[1], R),
    "svd_batch": case(by_svd, B),
    "eigh": case(by_eigh, S),
    # from the second matrix on, real Paddle's gradient is wrong
    "eigh_batch": case(lambda P, x: by_eigh(P, x @ turned(P, x)), B, grads=False),
    "eigvalsh": case(lambda P, x: [P.linalg.eigvalsh(x), P.eigvalsh(x, UPLO="U"), x.eigvalsh()], S),
    "eigvalsh_complex": case(lambda P, x: P.linalg.eigvalsh(x), H),
    "eig": case(by_eig, N, plain=True),
    "eigvals": lambda P: {"sorted": np.sort_complex(P.linalg.eigvals(P.to_tensor(N)).numpy())},
    "qr": case(lambda P, x: P.linalg.qr(x), R),
    "qr_square": case(lambda P, x: [*P.linalg.qr(x), *x.qr("complete")], M),
    "qr_values": case(
        lambda P, x, y: [
            *P.linalg.qr(x),
            *P.linalg.qr(x, "complete"),
            P.linalg.qr(x, "r"),
            *P.linalg.qr(y),
        ],
        R,
        W,
        grads=False,
    ),
    "lu_packed": case(lambda P, x: P.linalg.lu(x)[0], M),
    "lu_packed_tall": case(lambda P, x: P.linalg.lu(x)[0], R),
    "lu_packed_wide": case(lambda P, x: P.linalg.lu(x)[0], W),
    "lu_parts": case(lambda P, x: P.linalg.lu_unpack(*P.linalg.lu(x))[1:], M),
    # of a packed matrix that is used twice, real Paddle's gradient is wrong
    "lu": case(by_lu, M, grads=False),
    "lu_tall": case(by_lu, R, grads=False),
    "lu_wide": case(by_lu, W, grads=False),
    "lu_batch": case(by_lu, B, grads=False),
    "lu_unpack": case(
        lambda P, x: [
            *P.linalg.lu_unpack(*x.lu(), unpack_ludata=False),
            *P.linalg.lu_unpack(*x.lu(), unpack_pivots=False),
        ],
        M,
        grads=False,
    ),
    "matrix_power": case(
        lambda P, x, b: [
            P.linalg.matrix_power(x, 3),
            P.linalg.matrix_power(b, -2),
            x.matrix_power(0),
        ],
        M,
        B,
    ),
    "matrix_rank": case(
        lambda P, x, s: [
            P.linalg.matrix_rank(x),
            P.linalg.matrix_rank(s, hermitian=True),
            P.linalg.matrix_rank(x, tol=1.5),
            P.linalg.matrix_rank(x, tol=P.to_tensor([0.1, 2.0])),
        ],
        M,
        S,
    ),
    "multi_dot": case(
        lambda P, x, y: [P.linalg.multi_dot([x, y, x]), P.linalg.multi_dot([x[0], y, x[1]])], M, N
    ),
    "pinv": case(
        lambda P, x, w: [P.linalg.pinv(x), P.linalg.pinv(w), P.linalg.pinv(x, rcond=0.3)], R, W
    ),
    "pinv_hermitian": case(lambda P, x: [P.linalg.pinv(x, hermitian=True), x.pinv()], S),
    **{
        f"lstsq_{d}": case(by_lstsq(d), R, data(5, 2), grads=False)
        for d in ("gels", "gelsy", "gelsd", "gelss", None)
    },
    "lstsq_wide": case(by_lstsq("gelsd"), W, data(3, 2), grads=False),
    **{
        f"cond_{p}": case(lambda P, x, b, p=p: [P.linalg.cond(x, p), P.linalg.cond(b, p)], M, B)
        for p in (None, "fro", "nuc", 1, -1, 2, -2, inf, -inf)
    },
    "cond_tall": case(lambda P, x: [P.linalg.cond(x), x.cond(-2)], R),
    "cov": case(
        lambda P, x: [
            P.linalg.cov(x),
            P.linalg.cov(x[0]),
            P.linalg.cov(x, rowvar=False, ddof=False),
            x.cov(),
        ],
        R,
    ),
    "cov_weights": case(by_weights, W),
    "corrcoef": case(
        lambda P, x: [P.linalg.corrcoef(x), P.linalg.corrcoef(x[0]), x.corrcoef(rowvar=False)],
        W,
        grads=False,
    ),
    "householder": case(householder, R, data(3), grads=False),
    "householder_few": case(householder, R, data(2), grads=False),
    "householder_batch": case(householder, B, data(2, 3), grads=False),
    "pca_lowrank": case(by_pca, R, grads=False),
    **{
        f"norm_{p}_{a}": case(
            lambda P, x, p=p, a=a: [P.linalg.norm(x, p, a), P.norm(x, p, a, keepdim=True)], R
        )
        for p, a in ORDERS
    },
    "norm_3d": case(
        lambda P, x: [
            P.norm(x),
            P.norm(x, keepdim=True),
            P.norm(x, 3, keepdim=True),
            P.norm(x, 2, [1, 2]),
            P.norm(x, axis=(0, 2)),
        ],
        B,
    ),
    "rejections": lambda P: {str(i): a for i, a in enumerate(rejections(P, P.to_tensor(R)))},
}
products = {
    "cross": case(lambda P, x, y: [P.cross(x, y), P.cross(x, y, axis=1), x.cross(y)], M, N),
    "kron": case(lambda P, x, y, v: [P.kron(x, y), P.kron(v, x), P.kron(x, v)], M, N, V),
    "dist": case(
        lambda P, x, y: [P.dist(x, y), P.dist(x, y, 1), P.dist(x, y, 3), P.dist(x, y[0], 2)], M, N
    ),
    "cdist": case(
        lambda P, x, y: [
            P.cdist(x, y),
            P.cdist(x, y, 1.0),
            P.cdist(x, y, inf),
            P.cdist(x, y, compute_mode="use_mm_for_euclid_dist"),
        ],
        R,
        M,
    ),
    "cdist_many": case(lambda P, x, y: P.cdist(x, y), data(30, 4), data(7, 4, seed=9)),
    "cdist_batch": case(lambda P, x, y: P.cdist(x, y, 3.0), data(2, 3, 4), data(2, 5, 4)),
    "tensordot": case(
        lambda P, x, y: [
            P.tensordot(x, y, 1),
            P.tensordot(x, y, 0),
            P.tensordot(x, y, [1]),
            P.tensordot(x, y, [[0], [1]]),
            P.tensordot(x, y, [[0, 1], [1, 0]]),
            P.tensordot(x, y, 2),
        ],
        M,
        N,
    ),
    "tensordot_one": case(lambda P, x, y: P.tensordot(x[:, :1], y, [[1], [0]]), M, N),
    "inner": case(
        lambda P, x, y, v: [
            P.inner(x, y),
            P.inner(v[:3], x),
            P.inner(v[:1], x),
            P.outer(x, v),
            x.inner(y),
            v.outer(v),
        ],
        M,
        N,
        V,
    ),
    **{
        f"einsum_{e}": case(lambda P, x, y, e=e: P.einsum(e, x, y), M, N)
        for e in (
            "ij,jk->ik",
            "ij,ij->",
            "ij,kj",
            "ij,jk",
            "ij,kl->ikjl",
            "IJ,JK->KI",
            "ij,ij->ij",
            "ij,ik->jk",
        )
    },
    "einsum_one": case(
        lambda P, x: [
            P.einsum("ij->ji", x),
            P.einsum("ij->i", x),
            P.einsum("ij->", x),
            P.einsum("ij", x),
            P.einsum("...->...", x),
        ],
        M,
    ),
    "einsum_diagonal": case(lambda P, x: [P.einsum("ii->i", x)], M, grads=False),
    "einsum_many": case(
        lambda P, x, y, b: [
            P.einsum("ij,jk,kl->il", x, y, x),
            P.einsum("bij,jk,bkl->bil", b, x, b),
            P.einsum("ij,jk,kl", x, y, y),
        ],
        M,
        N,
        B,
    ),
    "einsum_batch": case(
        lambda P, x, y: [
            P.einsum("...ij,...jk->...ik", x, y),
            P.einsum("bij,bjk->bk", x, y),
        ],
        B,
        data(2, 3, 4),
    ),
    # in which real Paddle has no gradient
    "einsum_spread": case(
        lambda P, x, y: [P.einsum("...ij,jk", x, y), P.einsum("...j,kj->...k", y, y)],
        B,
        N,
        grads=False,
    ),
}

CASES = {
    f"{group}.{name}": run
    for group, cases in {
        "complex": complex_numbers,
        "linalg": linalg,
        "products": products,
    }.items()
    for name, run in cases.items()
}
