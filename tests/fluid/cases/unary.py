"""Elementwise functions."""

from .common import eager, family, numbers

X = {"x": numbers(3, 4)}
POSITIVE = {"x": numbers(3, 4, low=0.2, high=2.0)}
PLAIN = (
    "acos",
    "asin",
    "atan",
    "cos",
    "erf",
    "exp",
    "logsigmoid",
    "relu",
    "sigmoid",
    "sin",
    "softplus",
    "softsign",
    "square",
    "tanh",
    "tanh_shrink",
    "abs",
)
ROOTS = ("log", "reciprocal", "rsqrt", "sqrt")
STEPS = ("ceil", "floor", "round", "sign")


def _of(name, **attrs):
    return lambda layers, v: getattr(layers, name)(v["x"], **attrs)


family(globals(), [(n, _of(n)) for n in PLAIN], X)
family(globals(), [(n, _of(n)) for n in ROOTS], POSITIVE)
family(globals(), [(n, _of(n)) for n in STEPS], X, ())
family(
    globals(),
    [
        ("brelu", _of("brelu", t_min=0.1, t_max=0.5)),
        ("elu", _of("elu", alpha=0.3)),
        ("hard_shrink", _of("hard_shrink", threshold=0.3)),
        ("hard_shrink_default", _of("hard_shrink")),
        ("hard_sigmoid", _of("hard_sigmoid", slope=0.3, offset=0.4)),
        ("hard_swish", _of("hard_swish")),
        ("leaky_relu", _of("leaky_relu", alpha=0.1)),
        ("leaky_relu_default", _of("leaky_relu")),
        ("selu", _of("selu")),
        ("selu_of", _of("selu", scale=2.0, alpha=1.5)),
        ("softshrink", _of("softshrink", alpha=0.2)),
        ("softshrink_default", _of("softshrink")),
        ("stanh", _of("stanh")),
        ("thresholded_relu", _of("thresholded_relu", threshold=0.3)),
        ("relu6", _of("relu6", threshold=0.5)),
        ("soft_relu", _of("soft_relu", threshold=0.8)),
        ("swish", _of("swish")),
        ("swish_of", _of("swish", beta=2.0)),
        ("gelu", _of("gelu")),
        ("gelu_near", _of("gelu", approximate=True)),
        ("scale", _of("scale", scale=2.0, bias=1.0, bias_after_scale=False)),
        ("scale_act", _of("scale", act="relu")),
        ("clip", _of("clip", min=-0.3, max=0.4)),
        ("clip_by_norm", _of("clip_by_norm", max_norm=0.7), X, ()),
        ("clip_by_norm_within", _of("clip_by_norm", max_norm=70.0), X, ()),
        ("cumsum", _of("cumsum")),
        ("cumsum_reverse", _of("cumsum", axis=0, exclusive=True, reverse=True)),
        ("softmax", _of("softmax")),
        ("softmax_axis", _of("softmax", axis=0)),
        ("mean", _of("mean")),
        ("log_softmax", _of("log_softmax", axis=0)),
        ("clamp", _of("clamp", min=0.1)),
    ],
    X,
)
family(globals(), [("pow", _of("pow", factor=1.5)), ("log1p", _of("log1p"))], POSITIVE)
family(globals(), [("maxout", _of("maxout", groups=2))], {"x": numbers(2, 4, 3, 3)})


def case_pow_of_a_variable(fluid):
    from .common import static

    return static(
        fluid,
        lambda v: fluid.layers.pow(v["x"], fluid.layers.fill_constant([1], "float32", 2.0)),
        POSITIVE,
    )


def case_eager(fluid):
    return eager(
        fluid,
        lambda x: fluid.layers.mean(fluid.layers.leaky_relu(fluid.layers.tanh(x))),
        numbers(3, 4),
    )


def case_sums(fluid):
    from .common import static

    def build(v):
        total = fluid.layers.sums([v["x"], v["y"]])
        fluid.layers.increment(v["one"])
        return [total, fluid.layers.sum([v["x"], v["y"], v["x"]]), v["one"]]

    return static(
        fluid,
        build,
        {"x": numbers(2, 3), "y": numbers(2, 3, seed=8), "one": numbers(1)},
        gradients_of=("x", "y"),
    )
