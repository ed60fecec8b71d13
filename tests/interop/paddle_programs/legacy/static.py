"""Executor, Program, Variable, clone and prune, control flow, and gradients of programs."""

# ruff: noqa - Python as its users write it

import numpy as np

from ..table import attempt, each, f32, paddle, raised, static_scenario

S, nn = paddle.static, paddle.nn
X = f32([[0.5, -0.25, 0.75], [1.0, -0.5, 2.0]])
HALF, TENTH = nn.initializer.Constant(0.5), nn.initializer.Constant(0.1)


def fc(x, size=2, name="w"):
    return S.nn.fc(
        x,
        size,
        weight_attr=paddle.ParamAttr(name=name, initializer=HALF),
        bias_attr=paddle.ParamAttr(name=name + "_b", initializer=TENTH),
    )


def run(feed, fetch, program=None, startup=True, **options):
    exe = S.Executor()
    if startup:
        exe.run(S.default_startup_program())
    return exe.run(program or S.default_main_program(), feed, fetch, **options)


@static_scenario
def feeds_and_fetches():
    x = S.data("x", [None, 3])
    y = fc(x)
    exe = S.Executor()
    exe.run(S.default_startup_program())
    run_ = lambda feed, fetch, **k: exe.run(feed=feed, fetch_list=fetch, **k)
    return each(
        lambda: run_({"x": X}, [y]),
        lambda: run_({"x": X}, [y.name]),
        lambda: run_({"x": X}, y),
        lambda: run_({"x": X}, [y, x]),
        lambda: run_({"x": X}, []),
        lambda: run_({"x": X}, None),
        lambda: None,
        lambda: [type(v).__name__ for v in run_({"x": X}, [y])],
        lambda: run_({"x": X}, [y], return_numpy=False)[0] is not None,
        lambda: run_({"x": X}, ["w"]),
    )


@static_scenario
def wrong_feeds_and_fetches():
    x, z = S.data("x", [None, 3]), S.data("z", [2])
    y = fc(x)
    exe = S.Executor()
    exe.run(S.default_startup_program())
    run_ = lambda feed, fetch: (
        "no error" if raised(exe.run, feed=feed, fetch_list=fetch) == "no error" else "error"
    )
    return each(
        lambda: run_({"x": X[:, :2]}, [y]),
        lambda: run_({"x": X.astype("int64")}, [y]),
        lambda: run_({}, [y]),
        lambda: run_({"x": X}, ["nothing"]),
        lambda: run_({"x": X, "other": X}, [y]),
        lambda: run_({"x": X[0]}, [y]),
        lambda: run_([X], [y]),
        lambda: run_({"x": "text"}, [y]),
        lambda: run_({"x": X}, [3]),
        lambda: run_({"x": X, "z": X}, [z]),
    )


@static_scenario
def variables():
    x = S.data("x", [None, 3], "float32")
    y = fc(x)
    return each(
        lambda: x.name,
        lambda: x.shape,
        lambda: x.dtype,
        lambda: y.shape,
        lambda: x.stop_gradient,
        lambda: y.stop_gradient,
        lambda: x.persistable,
        lambda: x.ndim,
        lambda: (x + y.sum()).shape,
        lambda: x[0].shape,
        lambda: x[:, 1:].shape,
        lambda: x.T.shape,
        lambda: x.astype("int64").dtype,
        lambda: (x > 0).dtype,
        lambda: x.is_parameter,
        lambda: S.default_main_program().global_block().var("w").shape,
        lambda: x.block.idx,
        lambda: len(x.shape),
        lambda: x.reshape([-1]).shape,
        lambda: paddle.concat([x, x], 1).shape,
        lambda: x.matmul(x, False, True).shape,
    )


@static_scenario
def what_variables_do_not_have():
    x = S.data("x", [2, 3])

    def truth():
        if x.sum() > 0:
            pass

    return (
        raised(x.numpy) != "no error",
        raised(float, x) != "no error",
        raised(lambda: [r for r in x][0].shape),
    )


