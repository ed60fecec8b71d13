"""Programs with gradient and optimizer ops, as files, and the results of their first runs.

Runs in Paddle's environment, and in Oarlock as Paddle.
"""

import numpy as np
import paddle

F = paddle.nn.functional
opt = paddle.optimizer
S = paddle.static
RUNS = 3


def picture(i):
    draw = np.random.default_rng(i)
    return {"x": draw.normal(size=(4, 1, 8, 8)).astype("float32"), "y": draw.integers(0, 3, (4, 1))}


def row(i):
    draw = np.random.default_rng(i)
    return {"x": draw.normal(size=(5, 4)).astype("float32"), "y": draw.integers(0, 3, (5, 1))}


def words(i):
    draw = np.random.default_rng(i)
    return {"x": draw.integers(0, 20, (4, 5)), "y": draw.integers(0, 3, (4, 1))}


def data(shape, dtype="float32"):
    return S.data("x", [None, *shape], dtype), S.data("y", [None, 1], "int64")


def dense(activation, optimizer):
    """Two layers; the loss."""

    def build():
        x, y = data([4])
        loss = F.cross_entropy(S.nn.fc(activation(S.nn.fc(x, 8)), 3), y).mean()
        optimizer().minimize(loss)
        return [loss]

    return build


def convolutions():
    x, y = data([1, 8, 8])
    h = F.relu(S.nn.batch_norm(S.nn.conv2d(x, 4, 3, padding=1, act="relu")))
    h = F.avg_pool2d(S.nn.conv2d_transpose(F.max_pool2d(h, 2), 3, filter_size=2, stride=2), 2)
    h = paddle.concat([h, h * 0.5], 1)
    h = S.nn.fc(S.nn.fc(S.nn.layer_norm(paddle.reshape(h, [-1, 96])), 10, activation="tanh"), 3)
    loss = paddle.mean(F.softmax_with_cross_entropy(h, y))
    opt.Momentum(0.05).minimize(loss)
    return [loss, S.accuracy(F.softmax(h), y)]


def attention():
    x, y = data([5], "int64")
    e = S.nn.embedding(x, [20, 6])
    h = paddle.matmul(F.softmax(paddle.matmul(e, paddle.transpose(e, [0, 2, 1])) / 2.0), e)
    # reshape2 has attributes twice
    h = paddle.squeeze(paddle.unsqueeze(paddle.reshape(h, [-1, 5, 6]), 1), 1)
    h = paddle.sum((h * e + paddle.exp(-h))[:, 1:, :], axis=1)
    loss = F.cross_entropy(S.nn.fc(paddle.stack([h, h * 2], 0).mean(0), 3), y)
    opt.Adam(0.05).minimize(loss)
    return [loss]


def sparse_rows():
    x, y = data([5], "int64")
    loss = F.cross_entropy(S.nn.fc(S.nn.embedding(x, [20, 6], is_sparse=True).sum(1), 3), y)
    opt.SGD(0.05).minimize(loss)
    return [loss]


def formulas():
    """Many ops; and gradients by `gradients`, whose names are in a scope."""
    x, y = data([4])
    x.stop_gradient = False
    h = paddle.clip(S.nn.prelu(F.dropout(S.nn.fc(x, 6), 0.0), "all"), -1, 1)
    h = (
        paddle.pow(h, 2.0)
        + paddle.abs(h)
        + paddle.sqrt(paddle.square(h) + 1.0)
        + paddle.log(h * h + 2.0)
    )
    h = paddle.maximum(h, h * 0.5) - h / (h * h + 1.0)
    loss = F.nll_loss(F.log_softmax(S.nn.fc(h, 3)), paddle.squeeze(y, 1))
    (slope,) = S.gradients([loss], [x])
    opt.SGD(0.1).minimize(loss)
    return [loss, slope]


def recurrent():
    x, y = S.data("x", [None, 2, 2]), S.data("y", [None, 1], "int64")
    out, _ = paddle.nn.LSTM(2, 5)(x)
    opt.SGD(0.1).minimize(loss := F.cross_entropy(S.nn.fc(out[:, -1], 3), y))
    return [loss]


def steps(i):
    found = row(i)
    return {**found, "x": found["x"].reshape(5, 2, 2)}


def branch():
    x, y = data([4])
    h = S.nn.fc(x, 6)
    h = S.nn.cond(h.sum() > 0, lambda: h * 2.0, lambda: paddle.tanh(h))
    opt.SGD(0.1).minimize(loss := F.cross_entropy(S.nn.fc(h, 3), y))
    return [loss]


