"""Hand-written programs, for Oarlock and real Paddle: each case takes the package and returns
arrays.

Runs in both environments, so it uses nothing but NumPy and what it is given.
"""

import contextlib

import numpy as np

DRAW = 7


@contextlib.contextmanager
def static_mode(P):
    """Two new programs and a scope to write and run in."""
    P.enable_static()
    try:
        with (
            P.static.scope_guard(P.static.Scope()),
            P.utils.unique_name.guard(),
            P.static.program_guard(P.static.Program(), P.static.Program()),
        ):
            yield P.static
    finally:
        P.disable_static()


def filled(P, shape, seed=0):
    """Reproducible numbers of both signs."""
    draw = np.random.default_rng(seed)
    return (draw.uniform(0.2, 1.0, shape) * draw.choice([-1, 1], shape)).astype("float32")


def start(P, exe):
    """Run the startup program, then set the parameters, sorted by name, to known values."""
    exe.run(P.static.default_startup_program())
    for i, p in enumerate(
        sorted(P.static.default_main_program().all_parameters(), key=lambda p: p.name)
    ):
        value = filled(P, p.shape, i) * 0.5
        p.set_value(np.abs(value) + 0.5 if p.stop_gradient else value)
    return [p.name for p in P.static.default_main_program().all_parameters()]


def program_case(build, backward=True, **feed):
    """Return the outputs of a program, the gradients of its parameters and inputs, and their names."""

    def run(P):
        with static_mode(P) as S:
            inputs = {}
            for name, array in feed.items():
                inputs[name] = S.data(name, [None, *array.shape[1:]], str(array.dtype))
                inputs[name].stop_gradient = array.dtype.kind != "f"
            out = build(P, S, **inputs)
            outs = list(out) if isinstance(out, (list, tuple)) else [out]
            test = S.default_main_program().clone(for_test=True)
            weights = S.data("weights", [None] * len(outs[0].shape), "float32")
            loss = (outs[0] * weights).sum()
            wanted = [p for p in S.default_main_program().all_parameters() if not p.stop_gradient]
            wanted += [v for v in inputs.values() if not v.stop_gradient]
            grads = S.gradients([loss], wanted) if backward else []
            exe = S.Executor(P.CPUPlace())
            names = start(P, exe)
            shape = np.shape(exe.run(test, feed=feed, fetch_list=[outs[0].name])[0])
            feed_all = {**feed, "weights": filled(P, shape, DRAW)}
            kept = [g for g in grads if g is not None]
            made = exe.run(feed=feed_all, fetch_list=[*outs, *kept])
            found = {f"out{i}": a for i, a in enumerate(made[: len(outs)])}
            found.update({f"gradient{i}": a for i, a in enumerate(made[len(outs) :])})
            found["names"] = np.array(names)
            states = [p for p in S.default_main_program().all_parameters() if p.stop_gradient]
            found.update({f"state {p.name}": np.array(p.get_value()) for p in states})
            return found

    return run