@static_scenario
def blocks_and_ops():
    x = S.data("x", [None, 3])
    y = nn.functional.relu(fc(x))
    block = S.default_main_program().global_block()
    return each(
        lambda: [op.type for op in block.ops],
        lambda: [p.name for p in S.default_main_program().all_parameters()],
        lambda: sorted(v for v in block.vars if not v.startswith(("fc", "relu"))),
        lambda: block.ops[0].input_arg_names,
        lambda: block.ops[-1].output("Out") == [y.name],
        lambda: block.ops[0].attr("x_num_col_dims"),
        lambda: block.has_var("x"),
        lambda: block.has_var("nothing"),
        lambda: S.default_main_program().num_blocks,
        lambda: len(list(S.default_main_program().list_vars())) > 4,
        lambda: [op.type for op in S.default_startup_program().global_block().ops],
    )


@static_scenario
def clone_for_test():
    x = S.data("x", [None, 3])
    h = nn.functional.dropout(fc(x), 0.5)
    test = S.default_main_program().clone(for_test=True)
    loss = h.mean()
    paddle.optimizer.SGD(0.1).minimize(loss)
    late = S.default_main_program().clone(for_test=True)
    plain = S.default_main_program().clone()
    return (
        run({"x": X}, [h.name], test),
        [op.type for op in test.global_block().ops],
        [op.type for op in late.global_block().ops],
        len(plain.global_block().ops) == len(S.default_main_program().global_block().ops),
    )


@static_scenario
def pruned_runs():
    x, z = S.data("x", [None, 3]), S.data("z", [None, 3])
    y, w = fc(x), fc(z, name="v")
    loss = (y + w).mean()
    return (
        attempt(lambda: run({"x": X}, [y], use_prune=True)),
        run({"x": X, "z": X}, [loss]),
        attempt(lambda: run({"x": X, "z": X}, [y], startup=False, use_prune=True)),
    )


@static_scenario
def programs_apart():
    a, b = S.Program(), S.Program()
    with S.program_guard(a, S.Program()):
        x = S.data("x", [2, 3])
        y = x * 2
    with S.program_guard(b, S.Program()):
        z = S.data("x", [2, 3])
        w = z + 1
    exe = S.Executor()
    return each(
        lambda: exe.run(a, {"x": X}, [y]),
        lambda: exe.run(b, {"x": X}, [w]),
        lambda: a is S.default_main_program(),
        lambda: raised(lambda: exe.run(b, {"x": X}, ["nothing_here"])) != "no error",
        lambda: [op.type for op in a.global_block().ops],
        lambda: a.num_blocks,
    )


@static_scenario
def text_of_programs():
    x = S.data("x", [2, 3])
    fc(x)
    text = str(S.default_main_program())
    return (
        "x" in text,
        "mul" in text or "matmul" in text,
        "w_b" in text,
        len(S.default_main_program().to_string(True)) > 100,
    )


@static_scenario
def parsed_programs():
    x = S.data("x", [None, 3])
    y = x * 2 + 1
    data = (
        S.default_main_program().desc.serialize_to_string()
        if hasattr(S.default_main_program(), "desc")
        else None
    )
    again = S.Program.parse_from_string(data)
    return [op.type for op in again.global_block().ops], run({"x": X}, [y.name], again)


@static_scenario
def conditions():
    x = S.data("x", [2, 3])
    y = S.nn.cond(x.sum() > 0, lambda: x * 2, lambda: x - 1)
    z = S.nn.case([(x.sum() > 100, lambda: x), (x.sum() > 0, lambda: x * 3)], default=lambda: x * 0)
    i = S.data("i", [1], "int32")
    w = S.nn.switch_case(i, {0: lambda: x, 2: lambda: x + 5}, default=lambda: -x)
    p, q = S.nn.cond(x.sum() > 0, lambda: (x, x + 1), lambda: (x + 2, x + 3))
    fetch = [y, z, w, p, q]
    return [
        run({"x": v, "i": np.array([n], "int32")}, fetch) for v, n in ((X, 0), (-X, 2), (X, 7))
    ], raised(S.nn.cond, x.sum() > 0, lambda: x, lambda: (x, x)) != "no error"


