"""Training in programs: optimizers, clips, regularizers, schedules; parameters and state
afterwards.
"""

import numpy as np

from .common import fill_parameters, integers, numbers

STEPS = 4


def net(fluid, param_attr=None):
    """The loss of a small net on data layers `x` and `y`."""
    x = fluid.layers.data("x", [3], dtype="float32")
    y = fluid.layers.data("y", [2], dtype="float32")
    hidden = fluid.layers.fc(x, 4, act="tanh", param_attr=param_attr)
    out = fluid.layers.fc(hidden, 2)
    return fluid.layers.mean(fluid.layers.square_error_cost(out, y)), hidden


def letters(names):
    """Names as an array."""
    return np.array([ord(c) for c in ",".join(names)], "int32")


def trained(fluid, step, param_attr=None, around=None, steps=STEPS):
    """All values that outlive a run, after some steps of the program that `step(loss)` ends; with
    their names.
    """
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(scope):
        loss, hidden = net(fluid, param_attr)
        if around is not None:
            around(hidden)
        step(loss)
        executor = fluid.Executor(fluid.CPUPlace())
        executor.run(startup)
        fill_parameters(fluid, main)
        for parameter in main.all_parameters():
            slow = scope.find_var(parameter.name + "@SLOW")
            if slow is not None:
                slow.get_tensor().set(
                    np.array(scope.find_var(parameter.name).get_tensor()), fluid.CPUPlace()
                )
        losses = []
        for i in range(steps):
            feed = {"x": numbers(5, 3, seed=i), "y": numbers(5, 2, seed=90 + i)}
            losses.append(np.asarray(executor.run(main, feed=feed, fetch_list=[loss])[0]))
        names = sorted(
            v.name for v in main.list_vars() if v.persistable and v.name not in ("feed", "fetch")
        )
        values = [np.asarray(scope.find_var(n).get_tensor()) for n in names]
    return losses + values + [letters(names)]


def case_sgd(fluid):
    return trained(
        fluid, lambda loss: fluid.optimizer.SGDOptimizer(learning_rate=0.1).minimize(loss)
    )


def case_momentum(fluid):
    return trained(fluid, lambda loss: fluid.optimizer.Momentum(0.1, 0.9).minimize(loss))


def case_adam(fluid):
    return trained(
        fluid, lambda loss: fluid.optimizer.Adam(0.1, beta1=0.5, beta2=0.6).minimize(loss)
    )


def case_adamax(fluid):
    return trained(fluid, lambda loss: fluid.optimizer.AdamaxOptimizer(0.1).minimize(loss))


def case_others(fluid):
    o = fluid.optimizer
    makes = (
        lambda: o.Adagrad(0.1), lambda: o.DecayedAdagrad(0.1), lambda: o.RMSPropOptimizer(0.05), lambda: o.Ftrl(0.1, l1=0.01),
        lambda: o.LarsMomentum(0.5, 0.9),
    )  # fmt: skip
    found = [
        a for make in makes for a in trained(fluid, lambda loss, make=make: make().minimize(loss))
    ]
    return found + trained(fluid, lambda loss: o.LambOptimizer(0.05).minimize(loss))[:STEPS]


def case_clips(fluid):
    clips = (
        fluid.clip.GradientClipByValue(0.05),
        fluid.clip.GradientClipByNorm(0.1),
        fluid.clip.GradientClipByGlobalNorm(0.1),
    )
    return [
        a
        for c in clips
        for a in trained(
            fluid, lambda loss, c=c: fluid.optimizer.SGD(0.5, grad_clip=c).minimize(loss)
        )
    ]


def case_set_gradient_clip(fluid):
    def some(loss):
        names = ["fc_0.w_0", "fc_0.b_0", "fc_1.w_0", "fc_1.b_0"]
        fluid.clip.set_gradient_clip(fluid.clip.GradientClipByGlobalNorm(0.1), param_list=names)
        fluid.optimizer.SGD(0.5).minimize(loss)

    def every(loss):
        fluid.clip.set_gradient_clip(fluid.clip.GradientClipByNorm(0.1))
        fluid.optimizer.SGD(0.5).minimize(loss)

    return trained(fluid, some) + trained(fluid, every)


def case_error_clip(fluid):
    def around(hidden):
        hidden.error_clip = fluid.clip.ErrorClipByValue(0.02)

    return trained(fluid, lambda loss: fluid.optimizer.SGD(0.5).minimize(loss), around=around)


def case_regularizers(fluid):
    both = (fluid.regularizer.L2Decay(0.1), fluid.regularizer.L1Decay(0.1))
    found = [
        a
        for r in both
        for a in trained(
            fluid, lambda loss, r=r: fluid.optimizer.SGD(0.5, regularization=r).minimize(loss)
        )
    ]
    attr = fluid.ParamAttr(
        name="mine", learning_rate=0.5, regularizer=fluid.regularizer.L2Decay(0.3)
    )
    return found + trained(
        fluid,
        lambda loss: fluid.optimizer.SGD(0.5, regularization=both[1]).minimize(loss),
        param_attr=attr,
    )


