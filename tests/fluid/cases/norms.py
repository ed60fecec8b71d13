"""Normalization, dropout, activations with parameters."""

from .common import family, numbers

X = {"x": numbers(3, 4, 2, 2), "s": numbers(4, seed=8), "b": numbers(4, seed=9)}
F = {"x": numbers(3, 4)}
family(
    globals(),
    [
        ("batch_norm", lambda f, v: f.batch_norm(v["x"], act="relu")),
        (
            "layer_norm",
            lambda f, v: [
                f.layer_norm(v["x"]),
                f.layer_norm(v["x"], begin_norm_axis=2, shift=False),
            ],
        ),
        (
            "group_norm",
            lambda f, v: [
                f.group_norm(v["x"], 2, param_attr="weight", bias_attr="bias"),
                f.group_norm(v["x"], 2),
            ],
        ),
        ("instance_norm", lambda f, v: f.instance_norm(v["x"])),
        (
            "dropout_test",
            lambda f, v: [
                f.dropout(v["x"], 0.3, is_test=True),
                f.dropout(v["x"], 0.3, is_test=True, dropout_implementation="upscale_in_train"),
            ],
            X,
            (),
        ),
        ("l2_normalize", lambda f, v: [f.l2_normalize(v["x"], 1), f.l2_normalize(v["x"], -1)]),
        ("lrn", lambda f, v: f.lrn(v["x"], n=3, alpha=0.3)),
        ("lrn_default", lambda f, v: f.lrn(v["x"])),
        (
            "prelu",
            lambda f, v: [
                f.prelu(v["x"], "all"),
                f.prelu(v["x"], "channel"),
                f.prelu(v["x"], "element"),
            ],
        ),
        ("affine_channel", lambda f, v: f.affine_channel(v["x"], v["s"], v["b"], act="relu")),
        ("spectral_norm", lambda f, v: f.spectral_norm(v["x"], dim=1, power_iters=3)),
        ("data_norm", lambda f, v: f.data_norm(v["x"]), F, ()),
    ],
    X,
)