X2, X3, X4 = filled(None, (3, 6)), filled(None, (3, 5, 6), 1), filled(None, (2, 4, 8, 8), 2)
X5 = filled(None, (2, 4, 5, 6, 6), 3)
IDS = np.array([[1], [9], [3]])
static_nn = {
    "fc": program_case(lambda P, S, x: S.nn.fc(x, 7, activation="tanh"), x=X3),
    "fc_of_two": program_case(lambda P, S, x, z: S.nn.fc([x, z], 7, bias_attr=False), x=X2, z=X2[:, :3]),
    "fc_last": program_case(lambda P, S, x: S.nn.fc(x, 7, num_flatten_dims=-1), x=X3),
    "conv2d": program_case(lambda P, S, x: S.nn.conv2d(x, 6, 3, stride=2, padding=1, act="relu"), x=X4),
    "conv2d_same": program_case(lambda P, S, x: S.nn.conv2d(x, 6, [3, 2], padding="SAME", groups=2, bias_attr=False), x=X4),
    "conv2d_depthwise": program_case(lambda P, S, x: S.nn.conv2d(x, 4, 3, padding=[1, 2], groups=4), x=X4),
    "conv2d_nhwc": program_case(lambda P, S, x: S.nn.conv2d(x, 6, 3, padding=[1, 0, 2, 1], data_format="NHWC"), x=X4),
    "conv3d": program_case(lambda P, S, x: S.nn.conv3d(x, 6, 3), x=X5),
    "conv2d_transpose": program_case(lambda P, S, x: S.nn.conv2d_transpose(x, 6, filter_size=3, stride=2, padding=1), x=X4),
    "conv2d_transpose_size": program_case(
        lambda P, S, x: S.nn.conv2d_transpose(x, 6, output_size=[16, 16], stride=2, padding=1, act="relu"), x=X4
    ),
    "conv3d_transpose": program_case(lambda P, S, x: S.nn.conv3d_transpose(x, 6, filter_size=3, stride=2), x=X5),
    "deform_conv2d": program_case(
        lambda P, S, x, o, m: S.nn.deform_conv2d(x, o, m, 6, 3),
        x=X4, o=0.3 * filled(None, (2, 18, 6, 6)), m=np.abs(filled(None, (2, 9, 6, 6))),
    ),
    "deform_conv2d_v1": program_case(
        lambda P, S, x, o: S.nn.deform_conv2d(x, o, None, 6, 3, bias_attr=False), x=X4, o=0.3 * filled(None, (2, 18, 6, 6))
    ),
    "batch_norm": program_case(lambda P, S, x: S.nn.batch_norm(x, act="relu", momentum=0.8, moving_mean_name="mm"), x=X4),
    "batch_norm_test": program_case(lambda P, S, x: S.nn.batch_norm(x, is_test=True), x=X4),
    "batch_norm_global": program_case(lambda P, S, x: S.nn.batch_norm(x, use_global_stats=True, data_layout="NHWC"), x=X4),
    "layer_norm": program_case(lambda P, S, x: S.nn.layer_norm(x, begin_norm_axis=2, act="relu"), x=X3),
    "layer_norm_bare": program_case(lambda P, S, x: S.nn.layer_norm(x, scale=False, shift=False), x=X3),
    "group_norm": program_case(
        lambda P, S, x: S.nn.group_norm(x, 2, param_attr=P.ParamAttr(name="gw"), bias_attr=P.ParamAttr(name="gb")), x=X4
    ),
    # Paddle's gradient of a group norm without weight is not what differences say; nor that of
    # spectral_norm
    "group_norm_bare": program_case(lambda P, S, x: S.nn.group_norm(x, 2), False, x=X4),
    "instance_norm": program_case(
        lambda P, S, x: S.nn.instance_norm(x, param_attr=P.ParamAttr(name="iw"), bias_attr=P.ParamAttr(name="ib")), x=X4
    ),
    "embedding": program_case(lambda P, S, i: S.nn.embedding(i, [10, 3], padding_idx=-1), i=IDS),
    "prelu_all": program_case(lambda P, S, x: S.nn.prelu(x, "all"), x=X4),
    "prelu_channel": program_case(lambda P, S, x: S.nn.prelu(x, "channel"), x=X4),
    "prelu_element": program_case(lambda P, S, x: S.nn.prelu(x, "element"), x=X4),
    "bilinear": program_case(lambda P, S, x, z: S.nn.bilinear_tensor_product(x, z, 5), x=X2, z=X2[:, :3]),
    "row_conv": program_case(lambda P, S, x: S.nn.row_conv(x, 2), x=X3),
    "spectral_norm": program_case(
        lambda P, S, x: P.matmul(x, S.nn.spectral_norm(S.create_parameter([6, 4], "float32"), power_iters=3)), False, x=X2
    ),
    "layers": program_case(lambda P, S, x: P.nn.Sequential(P.nn.Linear(6, 4), P.nn.Tanh(), P.nn.Linear(4, 2))(x), x=X2),
    "batch_norm_layer": program_case(lambda P, S, x: P.nn.BatchNorm2D(4)(x), x=X4),
    "methods": program_case(lambda P, S, x: (x.reshape([-1, 3]) * 2 + x.sum()).astype("float32"), x=X2),
    "shape": program_case(lambda P, S, x: P.reshape(x, [x.shape[0], 2, 3]) + P.shape(x)[0].astype("float32"), x=X2),
    "setitem": program_case(lambda P, S, x: S.setitem(x, (slice(None), 0), 1.0), x=X2),
    "constants": program_case(lambda P, S, x: x * P.to_tensor(X2[0]) + P.full([6], 2.0), x=X2),
}  # fmt: skip


