"""Small networks of fluid.nets, and rarely used layers."""

from .common import integers, numbers, static

X = {
    "x": numbers(2, 3, 8, 8),
    "q": numbers(2, 3, 4),
    "k": numbers(2, 5, 4, seed=8),
    "v": numbers(2, 5, 6, seed=9),
    "a": numbers(3, 4),
    "b": numbers(3, 4, seed=8),
}


def case_conv_pool(fluid):
    return static(
        fluid,
        lambda v: fluid.nets.simple_img_conv_pool(v["x"], 4, 3, 2, 2, act="relu"),
        X,
        gradients_of=("x",),
    )


def case_conv_group(fluid):
    return static(
        fluid,
        lambda v: fluid.nets.img_conv_group(
            v["x"], [4, 5], 2, conv_act="relu", pool_stride=2, conv_with_batchnorm=[True, False]
        ),
        X,
    )


def case_glu(fluid):
    return static(fluid, lambda v: fluid.nets.glu(v["a"]), X, gradients_of=("a",))


def case_attention(fluid):
    def build(v):
        return [
            fluid.nets.scaled_dot_product_attention(v["q"], v["k"], v["v"], num_heads=n)
            for n in (1, 2)
        ]

    return static(fluid, build, X, gradients_of=("q",))


def case_parts(fluid):
    layers = fluid.contrib.layers
    return static(
        fluid,
        lambda v: [
            layers.partial_concat([v["a"], v["b"]], 1, 2),
            layers.partial_sum([v["a"], v["b"]], 1),
        ],
        X,
    )


def case_fused(fluid):
    layers = fluid.contrib.layers
    return static(
        fluid,
        lambda v: [
            layers.fused_elemwise_activation(v["a"], v["b"], f)
            for f in (["elementwise_add", "relu"], ["relu", "elementwise_add"])
        ],
        X,
    )


def case_ids(fluid):
    feed = {"i": integers(3, below=5)}
    return static(
        fluid,
        lambda v: [
            fluid.embedding(v["i"], [5, 3]),
            fluid.embedding(v["i"], [5, 3], padding_idx=1),
            fluid.one_hot(v["i"], 5),
        ],
        feed,
    )
