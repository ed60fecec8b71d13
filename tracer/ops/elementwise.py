"""Elementwise ops on two operands, and `scale`, the one that a Python number makes.

The tape sums gradients down to the shape of their operand, so no rule here thinks of broadcasting - but for the old `axis`,
which sets Y inside of X: `fit` says so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.op import OPS, Ints, Meta, check, op
from .meta import aligned, broadcast, like_x


def at(x: Any, y: Any, axis: int) -> tuple[Any, Any]:
    """The operands, reshaped so that NumPy's broadcasting does what Paddle's `axis` says."""
    if axis == -1 or x.ndim == y.ndim:
        return x, y
    shapes = aligned(x.shape, y.shape, axis)
    return x.reshape(shapes[0]), y.reshape(shapes[1])


def fit(g: Any, like: Any, axis: int) -> Any:
    """The gradient `g` of a result, summed to `like` where `axis` had set it inside; else left to the tape."""
    if axis == -1 or like.ndim == g.ndim:
        return g
    return sum_to(g, shape=list(like.meta.shape), axis=axis)


@op("sum_to", "X -> Out")
def sum_to(x, *, shape: Ints, axis: int = -1):
    """Out = X summed over the axes that broadcasting had added or stretched.   X [*S] -> Out [*shape]"""
    start = x.ndim - len(shape) if axis == -1 else axis
    kept = {start + i for i, d in enumerate(shape) if d == x.shape[start + i]}
    return np.sum(x, axis=tuple(i for i in range(x.ndim) if i not in kept)).reshape(shape)


@sum_to.meta
def _(x, *, shape, axis):
    start = len(x.shape) - len(shape) if axis == -1 else axis
    inside = x.shape[start : start + len(shape)]
    check(len(inside) == len(shape), f"shape={shape} does not lie inside")
    check(all(d in (1, e) or min(d, e) < 0 for d, e in zip(shape, inside, strict=True)), f"cannot sum to shape={shape}")
    return Meta(tuple(shape), x.dtype)


@sum_to.vjp
def _(g, x, *, shape, axis):
    return add(zeros_like(x), g, axis=axis)


def zeros_like(x: Any) -> Any:
    """Zeros like the tensor X."""
    return scale(x, scale=0.0)


@op("elementwise_add", "X, Y -> Out", meta=broadcast)
def add(x, y, *, axis: int = -1):
    """Out = X + Y.   X [*A], Y [*B] -> Out [*broadcast(A, B)]"""
    if axis != -1:
        x, y = at(x, y, axis)
    return x + y


@add.vjp
def _(g, x, y, *, axis):
    return fit(g, x, axis), fit(g, y, axis)


@op("elementwise_sub", "X, Y -> Out", meta=broadcast)
def sub(x, y, *, axis: int = -1):
    """Out = X - Y.   X [*A], Y [*B] -> Out [*broadcast(A, B)]"""
    if axis != -1:
        x, y = at(x, y, axis)
    return x - y


@sub.vjp
def _(g, x, y, *, axis):
    return fit(g, x, axis), lambda: fit(scale(g, scale=-1.0), y, axis)


@op("elementwise_mul", "X, Y -> Out", meta=broadcast)
def mul(x, y, *, axis: int = -1):
    """Out = X * Y.   X [*A], Y [*B] -> Out [*broadcast(A, B)]"""
    if axis != -1:
        x, y = at(x, y, axis)
    return x * y


@mul.vjp
def _(g, x, y, *, axis):
    return lambda: fit(mul(g, y, axis=axis), x, axis), lambda: fit(mul(g, x, axis=axis), y, axis)


@op("elementwise_div", "X, Y -> Out", meta=broadcast)
def div(x, y, *, axis: int = -1):
    """Out = X / Y; of integers rounded towards zero.   X [*A], Y [*B] -> Out [*broadcast(A, B)]"""
    if axis != -1:
        x, y = at(x, y, axis)
    if x.dtype.kind in "iu":
        return np.trunc(np.true_divide(x, y)).astype(x.dtype)
    return x / y


@div.vjp
def _(g, x, y, *, axis, Out):
    def to_y() -> Any:
        return fit(scale(mul(g, div(Out, y, axis=axis)), scale=-1.0), y, axis)

    return lambda: fit(div(g, y, axis=axis), x, axis), to_y


@op("scale", "X, ScaleTensor? -> Out", meta=like_x)
def scale(x, scale_tensor=None, *, scale: float = 1.0, bias: float = 0.0, bias_after_scale: bool = True):
    """Out = scale * X + bias, or scale * (X + bias).   X [*], ScaleTensor [1] in place of scale -> Out [*]"""
    factor = scale if scale_tensor is None else scale_tensor.reshape(())
    if x.dtype.kind in "iu":
        factor, bias = int(factor), int(bias)
    factor, bias = x.dtype.type(factor), x.dtype.type(bias)
    if not bias:
        return x * factor
    return x * factor + bias if bias_after_scale else (x + bias) * factor


@scale.vjp
def _(g, x, scale_tensor, *, scale):
    return OPS["scale"](g, scale_tensor, scale=scale)