def batches(count, rows, width, seed=0):
    """Batches of inputs, and labels 0 or 1 that depend on them."""
    draw = np.random.default_rng(seed)
    xs = draw.standard_normal((count, rows, width)).astype("float32")
    return [(x, (x.sum(1, keepdims=True) > 0).astype("int64")) for x in xs]


def net(P, x, labels, sizes=(16, 2)):
    """A small classifier: scores and loss."""
    hidden = P.static.nn.fc(
        x, sizes[0], activation="tanh", bias_attr=P.ParamAttr(learning_rate=0.5)
    )
    scores = P.static.nn.fc(hidden, sizes[1])
    return scores, P.mean(P.nn.functional.cross_entropy(scores, labels))


def training_case(optimizer):
    """The losses of a training, that of the program for tests, and the parameters at the end."""

    def run(P):
        with static_mode(P) as S:
            x, labels = S.data("x", [None, 8]), S.data("labels", [None, 1], "int64")
            _, loss = net(P, x, labels)
            test = S.default_main_program().clone(for_test=True)
            made = optimizer(P)
            made.minimize(loss)
            exe = S.Executor(P.CPUPlace())
            start(P, exe)
            losses = []
            for a, b in batches(15, 16, 8):
                losses += exe.run(feed={"x": a, "labels": b}, fetch_list=[loss])
                rate = getattr(made, "_learning_rate", None)
                if isinstance(rate, P.optimizer.lr.LRScheduler):
                    rate.step()
            found = {
                "losses": np.array(losses),
                "test": exe.run(test, feed={"x": a, "labels": b}, fetch_list=[loss.name])[0],
            }
            found.update(
                {
                    f"end {p.name}": np.array(p.get_value())
                    for p in S.default_main_program().all_parameters()
                }
            )
            return found

    return run


def scheduled(P):
    lr = P.optimizer.lr
    return P.optimizer.Adam(lr.LinearWarmup(lr.CosineAnnealingDecay(0.05, 10), 3, 0.0, 0.05))


training = {
    "sgd": training_case(lambda P: P.optimizer.SGD(0.1)),
    "sgd_l2": training_case(lambda P: P.optimizer.SGD(0.1, weight_decay=0.01)),
    "sgd_l1": training_case(
        lambda P: P.optimizer.SGD(0.1, weight_decay=P.regularizer.L1Decay(0.01))
    ),
    "sgd_value": training_case(
        lambda P: P.optimizer.SGD(0.1, grad_clip=P.nn.ClipGradByValue(0.01))
    ),
    "momentum_global_norm": training_case(
        lambda P: P.optimizer.Momentum(
            0.1, 0.9, use_nesterov=True, grad_clip=P.nn.ClipGradByGlobalNorm(0.1)
        )
    ),
    "momentum_norm": training_case(
        lambda P: P.optimizer.Momentum(
            0.1, 0.9, grad_clip=P.nn.ClipGradByNorm(0.05), weight_decay=0.01
        )
    ),
    "adamw": training_case(
        lambda P: P.optimizer.AdamW(
            0.01, weight_decay=0.1, apply_decay_param_fun=lambda name: name.endswith("w_0")
        )
    ),
    "adamax": training_case(lambda P: P.optimizer.Adamax(0.01)),
    "lamb": training_case(
        lambda P: P.optimizer.Lamb(
            0.01, exclude_from_weight_decay_fn=lambda p: p.name.endswith("b_0")
        )
    ),
    "adagrad": training_case(lambda P: P.optimizer.Adagrad(0.1)),
    "adadelta": training_case(lambda P: P.optimizer.Adadelta(1.0)),
    "rmsprop": training_case(lambda P: P.optimizer.RMSProp(0.01, momentum=0.9, centered=True)),
    "step_decay": training_case(
        lambda P: P.optimizer.Momentum(P.optimizer.lr.StepDecay(0.2, 3, 0.5), 0.9)
    ),
    "scheduled": training_case(scheduled),
}


