"""Programs of fluid: layers, executors, control flow, metrics, readers, LoD."""

# ruff: noqa - Python as its users wrote it for Python 3.7

import importlib

import numpy as np

from ..table import NAME, attempt, f32, paddle, raised, scenario

fluid = importlib.import_module(NAME + ".fluid")
L = fluid.layers
X = f32([[0.5, -0.25, 0.75], [1.0, -0.5, 2.0]])
CONSTANT = fluid.initializer.Constant(0.5)


def fc(x, size=2, **more):
    return L.fc(
        x,
        size,
        param_attr=fluid.ParamAttr(initializer=CONSTANT),
        bias_attr=fluid.ParamAttr(initializer=fluid.initializer.Constant(0.1)),
        **more,
    )


def run(feed, fetch, times=1, **more):
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    for _ in range(times):
        found = exe.run(fluid.default_main_program(), feed=feed, fetch_list=fetch, **more)
    return [np.asarray(a) for a in found]


@scenario
def feeding_forms():
    x = fluid.data("x", [None, 3])
    y = L.data("y", [3])
    out = fc(x) + L.reduce_sum(y, dim=1, keep_dim=True)
    return (
        run({"x": X, "y": X}, [out]),
        run({"x": X, "y": X}, [out.name]),
        x.shape,
        y.shape,
        raised(run, {"x": X}, [out]) != "no error",
    )


@scenario
def activations():
    x = fluid.data("x", [None, 3])
    names = "relu tanh sigmoid exp sqrt abs square softplus softsign ceil floor round reciprocal leaky_relu elu relu6 hard_sigmoid swish logsigmoid tanh_shrink hard_swish thresholded_relu stanh brelu soft_relu".split()
    return dict(zip(names, run({"x": np.abs(X)}, [getattr(L, n)(x) for n in names])))


@scenario
def elementwise_and_axis():
    x, y = fluid.data("x", [2, 3]), fluid.data("y", [2])
    ops = [
        L.elementwise_add,
        L.elementwise_sub,
        L.elementwise_mul,
        L.elementwise_div,
        L.elementwise_max,
        L.elementwise_min,
    ]
    return run(
        {"x": X, "y": f32(2, 4)},
        [op(x, y, axis=0) for op in ops]
        + [L.elementwise_add(x, x, act="relu"), L.elementwise_pow(L.abs(x), x)],
    )


@scenario
def shapes_of_layers():
    x = fluid.data("x", [2, 3])
    return run(
        {"x": X},
        [
            L.reshape(x, [3, -1]),
            L.transpose(x, [1, 0]),
            L.unsqueeze(x, [0]),
            L.concat([x, x], 1),
            L.split(x, 3, 1)[1],
            L.stack([x, x]),
            L.expand(x, [1, 2]),
            L.slice(x, [1], [1], [3]),
            L.cast(x, "int64"),
            L.reduce_mean(x, 0),
            L.flatten(x, 1),
            L.pad(x, [1, 0, 0, 1], 2.0),
            L.gather(x, L.fill_constant([1], "int32", 1)),
            L.shape(x),
            L.argmax(x, 1),
            L.reverse(x, 1),
            L.cumsum(x, 1),
            L.one_hot(L.fill_constant([2, 1], "int64", 1), 3),
            L.topk(x, 2)[0],
            L.argsort(x, 1)[1],
            L.sums([x, x]),
            L.clip(x, 0.0, 1.0),
            L.scale(x, 2.0, 1.0),
            L.matmul(x, x, transpose_y=True),
            L.mul(x, L.transpose(x, [1, 0])),
            L.mean(x),
            L.crop(x, [1, 2], [0, 1]),
            L.where(L.greater_than(x, L.zeros_like(x))),
        ],
    )


@scenario
def losses_of_fluid():
    x, label = fluid.data("x", [2, 3]), fluid.data("label", [2, 1], "int64")
    soft = L.softmax(x)
    return run(
        {"x": X, "label": np.array([[1], [2]])},
        [
            L.cross_entropy(soft, label),
            L.softmax_with_cross_entropy(x, label),
            L.square_error_cost(x, soft),
            L.sigmoid_cross_entropy_with_logits(x, soft),
            L.smooth_l1(x, soft),
            L.huber_loss(x, soft, 1.0),
            L.mse_loss(x, soft),
            L.kldiv_loss(x, soft, "mean"),
            L.accuracy(soft, label),
            L.label_smooth(soft, epsilon=0.1),
            L.log_loss(L.slice(soft, [1], [0], [1]), L.cast(label, "float32")),
            L.bpr_loss(soft, label),
            L.l2_normalize(x, 1),
            L.dice_loss(soft, label),
            L.rank_loss(*[L.slice(soft, [1], [i], [i + 1]) for i in range(3)]),
        ],
    )


