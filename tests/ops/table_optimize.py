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
        paddle="its CPU kernel ignores rescale_grad"),
    Row("adam", ADAM, ref=adam(eps=0), tol=2e-5),
    Row("adam", ADAM, {"beta1": 0.7, "beta2": 0.8, "epsilon": 0.1}, tol=2e-5),
    Row("adam", [*ADAM, None, SKIP], ref=lambda *a: (a[0], *a[3:7])),
    Row("adam", [*ADAM, None, None, np.array([0.7], "f"), np.array([0.8], "f"), np.array([1e-9], "f")], ref=adam(0.7, 0.8, 0), tol=2e-5),
    Row("adam", ADAM, {"use_global_beta_pow": True}, ref=lambda *a: (*adam(eps=0)(*a)[:3], *a[5:7]), tol=2e-5, unset=frozenset({"Beta1PowOut", "Beta2PowOut"})),
    Row("adamw", ADAM, {"with_decay": True, "coeff": 0.3}, ref=adam(eps=0, coeff=0.3), tol=2e-5),
    Row("adamw", ADAM, {"with_decay": True, "lr_ratio": 0.5}, ref=adam(eps=0, coeff=0.01, ratio=0.5), tol=2e-5,
        paddle="its CPU kernel leaves lr_ratio out of the step itself"),
    Row("adamw", ADAM, ref=adam(eps=0), tol=2e-5),
    Row("adamw", [*ADAM, None, SKIP], {"with_decay": True}, ref=lambda *a: (a[0], *a[3:7])),
    Row("adamax", [f(3, 4), f(3, 4), RATE, f(3, 4), pos(3, 4), P1], ref=adamax),
    Row("adagrad", [f(3, 4), f(3, 4), pos(3, 4), RATE], ref=adagrad),
    Row("adadelta", [f(3, 4), f(3, 4), pos(3, 4), pos(3, 4), RATE], ref=adadelta),
    Row("rmsprop", [f(3, 4), pos(3, 4), f(3, 4), f(3, 4), RATE], {"epsilon": 1e-3}, ref=rmsprop(), paddle="it wants MeanGrad"),
    Row("rmsprop", [f(3, 4), pos(3, 4), f(3, 4), f(3, 4), RATE, f(3, 4) * 0.1], {"epsilon": 1e-3, "momentum": 0.8, "centered": True}, ref=rmsprop(0.8, True)),
    Row("rmsprop", [f(3, 4), pos(3, 4), f(3, 4), f(3, 4), RATE, f(3, 4) * 0.1], {"epsilon": 1e-3}, ref=rmsprop()),
    Row("lamb", ADAM, {"weight_decay": 0.1}, ref=lamb(0.1), tol=2e-5),
    Row("lamb", ADAM, {"weight_decay": 0.0}, ref=lamb(0.0), tol=2e-5),
    Row("lamb", [*ADAM, None, SKIP], {"weight_decay": 0.1}, ref=lambda *a: (a[0], *a[3:7])),
    Row("check_finite_and_unscale", [[f(3, 4), f(5)], np.array([8.0], "f")], ref=unscale),
    Row("check_finite_and_unscale", [[f(3), np.array([1.0, np.inf], "f")], np.array([8.0], "f")], ref=unscale, unset=frozenset({"Out"})),
]  # fmt: skip
