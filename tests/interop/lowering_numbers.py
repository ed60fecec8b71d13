"""One op each, continued: numbers, truth values, sums over axes, losses."""

import numpy as np
from lowering_cases import a, f, ints, op, w

X34, X234 = f(3, 4), f(2, 3, 4)
UNIT = f(3, 4, low=-0.9, high=0.9)
ABOVE = f(3, 4, low=0.1, high=5)
MASK = a([[1, 0, 1, 1], [0, 0, 1, 0], [1, 1, 0, 0]], "bool")
HALVES = a(
    [[-2.5, -1.5, -0.5, 0.5], [1.5, 2.5, 0.49999997, -0.49999997], [3.2, -3.7, 0.0, 1e9]], "float32"
)
TINY = a([[1e-9, -1e-9, 1e-4, -1e-4], [0.3, -0.3, 20.0, 80.0], [0.6, 0.49, 0.0, -0.9]], "float32")
ODD = a([[np.nan, np.inf, -np.inf, 1.0]], "float32")
SIGNED, DIVISOR = a([[7, -7, 7, -7, 6, 0]]), a([[2, 2, -2, -2, 3, 5]])
BOOLS, OTHER = MASK, a([[1, 1, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1]], "bool")

ELEMENTWISE = [
    *[
        op(f"elementwise_{name}", X34, Y=f(3, 4, seed=1))
        for name in ("add", "sub", "mul", "div", "max", "min", "floordiv", "mod")
    ],
    *[
        op(f"elementwise_{name}", X234, Y=f(3, seed=1), axis=1)
        for name in ("add", "sub", "mul", "div", "max", "min")
    ],
    *[op(f"elementwise_{name}", X234, Y=f(4, seed=1)) for name in ("add", "sub", "mul", "div")],
    *[
        op(f"elementwise_{name}", SIGNED, Y=DIVISOR)
        for name in ("add", "sub", "mul", "div", "max", "min", "floordiv", "mod")
    ],
    *[
        op(f"elementwise_{name}", SIGNED.astype("int32"), Y=DIVISOR.astype("int32"))
        for name in ("div", "floordiv", "mod", "max")
    ],
    *[
        op(f"elementwise_{name}", SIGNED.astype("float32"), Y=DIVISOR.astype("float32"))
        for name in ("floordiv", "mod")
    ],
    *[
        op(f"elementwise_{name}", f(3, 4, dtype="float64"), Y=f(3, 4, dtype="float64", seed=1))
        for name in ("add", "div", "max", "mod", "floordiv")
    ],
    op("elementwise_mul", BOOLS, Y=OTHER),
    op("elementwise_add", X34, Y=f()),
    op("elementwise_sub", f(), Y=X34),
    op("elementwise_add", f(4), Y=X34),
    op("elementwise_add", X234, Y=f(2, 3, seed=1), axis=0),
    op("elementwise_div", SIGNED, Y=w(DIVISOR)),
    op("elementwise_pow", ABOVE, Y=X34),
    op("elementwise_pow", a([[2, 3, 7, -2]]), Y=a([[3, 0, 2, 3]])),
    op("elementwise_pow", a([[2, 3, 7, -2]], "int32"), Y=a([[3, 0, 2, 3]], "int32")),
    op("sum", [X34]),
    op("sum", [X34, f(3, 4, seed=1), f(3, 4, seed=2)]),
    op("sum", [SIGNED, DIVISOR]),
    op("scale", X34, scale=2.0, bias=1.0),
    op("scale", X34, scale=2.0, bias=1.0, bias_after_scale=False),
    op("scale", X34),
    op("scale", SIGNED, scale=2.0, bias=3.0),
    op("scale", SIGNED, scale=1.5, bias=0.5),
    op("scale", X34, bias=1.0, ScaleTensor=a([3.0], "float32")),
    op("increment", f(1), step=2.5),
    op("increment", a([3]), step=1.0),
]

