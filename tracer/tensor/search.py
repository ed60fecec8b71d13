"""Where the largest, the smallest and the sorted elements are."""

from __future__ import annotations

from typing import Any

from ..core.dtype import dtype_of
from ..core.mode import state
from ..core.op import OPS
from ..core.tensor import Tensor
from .convert import select_by_axis
from .manipulation import unbind_columns

__all__ = ["argmax", "argmin", "argsort", "nonzero", "sort", "topk"]


def _arg(op_type: str, x: Tensor, axis: int | None, keepdim: bool, dtype: Any) -> Tensor:
    if isinstance(axis, Tensor):
        return select_by_axis(axis, x.ndim, lambda a: _arg(op_type, x, a, keepdim, dtype))
    attrs: dict[str, Any] = {"axis": 0, "flatten": True} if axis is None else {"axis": axis}
    return OPS[op_type](x, keepdims=keepdim, dtype=dtype_of(dtype).proto, **attrs)


def argmax(
    x: Tensor,
    axis: int | None = None,
    keepdim: bool = False,
    dtype: Any = "int64",
    name: str | None = None,
) -> Tensor:
    """The index of the maximum along `axis`, of the flattened tensor when None.

    x [*] -> int64 [* without axis]
    """
    return _arg("arg_max", x, axis, keepdim, dtype)


def argmin(
    x: Tensor,
    axis: int | None = None,
    keepdim: bool = False,
    dtype: Any = "int64",
    name: str | None = None,
) -> Tensor:
    """The index of the minimum along `axis`, of the flattened tensor when None.

    x [*] -> int64 [* without axis]
    """
    return _arg("arg_min", x, axis, keepdim, dtype)


def argsort(x: Tensor, axis: int = -1, descending: bool = False, name: str | None = None) -> Tensor:
    """The indices that sort along `axis`.

    x [*] -> int64 [*]
    """
    return OPS["argsort"](x, axis=axis, descending=descending)[1]


def sort(x: Tensor, axis: int = -1, descending: bool = False, name: str | None = None) -> Tensor:
    """Sorted along `axis`.

    x [*] -> [*]
    """
    return OPS["argsort"](x, axis=axis, descending=descending)[0]


def topk(
    x: Tensor,
    k: Any,
    axis: int | None = None,
    largest: bool = True,
    sorted: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The k largest (or smallest) elements along `axis`, and their indices.

    x [*, N] -> [*, k], int64 [*, k]
    """
    value = k if isinstance(k, Tensor) and state.mode.static else None
    k = 1 if value is not None else int(k)
    found = OPS["top_k_v2"](
        x, value, k=k, axis=-1 if axis is None else axis, largest=largest, sorted=sorted
    )
    return found[0], found[1]


def nonzero(x: Tensor, as_tuple: bool = False) -> Any:
    """The indices of the elements that are not zero.

    x [*] -> int64 [count, rank], or one [count, 1] per axis
    """
    found: Tensor = OPS["where_index"](x)
    return unbind_columns(found) if as_tuple else found