@scenario
def pictures():
    x = fluid.data("x", [1, 2, 4, 4])
    image = f32(np.sin(np.arange(32)).reshape(1, 2, 4, 4))
    attr = fluid.ParamAttr(initializer=CONSTANT)
    layers = [
        lambda: L.conv2d(x, 2, 3, padding=1, param_attr=attr, act="relu"),
        lambda: L.conv2d_transpose(x, 1, filter_size=2, stride=2, param_attr=attr),
        lambda: L.pool2d(x, 2, "max", 2),
        lambda: L.pool2d(x, 2, "avg", 1, pool_padding=1),
        lambda: L.pool2d(x, pool_type="avg", global_pooling=True),
        lambda: L.adaptive_pool2d(x, 2, "avg"),
        lambda: L.batch_norm(x),
        lambda: L.layer_norm(x),
        lambda: L.group_norm(x, 2),
        lambda: L.instance_norm(x),
        lambda: L.resize_bilinear(x, [2, 3]),
        lambda: L.resize_nearest(x, [2, 2]),
        lambda: L.pixel_shuffle(L.concat([x, x], 1), 2),
        lambda: L.maxout(x, 2),
        lambda: L.lrn(x),
        lambda: L.image_resize(x, [3, 3]),
        lambda: L.prelu(x, "channel"),
        lambda: L.pad2d(x, [1, 0, 0, 1], "reflect"),
        lambda: L.space_to_depth(x, 2),
        lambda: L.shuffle_channel(x, 2),
    ]
    return [attempt(lambda: run({"x": image}, [layer()])) for layer in layers]


@scenario
def while_and_arrays():
    i, n = L.fill_constant([1], "int64", 0), L.fill_constant([1], "int64", 4)
    total, array = L.fill_constant([1], "float32", 0), L.create_array("float32")
    cond = L.less_than(i, n)
    loop = L.While(cond)
    with loop.block():
        L.array_write(total, i, array)
        L.assign(total + L.cast(i, "float32"), total)
        L.increment(i)
        L.less_than(i, n, cond=cond)
    return run(
        {}, [total, i, L.array_read(array, L.fill_constant([1], "int64", 2)), L.array_length(array)]
    )


@scenario
def conditions_of_fluid():
    x = fluid.data("x", [1])
    a = L.cond(x > 0, lambda: x * 2, lambda: x - 1)
    b = L.case([(x > 10, lambda: x), (x > 1, lambda: x + 5)], lambda: x * 0)
    c = L.switch_case(L.cast(x, "int32"), {1: lambda: x + 1, 2: lambda: x + 2}, lambda: -x)
    d = L.fill_constant([1], "float32", 0)
    with L.Switch() as switch:
        with switch.case(x > 1.5):
            L.assign(x * 10, d)
        with switch.default():
            L.assign(x * 100, d)
    _, e = L.while_loop(
        lambda i, v: i < 3, lambda i, v: [i + 1, v * 2], [L.fill_constant([1], "int64", 0), x]
    )
    return [run({"x": f32([v])}, [a, b, c, d, e]) for v in (-1.0, 1.0, 2.0)]


@scenario
def static_rnn():
    x = fluid.data("x", [3, 2, 4])
    rnn = L.StaticRNN()
    with rnn.step():
        word = rnn.step_input(x)
        prev = rnn.memory(shape=[-1, 2], batch_ref=word)
        hidden = fc([word, prev], 2, act="tanh")
        rnn.update_memory(prev, hidden)
        rnn.step_output(hidden)
    return run({"x": f32(np.cos(np.arange(24)).reshape(3, 2, 4))}, [rnn()])


@scenario
def sequences():
    x = fluid.data("x", [None, 2], lod_level=1)
    t = fluid.create_lod_tensor(f32(np.arange(10).reshape(5, 2)), [[2, 3]], fluid.CPUPlace())
    layers = [L.sequence_pool(x, k) for k in ("sum", "average", "max", "sqrt", "first", "last")]
    layers += [
        L.sequence_softmax(L.slice(x, [1], [0], [1])),
        L.sequence_reverse(x),
        L.sequence_expand(L.sequence_pool(x, "sum"), x),
        L.sequence_pad(x, L.fill_constant([1], "float32", 0))[0],
        L.sequence_concat([x, x]),
        L.lod_reset(x, target_lod=[0, 1, 5]),
    ]
    exe = fluid.Executor()
    found = exe.run(feed={"x": t}, fetch_list=layers, return_numpy=False)
    return [[np.array(f), f.recursive_sequence_lengths()] for f in found]


def trained(make, steps=3):
    x = fluid.data("x", [2, 3])
    loss = L.mean(L.square(fc(x, act="tanh")))
    make().minimize(loss)
    return run(
        {"x": X}, [loss] + [p.name for p in fluid.default_main_program().all_parameters()], steps
    )


