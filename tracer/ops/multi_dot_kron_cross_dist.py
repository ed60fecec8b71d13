"""Chains and powers of matrices, Kronecker and cross products, and dist."""

from __future__ import annotations

import functools
import itertools
from typing import Any

from ..core.arrays import is_running_kernel_on_gpu, np
from ..core.op import NO_HALF_DECOMPOSITION, OPS, Meta, check, check_dtype, op
from .elementwise import mul, sub
from .half_precision import computed_in_float32_if_half
from .linalg_helpers import (
    as_column,
    as_row,
    check_inexact_square_matrices,
    multiply_chain,
    negate,
    squeeze_axis,
    transpose_last_two_axes,
)
from .matmul import p_norm, p_norm_vjp
from .reduce import reduce_sum
from .shared_op_rules import (
    Shape,
    broadcast,
    check_float,
    dims_match,
    normalize_axis,
    num_elements,
    pick_known_dim,
    raise_unknown_size_unless,
    shapes_match,
    vjp_input_shape,
)


@op("multi_dot", "X* -> Out", same_dtype="X")
@computed_in_float32_if_half
def multi_dot(xs):
    """Out = the product of all X, in the order with the fewest multiplications. The first tensor
    may be a row vector, and the last tensor a column vector.

    X list of [Mi, Mi+1] -> Out [M0, Mn]
    """
    check(len(xs) > 1, "X needs two factors")
    return (
        functools.reduce(np.matmul, xs) if is_running_kernel_on_gpu() else np.linalg.multi_dot(xs)
    )


@multi_dot.meta
def _(xs):
    check(len(xs) > 1, "X needs two factors")
    check_dtype(all(x.dtype == xs[0].dtype for x in xs), "the dtypes differ")
    ends = all(len(x.shape) in (1, 2) for x in (xs[0], xs[-1]))
    check(
        ends and all(len(x.shape) == 2 for x in xs[1:-1]),
        "only the first and the last X may have one axis",
    )
    pairs = [(a.shape[-1], b.shape[0]) for a, b in itertools.pairwise(xs)]
    check(all(dims_match(a, b) for a, b in pairs), f"the inner axes differ, {pairs}")
    return Meta(xs[0].shape[:-1] + xs[-1].shape[1:], xs[0].dtype)


@multi_dot.vjp
def _(g, xs):
    row, column = len(vjp_input_shape(xs[0])) == 1, len(vjp_input_shape(xs[-1])) == 1
    factors = list(xs)
    if row:
        factors[0], g = as_row(xs[0]), OPS["unsqueeze2"](g, axes=[0])
    if column:
        factors[-1], g = as_column(xs[-1]), as_column(g)
    flipped = [transpose_last_two_axes(f) for f in factors]
    found = [multiply_chain(*flipped[:i][::-1], g, *flipped[:i:-1]) for i in range(len(xs))]
    if row:
        found[0] = squeeze_axis(found[0], 0)
    if column:
        found[-1] = squeeze_axis(found[-1], 1)
    return found


@op("matrix_power", "X -> Out", no_half_reason=NO_HALF_DECOMPOSITION, validate_before_kernel=True)
def matrix_power(x, *, n: int):
    """Out = X ** n as a matrix power; for n < 0, the inverse of X to the power -n.

    X [*, M, M] -> Out [*, M, M]
    """
    return np.linalg.matrix_power(x, n)


@matrix_power.meta
def _(x, *, n):
    check_inexact_square_matrices(x)
    return x


@matrix_power.vjp
def _(g, x, *, n):
    """The gradient of the matrix power: the upper right block of the n-th power of [[X^T, g], [0,
    X^T]]; see Higham, "Functions of Matrices" (2008), theorem 3.6.
    """
    turned, join = transpose_last_two_axes(x), OPS["concat"]
    down = len(vjp_input_shape(x)) - 2
    nothing = sub(turned, turned)
    whole = join(
        [join([turned, g], axis=down + 1), join([nothing, turned], axis=down + 1)], axis=down
    )
    top = OPS["split"](matrix_power(whole, n=n), num=2, axis=down)[0]
    return OPS["split"](top, num=2, axis=down + 1)[1]


