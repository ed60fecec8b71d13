"""Normalisation, dropout, activations with parameters."""

from .common import family, numbers

X = {"x": numbers(3, 4, 2, 2), "s": numbers(4, seed=8), "b": numbers(4, seed=9)}
F = {"x": numbers(3, 4)}
family(globals(), [
    ("batch_norm", lambda l, v: l.batch_norm(v["x"], act="relu")), ("layer_norm", lambda l, v: [l.layer_norm(v["x"]), l.layer_norm(v["x"], begin_norm_axis=2, shift=False)]),
    ("group_norm", lambda l, v: l.group_norm(v["x"], 2)), ("instance_norm", lambda l, v: l.instance_norm(v["x"])),
    ("dropout_test", lambda l, v: [l.dropout(v["x"], 0.3, is_test=True), l.dropout(v["x"], 0.3, is_test=True, dropout_implementation="upscale_in_train")], X, ()),
    ("l2_normalize", lambda l, v: [l.l2_normalize(v["x"], 1), l.l2_normalize(v["x"], -1)]), ("lrn", lambda l, v: l.lrn(v["x"], n=3, alpha=0.3)), ("lrn_default", lambda l, v: l.lrn(v["x"])),
    ("prelu", lambda l, v: [l.prelu(v["x"], "all"), l.prelu(v["x"], "channel"), l.prelu(v["x"], "element")]), ("affine_channel", lambda l, v: l.affine_channel(v["x"], v["s"], v["b"], act="relu")),
    ("spectral_norm", lambda l, v: l.spectral_norm(v["x"], dim=1, power_iters=3)), ("data_norm", lambda l, v: l.data_norm(v["x"]), F, ()),
], X)  # fmt: skip