O = fluid.optimizer
RULES = {
    "sgd": lambda: O.SGD(0.1),
    "momentum": lambda: O.Momentum(0.1, 0.9),
    "nesterov": lambda: O.Momentum(0.1, 0.9, use_nesterov=True),
    "adagrad": lambda: O.Adagrad(0.1),
    "adamax": lambda: O.Adamax(0.1),
    "decayed": lambda: O.DecayedAdagrad(0.1),
    "rms": lambda: O.RMSProp(0.1),
    "ftrl": lambda: O.Ftrl(0.1),
    "lars": lambda: O.LarsMomentum(0.1, 0.9),
    "l2": lambda: O.SGD(0.1, regularization=fluid.regularizer.L2Decay(0.1)),
    "l1": lambda: O.SGD(0.1, regularization=fluid.regularizer.L1Decay(0.1)),
    "clip": lambda: O.SGD(0.1, grad_clip=fluid.clip.GradientClipByGlobalNorm(0.01)),
    "value": lambda: O.SGD(0.1, grad_clip=fluid.clip.GradientClipByValue(0.001)),
    "exponential": lambda: O.SGD(L.exponential_decay(0.1, 1, 0.5)),
    "piecewise": lambda: O.SGD(L.piecewise_decay([1, 2], [0.3, 0.2, 0.1])),
    "noam": lambda: O.SGD(L.noam_decay(16, 4)),
    "polynomial": lambda: O.SGD(L.polynomial_decay(0.1, 4)),
    "cosine": lambda: O.SGD(L.cosine_decay(0.1, 1, 4)),
    "warmup": lambda: O.SGD(L.linear_lr_warmup(0.1, 3, 0.01, 0.1)),
    "inverse": lambda: O.SGD(L.inverse_time_decay(0.1, 1, 0.5)),
    "natural": lambda: O.SGD(L.natural_exp_decay(0.1, 1, 0.5)),
}
for _name, _make in RULES.items():

    def _run(_make=_make):
        return trained(_make)

    _run.__name__ = "trained_by_" + _name
    _run.__signature__ = __import__("inspect").Signature()
    scenario(_run)


@scenario
def saved_models(folder):
    x = fluid.data("x", [None, 3])
    y = fc(x)
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    fluid.io.save_inference_model(str(folder / "m"), ["x"], [y], exe)
    fluid.io.save_persistables(exe, str(folder / "p"))
    program, feeds, fetches = fluid.io.load_inference_model(str(folder / "m"), exe)
    return (
        feeds,
        exe.run(program, {"x": X}, fetches),
        [op.type for op in program.global_block().ops if op.type not in ("feed", "fetch", "scale")],
    )


@scenario
def clone_and_backward():
    x = fluid.data("x", [2, 3])
    x.stop_gradient = False
    loss = L.mean(L.dropout(fc(x), 0.0))
    test = fluid.default_main_program().clone(for_test=True)
    pairs = fluid.backward.append_backward(loss)
    return (
        [g.name for _, g in pairs],
        run({"x": X}, [g for _, g in pairs] + ["x@GRAD"]),
        len(test.global_block().ops),
        [p.name for p, _ in pairs],
    )


@scenario
def metrics_of_fluid():
    m = fluid.metrics
    a, p, r, u = m.Accuracy(), m.Precision(), m.Recall(), m.Auc("auc")
    a.update(0.5, 2), a.update(1.0, 2)
    preds, labels = f32([[0.2], [0.8], [0.7]]), np.array([[0], [1], [0]])
    p.update(preds, labels), r.update(preds, labels)
    u.update(f32([[0.8, 0.2], [0.2, 0.8], [0.3, 0.7]]), labels)
    return a.eval(), float(p.eval()), float(r.eval()), float(u.eval())


@scenario
def readers():
    source = lambda: iter(range(7))
    r = paddle.reader
    return [
        list(paddle.batch(source, 3)()),
        list(paddle.batch(source, 3, drop_last=True)()),
        list(r.firstn(source, 2)()),
        list(r.chain(source, source)())[:9],
        list(r.compose(source, source)())[0],
        list(r.map_readers(lambda v: v * 2, source)()),
        sorted(r.shuffle(source, 4)()),
        list(r.buffered(source, 2)()),
        list(r.cache(source)()),
    ]


@scenario
def text_and_names():
    x = fluid.data("x", [2, 3])
    y = fc(x, name="named")
    return (
        x.name,
        y.name,
        [p.name for p in fluid.default_main_program().all_parameters()],
        str(x.dtype),
        [op.type for op in fluid.default_main_program().global_block().ops],
        raised(fc, 3) != "no error",
        raised(L.concat, [x, 3]) != "no error",
    )
