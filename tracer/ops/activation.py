"""Activation functions."""

from __future__ import annotations

import math
from typing import Any

from ..core import native
from ..core.arrays import np
from ..core.op import OPS, check, op
from . import blockwise
from .comparison_and_logic import is_strictly_between, where
from .elementwise import add, div, masked, mul, scale, sub
from .erf import erf as erf_of
from .half_precision import computed_in_float32_if_half
from .shared_op_rules import (
    check_float,
    check_inexact,
    dims_match,
    like_x_meta,
    like_x_meta_requiring_float,
    like_x_meta_requiring_inexact,
    num_elements,
    vjp_input_shape,
)
from .unary_math import exp, negative, one_minus, plus_one, sigmoid, square, tanh

INF = math.inf


@op("relu", "X -> Out", meta=like_x_meta)
def relu(x):
    """Out = max(X, 0). X [*] -> Out [*]"""
    return np.maximum(x, x.dtype.type(0))


relu.native(native.compiled_function_or_placeholder("relu"))


@relu.vjp
def _(g, x, *, Out):
    return relu_grad(Out, g)


@op("relu_grad", "Out, Out@GRAD -> X@GRAD", meta=like_x_meta, internal=True)
def relu_grad(out, g):
    """X@GRAD = Out@GRAD where Out > 0, else 0. Out [*], Out@GRAD [*] -> X@GRAD [*]"""
    return g * (out > 0)


relu_grad.native(native.compiled_function_or_placeholder("relu_grad"))


@relu_grad.vjp
def _(gg, out, g):
    return None, relu_grad(out, gg)


@op("relu6", "X -> Out", meta=like_x_meta)
def relu6(x, *, threshold: float = 6.0):
    """Out = min(max(X, 0), threshold). X [*] -> Out [*]"""
    return clamp(x, 0.0, threshold)


@relu6.vjp
def _(g, x, *, threshold):
    return masked(g, is_strictly_between(x, low=0.0, high=threshold))


@op("brelu", "X -> Out", meta=like_x_meta, floating="X")
def brelu(x, *, t_min: float = 0.0, t_max: float = 24.0):
    """Out = min(max(X, t_min), t_max). X [*] -> Out [*]"""
    return clamp(x, t_min, t_max)


@brelu.vjp
def _(g, x, *, t_min, t_max):
    return masked(g, is_strictly_between(x, low=t_min, high=t_max))


@computed_in_float32_if_half
def clamp(x: Any, low: float, high: float) -> Any:
    """Clamp X to [low, high] in the dtype of X.

    Bounds outside of the range of an integer dtype are replaced by the limits of that dtype.
    """
    if x.dtype.kind in "iu":
        ends = np.iinfo(x.dtype)
        low, high = (min(max(v, ends.min), ends.max) for v in (low, high))
    return np.minimum(np.maximum(x, x.dtype.type(low)), x.dtype.type(high))


@op("clip", "X, Min?!, Max?! -> Out", meta=like_x_meta)
def clip(x, low=None, high=None, *, min: float, max: float):
    """Out = min(max(X, min), max). The inputs Min and Max, if given, replace the attributes `min`
    and `max`.

    X [*], Min [1], Max [1] -> Out [*]
    """
    low = min if low is None else low.reshape(()).item()
    high = max if high is None else high.reshape(()).item()
    return clamp(x, low, high)


@clip.vjp
def _(g, x, low, high, *, min, max):
    inside = is_strictly_between(
        x, low=-INF if low is not None else min, high=INF if high is not None else max
    )
    if low is not None:
        inside = OPS["logical_and"](inside, OPS["greater_than"](x, low))
    if high is not None:
        inside = OPS["logical_and"](inside, OPS["less_than"](x, high))
    return masked(g, inside), None, None


@op("leaky_relu", "X -> Out", meta=like_x_meta, floating="X")
@computed_in_float32_if_half
def leaky_relu(x, *, alpha: float = 0.02):
    """Out = X where X > 0, alpha * X elsewhere. X [*] -> Out [*]"""
    return np.where(x > 0, x, x * x.dtype.type(alpha))


@leaky_relu.vjp
def _(g, x, *, alpha):
    return leaky_relu_grad(x, g, alpha=alpha)


@op("leaky_relu_grad", "X, Out@GRAD -> X@GRAD", meta=like_x_meta, internal=True)
@computed_in_float32_if_half
def leaky_relu_grad(x, g, *, alpha: float = 0.02):
    """X@GRAD = Out@GRAD where X >= 0, alpha * Out@GRAD elsewhere.

    X [*], Out@GRAD [*] -> X@GRAD [*]
    """
    return np.where(x >= 0, g, g * g.dtype.type(alpha))


