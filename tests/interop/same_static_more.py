"""More hand-written programs: control flow with parameters and persistable variables, shapes,
parameter selection.

Runs in both environments, so it uses nothing but NumPy and what it is given.
"""

import numpy as np
from same_static import static_mode

ONES = np.ones((2, 4), "float32")


def ran(P, S, fetches, *feeds, value=0.5):
    """Return the outputs of a program for several feeds; all parameters start at one number."""
    exe = S.Executor(P.CPUPlace())
    exe.run(S.default_startup_program())
    for p in S.default_main_program().all_parameters():
        p.set_value(np.full(p.shape, value, "float32"))
    found = [exe.run(feed=feed, fetch_list=fetches) for feed in feeds]
    return {f"run{i} {j}": a for i, made in enumerate(found) for j, a in enumerate(made)}


def parameters(S):
    return {
        f"end {p.name}": np.array(p.get_value()) for p in S.default_main_program().all_parameters()
    }


def kept_in_branch(P, S):
    """A branch writes a persistable variable."""
    x = S.data("x", [1])
    count = S.create_global_var([1], 0.0, "float32", persistable=True, name="count")

    def then():
        P.assign(count + 1.0, output=count)
        return x * 2

    y = S.nn.cond(x.sum() > 0, then, lambda: x)
    return ran(P, S, [y, count], *({"x": np.array([v], "float32")} for v in (1, -1, 2)))


def parameters_in_branches(P, S):
    """Each branch has a layer; only that of the executed branch is trained."""
    x = S.data("x", [None, 4])
    y = S.nn.cond(
        x.sum() > 0, lambda: S.nn.fc(x, 2, bias_attr=False), lambda: S.nn.fc(x, 2, bias_attr=False)
    )
    loss = y.mean()
    P.optimizer.SGD(0.1).minimize(loss)
    return {**ran(P, S, [loss], *({"x": ONES * v} for v in (1, -1, 1))), **parameters(S)}


def parameters_in_loops(P, S):
    """The same layer in every iteration."""
    x = S.data("x", [2, 4])
    i, n = P.full([1], 0, "int64"), P.full([1], 3, "int64")

    def body(i, y):
        return [i + 1, S.nn.fc(y, 4, weight_attr="w", bias_attr=False)]

    i, y = S.nn.while_loop(lambda i, y: i < n, body, [i, x])
    return ran(P, S, [i, y], {"x": ONES})


def lists(P, S):
    """Lists of tensors."""
    x = S.data("x", [3])
    held = P.tensor.create_array("float32")
    P.tensor.array_write(x, P.zeros([1], "int64"), array=held)
    one = P.ones([1], "int64")
    P.tensor.array_write(x * 2, one, array=held)
    return ran(
        P, S, [P.tensor.array_length(held), P.tensor.array_read(held, one)], {"x": ONES[0, :3]}
    )


def two_losses(P, S):
    """Two optimizers in one run."""
    x = S.data("x", [None, 4])
    h = S.nn.fc(x, 3)
    first, second = h.mean(), (h * h).mean()
    P.optimizer.SGD(0.1).minimize(first)
    P.optimizer.SGD(0.01).minimize(second)
    return {**ran(P, S, [first, second], *[{"x": ONES}] * 3), **parameters(S)}


def schedule(P, S):
    """The variable of a scheduler's rate."""
    x = S.data("x", [None, 4])
    optimizer = P.optimizer.Momentum(P.optimizer.lr.NoamDecay(0.5, 4))
    optimizer.minimize(S.nn.fc(x, 1).mean())
    found = {}
    for i in range(3):
        found.update(
            {f"step{i} {k}": v for k, v in ran(P, S, ["learning_rate_0"], {"x": ONES}).items()}
        )
        optimizer._learning_rate.step()
    return found


