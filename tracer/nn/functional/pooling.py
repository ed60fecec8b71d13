"""Pooling."""

from __future__ import annotations

import math
from typing import Any

from ...core.errors import OpError, with_user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.operand_checks import check_tensors, no_axis_error
from ...core.tensor import Tensor
from ...tensor.creation import arange, full, zeros_like
from ...tensor.manipulation import (
    cast,
    expand_as,
    gather,
    put_along_axis,
    reshape,
    squeeze,
    transpose,
    unsqueeze,
    where,
)
from ...tensor.math import divide, minimum, sum
from .conv import is_last, padding_attrs, pair

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
]


def _pool(
    rank: int,
    x: Tensor,
    kind: str,
    kernel: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    data_format: str,
    **attrs: Any,
) -> Tensor:
    size = pair(kernel, rank)
    return OPS[f"pool{rank}d"](
        x,
        pooling_type=kind,
        ksize=size,
        strides=size if stride is None else pair(stride, rank),
        ceil_mode=ceil_mode,
        data_format=data_format,
        **padding_attrs(padding, rank, is_last(data_format)),
        **attrs,
    )


def _max(
    rank: int,
    x: Tensor,
    kernel: Any,
    stride: Any,
    padding: Any,
    return_mask: bool,
    ceil_mode: bool,
    data_format: str,
) -> Any:
    if not return_mask:
        return _pool(rank, x, "max", kernel, stride, padding, ceil_mode, data_format)
    if is_last(data_format) or isinstance(padding, str):
        why = f"return_mask=True requires channels-first data and numeric paddings (X={x.meta})"
        raise OpError(with_user_line(f"max_pool{rank}d: {why}"))
    size = pair(kernel, rank)
    strides, pads = (
        size if stride is None else pair(stride, rank),
        padding_attrs(padding, rank, False)["paddings"],
    )
    return OPS[f"max_pool{rank}d_with_index"](x, ksize=size, strides=strides, paddings=pads)


def _average(
    rank: int,
    x: Tensor,
    kernel: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    exclusive: bool,
    divisor: float | None,
    data_format: str,
) -> Tensor:
    """The mean of each window; with a divisor the sum divided by that."""
    inside = exclusive and divisor is None
    out = _pool(rank, x, "avg", kernel, stride, padding, ceil_mode, data_format, exclusive=inside)
    if divisor is None:
        return out
    return OPS["scale"](out, scale=math.prod(pair(kernel, rank)) / float(divisor))


