"""Pictures."""

from .common import family, numbers

X = {"x": numbers(2, 4, 4, 6), "g": numbers(2, 3, 3, 2, seed=8), "t": numbers(2, 2, 3, seed=9), "y": numbers(2, 3, 4, 6, seed=10)}
V = {"x": numbers(1, 2, 3, 4, 5)}
family(globals(), [
    ("bilinear", lambda l, v: [l.resize_bilinear(v["x"], [7, 9]), l.resize_bilinear(v["x"], scale=1.6), l.resize_bilinear(v["x"], [7, 9], align_corners=False), l.resize_bilinear(v["x"], [3, 2], align_corners=False, align_mode=0)]),
    ("nearest", lambda l, v: [l.resize_nearest(v["x"], [7, 9]), l.resize_nearest(v["x"], scale=2.0, align_corners=False)]), ("image_resize", lambda l, v: l.image_resize(v["x"], [5, 5], resample="NEAREST")),
    ("short", lambda l, v: l.image_resize_short(v["x"], 6)), ("trilinear", lambda l, v: l.resize_trilinear(v["x"], [4, 6, 7]), V), ("grid", lambda l, v: l.grid_sampler(v["x"], v["g"]), X, ("x", "g")),
    ("affine_grid", lambda l, v: l.affine_grid(v["t"], [2, 4, 3, 5]), X, ("t",)), ("pixel_shuffle", lambda l, v: l.pixel_shuffle(v["x"], 2)), ("temporal_shift", lambda l, v: l.temporal_shift(v["x"], 2)),
    ("shuffle_channel", lambda l, v: l.shuffle_channel(v["x"], 2)), ("space_to_depth", lambda l, v: l.space_to_depth(v["x"], 2)), ("fsp", lambda l, v: l.fsp_matrix(v["x"], v["y"])),
    ("positions", lambda l, v: l.add_position_encoding(v["x"], 0.5, 2.0), {"x": numbers(2, 3, 6)}),
], X)  # fmt: skip
