"""Rows of norm and dropout."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(9)
f, pos = n.f, n.pos


def standard(x, axes, epsilon=1e-5):
    x = x.astype("d")
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


def batch(rank, channel=1, epsilon=1e-5, momentum=0.9, use_given=False):
    axes = tuple(i for i in range(rank) if i != channel)
    shape = [-1 if i == channel else 1 for i in range(rank)]

    def of(x, w, b, mean, variance, m=None):
        w = np.ones_like(mean) if w is None else w
        b = np.zeros_like(mean) if b is None else b
        if use_given:
            y = (x - mean.reshape(shape)) / np.sqrt(variance.reshape(shape) + epsilon) * w.reshape(
                shape
            ) + b.reshape(shape)
            return y, mean, variance, None, None
        y = standard(x, axes, epsilon) * w.reshape(shape) + b.reshape(shape)
        keep = momentum if m is None else float(m[0])
        new = x.mean(axes), x.var(axes)
        running = [o * keep + v * (1 - keep) for o, v in zip((mean, variance), new, strict=True)]
        return y, *running, new[0], 1 / np.sqrt(new[1] + epsilon)

    return of


def stats(c):
    return [f(c), f(c), f(c), pos(c)]


SAVED = frozenset({"SavedMean", "SavedVariance"})


def layer(axis, epsilon=1e-5):
    def of(x, w=None, b=None):
        axes = tuple(range(axis, x.ndim))
        y = standard(x, axes, epsilon).reshape(*x.shape[:axis], -1)
        y = y * (1 if w is None else w.ravel()) + (0 if b is None else b.ravel())
        return y.reshape(x.shape), x.mean(axes), x.var(axes)

    return of


def group(groups, epsilon=1e-5, channels_last=False):
    def of(x, w=None, b=None):
        first = np.moveaxis(x, -1, 1) if channels_last else x
        rows = first.reshape(x.shape[0], groups, -1)
        y = standard(rows, (2,), epsilon).reshape(first.shape)
        shape = [1, -1, *[1] * (x.ndim - 2)]
        y = y * (1 if w is None else w.reshape(shape)) + (0 if b is None else b.reshape(shape))
        return np.moveaxis(y, 1, -1) if channels_last else y, rows.mean(2), rows.var(2)

    return of


def instance(x, w=None, b=None):
    y, mean, variance = group(x.shape[1])(x, w, b)
    return y, mean.ravel(), 1 / np.sqrt(variance.ravel() + 1e-5)


ROWS = [
    Row("batch_norm", [f(4, 3, 2, 5), *stats(3)], ref=batch(4), tol=2e-5),
    Row("batch_norm", [f(6, 3), *stats(3)], {"momentum": 0.7, "epsilon": 1e-3}, ref=batch(2, 1, 1e-3, 0.7), tol=2e-5),
    Row("batch_norm", [f(4, 2, 5, 3), *stats(3)], {"data_layout": "NHWC"}, ref=batch(4, 3), tol=2e-5),
    Row("batch_norm", [f(4, 3, 5), None, None, f(3), pos(3)], ref=batch(3), tol=2e-5, paddle="2.6.2 requires Scale and Bias"),
    Row("batch_norm", [f(4, 3, 2, 5), *stats(3)], {"is_test": True, "use_global_stats": True}, ref=batch(4, use_given=True), unset=SAVED,
        paddle_grad="2.6.2 rejects the gradient with is_test"),
    Row("batch_norm", [f(4, 3, 2, 5), *stats(3)], {"is_test": True}, ref=batch(4, use_given=True), unset=SAVED,
        paddle_grad="2.6.2 rejects the gradient with is_test"),
    Row("batch_norm", [f(4, 3, 2, 5), *stats(3)], {"use_global_stats": True}, ref=batch(4, use_given=True), unset=SAVED),
    Row("batch_norm", [f(4, 3, 2, 5), *stats(3)], {"is_test": True, "trainable_statistics": True}, ref=batch(4), tol=2e-5,
        paddle_grad="the gradient op of 2.6.2 reads the given statistics, the forward op does not"),
    Row("batch_norm", [f(4, 3, 2, 5), *stats(3), np.array([0.6], "f")], ref=batch(4), tol=2e-5, paddle="2.6 ignores MomentumTensor"),
    Row("layer_norm", [f(4, 6), f(6), f(6)], ref=layer(1), tol=2e-5),
    Row("layer_norm", [f(2, 3, 4), f(4), f(4)], {"begin_norm_axis": 2}, ref=layer(2), tol=2e-5),
    Row("layer_norm", [f(2, 3, 4), f(12), f(12)], {"begin_norm_axis": 1, "epsilon": 1e-3}, ref=layer(1, 1e-3), tol=2e-5),
    Row("layer_norm", [f(2, 3, 4)], {"begin_norm_axis": 2}, ref=layer(2), tol=2e-5),
    Row("layer_norm", [f(2, 3, 4), f(4), None], {"begin_norm_axis": 2}, ref=layer(2), tol=2e-5),
    Row("layer_norm", [f(2, 3, 4), None, f(4)], {"begin_norm_axis": 2}, ref=layer(2), tol=2e-5),
    Row("group_norm", [f(2, 4, 3, 3), f(4), f(4)], {"groups": 2}, ref=group(2), tol=2e-5),
    Row("group_norm", [f(2, 4, 3, 3)], {"groups": 4, "epsilon": 1e-3}, ref=group(4, 1e-3), tol=2e-5,
        paddle_grad="without Scale the gradient of 2.6.2 is wrong"),
    Row("group_norm", [f(2, 4, 5), f(4), f(4)], {"groups": 1}, ref=group(1), tol=2e-5),
    Row("group_norm", [f(2, 3, 3, 4), f(4), f(4)], {"groups": 2, "data_layout": "NHWC"}, ref=group(2, channels_last=True), tol=2e-5),
    Row("instance_norm", [f(2, 3, 4, 5), f(3), f(3)], ref=instance, tol=2e-5),
    Row("instance_norm", [f(2, 3, 5)], ref=instance, tol=2e-5),
    Row("dropout", [f(50, 4)], {"dropout_prob": 0.4, "dropout_implementation": "upscale_in_train"}, random=True),
    Row("dropout", [f(50, 4)], {"dropout_prob": 0.4}, random=True),
    Row("dropout", [f(5, 4)], {"dropout_prob": 0.0}, ref=lambda x: (x, np.ones(x.shape)), second=False),
    Row("dropout", [f(5, 4)], {"dropout_prob": 1.0, "dropout_implementation": "upscale_in_train"},
        ref=lambda x: (x * 0, np.zeros(x.shape)), second=False),
    Row("dropout", [f(5, 4)], {"dropout_prob": 0.4, "is_test": True}, ref=lambda x: (x * 0.6, np.ones(x.shape)), second=False),
    Row("dropout", [f(5, 4)], {"dropout_prob": 0.4, "is_test": True, "dropout_implementation": "upscale_in_train"},
        ref=lambda x: (x, np.ones(x.shape)), second=False),
    Row("dropout", [f(5, 4), np.array([7], "int32")], {"dropout_prob": 0.5}, random=True, second=False),
    Row("dropout", [f()], {"dropout_prob": 0.5}, random=True),
]  # fmt: skip
