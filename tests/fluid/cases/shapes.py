"""Reshape, transpose, split and concat."""

import numpy as np

from .common import eager, family, numbers, static

X = {"x": numbers(2, 3, 4)}


def _all_of(f, parts):
    """Every part counts, so that the real package finds all their gradients."""
    return [f.sums([f.scale(f.reduce_sum(p), i + 1.0) for i, p in enumerate(parts)]), *parts]


family(
    globals(),
    [
        ("reshape", lambda f, v: f.reshape(v["x"], [0, -1, 2], act="relu")),
        ("transpose", lambda f, v: f.transpose(v["x"], [2, 0, 1])),
        (
            "flatten",
            lambda f, v: [
                f.flatten(v["x"]),
                f.flatten(v["x"], axis=2),
                f.flatten(v["x"], axis=0),
                f.flatten(v["x"], axis=3),
            ],
        ),
        ("squeeze", lambda f, v: f.squeeze(f.unsqueeze(v["x"], [0, 4]), [0])),
        ("squeeze_all", lambda f, v: f.squeeze(f.unsqueeze(v["x"], [0, 4]), [])),
        ("concat", lambda f, v: f.concat([v["x"], v["x"]], axis=-1)),
        ("split", lambda f, v: _all_of(f, f.split(v["x"], 2))),
        ("split_parts", lambda f, v: _all_of(f, f.split(v["x"], [1, 2], dim=1))),
        ("split_rest", lambda f, v: _all_of(f, f.split(v["x"], [1, -1], dim=2))),
        ("stack", lambda f, v: f.stack([v["x"], v["x"]], axis=1)),
        ("unstack", lambda f, v: _all_of(f, f.unstack(v["x"], axis=1))),
        ("expand", lambda f, v: f.expand(v["x"], [1, 2, 3])),
        ("flip", lambda f, v: f.flip(v["x"], [0, 2])),
        ("reverse", lambda f, v: f.reverse(v["x"], 1)),
        ("roll", lambda f, v: f.roll(v["x"], 1, 2)),
        ("slice", lambda f, v: f.slice(v["x"], [0, 2], [0, -3], [1, 100])),
        ("strided_slice", lambda f, v: f.strided_slice(v["x"], [1, 2], [0, 0], [3, 4], [2, 3])),
        ("pad", lambda f, v: f.pad(v["x"], [0, 1, 1, 0, 2, 2], 0.5)),
        ("crop", lambda f, v: f.crop(v["x"], [2, 2, 2], [0, 1, 1])),
        ("crop_tensor", lambda f, v: f.crop_tensor(v["x"], [2, 2, -1], [0, 1, 1])),
        ("diag_embed", lambda f, v: f.diag_embed(v["x"]), X, ()),
        ("trace", lambda f, v: f.trace(v["x"])),
        ("expand_as", lambda f, v: f.expand_as(v["x"], f.ones([4, 3, 8], "float32"))),
        (
            "pad_constant_like",
            lambda f, v: f.pad_constant_like(f.ones([3, 3, 6], "float32"), v["x"], 0.5),
        ),
    ],
    X,
)
PICTURE = {"x": numbers(2, 3, 4, 5)}
family(
    globals(),
    [
        ("pad2d", lambda f, v: f.pad2d(v["x"], [1, 2, 3, 0], pad_value=0.5)),
        ("pad2d_edge", lambda f, v: f.pad2d(v["x"], [1, 2, 3, 0], mode="edge")),
        ("pad2d_reflect", lambda f, v: f.pad2d(v["x"], [1, 2, 3, 0], mode="reflect")),
        ("pad2d_last", lambda f, v: f.pad2d(v["x"], [1, 0, 2, 0], data_format="NHWC")),
        ("unfold", lambda f, v: f.unfold(v["x"], [2, 2])),
    ],
    PICTURE,
)


def case_sizes_of_a_run(fluid):
    layers = fluid.layers

    def build(v):
        two = layers.fill_constant([1], "int32", 2)
        return [
            layers.reshape(v["x"], [two, -1]),
            layers.expand(v["x"], [two, 1, 1]),
            layers.slice(v["x"], [2], [two], [4]),
            layers.fill_constant([two, 3], "float32", 1.0),
        ]

    return static(fluid, build, X)


def case_eager(fluid):
    return eager(
        fluid,
        lambda x: fluid.layers.reshape(fluid.layers.transpose(x, [1, 0]), [-1]),
        numbers(2, 3),
    )


def case_operators(fluid):
    def build(v):
        x = v["x"]
        return [
            x + 1,
            2 - x,
            x * x,
            1 / (x + 3),
            x / 2,
            -x,
            x**2,
            x[0],
            x[:, 1:, -1],
            (x > 0.1),
            (x <= 0.3),
        ]

    return static(fluid, build, X)


def case_unknown_batch(fluid):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.scope_guard(fluid.Scope()):
        x = fluid.layers.data("x", [3, 4])
        made = [
            fluid.layers.flatten(x),
            fluid.layers.reshape(x, [-1, 12]),
            fluid.layers.expand(x, [1, 2, 1]),
            fluid.layers.flatten(x, axis=2),
        ]
        shapes = [np.array(list(m.shape)) for m in made[:3]]
        executor = fluid.Executor(fluid.CPUPlace())
        executor.run(startup)
        return [np.asarray(a) for a in executor.run(main, feed=X, fetch_list=made)] + shapes
