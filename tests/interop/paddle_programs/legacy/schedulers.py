"""Learning rate schedulers."""

# ruff: noqa - Python as its users write it

import numpy as np

from ..table import attempt, each, f32, paddle, raised, scenario

lr = paddle.optimizer.lr


def rates(sched, steps=12):
    found = []
    for _ in range(steps):
        found.append(round(float(sched()), 8))
        sched.step()
    return found


@scenario
def every_schedule():
    kinds = {
        "noam": lambda: lr.NoamDecay(64, 4, 2.0), "piecewise": lambda: lr.PiecewiseDecay([2, 5], [0.3, 0.2, 0.1]),
            "natural": lambda: lr.NaturalExpDecay(0.5, 0.1), "inverse": lambda: lr.InverseTimeDecay(0.5, 0.1),
            "polynomial": lambda: lr.PolynomialDecay(0.5, 5, 0.01, 2.0),
            "polynomial cycle": lambda: lr.PolynomialDecay(0.5, 5, 0.01, 1.0, cycle=True),
            "warmup": lambda: lr.LinearWarmup(lr.StepDecay(0.5, 2, 0.5), 3, 0.0, 0.5), "exponential": lambda: lr.ExponentialDecay(0.5, 0.8),
            "multistep": lambda: lr.MultiStepDecay(0.5, [2, 4, 9], 0.5), "step": lambda: lr.StepDecay(0.5, 3),
            "lambda": lambda: lr.LambdaDecay(0.5, lambda e: 1 / (e + 1)), "multiplicative": lambda: lr.MultiplicativeDecay(0.5, lambda e: 0.9),
            "cosine": lambda: lr.CosineAnnealingDecay(0.5, 4, 0.1), "one cycle": lambda: lr.OneCycleLR(1.0, 10),
            "one cycle three": lambda: lr.OneCycleLR(1.0, 11, divide_factor=10.0, end_learning_rate=0.01, phase_pct=0.4, anneal_strategy="linear",
            three_phase=True), "cyclic": lambda: lr.CyclicLR(0.1, 0.5, 3, 2),
            "cyclic triangular2": lambda: lr.CyclicLR(0.1, 0.5, 2, mode="triangular2"),
            "cyclic exp": lambda: lr.CyclicLR(0.1, 0.5, 2, mode="exp_range", exp_gamma=0.9), "linear": lambda: lr.LinearLR(0.5, 5, 0.2, 1.0),
            "restarts": lambda: lr.CosineAnnealingWarmRestarts(0.5, 3, 2),
    }  # fmt: skip
    return {k: attempt(lambda: rates(make(), 11)) for k, make in kinds.items()}


@scenario
def resumed_schedules():
    kinds = {
        "step": lambda e: lr.StepDecay(0.5, 3, last_epoch=e),
        "cosine": lambda e: lr.CosineAnnealingDecay(0.5, 4, last_epoch=e),
        "exponential": lambda e: lr.ExponentialDecay(0.5, 0.8, last_epoch=e),
        "noam": lambda e: lr.NoamDecay(64, 4, last_epoch=e),
        "multiplicative": lambda e: lr.MultiplicativeDecay(0.5, lambda x: 0.9, last_epoch=e),
    }
    return {k: rates(make(4), 4) for k, make in kinds.items()}


@scenario
def steps_to_an_epoch():
    s = lr.StepDecay(0.5, 3)
    s.step(7)
    a = [s(), s.last_epoch, s.last_lr]
    s.step()
    c = lr.CosineAnnealingDecay(0.5, 4)
    c.step(3)
    return a, s.last_epoch, s(), c()


@scenario
def states():
    s = lr.MultiStepDecay(0.5, [2, 4])
    for _ in range(3):
        s.step()
    t = lr.MultiStepDecay(0.5, [2, 4])
    t.set_state_dict(s.state_dict())
    w = lr.LinearWarmup(lr.StepDecay(0.5, 2), 2, 0.0, 0.5)
    for _ in range(3):
        w.step()
    return (
        s.state_dict(),
        rates(t, 4),
        sorted(w.state_dict()),
        sorted(lr.ReduceOnPlateau(0.1).state_dict()),
    )


@scenario
def plateaus():
    found = {}
    for name, options in {
        "plain": {},
        "max": {"mode": "max"},
        "abs": {"threshold_mode": "abs", "threshold": 0.1},
        "cool": {"cooldown": 1, "min_lr": 0.2},
    }.items():
        s = lr.ReduceOnPlateau(1.0, factor=0.5, patience=1, **options)
        steps = []
        for loss in (3.0, 3.0, 3.0, 3.0, 2.95, 2.95, 2.95, 2.95, 2.95):
            s.step(paddle.to_tensor([loss]) if name == "abs" else loss)
            steps.append(s())
        found[name] = steps
    return found


@scenario
def own_schedulers():
    class Mine(lr.LRScheduler):
        def __init__(self, start, last_epoch=-1):
            self.start = start
            super().__init__(start, last_epoch)

        def get_lr(self):
            return self.start / (1 + self.last_epoch)

    m = Mine(1.0)
    return (
        rates(m, 4),
        m.base_lr,
        m.last_epoch,
        m.verbose,
        raised(lr.LRScheduler, "a") != "no error",
    )


@scenario
def wrong_arguments():
    makes = {
        "step": lambda: lr.StepDecay(0.5, 0),
        "step text": lambda: lr.StepDecay(0.5, "a"),
        "gamma": lambda: lr.StepDecay(0.5, 2, 1.5),
        "multi": lambda: lr.MultiStepDecay(0.5, [4, 2]),
        "multi type": lambda: lr.MultiStepDecay(0.5, 3),
        "cosine": lambda: lr.CosineAnnealingDecay(0.5, "a"),
        "lambda": lambda: lr.LambdaDecay(0.5, 3),
        "plateau": lambda: lr.ReduceOnPlateau(0.5, "mid"),
        "plateau factor": lambda: lr.ReduceOnPlateau(0.5, factor=2.0),
        "cycle": lambda: lr.CyclicLR(0.1, 0.5, 0),
        "one": lambda: lr.OneCycleLR(1.0, -1),
        "warmup": lambda: lr.LinearWarmup("a", 2, 0.0, 0.5),
        "polynomial": lambda: lr.PolynomialDecay(0.5, 0),
        "noam": lambda: lr.NoamDecay(0, 1),
    }
    return {k: raised(m) != "no error" for k, m in makes.items()}


@scenario
def schedulers_drive_optimizers():
    p = paddle.create_parameter(
        [1], "float32", default_initializer=paddle.nn.initializer.Constant(1.0)
    )
    s = lr.ExponentialDecay(0.5, 0.5)
    opt = paddle.optimizer.SGD(s, [p])
    found = []
    for _ in range(4):
        p.sum().backward()
        opt.step()
        opt.clear_grad()
        s.step()
        found.append([float(p), opt.get_lr()])
    return found