def loop():
    x, y = data([4])
    i, h = paddle.full([1], 0, "int64"), S.nn.fc(x, 6)
    h = S.nn.while_loop(lambda i, h: i < 3, lambda i, h: [i + 1, paddle.tanh(h * 1.5)], [i, h])[1]
    opt.SGD(0.1).minimize(loss := F.cross_entropy(S.nn.fc(h, 3), y))
    return [loss]


CASES = {
    "sgd": (dense(F.relu, lambda: opt.SGD(0.1)), row),
    "momentum": (
        dense(
            paddle.tanh, lambda: opt.Momentum(0.1, weight_decay=paddle.regularizer.L2Decay(0.01))
        ),
        row,
    ),
    "adam": (
        dense(F.gelu, lambda: opt.Adam(0.1, grad_clip=paddle.nn.ClipGradByGlobalNorm(0.5))),
        row,
    ),
    "adamw": (
        dense(F.leaky_relu, lambda: opt.AdamW(0.1, grad_clip=paddle.nn.ClipGradByNorm(0.5))),
        row,
    ),
    "rmsprop": (
        dense(F.silu, lambda: opt.RMSProp(0.1, grad_clip=paddle.nn.ClipGradByValue(0.5))),
        row,
    ),
    "lamb": (dense(F.hardswish, lambda: opt.Lamb(0.1)), row),
    "convolutions": (convolutions, picture),
    "attention": (attention, words),
    "sparse_rows": (sparse_rows, words),
    "formulas": (formulas, row),
    "recurrent": (recurrent, steps),
    "branch": (branch, row),
    "loop": (loop, row),
}


def values(program, scope):
    """Everything that outlives a run."""
    held = [v.name for v in program.list_vars() if v.persistable]
    return {name: np.array(scope.find_var(name).get_tensor()) for name in held}


def save(folder):
    """Each case as `<name>.pdmodel`; `.before`, `.after` RUNS runs and `.runs` hold what it keeps
    and gives.

    -> names of fetches
    """
    paddle.enable_static()
    try:
        return {name: _save(f"{folder}/{name}", *case) for name, case in CASES.items()}
    finally:
        paddle.disable_static()


def _save(path, build, feed):
    main, start, scope = S.Program(), S.Program(), S.Scope()
    with S.program_guard(main, start), paddle.utils.unique_name.guard(), S.scope_guard(scope):
        paddle.seed(3)
        fetches = build()
        exe = S.Executor(paddle.CPUPlace())
        exe.run(start)
        with open(path + ".pdmodel", "wb") as file:
            file.write(main.desc.serialize_to_string())
        np.savez(path + ".before.npz", **values(main, scope))
        found = {}
        for i in range(RUNS):
            np.savez(f"{path}.feed{i}.npz", **feed(i))
            made = exe.run(main, feed=feed(i), fetch_list=fetches)
            found |= {f"{i}.{v.name}": np.asarray(a) for v, a in zip(fetches, made, strict=True)}
        np.savez(path + ".runs.npz", **found)
        np.savez(path + ".after.npz", **values(main, scope))
    return [v.name for v in fetches]


def go_on(folder):
    """Continue the programs that `save` wrote; returns the failures by case, "" for none."""
    paddle.enable_static()
    try:
        return {name: _compared(f"{folder}/{name}") for name in CASES}
    finally:
        paddle.disable_static()


def _compared(path):
    with open(path + ".pdmodel", "rb") as file:
        program = S.Program.parse_from_string(file.read())
    scope, wanted, after = (
        S.Scope(),
        dict(np.load(path + ".runs.npz")),
        dict(np.load(path + ".after.npz")),
    )
    with S.scope_guard(scope):
        for name, value in np.load(path + ".before.npz").items():
            scope.var(name).get_tensor().set(value, paddle.CPUPlace())
        exe, names = S.Executor(paddle.CPUPlace()), [n[2:] for n in wanted if n.startswith("0.")]
        try:
            made = [
                exe.run(program, feed=dict(np.load(f"{path}.feed{i}.npz")), fetch_list=names)
                for i in range(RUNS)
            ]
        except Exception as error:
            return " ".join(str(error).split())[-700:]
        found = {f"{i}.{n}": a for i in range(RUNS) for n, a in zip(names, made[i], strict=True)}
        found |= {name: np.array(scope.find_var(name).get_tensor()) for name in after}
    wrong = [
        n
        for n, want in (wanted | after).items()
        if found[n].shape != want.shape or not _near(found[n], want)
    ]
    return f"differ: {wrong}" if wrong else ""


def _near(found, want):
    return np.allclose(found, want, rtol=2e-5, atol=2e-6)
