"""Matrix and vector products and norms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..core.errors import OpError, append_user_line
from ..core.op import OPS
from ..core.operand_checks import check_tensors, not_a_tensor_error
from ..core.tensor import Tensor
from ..ops.shared_op_rules import dims_match
from .convert import axis_list, cast, full, guard_and_get_size_or_minus_one, normalize_axis
from .creation import zeros
from .manipulation import reshape, t, transpose, unsqueeze

__all__ = [
    "addmm",
    "bmm",
    "cdist",
    "cross",
    "dist",
    "dot",
    "inner",
    "kron",
    "matmul",
    "mm",
    "mv",
    "norm",
    "outer",
    "t",
    "tensordot",
    "transpose",
]
METHODS = [*__all__, "multi_dot"]
IN_PLACE = ["addmm", "t", "transpose"]


def matmul(
    x: Tensor,
    y: Tensor,
    transpose_x: bool = False,
    transpose_y: bool = False,
    name: str | None = None,
) -> Tensor:
    """x @ y over the last two axes; the others broadcast.

    x [*A, M, K], y [*B, K, N] -> [*broadcast(A, B), M, N]
    """
    try:
        mixed = x.meta.dtype != y.meta.dtype and "c" in (x.meta.dtype.kind, y.meta.dtype.kind)
    except AttributeError:
        raise not_a_tensor_error(y if isinstance(x, Tensor) else x) from None
    if mixed:
        x, y = _cast_real_operand_to_complex(x, y)
    if transpose_x or transpose_y:
        return OPS["matmul_v2"](x, y, trans_x=transpose_x, trans_y=transpose_y)
    return OPS["matmul_v2"](x, y)


def _cast_real_operand_to_complex(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Cast the real operand of a product to the dtype of the other, complex operand."""
    if x.meta.dtype.kind == "c":
        return x, cast(y, x.meta.dtype)
    return cast(x, y.meta.dtype), y


def mm(input: Tensor, mat2: Tensor, name: str | None = None) -> Tensor:
    """Product of two matrices.

    [M, K], [K, N] -> [M, N]
    """
    return matmul(input, mat2)