@op("kron", "X, Y -> Out", same_dtype="X Y")
@computed_in_float32_if_half
def kron(x, y):
    """Out = the Kronecker product of X and Y.

    X [*A], Y [*B] -> Out [*A * B], where the shorter shape is extended by 1 at the front
    """
    return np.kron(x, y)


@kron.meta
def _(x, y):
    check_dtype(x.dtype == y.dtype, "the dtypes differ")
    a, b = _pad_shapes_to_same_rank(x.shape, y.shape)
    return Meta(tuple(map(_multiply_sizes, a, b)), x.dtype)


def _pad_shapes_to_same_rank(x: Shape, y: Shape) -> tuple[Shape, Shape]:
    rank = max(len(x), len(y))
    return (1,) * (rank - len(x)) + x, (1,) * (rank - len(y)) + y


def _multiply_sizes(a: int, b: int) -> int:
    return num_elements((a, b))


@kron.vjp
def _(g, x, y):
    a, b = _pad_shapes_to_same_rank(vjp_input_shape(x), vjp_input_shape(y))
    raise_unknown_size_unless(min((*a, *b), default=0) >= 0)
    g = _reshape(g, [d for pair in zip(a, b, strict=True) for d in pair])

    def operand_grad(other: Any, spread: list[int], like: Any, axes: list[int]) -> Any:
        product = mul(g, _reshape(other, spread))
        return OPS["reshape_like"](reduce_sum(product, dim=axes) if axes else product, like)

    rank = len(a)
    ones_x, ones_y = [d for n in b for d in (1, n)], [d for n in a for d in (n, 1)]
    return lambda: operand_grad(y, ones_x, x, list(range(1, 2 * rank, 2))), lambda: operand_grad(
        x, ones_y, y, list(range(0, 2 * rank, 2))
    )


def _reshape(x: Any, shape: list[int]) -> Any:
    return OPS["reshape2"](x, shape=shape)


@op("cross", "X, Y -> Out", same_dtype="X Y", validate_before_kernel=True)
@computed_in_float32_if_half
def cross(x, y, *, dim: int = 9):
    """Out = the cross products of the vectors in X and Y along an axis of size 3.

    dim: the axis; 9 for the first axis of size 3.

    X [*], Y [*] -> Out [*]
    """
    axis = _cross_product_axis(x.shape, dim)
    a, b = (np.moveaxis(t, axis, 0) for t in (x, y))
    parts = [a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return np.stack(parts, axis=axis)


def _cross_product_axis(shape: Shape, dim: int) -> int:
    if dim != 9:
        axis = normalize_axis(dim, len(shape))
        check(dims_match(shape[axis], 3), f"dim={dim} has {shape[axis]} elements, not 3")
        return axis
    check(
        3 in shape,
        "no axis has 3 elements"
        if min(shape, default=0) >= 0
        else "it is not known which axis has the size 3, because sizes are dynamic",
    )
    return shape.index(3)


@cross.meta
def _(x, y, *, dim):
    check_dtype(x.dtype == y.dtype, "the dtypes differ")
    check(shapes_match(x.shape, y.shape), "the shapes differ")
    if dim != 9 or min(x.shape, default=0) >= 0:
        _cross_product_axis(x.shape, dim)  # with unknown sizes, the kernel determines the axis
    return Meta(tuple(map(pick_known_dim, x.shape, y.shape)), x.dtype)


@cross.vjp
def _(g, x, y, *, dim):
    return lambda: cross(y, g, dim=dim), lambda: cross(g, x, dim=dim)


@op("dist", "X, Y -> Out", same_dtype="X Y", amp_class="deny")
@computed_in_float32_if_half
def dist(x, y, *, p: float = 2.0):
    """Out = the p-norm of X - Y, flattened to one vector. X [*A], Y [*B] -> Out []"""
    return p_norm.kernel(x - y, porder=p, asvector=True)


@dist.meta
def _(x, y, *, p):
    check_float(x)
    return Meta((), broadcast(x, y).dtype)


@dist.vjp
def _(g, x, y, *, p, Out):
    to_x = p_norm_vjp(g, sub(x, y), porder=p, axis=-1, keepdim=False, asvector=True, Out=Out)
    return to_x, negate(to_x)
