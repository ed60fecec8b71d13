"""Norms of a whole tensor: l1_norm, squared_l2_norm, clip_by_norm."""

from __future__ import annotations

from ..core.arrays import np
from ..core.op import Meta, check, op
from .elementwise import mul, scale
from .half_precision import computed_in_float32_if_half
from .reduce import broadcast_or_distribute_like
from .shared_op_rules import check_float, like_x_meta_requiring_float, vjp_input_shape
from .unary_math import sign


@op("l1_norm", "X -> Out")
@computed_in_float32_if_half
def l1_norm(x):
    """Out = the sum of |X|. X [*] -> Out []"""
    check_float(x)
    return np.asarray(np.abs(x).sum(), x.dtype)


@l1_norm.meta
def _(x):
    check_float(x)
    return Meta((), x.dtype)


@l1_norm.vjp
def _(g, x):
    return mul(
        broadcast_or_distribute_like(g, x, axes=list(range(len(vjp_input_shape(x))))), sign(x)
    )


@op("squared_l2_norm", "X -> Out")
@computed_in_float32_if_half
def squared_l2_norm(x):
    """Out = the sum of X ** 2. X [*] -> Out [1]"""
    check_float(x)
    return np.square(x).sum().reshape(1)


@squared_l2_norm.meta
def _(x):
    check_float(x)
    return Meta((1,), x.dtype)


@squared_l2_norm.vjp
def _(g, x):
    return mul(scale(x, scale=2.0), g)


@op("clip_by_norm", "X -> Out", no_grad_reason="it clips gradients; Paddle has no gradient of it")
@computed_in_float32_if_half
def clip_by_norm(x, *, max_norm: float):
    """Out = X * max_norm / ||X|| where the Euclidean norm ||X|| exceeds max_norm, else X.

    X [*] -> Out [*]
    """
    check_float(x)
    norm = np.sqrt(np.square(x).sum())
    limit = x.dtype.type(max_norm)
    return x * np.where(norm > limit, limit / np.maximum(norm, limit), x.dtype.type(1))


@clip_by_norm.meta
def _(x, *, max_norm):
    check(max_norm > 0, f"max_norm={max_norm} is not positive")
    return like_x_meta_requiring_float(x)
