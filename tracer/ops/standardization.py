"""Standardize: subtract the mean over some axes and divide by the standard deviation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..core import native
from ..core.arrays import np
from ..core.op import Ints, Meta, op
from . import blockwise
from .elementwise import add, mul
from .half_precision import computed_in_float32_if_half
from .reduce import broadcast_or_distribute_like, reduce_mean, reduce_sum, reduced_shape
from .shared_op_rules import like_x_meta
from .unary_math import negative


def standardize_rows_and_return_moments(x: Any, epsilon: float) -> tuple[Any, Any, Any]:
    """Return the standardized rows of x [R,K], and the means [R] and variances [R] of the rows."""
    t = x.dtype.type
    count = t(max(x.shape[1], 1))
    mean = blockwise.row_sums(x) / count
    variance = np.empty_like(mean)

    def standardize_block(part: Any, middle: Any, spread: Any) -> Any:
        out = part - middle[:, None]
        spread[...] = blockwise.row_dot_products(out, out) / count
        out *= (t(1) / np.sqrt(spread + t(epsilon)))[:, None]
        return out

    return blockwise.apply_to_row_blocks(standardize_block, x, mean, variance), mean, variance


def kept_and_stride_ordered_reduced_axes(
    x: Any, axes: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Return a permutation of the axes of x: first the kept axes, then the reduced axes `axes`
    sorted by decreasing stride. The permutation makes the reduced axes contiguous in memory if
    possible.
    """
    return [a for a in range(x.ndim) if a not in axes], sorted(axes, key=lambda a: -x.strides[a])


def try_view_operands_as_rows(
    axes: Sequence[int], x: Any, *stats: Any, also: Any
) -> list[Any] | None:
    """Reshape x and `also` to [R,K], where K is the number of elements over `axes`, and the
    statistics to [R,1]; return None if this reshape needs a copy.
    """
    kept, gone = kept_and_stride_ordered_reduced_axes(x, axes)
    flat = [np.transpose(t, kept + gone) for t in (x, also)]
    if not all(t.flags.c_contiguous for t in flat):
        return None
    rows, size = (math.prod(x.shape[a] for a in axes) for axes in (kept, gone))
    wanted = [x.shape[a] for a in kept] + [1] * len(gone)
    spread = [np.broadcast_to(np.transpose(t, kept + gone), wanted).reshape(rows, 1) for t in stats]
    return [flat[0].reshape(rows, size), *spread, flat[1].reshape(rows, size)]


@op("standardize", "X, Mean, InvStd -> Out", meta=like_x_meta, internal=True)
@computed_in_float32_if_half
def standardize_with_given_moments(x, mean, inv_std, *, axes: Ints):
    """Out = (X - Mean) * InvStd, where Mean and InvStd are the statistics of X over the axes. The
    caller computes Mean and InvStd; only the gradient reads the attribute `axes`.

    X [*S], Mean and InvStd broadcast to X -> Out [*S]
    """
    out = x - mean
    out *= inv_std
    return out


@standardize_with_given_moments.vjp
def _(g, x, mean, inv_std, *, axes):
    return standardize_grad(x, mean, inv_std, g, axes=axes), None, None


@op("standardize_grad", "X, Mean, InvStd, Out@GRAD -> X@GRAD", meta=like_x_meta, internal=True)
@computed_in_float32_if_half
def standardize_grad(x, mean, inv_std, g, *, axes: Ints):
    """X@GRAD = InvStd * (G - mean(G) - xhat * mean(G * xhat)), where xhat is the standardized X.

    X [*S], Out@GRAD [*S] -> X@GRAD [*S]
    """
    flat = try_view_operands_as_rows(axes, x, mean, inv_std, also=g)
    if flat is None:
        return _standardize_grad_over_axes(x, mean, inv_std, g, tuple(axes))
    kept, gone = kept_and_stride_ordered_reduced_axes(x, axes)
    found = blockwise.apply_to_row_blocks(_standardize_grad_of_rows, *flat).reshape(
        [x.shape[a] for a in kept + gone]
    )
    return np.transpose(found, np.argsort(kept + gone).tolist())


_AFFINE_GRAD, _DOT = (
    native.compiled_function_or_placeholder("standardize_affine_grad"),
    native.compiled_function_or_placeholder("standardize_dot"),
)


