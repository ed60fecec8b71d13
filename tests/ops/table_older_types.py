"""Rows of ops of Paddle 1.x that users write with append_op."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(83)
f, pos, ints = n.f, n.pos, n.ints
BITS = ints(6, 1, high=2).astype(np.float32)
SHOWS = np.array([[0, 1, 2, 3], [1, 2, 3, 4], [0, 5, 0, 1]], np.float32)


def hinge(x, label):
    return np.maximum(1 - x * (2 * label - 1), 0)


def huber(x, y):
    v = x * (2 * y - 1)
    return v, np.where(v < -1, -4 * v, np.maximum(1 - v, 0) ** 2)


def shortened(limit):
    return lambda x: x * min(1.0, limit / np.linalg.norm(x))


def fsp(x, y):
    return np.einsum("nchw,ndhw->ncd", x, y) / (x.shape[2] * x.shape[3])


def pyramid(height, function):
    """Of images that all levels divide."""

    def of(x):
        batch, channels, h, w = x.shape
        levels = [
            function(x.reshape(batch, channels, b, h // b, b, w // b), (3, 5)).reshape(batch, -1)
            for b in (1 << i for i in range(height))
        ]
        return np.concatenate(levels, 1)

    return of


def normalized(slot_dim=0, shift=False):
    def of(scale_w, bias, x, size, total, squares):
        means, scales = total / size, np.sqrt(size / squares)
        y = (x - means) * scales
        if shift:
            y = y * scale_w + bias
        if slot_dim:
            y = y * np.repeat(x[:, ::slot_dim] != 0, slot_dim, 1)
        return y, means, scales

    return of


def linear(relu=False, at=1):
    def of(x, w, bias=None):
        y = x.reshape(*x.shape[:at], -1) @ w + (0 if bias is None else bias.reshape(-1))
        return np.maximum(y, 0) if relu else y

    return of


def transformed(n_fft, hop, normalized=False, onesided=True):
    def of(x, window):
        count = (x.shape[1] - n_fft) // hop + 1
        frames = np.stack([x[:, i * hop : i * hop + n_fft] * window for i in range(count)], -1)
        transform = np.fft.rfft if onesided else np.fft.fft
        return transform(frames, axis=1, norm="ortho" if normalized else None)

    return of


def proximal(l1, l2):
    def of(p, g, lr):
        moved = p - lr * g
        return np.sign(moved) * np.maximum(np.abs(moved) - lr * l1, 0) / (1 + lr * l2)

    return of


def confusion(found, wanted, classes, each):
    counts = np.zeros((classes, 4), np.float32)
    for a, b, w in zip(found.reshape(-1), wanted.reshape(-1), each.reshape(-1), strict=True):
        for k in range(classes):
            counts[k, 0 if k == a == b else 1 if k == a else 3 if k == b else 2] += w
    return counts


def averages(counts):
    def of(c):
        p, r = ((c[:, 0] / (c[:, 0] + c[:, i])).mean() for i in (1, 3))
        return [p, r, 2 * p * r / (p + r)]

    counts = counts.astype(np.float64)
    return np.array(of(counts) + of(counts.sum(0, keepdims=True)))


def by_class(classes):
    def of(probability, found, wanted, weights=None, states=None):
        batch = confusion(
            found, wanted, classes, np.ones(len(found)) if weights is None else weights
        )
        total = batch + (0 if states is None else states)
        return averages(batch), averages(total), total

    return of


FOUND, WANTED = (np.array([c], np.int32).T for c in ([0, 1, 2, 1, 0, 2], [0, 1, 1, 2, 0, 2]))
PREDICT, LABEL = (
    np.array([[0.3, 0.7], [0.6, 0.4], [0.2, 0.8]], np.float32),
    np.array([[1], [0], [0]]),
)
POSITIVE, NEGATIVE = np.zeros((1, 21), np.int64), np.zeros((1, 21), np.int64)
POSITIVE[0, 14] = NEGATIVE[0, 8] = NEGATIVE[0, 16] = 1
ONE, TWO = ([np.zeros(shape, np.int64)] * 2 for shape in ((1, 21), (1, 43)))


def window(counts):
    return np.concatenate([counts[0], counts[0], [1]])


NO_HALF_TABLE = "bins of probabilities depend on the last digits"
STATISTICS = frozenset({"BatchSize", "BatchSum", "BatchSquareSum"})
SIZE, TOTAL, SQUARES = pos(4) * 9, f(4), pos(4) * 9
ROWS = [
    Row("hinge_loss", [f(6, 1) * 3, BITS], ref=hinge),
    Row("modified_huber_loss", [f(6, 1) * 3, BITS], ref=huber, second=False),
    Row("identity_loss", [f(2, 3)], ref=np.mean),
    Row("identity_loss", [f(2, 3)], {"reduction": 0}, ref=np.sum),
    Row("identity_loss", [f(2, 3)], {"reduction": 2}, ref=lambda x: x),
    Row("l1_norm", [f(3, 4)], ref=lambda x: np.abs(x).sum()),
    Row("squared_l2_norm", [f(3, 4)], ref=lambda x: np.square(x).sum().reshape(1)),
    Row("clip_by_norm", [f(3, 4)], {"max_norm": 0.5}, ref=shortened(0.5)),
    Row("clip_by_norm", [f(3, 4)], {"max_norm": 50.0}, ref=lambda x: x),
    Row("clip_by_norm", [np.zeros(3, np.float32)], {"max_norm": 1.0}, ref=lambda x: x),
    Row("crop", [f(4, 5)], {"offsets": [1, 2], "shape": [2, 3]}, ref=lambda x: x[1:3, 2:]),
    Row("crop", [f(4, 5), f(2, 2)], {"offsets": [1, 2]}, ref=lambda x, y: x[1:3, 2:4]),
    Row("crop", [f(4, 5), None, np.array([1, 1], np.int32)], {"shape": [2, 3]}, ref=lambda x, y, o: x[1:3, 1:4]),
    Row("crop", [f(4, 5)], {"offsets": [0, 0], "shape": [-1, 3]}, ref=lambda x: x[:, :3]),
    Row("fsp", [f(2, 3, 4, 5), f(2, 6, 4, 5)], ref=fsp),
    Row("spp", [f(2, 3, 4, 8)], {"pyramid_height": 3, "pooling_type": "avg"}, ref=pyramid(3, np.mean)),
    Row("spp", [n.distinct(2, 3, 4, 4)], {"pyramid_height": 2, "pooling_type": "max"}, ref=pyramid(2, np.max), second=False),
    Row("spp", [n.distinct(2, 3, 5, 4)], {"pyramid_height": 2, "pooling_type": "max"}, second=False),
    Row("data_norm", [None, None, f(3, 4), SIZE, TOTAL, SQUARES], ref=normalized(), constant=STATISTICS, second=False),
    Row("data_norm", [f(4), f(4), f(3, 4), SIZE, TOTAL, SQUARES], {"enable_scale_and_shift": True}, ref=normalized(shift=True),
        constant=STATISTICS, second=False),
    Row("data_norm", [f(4), f(4), f(3, 4), SIZE, TOTAL, SQUARES], {"enable_scale_and_shift": True, "slot_dim": 2},
        ref=normalized(2, shift=True), constant=STATISTICS, second=False),
    Row("data_norm", [None, None, SHOWS, SIZE, TOTAL, SQUARES], {"slot_dim": 2}, ref=normalized(2), grad=False),
    Row("fc", [f(2, 3, 2), f(6, 4), f(4)], ref=linear()),
    Row("fc", [f(2, 3, 4), f(4, 5), f(1, 5)], {"in_num_col_dims": 2, "activation_type": "relu"}, ref=linear(True, 2)),
    Row("fc", [f(2, 4), f(4, 5)], ref=linear()),
    Row("stft", [f(2, 16), f(4)], {"n_fft": 4, "hop_length": 3, "normalized": True, "onesided": True},
        ref=transformed(4, 3, True), second=False),
    Row("stft", [f(2, 16), f(4)], {"n_fft": 4, "hop_length": 4, "normalized": False, "onesided": False},
        ref=transformed(4, 4, False, False), second=False, paddle="2.6.2 reports that two dimensions differ"),
    Row("seed", [], {"seed": 5}, ref=lambda: np.array([5], np.int32)),
    Row("seed", [], random=True),
    Row("proximal_gd", [f(3, 4), f(3, 4), np.array([0.1], "f")], {"l1": 0.3, "l2": 0.2}, ref=proximal(0.3, 0.2)),
    Row("proximal_gd", [f(3, 4), f(3, 4), np.array([0.1], "f")], {"l2": 0.2}, ref=proximal(0.0, 0.2)),
    Row("auc", [PREDICT, LABEL, *ONE], {"num_thresholds": 20, "slide_steps": 0}, ref=lambda *_: (0.5, POSITIVE, NEGATIVE), half=NO_HALF_TABLE),
    Row("auc", [PREDICT, LABEL, *TWO], {"num_thresholds": 20}, ref=lambda *_: (0.5, window(POSITIVE), window(NEGATIVE)), half=NO_HALF_TABLE),
    Row("precision_recall", [pos(6, 1), FOUND, WANTED], {"class_number": 3}, ref=by_class(3)),
    Row("precision_recall", [pos(6, 1), FOUND, WANTED, pos(6, 1), pos(3, 4)], {"class_number": 3}, ref=by_class(3)),
    Row("check_numerics", [np.array([1, 3, 0, -1], "f")], ref=lambda x: (np.array([0, 0, 1]), np.array([3, -1, 0.75], "f"))),
    Row("check_numerics", [np.array([1, np.nan, np.inf, 0], "f")], {"check_nan_inf_level": 3},
        ref=lambda x: (np.array([1, 1, 1]), np.array([np.inf, 0, np.nan], "f")), paddle="the minimum and maximum of 2.6.2 depend on the position of the NaN"),
]  # fmt: skip
