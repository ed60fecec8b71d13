"""Cumulative functions, differences and trapezoidal integrals along an axis."""

from __future__ import annotations

from typing import Any

from ..core.dtype import parse_dtype
from ..core.errors import OpError, append_user_line
from ..core.op import OPS
from ..core.operand_checks import axis_out_of_range_error, check_tensors
from ..core.tensor import Tensor
from ..core.type_aliases import DTypeLike
from . import logic, manipulation, math
from .convert import cast, normalize_axis

__all__ = [
    "cummax",
    "cummin",
    "cumprod",
    "cumulative_trapezoid",
    "diff",
    "logcumsumexp",
    "trapezoid",
]
IN_PLACE = ["cumprod"]


def _flatten_if_axis_is_none(x: Tensor, axis: int | None) -> tuple[Tensor, int]:
    return (manipulation.flatten(x), 0) if axis is None else (x, axis)


def cumprod(
    x: Tensor, dim: int | None = None, dtype: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """Cumulative product along one axis.

    out[i] = x[0] * ... * x[i]

    Parameters
    ----------
    x : Tensor [*]
    dim : int, optional
        The axis; a negative axis counts from the end. Default: x is flattened.
    dtype : str or dtype, optional
        x is cast to this dtype first. Default: dtype of x.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], or [N] with all N elements of x if dim is None

    Raises
    ------
    OpError
        If the axis is out of range.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2], [3, 4]])
    >>> paddle.cumprod(x, dim=0).tolist()
    [[1, 2], [3, 8]]
    >>> paddle.cumprod(x).tolist()
    [1, 2, 6, 24]
    """
    x, dim = _flatten_if_axis_is_none(x, dim)
    return OPS["cumprod"](x if dtype is None else cast(x, dtype), dim=dim)


def cummax(
    x: Tensor, axis: int | None = None, dtype: DTypeLike = "int64", name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Cumulative maximum along one axis, and the indices of the maxima.

    values[i] = max(x[0], ..., x[i])

    Parameters
    ----------
    x : Tensor [*]
    axis : int, optional
        A negative axis counts from the end. Default: x is flattened.
    dtype : "int32" or "int64", default "int64"
        Dtype of the indices.
    name : str, optional
        Not used.

    Returns
    -------
    values : Tensor [*], dtype of x
        [N] with all N elements of x if axis is None. NaN from the first NaN on.
    indices : Tensor of the same shape, dtype
        Of equal maxima, the last one.

    Raises
    ------
    OpError
        If the axis is out of range.

    Examples
    --------
    >>> values, indices = paddle.cummax(paddle.to_tensor([1, 3, 2, 3]))
    >>> values.tolist(), indices.tolist()
    ([1, 3, 3, 3], [0, 1, 1, 3])
    """
    x, axis = _flatten_if_axis_is_none(x, axis)
    return OPS["cummax"](x, axis=axis, dtype=parse_dtype(dtype).proto)


def cummin(
    x: Tensor, axis: int | None = None, dtype: DTypeLike = "int64", name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Cumulative minimum along one axis, and the indices of the minima.

    values[i] = min(x[0], ..., x[i])

    Parameters
    ----------
    x : Tensor [*]
    axis : int, optional
        A negative axis counts from the end. Default: x is flattened.
    dtype : "int32" or "int64", default "int64"
        Dtype of the indices.
    name : str, optional
        Not used.

    Returns
    -------
    values : Tensor [*], dtype of x
        [N] with all N elements of x if axis is None. NaN from the first NaN on.
    indices : Tensor of the same shape, dtype
        Of equal minima, the last one.

    Raises
    ------
    OpError
        If the axis is out of range.

    Examples
    --------
    >>> values, indices = paddle.cummin(paddle.to_tensor([3, 1, 2, 1]))
    >>> values.tolist(), indices.tolist()
    ([3, 1, 1, 1], [0, 1, 1, 3])
    """
    x, axis = _flatten_if_axis_is_none(x, axis)
    return OPS["cummin"](x, axis=axis, dtype=parse_dtype(dtype).proto)


def logcumsumexp(
    x: Tensor, axis: int | None = None, dtype: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """Logarithm of the cumulative sum of exponentials along one axis, without overflow.

    out[i] = log(exp(x[0]) + ... + exp(x[i]))

    Parameters
    ----------
    x : Tensor [*], floating
    axis : int, optional
        A negative axis counts from the end. Default: x is flattened.
    dtype : str or dtype, optional
        x is cast to this dtype first. Default: dtype of x.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], or [N] with all N elements of x if axis is None

    Raises
    ------
    OpError
        If the axis is out of range.

    Examples
    --------
    >>> x = paddle.to_tensor([0.0, 0.0, 0.0])
    >>> print(paddle.logcumsumexp(x, axis=0).numpy().round(3))
    [0.    0.693 1.099]
    """
    x = x if dtype is None else cast(x, dtype)
    return (
        OPS["logcumsumexp"](x, flatten=True) if axis is None else OPS["logcumsumexp"](x, axis=axis)
    )


def _slice_axis_counting_stop_from_end(
    x: Tensor, axis: int, start: int | None, stop: int | None
) -> Tensor:
    size = x.shape[axis]
    return manipulation.slice(x, [axis], [start or 0], [size if stop is None else size + stop])


def diff(
    x: Tensor,
    n: int = 1,
    axis: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Differences of neighbors along one axis.

    out[i] = x[i + 1] - x[i], computed n times; x[i + 1] != x[i] if x is bool

    Parameters
    ----------
    x : Tensor [*, N, *]
    n : int, default 1
        How often differences are computed, at least 1.
    axis : int, default -1
        A negative axis counts from the end.
    prepend, append : Tensor [*, K, *], dtype of x, optional
        Joined to x along the axis first.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, max(N - n, 0), *], dtype of x
        N includes `prepend` and `append`.

    Raises
    ------
    OpError
        If n < 1, the axis is out of range, or shapes or dtypes do not fit.

    Examples
    --------
    >>> x = paddle.to_tensor([1, 4, 9, 16])
    >>> paddle.diff(x).tolist()
    [3, 5, 7]
    >>> paddle.diff(x, n=2).tolist()
    [2, 2]
    >>> paddle.diff(x, prepend=paddle.to_tensor([0])).tolist()
    [1, 3, 5, 7]
    """
    if n < 1:
        raise OpError(append_user_line(f"diff: n={n} is less than 1 (X={x.meta})"))
    tensors = [p for p in (prepend, x, append) if p is not None]
    x = manipulation.concat(tensors, axis) if len(tensors) > 1 else x
    check_tensors(x)
    axis = normalize_axis(axis, x, "diff")
    for _ in range(n):
        after, before = (
            _slice_axis_counting_stop_from_end(x, axis, 1, None),
            _slice_axis_counting_stop_from_end(x, axis, 0, -1),
        )
        x = (
            logic.not_equal(after, before)
            if x.meta.dtype.kind == "b"
            else math.subtract(after, before)
        )
    return x


def _trapezoid_areas(y: Tensor, x: Tensor | None, dx: float | Tensor | None, axis: int) -> Tensor:
    """Return the area of the trapezoid between each pair of neighbors."""
    if x is not None and dx is not None:
        raise OpError(append_user_line(f"trapezoid: specify x or dx, not both (y={y.meta})"))
    check_tensors(y)
    if not y.ndim:
        raise axis_out_of_range_error(y, axis)
    axis = normalize_axis(axis, y, "trapezoid")
    if x is None:
        width: Any = 1.0 if dx is None else dx
    else:
        width = diff(x) if x.ndim == 1 else diff(x, axis=axis)
        if x.ndim == 1 and y.ndim > 1:
            width = manipulation.reshape(width, [-1 if i == axis else 1 for i in range(y.ndim)])
    heights = math.add(
        _slice_axis_counting_stop_from_end(y, axis, 1, None),
        _slice_axis_counting_stop_from_end(y, axis, 0, -1),
    )
    return math.scale(math.multiply(heights, width), 0.5)


def trapezoid(
    y: Tensor,
    x: Tensor | None = None,
    dx: float | Tensor | None = None,
    axis: int = -1,
    name: str | None = None,
) -> Tensor:
    """Integral along one axis by the trapezoidal rule.

    out = sum over i of (y[i] + y[i + 1]) / 2 * (x[i + 1] - x[i])

    Parameters
    ----------
    y : Tensor [*, N, *], floating
        The values of the function.
    x : Tensor [N] or [*, N, *], dtype of y, optional
        The positions of the values.
    dx : float, optional
        The distance of the positions, instead of x. Default: 1.
    axis : int, default -1
        A negative axis counts from the end.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [* without axis], dtype of y

    Raises
    ------
    OpError
        If both x and dx are given, the axis is out of range, or y has no axis.

    Examples
    --------
    >>> y = paddle.to_tensor([1.0, 2.0, 3.0])
    >>> float(paddle.trapezoid(y))
    4.0
    >>> float(paddle.trapezoid(y, paddle.to_tensor([0.0, 1.0, 3.0])))
    6.5
    """
    return math.sum(_trapezoid_areas(y, x, dx, axis), axis)


def cumulative_trapezoid(
    y: Tensor,
    x: Tensor | None = None,
    dx: float | Tensor | None = None,
    axis: int = -1,
    name: str | None = None,
) -> Tensor:
    """Cumulative integral along one axis by the trapezoidal rule.

    out[k] = sum over i <= k of (y[i] + y[i + 1]) / 2 * (x[i + 1] - x[i])

    Parameters
    ----------
    y : Tensor [*, N, *], floating
        The values of the function.
    x : Tensor [N] or [*, N, *], dtype of y, optional
        The positions of the values.
    dx : float, optional
        The distance of the positions, instead of x. Default: 1.
    axis : int, default -1
        A negative axis counts from the end.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, N - 1, *], dtype of y

    Raises
    ------
    OpError
        If both x and dx are given, the axis is out of range, or y has no axis.

    Examples
    --------
    >>> paddle.cumulative_trapezoid(paddle.to_tensor([1.0, 2.0, 3.0])).tolist()
    [1.5, 4.0]
    """
    return math.cumsum(_trapezoid_areas(y, x, dx, axis), axis)