def _find_outer_kept_inner_sizes(
    shape: tuple[int, ...], axes: Sequence[int]
) -> tuple[int, int, int] | None:
    """The numbers of elements before, in and after the kept axes, for the compiled kernel. Returns
    None if the compiled kernel is not used: the kept axes are not adjacent, no axis is kept, only
    one element follows the kept axes, or a size is 0.
    """
    kept = [a for a in range(len(shape)) if a not in axes]
    if not kept or kept[-1] - kept[0] + 1 != len(kept) or 0 in shape:
        return None
    sizes = shape[: kept[0]], shape[kept[0] : kept[-1] + 1], shape[kept[-1] + 1 :]
    n, c, k = map(math.prod, sizes)
    return None if k == 1 else (n, c, k)


@standardize_grad.native
def _(x, mean, inv_std, g, *, axes):
    found = _call_compiled_affine_grad(x, None, mean, inv_std, g, axes)
    return found if found is NotImplemented else found[0]


def _call_compiled_affine_grad(
    x: Any, weight: Any, mean: Any, inv_std: Any, g: Any, axes: Sequence[int]
) -> Any:
    """The gradients for x [*], weight [C] and bias [C] by a compiled kernel, or NotImplemented."""
    around = _find_outer_kept_inner_sizes(x.shape, axes)
    if around is None or g.shape != x.shape:
        return NotImplemented
    return _AFFINE_GRAD(x, weight, mean, inv_std, g, *around)


def _standardize_grad_over_axes(
    x: Any, mean: Any, inv_std: Any, g: Any, axes: tuple[int, ...]
) -> Any:
    out = x - mean
    return _overwrite_with_standardize_grad(
        out,
        np.sum(g * out, axis=axes, keepdims=True),
        np.sum(g, axis=axes, keepdims=True),
        inv_std,
        g,
    )


def _standardize_grad_of_rows(x: Any, mean: Any, inv_std: Any, g: Any) -> Any:
    out = x - mean
    return _overwrite_with_standardize_grad(
        out, blockwise.row_dot_products(g, out)[:, None], blockwise.row_sums(g)[:, None], inv_std, g
    )


