"""Spectral normalization and bilinear products of weights."""

from __future__ import annotations

from typing import Any

from ..core.arrays import np
from ..core.op import OPS, Meta, check, check_dtype, op
from .elementwise import div, mul, sub
from .half_precision import computed_in_float32_if_half
from .matmul import matmul
from .reduce import reduce_sum
from .shared_op_rules import (
    check_float,
    dims_match,
    like_x_meta,
    normalize_axis,
    num_elements,
    vjp_input_shape,
)

# -- spectral_norm
# ------------------------------------------------------------------------------------------------


def _as_matrix(weight: Any, dim: int) -> Any:
    """Reshape a weight [*,H,*] to [H, all other axes]."""
    front = np.moveaxis(weight, dim, 0)
    return front.reshape(front.shape[0], -1)


@op(
    "leading_direction",
    "Weight, U, V -> Out",
    meta=like_x_meta,
    internal=True,
    no_grad_reason="the directions are taken as constants",
)
@computed_in_float32_if_half
def leading_singular_vectors_outer_product(
    weight, u, v, *, dim: int = 0, power_iters: int = 1, eps: float = 1e-12
):
    """Out = u v', where u and v approximate the singular vectors of Weight for its largest singular
    value. Power iterations that start at the inputs U and V compute u and v.

    -> Out like Weight
    """
    matrix, tiny = _as_matrix(weight, dim), weight.dtype.type(eps)
    for _ in range(power_iters):
        v = matrix.T @ u
        v = v / (np.sqrt(np.sum(v * v)) + tiny)
        u = matrix @ v
        u = u / (np.sqrt(np.sum(u * u)) + tiny)
    front = np.moveaxis(weight, dim, 0).shape
    return np.moveaxis(np.outer(u, v).reshape(front), 0, dim)


@op("spectral_norm", "Weight, U!, V! -> Out", same_dtype="Weight U V", validate_before_kernel=True)
@computed_in_float32_if_half
def spectral_norm(weight, u, v, *, dim: int = 0, power_iters: int = 1, eps: float = 1e-12):
    """Out = Weight / the largest singular value of Weight, reshaped to a matrix [H,W] (Miyato et
    al. 2018).

    Weight [*,H,*], U [H], V [W] -> Out like Weight
    """
    direction = leading_singular_vectors_outer_product.kernel(
        weight, u, v, dim=dim, power_iters=power_iters, eps=eps
    )
    return weight / np.sum(direction * weight)


@spectral_norm.meta
def _(weight, u, v, *, dim, **_):
    check_float(weight)
    high = weight.shape[normalize_axis(dim, len(weight.shape), "dim")]
    check(dims_match(num_elements(u.shape), high), f"U needs {high} elements")
    rest = num_elements(weight.shape) // high if min(weight.shape) > 0 else -1
    check(dims_match(num_elements(v.shape), rest), f"V needs {rest} elements")
    return weight


@spectral_norm.vjp
def _(g, weight, u, v, **over):
    direction = leading_singular_vectors_outer_product(weight, u, v, **over)
    axes = list(range(len(vjp_input_shape(weight))))
    size = reduce_sum(mul(direction, weight), dim=axes, keep_dim=True)
    along = reduce_sum(mul(g, weight), dim=axes, keep_dim=True)
    return sub(div(g, size), mul(direction, div(along, mul(size, size)))), None, None


# -- bilinear_tensor_product
# --------------------------------------------------------------------------------------


@op(
    "bilinear_tensor_product",
    "X, Y, Weight, Bias? -> Out",
    same_dtype="X Y Weight Bias",
    validate_before_kernel=True,
)
@computed_in_float32_if_half
def bilinear(x, y, weight, bias=None):
    """Out[:, o] = x' Weight[o] y + Bias[o] for each row x of X and y of Y.

    X [B,I], Y [B,J], Weight [O,I,J], Bias [1,O] -> Out [B,O]
    """
    out = np.einsum("oib,bi->bo", np.matmul(weight, y.T), x)
    return out if bias is None else out + bias.reshape(1, -1)


@bilinear.meta
def _(x, y, weight, bias):
    check_float(x)
    check_dtype(x.dtype == y.dtype == weight.dtype, "the dtypes differ")
    check(
        len(x.shape) == len(y.shape) == 2 and len(weight.shape) == 3,
        "needs X [B,I], Y [B,J] and Weight [O,I,J]",
    )
    check(
        dims_match(x.shape[1], weight.shape[1]) and dims_match(y.shape[1], weight.shape[2]),
        "Weight does not fit X and Y",
    )
    check(dims_match(x.shape[0], y.shape[0]), "the batches differ")
    check(
        bias is None or dims_match(num_elements(bias.shape), weight.shape[0]),
        "Bias does not fit Weight",
    )
    return Meta((max(x.shape[0], y.shape[0]), weight.shape[0]), x.dtype)


def _transpose(weight: Any, axes: list[int]) -> Any:
    return OPS["transpose2"](weight, axis=axes)


@bilinear.vjp
def _(g, x, y, weight, bias):
    def weight_grad() -> Any:
        batch, outs = vjp_input_shape(g)
        pairs = mul(_reshape(g, [batch, outs, 1]), _reshape(x, [batch, 1, vjp_input_shape(x)[1]]))
        product = matmul(_reshape(pairs, [batch, outs * vjp_input_shape(x)[1]]), y, trans_x=True)
        return _reshape(product, list(vjp_input_shape(weight)))

    return (
        lambda: bilinear(g, y, _transpose(weight, [1, 0, 2]), None),
        lambda: bilinear(g, x, _transpose(weight, [2, 0, 1]), None),
        weight_grad,
        lambda: OPS["reshape_like"](reduce_sum(g, dim=[0]), bias),
    )


def _reshape(x: Any, shape: list[int]) -> Any:
    return OPS["reshape2"](x, shape=shape)