MATH = [
    *[
        op(name, X34)
        for name in (
            "exp",
            "square",
            "abs",
            "sign",
            "floor",
            "ceil",
            "sin",
            "cos",
            "tan",
            "atan",
            "sinh",
            "cosh",
            "erf",
            "asinh",
        )
    ],
    *[op(name, ABOVE) for name in ("log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal")],
    *[op(name, UNIT) for name in ("asin", "acos", "atanh")],
    op("acosh", f(3, 4, low=1.1, high=4)),
    *[op(name, TINY) for name in ("log1p", "expm1")],
    *[op(name, a([[np.inf, -1.0, 0.0, np.nan]], "float32")) for name in ("log1p", "expm1")],
    *[op(name, HALVES) for name in ("round", "floor", "ceil")],
    *[
        op(name, f(3, 4, dtype="float64"), rtol=1e-12)
        for name in ("exp", "tan", "sinh", "cosh", "expm1", "sin", "round", "abs", "square")
    ],
    *[
        op(name, f(3, 4, dtype="float64", low=0.1, high=3), rtol=1e-12)
        for name in ("log", "log1p", "sqrt", "rsqrt", "reciprocal", "log2")
    ],
    *[op(name, SIGNED) for name in ("abs", "sign", "square")],
    *[op(name, SIGNED.astype("int32")) for name in ("abs", "sign", "square")],
    op("asin", f(3, 4, dtype="float64", low=-0.9, high=0.9), rejected="kernel of Asin for float64"),
    op("pow", ABOVE, factor=0.75),
    op("pow", X34, factor=2.0),
    op("pow", X34, factor=3.0),
    op("pow", X34, factor=1.0),
    op("pow", SIGNED, factor=3.0),
    op("pow", SIGNED.astype("int32"), factor=2.0),
    op("pow", ABOVE, FactorTensor=a([1.5], "float32")),
    op("clip", X34, min=-0.5, max=0.5),
    op("clip", X34, min=0.0, max=3.4028235e38),
    op("clip", SIGNED, min=-3.0, max=6.0),
    op("clip", SIGNED.astype("int32"), min=-3.4028235e38, max=2.0),
    op("clip", f(3, 4, dtype="float64"), min=-0.5, max=0.5),
    op("clip", X34, min=0.0, max=0.0, Min=a([-0.3], "float32"), Max=a([0.3], "float32")),
    *[op("cast", X34 * 3, in_dtype=5, out_dtype=d) for d in (0, 2, 3, 6)],
    # Paddle may cut where ONNX Runtime rounds,
    op("cast", X34 * 3, in_dtype=5, out_dtype=4, rtol=1e-3),
    op("cast", SIGNED, in_dtype=3, out_dtype=5),
    op("cast", BOOLS, in_dtype=0, out_dtype=3),
    op("cast", BOOLS, in_dtype=0, out_dtype=5),
    op("cast", f(3, 4, dtype="float16"), in_dtype=4, out_dtype=5),
    op("cast", SIGNED, in_dtype=3, out_dtype=0),
    op("assign", X34),
    op("assign", BOOLS),
    op("share_data", X34),
]