@leaky_relu_grad.vjp
def _(gg, x, g, *, alpha):
    return None, leaky_relu_grad(x, gg, alpha=alpha)


@op("elu", "X -> Out", meta=like_x_meta_requiring_float, floating="X")
@computed_in_float32_if_half
def elu(x, *, alpha: float = 1.0):
    """Out = X where X > 0, alpha * (e ** X - 1) elsewhere. X [*] -> Out [*]"""
    check_float(x)
    zero = x.dtype.type(0)
    return np.where(x > 0, x, np.expm1(np.minimum(x, zero)) * x.dtype.type(alpha))


@elu.vjp
def _(g, x, *, alpha):
    below = scale(exp(masked(x, is_strictly_between(x, high=0.0))), scale=alpha)
    return where(is_strictly_between(x, low=0.0), g, mul(g, below))


@op("gelu", "X -> Out", meta=like_x_meta_requiring_float, floating="X")
@computed_in_float32_if_half
def gelu(x, *, approximate: bool = False):
    """Out = X * Phi(X), where Phi is the standard normal distribution function.

    approximate: compute Phi with the tanh approximation.

    X [*] -> Out [*]
    """
    check_float(x)
    return blockwise.apply_to_element_blocks(_gelu_tanh if approximate else _gelu_erf, x)


@gelu.native
def _(x, *, approximate=False):
    return (_GELU_TANH if approximate else _GELU)(x)


_GELU, _GELU_TANH, _SLOPE, _SLOPE_TANH = map(
    native.compiled_function_or_placeholder, ("gelu", "gelu_tanh", "gelu_grad", "gelu_tanh_grad")
)


def _gelu_tanh(x: Any) -> Any:
    t = x.dtype.type
    return x * (np.tanh(x * (x * x * t(_K * _A) + t(_K))) + t(1)) * t(0.5)


def _gelu_erf(x: Any) -> Any:
    t = x.dtype.type
    return x * (erf_of(x * t(math.sqrt(0.5))) + t(1)) * t(0.5)


# tanh(K * (x + A * x ** 3)): Hendrycks and Gimpel, arXiv 1606.08415
_K, _A = math.sqrt(2 / math.pi), 0.044715
_STANDARD_NORMAL_AT_0 = 1 / math.sqrt(2 * math.pi)


@gelu.vjp
def _(g, x, *, approximate):
    return gelu_grad(x, g, approximate=approximate)


@op("gelu_grad", "X, Out@GRAD -> X@GRAD", meta=like_x_meta, internal=True)
@computed_in_float32_if_half
def gelu_grad(x, g, *, approximate: bool = False):
    """X@GRAD = Out@GRAD * gelu'(X). X [*], Out@GRAD [*] -> X@GRAD [*]"""
    return blockwise.apply_to_element_blocks(
        _gelu_tanh_grad_kernel if approximate else _gelu_erf_grad_kernel, x, g
    )


@gelu_grad.native
def _(x, g, *, approximate=False):
    return (_SLOPE_TANH if approximate else _SLOPE)(x, g)


def _gelu_tanh_grad_kernel(x: Any, g: Any) -> Any:
    t = x.dtype.type
    xx = x * x
    h = np.tanh(x * (xx * t(_K * _A) + t(_K)))
    slope = (x * (t(1) - h * h)) * (xx * t(3 * _K * _A) + t(_K))
    return g * ((slope + h + t(1)) * t(0.5))


def _gelu_erf_grad_kernel(x: Any, g: Any) -> Any:
    t = x.dtype.type
    phi = np.exp(x * x * t(-0.5)) * (x * t(_STANDARD_NORMAL_AT_0))
    return g * ((erf_of(x * t(math.sqrt(0.5))) + t(1)) * t(0.5) + phi)


@gelu_grad.vjp
def _(gg, x, g, *, approximate):
    def x_grad() -> Any:
        return mul(
            mul(gg, g),
            _gelu_tanh_second_derivative_by_ops(x)
            if approximate
            else _gelu_erf_second_derivative_by_ops(x),
        )

    return x_grad, lambda: gelu_grad(x, gg, approximate=approximate)


def _gelu_erf_second_derivative_by_ops(x: Any) -> Any:
    """The second derivative of gelu: phi(x) * (2 - x ** 2)."""
    xx = square(x)
    return mul(
        scale(exp(scale(xx, scale=-0.5)), scale=_STANDARD_NORMAL_AT_0),
        scale(xx, scale=-1.0, bias=2.0),
    )


