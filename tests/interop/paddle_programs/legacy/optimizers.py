"""Optimizers, clips, regularizers: several steps in the forms that users write."""

# ruff: noqa - Python as its users write it

import numpy as np

from ..table import attempt, each, f32, fill, paddle, raised, scenario

O, nn = paddle.optimizer, paddle.nn
X = f32([[0.5, -0.25, 0.75], [1.0, -0.5, 2.0]])


def net():
    return fill(nn.Sequential(nn.Linear(3, 2), nn.Tanh(), nn.Linear(2, 1)))


def train(make, steps=4, model=None):
    layer = model or net()
    opt = make(layer.parameters())
    for _ in range(steps):
        layer(paddle.to_tensor(X)).square().mean().backward()
        opt.step()
        opt.clear_grad()
    return [p.numpy().round(5) for p in layer.parameters()]


L1, L2 = paddle.regularizer.L1Decay, paddle.regularizer.L2Decay


@scenario
def every_rule():
    rules = {
        "SGD": lambda p: O.SGD(0.1, parameters=p), "Momentum": lambda p: O.Momentum(0.1, 0.8, p),
            "Nesterov": lambda p: O.Momentum(0.1, parameters=p, use_nesterov=True), "Adam": lambda p: O.Adam(0.1, parameters=p),
            "AdamW": lambda p: O.AdamW(0.1, parameters=p), "Adamax": lambda p: O.Adamax(0.1, parameters=p),
            "Adagrad": lambda p: O.Adagrad(0.1, parameters=p), "Adadelta": lambda p: O.Adadelta(0.1, parameters=p),
            "RMSProp": lambda p: O.RMSProp(0.1, parameters=p), "Lamb": lambda p: O.Lamb(0.1, parameters=p),
            "Rprop": lambda p: O.Rprop(0.1, parameters=p), "NAdam": lambda p: O.NAdam(0.1, parameters=p),
            "RAdam": lambda p: O.RAdam(0.1, parameters=p), "ASGD": lambda p: O.ASGD(0.1, batch_num=2, parameters=p),
    }  # fmt: skip
    return {k: attempt(lambda: train(r)) for k, r in rules.items()}


@scenario
def decay_in_every_form():
    return each(
        lambda: train(lambda p: O.SGD(0.1, p, weight_decay=0.1)),
        lambda: train(lambda p: O.SGD(0.1, p, weight_decay=L1(0.1))),
        lambda: train(lambda p: O.Adam(0.1, parameters=p, weight_decay=L2(0.1))),
        lambda: train(lambda p: O.AdamW(0.1, parameters=p, weight_decay=0.5)),
        lambda: train(lambda p: O.AdamW(0.1, parameters=p, lr_ratio=None)),
        lambda: train(lambda p: O.AdamW(0.1, parameters=p, apply_decay_param_fun=lambda n: False)),
        lambda: train(lambda p: O.Lamb(0.1, lamb_weight_decay=0.5, parameters=p)),
        lambda: train(lambda p: O.Momentum(0.1, parameters=p, weight_decay=0.05)),
        lambda: raised(O.AdamW, 0.1, parameters=net().parameters(), weight_decay="a") != "no error",
    )


@scenario
def regularizers_of_parameters():
    model = nn.Linear(
        3,
        1,
        weight_attr=paddle.ParamAttr(initializer=nn.initializer.Constant(0.5), regularizer=L2(0.5)),
        bias_attr=paddle.ParamAttr(initializer=nn.initializer.Constant(0.5), learning_rate=0.1),
    )
    return train(lambda p: O.SGD(0.1, p, weight_decay=L1(0.5)), 2, model)


@scenario
def clips():
    return each(
        lambda: train(lambda p: O.SGD(0.5, p, grad_clip=nn.ClipGradByValue(0.05))),
        lambda: train(lambda p: O.SGD(0.5, p, grad_clip=nn.ClipGradByValue(0.05, -0.01))),
        lambda: train(lambda p: O.SGD(0.5, p, grad_clip=nn.ClipGradByNorm(0.1))),
        lambda: train(lambda p: O.Adam(0.5, parameters=p, grad_clip=nn.ClipGradByGlobalNorm(0.1))),
        lambda: raised(O.SGD, 0.1, net().parameters(), grad_clip=3) != "no error",
        lambda: nn.ClipGradByGlobalNorm(1.0)([(a, a * 3) for a in [paddle.ones([2])]])[0][1],
    )


@scenario
def parameters_without_need_clip():
    model = nn.Linear(
        3,
        1,
        weight_attr=paddle.ParamAttr(initializer=nn.initializer.Constant(0.5), need_clip=False),
    )
    return train(lambda p: O.SGD(0.5, p, grad_clip=nn.ClipGradByGlobalNorm(0.01)), 2, model)


@scenario
def groups():
    a = net()
    groups = [
        {"params": a[0].parameters(), "learning_rate": 0.1, "weight_decay": 0.1},
        {"params": a[2].parameters()},
    ]
    opt = O.Adam(0.1, parameters=groups)
    for _ in range(3):
        a(paddle.to_tensor(X)).square().mean().backward()
        opt.step()
        opt.clear_grad()
    b = net()
    return (
        [p for p in a.parameters()],
        attempt(
            lambda: train(
                lambda p: O.Momentum(
                    0.1, parameters=[{"params": p, "grad_clip": nn.ClipGradByValue(0.01)}]
                ),
                2,
                b,
            )
        ),
        attempt(
            lambda: train(
                lambda p: O.AdamW(
                    0.1,
                    parameters=[
                        {"params": p[:2], "beta1": 0.1},
                        {"params": p[2:], "weight_decay": 0.3},
                    ],
                ),
                2,
            )
        ),
        raised(O.SGD, 0.1, [{"nothing": 1}]) != "no error",
    )


