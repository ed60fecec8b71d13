"""Single ops: arithmetic functions, norms, ops along an axis, diagonals."""

import numpy as np
from lowering_cases import a, f, ints, op

X34, X234 = f(3, 4), f(2, 3, 4)
NEXT = a(
    [
        0,
        0,
        1,
        1,
        -1,
        2,
        3.4028235e38,
        np.inf,
        -np.inf,
        1e-45,
        1.1754944e-38,
        5,
        np.inf,
        np.nan,
        np.inf,
    ],
    "float32",
)
TOWARDS = a([1, -1, 2, 0, 0, 1, np.inf, 0, 0, 0, 0, 5, -np.inf, np.inf, np.nan], "float32")
DOUBLES = f(3, 4, dtype="float64")
WIDE = f(3, 4) * 4
ODD = a([[np.nan, np.inf, -np.inf, 0.0], [1.0, -1.0, -0.0, 2.5]], "float32")
EDGES = a([[-0.5, 0.5, 1.0, -1.0], [40.0, 41.0, -50.0, 0.2]], "float32")
WHOLE = ints(3, 4, low=-5)

POINTWISE = [
    *[
        op(name, values)
        for name in (
            "celu",
            "selu",
            "stanh",
            "hard_shrink",
            "softshrink",
            "thresholded_relu",
            "soft_relu",
            "trunc",
            "angle",
            "conj",
        )
        for values in (WIDE, EDGES, DOUBLES)
    ],
    op("celu", WIDE, alpha=0.3),
    op("celu", WIDE, alpha=-2.0),
    op("selu", WIDE, scale=1.2, alpha=0.7),
    op("stanh", X34, scale_a=0.3, scale_b=2.0),
    op("hard_shrink", ODD, threshold=1.0),
    op("softshrink", WIDE, **{"lambda": 1.0}),
    op("thresholded_relu", WIDE, threshold=-1.0),
    op("soft_relu", WIDE, threshold=2.0),
    op("logit", f(3, 4, low=0.1, high=0.9), eps=0.2),
    op("logit", f(3, 4, low=-0.1, high=1.1), eps=0.0),
    op("logit", f(3, 4, low=0.1, high=0.9, dtype="float64")),
    op("rrelu", X34, unread="Noise", is_test=True, lower=0.1, upper=0.4),
    op("trunc", WHOLE),
    op("trunc", ODD),
    op("angle", ODD),
    op("lerp", X234, Y=f(2, 3, 4, seed=1), Weight=f(2, 3, 4, seed=2)),
    op("lerp", X234, Y=f(2, 3, 4, seed=1), Weight=f(1, low=0, high=1), undeclared="batch"),
]

