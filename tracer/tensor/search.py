"""Sorting, extrema and their indices."""

from __future__ import annotations

from typing import Any, Literal, overload

from ..core.dtype import parse_dtype
from ..core.mode import state
from ..core.op import OPS
from ..core.tensor import Tensor
from ..core.type_aliases import DTypeLike, Size
from .convert import call_with_possibly_symbolic_axis
from .manipulation import unbind_columns

__all__ = ["argmax", "argmin", "argsort", "nonzero", "sort", "topk"]


def _arg_min_or_max(op_type: str, x: Tensor, axis: int | None, keepdim: bool, dtype: Any) -> Tensor:
    if isinstance(axis, Tensor):
        return call_with_possibly_symbolic_axis(
            axis, x.ndim, lambda a: _arg_min_or_max(op_type, x, a, keepdim, dtype)
        )
    attrs: dict[str, Any] = {"axis": 0, "flatten": True} if axis is None else {"axis": axis}
    return OPS[op_type](x, keepdims=keepdim, dtype=parse_dtype(dtype).proto, **attrs)


def argmax(
    x: Tensor,
    axis: int | None = None,
    keepdim: bool = False,
    dtype: DTypeLike = "int64",
    name: str | None = None,
) -> Tensor:
    """Index of the largest element along one axis.

    Parameters
    ----------
    x : Tensor [*]
    axis : int, optional
        A negative axis counts from the end. Default: the index in the flattened x.
    keepdim : bool, default False
        Whether the axis remains with size 1 (all axes if `axis` is None).
    dtype : "int32" or "int64", default "int64"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [* without axis], or [*] with size 1 if keepdim, dtype
        The first index of equal elements, or of NaN if there is one.

    Raises
    ------
    OpError
        If the axis is out of range, or there is no element.

    Examples
    --------
    >>> x = paddle.to_tensor([[3, 1, 2], [2, 2, 5]])
    >>> int(paddle.argmax(x))
    5
    >>> paddle.argmax(x, axis=1).tolist()
    [0, 2]
    """
    return _arg_min_or_max("arg_max", x, axis, keepdim, dtype)


def argmin(
    x: Tensor,
    axis: int | None = None,
    keepdim: bool = False,
    dtype: DTypeLike = "int64",
    name: str | None = None,
) -> Tensor:
    """Index of the smallest element along one axis.

    Parameters
    ----------
    x : Tensor [*]
    axis : int, optional
        A negative axis counts from the end. Default: the index in the flattened x.
    keepdim : bool, default False
        Whether the axis remains with size 1 (all axes if `axis` is None).
    dtype : "int32" or "int64", default "int64"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [* without axis], or [*] with size 1 if keepdim, dtype
        The first index of equal elements, or of NaN if there is one.

    Raises
    ------
    OpError
        If the axis is out of range, or there is no element.

    Examples
    --------
    >>> x = paddle.to_tensor([[3, 1, 2], [2, 2, 5]])
    >>> int(paddle.argmin(x))
    1
    >>> paddle.argmin(x, axis=1).tolist()
    [1, 0]
    """
    return _arg_min_or_max("arg_min", x, axis, keepdim, dtype)


def argsort(x: Tensor, axis: int = -1, descending: bool = False, name: str | None = None) -> Tensor:
    """Indices that sort a tensor along one axis.

    Parameters
    ----------
    x : Tensor [*]
    axis : int, default -1
        A negative axis counts from the end.
    descending : bool, default False
        Whether the largest element comes first.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], int64
        Equal elements keep their order. NaN counts as the largest value.

    Raises
    ------
    OpError
        If the axis is out of range.

    Examples
    --------
    >>> x = paddle.to_tensor([[3, 1, 2], [2, 2, 5]])
    >>> paddle.argsort(x).tolist()
    [[1, 2, 0], [0, 1, 2]]
    >>> paddle.argsort(x, descending=True).tolist()
    [[0, 2, 1], [2, 0, 1]]
    """
    return OPS["argsort"](x, axis=axis, descending=descending)[1]


def sort(x: Tensor, axis: int = -1, descending: bool = False, name: str | None = None) -> Tensor:
    """Sort a tensor along one axis.

    Parameters
    ----------
    x : Tensor [*]
    axis : int, default -1
        A negative axis counts from the end.
    descending : bool, default False
        Whether the largest element comes first.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x
        NaN counts as the largest value.

    Raises
    ------
    OpError
        If the axis is out of range.

    Examples
    --------
    >>> x = paddle.to_tensor([[3, 1, 2], [2, 2, 5]])
    >>> paddle.sort(x).tolist()
    [[1, 2, 3], [2, 2, 5]]
    >>> paddle.sort(x, axis=0, descending=True).tolist()
    [[3, 2, 5], [2, 1, 2]]
    """
    return OPS["argsort"](x, axis=axis, descending=descending)[0]


def topk(
    x: Tensor,
    k: Size,
    axis: int | None = None,
    largest: bool = True,
    sorted: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The k largest or smallest elements along one axis, and their indices.

    Parameters
    ----------
    x : Tensor [*, N, *]
    k : int or Tensor with one element
        In [1, N].
    axis : int, optional
        A negative axis counts from the end. Default: the last axis.
    largest : bool, default True
        Whether to take the largest elements; otherwise the smallest.
    sorted : bool, default True
        The elements are always sorted, also if it is False.
    name : str, optional
        Not used.

    Returns
    -------
    values : Tensor [*, k, *], dtype of x
        The most extreme one first. NaN counts as the largest value.
    indices : Tensor [*, k, *], int64
        Of equal elements, the first ones are taken.

    Raises
    ------
    OpError
        If k is not in [1, N], or the axis is out of range.

    Examples
    --------
    >>> values, indices = paddle.topk(paddle.to_tensor([[3, 1, 2], [4, 6, 5]]), k=2)
    >>> values.tolist()
    [[3, 2], [6, 5]]
    >>> indices.tolist()
    [[0, 2], [1, 2]]
    """
    k_tensor = k if isinstance(k, Tensor) and state.mode.static else None
    k = 1 if k_tensor is not None else int(k)
    outs = OPS["top_k_v2"](
        x, k_tensor, k=k, axis=-1 if axis is None else axis, largest=largest, sorted=sorted
    )
    return outs[0], outs[1]


@overload
def nonzero(x: Tensor, as_tuple: Literal[False] = False) -> Tensor: ...
@overload
def nonzero(x: Tensor, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...
@overload
def nonzero(x: Tensor, as_tuple: bool) -> Any: ...
def nonzero(x: Tensor, as_tuple: bool = False) -> Any:
    """Positions of the elements that are not 0.

    Parameters
    ----------
    x : Tensor [*], rank at least 1, any dtype
    as_tuple : bool, default False
        Whether to return one Tensor per axis.

    Returns
    -------
    Tensor [count, rank], int64, or tuple of Tensor [count, 1], int64
        Row by row; the last axis changes fastest.

    Raises
    ------
    OpError
        If x has no axis.

    Examples
    --------
    >>> x = paddle.to_tensor([[0, 7], [8, 9]])
    >>> paddle.nonzero(x).tolist()
    [[0, 1], [1, 0], [1, 1]]
    >>> rows, columns = paddle.nonzero(x, as_tuple=True)
    >>> rows.tolist()
    [[0], [1], [1]]
    """
    indices: Tensor = OPS["where_index"](x)
    return unbind_columns(indices) if as_tuple else indices
