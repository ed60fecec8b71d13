"""Diagonals: extract, sum, fill, and build matrices."""

from __future__ import annotations

from typing import Any

from ..core.arrays import np
from ..core.op import Long, Meta, check, check_dtype, op
from .elementwise import zeros_like
from .shared_op_rules import like_x_meta, normalize_axis


def _diagonal_length(shape: Any, offset: int, axis1: int, axis2: int) -> int:
    """The length of a diagonal of matrices with the given shape; -1 if it is unknown."""
    rows, columns = shape[axis1], shape[axis2]
    return (
        -1
        if min(rows, columns) < 0
        else max(0, min(rows - max(-offset, 0), columns - max(offset, 0)))
    )


def _normalize_axis_pair(x: Any, axis1: int, axis2: int) -> tuple[int, int]:
    rank = len(x.shape)
    check(rank >= 2, "needs two axes")
    pair = normalize_axis(axis1, rank, "axis1"), normalize_axis(axis2, rank, "axis2")
    check(pair[0] != pair[1], f"axis1={axis1} and axis2={axis2} are the same")
    return pair


def _clamp_offset(offset: int, rows: int, columns: int) -> int:
    """Clamp the offset of a diagonal to the size of the matrix, because NumPy reads out of bounds
    for an offset of -2**31.
    """
    return max(-rows, min(offset, columns))


@op("diagonal", "Input -> Out")
def diagonal(x, *, offset: int = 0, axis1: int = 0, axis2: int = 1):
    """Out = a diagonal of the matrices in the axes axis1 and axis2 of Input. The diagonal is the
    last axis of Out.

    Input [*] -> Out [remaining axes, length]
    """
    return np.diagonal(
        x, _clamp_offset(offset, x.shape[axis1], x.shape[axis2]), axis1, axis2
    ).copy()


@diagonal.meta
def _(x, *, offset, axis1, axis2):
    pair = _normalize_axis_pair(x, axis1, axis2)
    return Meta(
        (
            *(d for i, d in enumerate(x.shape) if i not in pair),
            _diagonal_length(x.shape, offset, *pair),
        ),
        x.dtype,
    )


@diagonal.vjp
def _(g, x, *, offset, axis1, axis2):
    return fill_diagonal_tensor(zeros_like(x), g, offset=offset, dim1=axis1, dim2=axis2)


@op("trace", "Input -> Out", older_attrs={"dim1": "axis1", "dim2": "axis2"})
def trace(x, *, offset: int = 0, axis1: int = 0, axis2: int = 1):
    """Out = the sum of a diagonal of the matrices in the axes axis1 and axis2 of Input. As in
    Paddle, the smaller of axis1 and axis2 is the row axis.

    Input [*] -> Out [remaining axes]
    """
    first, second = sorted(_normalize_axis_pair(x, axis1, axis2))
    offset = _clamp_offset(offset, x.shape[first], x.shape[second])
    return np.asarray(np.trace(x, offset, first, second, dtype=x.dtype))


@trace.meta
def _(x, *, offset, axis1, axis2):
    pair = _normalize_axis_pair(x, axis1, axis2)
    return Meta(tuple(d for i, d in enumerate(x.shape) if i not in pair), x.dtype)


@trace.vjp
def _(g, x, *, offset, axis1, axis2):
    first, second = sorted(_normalize_axis_pair(x, axis1, axis2))
    return broadcast_onto_diagonal_of_zeros(g, x, offset=offset, axis1=first, axis2=second)


@op(
    "along_diagonal",
    "X, Y -> Out",
    meta=lambda x, y, **_: Meta(y.shape, x.dtype),
    internal=True,
)
def broadcast_onto_diagonal_of_zeros(x, y, *, offset: int = 0, axis1: int = 0, axis2: int = 1):
    """Out = zeros like Y, with X at every element of a diagonal. X [remaining axes], Y [*]
    -> Out like Y
    """
    out = np.zeros(y.shape, x.dtype)
    rows, columns = _diagonal_indices(y.shape, offset, axis1, axis2)
    np.moveaxis(out, (axis1, axis2), (-2, -1))[..., rows, columns] = np.asarray(x)[..., None]
    return out


@broadcast_onto_diagonal_of_zeros.vjp
def _(g, x, y, *, offset, axis1, axis2):
    return trace(g, offset=offset, axis1=axis1, axis2=axis2), None