def bmm(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Products of two batches of matrices.

    [B, M, K], [B, K, N] -> [B, M, N]
    """
    return OPS["bmm"](x, y)


def dot(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Inner product over the last axis.

    [N], [N] -> []; [B, N], [B, N] -> [B]
    """
    return OPS["dot"](x, y)


def mv(x: Tensor, vec: Tensor, name: str | None = None) -> Tensor:
    """Product of a matrix and a vector.

    [M, N], [N] -> [M]
    """
    return OPS["mv"](x, vec)


def addmm(
    input: Tensor,
    x: Tensor,
    y: Tensor,
    beta: float = 1.0,
    alpha: float = 1.0,
    name: str | None = None,
) -> Tensor:
    """Add a matrix and the product of two matrices.

    out = beta * input + alpha * (x @ y)

    Parameters
    ----------
    input : Tensor [M, N], floating
        Broadcast to the shape of the product.
    x : Tensor [M, K], dtype of input
    y : Tensor [K, N], dtype of input
    beta : float, default 1.0
    alpha : float, default 1.0
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [M, N], dtype of input

    Raises
    ------
    OpError
        If shapes or dtypes do not fit.

    Examples
    --------
    >>> x, y = paddle.to_tensor([[1.0], [2.0]]), paddle.to_tensor([[3.0, 4.0]])
    >>> paddle.addmm(paddle.ones([2, 2]), x, y, beta=10.0).tolist()
    [[13.0, 14.0], [16.0, 18.0]]
    """
    return OPS["addmm"](input, x, y, Beta=float(beta), Alpha=float(alpha))


def multi_dot(x: Sequence[Tensor], name: str | None = None) -> Tensor:
    """Product of matrices in the cheapest order; the first and last may be vectors.

    [Mi, Mi+1] each -> [M0, Mn]
    """
    return OPS["multi_dot"](list(x))


def inner(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Inner products of all vectors in the last axes.

    x [*A, K], y [*B, K] -> [*A, *B]; x * y if one of them has one element
    """
    check_tensors(x, y)
    if any(all(guard_and_get_size_or_minus_one(t, i) == 1 for i in range(t.ndim)) for t in (x, y)):
        return OPS["elementwise_mul"](x, y)
    shape = [*x.shape[:-1], *y.shape[:-1]]
    rows, columns = reshape(x, [-1, x.shape[-1]]), reshape(y, [-1, y.shape[-1]])
    return reshape(matmul(rows, transpose(columns, [1, 0])), shape)


def outer(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Products of all pairs of elements.

    x with M elements, y with N -> [M, N]
    """
    return matmul(reshape(x, [-1, 1]), reshape(y, [1, -1]))


def cross(x: Tensor, y: Tensor, axis: int = 9, name: str | None = None) -> Tensor:
    """Cross product along an axis of size 3; axis=9: the first such axis.

    x [*], y [*] -> [*]
    """
    return OPS["cross"](x, y, dim=9 if axis is None else axis)


def kron(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Kronecker product.

    x [*A], y [*B] -> [A * B per axis], the shorter shape padded with 1 in front
    """
    return OPS["kron"](x, y)


def dist(x: Tensor, y: Tensor, p: float = 2, name: str | None = None) -> Tensor:
    """p-norm of all elements of x - y.

    x [*A], y [*B] -> []
    """
    return OPS["dist"](x, y, p=float(p))


_CDIST_MODES = (
    "use_mm_for_euclid_dist_if_necessary",
    "use_mm_for_euclid_dist",
    "donot_use_mm_for_euclid_dist",
)


def cdist(
    x: Tensor,
    y: Tensor,
    p: float = 2.0,
    compute_mode: str = _CDIST_MODES[0],
    name: str | None = None,
) -> Tensor:
    """p-norms of the differences of all pairs of rows.

    x [*A, P, M], y [*B, R, M] -> [*broadcast(A, B), P, R]

    compute_mode: whether p=2 uses a matrix product, which is faster and less exact; by default for
    more than 25 rows
    """
    if compute_mode not in _CDIST_MODES:
        raise OpError(
            append_user_line(
                f"cdist: compute_mode={compute_mode} is not one of {', '.join(_CDIST_MODES)}"
            )
        )
    if p < 0:
        raise OpError(append_user_line(f"cdist: p={p} is negative"))
    check_tensors(x, y)
    rows, others, width = (
        guard_and_get_size_or_minus_one(x, -2),
        guard_and_get_size_or_minus_one(y, -2),
        guard_and_get_size_or_minus_one(x, -1),
    )
    if not dims_match(width, guard_and_get_size_or_minus_one(y, -1)):
        raise OpError(
            append_user_line(
                f"cdist: the last axes must have the same size (X={x.meta}, Y={y.meta})"
            )
        )
    if rows == 0 or others == 0 or width == 0:
        return zeros([rows, others], x.dtype)
    use_product = compute_mode == _CDIST_MODES[1] or (
        compute_mode == _CDIST_MODES[0] and (rows > 25 or others > 25)
    )
    if p == 2 and use_product:
        return _euclidean_distance_by_matmul(x, y)
    return norm(unsqueeze(x, -2) - unsqueeze(y, -3), float(p), -1)


def _euclidean_distance_by_matmul(x: Tensor, y: Tensor) -> Tensor:
    """Return sqrt(|x|^2 - 2 x y + |y|^2)."""
    squares = [OPS["reduce_sum"](OPS["square"](a), dim=[-1], keep_dim=True) for a in (x, y)]
    y_squares = transpose(squares[1], [*range(y.ndim - 2), y.ndim - 1, y.ndim - 2])
    squared = matmul(x, y, transpose_y=True) * -2.0 + y_squares + squares[0]
    return OPS["sqrt"](OPS["elementwise_max"](squared, full([], 0.0, squared.dtype)))


def tensordot(x: Tensor, y: Tensor, axes: Any = 2, name: str | None = None) -> Tensor:
    """Sum of products over pairs of axes.

    x [*A], y [*B] -> [*A without axes, *B without axes]

    axes: number of last axes of x and first axes of y; or a list of axes of both; or two lists, the
    shorter one continued by the longer. A size of 1 matches any size.
    """
    check_tensors(x, y)
    axes_x, axes_y = _contracted_axes(axes, x.ndim)
    for i, j in zip(axes_x, axes_y, strict=True):
        if not dims_match(
            guard_and_get_size_or_minus_one(x, i), guard_and_get_size_or_minus_one(y, j)
        ):
            x, y = _sum_axis_paired_with_size_one(x, y, i, j)
    free_x = [
        i for i in range(x.ndim) if i not in {normalize_axis(a, x, "tensordot") for a in axes_x}
    ]
    free_y = [
        j for j in range(y.ndim) if j not in {normalize_axis(a, y, "tensordot") for a in axes_y}
    ]
    shape = [x.shape[i] for i in free_x] + [y.shape[j] for j in free_y]
    contracted_size = math.prod([x.shape[i] for i in axes_x])
    rows = reshape(
        transpose(x, [*free_x, *axes_x]), [math.prod([x.shape[i] for i in free_x]), contracted_size]
    )
    columns = reshape(
        transpose(y, [*axes_y, *free_y]), [contracted_size, math.prod([y.shape[j] for j in free_y])]
    )
    return reshape(matmul(rows, columns), shape)


def _contracted_axes(axes: Any, rank: int) -> tuple[list[int], list[int]]:
    """Return the axes of both operands that are summed over."""
    axes = axes.tolist() if isinstance(axes, Tensor) else axes
    if isinstance(axes, int):
        if axes < 0:
            raise OpError(append_user_line(f"tensordot: axes={axes} is negative"))
        return list(range(rank - axes, rank)), list(range(axes))
    lists = [a.tolist() if isinstance(a, Tensor) else a for a in axes]
    both = [lists, []] if not lists or isinstance(lists[0], int) else [*lists, []][:2]
    first, second = list(both[0]), list(both[1])
    return first + second[len(first) :], second + first[len(second) :]


def _sum_axis_paired_with_size_one(x: Tensor, y: Tensor, i: int, j: int) -> tuple[Tensor, Tensor]:
    """For two paired axes of different size, sum the operand whose axis is not of size 1 over this
    axis. Raises OpError if neither size is 1.
    """
    sizes = guard_and_get_size_or_minus_one(x, i), guard_and_get_size_or_minus_one(y, j)
    if 1 not in sizes:
        raise OpError(
            append_user_line(
                f"tensordot: axis {i} of X and axis {j} of Y differ in size "
                f"(X={x.meta}, Y={y.meta})"
            )
        )
    if sizes[0] == 1:
        return x, OPS["reduce_sum"](y, dim=[j], keep_dim=True)
    return OPS["reduce_sum"](x, dim=[i], keep_dim=True), y


def norm(
    x: Tensor, p: Any = "fro", axis: Any = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """p-norm over one axis, two axes, or (None) all elements; 'fro' is p=2.

    x [*] -> [* without axis]

    Over two axes the matrices are treated as vectors, as in Paddle. Raises OpError for integers,
    complex numbers and more than two axes.
    """
    axes = axis_list(axis)
    if p is not None and p != "fro" and isinstance(p, str):
        raise OpError(append_user_line(f"norm: p={p!r} is neither 'fro' nor a number"))
    if len(axes) > 2:
        raise OpError(
            append_user_line(f"norm: at most two axes are supported, got axis={axes} (X={x.meta})")
        )
    if p in (None, "fro") and len(axes) != 1:
        return OPS["frobenius_norm"](x, dim=axes or [0], keep_dim=keepdim, reduce_all=not axes)
    order = 2.0 if p in (None, "fro") else float(p)
    if not axes:
        return OPS["p_norm"](x, porder=order, keepdim=keepdim, asvector=True)
    if len(axes) == 1:
        return OPS["p_norm"](x, porder=order, axis=axes[0], keepdim=keepdim)
    return _vector_norm_over_two_axes(x, order, axes, keepdim)


def _vector_norm_over_two_axes(x: Tensor, order: float, axes: list[int], keepdim: bool) -> Tensor:
    """Return the p-norm of matrices treated as vectors."""
    if order == 0:
        raise OpError(append_user_line(f"norm: p=0 supports one axis, got {axes} (X={x.meta})"))
    magnitude = OPS["abs"](x)
    if math.isinf(order):
        return OPS["reduce_max" if order > 0 else "reduce_min"](
            magnitude, dim=axes, keep_dim=keepdim
        )
    total = OPS["reduce_sum"](OPS["pow"](magnitude, factor=order), dim=axes, keep_dim=keepdim)
    return OPS["pow"](total, factor=1 / order)
