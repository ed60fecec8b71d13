"""Model, callbacks, summary and flops, for Oarlock and real Paddle: each case takes the package and
returns arrays and text.

Runs in both environments, so it uses nothing but NumPy and what it is given.
"""

import contextlib
import io
import re
import warnings

import numpy as np

X = np.random.default_rng(1).standard_normal((22, 1, 4, 4)).astype("float32")
Y = np.random.default_rng(2).integers(0, 3, (22, 1))


def said(function):
    """What is printed, without times and folders."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        found = function()
    out = re.sub(r" - (ETA: \d+s - )?\d+(ms|us|s)/step", "", text.getvalue())
    out = re.sub(r"(cost|ips): [\d.]+", r"\1", out)
    return re.sub(r"at /.*/", "at ", out), found


def samples(P, size=22):
    """A Dataset of small images with classes."""

    class Samples(P.io.Dataset):
        def __getitem__(self, index):
            return X[index], Y[index]

        def __len__(self):
            return size

    return Samples()


def network(P):
    """A small net with known values."""
    net = P.nn.Sequential(P.nn.Flatten(), P.nn.Linear(16, 8), P.nn.ReLU(), P.nn.Linear(8, 3))
    draw = np.random.default_rng(3)
    for tensor in net.state_dict().values():
        tensor.set_value(0.4 * draw.standard_normal(tensor.shape).astype("float32"))
    return net


def model(P, lr=0.1, metrics=None, optimizer=None):
    """It, prepared."""
    made = P.Model(network(P))
    optimizer = optimizer or P.optimizer.SGD(lr, parameters=made.parameters())
    made.prepare(
        optimizer, P.nn.CrossEntropyLoss(), P.metric.Accuracy() if metrics is None else metrics
    )
    return made


def state(made):
    return {f"state {k}": v.numpy() for k, v in made.network.state_dict().items()}


def fitted(P, settings=None, made=None, **more):
    """What fit prints and leaves."""
    made = made or model(P)
    options = {
        "batch_size": 5,
        "epochs": 3,
        "shuffle": False,
        "verbose": 2,
        "log_freq": 2,
        **(settings or {}),
        **more,
    }
    text, _ = said(lambda: made.fit(samples(P), **options))
    return {"text": np.array(text), **state(made), "lr": np.array(made._optimizer.get_lr())}


def evaluated(P, **options):
    made = model(P)
    text, found = said(lambda: made.evaluate(samples(P), batch_size=4, **options))
    return {"text": np.array(text), "acc": np.array(found["acc"]), "loss": np.array(found["loss"])}


def predicted(P, **options):
    made = model(P)
    text, found = said(lambda: made.predict(samples(P), batch_size=5, **options))
    return {
        "text": np.array(text),
        **{f"{i} {j}": a for i, out in enumerate(found) for j, a in enumerate(out)},
    }


# in Paddle there are those of other runs, too
KEYS = {"acc", "batch_size", "loss", "metrics", "step", "steps"}


def events(P):
    """Return the called methods of a callback and their arguments."""
    seen = []

    class Watch(P.callbacks.Callback):
        def __getattribute__(self, name):
            if name.startswith("on_"):

                def note(*args):
                    logs = (args[-1] or {}) if not name.endswith("batch_begin") else {}
                    known = KEYS - {"acc", "loss"} if "predict" in name else KEYS
                    shown = sorted(logs.keys() & known)
                    seen.append(
                        f"{name} {args[:-1]} {shown} {logs.get('step')} {logs.get('batch_size')}"
                    )

                return note
            return super().__getattribute__(name)

    watch = Watch()
    made = model(P)
    made.fit(
        samples(P, 7),
        samples(P, 5),
        batch_size=[3, 2],
        epochs=2,
        verbose=0,
        callbacks=[watch],
        shuffle=False,
    )
    made.evaluate(samples(P, 5), batch_size=3, verbose=0, callbacks=watch)
    made.predict(samples(P, 5), batch_size=3, verbose=0, callbacks=[watch])
    lines = [re.sub(r"\(\), |\[\] None None", "", line) for line in seen]
    return {"lines": np.array(lines), "params": np.array(str(sorted(watch.params)))}


def batches(P):
    """train_batch, eval_batch and predict_batch."""
    made = model(P, metrics=[P.metric.Accuracy((1, 2))])
    (loss,), (accuracy,) = made.train_batch([X[:6]], [Y[:6]])
    kept = made.train_batch([X[6:9]], [Y[6:9]], update=False)[0][0]
    more = made.train_batch([X[9:12]], [Y[9:12]])[0][0]
    (after,), _ = made.eval_batch([P.to_tensor(X[:6])], [P.to_tensor(Y[:6])])
    alone = P.Model(network(P))
    alone.prepare(P.optimizer.SGD(0.1, parameters=alone.parameters()), P.nn.CrossEntropyLoss())
    return {
        "loss": loss,
        "accuracy": np.array(accuracy),
        "kept": kept,
        "more": more,
        "after": after,
        "out": made.predict_batch([X[:2]])[0],
        "alone": alone.train_batch([X[:6]], [Y[:6]])[0],
        "alone after": alone.eval_batch([X[:6]], [Y[:6]])[0],
        **state(made),
    }


def scheduled(P, **options):
    """A learning rate that changes by step or by epoch."""
    rate = P.optimizer.lr.StepDecay(0.1, 2, 0.5)
    made = P.Model(network(P))
    made.prepare(P.optimizer.Momentum(rate, parameters=made.parameters()), P.nn.CrossEntropyLoss())
    callbacks = [P.callbacks.LRScheduler(**options)] if options else None
    return fitted(P, made=made, callbacks=callbacks, verbose=0)


def stopped(P, **options):
    """EarlyStopping: epoch and value."""
    watch = P.callbacks.EarlyStopping(save_best_model=False, **options)
    found = fitted(P, made=model(P, 0.9), eval_data=samples(P, 9), callbacks=[watch], epochs=12)
    return {**found, "best": np.array(watch.best_value), "epoch": np.array(watch.stopped_epoch)}


def reduced(P, **options):
    """ReduceLROnPlateau: learning rates and epochs.

    The rate is too small to matter: Paddle's optimizer goes on with the old one.
    """
    watch = P.callbacks.ReduceLROnPlateau(**options)
    return fitted(P, made=model(P, 1e-9), eval_data=samples(P, 9), callbacks=[watch], epochs=9)


def summarized(P, make, *args, **options):
    with P.utils.unique_name.guard():
        net = make(P)
        text, found = said(lambda: P.summary(net, *args, **options))
    return {
        "text": np.array(text),
        "total": np.array(int(found["total_params"])),
        "trainable": np.array(int(found["trainable_params"])),
    }


def two_inputs(P):
    class Two(P.nn.Layer):
        def __init__(self):
            super().__init__()
            self.table = P.nn.Embedding(10, 4)
            self.table.weight.stop_gradient = True
            self.inner = P.nn.Linear(4, 2)

        def forward(self, ids, x):
            return self.inner(self.table(ids) + x), x

    return Two()


def counted(P, make, size, **options):
    with P.utils.unique_name.guard():
        net = make(P)
        warnings.simplefilter("ignore")
        text, found = said(lambda: P.flops(net, size, **options))
    return {"flops": np.array(found), "text": np.array(text.splitlines()[-1])}


def custom(P):
    def count(layer, x, y):
        layer.total_ops += 1000

    return counted(
        P, lambda P: P.vision.models.LeNet(), [1, 1, 28, 28], custom_ops={P.nn.MaxPool2D: count}
    )


def adam(P):
    made = P.Model(network(P))
    made.prepare(
        P.optimizer.Adam(0.01, parameters=made.parameters(), weight_decay=0.1),
        P.nn.CrossEntropyLoss(),
    )
    return fitted(P, made=made)


def lenet(P):
    return P.vision.models.LeNet()


def steps_with_trace(P, scheduler):
    """After which of five steps `on_trace_ready` is called."""
    steps, ready = [], []
    with P.profiler.Profiler(
        targets=[P.profiler.ProfilerTarget.CPU],
        scheduler=scheduler,
        on_trace_ready=lambda _: ready.append(len(steps)),
    ) as running:
        for step in range(5):
            P.ones([4])
            running.step()
            steps.append(step)
    return ready


def profiler_schedules(P):
    """The states of the steps, and how often the trace is ready."""
    profiler = P.profiler
    found = {}
    schedules = {
        "cycles": {"closed": 1, "ready": 1, "record": 2},
        "twice": {"closed": 0, "ready": 2, "record": 1, "repeat": 2},
        "later": {"closed": 2, "ready": 0, "record": 3, "repeat": 1, "skip_first": 2},
        "always": {"closed": 0, "ready": 0, "record": 1},
    }
    for name, settings in schedules.items():
        state_of = profiler.make_scheduler(**settings)
        found[f"states {name}"] = np.array([state_of(step).value for step in range(12)])
    for name, scheduler in {"range": (1, 3), "none": None}.items():
        found[f"ready {name}"] = np.array(steps_with_trace(P, scheduler))
    return found


FOUND = {
    "fit": fitted,
    "fit lines": lambda P: fitted(P, log_freq=1, eval_data=samples(P, 9), eval_freq=2),
    "fit a loader": lambda P: fitted(P, eval_data=P.io.DataLoader(samples(P, 9), batch_size=2)),
    "fit with times": lambda P: fitted(P, verbose=3, epochs=1),
    "fit drop_last": lambda P: fitted(P, drop_last=True),
    "fit num_iters": lambda P: fitted(P, num_iters=7),
    "fit one epoch of num_iters": lambda P: fitted(P, num_iters=3),
    "fit accumulate": lambda P: fitted(P, accumulate_grad_batches=2),
    "fit two metrics": lambda P: fitted(
        P, made=model(P, metrics=[P.metric.Accuracy((1, 2), name="a"), P.metric.Accuracy(name="b")])
    ),
    "fit Adam": adam,
    "evaluate": evaluated,
    "evaluate num_iters": lambda P: evaluated(P, num_iters=2, log_freq=1),
    "predict": lambda P: predicted(P, verbose=2),
    "predict stacked": lambda P: predicted(P, stack_outputs=True, verbose=0),
    "events": events,
    "batches": batches,
    "schedule by step": scheduled,
    "schedule by epoch": lambda P: scheduled(P, by_step=False, by_epoch=True),
    "EarlyStopping": lambda P: stopped(P, patience=2),
    "EarlyStopping acc": lambda P: stopped(P, monitor="acc", patience=3, min_delta=0.2),
    "EarlyStopping baseline": lambda P: stopped(P, mode="min", patience=2, baseline=0.01),
    "ReduceLROnPlateau": lambda P: reduced(P, patience=2, factor=0.5),
    "ReduceLROnPlateau acc": lambda P: reduced(
        P, monitor="acc", patience=1, cooldown=2, min_lr=5e-11
    ),
    "summary": lambda P: summarized(P, lenet, (1, 1, 28, 28)),
    "summary None": lambda P: summarized(P, lenet, (None, 1, 28, 28)),
    "summary of a tensor": lambda P: summarized(P, lenet, input=P.ones([2, 1, 28, 28])),
    "summary ResNet": lambda P: summarized(
        P, lambda P: P.vision.models.resnet18(num_classes=7), (1, 3, 64, 64)
    ),
    "summary two": lambda P: summarized(
        P, two_inputs, [(3, 5), (3, 5, 4)], dtypes=["int64", "float32"]
    ),
    "summary spec": lambda P: summarized(
        P, lenet, P.static.InputSpec([None, 1, 28, 28], "float32", "x")
    ),
    "summary alone": lambda P: summarized(P, lambda P: P.nn.Linear(3, 4), [(2, 3)]),
    "flops LeNet": lambda P: counted(P, lenet, [1, 1, 28, 28]),
    "flops batch": lambda P: counted(P, lenet, [4, 1, 28, 28], print_detail=True),
    "flops ResNet": lambda P: counted(P, lambda P: P.vision.models.resnet18(), [1, 3, 224, 224]),
    "flops MobileNetV3": lambda P: counted(
        P, lambda P: P.vision.models.mobilenet_v3_small(), [1, 3, 64, 64]
    ),
    "flops InceptionV3": lambda P: counted(
        P, lambda P: P.vision.models.inception_v3(), [1, 3, 96, 96]
    ),
    "flops custom": custom,
}

CASES = {f"hapi.{name}": case for name, case in FOUND.items()}
CASES["profiler.schedules"] = profiler_schedules
