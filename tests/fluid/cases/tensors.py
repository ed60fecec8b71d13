"""Creation of variables."""

import numpy as np

from .common import family, integers, numbers, static

X = {"x": numbers(3, 4)}
family(
    globals(),
    [
        (
            "fill_constant",
            lambda f, v: [
                f.fill_constant([2, 3], "float32", 1.5),
                f.fill_constant([1], "int64", 7),
                f.fill_constant([2], "bool", True),
            ],
        ),
        (
            "ones_zeros",
            lambda f, v: [
                f.ones([2], "float32"),
                f.zeros([1, 2], "int32"),
                f.ones_like(v["x"]),
                f.zeros_like(v["x"]),
            ],
        ),
        (
            "like_the_batch",
            lambda f, v: f.fill_constant_batch_size_like(v["x"], [-1, 2], "float32", 3.0),
        ),
        (
            "range",
            lambda f, v: [
                f.range(0, 5, 2, "int32"),
                f.range(1.0, 2.0, 0.25, "float32"),
                f.linspace(0, 1, 5, "float32"),
            ],
        ),
        ("eye", lambda f, v: [f.eye(2), f.eye(2, 3, dtype="int32"), f.eye(2, batch_shape=[2])]),
        ("diag", lambda f, v: f.diag(np.array([1, 2, 3], "float32"))),
        (
            "arg",
            lambda f, v: [f.argmax(v["x"]), f.argmin(v["x"], axis=1), *f.argsort(v["x"], axis=0)],
        ),
        ("arg_of_a_row", lambda f, v: f.argmax(f.reshape(v["x"], [-1]))),
        ("shapes", lambda f, v: [f.shape(v["x"]), f.rank(v["x"]), f.size(v["x"])]),
        (
            "assign_array",
            lambda f, v: [
                f.assign(np.array([[1, 2]], "float32")),
                f.assign(np.array([1], "int64")),
            ],
        ),
    ],
    X,
    (),
)
family(
    globals(),
    [
        (
            "cast",
            lambda f, v: [
                f.cast(v["x"], "float64"),
                f.cast(v["x"], "int32"),
                f.cast(v["x"], "bool"),
            ],
        ),
        ("assign", lambda f, v: f.assign(v["x"])),
        ("tril", lambda f, v: [f.tril(v["x"], 1), f.triu(v["x"], -1)]),
    ],
    X,
)


def case_into_variables(fluid):
    layers = fluid.layers

    def build(v):
        made = layers.create_tensor("float32")
        layers.assign(v["x"], made)
        kept = layers.create_global_var([3, 4], 2.0, "float32", persistable=True)
        layers.assign(layers.elementwise_add(kept, v["x"]), kept)
        filled = layers.fill_constant([3, 4], "float32", 0.0)
        layers.sums([made, v["x"]], out=filled)
        return [made, kept, filled]

    return static(fluid, build, X, steps=2)


def case_counter(fluid):
    return static(fluid, lambda v: fluid.layers.autoincreased_step_counter(begin=3), X, steps=3)


def case_parameter(fluid):
    def build(v):
        made = fluid.layers.create_parameter([3, 4], "float32")
        return [fluid.layers.elementwise_mul(made, v["x"]), np.array(0)][:1]

    return static(fluid, build, X, gradients_of=("x",))


def case_names(fluid):
    """Parameters are found by their names."""
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.unique_name.guard():
        x = fluid.layers.data("x", [3, 8, 8])
        made = fluid.layers.conv2d(x, 4, 3, act="relu")
        made = fluid.layers.batch_norm(made)
        made = fluid.layers.fc(fluid.layers.pool2d(made, 2, pool_stride=2), 5, act="softmax")
        made = fluid.layers.fc([made, made], 2)
        fluid.layers.embedding(fluid.layers.data("i", [1], dtype="int64"), [5, 6])
        fluid.layers.prelu(x, "all")
        fluid.layers.layer_norm(x)
        fluid.layers.create_parameter([2], "float32")
        names = sorted(p.name for p in main.all_parameters())
        return [np.array(names), np.array(list(made.shape)), integers(1)]