def _gelu_tanh_second_derivative_by_ops(x: Any) -> Any:
    """The second derivative of the approximate gelu; with u = K * (x + A * x ** 3), h = tanh u:

    (1 - h ** 2) * (u' + x * u'' / 2 - x * h * u' ** 2)
    """
    xx = square(x)
    h = tanh(mul(x, scale(xx, scale=_K * _A, bias=_K)))
    slope = scale(xx, scale=3 * _K * _A, bias=_K)
    inner = sub(add(slope, scale(xx, scale=3 * _K * _A)), mul(mul(x, h), square(slope)))
    return mul(one_minus(square(h)), inner)


def _silu(x: Any) -> Any:
    one = x.dtype.type(1)
    return x / (one + np.exp(-x))


def _silu_grad_kernel(x: Any, g: Any) -> Any:
    one = x.dtype.type(1)
    s = one / (one + np.exp(-x))
    return g * (s * (x * (one - s) + one))


@op("silu_grad", "X, Out@GRAD -> X@GRAD", meta=like_x_meta, internal=True)
@np.errstate(all="ignore")
@computed_in_float32_if_half
def silu_grad(x, g):
    """X@GRAD = Out@GRAD * silu'(X). X [*], Out@GRAD [*] -> X@GRAD [*]"""
    return blockwise.apply_to_element_blocks(_silu_grad_kernel, x, g)


silu_grad.native(native.compiled_function_or_placeholder("silu_grad"))


@silu_grad.vjp
def _(b, x, g):
    s = sigmoid(x)
    # With s = sigmoid(x): silu'(x) = s * (1 + x * (1 - s)), silu''(x) = s * (1 - s) * (2 + x * (1 -
    # 2 * s)).
    bend = mul(mul(s, one_minus(s)), scale(mul(x, scale(s, scale=-2.0, bias=1.0)), bias=2.0))
    return lambda: mul(mul(b, g), bend), lambda: silu_grad(x, b)


def _silu_vjp(g: Any, x: Any) -> Any:
    return silu_grad(x, g)


@op("silu", "X -> Out", meta=like_x_meta_requiring_inexact)
@np.errstate(all="ignore")
@computed_in_float32_if_half
def silu(x):
    """Out = X / (1 + e ** -X). X [*] -> Out [*]"""
    check_inexact(x)
    return blockwise.apply_to_element_blocks(_silu, x)


silu.vjp(_silu_vjp)
silu.native(native.compiled_function_or_placeholder("silu"))


@op("swish", "X -> Out", meta=like_x_meta_requiring_float, floating="X")
@np.errstate(all="ignore")
@computed_in_float32_if_half
def swish(x, *, beta: float = 1.0):
    """Out = X / (1 + e ** (-beta X)). X [*] -> Out [*]"""
    check_float(x)
    if beta == 1.0:
        return blockwise.apply_to_element_blocks(_silu, x)
    one = x.dtype.type(1)
    return x / (one + np.exp(-x * x.dtype.type(beta)))


@swish.vjp
def _(g, x, *, beta):
    if beta == 1.0:
        return silu_grad(x, g)
    s = sigmoid(scale(x, scale=beta))
    return mul(g, mul(s, scale(mul(x, one_minus(s)), scale=beta, bias=1.0)))


_native_silu = native.compiled_function_or_placeholder("silu")


@swish.native
def _(x, *, beta=1.0):
    return _native_silu(x) if beta == 1.0 else NotImplemented


@op(
    "hard_swish",
    "X -> Out",
    meta=like_x_meta_requiring_float,
    floating="X",
    public_name="hardswish",
)
@computed_in_float32_if_half
def hard_swish(x, *, threshold: float = 6.0, scale: float = 6.0, offset: float = 3.0):
    """Out = X * min(max(X + offset, 0), threshold) / scale. X [*] -> Out [*]"""
    check_float(x)
    return x * clamp(x + x.dtype.type(offset), 0.0, threshold) / x.dtype.type(scale)


@hard_swish.vjp
def _(g, x, *, threshold, scale, offset):
    times = OPS["scale"]
    rising = mul(g, times(x, scale=2 / scale, bias=offset / scale))
    above = times(g, scale=threshold / scale)
    return where(
        is_strictly_between(x, high=threshold - offset),
        masked(rising, is_strictly_between(x, low=-offset)),
        above,
    )


@op(
    "hard_sigmoid",
    "X -> Out",
    meta=like_x_meta_requiring_float,
    floating="X",
    public_name="hardsigmoid",
)
@computed_in_float32_if_half
def hard_sigmoid(x, *, slope: float = 0.2, offset: float = 0.5):
    """Out = min(max(slope * X + offset, 0), 1). X [*] -> Out [*]"""
    check_float(x)
    return clamp(x * x.dtype.type(slope) + x.dtype.type(offset), 0.0, 1.0)


