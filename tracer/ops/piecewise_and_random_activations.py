"""Shrinkage functions, and activations with a threshold, an exponential branch or a random
slope.
"""

from __future__ import annotations

import math
from typing import Any

from ..core import rng
from ..core.arrays import np
from ..core.op import AttrSpec, Meta, check, op
from .activation import clamp
from .comparison_and_logic import is_strictly_between, where
from .elementwise import div, masked, mul, scale
from .half_precision import computed_in_float32_if_half
from .shared_op_rules import check_float, like_x_meta, like_x_meta_requiring_float, normalize_axis
from .softmax import softmax_array, softmax_grad
from .unary_math import exp, one_minus, square, tanh

INF = math.inf


@op("celu", "X -> Out", meta=like_x_meta_requiring_float, floating="X")
@computed_in_float32_if_half
def celu(x, *, alpha: float = 1.0):
    """Out = X where X > 0, alpha * (e ** (X / alpha) - 1) elsewhere (Barron 2017).

    X [*] -> Out [*]
    """
    check_float(x)
    t = x.dtype.type
    return np.where(x > 0, x, np.expm1(np.minimum(x, t(0)) / t(alpha)) * t(alpha))


@celu.vjp
def _(g, x, *, alpha):
    below = exp(scale(masked(x, is_strictly_between(x, high=0.0)), scale=1 / alpha))
    return where(is_strictly_between(x, low=0.0), g, mul(g, below))


@op("selu", "X -> Out", meta=like_x_meta_requiring_float, floating="X")
@computed_in_float32_if_half
def selu(
    x,
    *,
    scale: float = 1.0507009873554804934193349852946,
    alpha: float = 1.6732632423543772848170429916717,
):
    """Out = scale * X where X > 0, scale * alpha * (e ** X - 1) elsewhere (Klambauer et al., 2017).

    X [*] -> Out [*]
    """
    check_float(x)
    t = x.dtype.type
    return np.where(x > 0, x, np.expm1(np.minimum(x, t(0))) * t(alpha)) * t(scale)


@selu.vjp
def _(g, x, *, scale, alpha):
    below = mul(g, exp(masked(x, is_strictly_between(x, high=0.0))))
    return where(
        is_strictly_between(x, low=0.0),
        _multiply_by_number(g, scale),
        _multiply_by_number(below, scale * alpha),
    )


def _multiply_by_number(x: Any, factor: float) -> Any:
    return scale(x, scale=factor)


@op("hard_shrink", "X -> Out", meta=like_x_meta, floating="X", public_name="hardshrink")
def hard_shrink(x, *, threshold: float = 0.5):
    """Out = X where |X| > threshold, else 0. X [*] -> Out [*]"""
    return x * _abs_exceeds_threshold_mask(x, threshold)


def _abs_exceeds_threshold_mask(x: Any, threshold: float) -> Any:
    t = x.dtype.type
    return (x > t(threshold)) | (x < t(-threshold))


@hard_shrink.vjp
def _(g, x, *, threshold):
    return keep_x_where_abs_y_exceeds_threshold(g, x, threshold=threshold)


@op("keep_outside", "X, Y -> Out", meta=like_x_meta, internal=True)
def keep_x_where_abs_y_exceeds_threshold(x, y, *, threshold: float):
    """Out = X where |Y| > threshold, else 0. X [*], Y [*] -> Out [*]"""
    return x * _abs_exceeds_threshold_mask(y, threshold)


@keep_x_where_abs_y_exceeds_threshold.vjp
def _(g, x, y, *, threshold):
    return keep_x_where_abs_y_exceeds_threshold(g, y, threshold=threshold), None


@op("softshrink", "X -> Out", meta=like_x_meta, floating="X")
def softshrink(x, **attrs):
    """Out = X - lambda * sign(X) where |X| > lambda, else 0. X [*] -> Out [*]"""
    width = attrs.get("lambda", 0.5)
    return (x - np.sign(x) * x.dtype.type(width)) * _abs_exceeds_threshold_mask(x, width)


softshrink.attrs["lambda"] = AttrSpec("FLOAT", 0.5)  # a Python keyword


@softshrink.vjp
def _(g, x, **attrs):
    return keep_x_where_abs_y_exceeds_threshold(g, x, threshold=attrs["lambda"])