def chosen_parameters(P, S):
    """Which pairs come back: some parameters, without some variables, without those that are not
    trained.
    """
    x = S.data("x", [None, 4])
    h = S.nn.fc(x, 3, bias_attr=False)
    frozen = S.nn.fc(h, 3, weight_attr=P.ParamAttr(trainable=False), bias_attr=False)
    loss = S.nn.fc(frozen, 1, bias_attr=False).mean()
    first, _, last = S.default_main_program().all_parameters()
    whole = S.append_backward(loss)
    cut = S.append_backward(loss * 2.0, no_grad_set={h.name})
    _, some = P.optimizer.SGD(0.1).minimize(loss * 3.0, parameters=[last])
    return {
        k: np.array([p.name for p, _ in v])
        for k, v in (("whole", whole), ("cut", cut), ("some", some))
    } | {"names": np.array([first.name, last.name])}


def shapes(P, S):
    """What is known of sizes before a run."""
    x = S.data("x", [None, 4, None])
    turned = P.transpose(x, [0, 2, 1])
    made = [
        x, turned, P.concat([x, x], 1), P.flatten(x, 1), P.split(x, 2, 1)[0], x.sum(1), P.argmax(x, 1), P.nn.functional.softmax(x),
        P.matmul(x, turned), P.stack([x, x]), P.gather(x, P.to_tensor([0])), P.topk(x, 2, axis=1)[0], P.unsqueeze(x, 0),
        P.tile(x, [1, 2, 1]), P.where(x > 0, x, x), P.reshape(x, [0, -1]), P.reshape(x, [-1, 2]), P.cumsum(x, 1), x[0], x[:, 1:3],
        P.mean(x), P.max(x, axis=[1, 2], keepdim=True), P.squeeze(P.unsqueeze(x, 1), 1), P.nn.functional.one_hot(P.to_tensor([1, 2]), 3),
    ]  # fmt: skip
    return {"shapes": np.array([repr(v.shape) for v in made])}


def stacked(P, S):
    """A convolutional network with every kind of layer, trained, then tested."""
    F = P.nn.functional
    x, labels = S.data("x", [None, 1, 8, 8]), S.data("labels", [None, 1], "int64")
    h = F.max_pool2d(S.nn.batch_norm(S.nn.conv2d(x, 4, 3, padding=1), act="relu"), 2, 2)
    h = S.nn.group_norm(
        S.nn.conv2d(h, 4, 3, padding=1),
        2,
        param_attr=P.ParamAttr(name="g"),
        bias_attr=P.ParamAttr(name="b"),
    )
    h = S.nn.prelu(F.adaptive_avg_pool2d(h, 2), "channel")
    h = S.nn.layer_norm(S.nn.fc(h, 6))
    scores = S.nn.fc(h, 3)
    loss = P.mean(F.cross_entropy(scores, labels))
    test = S.default_main_program().clone(for_test=True)
    clip = P.nn.ClipGradByGlobalNorm(1.0)
    P.optimizer.Adam(0.01, weight_decay=P.regularizer.L2Decay(1e-3), grad_clip=clip).minimize(loss)
    exe = S.Executor(P.CPUPlace())
    exe.run(S.default_startup_program())
    draw = np.random.default_rng(1)
    for p in sorted(S.default_main_program().all_parameters(), key=lambda p: p.name):
        p.set_value((np.abs(draw.standard_normal(p.shape)) * 0.3 + 0.1).astype("float32"))
    feeds = [
        {
            "x": draw.standard_normal((6, 1, 8, 8)).astype("float32"),
            "labels": draw.integers(0, 3, (6, 1)),
        }
        for _ in range(5)
    ]
    losses = [exe.run(feed=f, fetch_list=[loss])[0] for f in feeds]
    return {
        "losses": np.array(losses),
        "test": exe.run(test, feed=feeds[0], fetch_list=[scores.name])[0],
    }


def case(function):
    def run(P):
        with static_mode(P) as S:
            return function(P, S)

    return run


FUNCTIONS = [
    kept_in_branch,
    parameters_in_branches,
    parameters_in_loops,
    lists,
    two_losses,
    schedule,
    chosen_parameters,
    shapes,
    stacked,
]
CASES = {f"static {f.__name__}": case(f) for f in FUNCTIONS}