def apart(P):
    """backward, then apply_gradients, with a gradient that is changed between; and two losses on
    shared parameters.
    """
    with static_mode(P) as S:
        x, labels = S.data("x", [None, 8]), S.data("labels", [None, 1], "int64")
        _, loss = net(P, x, labels)
        made = P.optimizer.SGD(0.1)
        pairs = made.backward(loss)
        made.apply_gradients([(p, g * 2.0) for p, g in pairs])
        exe = S.Executor(P.CPUPlace())
        start(P, exe)
        losses = [
            exe.run(feed={"x": a, "labels": b}, fetch_list=[loss])[0] for a, b in batches(5, 16, 8)
        ]
        return {"losses": np.array(losses), "pairs": np.array([[p.name, g.name] for p, g in pairs])}


def averaged(P):
    """ExponentialMovingAverage: losses with averaged and with restored parameters."""
    with static_mode(P) as S:
        x, labels = S.data("x", [None, 8]), S.data("labels", [None, 1], "int64")
        _, loss = net(P, x, labels)
        test = S.default_main_program().clone(for_test=True)
        P.optimizer.SGD(0.1).minimize(loss)
        average = S.ExponentialMovingAverage(0.9)
        average.update()
        exe = S.Executor(P.CPUPlace())
        start(P, exe)
        found = []
        for a, b in batches(4, 16, 8):
            feed = {"x": a, "labels": b}
            exe.run(feed=feed, fetch_list=[])
            with average.apply(exe):
                found += exe.run(test, feed=feed, fetch_list=[loss.name])
            found += exe.run(test, feed=feed, fetch_list=[loss.name])
        return {"losses": np.array(found)}


def weight_norm(dim):
    """Losses of a layer with weight_norm; with `dim`, Paddle's own sums have different shapes."""

    def run(P):
        with static_mode(P) as S:
            x, labels = S.data("x", [None, 8]), S.data("labels", [None, 1], "int64")
            scores = S.nn.fc(x, 2, weight_attr=S.WeightNormParamAttr(dim=dim, name="w"))
            loss = P.mean(P.nn.functional.cross_entropy(scores, labels))
            P.optimizer.SGD(0.1).minimize(loss)
            exe = S.Executor(P.CPUPlace())
            names = start(P, exe)
            losses = [
                exe.run(feed={"x": a, "labels": b}, fetch_list=[loss])[0]
                for a, b in batches(5, 16, 8)
            ]
            return {"losses": np.array(losses), "names": np.array(sorted(names))}

    return run


def metrics(**settings):
    """accuracy and auc over several batches, and the state of auc."""

    def run(P):
        with static_mode(P) as S:
            x, labels = S.data("x", [None, 2]), S.data("labels", [None, 1], "int64")
            share = S.accuracy(x, labels)
            whole, window, kept = S.auc(x, labels, **settings)
            exe = S.Executor(P.CPUPlace())
            exe.run(S.default_startup_program())
            found = []
            for a, b in batches(4, 20, 1):
                p = 1 / (1 + np.exp(-a - 0.8 * batches(1, 20, 1, len(found))[0][0]))
                feed = {"x": np.concatenate([1 - p, p], 1).astype("float32"), "labels": b}
                found.append(exe.run(feed=feed, fetch_list=[share, whole, window, *kept]))
            return {
                f"run{i} {j}": np.array(a) for i, row in enumerate(found) for j, a in enumerate(row)
            }

    return run


