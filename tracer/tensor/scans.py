"""Cumulative functions, differences and trapezoidal integrals along an axis."""

from __future__ import annotations

from typing import Any

from ..core.dtype import parse_dtype
from ..core.errors import OpError, append_user_line
from ..core.op import OPS
from ..core.operand_checks import axis_out_of_range_error, check_tensors
from ..core.tensor import Tensor
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
    x: Tensor, dim: int | None = None, dtype: Any = None, name: str | None = None
) -> Tensor:
    """Cumulative product along `dim`; of the flattened tensor if None.

    x [*] -> [*]
    """
    x, dim = _flatten_if_axis_is_none(x, dim)
    return OPS["cumprod"](x if dtype is None else cast(x, dtype), dim=dim)


def cummax(
    x: Tensor, axis: int | None = None, dtype: Any = "int64", name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Cumulative maximum along `axis` and its indices; of the flattened tensor if None.

    x [*] -> [*], int [*]
    """
    x, axis = _flatten_if_axis_is_none(x, axis)
    return OPS["cummax"](x, axis=axis, dtype=parse_dtype(dtype).proto)


def cummin(
    x: Tensor, axis: int | None = None, dtype: Any = "int64", name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Cumulative minimum along `axis` and its indices; of the flattened tensor if None.

    x [*] -> [*], int [*]
    """
    x, axis = _flatten_if_axis_is_none(x, axis)
    return OPS["cummin"](x, axis=axis, dtype=parse_dtype(dtype).proto)


def logcumsumexp(
    x: Tensor, axis: int | None = None, dtype: Any = None, name: str | None = None
) -> Tensor:
    """log(cumsum(exp(x))) along `axis`; of the flattened tensor if None.

    x [*] -> [*]
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
    """n-th difference of neighbours along `axis`; prepend and append are concatenated first.

    x [*, N, *] -> [*, N - n, *]
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


def _trapezoid_areas(y: Tensor, x: Tensor | None, dx: Any, axis: int) -> Tensor:
    """Return the area of the trapezoid between each pair of neighbours."""
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
    y: Tensor, x: Tensor | None = None, dx: Any = None, axis: int = -1, name: str | None = None
) -> Tensor:
    """Integral of y along `axis` by the trapezoidal rule, at positions x or with spacing dx
    (default 1).

    y [*, N, *] -> [*]
    """
    return math.sum(_trapezoid_areas(y, x, dx, axis), axis)


def cumulative_trapezoid(
    y: Tensor, x: Tensor | None = None, dx: Any = None, axis: int = -1, name: str | None = None
) -> Tensor:
    """Cumulative integral of y along `axis` by the trapezoidal rule.

    y [*, N, *] -> [*, N - 1, *]
    """
    return math.cumsum(_trapezoid_areas(y, x, dx, axis), axis)
