"""renorm: limit the norm of slices."""

from __future__ import annotations

from ..core.arrays import np
from ..core.op import OPS, check, op
from .comparison_and_logic import greater_than
from .elementwise import add, div, mul, scale
from .half_precision import computed_in_float32_if_half
from .reduce import reduce_sum
from .shared_op_rules import check_float, normalize_axis, vjp_input_shape
from .unary_math import absolute, reciprocal, sign

_EPSILON = 1e-7  # Paddle adds this number to a norm before it divides by the norm


def _axes_except(rank: int, axis: int) -> list[int]:
    at = normalize_axis(axis, rank)
    return [i for i in range(rank) if i != at]


@op("renorm", "X -> Out", floating="X", amp_class="deny")
@computed_in_float32_if_half
def renorm(x, *, p: float, axis: int, max_norm: float):
    """Out = X, where each slice along the axis with a p-norm above max_norm is scaled to max_norm.

    X [*] -> Out [*]
    """
    check_float(x)
    norm = np.sum(
        np.abs(x) ** x.dtype.type(p), axis=tuple(_axes_except(x.ndim, axis)), keepdims=True
    ) ** x.dtype.type(1 / p)
    factor = np.where(norm > max_norm, max_norm / (norm + x.dtype.type(_EPSILON)), 1)
    return x * factor.astype(x.dtype)


@renorm.meta
def _(x, *, p, axis, max_norm):
    check_float(x)
    check(len(x.shape) > 1, "needs two axes")
    check(p > 0, f"p={p} is not positive")
    normalize_axis(axis, len(x.shape))
    return x


@renorm.vjp
def _(g, x, *, p, axis, max_norm):
    """Let n be the norm and f = max_norm / (n + e). Where n > max_norm, the gradient is
    f * g - f / (n + e) * sum(g * x) * dn/dx; elsewhere it is g.
    """
    others = _axes_except(len(vjp_input_shape(x)), axis)
    total = reduce_sum(OPS["pow"](absolute(x), factor=p), dim=others, keep_dim=True)
    norm = OPS["pow"](total, factor=1 / p)
    under = reciprocal(scale(norm, bias=_EPSILON))
    limit = OPS["fill_any_like"](norm, value=max_norm)
    above = greater_than(norm, limit)
    factor = scale(under, scale=max_norm)
    norm_grad = div(
        mul(sign(x), OPS["pow"](absolute(x), factor=p - 1)), OPS["pow"](norm, factor=p - 1)
    )
    along = mul(mul(factor, under), reduce_sum(mul(g, x), dim=others, keep_dim=True))
    scaled_grad = add(mul(g, factor), scale(mul(norm_grad, along), scale=-1.0))
    return OPS["where"](OPS["expand_as_v2"](above, x), scaled_grad, g)
