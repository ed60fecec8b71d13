"""Matrix and vector products and norms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..core.errors import OpError, append_user_line
from ..core.op import OPS
from ..core.operand_checks import check_tensors, not_a_tensor_error
from ..core.tensor import Tensor
from ..core.type_aliases import Axes
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
    """Matrix product over the last two axes; the other axes broadcast.

    out = x @ y

    Parameters
    ----------
    x : Tensor [*A, M, K] or [K]
    y : Tensor [*B, K, N] or [K]
        Both have the same dtype, or one is complex and the other is real.
    transpose_x, transpose_y : bool, default False
        Whether the last two axes of the operand are swapped first.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*broadcast(A, B), M, N], dtype of x and y
        Without the axis M or N if x or y is a vector.

    Raises
    ------
    OpError
        If the shapes or dtypes do not fit, or an operand has no axis. The operator `@` casts the
        right operand instead.

    Examples
    --------
    >>> x, y = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), paddle.to_tensor([[1.0], [10.0]])
    >>> paddle.matmul(x, y).tolist()
    [[21.0], [43.0]]
    >>> paddle.matmul(x, y, transpose_x=True).tolist()
    [[31.0], [42.0]]
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
    """Product of two matrices, the same as `matmul`.

    out = input @ mat2

    Parameters
    ----------
    input : Tensor [M, K]
    mat2 : Tensor [K, N], dtype of input
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [M, N], dtype of input

    Raises
    ------
    OpError
        If the shapes or dtypes do not fit.

    Examples
    --------
    >>> x, y = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), paddle.to_tensor([[1.0], [10.0]])
    >>> paddle.mm(x, y).tolist()
    [[21.0], [43.0]]
    """
    return matmul(input, mat2)


