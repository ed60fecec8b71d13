"""Rows of the steps of optimizers."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(41)
f, pos = n.f, n.pos

RATE = np.array([0.1], "f")
P1, P2 = np.array([0.9**3], "f"), np.array([0.999**3], "f")
SKIP = np.array([True])


def sgd(p, lr, g, *_):
    return p - lr * g


def momentum(mu=0.9, nesterov=False, decay=0.0, scale=1.0):
    def of(p, g, v, lr, *_):
        g = g * scale + decay * p
        v = mu * v + g
        return p - lr * (g + mu * v if nesterov else v), v

    return of


def adam(b1=0.9, b2=0.999, eps=1e-8, coeff=0.0, ratio=1.0):
    def of(p, g, lr, m, v, p1, p2, *_):
        lr = lr * ratio
        p = p * (1 - lr * coeff)
        m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
        step = (m / (1 - p1)) / (np.sqrt(v / (1 - p2)) + eps)
        return p - lr * step, m, v, p1 * b1, p2 * b2

    return of


def adamax(p, g, lr, m, u, p1, *_):
    m, u = 0.9 * m + 0.1 * g, np.maximum(np.abs(g), 0.999 * u + 1e-8)
    return p - lr / (1 - p1) * m / u, m, u


def adagrad(p, g, m, lr, *_):
    m = m + g * g
    return p - lr * g / (np.sqrt(m) + 1e-6), m


def adadelta(p, g, s, u, lr, *_):
    s = 0.95 * s + 0.05 * g * g
    step = -np.sqrt((u + 1e-6) / (s + 1e-6)) * g
    return p + lr * step, s, 0.95 * u + 0.05 * step * step


def rmsprop(mu=0.0, centered=False):
    def of(p, s, g, m, lr, a=None, *_):
        s = 0.9 * s + 0.1 * g * g
        a = (0.9 * a + 0.1 * g) if centered else a
        m = mu * m + lr * g / np.sqrt(s + 1e-3 - (a * a if centered else 0))
        return p - m, m, s, np.zeros_like(p) if a is None else a

    return of


def lamb(decay):
    def of(p, g, lr, m, v, p1, p2, *_):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        step = m / (1 - p1) / (np.sqrt(v / (1 - p2)) + 1e-6) + decay * p
        trust = np.linalg.norm(p) / np.linalg.norm(step) if decay else 1.0
        return p - lr * trust * step, m, v, p1 * 0.9, p2 * 0.999

    return of


def decayed_adagrad(p, g, m, lr):
    m = 0.95 * m + 0.05 * g * g
    return p - lr * g / (np.sqrt(m) + 1e-6), m


def ftrl(l1, l2, power=0.5):
    def of(p, s, linear, g, lr):
        total = s + g * g
        linear = linear + g - (total**power - s**power) / lr * p
        made = (l1 * np.sign(linear) - linear) / (total**power / lr + 2 * l2)
        return np.where(np.abs(linear) > l1, made, 0), total, linear

    return of


def lars(ps, vs, gs, lrs, *_):
    made = []
    for p, v, g, lr in zip(ps, vs, gs, lrs, strict=True):
        size, slope = np.linalg.norm(p), np.linalg.norm(g)
        new = 0.9 * v + lr * 0.01 * size / (slope + 0.1 * size) * (g + 0.1 * p)
        made.append((p - new, new))
    return [p for p, _ in made], [v for _, v in made]


def dpsgd(p, g, lr):
    return p - lr * g / max(np.linalg.norm(g) / 0.5, 1.0)


def accumulates(p, a, b, c, n, o, u):
    return (
        (a + p, b, c, n + 1, o, u + 1)
        if n[0] < 2
        else (a * 0, b * 0, a + p + b, n * 0, n + 1, u + 1)
    )


def unscale(xs, scale):
    return [x / scale for x in xs], np.array([not all(np.isfinite(x).all() for x in xs)])


ADAM = [f(3, 4), f(3, 4), RATE, f(3, 4), pos(3, 4), P1, P2]
ROWS = [
    Row("sgd", [f(3, 4), RATE, f(3, 4)], ref=sgd),
    Row("sgd", [f(), RATE, f()], ref=lambda p, lr, g: p - lr[0] * g),
    Row("momentum", [f(3, 4), f(3, 4), f(3, 4), RATE], {"mu": 0.9}, ref=momentum()),
    Row("momentum", [f(3, 4), f(3, 4), f(3, 4), RATE], {"mu": 0.8, "use_nesterov": True}, ref=momentum(0.8, True)),
    Row("momentum", [f(5), f(5), f(5), RATE],
        {"mu": 0.8, "regularization_method": "l2_decay", "regularization_coeff": 0.3, "rescale_grad": 0.5}, ref=momentum(0.8, False, 0.3, 0.5),
        paddle="the CPU kernel of 2.6.2 ignores rescale_grad"),
    Row("adam", ADAM, ref=adam(eps=0), tol=2e-5),
    Row("adam", ADAM, {"beta1": 0.7, "beta2": 0.8, "epsilon": 0.1}, tol=2e-5),
    Row("adam", [*ADAM, None, SKIP], ref=lambda *a: (a[0], *a[3:7])),
    Row("adam", [*ADAM, None, None, np.array([0.7], "f"), np.array([0.8], "f"), np.array([1e-9], "f")], ref=adam(0.7, 0.8, 0), tol=2e-5),
    Row("adam", ADAM, {"use_global_beta_pow": True}, ref=lambda *a: (*adam(eps=0)(*a)[:3], *a[5:7]), tol=2e-5, unset=frozenset({"Beta1PowOut", "Beta2PowOut"})),
    Row("adamw", ADAM, {"with_decay": True, "coeff": 0.3}, ref=adam(eps=0, coeff=0.3), tol=2e-5),
    Row("adamw", ADAM, {"with_decay": True, "lr_ratio": 0.5}, ref=adam(eps=0, coeff=0.01, ratio=0.5), tol=2e-5,
        paddle="the CPU kernel of 2.6.2 does not apply lr_ratio to the step"),
    Row("adamw", ADAM, ref=adam(eps=0), tol=2e-5),
    Row("adamw", [*ADAM, None, SKIP], {"with_decay": True}, ref=lambda *a: (a[0], *a[3:7])),
    Row("adamax", [f(3, 4), f(3, 4), RATE, f(3, 4), pos(3, 4), P1], ref=adamax),
    Row("adagrad", [f(3, 4), f(3, 4), pos(3, 4), RATE], ref=adagrad),
    Row("adadelta", [f(3, 4), f(3, 4), pos(3, 4), pos(3, 4), RATE], ref=adadelta),
    Row("rmsprop", [f(3, 4), pos(3, 4), f(3, 4), f(3, 4), RATE], {"epsilon": 1e-3}, ref=rmsprop(), paddle="2.6.2 requires MeanGrad"),
    Row("rmsprop", [f(3, 4), pos(3, 4), f(3, 4), f(3, 4), RATE, f(3, 4) * 0.1], {"epsilon": 1e-3, "momentum": 0.8, "centered": True}, ref=rmsprop(0.8, True)),
    Row("rmsprop", [f(3, 4), pos(3, 4), f(3, 4), f(3, 4), RATE, f(3, 4) * 0.1], {"epsilon": 1e-3}, ref=rmsprop()),
    Row("lamb", ADAM, {"weight_decay": 0.1}, ref=lamb(0.1), tol=2e-5),
    Row("lamb", ADAM, {"weight_decay": 0.0}, ref=lamb(0.0), tol=2e-5),
    Row("lamb", [*ADAM, None, SKIP], {"weight_decay": 0.1}, ref=lambda *a: (a[0], *a[3:7])),
    Row("decayed_adagrad", [f(3, 4), f(3, 4), pos(3, 4), RATE], ref=decayed_adagrad),
    Row("ftrl", [f(3, 4), pos(3, 4), f(3, 4), f(3, 4), RATE], {"l1": 0.1, "l2": 0.2}, ref=ftrl(0.1, 0.2)),
    Row("ftrl", [f(3, 4), pos(3, 4), f(3, 4), f(3, 4), RATE], {"l1": 0.1, "lr_power": -0.7}, ref=ftrl(0.1, 0.0, 0.7), tol=2e-5),
    Row("lars_momentum", [[f(3, 4)], [f(3, 4)], [f(3, 4)], [RATE]], {"mu": 0.9, "lars_coeff": 0.01, "lars_weight_decay": [0.1]}, ref=lars),
    Row("dpsgd", [f(3, 4), f(3, 4), RATE], {"clip": 0.5, "sigma": 0.0}, ref=dpsgd),
    Row("average_accumulates", [f(3, 4), f(3, 4), f(3, 4), f(3, 4), *(np.array([n]) for n in (1, 5, 9))],
        {"average_window": 0.1, "max_average_window": 5, "min_average_window": 3}, ref=accumulates),
    Row("average_accumulates", [f(3, 4), f(3, 4), f(3, 4), f(3, 4), *(np.array([n]) for n in (2, 5, 9))],
        {"average_window": 0.1, "max_average_window": 5, "min_average_window": 3}, ref=accumulates),
    Row("check_finite_and_unscale", [[f(3, 4), f(5)], np.array([8.0], "f")], ref=unscale),
    Row("check_finite_and_unscale", [[f(3), np.array([1.0, np.inf], "f")], np.array([8.0], "f")], ref=unscale, unset=frozenset({"Out"})),
]  # fmt: skip
