"""Rows of loss."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row
from .table_activation import soft

n = Numbers(10)
f, pos, ints = n.f, n.pos, n.ints


def hard(axis=-1, ignore=-100, use_softmax=True):
    def of(x, label):
        p = soft(x, axis) if use_softmax else x
        used = label != ignore
        picked = np.take_along_axis(p, np.where(used, label, 0), axis)
        return p, np.where(used, -np.log(picked), 0)

    return of


def weighted(axis=-1, use_softmax=True):
    def of(x, label):
        p = soft(x, axis) if use_softmax else x
        return p, -(label * np.log(p)).sum(axis, keepdims=True)

    return of


def with_logits(ignore=-100, normalize=False):
    def of(x, label, weight=None):
        loss = (1 - label) * x + np.log1p(np.exp(-x)) * (1 if weight is None else weight)
        loss = np.where(label == ignore, 0, loss)
        return loss / (label != ignore).sum() if normalize else loss

    return of


def kldiv(reduce):
    return lambda x, t: reduce(np.where(t > 0, t * (np.log(np.where(t > 0, t, 1)) - x), 0))


def huber(delta):
    def of(x, y):
        r = y - x
        return r, np.where(np.abs(r) <= delta, r * r / 2, delta * (np.abs(r) - delta / 2))

    return of


def nll(reduction="mean", ignore=-100):
    def of(x, label, weight=None):
        used = label != ignore
        at = np.where(used, label, 0)
        w = (np.ones(x.shape[1]) if weight is None else weight)[at] * used
        loss = -np.take_along_axis(x, at[:, None], 1)[:, 0] * w
        if reduction == "none":
            return loss, None
        return loss.sum() / (w.sum() if reduction == "mean" else 1), w.sum()

    return of


def shares(*shape):
    p = pos(*shape)
    return p / p.sum(-1, keepdims=True)


LABELS = np.array([[1], [-100], [3], [0]])
SOME = np.array([[0.0, 1.0, -100.0], [1.0, 0.0, 1.0]], "f")
LABEL = frozenset({"Label", "Target"})
SHARE = shares(2, 3)


def of_probabilities(ignore=-100):
    def of(p, label):
        column = label if label.ndim == p.ndim else label[..., None]
        used = column != ignore
        picked = np.take_along_axis(p, np.where(used, column, 0), -1)
        return (
            np.where(used, -np.log(picked), 0),
            np.empty((0, *p.shape), p.dtype),
            np.where(used, picked, 0),
        )

    return of


def first(function):
    return lambda *args: function(*args)[0]


ROWS = [
    Row("cross_entropy", [pos(4, 5), ints(4, 1)], ref=first(of_probabilities())),
    Row("cross_entropy", [pos(4, 5), ints(4, 1)], {"ignore_index": 2}, ref=first(of_probabilities(2))),
    Row("cross_entropy", [pos(2, 3, 5), ints(2, 3, 1)], ref=first(of_probabilities())),
    Row("cross_entropy", [pos(4, 5), pos(4, 5)], {"soft_label": True}, ref=lambda p, label: -(label * np.log(p)).sum(-1, keepdims=True)),
    Row("cross_entropy2", [pos(4, 5), ints(4, 1)], ref=of_probabilities(), unset=frozenset({"XShape"})),
    Row("cross_entropy2", [pos(2, 3, 5), ints(2, 3, 1)], {"ignore_index": 3}, ref=of_probabilities(3), unset=frozenset({"XShape"})),
    Row("softmax_with_cross_entropy", [f(4, 5), ints(4, 1)], ref=hard()),
    Row("softmax_with_cross_entropy", [f(4, 5), LABELS], ref=hard()),
    Row("softmax_with_cross_entropy", [f(4, 5), ints(4, 1)], {"ignore_index": 2}, ref=hard(ignore=2)),
    Row("softmax_with_cross_entropy", [f(2, 5, 3), ints(2, 1, 3)], {"axis": 1}, ref=hard(axis=1)),
    Row("softmax_with_cross_entropy", [f(4, 5), shares(4, 5)], {"soft_label": True}, ref=weighted()),
    Row("softmax_with_cross_entropy", [f(2, 5, 3), pos(2, 5, 3)], {"soft_label": True, "axis": 1}, ref=weighted(1),
        paddle_grad="2.6.2 assumes that soft labels sum to 1"),
    Row("softmax_with_cross_entropy", [shares(4, 5), ints(4, 1)], {"use_softmax": False}, ref=hard(use_softmax=False)),
    Row("softmax_with_cross_entropy", [shares(4, 5), shares(4, 5)], {"use_softmax": False, "soft_label": True},
        ref=weighted(use_softmax=False)),
    Row("softmax_with_cross_entropy", [np.array([[1000.0, 0.0], [-1000.0, 0.0]], "f"), np.array([[0], [0]])], ref=lambda x, y: (
        np.array([[1, 0], [0, 1]]), np.array([[0], [1000]])), paddle="2.6.2 limits losses to 64"),
    Row("softmax_with_cross_entropy", [f(4, 5), ints(4, 1, dtype="int32")], ref=hard()),
    Row("bce_loss", [pos(2, 3) * 0.9, pos(2, 3)], ref=lambda x, y: -(y * np.log(x) + (1 - y) * np.log(1 - x))),
    Row("bce_loss", [np.array([0.0, 1.0], "f"), np.array([1.0, 0.0], "f")], ref=lambda x, y: np.array([100.0, 100.0]), grad=False),
    Row("sigmoid_cross_entropy_with_logits", [f(2, 3) * 3, pos(2, 3)], ref=with_logits()),
    Row("sigmoid_cross_entropy_with_logits", [f(2, 3), SOME], ref=with_logits(), constant=LABEL),
    Row("sigmoid_cross_entropy_with_logits", [f(2, 3), SOME], {"normalize": True}, ref=with_logits(normalize=True), constant=LABEL),
    Row("sigmoid_cross_entropy_with_logits", [f(2, 3), pos(2, 3), pos(2, 3)], ref=with_logits(),
        paddle="with pos_weight the loss of 2.6.2 is wrong for X < 0"),
    Row("huber_loss", [f(2, 3), f(2, 3) * 2], {"delta": 0.7}, ref=huber(0.7), second=True),
    Row("huber_loss", [f(4, 1), f(4, 1)], {"delta": 1.0}, ref=huber(1.0)),
    Row("kldiv_loss", [f(2, 3), SHARE], {"reduction": "none"}, ref=kldiv(lambda v: v)),
    Row("kldiv_loss", [f(2, 3), SHARE], {"reduction": "mean"}, ref=kldiv(np.mean)),
    Row("kldiv_loss", [f(2, 3), SHARE], {"reduction": "sum"}, ref=kldiv(np.sum)),
    Row("kldiv_loss", [f(2, 3), SHARE], {"reduction": "batchmean"}, ref=kldiv(lambda v: v.sum() / 2)),
    Row("kldiv_loss", [f(2), np.array([0.0, 0.5], "f")], {"reduction": "sum"}, ref=kldiv(np.sum), grad=False),
    Row("nll_loss", [f(4, 5), ints(4)], ref=nll(), second=False),
    Row("nll_loss", [f(4, 5), ints(4), pos(5)], ref=nll(), second=False),
    Row("nll_loss", [f(4, 5), LABELS[:, 0], pos(5)], {"reduction": "sum"}, ref=nll("sum"), second=False),
    Row("nll_loss", [f(4, 5), ints(4), pos(5)], {"reduction": "none"}, ref=nll("none"), second=False),
    Row("nll_loss", [f(2, 5, 3, 2), ints(2, 3, 2), pos(5)], {"ignore_index": 2}, ref=nll(ignore=2), second=False,
        paddle="2.6.2 writes out of bounds"),
    Row("label_smooth", [f(3, 4)], {"epsilon": 0.1}, ref=lambda x: 0.9 * x + 0.1 / 4, second=False),
    Row("label_smooth", [f(3, 4), pos(1, 4)], {"epsilon": 0.1}, ref=lambda x, p: 0.9 * x + 0.1 * p, second=False),
    Row("accuracy", [f(4, 2), np.array([[1, 2], [0, 3], [2, 1], [4, 0]]), np.array([[2], [1], [2], [3]])],
        ref=lambda s, i, y: (0.5, 2, 4)),
]  # fmt: skip