def bmm(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Products of two batches of matrices.

    out[b] = x[b] @ y[b]

    Parameters
    ----------
    x : Tensor [B, M, K]
    y : Tensor [B, K, N], dtype of x
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [B, M, N], dtype of x

    Raises
    ------
    OpError
        If an operand does not have three axes, or the shapes or dtypes do not fit. B does not
        broadcast.

    Examples
    --------
    >>> x, y = paddle.zeros([5, 2, 3]), paddle.zeros([5, 3, 4])
    >>> paddle.bmm(x, y).shape
    [5, 2, 4]
    """
    return OPS["bmm"](x, y)


def dot(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Inner product of vectors over the last axis.

    out = sum over n of x[..., n] * y[..., n]

    Parameters
    ----------
    x, y : Tensor [*, N]
        Both have the same shape and dtype.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x and y

    Raises
    ------
    OpError
        If the shapes or dtypes differ.

    Examples
    --------
    >>> x, y = paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4])
    >>> int(paddle.dot(x, y))
    11
    """
    return OPS["dot"](x, y)


def mv(x: Tensor, vec: Tensor, name: str | None = None) -> Tensor:
    """Product of a matrix and a vector.

    out[m] = sum over n of x[m, n] * vec[n]

    Parameters
    ----------
    x : Tensor [M, N]
    vec : Tensor [N], dtype of x
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [M], dtype of x

    Raises
    ------
    OpError
        If the ranks, shapes or dtypes do not fit.

    Examples
    --------
    >>> x, vec = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), paddle.to_tensor([1.0, 10.0])
    >>> paddle.mv(x, vec).tolist()
    [21.0, 43.0]
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
    """Product of several matrices, multiplied in the cheapest order.

    out = x[0] @ x[1] @ ...

    Parameters
    ----------
    x : list of Tensor [M0, M1], [M1, M2], ...
        At least two of one dtype. The first and the last may be vectors.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [M0, Mn], dtype of the tensors
        Without the axis of a vector.

    Raises
    ------
    OpError
        If there are fewer than two tensors, or the sizes do not fit.

    Examples
    --------
    >>> x, y = paddle.ones([10, 100]), paddle.ones([100, 5])
    >>> paddle.linalg.multi_dot([x, y, paddle.ones([5])]).shape
    [10]
    """
    return OPS["multi_dot"](list(x))


def inner(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Inner products of all pairs of vectors in the last axes.

    out[i, j] = sum over k of x[i, k] * y[j, k]; x * y if one of them has one element

    Parameters
    ----------
    x : Tensor [*A, K]
    y : Tensor [*B, K], dtype of x
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*A, *B], dtype of x

    Raises
    ------
    OpError
        If the sizes of the last axes or the dtypes differ.

    Examples
    --------
    >>> x, y = paddle.to_tensor([[1, 2], [3, 4]]), paddle.to_tensor([1, 10])
    >>> paddle.inner(x, y).tolist()
    [21, 43]
    """
    check_tensors(x, y)
    if any(all(guard_and_get_size_or_minus_one(t, i) == 1 for i in range(t.ndim)) for t in (x, y)):
        return OPS["elementwise_mul"](x, y)
    shape = [*x.shape[:-1], *y.shape[:-1]]
    rows, columns = reshape(x, [-1, x.shape[-1]]), reshape(y, [-1, y.shape[-1]])
    return reshape(matmul(rows, transpose(columns, [1, 0])), shape)


def outer(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Products of all pairs of elements of two tensors, which are flattened.

    out[m, n] = x[m] * y[n]

    Parameters
    ----------
    x : Tensor with M elements
    y : Tensor with N elements, dtype of x
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [M, N], dtype of x

    Raises
    ------
    OpError
        If the dtypes do not fit, as for `matmul`.

    Examples
    --------
    >>> paddle.outer(paddle.to_tensor([1, 2]), paddle.to_tensor([1, 10, 100])).tolist()
    [[1, 10, 100], [2, 20, 200]]
    """
    return matmul(reshape(x, [-1, 1]), reshape(y, [1, -1]))


def cross(x: Tensor, y: Tensor, axis: int = 9, name: str | None = None) -> Tensor:
    """Cross product of vectors of three elements.

    out[0] = x[1] * y[2] - x[2] * y[1], and so on cyclically

    Parameters
    ----------
    x, y : Tensor [*, 3, *]
        Both have the same dtype.
    axis : int, default 9
        The axis of the vectors. 9 means the first axis of size 3.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, 3, *], dtype of x and y

    Raises
    ------
    OpError
        If no axis, or not the given one, has size 3, or it is out of range.

    Examples
    --------
    >>> x, y = paddle.to_tensor([1, 0, 0]), paddle.to_tensor([0, 1, 0])
    >>> paddle.cross(x, y).tolist()
    [0, 0, 1]
    """
    return OPS["cross"](x, y, dim=9 if axis is None else axis)


def kron(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    """Kronecker product: each element of one tensor times all of another one.

    out[i * Bi + k, j * Bj + l] = x[i, j] * y[k, l] for y of shape [Bi, Bj]

    Parameters
    ----------
    x : Tensor [*A]
    y : Tensor [*B], dtype of x
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [A0 * B0, A1 * B1, ...], dtype of x
        The shape with fewer axes gets axes of size 1 in front.

    Raises
    ------
    OpError
        If the dtypes differ.

    Examples
    --------
    >>> x, y = paddle.to_tensor([[1, 2]]), paddle.to_tensor([[1, 10], [100, 1000]])
    >>> paddle.kron(x, y).tolist()
    [[1, 10, 2, 20], [100, 1000, 200, 2000]]
    """
    return OPS["kron"](x, y)


def dist(x: Tensor, y: Tensor, p: float = 2, name: str | None = None) -> Tensor:
    """The p-norm of all elements of a difference.

    out = sum(|x - y| ** p) ** (1 / p)

    Parameters
    ----------
    x, y : Tensor [*A], Tensor [*B], floating
        Both have the same dtype.
    p : float, default 2
        0 counts the elements that differ; inf and -inf are the largest and smallest absolute value.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [], dtype of x and y

    Raises
    ------
    OpError
        If the shapes do not broadcast, or the dtypes differ or are not floating.

    Examples
    --------
    >>> x, y = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([4.0, 6.0])
    >>> float(paddle.dist(x, y)), float(paddle.dist(x, y, p=1))
    (5.0, 7.0)
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
    """The p-norms of the differences of all pairs of rows.

    out[i, j] = sum over m of |x[i, m] - y[j, m]| ** p, to the power of 1 / p

    Parameters
    ----------
    x : Tensor [*A, P, M], floating
    y : Tensor [*B, R, M], dtype of x
    p : float, default 2.0
        Not negative. 0 counts the elements that differ; inf is the largest absolute value.
    compute_mode : str, default "use_mm_for_euclid_dist_if_necessary"
        Whether p=2 uses a matrix product, which is faster and less exact: for more than 25 rows by
        default, always for "use_mm_for_euclid_dist", never for "donot_use_mm_for_euclid_dist".
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*broadcast(A, B), P, R], dtype of x

    Raises
    ------
    OpError
        If p is negative, M differs, an operand has fewer than two axes, or `compute_mode` is
        another string.

    Examples
    --------
    >>> x, y = paddle.to_tensor([[0.0, 0.0], [3.0, 0.0]]), paddle.to_tensor([[3.0, 4.0]])
    >>> paddle.cdist(x, y).tolist()
    [[5.0], [4.0]]
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


def tensordot(
    x: Tensor,
    y: Tensor,
    axes: int | Sequence[int] | Sequence[Sequence[int]] | Tensor = 2,
    name: str | None = None,
) -> Tensor:
    """Sum of products over pairs of axes of two tensors.

    out = sum over the paired axes of x * y

    Parameters
    ----------
    x : Tensor [*A]
    y : Tensor [*B], dtype of x
    axes : int, list of int, or two lists of int, default 2
        A number n: the last n axes of x and the first n of y. A list: these axes of both. Two
        lists: the axes of x and those of y; the shorter list is continued by the longer one. An
        axis of size 1 fits any size.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*A without the axes, *B without the axes], dtype of x

    Raises
    ------
    OpError
        If an axis is out of range, a number is negative, or the sizes or dtypes do not fit.

    Examples
    --------
    >>> x, y = paddle.ones([2, 3, 4]), paddle.ones([3, 4, 5])
    >>> paddle.tensordot(x, y, axes=2).shape
    [2, 5]
    >>> paddle.tensordot(x, y, axes=[[1], [0]]).shape
    [2, 4, 4, 5]
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
    x: Tensor,
    p: float | str = "fro",
    axis: Axes | Tensor | None = None,
    keepdim: bool = False,
    name: str | None = None,
) -> Tensor:
    """The p-norm over one axis, two axes or all elements.

    out = sum(|x| ** p) ** (1 / p)

    Parameters
    ----------
    x : Tensor [*], floating
    p : float or "fro", default "fro"
        "fro" is 2. 0 counts the elements that are not 0; inf and -inf are the largest and smallest
        absolute value.
    axis : int or list of one or two int, optional
        The axes to reduce; a negative axis counts from the end. Default: all.
    keepdim : bool, default False
        Whether the axes remain with size 1.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [* without axis], or [*] with sizes 1 if keepdim, dtype of x

    Raises
    ------
    OpError
        If x is complex or has integers, p is another string, more than two axes are given, or an
        axis is out of range.

    Notes
    -----
    Over two axes, matrices count as vectors, as in Paddle.

    Examples
    --------
    >>> x = paddle.to_tensor([[3.0, 4.0], [6.0, 8.0]])
    >>> paddle.norm(x, axis=1).tolist()
    [5.0, 10.0]
    >>> float(paddle.norm(x, p=1)), float(paddle.norm(x, p=float("inf")))
    (21.0, 8.0)
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