COMPARE = [
    *[
        op(name, a([[1, 2, 3]], "float32"), Y=a([[2, 2, 2]], "float32"))
        for name in (
            "equal",
            "not_equal",
            "less_than",
            "less_equal",
            "greater_than",
            "greater_equal",
        )
    ],
    *[
        op(name, SIGNED, Y=DIVISOR)
        for name in (
            "equal",
            "not_equal",
            "less_than",
            "less_equal",
            "greater_than",
            "greater_equal",
        )
    ],
    *[op(name, BOOLS, Y=OTHER) for name in ("equal", "not_equal", "less_than", "greater_equal")],
    op("equal", X34, Y=f()),
    *[op(f"logical_{name}", BOOLS, Y=OTHER) for name in ("and", "or", "xor")],
    op("logical_not", BOOLS),
    op("logical_not", SIGNED),
    *[op(f"bitwise_{name}", BOOLS, Y=OTHER) for name in ("and", "or", "xor")],
    op("bitwise_not", BOOLS),
    *[op(f"bitwise_{name}", SIGNED, Y=DIVISOR) for name in ("and", "or", "xor")],
    op("bitwise_not", SIGNED),
    op("bitwise_not", SIGNED.astype("int32")),
    op("bitwise_not", a([0, 1, 200], "uint8")),
    op("bitwise_or", SIGNED.astype("int32"), Y=DIVISOR.astype("int32")),
    *[op(name, ODD) for name in ("isnan_v2", "isinf_v2", "isfinite_v2")],
    *[op(name, SIGNED) for name in ("isnan_v2", "isinf_v2", "isfinite_v2")],
    *[op(name, ODD.astype("float64")) for name in ("isnan_v2", "isinf_v2", "isfinite_v2")],
    *[
        op("where", Condition=MASK, X=x, Y=y)
        for x, y in ((X34, f(3, 4, seed=1)), (ints(3, 4), ints(3, 4, seed=1)))
    ],
]

REDUCE = [
    *[
        op(f"reduce_{name}", X234, dim=[1])
        for name in ("sum", "mean", "max", "min", "prod", "amax", "amin")
    ],
    *[
        op(f"reduce_{name}", X234, dim=[0, -1], keep_dim=True)
        for name in ("sum", "mean", "max", "min", "prod")
    ],
    *[
        op(f"reduce_{name}", X234, dim=[], reduce_all=True)
        for name in ("sum", "mean", "max", "min", "prod")
    ],
    *[
        op(f"reduce_{name}", X234, dim=[0], reduce_all=True, keep_dim=True)
        for name in ("sum", "mean")
    ],
    *[op(f"reduce_{name}", SIGNED, dim=[1]) for name in ("sum", "max", "min", "prod")],
    *[op(f"reduce_{name}", SIGNED.astype("int32"), dim=[1]) for name in ("max", "min")],
    *[
        op(f"reduce_{name}", f(3, 4, dtype="float64"), dim=[1], rtol=1e-12)
        for name in ("sum", "mean", "max", "min", "prod")
    ],
    *[op(f"reduce_{name}", f(), dim=[0], reduce_all=True) for name in ("sum", "mean", "max")],
    op("reduce_sum", SIGNED.astype("int32"), dim=[1], in_dtype=2, out_dtype=3),
    op("reduce_sum", BOOLS, dim=[1], in_dtype=0, out_dtype=3),
    op("reduce_sum", X234, dim=[0, 1, 2]),
    *[op(f"reduce_{name}", BOOLS, dim=[1]) for name in ("any", "all")],
    *[op(f"reduce_{name}", BOOLS, dim=[0], reduce_all=True) for name in ("any", "all")],
    op("reduce_any", BOOLS, dim=[-1], keep_dim=True),
    op("mean", X234),
    op("logsumexp", X234 * 50, axis=[1]),
    op("logsumexp", X234, axis=[0], reduce_all=True, keepdim=True),
    *[
        op("p_norm", X234, porder=p, axis=1, keepdim=k)
        for p, k in (
            (2.0, False),
            (1.0, True),
            (3.0, False),
            (np.inf, False),
            (-np.inf, True),
            (0.0, False),
        )
    ],
    op("p_norm", X234, porder=2.0, axis=-1, asvector=True),
    op("frobenius_norm", X234, dim=[1, 2]),
    op("frobenius_norm", X234, dim=[0], reduce_all=True),
    op("frobenius_norm", X234, dim=[-1], keep_dim=True),
    *[op(name, X234, axis=1, dtype=3) for name in ("arg_max", "arg_min")],
    *[op(name, X234, axis=-1, keepdims=True, dtype=2) for name in ("arg_max", "arg_min")],
    op("arg_max", X234, axis=0, flatten=True, dtype=3),
    op("arg_max", ints(3, 4), axis=1, dtype=3),
    op("arg_max", f(3, 4, dtype="float64"), axis=0, dtype=3),
    op("arg_max", a([[1, 3, 3], [2, 2, 2]], "float32"), axis=1, dtype=3),
    op("arg_min", f(), axis=0, dtype=3),
    *[
        op("cumsum", X234, axis=axis, exclusive=e, reverse=r)
        for axis, e, r in ((1, False, False), (-1, True, False), (0, False, True), (2, True, True))
    ],
    op("cumsum", X234, flatten=True),
    op("cumsum", SIGNED, axis=1),
    op("cumsum", SIGNED.astype("int32"), axis=1),
]

