"""Normalization over neighboring channels (lrn), along an axis (norm), and per-channel scaling."""

from __future__ import annotations

from typing import Any

from ..core.arrays import np
from ..core.op import OPS, Meta, check, op
from .elementwise import div, mul, scale, sub
from .half_precision import computed_in_float32_if_half
from .reduce import reduce_sum
from .shared_op_rules import (
    check_float,
    like_x_meta,
    like_x_meta_requiring_float,
    normalize_axis,
    shapes_match,
    vjp_input_shape,
)
from .unary_math import sqrt, square


@op("around_channels", "X -> Out", meta=like_x_meta, internal=True)
@computed_in_float32_if_half
def channel_window_sum(x, *, n: int = 5, data_format: str = "NCHW", back: bool = False):
    """Out[c] = the sum of X over the n channels around channel c.

    back: compute the adjoint, where Out[c] sums the channels whose window contains c.

    X [N,C,H,W] -> Out [N,C,H,W]
    """
    axis = 3 if data_format == "NHWC" else 1
    before = n - 1 - (n - 1) // 2 if back else (n - 1) // 2
    moved = np.moveaxis(x, axis, 0)
    sums = np.zeros((moved.shape[0] + 1, *moved.shape[1:]), x.dtype)
    np.cumsum(moved, axis=0, out=sums[1:])
    places = np.arange(moved.shape[0])
    low, high = np.maximum(places - before, 0), np.minimum(places - before + n, moved.shape[0])
    return np.moveaxis(sums[high] - sums[low], 0, axis)


@channel_window_sum.vjp
def _(g, x, *, n, data_format, back):
    return channel_window_sum(g, n=n, data_format=data_format, back=not back)


@op("lrn", "X -> Out, MidOut~")
@computed_in_float32_if_half
def lrn(
    x,
    *,
    n: int = 5,
    k: float = 2.0,
    alpha: float = 0.0001,
    beta: float = 0.75,
    data_format: str = "AnyLayout",
):
    """Local response normalization (Krizhevsky et al., 2012):
    Out = X / MidOut ** beta, where MidOut = k + alpha * the sum of X ** 2 over the n channels
    around each channel.

    X [N,C,H,W] -> Out, MidOut [N,C,H,W]
    """
    check_float(x)
    t = x.dtype.type
    mid = t(k) + t(alpha) * channel_window_sum.kernel(np.square(x), n=n, data_format=data_format)
    return x * mid ** t(-beta), mid


@lrn.meta
def _(x, **_):
    check_float(x)
    check(len(x.shape) == 4, "needs four axes")
    return x, x


@lrn.vjp
def _(g, x, *, n, k, alpha, beta, data_format):
    around = channel_window_sum(square(x), n=n, data_format=data_format)
    mid = scale(around, scale=alpha, bias=k)
    direct = mul(g, _emit_pow_op(mid, -beta))
    through = mul(mul(g, x), _emit_pow_op(mid, -beta - 1))
    sums = channel_window_sum(through, n=n, data_format=data_format, back=True)
    return sub(direct, scale(mul(x, sums), scale=2 * alpha * beta))


def _emit_pow_op(x: Any, exponent: float) -> Any:
    return OPS["pow"](x, factor=exponent)


@op("norm", "X -> Out, Norm~")
@computed_in_float32_if_half
def norm(x, *, axis: int, epsilon: float = 1e-10, is_test: bool = False):
    """Out = X / Norm, where Norm = sqrt(epsilon + the sum of X ** 2 over the axis).

    X [*] -> Out [*], Norm [*,1,*]
    """
    check_float(x)
    length = np.sqrt(np.sum(np.square(x), axis=axis, keepdims=True) + x.dtype.type(epsilon))
    return x / length, length


@norm.meta
def _(x, *, axis, epsilon, is_test):
    check_float(x)
    at = normalize_axis(axis, len(x.shape))
    return x, Meta((*x.shape[:at], 1, *x.shape[at + 1 :]), x.dtype)


@norm.vjp
def _(g, x, *, axis, epsilon):
    def total(t: Any) -> Any:
        return reduce_sum(t, dim=[axis], keep_dim=True)

    length = sqrt(scale(total(square(x)), bias=epsilon))
    out = div(x, length)
    return div(sub(g, mul(out, total(mul(g, out)))), length)


def _channel_axis(x: Any, data_layout: str) -> int:
    return 1 if data_layout == "NCHW" else len(x.shape) - 1


@op("affine_channel", "X, Scale, Bias -> Out", validate_before_kernel=True)
@computed_in_float32_if_half
def affine_channel(x, weight, bias, *, data_layout: str = "AnyLayout"):
    """Out = Scale * X + Bias for each channel.

    data_layout: NCHW for X [N,C,*]; any other value for X [N,*,C], as in Paddle.
    Scale [C], Bias [C] -> Out like X
    """
    shape = [1] * x.ndim
    shape[_channel_axis(x, data_layout)] = -1
    return x * weight.reshape(shape) + bias.reshape(shape)


@affine_channel.meta
def _(x, weight, bias, *, data_layout):
    check(len(x.shape) > 1, "needs two axes")
    channels = (x.shape[_channel_axis(x, data_layout)],)
    check(
        shapes_match(weight.shape, channels) and shapes_match(bias.shape, channels),
        "Scale and Bias do not fit the channels",
    )
    return like_x_meta_requiring_float(x)


@affine_channel.vjp
def _(g, x, weight, bias, *, data_layout):
    rank = len(vjp_input_shape(x))
    axis = 1 if data_layout == "NCHW" else rank - 1
    others = [i for i in range(rank) if i != axis]

    def total(t: Any) -> Any:
        return reduce_sum(t, dim=others)

    return lambda: mul(g, weight, axis=axis), lambda: total(mul(g, x)), lambda: total(g)
