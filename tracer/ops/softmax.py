"""Softmax and log_softmax."""

from __future__ import annotations

from ..core import native
from ..core.arrays import np
from ..core.op import OPS, Meta, op
from .blockwise import apply_along_axis_blockwise, max_along_axis_keepdim, sum_along_axis_keepdim
from .elementwise import mul, sub
from .half_precision import computed_in_float32_if_half
from .shared_op_rules import check_float, like_x_meta, normalize_axis
from .unary_math import exp


def _softmax_meta(x: Meta, *, axis: int) -> Meta:
    check_float(x)
    normalize_axis(axis, len(x.shape))
    return x


@op("softmax", "X -> Out", meta=_softmax_meta, amp_class="deny")
@np.errstate(invalid="ignore")
@computed_in_float32_if_half
def softmax(x, *, axis: int = -1):
    """Out = e ** X / the sum of e ** X over the axis. X [*] -> Out [*]"""
    check_float(x)
    if not x.ndim:
        return np.ones_like(x)
    return apply_along_axis_blockwise(softmax_array, axis, x)


_SOFTMAX, _LOG_SOFTMAX, _SOFTMAX_BACK = map(
    native.compiled_function_or_placeholder, ("softmax", "log_softmax", "softmax_grad")
)


@softmax.native
def _(x, *, axis=-1):
    return _SOFTMAX(x) if axis in (-1, x.ndim - 1) else NotImplemented


def softmax_array(x, axis):
    """The softmax of an array of at least one axis."""
    if not x.size:
        return x.copy()
    e = x - max_along_axis_keepdim(x, axis)
    np.exp(e, out=e)
    e /= sum_along_axis_keepdim(e, axis)
    return e


@softmax.vjp
def _(g, x, *, axis, Out):
    return softmax_grad(Out, g, axis=axis)


@op("softmax_grad", "Out, Out@GRAD -> X@GRAD", meta=like_x_meta, internal=True)
@computed_in_float32_if_half
def softmax_grad(out, g, *, axis: int = -1):
    """X@GRAD = Out * (Out@GRAD - the sum of Out * Out@GRAD over the axis).

    Out [*], Out@GRAD [*] -> X@GRAD [*]
    """
    if not out.ndim:
        return np.zeros_like(out)
    return apply_along_axis_blockwise(softmax_grad_array, axis, out, g)


@softmax_grad.native
def _(out, g, *, axis=-1):
    return _SOFTMAX_BACK(out, g) if axis in (-1, out.ndim - 1) else NotImplemented


def softmax_grad_array(out, g, axis):
    """Compute out * (g - sum of out * g over the axis) for arrays."""
    weighted = g * out
    weighted -= out * sum_along_axis_keepdim(weighted, axis)
    return weighted


@softmax_grad.vjp
def _(gg, out, g, *, axis):
    def total(x):
        return OPS["reduce_sum"](x, dim=[axis], keep_dim=True)

    def second_order_grad_of_out():
        return sub(mul(gg, sub(g, total(mul(g, out)))), mul(g, total(mul(gg, out))))

    return second_order_grad_of_out, lambda: softmax_grad(out, gg, axis=axis)


@op("log_softmax", "X -> Out", meta=_softmax_meta, amp_class="deny")
@np.errstate(invalid="ignore")
@computed_in_float32_if_half
def log_softmax(x, *, axis: int = -1):
    """Out = X - ln(the sum of e ** X over the axis), the logarithm of softmax. X [*] -> Out [*]"""
    check_float(x)
    return apply_along_axis_blockwise(log_softmax_array, axis, x) if x.ndim else np.zeros_like(x)


@log_softmax.native
def _(x, *, axis=-1):
    return _LOG_SOFTMAX(x) if axis in (-1, x.ndim - 1) else NotImplemented


def log_softmax_array(x, axis):
    """The logarithm of softmax of an array of at least one axis."""
    if not x.size:
        return x.copy()
    shifted = x - max_along_axis_keepdim(x, axis)
    shifted -= np.log(sum_along_axis_keepdim(np.exp(shifted), axis))
    return shifted


@log_softmax.vjp
def _(g, x, *, axis, Out):
    return sub(g, mul(exp(Out), OPS["reduce_sum"](g, dim=[axis], keep_dim=True)))
