"""Functions that process large arrays in blocks that fit in the cache, and sums, dot products and
maxima along rows that are faster than NumPy's.

A kernel with several steps creates a temporary array in each step. For large inputs these arrays
are written to main memory and cause page faults. Blocks stay in the cache, which is several times
faster; the results are the same. On a GPU arrays are not split.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..core.arrays import is_running_kernel_on_gpu, np

BLOCK_SIZE = 1 << 17  # number of elements


def apply_to_element_blocks(function: Callable[..., Any], *operands: Any) -> Any:
    """Apply `function` blockwise to arrays with the same shape and memory order. The result
    has the shape and dtype of the first array.
    """
    first = operands[0]
    if first.size <= BLOCK_SIZE or is_running_kernel_on_gpu():
        return function(*operands)
    order = axes_from_slowest_to_fastest(first)
    flat = [np.transpose(a, order) for a in operands]
    if not all(a.flags.c_contiguous for a in flat):
        return function(*operands)
    out = np.empty_like(flat[0])
    target, sources = out.reshape(-1), [a.reshape(-1) for a in flat]
    for start in range(0, first.size, BLOCK_SIZE):
        part = slice(start, start + BLOCK_SIZE)
        target[part] = function(*[a[part] for a in sources])
    return np.transpose(out, np.argsort(order).tolist())


def axes_from_slowest_to_fastest(x: Any) -> list[int]:
    """The axes of x from slowest to fastest in memory."""
    return sorted(range(x.ndim), key=lambda axis: (-x.strides[axis], axis))


def apply_to_row_blocks(function: Callable[..., Any], *operands: Any) -> Any:
    """Apply `function` to blocks of rows of arrays [R,*]. `function` must treat each row
    independently. The first array is [R,K]; the result has the shape and dtype of the first array.
    """
    first = operands[0]
    step = max(1, BLOCK_SIZE // max(first.shape[1], 1))
    if first.shape[0] <= step or is_running_kernel_on_gpu():
        return function(*operands)
    out = np.empty_like(first)
    for start in range(0, first.shape[0], step):
        part = slice(start, start + step)
        out[part] = function(*[a[part] for a in operands])
    return out


def iter_row_blocks(*operands: Any) -> Iterator[list[Any]]:
    """Yield blocks of rows of arrays [R,*], which fit in the cache. The first array is [R,K]."""
    step = (
        operands[0].shape[0]
        if is_running_kernel_on_gpu()
        else BLOCK_SIZE // max(operands[0].shape[1], 1)
    )
    step = max(1, step)
    return (
        [a[start : start + step] for a in operands]
        for start in range(0, max(operands[0].shape[0], 1), step)
    )


def row_sums(x: Any) -> Any:
    """The sum of each row of x [R,K], computed as a product with ones, which is faster than
    NumPy's sum for short rows.
    """
    if x.dtype in (np.float32, np.float64):
        return np.matmul(x, np.ones_like(x, shape=x.shape[1:]))
    return np.sum(x, axis=1)


def sum_along_axis_keepdim(x: Any, axis: int) -> Any:
    """The sums of x along an axis, which is kept with size 1."""
    return (
        row_sums(x)[:, None]
        if x.ndim == 2 and axis in (1, -1)
        else np.sum(x, axis=axis, keepdims=True)
    )


def row_dot_products(x: Any, y: Any) -> Any:
    """The sum of each row of x * y, both [R,K]."""
    return (
        np.einsum("rk,rk->r", x, y)
        if x.dtype in (np.float32, np.float64)
        else np.sum(x * y, axis=1)
    )


def max_along_axis_keepdim(x: Any, axis: int) -> Any:
    """The maxima of x along an axis, which is kept with size 1. Long rows are repeatedly halved,
    because NumPy's maximum along the last axis is slow.
    """
    if axis in (-1, x.ndim - 1):
        while x.shape[-1] >= 16 and x.shape[-1] % 2 == 0:
            half = x.shape[-1] // 2
            x = np.maximum(x[..., :half], x[..., half:])
    return np.max(x, axis=axis, keepdims=True)


def apply_along_axis_blockwise(function: Callable[..., Any], axis: int, *operands: Any) -> Any:
    """Compute `function(*inputs, axis)`. If the inputs are contiguous, have equal shapes and
    the axis is the last one, `function` is applied to blocks of rows.
    """
    first = operands[0]
    last = axis in (-1, first.ndim - 1)
    if (
        first.size <= BLOCK_SIZE
        or is_running_kernel_on_gpu()
        or not last
        or not all(a.flags.c_contiguous for a in operands)
    ):
        return function(*operands, axis)
    flat = [a.reshape(-1, a.shape[-1]) for a in operands]
    return apply_to_row_blocks(lambda *parts: function(*parts, -1), *flat).reshape(first.shape)
