"""Matrix products."""

from .common import family, integers, numbers

X = {
    "x": numbers(3, 4),
    "y": numbers(4, 5, seed=8),
    "i": integers(3, 1, below=6),
    "b": numbers(2, 3, 4, seed=9),
    "c": numbers(2, 4, 3, seed=10),
    "z": numbers(3, 4, seed=11),
}
BOTH = ("x", "y")
family(
    globals(),
    [
        ("fc", lambda f, v: f.fc(v["x"], 5, act="tanh"), X, ("x",)),
        ("fc_several", lambda f, v: f.fc([v["x"], v["z"]], 5, bias_attr=False), X, ("x", "z")),
        ("fc_axes", lambda f, v: [f.fc(v["b"], 5, num_flatten_dims=2), f.fc(v["b"], 5)], X, ("b",)),
        ("embedding", lambda f, v: f.embedding(v["i"], [6, 3]), X, ()),
        ("embedding_padding", lambda f, v: f.embedding(v["i"], [6, 3], padding_idx=-2), X, ()),
        ("matmul", lambda f, v: f.matmul(v["x"], v["y"], alpha=2.0)),
        ("matmul_turned", lambda f, v: f.matmul(v["b"], v["b"], transpose_y=True), X, ("b",)),
        ("mul", lambda f, v: f.mul(v["x"], v["y"])),
        ("mul_axes", lambda f, v: f.mul(v["b"], v["y"], x_num_col_dims=2), X, ("b", "y")),
        ("bmm", lambda f, v: f.bmm(v["b"], v["c"]), X, ("b", "c")),
        ("dot", lambda f, v: f.dot(v["x"], v["z"]), X, ("x", "z")),
        ("dist", lambda f, v: f.dist(v["x"], v["z"]), X, ("x",)),
        ("kron", lambda f, v: f.kron(v["x"], v["y"])),
        ("addmm", lambda f, v: f.addmm(f.ones([3, 5], "float32"), v["x"], v["y"], 2.0, 0.5)),
        ("addcmul", lambda f, v: f.addcmul(v["x"], v["z"], v["z"], 2.0), X, ("x",)),
        (
            "logsumexp",
            lambda f, v: [
                f.logsumexp(v["x"]),
                f.logsumexp(v["x"], dim=1),
                f.logsumexp(v["x"], dim=[0], keepdim=True),
            ],
            X,
            ("x",),
        ),
        ("bilinear", lambda f, v: f.bilinear_tensor_product(v["x"], v["z"], 2), X, ("x",)),
        ("cross", lambda f, v: f.cross(v["x"], v["z"], dim=0), X, ("x", "z")),
    ],
    X,
    BOTH,
)
