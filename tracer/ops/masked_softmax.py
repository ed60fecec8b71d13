"""Softmax of attention scores with a mask."""

from __future__ import annotations

from ..core.arrays import np
from ..core.op import Meta, check, check_dtype, op
from .half_precision import computed_in_float32_if_half
from .shared_op_rules import broadcast_shapes, check_float
from .softmax import softmax_array, softmax_grad


@op("fused_softmax_mask", "X, Mask! -> Out", validate_before_kernel=True)
@computed_in_float32_if_half
def fused_softmax_mask(x, mask):
    """Out = softmax(X + Mask) over the last axis. X [B,H,L,S], Mask [B,1,L,S] -> Out [B,H,L,S]"""
    return softmax_array(x + mask, -1)


@fused_softmax_mask.meta
def _(x, mask):
    check_float(x)
    check_dtype(x.dtype == mask.dtype, "the dtypes differ")
    check(len(x.shape) == len(mask.shape) == 4, "X and Mask need four axes")
    shape = broadcast_shapes(x.shape, mask.shape)
    check(
        all(a == b or min(a, b) < 0 for a, b in zip(shape, x.shape, strict=True)),
        "Mask is larger than X",
    )
    return x


@fused_softmax_mask.vjp
def _(g, x, mask, *, Out):
    return softmax_grad(Out, g), None


@op("fused_softmax_mask_upper_triangle", "X -> Out")
@computed_in_float32_if_half
def fused_softmax_mask_upper_triangle(x):
    """Out = softmax over the last axis with a causal mask: elements above the diagonal are 0.

    X [B,H,L,L] -> Out [B,H,L,L]
    """
    above = np.triu(np.ones_like(x, dtype=bool, shape=x.shape[-2:]), 1)
    return softmax_array(np.where(above, x.dtype.type(-np.inf), x), -1)


@fused_softmax_mask_upper_triangle.meta
def _(x):
    check_float(x)
    check(len(x.shape) == 4, "X needs four axes")
    check(min(x.shape[2:]) < 0 or x.shape[2] == x.shape[3], "the last two axes of X differ")
    return Meta(x.shape, x.dtype)


@fused_softmax_mask_upper_triangle.vjp
def _(g, x, *, Out):
    return softmax_grad(Out, g)