@static_scenario
def while_loops():
    i, n, total = paddle.zeros([1], "int64"), paddle.full([1], 5, "int64"), paddle.zeros([1])
    out = S.nn.while_loop(
        lambda i, t: i < n, lambda i, t: [i + 1, t + i.astype("float32")], [i, total]
    )
    x = S.data("x", [2, 3])
    x.stop_gradient = False
    k = paddle.zeros([1], "int64")
    _, y = S.nn.while_loop(lambda k, v: k < 3, lambda k, v: [k + 1, v * 2], [k, x])
    (g,) = S.gradients(y.sum(), x)
    return (
        run({"x": X}, [*out, y, g]),
        raised(S.nn.while_loop, lambda i: i < n, lambda i, j: i, [i]) != "no error",
        raised(S.nn.while_loop, 3, lambda i: i, [i]) != "no error",
        raised(S.nn.while_loop, lambda i: i < n, lambda i: i, []) != "no error",
    )


@static_scenario
def gradients_of_programs():
    x = S.data("x", [2, 3])
    x.stop_gradient = False
    y = fc(x)
    loss = (y * y).mean()
    pairs = S.append_backward(loss)
    grads = S.gradients([y], [x])
    return (
        [(p.name, g.name) for p, g in pairs],
        run({"x": X}, [g for _, g in pairs]),
        len(grads),
        run({"x": X}, grads),
    )


@static_scenario
def gradients_of_some_parameters():
    x = S.data("x", [2, 3])
    a, b = fc(x), fc(x, name="v")
    b.stop_gradient = True
    loss = (a + b).mean()
    found = S.append_backward(loss, parameter_list=["w"])
    return (
        [(p.name, g.name) for p, g in found],
        run({"x": X}, [found[0][1]]),
        raised(S.append_backward, 3) != "no error",
    )


@static_scenario
def gradients_of_unused_and_of_parts():
    x, z = S.data("x", [2, 3]), S.data("z", [2, 3])
    x.stop_gradient = z.stop_gradient = False
    y = x * x
    return [g if g is None else g.name for g in S.gradients(y, [x, z])], run(
        {"x": X, "z": X},
        S.gradients(y, x, target_gradients=z) + S.gradients(y, x, no_grad_set={"z"}),
    )


@static_scenario
def constants_and_globals():
    g = S.create_global_var([1], 2.0, "float32", persistable=True, name="counter")
    p = S.create_parameter([2], "float32", name="p1", default_initializer=HALF)
    c = paddle.full([2], 3.0)
    a = paddle.assign(f32(1, 2))
    paddle.increment(g)
    exe = S.Executor()
    exe.run(S.default_startup_program())
    return (
        [exe.run(fetch_list=[g, p, c, a]) for _ in range(2)],
        p.persistable,
        p.trainable,
        g.persistable,
    )


@static_scenario
def scopes():
    x = S.data("x", [2, 3])
    y = fc(x)
    exe = S.Executor()
    exe.run(S.default_startup_program())
    scope = S.global_scope()
    first = np.array(scope.find_var("w").get_tensor())
    scope.find_var("w").get_tensor().set(np.ones((3, 2), "float32"), paddle.CPUPlace())
    changed = exe.run(feed={"x": X}, fetch_list=[y])
    other = S.Scope()
    with S.scope_guard(other):
        inside = raised(exe.run, feed={"x": X}, fetch_list=[y]) != "no error"
    return (
        first,
        changed,
        inside,
        scope.find_var("nothing_at_all") is None,
        exe.run(feed={"x": X}, fetch_list=[y]),
    )


@static_scenario
def trained_programs():
    x, label = S.data("x", [None, 3]), S.data("label", [None, 1], "int64")
    loss = nn.functional.cross_entropy(fc(x, 4), label)
    opt = paddle.optimizer.Momentum(
        0.1, 0.9, grad_clip=nn.ClipGradByGlobalNorm(0.5), weight_decay=0.01
    )
    ops, pairs = opt.minimize(loss)
    exe = S.Executor()
    exe.run(S.default_startup_program())
    feed = {"x": X, "label": np.array([[1], [3]])}
    return (
        [exe.run(feed=feed, fetch_list=[loss])[0] for _ in range(4)],
        [p.name for p, _ in pairs],
        exe.run(feed=feed, fetch_list=["w"]),
    )