@op(
    "tanh_shrink",
    "X -> Out",
    meta=like_x_meta_requiring_float,
    floating="X",
    amp_class="deny",
    public_name="tanhshrink",
)
@computed_in_float32_if_half
def tanh_shrink(x):
    """Out = X - tanh(X). X [*] -> Out [*]"""
    check_float(x)
    return x - np.tanh(x)


@tanh_shrink.vjp
def _(g, x):
    return mul(g, square(tanh(x)))


@op("thresholded_relu", "X -> Out", meta=like_x_meta, floating="X")
def thresholded_relu(x, *, threshold: float = 1.0):
    """Out = X where X > threshold, else 0. X [*] -> Out [*]"""
    return x * (x > x.dtype.type(threshold))


@thresholded_relu.vjp
def _(g, x, *, threshold):
    return masked(g, is_strictly_between(x, low=threshold))


@op("stanh", "X -> Out", meta=like_x_meta_requiring_float, floating="X")
@computed_in_float32_if_half
def stanh(x, *, scale_a: float = 0.67, scale_b: float = 1.7159):
    """Out = scale_b * tanh(scale_a * X) (LeCun et al., 1998). X [*] -> Out [*]"""
    check_float(x)
    t = x.dtype.type
    return np.tanh(x * t(scale_a)) * t(scale_b)


@stanh.vjp
def _(g, x, *, scale_a, scale_b):
    return _multiply_by_number(
        mul(g, one_minus(square(tanh(_multiply_by_number(x, scale_a))))), scale_a * scale_b
    )


@op("logit", "X -> Out", meta=like_x_meta_requiring_float, floating="X")
@np.errstate(all="ignore")
@computed_in_float32_if_half
def logit(x, *, eps: float = 1e-6):
    """Out = ln(X / (1 - X)). If eps > 0, X is first clamped to [eps, 1 - eps].

    X [*] -> Out [*]
    """
    check_float(x)
    inside = clamp(x, eps, 1 - eps) if eps else x
    return np.log(inside / (x.dtype.type(1) - inside))


@logit.vjp
def _(g, x, *, eps):
    slope = div(g, mul(x, one_minus(x)))
    return masked(slope, is_strictly_between(x, low=eps, high=1 - eps)) if eps else slope


# -- random
# ------------------------------------------------------------------------------


@op("rrelu", "X -> Out, Noise~", random=True, floating="X")
@computed_in_float32_if_half
def rrelu(x, *, is_test: bool = False, lower: float = 1.0 / 8.0, upper: float = 1.0 / 3.0):
    """Randomized leaky ReLU (Xu et al., 2015): Out = X where X >= 0, X * Noise elsewhere.

    Noise: uniform random numbers from [lower, upper); if is_test, their mean.

    X [*] -> Out, Noise [*]
    """
    check_float(x)
    if is_test:
        slope = x.dtype.type((lower + upper) / 2)
    else:
        slope = np.asarray(rng.generator().uniform(lower, upper, x.shape)).astype(x.dtype)
    noise = np.where(x >= 0, x.dtype.type(1), slope)
    return x * noise, noise


@rrelu.meta
def _(x, **_):
    check_float(x)
    return x, x


@rrelu.vjp
def _(g, x, *, Noise):
    return mul(g, Noise)


@op("gumbel_softmax", "X -> Out", random=True, floating="X")
@computed_in_float32_if_half
def gumbel_softmax(x, *, temperature: float = 1.0, hard: bool = False, axis: int = -1):
    """Out = softmax((X + Gumbel noise) / temperature) (Jang et al., 2017).

    hard: Out = 1 at the maximum, else 0.

    X [*] -> Out [*]
    """
    check_float(x)
    t = x.dtype.type
    noise = -np.log(np.asarray(rng.generator().exponential(size=x.shape))).astype(x.dtype)
    soft = softmax_array((x + noise) / t(temperature), axis)
    if not hard:
        return soft
    out = np.zeros_like(soft)
    np.put_along_axis(out, np.expand_dims(np.argmax(soft, axis=axis), axis), t(1), axis)
    return out


@gumbel_softmax.meta
def _(x, *, temperature, hard, axis):
    check_float(x)
    check(len(x.shape) > 0, "X needs an axis")
    normalize_axis(axis, len(x.shape))
    check(temperature > 0, f"temperature={temperature} is not positive")
    return Meta(x.shape, x.dtype)


@gumbel_softmax.vjp
def _(g, x, *, temperature, axis, Out):
    return _multiply_by_number(softmax_grad(Out, g, axis=axis), 1 / temperature)