PAIRS = [
    *[op(f"elementwise_{name}", X34, Y=f(3, 4, seed=1)) for name in ("fmax", "fmin", "heaviside")],
    *[op(f"elementwise_{name}", ODD, Y=np.flip(ODD, 1).copy()) for name in ("fmax", "fmin")],
    *[
        op(f"elementwise_{name}", WHOLE, Y=ints(4, low=-2))
        for name in ("fmax", "fmin", "heaviside")
    ],
    op("minus", X34, Y=f(3, 4, seed=1)),
    op("atan2", X1=f(5, 4), X2=f(5, 4, seed=1), out="Out"),
    op(
        "atan2",
        X1=a([0.0, -0.0, 0.0, -0.0, 1, -1, 0, 2, np.inf, np.inf, -np.inf, 1, np.nan, 3], "float32"),
        X2=a(
            [0.0, 0.0, -0.0, -0.0, 0, 0, -3, -2, np.inf, -np.inf, -np.inf, np.inf, 1, -np.inf],
            "float32",
        ),
    ),
    op("atan2", X1=DOUBLES, X2=DOUBLES, rejected="kernel of Atan for float64"),
    op("kron", X34, Y=f(2, 3, seed=1)),
    op("kron", X34, Y=f(2, 1, 2, seed=1)),
    op("kron", WHOLE, Y=ints(2)),
    op("cross", f(4, 3), Y=f(4, 3, seed=1), variants=("known",)),
    op("cross", f(2, 3, 3), Y=f(2, 3, 3, seed=1), dim=2, variants=("known",)),
    op("dist", X34, Y=f(4, seed=1)),
    *[
        op("dist", X34, Y=f(3, 4, seed=1), p=p)
        for p in (0.0, 1.0, 3.0, float("inf"), float("-inf"))
    ],
    op("isclose", Input=X34, Other=X34 + a([[0, 1e-6, 1e-4, 1]], "float32")),
    op(
        "isclose",
        Input=X34,
        Other=X34 + a([[0, 1e-6, 1e-4, 1]], "float32"),
        rtol="1e-3",
        atol="0.01",
    ),
    op("isclose", Input=ODD, Other=ODD, equal_nan=True),
    op("isclose", Input=ODD, Other=ODD),
    op("isclose", Input=ODD, Other=np.flip(ODD, 1).copy()),
    op(
        "isclose",
        Input=X34,
        Other=X34 + np.float32(0.1),
        Rtol=a([0.2], "float64"),
        Atol=a([0.2], "float64"),
    ),
    op("allclose", Input=X34, Other=X34),
    op("allclose", Input=DOUBLES, Other=DOUBLES + 1e-7, atol="1e-9"),
    op("allclose", Input=ODD, Other=ODD, equal_nan=True),
    op("equal_all", X34, Y=X34),
    op("equal_all", WHOLE, Y=ints(3, 4)),
    op("equal_all", X34, Y=f(4, 3)),
    op("equal_all", X34, Y=f(1, 4)),
    op("equal_all", X34, Y=f(4)),
    op("is_empty", X34),
    op("is_empty", f(0, 3)),
]

# Numbers below zero, near the zeros of ln gamma, at poles, and large ones.
GAMMA = a(
    [
        [0.1, 0.5, 0.99, 1.01],
        [1.5, 2.0, 3.7, 8.0],
        [-0.3, -1.7, -10.4, 1e-3],
        [20.0, 1e3, 1e10, 7.99],
    ],
    "float32",
)
POLES = a([0.0, -1.0, -2.0, np.inf, np.nan], "float32")
UNIT = a(
    [[0.0, 0.1, -0.5, 0.8499], [0.851, -0.99, 0.99999, -0.9999999], [1.0, -1.0, 1e-3, 0.02]],
    "float32",
)
BESSEL = a([[0.0, 1e-3, 0.5, -1.0], [3.7, 3.8, -10.0, 29.9], [30.1, 50.0, -80.0, 2.0]], "float32")

SPECIAL = [
    *[
        op(name, values)
        for name in ("lgamma", "digamma")
        for values in (GAMMA, GAMMA.astype("float64"))
    ],
    op("lgamma", POLES),
    op("digamma", a([0.0, -1.0, -3.0], "float32")),
    op("erfinv", UNIT),
    op("erfinv", UNIT.astype("float64")),
    *[
        op(name, x=values, out="out", slot="x")
        for name in ("i0", "i0e", "i1", "i1e")
        for values in (BESSEL, BESSEL.astype("float64"))
    ],
    *[op("polygamma", GAMMA[:2], out="out", n=n, slot="x") for n in (1, 2, 5)],
    op("polygamma", GAMMA[:3].astype("float64"), out="out", n=1, slot="x"),
    op("polygamma", X34, out="out", n=31, rejected="attribute 'n' is 31", slot="x"),
    op("nextafter", NEXT, y=TOWARDS, out="out", slot="x", rtol=0),
    op("nextafter", f(50), y=f(50, seed=1), out="out", slot="x", rtol=0),
    op(
        "nextafter",
        NEXT.astype("float64"),
        y=TOWARDS.astype("float64"),
        out="out",
        slot="x",
        rtol=0,
    ),
    op(
        "nextafter",
        np.array([5e-324, 0, 1e-310, 2.2250738585072014e-308, -1e-300, np.finfo("float64").max]),
        y=np.array([0, 5e-324, 1, 0, 1, np.inf]),
        out="out",
        slot="x",
        rtol=0,
    ),
    op(
        "nextafter",
        f(50, dtype="float64"),
        y=f(50, dtype="float64", seed=1),
        out="out",
        slot="x",
        rtol=0,
    ),
]