@hard_sigmoid.vjp
def _(g, x, *, slope, Out):
    return masked(scale(g, scale=slope), is_strictly_between(Out, low=0.0, high=1.0))


@op("softplus", "X -> Out", meta=like_x_meta_requiring_float, floating="X", amp_class="deny")
@computed_in_float32_if_half
def softplus(x, *, beta: float = 1.0, threshold: float = 20.0):
    """Out = ln(1 + e ** (beta * X)) / beta; Out = X where beta * X > threshold.

    X [*] -> Out [*]
    """
    check_float(x)
    t = x.dtype.type
    z = x * t(beta)
    return np.where(z > t(threshold), x, np.log1p(np.exp(np.minimum(z, t(threshold)))) / t(beta))


@softplus.vjp
def _(g, x, *, beta, threshold):
    z = scale(x, scale=beta)
    return where(is_strictly_between(z, low=threshold), g, mul(g, sigmoid(z)))


@op("softsign", "X -> Out", meta=like_x_meta_requiring_float, floating="X")
@computed_in_float32_if_half
def softsign(x):
    """Out = X / (1 + |X|). X [*] -> Out [*]"""
    check_float(x)
    return x / (np.abs(x) + x.dtype.type(1))


@softsign.vjp
def _(g, x):
    return div(g, square(plus_one(OPS["abs"](x))))


@op(
    "logsigmoid",
    "X -> Out",
    meta=like_x_meta_requiring_float,
    floating="X",
    public_name="log_sigmoid",
)
@computed_in_float32_if_half
def logsigmoid(x):
    """Out = -ln(1 + e ** -X). X [*] -> Out [*]"""
    check_float(x)
    return np.minimum(x, x.dtype.type(0)) - np.log1p(np.exp(-np.abs(x)))


@logsigmoid.vjp
def _(g, x):
    return mul(g, sigmoid(negative(x)))


@op("mish", "X -> Out", meta=like_x_meta_requiring_float, floating="X")
@computed_in_float32_if_half
def mish(x, *, threshold: float = 20.0):
    """Out = X * tanh(softplus(X)). X [*] -> Out [*]"""
    check_float(x)
    return x * np.tanh(softplus.kernel(x, threshold=threshold))


@mish.vjp
def _(g, x, *, threshold):
    t = tanh(softplus(x, threshold=threshold))
    return mul(g, add(t, mul(mul(x, sigmoid(x)), one_minus(square(t)))))


@op("prelu", "X, Alpha -> Out", same_dtype="X Alpha", validate_before_kernel=True)
def prelu(x, alpha, *, data_format: str = "NCHW", mode: str = "all"):
    """Out = X where X > 0, Alpha * X elsewhere.

    X [N,*], Alpha [1], [C] or [*] -> Out [N,*]

    mode: the shape of Alpha: "all" [1], "channel" [C], "element" [*].
    """
    return np.where(
        x > 0, x, x * alpha.reshape(_prelu_alpha_broadcast_shape(x.shape, data_format, mode))
    )


def _prelu_alpha_broadcast_shape(
    shape: tuple[int, ...], data_format: str, mode: str
) -> tuple[int, ...]:
    check(mode in ("all", "channel", "element"), f"mode={mode} is not one of all, channel, element")
    if mode == "element":
        return (1, *shape[1:])
    place = len(shape) - 1 if data_format[-1] == "C" else min(1, len(shape) - 1)
    return tuple(-1 if mode == "channel" and i == place else 1 for i in range(len(shape)))


@prelu.meta
def _(x, alpha, *, data_format, mode):
    shape = _prelu_alpha_broadcast_shape(x.shape, data_format, mode)
    sizes = (
        [x.shape[i] if d < 0 else d for i, d in enumerate(shape)]
        if mode == "channel"
        else list(shape)
    )
    check(
        dims_match(num_elements(alpha.shape), num_elements(tuple(sizes))),
        f"mode={mode} requires {num_elements(tuple(sizes))} elements of Alpha",
    )
    return x


@prelu.vjp
def _(g, x, alpha, *, data_format, mode):
    spread = OPS["reshape2"](
        alpha, shape=list(_prelu_alpha_broadcast_shape(vjp_input_shape(x), data_format, mode))
    )

    def alpha_grad() -> Any:
        return OPS["reshape_like"](
            OPS["sum_like"](mul(g, masked(x, is_strictly_between(x, high=0.0))), spread), alpha
        )

    return where(is_strictly_between(x, low=0.0), g, mul(g, spread)), alpha_grad