@static_scenario
def learning_rates_of_programs():
    x = S.data("x", [2, 3])
    loss = fc(x).mean()
    sched = paddle.optimizer.lr.ExponentialDecay(0.5, 0.5)
    paddle.optimizer.SGD(sched).minimize(loss)
    exe = S.Executor()
    exe.run(S.default_startup_program())
    found = []
    for _ in range(3):
        exe.run(feed={"x": X})
        found.append(exe.run(S.default_main_program().clone(for_test=True), {"x": X}, [loss])[0])
        sched.step()
    return found, sched.last_lr


@static_scenario
def batch_norm_in_training_and_test():
    x = S.data("x", [2, 3])
    y = S.nn.batch_norm(x, momentum=0.5, moving_mean_name="mean", moving_variance_name="var")
    test = S.default_main_program().clone(for_test=True)
    exe = S.Executor()
    exe.run(S.default_startup_program())
    a = exe.run(feed={"x": X}, fetch_list=[y])
    return (
        a,
        exe.run(test, {"x": X}, [y.name]),
        [np.array(S.global_scope().find_var(n).get_tensor()) for n in ("mean", "var")],
    )


@static_scenario
def compiled_programs_and_strategies():
    x = S.data("x", [2, 3])
    y = fc(x)
    exe = S.Executor(paddle.CPUPlace())
    exe.run(S.default_startup_program())
    build = S.BuildStrategy()
    build.fuse_elewise_add_act_ops = True
    compiled = S.CompiledProgram(S.default_main_program(), build_strategy=build)
    return exe.run(compiled, {"x": X}, [y]), exe.close(), S.ExecutionStrategy().num_threads >= 0


@static_scenario
def python_functions_and_prints():
    x = S.data("x", [2, 3])
    out = (
        S.default_main_program()
        .global_block()
        .create_var(name="made", dtype="float32", shape=[2, 3])
    )
    S.py_func(lambda a: np.array(a) * 2, x, out)
    y = S.Print(x + 1, message="shown", summarize=2)
    return run({"x": X}, [out, y])


@static_scenario
def metrics_of_programs():
    x, label = S.data("x", [None, 2]), S.data("l", [None, 1], "int64")
    acc = S.accuracy(nn.functional.softmax(x), label, k=1)
    auc = S.auc(nn.functional.softmax(x), label)[0]
    feed = {"x": f32([[1, 2], [3, 1], [0, 1]]), "l": np.array([[1], [1], [0]])}
    return run(feed, [acc, auc])


@static_scenario
def input_specs():
    I = S.InputSpec
    x = I([None, 3], "float32", "x")
    return each(
        lambda: x.shape,
        lambda: x.name,
        lambda: x.dtype,
        lambda: I.from_numpy(X, "n").shape,
        lambda: I.from_tensor(S.data("d", [2, -1])).shape,
        lambda: x.batch(4).shape,
        lambda: I([3], "float32").batch(2).shape,
        lambda: I([2, 3]).unbatch().shape,
        lambda: x == I([None, 3], "float32", "x"),
        lambda: raised(I, 3) != "no error",
        lambda: I([3, -1]).shape,
        lambda: str(I([None, 2], "int64", "q")),
    )


@static_scenario
def names_and_guards():
    with paddle.utils.unique_name.guard():
        a = nn.Linear(2, 2).weight.name
        b = nn.Linear(2, 2).weight.name
    with paddle.utils.unique_name.guard("pre_"):
        c = nn.Linear(2, 2).bias.name
    with S.name_scope("scope"):
        d = (S.data("x", [2]) * 2).shape
    return (
        a,
        b,
        c,
        d,
        paddle.utils.unique_name.generate("key").startswith("key"),
        S.device_guard("cpu") is not None,
    )


@static_scenario
def exponential_moving_averages():
    x = S.data("x", [2, 3])
    loss = fc(x).mean()
    paddle.optimizer.SGD(0.5).minimize(loss)
    ema = S.ExponentialMovingAverage(0.5)
    ema.update()
    exe = S.Executor()
    exe.run(S.default_startup_program())
    test = S.default_main_program().clone(for_test=True)
    for _ in range(3):
        exe.run(feed={"x": X})
    plain = np.array(S.global_scope().find_var("w").get_tensor())
    with ema.apply(exe):
        averaged = np.array(S.global_scope().find_var("w").get_tensor())
    return plain, averaged, np.array(S.global_scope().find_var("w").get_tensor())