def second_order(P):
    """Gradients of gradients."""
    with static_mode(P) as S:
        x = S.data("x", [None, 3])
        x.stop_gradient = False
        y = (x * x * P.tanh(x)).sum()
        (g,) = S.gradients(y, x)
        (h,) = S.gradients((g * g).sum(), x)
        exe = S.Executor(P.CPUPlace())
        return dict(zip("gh", exe.run(feed={"x": X2[:, :3]}, fetch_list=[g, h]), strict=True))


def targets(P):
    """gradients with weights of the targets, of several targets, and with a variable that counts as
    a constant.
    """
    with static_mode(P) as S:
        x, w = S.data("x", [None, 3]), S.data("w", [None, 3])
        x.stop_gradient = False
        a = P.tanh(x)
        b = a * x
        first = S.gradients([b], [x], target_gradients=[w])
        second = S.gradients([x * 3.0, b], [x, a])
        third = S.gradients([b], [x], no_grad_set={a.name})
        exe = S.Executor(P.CPUPlace())
        made = exe.run(feed={"x": X2[:, :3], "w": X2[:, 3:]}, fetch_list=[*first, *second, *third])
        return {f"gradient{i}": g for i, g in enumerate(made)}


def word2vec(P):
    """word2vec of Paddle's documentation, made small: four words predict the next one."""
    with static_mode(P) as S:
        words = [S.data(f"w{i}", [None, 1], "int64") for i in range(4)]
        following = S.data("next", [None, 1], "int64")
        parts = [S.nn.embedding(w, [20, 6], param_attr="shared") for w in words]
        joined = P.concat([P.reshape(p, [-1, 6]) for p in parts], axis=1)
        scores = S.nn.fc(S.nn.fc(joined, 12, activation="sigmoid"), 20, activation="softmax")
        loss = P.mean(P.nn.functional.cross_entropy(scores, following, use_softmax=False))
        P.optimizer.Adam(0.05).minimize(loss)
        exe = S.Executor(P.CPUPlace())
        names = start(P, exe)
        draw = np.random.default_rng(3)
        losses = []
        for _ in range(8):
            ids = draw.integers(0, 20, (5, 16, 1))
            feed = {f"w{i}": ids[i] for i in range(4)} | {"next": ids[4]}
            losses += exe.run(feed=feed, fetch_list=[loss])
        return {"losses": np.array(losses), "names": np.array(names)}


def fit_a_line(P):
    """Linear regression: the first example of Paddle's documentation."""
    with static_mode(P) as S:
        x, y = S.data("x", [None, 13]), S.data("y", [None, 1])
        loss = P.mean(P.nn.functional.square_error_cost(S.nn.fc(x, 1), y))
        P.optimizer.SGD(0.05).minimize(loss)
        exe = S.Executor(P.CPUPlace())
        start(P, exe)
        feeds = [{"x": a, "y": a[:, :1] * 2 + 1} for a, _ in batches(10, 20, 13)]
        return {"losses": np.array([exe.run(feed=f, fetch_list=[loss])[0] for f in feeds])}


def python_calls(P):
    """py_func with a backward function, and static_pylayer."""
    with static_mode(P) as S:
        x = S.data("x", [None, 3])
        x.stop_gradient = False

        def new(name):
            return (
                S.default_main_program()
                .current_block()
                .create_var(name=name, dtype="float32", shape=[-1, 3])
            )

        a = S.py_func(
            lambda v: np.tanh(np.array(v)),
            x,
            new("a"),
            lambda y, g: np.array(g) * 2 * np.array(y),
            x,
        )
        b = S.nn.static_pylayer(P.exp, [a * 1.0], lambda g: P.exp(g) * 2)
        (g,) = S.gradients(b.sum(), x)
        exe = S.Executor(P.CPUPlace())
        return dict(zip("abg", exe.run(feed={"x": X2[:, :3]}, fetch_list=[a, b, g]), strict=True))


