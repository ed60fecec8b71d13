"""Unary functions: exponentials, roots, trigonometric functions, rounding."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from ..core import native
from ..core.arrays import np
from ..core.op import OPS, Op, check_dtype, op
from .comparison_and_logic import is_strictly_between
from .elementwise import div, masked, mul, scale, sub, zeros_like
from .erf import erf as erf_of
from .half_precision import computed_in_float32_if_half
from .shared_op_rules import (
    is_vjp_input_complex,
    like_x_meta,
    like_x_meta_requiring_float,
    like_x_meta_requiring_inexact,
    like_x_or_float32_meta,
    real_like_x_meta,
)

# Sets of ops by what they do with integer inputs: reject them as in Paddle, convert them to
# float32, or pass them to the function.
_META_BY_INTEGER_MODE = {
    "reject": like_x_meta_requiring_float,
    "float": like_x_or_float32_meta,
    "keep": like_x_meta,
}


def define_unary_op(
    type: str,
    function: Callable[[Any], Any],
    formula: str,
    *,
    of_x: Callable[[Any, Any], Any] | None = None,
    of_out: Callable[[Any, Any], Any] | None = None,
    ints: str = "reject",
    slots: str = "X -> Out",
    analytic: bool = False,
    **traits: Any,
) -> Op:
    """Define the elementwise op `type`, whose kernel calls `function`.

    of_x, of_out: the gradient as a function of (g, X) or of (g, Out).
    ints: how integers are handled, see `_META_BY_INTEGER_MODE`.
    analytic: accept complex inputs.
    traits: fields of OpTraits.
    """
    other = "iub" if analytic else "iubc"

    @np.errstate(all="ignore")
    def kernel(x):
        if ints != "keep" and x.dtype.kind in other:
            check_dtype(ints == "float" and x.dtype.kind != "c", "needs a floating dtype")
            x = x.astype(np.float32)
        return function(x)

    kernel.__name__ = type
    kernel.__doc__ = f"Out = {formula}. X [*] -> Out [*]"
    made = op(
        type,
        slots,
        meta=like_x_meta_requiring_inexact
        if analytic and ints == "reject"
        else _META_BY_INTEGER_MODE[ints],
        **traits,
    )(kernel)
    if of_x is not None:

        def vjp_from_input(g, x):  # `of_x` may be an op, whose signature has additional parameters
            return of_x(g, x)

        made.vjp(vjp_from_input)
    if of_out is not None:

        def vjp_from_output(g, x, *, Out):
            return of_out(g, Out)

        made.vjp(vjp_from_output)
    return made


def plus_one(x: Any) -> Any:
    """X + 1."""
    return scale(x, bias=1.0)


def one_minus(x: Any) -> Any:
    """1 - X."""
    return scale(x, scale=-1.0, bias=1.0)


def negative(x: Any) -> Any:
    """-X."""
    return scale(x, scale=-1.0)


def zero_vjp(g: Any, x: Any) -> Any:
    """The VJP rule of a step function, whose gradient is zero."""
    return zeros_like(g)


def sign_of_real(x: Any) -> Any:
    """-1, 0 or 1; complex numbers are rejected, as in Paddle."""
    check_dtype(x.dtype.kind != "c", "needs a real dtype")
    return np.sign(x)


def round_half_away(x: Any) -> Any:
    """X rounded to integers, halves away from zero as in C."""
    half = np.abs(x - np.trunc(x)) == 0.5
    return np.where(half, x + np.copysign(x.dtype.type(0.5), x), np.rint(x)).astype(x.dtype)


define_analytic_op = functools.partial(define_unary_op, analytic=True)

exp: Op = define_analytic_op("exp", np.exp, "e ** X", of_out=mul, ints="float", amp_class="deny")
exp.native(native.compiled_function_or_placeholder("exp"))
expm1: Op = define_analytic_op(
    "expm1",
    np.expm1,
    "e ** X - 1",
    of_out=lambda g, out: mul(g, plus_one(out)),
    ints="float",
    amp_class="deny",
)
log: Op = define_analytic_op("log", np.log, "ln X", of_x=div, ints="float", amp_class="deny")
log2: Op = define_analytic_op(
    "log2",
    np.log2,
    "log2 X",
    of_x=lambda g, x: div(scale(g, scale=1 / math.log(2)), x),
    ints="float",
    amp_class="deny",
)
log10: Op = define_analytic_op(
    "log10",
    np.log10,
    "log10 X",
    of_x=lambda g, x: div(scale(g, scale=1 / math.log(10)), x),
    ints="float",
    amp_class="deny",
)
log1p: Op = define_analytic_op(
    "log1p", np.log1p, "ln (1 + X)", of_x=lambda g, x: div(g, plus_one(x)), ints="float"
)

sqrt: Op = define_analytic_op(
    "sqrt", np.sqrt, "X ** 0.5", of_out=lambda g, out: div(scale(g, scale=0.5), out)
)
rsqrt: Op = define_analytic_op(
    "rsqrt",
    computed_in_float32_if_half(lambda x: np.reciprocal(np.sqrt(x))),
    "X ** -0.5",
    of_out=lambda g, out: mul(scale(g, scale=-0.5), mul(out, mul(out, out))),
    amp_class="deny",
)
square: Op = define_analytic_op(
    "square",
    np.square,
    "X ** 2",
    of_x=lambda g, x: mul(scale(g, scale=2.0), x),
    ints="keep",
    amp_class="deny",
)
reciprocal: Op = define_analytic_op(
    "reciprocal",
    np.reciprocal,
    "1 / X",
    of_out=lambda g, out: mul(negative(g), mul(out, out)),
    amp_class="deny",
)

sign: Op = define_unary_op(
    "sign",
    sign_of_real,
    "the sign of X (-1, 0 or 1)",
    of_x=zero_vjp,
    ints="keep",
    grad_keeps_shape=True,
)
floor: Op = define_unary_op("floor", np.floor, "X rounded down", of_x=zero_vjp)
ceil: Op = define_unary_op("ceil", np.ceil, "X rounded up", of_x=zero_vjp)
trunc: Op = define_unary_op("trunc", np.trunc, "X rounded towards zero", of_x=zero_vjp, ints="keep")
round_: Op = define_unary_op(
    "round", round_half_away, "X rounded, halves away from zero", of_x=zero_vjp
)

sin: Op = define_analytic_op("sin", np.sin, "sin X", of_x=lambda g, x: mul(g, cos(x)))
cos: Op = define_analytic_op("cos", np.cos, "cos X", of_x=lambda g, x: mul(negative(g), sin(x)))
tan: Op = define_analytic_op(
    "tan", np.tan, "tan X", of_out=lambda g, out: mul(g, plus_one(square(out))), amp_class="deny"
)
asin: Op = define_analytic_op(
    "asin",
    np.arcsin,
    "arcsin X",
    of_x=lambda g, x: mul(g, rsqrt(one_minus(square(x)))),
    amp_class="deny",
)
acos: Op = define_analytic_op(
    "acos",
    np.arccos,
    "arccos X",
    of_x=lambda g, x: mul(negative(g), rsqrt(one_minus(square(x)))),
    amp_class="deny",
)
atan: Op = define_analytic_op(
    "atan", np.arctan, "arctan X", of_x=lambda g, x: div(g, plus_one(square(x)))
)
sinh: Op = define_analytic_op(
    "sinh", np.sinh, "sinh X", of_x=lambda g, x: mul(g, cosh(x)), amp_class="deny"
)
cosh: Op = define_analytic_op(
    "cosh", np.cosh, "cosh X", of_x=lambda g, x: mul(g, sinh(x)), amp_class="deny"
)
asinh: Op = define_analytic_op(
    "asinh", np.arcsinh, "arsinh X", of_x=lambda g, x: mul(g, rsqrt(plus_one(square(x))))
)
acosh: Op = define_analytic_op(
    "acosh",
    np.arccosh,
    "arcosh X",
    of_x=lambda g, x: div(g, mul(sqrt(scale(x, bias=-1.0)), sqrt(plus_one(x)))),
)
atanh: Op = define_analytic_op(
    "atanh",
    np.arctanh,
    "artanh X",
    of_x=lambda g, x: div(g, one_minus(square(x))),
    amp_class="deny",
)
erf: Op = define_unary_op(
    "erf",
    computed_in_float32_if_half(erf_of),
    "the error function of X",
    of_x=lambda g, x: mul(scale(g, scale=2 / math.sqrt(math.pi)), exp(negative(square(x)))),
)
erf.native(native.compiled_function_or_placeholder("erf"))


@op("abs", "X -> Out", meta=real_like_x_meta)
def absolute(x):
    """Out = |X|. X [*] -> Out [*], real"""
    return np.abs(x)


@absolute.vjp
def _(g, x, *, Out):
    if not is_vjp_input_complex(x):
        return mul(g, sign(x))
    whole, nothing = OPS["complex"], zeros_like(g)
    turned = mul(whole(g, nothing), OPS["conj"](x))
    return masked(div(turned, whole(Out, nothing)), is_strictly_between(Out, low=0.0))


@op("tanh", "X -> Out", meta=like_x_meta_requiring_inexact)
def tanh(x):
    """Out = tanh X. X [*] -> Out [*]"""
    check_dtype(x.dtype.kind not in "iub", "needs a floating dtype")
    return np.tanh(x)


tanh.native(native.compiled_function_or_placeholder("tanh"))


@tanh.vjp
def _(g, x, *, Out):
    return tanh_grad(Out, g)


@op("tanh_grad", "Out, Out@GRAD -> X@GRAD", meta=like_x_meta, internal=True)
@computed_in_float32_if_half
def tanh_grad(out, g):
    """X@GRAD = Out@GRAD * (1 - Out ** 2). Out [*], Out@GRAD [*] -> X@GRAD [*]"""
    return g * (out.dtype.type(1) - out * out)


tanh_grad.native(native.compiled_function_or_placeholder("tanh_grad"))


@tanh_grad.vjp
def _(gg, out, g):
    return lambda: mul(scale(mul(gg, g), scale=-2.0), out), lambda: tanh_grad(out, gg)


@op("sigmoid", "X -> Out", meta=like_x_meta_requiring_inexact)
@np.errstate(all="ignore")
@computed_in_float32_if_half
def sigmoid(x):
    """Out = 1 / (1 + e ** -X). X [*] -> Out [*]"""
    check_dtype(x.dtype.kind not in "iub", "needs a floating dtype")
    one = x.dtype.type(1)
    return one / (one + np.exp(-x))


sigmoid.native(native.compiled_function_or_placeholder("sigmoid"))


@sigmoid.vjp
def _(g, x, *, Out):
    return sigmoid_grad(Out, g)


@op("sigmoid_grad", "Out, Out@GRAD -> X@GRAD", meta=like_x_meta, internal=True)
@computed_in_float32_if_half
def sigmoid_grad(out, g):
    """X@GRAD = Out@GRAD * Out * (1 - Out). Out [*], Out@GRAD [*] -> X@GRAD [*]"""
    return g * (out * (out.dtype.type(1) - out))


sigmoid_grad.native(native.compiled_function_or_placeholder("sigmoid_grad"))


@sigmoid_grad.vjp
def _(gg, out, g):
    return lambda: mul(mul(gg, g), scale(out, scale=-2.0, bias=1.0)), lambda: sigmoid_grad(out, gg)


def square_of_sub(x: Any, y: Any) -> Any:
    """(X - Y) ** 2."""
    return square(sub(x, y))