ALONG = [
    *[op("cumprod", X234, dim=dim) for dim in (0, 1, -1)],
    op("cumprod", WHOLE, dim=1),
    op("cumprod", f(), dim=0),
    *[
        op(name, values, out="out indices", slot="x", axis=axis)
        for name in ("cummax", "cummin")
        for values, axis in ((X234, 1), (X34, -1), (ints(3, 6), 1))
    ],
    op("cummax", ODD, out="out indices", slot="x", axis=1, dtype=2),
    op("cummin", ODD, out="out indices", slot="x", axis=0),
    *[op("logcumsumexp", X234, axis=axis) for axis in (0, 1, -1)],
    op("logcumsumexp", X34 * 100, axis=1, reverse=True),
    op("logcumsumexp", X34, flatten=True),
    op("logcumsumexp", DOUBLES, axis=0, reverse=True),
]

DIAGONAL = [
    *[op("trace", Input=f(4, 5), offset=offset) for offset in (0, 1, -2, 7)],
    op("trace", Input=f(2, 3, 4), axis1=2, axis2=0),
    op("trace", Input=ints(3, 3)),
    *[op("diagonal", Input=f(4, 5), offset=offset) for offset in (0, 2, -3)],
    op("diagonal", Input=f(2, 3, 4), offset=1, axis1=-1, axis2=0),
    op("diag_embed", Input=X34),
    op("diag_embed", Input=X34, offset=-2),
    op("diag_embed", Input=X234, offset=1, dim1=0, dim2=2),
    op("diag_embed", Input=ints(3), dim1=-1, dim2=-2, offset=1),
    *[op("fill_diagonal", f(4, 4), value=2.0, offset=offset) for offset in (0, 1, -1)],
    *[op("fill_diagonal", f(3, 3, 3), value=2.0, offset=k, wrap=True) for k in (0, 1, -1, 5)],
    op("fill_diagonal", f(3, 3, 3), value=2.0, rejected="more than two axes"),
    op("fill_diagonal", f(5, 3), value=2.0, offset=-1),
    op("fill_diagonal", f(7, 3), value=2.0, offset=-1, wrap=True),
    op("fill_diagonal", f(7, 3), value=2.0, offset=1, wrap=True),
    op("fill_diagonal", f(7, 3), value=2.0, wrap=True),
    op("fill_diagonal", f(7, 3), value=2.0),
    op("fill_diagonal", f(3, 7), value=2.0, wrap=True),
    op("fill_diagonal_tensor", f(4, 5), Y=f(4, seed=1)),
    op("fill_diagonal_tensor", f(4, 5), Y=f(3, seed=1), offset=2),
    op("fill_diagonal_tensor", f(2, 3, 4), Y=f(3, 2, seed=1), dim1=2, dim2=0),
    op("tril_indices", out="out", rows=3, cols=4, offset=1),
    op("tril_indices", out="out", rows=4, cols=2, offset=-1, dtype=2),
    op("triu_indices", out="out", row=3, col=4, offset=-1),
]

NORM = [
    *[
        op("renorm", X234, p=p, axis=axis, max_norm=1.5)
        for p, axis in ((2.0, 0), (1.0, 1), (3.0, 2))
    ],
    op("clip_by_norm", X34, max_norm=1.0),
    op("clip_by_norm", X34, max_norm=100.0),
    op("norm", X34, unread="Norm", axis=1, epsilon=1e-10),
    op("norm", X234, unread="Norm", axis=-2, epsilon=0.1),
    op("l1_norm", X34),
    op("squared_l2_norm", X34),
]

OPS = [*POINTWISE, *PAIRS, *SPECIAL, *ALONG, *DIAGONAL, *NORM]