def branches(P):
    """cond inside a training: gradients flow through the branch that ran."""
    with static_mode(P) as S:
        x, labels = S.data("x", [None, 8]), S.data("labels", [None, 1], "int64")
        hidden = S.nn.fc(x, 4)
        hidden = S.nn.cond(x.sum() > 0, lambda: P.tanh(hidden) * 2, lambda: hidden * hidden)
        loss = P.mean(P.nn.functional.cross_entropy(S.nn.fc(hidden, 2), labels))
        P.optimizer.SGD(0.1).minimize(loss)
        exe = S.Executor(P.CPUPlace())
        start(P, exe)
        feeds = [
            {"x": a + s, "labels": b}
            for s, (a, b) in zip([-0.5, 0.5] * 3, batches(6, 16, 8), strict=True)
        ]
        return {"losses": np.array([exe.run(feed=f, fetch_list=[loss])[0] for f in feeds])}


def loops(P):
    """while_loop with a data-dependent number of iterations, with gradients."""
    with static_mode(P) as S:
        x, n = S.data("x", [2, 3]), S.data("n", [1], "int64")
        x.stop_gradient = False
        i = P.full([1], 0, "int64")
        i.stop_gradient = True
        i, y = S.nn.while_loop(lambda i, y: i < n, lambda i, y: [i + 1, y * x + 1.0], [i, x * 1.0])
        (g,) = S.gradients(y.sum(), x)
        exe = S.Executor(P.CPUPlace())
        found = {}
        for rounds in (0, 1, 4):
            made = exe.run(feed={"x": X2[:2, :3], "n": np.array([rounds])}, fetch_list=[i, y, g])
            found.update({f"{rounds} rounds {k}": a for k, a in zip("iyg", made, strict=True)})
        return found


def choices(P):
    """case and switch_case, all branches."""
    with static_mode(P) as S:
        x, k = S.data("x", [None, 3]), S.data("k", [1], "int64")
        one = S.nn.switch_case(k, {1: lambda: x + 1.0, 4: lambda: x * 4.0}, default=lambda: -x)
        two = S.nn.case(
            [(k < 2, lambda: x.sum()), (k < 4, lambda: x.mean())], default=lambda: x.max()
        )
        exe = S.Executor(P.CPUPlace())
        return {
            f"{i} {j}": a
            for i in (1, 2, 4)
            for j, a in enumerate(
                exe.run(feed={"x": X2[:, :3], "k": np.array([i])}, fetch_list=[one, two])
            )
        }


def kept_count(P):
    """A counter that outlives runs, written by assign and increment; and a value set
    between runs.
    """
    with static_mode(P) as S:
        count = S.create_global_var([1], 0.0, "float32", persistable=True, name="count")
        total = S.create_global_var([1], 0.0, "float32", persistable=True, name="total")
        P.increment(count, 2.0)
        P.assign(total + count, output=total)
        exe = S.Executor(P.CPUPlace())
        exe.run(S.default_startup_program())
        runs = [exe.run(fetch_list=[count, total]) for _ in range(3)]
        S.global_scope().find_var("total").get_tensor().set(np.zeros([1], "float32"), P.CPUPlace())
        runs.append(exe.run(fetch_list=["count", "total"]))
        return {"runs": np.array(runs)}


def used_parts(P):
    """use_prune: feeds that are not needed can be omitted."""
    with static_mode(P) as S:
        x, z = S.data("x", [None, 3]), S.data("z", [None, 3])
        y, _ = x * 2.0, z * 3.0
        exe = S.Executor(P.CPUPlace())
        return {"y": exe.run(feed={"x": X2[:, :3]}, fetch_list=[y], use_prune=True)[0]}


programs = {
    "branches": branches, "loops": loops, "choices": choices, "kept_count": kept_count, "used_parts": used_parts,
    "apart": apart, "averaged": averaged, "weight_norm": weight_norm(None), "metrics": metrics(),
    "metrics_window": metrics(slide_steps=2), "metrics_all": metrics(slide_steps=0, num_thresholds=7), "second_order": second_order,
    "targets": targets, "word2vec": word2vec, "fit_a_line": fit_a_line, "python_calls": python_calls,
}  # fmt: skip
GROUPS = {"static.nn": static_nn, "static training": training, "static": programs}
CASES = {f"{group} {name}": case for group, cases in GROUPS.items() for name, case in cases.items()}