PROBABILITIES = f(3, 4, low=0.05, high=0.95)
LABELS = a([[1], [3], [0]])

LOSS = [
    op("softmax_with_cross_entropy", Logits=X34, Label=LABELS, out="Loss Softmax"),
    op("softmax_with_cross_entropy", Logits=X34, Label=a([[1], [-100], [0]]), out="Loss Softmax"),
    op(
        "softmax_with_cross_entropy",
        Logits=X34,
        Label=a([[1], [3], [0]], "int32"),
        ignore_index=3,
        out="Loss Softmax",
    ),
    op(
        "softmax_with_cross_entropy",
        Logits=X234,
        Label=ints(2, 1, 4, high=3),
        axis=1,
        out="Loss Softmax",
    ),
    op(
        "softmax_with_cross_entropy",
        Logits=X34,
        Label=PROBABILITIES,
        soft_label=True,
        out="Loss Softmax",
    ),
    op(
        "softmax_with_cross_entropy",
        Logits=PROBABILITIES,
        Label=LABELS,
        use_softmax=False,
        out="Loss",
        unread="Softmax",
    ),
    op("bce_loss", PROBABILITIES, Label=f(3, 4, low=0, high=1, seed=1)),
    op("bce_loss", a([[0.0, 1.0]], "float32"), Label=a([[1.0, 0.0]], "float32")),
    op("sigmoid_cross_entropy_with_logits", X34 * 30, Label=PROBABILITIES),
    op(
        "sigmoid_cross_entropy_with_logits",
        X34,
        Label=MASK.astype("float32") * 2 - 1,
        ignore_index=-1,
        normalize=True,
    ),
    op(
        "sigmoid_cross_entropy_with_logits",
        abs(X34) * 30,
        Label=PROBABILITIES,
        pos_weight=f(3, 4, low=0.5, high=3),
    ),  # it is wrong below 0
    op("huber_loss", X34 * 3, Y=f(3, 4, seed=1), delta=1.0, out="Out Residual"),
    op("huber_loss", X34, Y=f(3, 4, seed=1), delta=0.3, out="Out Residual"),
    *[
        op("kldiv_loss", X34, Target=PROBABILITIES, reduction=r, out="Loss")
        for r in ("none", "mean", "sum", "batchmean")
    ],
    op("kldiv_loss", X34, Target=np.maximum(X34, 0), reduction="none", out="Loss"),
    *[
        op("nll_loss", X34, Label=a([1, 3, 0]), reduction=r, out="Out", unread="Total_weight")
        for r in ("none", "mean", "sum")
    ],
    op(
        "nll_loss",
        X34,
        Label=a([1, 3, 0]),
        Weight=w(f(4, low=0.5, high=2)),
        ignore_index=3,
        out="Out Total_weight",
    ),
    op("nll_loss", f(2, 3, 4, 5), Label=ints(2, 4, 5, high=3), out="Out Total_weight"),
    op("label_smooth", PROBABILITIES, epsilon=0.1),
    op("label_smooth", PROBABILITIES, epsilon=0.1, PriorDist=f(1, 4, low=0, high=1)),
    op(
        "accuracy",
        Out=f(3, 2),
        Indices=a([[1, 0], [2, 3], [3, 1]]),
        Label=LABELS,
        out="Accuracy Correct Total",
    ),
]

OPS = [*ELEMENTWISE, *MATH, *COMPARE, *REDUCE, *LOSS]
