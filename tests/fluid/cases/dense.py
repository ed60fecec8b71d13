"""Products."""

from .common import family, integers, numbers

X = {"x": numbers(3, 4), "y": numbers(4, 5, seed=8), "i": integers(3, 1, below=6), "b": numbers(2, 3, 4, seed=9), "c": numbers(2, 4, 3, seed=10), "z": numbers(3, 4, seed=11)}
BOTH = ("x", "y")
family(globals(), [
    ("fc", lambda l, v: l.fc(v["x"], 5, act="tanh"), X, ("x",)), ("fc_several", lambda l, v: l.fc([v["x"], v["z"]], 5, bias_attr=False), X, ("x", "z")),
    ("fc_axes", lambda l, v: [l.fc(v["b"], 5, num_flatten_dims=2), l.fc(v["b"], 5)], X, ("b",)), ("embedding", lambda l, v: l.embedding(v["i"], [6, 3]), X, ()),
    ("embedding_padding", lambda l, v: l.embedding(v["i"], [6, 3], padding_idx=-2), X, ()), ("matmul", lambda l, v: l.matmul(v["x"], v["y"], alpha=2.0)),
    ("matmul_turned", lambda l, v: l.matmul(v["b"], v["b"], transpose_y=True), X, ("b",)), ("mul", lambda l, v: l.mul(v["x"], v["y"])),
    ("mul_axes", lambda l, v: l.mul(v["b"], v["y"], x_num_col_dims=2), X, ("b", "y")), ("bmm", lambda l, v: l.bmm(v["b"], v["c"]), X, ("b", "c")),
    ("dot", lambda l, v: l.dot(v["x"], v["z"]), X, ("x", "z")), ("dist", lambda l, v: l.dist(v["x"], v["z"]), X, ("x",)), ("kron", lambda l, v: l.kron(v["x"], v["y"])),
    ("addmm", lambda l, v: l.addmm(l.ones([3, 5], "float32"), v["x"], v["y"], 2.0, 0.5)), ("addcmul", lambda l, v: l.addcmul(v["x"], v["z"], v["z"], 2.0), X, ("x",)),
    ("logsumexp", lambda l, v: [l.logsumexp(v["x"]), l.logsumexp(v["x"], dim=1), l.logsumexp(v["x"], dim=[0], keepdim=True)], X, ("x",)),
    ("bilinear", lambda l, v: l.bilinear_tensor_product(v["x"], v["z"], 2), X, ("x",)),
    ("cross", lambda l, v: l.cross(v["x"], v["z"], dim=0), X, ("x", "z")),
], X, BOTH)  # fmt: skip