def case_parts(fluid):
    def step(loss):
        optimizer = fluid.optimizer.SGD(0.5)
        pairs = optimizer.backward(loss)
        optimizer.apply_gradients([(p, g) for p, g in pairs if p.name != "fc_0.b_0"])

    def listed(loss):
        fluid.optimizer.SGD(0.5).minimize(loss, parameter_list=["fc_0.w_0"], no_grad_set=None)

    return trained(fluid, step) + trained(fluid, listed)


def case_decays(fluid):
    layers = fluid.layers
    makes = (
        lambda: layers.exponential_decay(0.5, 2, 0.5), lambda: layers.piecewise_decay([1, 3], [0.5, 0.2, 0.1]),
        lambda: layers.noam_decay(64, 3),
    )  # fmt: skip
    return [
        a
        for make in makes
        for a in trained(fluid, lambda loss, make=make: fluid.optimizer.SGD(make()).minimize(loss))[
            :STEPS
        ]
    ]


def case_lookahead(fluid):
    return trained(
        fluid,
        lambda loss: fluid.optimizer.LookaheadOptimizer(fluid.optimizer.SGD(0.5), 0.3, 2).minimize(
            loss
        ),
        steps=5,
    )[:5]


def case_recompute(fluid):
    def step(loss):
        optimizer = fluid.optimizer.RecomputeOptimizer(fluid.optimizer.SGD(0.5))
        optimizer._set_checkpoints([])
        optimizer.minimize(loss)

    return trained(fluid, step)


def case_decoupled(fluid):
    made = fluid.contrib.extend_with_decoupled_weight_decay(fluid.optimizer.SGD)
    return trained(fluid, lambda loss: made(weight_decay=0.1, learning_rate=0.5).minimize(loss))


def case_model_average(fluid):
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(scope):
        loss, _ = net(fluid)
        fluid.optimizer.SGD(0.5).minimize(loss)
        average = fluid.optimizer.ModelAverage(0.5, min_average_window=2, max_average_window=3)
        executor = fluid.Executor(fluid.CPUPlace())
        executor.run(startup)
        fill_parameters(fluid, main)
        for i in range(7):
            executor.run(
                main,
                feed={"x": numbers(5, 3, seed=i), "y": numbers(5, 2, seed=90 + i)},
                fetch_list=[loss],
            )
        names = [p.name for p in main.all_parameters()]
        values = [np.array(scope.find_var(n).get_tensor()) for n in names]
        with average.apply(executor):
            values += [np.array(scope.find_var(n).get_tensor()) for n in names]
        values += [np.array(scope.find_var(n).get_tensor()) for n in names]
    return values


def case_feeder(fluid):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        x, y = fluid.layers.data("x", [2, 2]), fluid.layers.data("y", [1], dtype="int64")
        feeder = fluid.DataFeeder([x, y], fluid.CPUPlace())
        rows = [(numbers(4, seed=i).tolist(), int(i)) for i in range(3)]
        fed = feeder.feed(rows)
        words = fluid.layers.data("words", [1], dtype="int64", lod_level=1)
        sequences = fluid.DataFeeder([words], fluid.CPUPlace()).feed([([1, 2, 3],), ([4],)])[
            "words"
        ]
    lengths = sequences.recursive_sequence_lengths()[0]
    return [
        np.asarray(fed["x"]),
        np.asarray(fed["y"]),
        np.array(sequences),
        np.array(lengths, "int64"),
    ]


def case_metrics(fluid):
    found = []
    probabilities = numbers(20, 2, low=0.01, high=0.99)
    labels = integers(20, 1, below=2)
    auc, precision, recall = (
        fluid.metrics.Auc("auc"),
        fluid.metrics.Precision(),
        fluid.metrics.Recall(),
    )
    accuracy, both = fluid.metrics.Accuracy(), fluid.metrics.CompositeMetric()
    both.add_metric(precision)
    both.add_metric(recall)
    for _ in range(2):
        auc.update(probabilities, labels)
        both.update(probabilities[:, 1:], labels)
        accuracy.update(0.4, 3)
        accuracy.update(np.array([0.7]), 2)
    distance, chunks = fluid.metrics.EditDistance("d"), fluid.metrics.ChunkEvaluator()
    distance.update(np.array([[1.0], [0.0], [3.0]]), 3)
    chunks.update(10, 12, 8)
    weighted = fluid.average.WeightedAverage()
    weighted.add(2.0, 1)
    weighted.add(4.0, 3)
    found += [
        auc.eval(),
        both.eval(),
        float(np.asarray(accuracy.eval()).reshape(-1)[0]),
        list(distance.eval()),
        list(chunks.eval()),
        weighted.eval(),
    ]
    accuracy.reset()
    return [np.asarray(f, "float64") for f in found] + [np.asarray(accuracy.weight, "float64")]
