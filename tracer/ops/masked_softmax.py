"""Softmax of attention scores with a mask, and attention in one kernel."""

from __future__ import annotations

from typing import Any

from ..core import native
from ..core.arrays import np
from ..core.op import Meta, check, check_dtype, op
from .half_precision import computed_in_float32_if_half
from .shared_op_rules import broadcast_shapes, check_float, dims_match, shapes_match
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
    check_float(x)
    return softmax_array(_mask_above_diagonal(x), -1)


def _mask_above_diagonal(x: Any) -> Any:
    """Replace the elements above the diagonal of matrices by -infinity."""
    above = np.triu(np.ones_like(x, dtype=bool, shape=x.shape[-2:]), 1)
    return np.where(above, x.dtype.type(-np.inf), x)


@fused_softmax_mask_upper_triangle.meta
def _(x):
    check_float(x)
    check(len(x.shape) == 4, "X needs four axes")
    check(min(x.shape[2:]) < 0 or x.shape[2] == x.shape[3], "the last two axes of X differ")
    return Meta(x.shape, x.dtype)


@fused_softmax_mask_upper_triangle.vjp
def _(g, x, *, Out):
    return softmax_grad(Out, g)


@op(
    "attention",
    "Q!, K!, V!, Mask?! -> Out",
    same_dtype="Q K V Mask",
    internal=True,
    validate_before_kernel=True,
    no_grad_reason="only called where no gradient is recorded",
)
@np.errstate(invalid="ignore")
@computed_in_float32_if_half
def attention(q, k, v, mask=None, *, scale: float, is_causal: bool = False):
    """Out = softmax(Q K' * scale + Mask) V with the axes of heads and rows exchanged, for calls
    without gradients. Modes that record ops call the ops of the formula instead.

    Q [B,H,L,D], K [B,H,S,D], V [B,H,S,E], Mask broadcast to [B,H,L,S] -> Out [B,L,H,E]

    is_causal: row i of Q sees the rows of K up to i.
    """
    scores = np.matmul(q * q.dtype.type(scale), np.swapaxes(k, -1, -2))
    if mask is not None:
        scores = scores + mask
    if is_causal:
        scores = _mask_above_diagonal(scores)
    return np.ascontiguousarray(np.swapaxes(np.matmul(softmax_array(scores, -1), v), 1, 2))


attention.native(native.compiled_function_or_placeholder("attention"))


@attention.meta
def _(q, k, v, mask, *, is_causal, **_):
    check_float(q)
    check(len(q.shape) == len(k.shape) == len(v.shape) == 4, "Q, K and V need four axes")
    check(
        shapes_match(q.shape[:2], k.shape[:2]) and shapes_match(q.shape[:2], v.shape[:2]),
        "Q, K and V differ in their batch sizes or numbers of heads",
    )
    check(dims_match(q.shape[3], k.shape[3]), "the last axes of Q and K differ")
    check(dims_match(k.shape[2], v.shape[2]), "K and V differ in their numbers of rows")
    check(
        not is_causal or dims_match(q.shape[2], k.shape[2]),
        "Q and K differ in their numbers of rows",
    )
    if mask is not None:
        scores = (*q.shape[:3], k.shape[2])
        check(
            shapes_match(broadcast_shapes(scores, mask.shape), scores),
            "Mask does not broadcast to the scores",
        )
    return Meta((q.shape[0], q.shape[2], q.shape[1], v.shape[3]), q.dtype)