@scenario
def learning_rates():
    p = paddle.create_parameter([1], "float32", default_initializer=nn.initializer.Constant(1.0))
    opt = O.SGD(0.1, [p])
    opt.set_lr(0.5)
    found = [opt.get_lr()]
    (p * 2).backward()
    opt.step()
    other = O.SGD(O.lr.StepDecay(0.1, 1), [p])
    return each(
        lambda: found,
        lambda: p,
        lambda: raised(other.set_lr, 0.5) != "no error",
        lambda: other.get_lr(),
        lambda: raised(O.SGD, "a", [p]) != "no error",
        lambda: (
            opt.set_lr_scheduler(O.lr.StepDecay(0.3, 1))
            if hasattr(opt, "set_lr_scheduler")
            else None
        ),
        lambda: opt.get_lr(),
    )


@scenario
def minimize_and_gradients():
    layer = net()
    opt = O.SGD(0.1, layer.parameters())
    loss = layer(paddle.to_tensor(X)).square().mean()
    loss.backward()
    ops, pairs = opt.minimize(loss)
    opt.clear_gradients()
    return (
        [g.shape for _, g in pairs],
        [p for p in layer.parameters()],
        [p.grad for p in layer.parameters()],
    )


@scenario
def clear_grad_forms():
    layer = net()
    opt = O.SGD(0.1, layer.parameters())
    layer(paddle.to_tensor(X)).mean().backward()
    opt.clear_grad(set_to_zero=False)
    a = [p.grad for p in layer.parameters()]
    layer(paddle.to_tensor(X)).mean().backward()
    opt.clear_grad()
    b = [p.grad for p in layer.parameters()]
    layer.clear_gradients()
    return a, b, opt.step()


@scenario
def steps_with_parts_unused_and_frozen():
    layer = net()
    layer[0].weight.stop_gradient = True
    opt = O.Adam(0.1, parameters=layer.parameters())
    extra = paddle.create_parameter(
        [1], "float32", default_initializer=nn.initializer.Constant(1.0)
    )
    both = O.Adam(0.1, parameters=[extra, *layer.parameters()], weight_decay=0.1)
    for o in (opt, both):
        layer(paddle.to_tensor(X)).mean().backward()
        o.step()
        o.clear_grad()
    return [p for p in layer.parameters()], extra


@scenario
def two_optimizers_and_accumulation():
    layer = net()
    a, b = O.SGD(0.1, layer[0].parameters()), O.Adam(0.1, parameters=layer[2].parameters())
    for i in range(4):
        (layer(paddle.to_tensor(X)).square().mean() / 2).backward()
        if i % 2:
            a.step(), b.step()
            a.clear_grad(), b.clear_grad()
    return [p for p in layer.parameters()]


@scenario
def lbfgs():
    x = paddle.create_parameter(
        [2], "float32", default_initializer=nn.initializer.Assign([1.5, -1.0])
    )
    opt = O.LBFGS(1.0, max_iter=5, line_search_fn="strong_wolfe", parameters=[x])

    def closure():
        opt.clear_grad()
        loss = ((x - 3) ** 2).sum()
        loss.backward()
        return loss

    first = float(opt.step(closure))
    return round(first, 3), x.numpy().round(3)


@scenario
def float64_and_wrong_arguments():
    p = paddle.create_parameter([2], "float64", default_initializer=nn.initializer.Constant(1.0))
    opt = O.Adam(0.1, parameters=[p])
    (p * p).sum().backward()
    opt.step()
    return each(
        lambda: p,
        lambda: raised(O.SGD, 0.1) != "no error",
        lambda: raised(O.SGD, None, [p]) != "no error",
        lambda: raised(O.Adam, 0.1, beta1=2.0, parameters=[p]) != "no error",
        lambda: raised(O.Momentum, 0.1, None, [p]) != "no error",
        lambda: raised(O.Adam, 0.1, epsilon=None, parameters=[p]) != "no error",
        lambda: raised(O.SGD, 0.1, []) != "no error",
    )


@scenario
def incubate_rules():
    from_incubate = paddle.incubate
    layer = net()
    look = from_incubate.LookAhead(O.SGD(0.1, layer.parameters()), alpha=0.5, k=2)
    for _ in range(4):
        layer(paddle.to_tensor(X)).square().mean().backward()
        look.step()
        look.clear_grad()
    other = net()
    sgd = O.SGD(0.1, other.parameters())
    average = from_incubate.ModelAverage(
        0.15, parameters=other.parameters(), min_average_window=2, max_average_window=10
    )
    for _ in range(3):
        other(paddle.to_tensor(X)).square().mean().backward()
        sgd.step()
        sgd.clear_grad()
        average.step()
        average.clear_grad()
    before = other[0].weight.clone()
    with average.apply(need_restore=True):
        inside = other[0].weight.clone()
    return [p for p in layer.parameters()], before, inside, other[0].weight
