"""Order statistics, counts, and means that pass over NaN."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.dtype import dtype_of
from ..core.errors import OpError, with_user_line
from ..core.mode import state
from ..core.op import OPS
from ..core.operand_checks import check_tensors
from ..core.tensor import Tensor
from . import creation, logic, manipulation, math, search
from .convert import axes_of, cast, from_front, full, to_tensor

__all__ = [
    "amax",
    "amin",
    "bincount",
    "bucketize",
    "count_nonzero",
    "histogram",
    "kthvalue",
    "median",
    "mode",
    "multiplex",
    "nanmean",
    "nanmedian",
    "nanquantile",
    "nansum",
    "quantile",
    "searchsorted",
    "unique",
    "unique_consecutive",
]


def amax(x: Tensor, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """The maximum over `axis`; equals share the gradient.

    x [*] -> [* without axis]
    """
    return math.reduce("reduce_amax", x, axis, keepdim)


def amin(x: Tensor, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """The minimum over `axis`; equals share the gradient.

    x [*] -> [* without axis]
    """
    return math.reduce("reduce_amin", x, axis, keepdim)


def count_nonzero(
    x: Tensor, axis: Any = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """How many elements over `axis` are not zero.

    x [*] -> int64 [* without axis]
    """
    check_tensors(x)
    return math.sum(
        cast(logic.not_equal(x, 0) if x.meta.dtype.kind != "b" else x, "int64"),
        axis,
        keepdim=keepdim,
    )


def nansum(
    x: Tensor, axis: Any = None, dtype: Any = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """The sum over `axis` of what is not NaN.

    x [*] -> [* without axis]
    """
    return math.sum(_without_nan(x), axis, dtype, keepdim)


def _without_nan(x: Tensor) -> Tensor:
    return manipulation.where(OPS["isnan_v2"](x), OPS["fill_any_like"](x, value=0.0), x)


def nanmean(x: Tensor, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """The mean over `axis` of what is not NaN.

    x [*] -> [* without axis]
    """
    there = cast(logic.logical_not(OPS["isnan_v2"](x)), x.dtype)
    return math.quotient(nansum(x, axis, keepdim=keepdim), math.sum(there, axis, keepdim=keepdim))


def kthvalue(
    x: Tensor, k: int, axis: int | None = None, keepdim: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The k-th smallest along axis (the last one for None), and where it was.

    x [*, N, *] -> [*], int64 [*]
    """
    return OPS["kthvalue"](x, k=k, axis=-1 if axis is None else axis, keepdim=keepdim)