@op("diag_embed", "Input -> Out")
def diag_embed(x, *, offset: int = 0, dim1: int = -2, dim2: int = -1):
    """Out = matrices in the new axes dim1 and dim2, with the last axis of Input on a diagonal and
    zeros elsewhere.

    Input [*, N] -> Out [*, M, M], with the two axes M at dim1 and dim2
    """
    size = x.shape[-1] + abs(offset)
    out = np.zeros((*x.shape[:-1], size, size), x.dtype)
    rows, columns = _diagonal_indices(out.shape, offset, -2, -1)
    out[..., rows, columns] = x
    return np.moveaxis(out, (-2, -1), (dim1, dim2))


@diag_embed.meta
def _(x, *, offset, dim1, dim2):
    check(bool(x.shape), "needs an axis")
    rank = len(x.shape) + 1
    first, second = normalize_axis(dim1, rank, "dim1"), normalize_axis(dim2, rank, "dim2")
    check(first != second, f"dim1={dim1} and dim2={dim2} are the same")
    size = -1 if x.shape[-1] < 0 else x.shape[-1] + abs(offset)
    rest = iter(x.shape[:-1])
    return Meta(tuple(size if i in (first, second) else next(rest) for i in range(rank)), x.dtype)


@diag_embed.vjp
def _(g, x, *, offset, dim1, dim2):
    return diagonal(g, offset=offset, axis1=dim1, axis2=dim2)


@op("fill_diagonal", "X -> Out", meta=like_x_meta, public_name="fill_diagonal_")
def fill_diagonal(x, *, value: float = 0.0, offset: int = 0, wrap: bool = False):
    """Out = X with `value` on the diagonal.

    offset: the diagonal has the elements [i, i + offset], or [i, i, ..., i + offset] for more than
    two axes.
    wrap: for M > N, repeat the diagonal: N of every N + 1 rows contain `value`. For more than two
    axes, only the first element of the diagonal is filled unless `wrap` is True, as in Paddle.

    X [M, N] or [N, N, ...] -> like X
    """
    out = x.copy()
    out[_diagonal_mask(x.shape, offset, wrap)] = value
    return out


def _diagonal_mask(shape: Any, offset: int, wrap: bool) -> Any:
    check(len(shape) >= 2, "needs two axes")
    if len(shape) > 2:
        check(
            len(set(shape)) == 1,
            "X has more than two axes, so all of them should have the same size",
        )
        grid = np.indices(shape)
        grid[-1] -= offset
        on_diagonal = (grid == grid[:1]).all(axis=0)
        return on_diagonal if wrap else on_diagonal & (grid[0] == 0)
    rows, columns = np.indices(shape)
    if wrap and shape[0] > shape[1]:
        rows = rows % (shape[1] + 1)
    return (columns - rows == offset) & (rows < shape[1])


@fill_diagonal.vjp
def _(g, x, *, value, offset, wrap):
    return fill_diagonal(g, value=0.0, offset=offset, wrap=wrap)


@op("fill_diagonal_tensor", "X, Y -> Out")
def fill_diagonal_tensor(x, y, *, offset: Long = 0, dim1: int = 0, dim2: int = 1):
    """Out = X with Y on a diagonal of the axes dim1 and dim2.

    X [*], Y [remaining axes, length of the diagonal] -> like X
    """
    out = x.copy()
    rows, columns = _diagonal_indices(x.shape, offset, dim1, dim2)
    np.moveaxis(out, (dim1, dim2), (-2, -1))[..., rows, columns] = y
    return out


def _diagonal_indices(shape: Any, offset: int, dim1: int, dim2: int) -> tuple[Any, Any]:
    size = max(0, min(shape[dim1] - max(-offset, 0), shape[dim2] - max(offset, 0)))
    return np.arange(size) + max(-offset, 0), np.arange(size) + max(offset, 0)


@fill_diagonal_tensor.meta
def _(x, y, *, offset, dim1, dim2):
    rank = len(x.shape)
    check(
        rank >= 2 and normalize_axis(dim1, rank, "dim1") != normalize_axis(dim2, rank, "dim2"),
        "dim1 and dim2 should be two different axes",
    )
    check_dtype(x.dtype == y.dtype, "the dtypes differ")
    return x


@fill_diagonal_tensor.vjp
def _(g, x, y, *, offset, dim1, dim2):
    def y_grad() -> Any:
        return diagonal(g, offset=offset, axis1=dim1, axis2=dim2)

    return lambda: fill_diagonal_tensor(
        g, zeros_like(y), offset=offset, dim1=dim1, dim2=dim2
    ), y_grad
