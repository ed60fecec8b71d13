"""Convolutions and pooling."""

from .common import family, numbers

X = {"x": numbers(2, 4, 6, 6)}
V = {"x": numbers(1, 2, 4, 4, 4)}
D = {"x": numbers(1, 2, 5, 5), "o": numbers(1, 18, 5, 5, seed=8), "m": numbers(1, 9, 5, 5, seed=9)}
family(
    globals(),
    [
        ("conv2d", lambda f, v: f.conv2d(v["x"], 3, 3, padding=1, stride=2, act="relu")),
        ("conv2d_groups", lambda f, v: f.conv2d(v["x"], 8, 3, groups=4, bias_attr=False)),
        ("conv2d_same", lambda f, v: f.conv2d(v["x"], 3, [2, 3], padding="SAME", dilation=[1, 2])),
        ("conv2d_last", lambda f, v: f.conv2d(v["x"], 3, 3, data_format="NHWC")),
        (
            "conv2d_transpose",
            lambda f, v: f.conv2d_transpose(v["x"], 3, filter_size=3, stride=2, padding=1),
        ),
        (
            "conv2d_transpose_size",
            lambda f, v: f.conv2d_transpose(v["x"], 3, output_size=[12, 12], stride=2),
        ),
        ("conv3d", lambda f, v: f.conv3d(v["x"], 3, 2), V),
        (
            "conv3d_transpose",
            lambda f, v: f.conv3d_transpose(v["x"], 3, filter_size=2, stride=2),
            V,
        ),
        ("pool2d_max", lambda f, v: f.pool2d(v["x"], 2, "max", 2)),
        (
            "pool2d_avg",
            lambda f, v: [
                f.pool2d(v["x"], 3, "avg", 2, 1),
                f.pool2d(v["x"], 3, "avg", 2, 1, exclusive=False),
            ],
        ),
        ("pool2d_all", lambda f, v: f.pool2d(v["x"], pool_type="avg", global_pooling=True)),
        ("pool2d_stride_one", lambda f, v: f.pool2d(v["x"], [3, 2], "max")),
        ("pool3d", lambda f, v: f.pool3d(v["x"], 2, "avg", 2), V),
        (
            "adaptive",
            lambda f, v: [
                f.adaptive_pool2d(v["x"], 4, "avg"),
                f.adaptive_pool2d(v["x"], [3, 2], "max"),
            ],
        ),
        ("adaptive3d", lambda f, v: f.adaptive_pool3d(v["x"], 2, "avg"), V),
        (
            "adaptive_places",
            lambda f, v: f.adaptive_pool2d(v["x"], [3, 2], "max", require_index=True),
        ),
        (
            "deformable",
            lambda f, v: f.deformable_conv(
                v["x"],
                v["o"],
                v["m"],
                3,
                3,
                padding=1,
                groups=1,
                deformable_groups=1,
                im2col_step=1,
            ),
            D,
        ),
        (
            "deformable_plain",
            lambda f, v: f.deformable_conv(
                v["x"],
                v["o"],
                None,
                3,
                3,
                padding=1,
                groups=1,
                deformable_groups=1,
                im2col_step=1,
                modulated=False,
            ),
            D,
        ),
    ],
    X,
)