def mode(
    x: Tensor, axis: int = -1, keepdim: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The commonest value along axis, and its last place.

    x [*, N, *] -> [*], int64 [*]
    """
    return OPS["mode"](x, axis=axis, keepdim=keepdim)


def unique(
    x: Tensor,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    dtype: Any = "int64",
    name: str | None = None,
) -> Any:
    """The values of x, each once, in order; slices along axis where it is given.

    x [*] -> [N], and as asked for: first places int [N], where each of x is in the result int
    [size], counts int [N]
    """
    axes = [] if axis is None else [from_front(axis, x, "unique")]
    found = OPS["unique"](
        x,
        dtype=dtype_of(dtype).proto,
        return_index=return_index,
        return_inverse=return_inverse,
        return_counts=return_counts,
        axis=axes,
        is_sorted=True,
    )
    kept = [
        t
        for t, wanted in zip(
            found, (True, return_index, return_inverse, return_counts), strict=True
        )
        if wanted
    ]
    return kept[0] if len(kept) == 1 else tuple(kept)


def unique_consecutive(
    x: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    dtype: Any = "int64",
    name: str | None = None,
) -> Any:
    """x without what equals the element before it (the slice along axis); where each of x is in the
    result, counts.

    x [*] -> [N], ...
    """
    found = OPS["unique_consecutive"](
        x,
        dtype=dtype_of(dtype).proto,
        return_inverse=return_inverse,
        return_counts=return_counts,
        axis=[] if axis is None else [from_front(axis, x, "unique_consecutive")],
    )
    kept = [
        t for t, wanted in zip(found, (True, return_inverse, return_counts), strict=True) if wanted
    ]
    return kept[0] if len(kept) == 1 else tuple(kept)


def searchsorted(
    sorted_sequence: Tensor,
    values: Tensor,
    out_int32: bool = False,
    right: bool = False,
    name: str | None = None,
) -> Tensor:
    """Where values would go in the sorted last axis.

    sorted_sequence [*B, N] or [N], values [*B, M] or [*] -> int like values
    """
    check_tensors(sorted_sequence, values)
    return OPS["searchsorted"](
        sorted_sequence, cast(values, sorted_sequence.dtype), out_int32=out_int32, right=right
    )


def bucketize(
    x: Tensor,
    sorted_sequence: Tensor,
    out_int32: bool = False,
    right: bool = False,
    name: str | None = None,
) -> Tensor:
    """searchsorted of x in one sorted line.

    x [*], sorted_sequence [N] -> int [*]
    """
    check_tensors(x, sorted_sequence)
    if sorted_sequence.ndim != 1:
        raise OpError(
            with_user_line(
                f"bucketize: sorted_sequence does not have one axis (X={sorted_sequence.meta})"
            )
        )
    return searchsorted(sorted_sequence, x, out_int32, right)


def histogram(
    input: Tensor, bins: int = 100, min: int = 0, max: int = 0, name: str | None = None
) -> Tensor:
    """How many elements lie in each of `bins` equal parts of [min, max], of the range of input
    where both are 0.

    input [*] -> int64 [bins]
    """
    return OPS["histogram"](input, bins=bins, min=int(min), max=int(max))


def bincount(
    x: Tensor, weights: Tensor | None = None, minlength: int = 0, name: str | None = None
) -> Tensor:
    """How often each number is in x, or the sum of its weights.

    x int [N], weights [N] -> [max(minlength, largest + 1)]
    """
    if not isinstance(minlength, Tensor) or not state.mode.static:
        return OPS["bincount"](x, weights, minlength=int(minlength))
    found = OPS["bincount"](x, weights, minlength=0)
    missing = minlength.astype("int32") - OPS["shape"](found)[0]
    filler = creation.zeros([math.maximum(missing, full([], 0, "int32"))], found.dtype)
    return OPS["concat"]([found, filler], axis=0)


def multiplex(inputs: Sequence[Tensor], index: Tensor, name: str | None = None) -> Tensor:
    """Row i of the input that index[i] names.

    inputs: [M, *] each, index int [M, 1] -> [M, *]
    """
    return OPS["multiplex"](index, list(inputs))


# -- medians and quantiles
# --------------------------------------------------------------------------------------


def _lines(x: Tensor, axis: Any) -> tuple[Tensor, list[int]]:
    """The axes as the last one, all of them for None; which ones they were."""
    rank = x.ndim
    given = axes_of(axis)
    if any(not -rank <= a < rank for a in given) or len({a % rank for a in given}) < len(given):
        why = f"axis={given} names an axis twice, or one that is not there (X={x.meta})"
        raise OpError(with_user_line(f"median, quantile: {why}"))
    axes = sorted(a % rank for a in given) or list(range(rank))
    rest = [i for i in range(rank) if i not in axes]
    moved = OPS["transpose2"](x, axis=[*rest, *axes]) if rest else x
    sizes = [x.shape[i] for i in axes]
    last = np.prod(sizes, dtype=int).item() if all(isinstance(n, int) for n in sizes) else -1
    return manipulation.reshape(moved, [*(x.shape[i] for i in rest), last]), axes


def _kept(found: Tensor, axes: list[int], keepdim: bool) -> Tensor:
    return manipulation.unsqueeze(found, axes) if keepdim else found


def median(
    x: Tensor, axis: int | None = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """The middle along axis, of two middles their mean, NaN where there is one; float64 of float64,
    else float32.

    x [*] -> [* without axis]
    """
    return _kept(*_median(x, axis), keepdim)


def _median(x: Tensor, axis: Any) -> tuple[Tensor, list[int]]:
    check_tensors(x)
    lines, axes = _lines(
        cast(x, "float64" if x.meta.dtype == np.float64 else "float32")
        if x.ndim
        else manipulation.reshape(x, [1]),
        axis,
    )
    size = lines.shape[-1]
    ordered = search.sort(lines, -1)
    low, high = (_at(ordered, k) for k in ((size - 1) // 2, size // 2))
    if isinstance(size, int):
        middle = low if size % 2 else math.scale(math.add(low, high), 0.5)
    else:  # only a run knows whether there are two
        middle = math.add(math.scale(low, 0.5), math.scale(high, 0.5))
    return math.add(
        middle, math.scale(_at(ordered, size - 1), 0.0)
    ), axes if x.ndim else []  # the largest is NaN where any is


def _at(x: Tensor, index: Any) -> Tensor:
    if not isinstance(index, int):
        return manipulation.squeeze(
            manipulation.gather(x, manipulation.reshape(index, [1]), axis=-1), [-1]
        )
    return OPS["slice"](
        x, axes=[x.ndim - 1], starts=[index], ends=[index + 1], decrease_axis=[x.ndim - 1]
    )


def quantile(x: Tensor, q: Any, axis: Any = None, keepdim: bool = False) -> Tensor:
    """The value below which a part q lies, a straight line between neighbours; float64.

    x [*], q one or several of [0, 1] -> [*q, * without axis]
    """
    return _quantiles(x, q, axis, keepdim, ignore_nan=False)


def nanquantile(x: Tensor, q: Any, axis: Any = None, keepdim: bool = False) -> Tensor:
    """quantile of what is not NaN.

    x [*], q one or several of [0, 1] -> float64 [*q, * without axis]
    """
    return _quantiles(x, q, axis, keepdim, ignore_nan=True)


def nanmedian(
    x: Tensor, axis: Any = None, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """The middle along axis of what is not NaN, of two middles their mean.

    x [*] -> [* without axis]
    """
    return OPS["nanmedian"](x, axis=axes_of(axis), keepdim=keepdim)[0]


def _quantiles(x: Tensor, q: Any, axis: Any, keepdim: bool, ignore_nan: bool) -> Tensor:
    check_tensors(x)
    parts = [float(v) for v in (q if isinstance(q, list | tuple) else [q])]
    if not parts or not all(0 <= p <= 1 for p in parts):
        raise OpError(with_user_line(f"quantile: q={q!r} is not in [0, 1] (X={x.meta})"))
    lines, axes = _lines(cast(x, "float64"), axis)
    ordered = search.sort(lines, -1)
    gone = OPS["isnan_v2"](ordered)
    last = math.subtract(math.sum(cast(logic.logical_not(gone), "float64"), -1, keepdim=True), 1.0)
    found = [_kept(_one_quantile(ordered, gone, last, p, ignore_nan), axes, keepdim) for p in parts]
    return manipulation.stack(found) if isinstance(q, list | tuple) else found[0]


def _one_quantile(
    ordered: Tensor, gone: Tensor, last: Tensor, part: float, ignore_nan: bool
) -> Tensor:
    # The attribute of scale has 32 bits in a file, a tensor has all of them.
    place = math.multiply(math.maximum(last, full([], 0, "float64")), full([], part, "float64"))
    below = math.floor(place)
    low, high = (
        manipulation.take_along_axis(ordered, cast(p, "int64"), -1)
        for p in (below, math.ceil(place))
    )
    found = OPS["lerp"](low, high, math.subtract(place, below))
    if not ignore_nan:
        found = manipulation.where(
            math.any(gone, -1, keepdim=True), to_tensor(float("nan"), "float64"), found
        )
    return manipulation.squeeze(found, [-1])