def _overwrite_with_standardize_grad(out: Any, dot: Any, total: Any, inv_std: Any, g: Any) -> Any:
    """The gradient of standardization, computed in place in `out`, which holds X - Mean.

    dot: the sum of G * out over the axes.
    total: the sum of G over the axes.
    """
    count = out.dtype.type(max(out.size // max(total.size, 1), 1))
    out *= -(dot / count * (inv_std * inv_std))
    out += g
    out -= total / count
    out *= inv_std
    return out


@standardize_grad.vjp
def _(b, x, mean, inv_std, g, *, axes):
    x_grad, g_grad = _lazy_grads_of_standardize_grad(b, x, mean, inv_std, g, axes)
    return x_grad, None, None, g_grad


def _lazy_grads_of_standardize_grad(
    b: Any, x: Any, mean: Any, inv_std: Any, g: Any, axes: Sequence[int]
) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Functions that compute the gradients of the inner product <b, standardize_grad(x, g)> for x
    and for g when they are called.
    """

    # Let P be the linear map g -> X@GRAD, which is self-adjoint, r the InvStd, and mean() over the
    # axes. Then d<b, P g>/dx = -r * (xhat * mean(b * P g) + P g * mean(b * xhat) + P b * mean(g *
    # xhat)).
    def x_second_order_grad() -> Any:
        def mean_over_axes(t: Any) -> Any:
            return reduce_mean(t, dim=axes, keep_dim=True)

        xhat = standardize_with_given_moments(x, mean, inv_std, axes=axes)
        pg, pb = (standardize_grad(x, mean, inv_std, t, axes=axes) for t in (g, b))
        total = add(mul(pg, mean_over_axes(mul(b, xhat))), mul(pb, mean_over_axes(mul(g, xhat))))
        return negative(mul(add(total, mul(xhat, mean_over_axes(mul(b, pg)))), inv_std))

    return x_second_order_grad, lambda: standardize_grad(x, mean, inv_std, b, axes=axes)


@op(
    "standardize_affine_grad",
    "X, Scale?, Mean, InvStd, Y@GRAD -> X@GRAD, Scale@GRAD, Bias@GRAD",
    internal=True,
)
@computed_in_float32_if_half
def standardize_affine_grad(x, weight, mean, inv_std, g, *, axes: Ints):
    """The gradients of Y = xhat * Scale + Bias, where xhat is X standardized over the axes.

    X, Y@GRAD [*S], Scale, Mean, InvStd: S with size 1 at the axes -> X@GRAD [*S], others: S without
    the axes
    """
    over = tuple(axes)
    centered = x - mean
    dot = np.sum(g * centered, axis=over, keepdims=True)
    total = np.sum(g, axis=over, keepdims=True)
    x_grad = _overwrite_with_standardize_grad(centered, dot, total, inv_std, g)
    if weight is not None:
        x_grad *= weight
    kept = reduced_shape(x.shape, over, False)
    return x_grad, (dot * inv_std).reshape(kept), total.reshape(kept)


@standardize_affine_grad.native
def _(x, weight, mean, inv_std, g, *, axes):
    found = _call_compiled_affine_grad(x, weight, mean, inv_std, g, axes)
    if found is NotImplemented:
        return found
    kept = reduced_shape(x.shape, axes, False)
    return found[0], found[1].reshape(kept), found[2].reshape(kept)


@standardize_affine_grad.meta
def _(x, weight, mean, inv_std, g, *, axes):
    parameter = Meta(reduced_shape(x.shape, axes, False), x.dtype)
    return x, parameter, parameter


@standardize_affine_grad.vjp
def _(b, b_scale, b_bias, x, weight, mean, inv_std, g, *, axes):
    scaled = g if weight is None else mul(g, weight)
    x_grad_through_x, scaled_grad = _lazy_grads_of_standardize_grad(
        b, x, mean, inv_std, scaled, axes
    )
    broadcast_scale_grad, broadcast_bias_grad = (
        broadcast_or_distribute_like(t, x, axes=axes) for t in (b_scale, b_bias)
    )

    def x_grad() -> Any:
        return add(
            x_grad_through_x(),
            standardize_grad(x, mean, inv_std, mul(g, broadcast_scale_grad), axes=axes),
        )

    def weight_grad() -> Any:
        return reduce_sum(mul(g, scaled_grad()), dim=axes, keep_dim=True)

    def g_grad() -> Any:
        through_x = scaled_grad() if weight is None else mul(scaled_grad(), weight)
        xhat = standardize_with_given_moments(x, mean, inv_std, axes=axes)
        return add(add(through_x, mul(xhat, broadcast_scale_grad)), broadcast_bias_grad)

    return x_grad, weight_grad, None, None, g_grad


@op("standardize_dot", "X, Mean, InvStd, Y -> Out", internal=True)
@computed_in_float32_if_half
def standardized_product_sum(x, mean, inv_std, y, *, axes: Ints, over: Ints):
    """Out = the sum of xhat * Y over the axes `over`, where xhat is X standardized over `axes`.

    X [*S], Y [*S] -> Out [*]
    """
    flat = try_view_operands_as_rows(axes, x, mean, inv_std, also=y)
    whole = (
        sorted([*axes, *over]) == list(range(x.ndim))
        and list(axes) == kept_and_stride_ordered_reduced_axes(x, axes)[1]
    )
    if flat is None or not (whole or sorted(over) == sorted(axes)):
        return np.sum((x - mean) * inv_std * y, axis=tuple(over))
    if sorted(over) == sorted(axes):
        dots = [
            blockwise.row_dot_products(x - m, y) * r[:, 0]
            for x, m, r, y in blockwise.iter_row_blocks(*flat)
        ]
        return np.concatenate(dots).reshape(reduced_shape(x.shape, over, False))
    total = np.zeros_like(flat[0], shape=flat[0].shape[1:])
    for part, m, r, other in blockwise.iter_row_blocks(*flat):
        total += np.einsum("rk,rk->k", (part - m) * r, other)
    return total.reshape([x.shape[a] for a in axes])


@standardized_product_sum.native
def _(x, mean, inv_std, y, *, axes, over):
    around = _find_outer_kept_inner_sizes(x.shape, axes)
    rows = sorted([*axes, *over]) == list(range(x.ndim))
    if around is None or y.shape != x.shape or not (rows or sorted(over) == sorted(axes)):
        return NotImplemented
    found = _DOT(x, mean, inv_std, y, rows, *around)
    return found if found is NotImplemented else found.reshape(reduced_shape(x.shape, over, False))


@standardized_product_sum.meta
def _(x, mean, inv_std, y, *, axes, over):
    return Meta(reduced_shape(x.shape, over, False), x.dtype)


@standardized_product_sum.vjp
def _(b, x, mean, inv_std, y, *, axes, over):
    def broadcast_grad() -> Any:
        return broadcast_or_distribute_like(b, x, axes=over)

    return (
        lambda: standardize_grad(x, mean, inv_std, mul(y, broadcast_grad()), axes=axes),
        None,
        None,
        lambda: mul(standardize_with_given_moments(x, mean, inv_std, axes=axes), broadcast_grad()),
    )
