"""Image layers."""

from .common import family, numbers

X = {
    "x": numbers(2, 4, 4, 6),
    "g": numbers(2, 4, 6, 2, seed=8),
    "t": numbers(2, 2, 3, seed=9),
    "y": numbers(2, 3, 4, 6, seed=10),
}
V = {"x": numbers(1, 2, 3, 4, 5)}
family(
    globals(),
    [
        (
            "bilinear",
            lambda f, v: [
                f.resize_bilinear(v["x"], [7, 9]),
                f.resize_bilinear(v["x"], scale=1.6),
                f.resize_bilinear(v["x"], [7, 9], align_corners=False),
                f.resize_bilinear(v["x"], [3, 2], align_corners=False, align_mode=0),
            ],
        ),
        (
            "nearest",
            lambda f, v: [
                f.resize_nearest(v["x"], [7, 9]),
                f.resize_nearest(v["x"], scale=2.0, align_corners=False),
            ],
        ),
        ("image_resize", lambda f, v: f.image_resize(v["x"], [5, 5], resample="NEAREST")),
        ("short", lambda f, v: f.image_resize_short(v["x"], 6)),
        ("trilinear", lambda f, v: f.resize_trilinear(v["x"], [4, 6, 7]), V),
        ("grid", lambda f, v: f.grid_sampler(v["x"], v["g"]), X, ("x", "g")),
        ("affine_grid", lambda f, v: f.affine_grid(v["t"], [2, 4, 3, 5]), X, ("t",)),
        ("pixel_shuffle", lambda f, v: f.pixel_shuffle(v["x"], 2)),
        ("temporal_shift", lambda f, v: f.temporal_shift(v["x"], 2)),
        ("shuffle_channel", lambda f, v: f.shuffle_channel(v["x"], 2)),
        ("space_to_depth", lambda f, v: f.space_to_depth(v["x"], 2)),
        ("fsp", lambda f, v: f.fsp_matrix(v["x"], v["y"])),
        (
            "positions",
            lambda f, v: f.add_position_encoding(v["x"], 0.5, 2.0),
            {"x": numbers(2, 3, 6)},
        ),
    ],
    X,
)