def max_pool2d(
    x: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    return_mask: bool = False,
    ceil_mode: bool = False,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """The maximum of each window; with return_mask also where it was, as a flat index.

    x [N, C, H, W] -> [N, C, H', W']
    """
    return _max(2, x, kernel_size, stride, padding, return_mask, ceil_mode, data_format)


def max_pool3d(
    x: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    return_mask: bool = False,
    ceil_mode: bool = False,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Any:
    """The maximum of each window; with return_mask also where it was.

    x [N, C, D, H, W] -> [N, C, D', H', W']
    """
    return _max(3, x, kernel_size, stride, padding, return_mask, ceil_mode, data_format)


def avg_pool2d(
    x: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    exclusive: bool = True,
    divisor_override: float | None = None,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """The mean of each window, of its elements inside x when exclusive.

    x [N, C, H, W] -> [N, C, H', W']
    """
    return _average(
        2, x, kernel_size, stride, padding, ceil_mode, exclusive, divisor_override, data_format
    )


def avg_pool3d(
    x: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    exclusive: bool = True,
    divisor_override: float | None = None,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Tensor:
    """The mean of each window, of its elements inside x when exclusive.

    x [N, C, D, H, W] -> [N, C, D', H', W']
    """
    return _average(
        3, x, kernel_size, stride, padding, ceil_mode, exclusive, divisor_override, data_format
    )


def _adaptive(rank: int, x: Tensor, output_size: Any, data_format: str) -> Tensor:
    sizes = _wanted(rank, x, output_size, data_format)
    if any(isinstance(s, Tensor) for s in sizes):
        return _averaged_to(x, sizes, data_format)
    return OPS[f"pool{rank}d"](
        x,
        pooling_type="avg",
        ksize=sizes,
        adaptive=True,
        strides=[1] * rank,
        data_format=data_format,
    )


def _wanted(rank: int, x: Tensor, output_size: Any, data_format: str) -> list[Any]:
    """The sizes asked for; None keeps that of x.

    Tensors where only a run knows.
    """
    several = isinstance(output_size, list | tuple)
    sizes = list(output_size) if several else [output_size] * rank
    if any(s is None for s in sizes):
        check_tensors(x)
        spatial = x.shape[1:-1] if is_last(data_format) else x.shape[2:]
        if len(spatial) < len(sizes):
            raise no_axis_error(x, len(sizes) + 1)
        sizes = [spatial[i] if s is None else s for i, s in enumerate(sizes)]
    if state.mode.static and len(sizes) == rank and any(isinstance(s, Tensor) for s in sizes):
        return sizes
    return pair([int(s) for s in sizes], rank)


def _averaged_to(x: Tensor, sizes: list[Any], data_format: str) -> Tensor:
    """Adaptive means, along one axis after the other."""
    for axis, size in enumerate(sizes, 1 if is_last(data_format) else 2):
        order = list(range(x.ndim))
        order[axis], order[-1] = order[-1], order[axis]
        x = transpose(
            _window_means(transpose(x, order), _whole(x.shape[axis]), _whole(size)), order
        )
    return x


def _whole(size: Any) -> Any:
    return reshape(cast(size, "int64"), []) if isinstance(size, Tensor) else size


def _window_means(x: Tensor, size: Any, out: Any) -> Tensor:
    """The mean of each window of the last axis.

    A product with weights would carry a NaN into all windows.
    [*, size] -> [*, out]
    """
    longest = (size + (out - 1)) // out + 1
    window, at = (
        unsqueeze(arange(out, dtype="int64"), 1),
        unsqueeze(arange(longest, dtype="int64"), 0),
    )
    start, end = window * size // out, ((window + 1) * size + (out - 1)) // out
    places = start + at
    taken = gather(x, reshape(minimum(places, size - 1), [-1]), axis=x.ndim - 1)
    windows = reshape(taken, [0] * (x.ndim - 1) + [out, longest])
    total = sum(where(expand_as(places < end, windows), windows, zeros_like(windows)), axis=-1)
    return divide(total, cast(squeeze(end - start, 1), x.dtype))


def adaptive_avg_pool2d(
    x: Tensor, output_size: Any, data_format: str = "NCHW", name: str | None = None
) -> Tensor:
    """Means of windows chosen to give output_size; None keeps a size.

    x [N, C, H, W] -> [N, C, *output_size]
    """
    return _adaptive(2, x, output_size, data_format)


def adaptive_avg_pool3d(
    x: Tensor, output_size: Any, data_format: str = "NCDHW", name: str | None = None
) -> Tensor:
    """Means of windows chosen to give output_size; None keeps a size.

    x [N, C, D, H, W] -> [N, C, *output_size]
    """
    return _adaptive(3, x, output_size, data_format)


def _adaptive_max(rank: int, x: Tensor, output_size: Any, return_mask: bool) -> Any:
    sizes = [int(s) for s in _wanted(rank, x, output_size, "NC")]
    found = OPS[f"max_pool{rank}d_with_index"](x, ksize=sizes, adaptive=True)
    return found if return_mask else found[0]


def adaptive_max_pool2d(
    x: Tensor, output_size: Any, return_mask: bool = False, name: str | None = None
) -> Any:
    """Maxima of windows chosen to give output_size, and with return_mask where.

    x [N, C, H, W] -> [N, C, *output_size]
    """
    # Paddle's pool2d uses single pixels here.
    return _adaptive_max(2, x, output_size, return_mask)


def adaptive_max_pool3d(
    x: Tensor, output_size: Any, return_mask: bool = False, name: str | None = None
) -> Any:
    """Maxima of windows chosen to give output_size, and with return_mask where.

    x [N, C, D, H, W] -> [N, C, *output_size]
    """
    return _adaptive_max(3, x, output_size, return_mask)


def _as_2d(x: Tensor) -> Tensor:
    return OPS["unsqueeze2"](x, axes=[2])


def _as_1d(x: Any) -> Any:
    return tuple(map(_as_1d, x)) if isinstance(x, tuple) else OPS["squeeze2"](x, axes=[2])


def _row(value: Any, first: int) -> Any:
    return value if isinstance(value, str) else [first, *pair(value, 1)]


def _padding_of_row(padding: Any) -> Any:
    if isinstance(padding, str):
        return padding
    pads = padding_attrs(padding, 1, False)["paddings"]
    return [0] * len(pads) + pads


def max_pool1d(
    x: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    return_mask: bool = False,
    ceil_mode: bool = False,
    name: str | None = None,
) -> Any:
    """The maximum of each window; with return_mask also where it was.

    x [N, C, L] -> [N, C, L']
    """
    strides = _row(kernel_size if stride is None else stride, 1)
    return _as_1d(
        _max(
            2,
            _as_2d(x),
            _row(kernel_size, 1),
            strides,
            _padding_of_row(padding),
            return_mask,
            ceil_mode,
            "NCHW",
        )
    )


def avg_pool1d(
    x: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    exclusive: bool = True,
    ceil_mode: bool = False,
    name: str | None = None,
) -> Tensor:
    """The mean of each window.

    x [N, C, L] -> [N, C, L']
    """
    strides = _row(kernel_size if stride is None else stride, 1)
    wide = _as_2d(x)
    out = _average(
        2,
        wide,
        _row(kernel_size, 1),
        strides,
        _padding_of_row(padding),
        ceil_mode,
        exclusive,
        None,
        "NCHW",
    )
    return _as_1d(out)


def adaptive_avg_pool1d(x: Tensor, output_size: int, name: str | None = None) -> Tensor:
    """Means of windows chosen to give output_size.

    x [N, C, L] -> [N, C, output_size]
    """
    return _as_1d(_adaptive(2, _as_2d(x), [1, *_wanted(1, x, output_size, "NCL")], "NCHW"))


def adaptive_max_pool1d(
    x: Tensor, output_size: int, return_mask: bool = False, name: str | None = None
) -> Any:
    """Maxima of windows chosen to give output_size, and with return_mask where.

    x [N, C, L] -> [N, C, output_size]
    """
    return _as_1d(_adaptive_max(2, _as_2d(x), [1, *pair(output_size, 1)], return_mask))


def _unpool(
    rank: int,
    x: Tensor,
    indices: Tensor,
    kernel: Any,
    stride: Any,
    padding: Any,
    data_format: str,
    output_size: Any,
) -> Tensor:
    if is_last(data_format):
        raise OpError(
            with_user_line(f"max_unpool{rank}d: data_format={data_format!r} has its channels last")
        )
    size, pads = pair(kernel, rank), pair(padding, rank)
    strides = size if stride is None else pair(stride, rank)
    more = {"unpooling_type": "max"} if rank == 2 else {}
    sizes = _unpooled_size(x, size, strides, pads, output_size, rank)
    if any(isinstance(s, Tensor) for s in sizes):
        return _put_back(x, indices, sizes)
    return OPS["unpool" if rank == 2 else "unpool3d"](
        x, indices, ksize=size, strides=strides, paddings=pads, output_size=sizes, **more
    )


def _put_back(x: Tensor, indices: Tensor, sizes: list[Any]) -> Tensor:
    """Zeros of sizes that only a run knows, with x at its places.

    x, indices [N, C, *S] -> [N, C, *sizes]
    """
    count = math.prod(_whole(s) for s in sizes)
    empty = full([x.shape[0], x.shape[1], count], 0.0, x.dtype)
    flat, places = reshape(x, [0, 0, -1]), cast(reshape(indices, [0, 0, -1]), "int64")
    return reshape(put_along_axis(empty, places, flat, 2), [x.shape[0], x.shape[1], *sizes])


def _unpooled_size(
    x: Tensor, size: list[int], strides: list[int], pads: list[int], wanted: Any, rank: int
) -> list[Any]:
    """The sizes before pooling: those wanted, which may be a whole shape, else the smallest that
    pooling takes to those of x.

    Tensors where only a run knows them.
    """
    check_tensors(x)
    sizes = x.shape[2:]
    least = [(n - 1) * s + k - 2 * p for n, s, k, p in zip(sizes, strides, size, pads, strict=True)]
    if wanted is None:
        return least
    found = [w if state.mode.static and isinstance(w, Tensor) else int(w) for w in wanted][-rank:]
    if any(isinstance(s, Tensor) for s in (*found, *least)):
        return found
    if any(not low - s < w < low + s for w, low, s in zip(found, least, strides, strict=True)):
        raise OpError(
            with_user_line(
                f"max_unpool: output_size={list(wanted)} is not near {least} (X={x.meta})"
            )
        )
    return found


def max_unpool2d(
    x: Tensor,
    indices: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    data_format: str = "NCHW",
    output_size: Any = None,
    name: str | None = None,
) -> Tensor:
    """Zeros with x at the indices that max_pool2d gave.

    x, indices [N, C, H, W] -> [N, C, H', W']
    """
    return _unpool(2, x, indices, kernel_size, stride, padding, data_format, output_size)


def max_unpool3d(
    x: Tensor,
    indices: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    data_format: str = "NCDHW",
    output_size: Any = None,
    name: str | None = None,
) -> Tensor:
    """Zeros with x at the indices that max_pool3d gave.

    x, indices [N, C, D, H, W] -> [N, C, D', H', W']
    """
    return _unpool(3, x, indices, kernel_size, stride, padding, data_format, output_size)


def max_unpool1d(
    x: Tensor,
    indices: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    data_format: str = "NCL",
    output_size: Any = None,
    name: str | None = None,
) -> Tensor:
    """Zeros with x at the indices that max_pool1d gave.

    x, indices [N, C, L] -> [N, C, L']
    """
    wanted = None if output_size is None else [1, list(output_size)[-1]]
    strides = _row(kernel_size if stride is None else stride, 1)
    layout = "NHWC" if is_last(data_format) else "NCHW"
    return _as_1d(
        _unpool(
            2,
            _as_2d(x),
            _as_2d(indices),
            _row(kernel_size, 1),
            strides,
            _row(padding, 0),
            layout,
            wanted,
        )
    )
