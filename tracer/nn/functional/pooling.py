"""Pooling functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, overload

from ...core.errors import OpError, append_user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.operand_checks import axis_out_of_range_error, check_tensors
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
from ..type_aliases import Ints, OutputSize, Padding
from .conv import is_channels_last, padding_attrs, to_int_list_of_length

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


def _pool_nd(
    rank: int,
    x: Tensor,
    pooling_type: str,
    kernel: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    data_format: str,
    **attrs: Any,
) -> Tensor:
    size = to_int_list_of_length(kernel, rank)
    return OPS[f"pool{rank}d"](
        x,
        pooling_type=pooling_type,
        ksize=size,
        strides=size if stride is None else to_int_list_of_length(stride, rank),
        ceil_mode=ceil_mode,
        data_format=data_format,
        **padding_attrs(padding, rank, is_channels_last(data_format)),
        **attrs,
    )


def _max_pool(
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
        return _pool_nd(rank, x, "max", kernel, stride, padding, ceil_mode, data_format)
    pads = padding_attrs(padding, rank, False)
    # 'SAME' with return_mask is rejected, because Paddle ignores 'SAME' in this case and pools
    # without padding.
    if is_channels_last(data_format) or pads["padding_algorithm"] == "SAME":
        problem = f"return_mask=True requires channels-first data, and not 'SAME' (X={x.meta})"
        raise OpError(append_user_line(f"max_pool{rank}d: {problem}"))
    size = to_int_list_of_length(kernel, rank)
    strides = size if stride is None else to_int_list_of_length(stride, rank)
    return OPS[f"max_pool{rank}d_with_index"](
        x, ksize=size, strides=strides, paddings=pads["paddings"]
    )


def _avg_pool(
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
    """Average pooling; if `divisor` is given, the sum of each window divided by `divisor`."""
    exclusive_attr = exclusive and divisor is None
    out = _pool_nd(
        rank, x, "avg", kernel, stride, padding, ceil_mode, data_format, exclusive=exclusive_attr
    )
    if divisor == 0:
        raise OpError(append_user_line(f"avg_pool{rank}d: divisor_override is 0"))
    if divisor is None:
        return out
    return OPS["scale"](out, scale=math.prod(to_int_list_of_length(kernel, rank)) / float(divisor))


@overload
def max_pool2d(
    x: Tensor,
    kernel_size: Ints,
    stride: Ints | None = ...,
    padding: Padding = ...,
    return_mask: Literal[False] = False,
    ceil_mode: bool = ...,
    data_format: str = ...,
    name: str | None = ...,
) -> Tensor: ...
@overload
def max_pool2d(
    x: Tensor,
    kernel_size: Ints,
    stride: Ints | None = ...,
    padding: Padding = ...,
    *,
    return_mask: Literal[True],
    ceil_mode: bool = ...,
    data_format: str = ...,
    name: str | None = ...,
) -> tuple[Tensor, Tensor]: ...
@overload
def max_pool2d(
    x: Tensor,
    kernel_size: Ints,
    stride: Ints | None = ...,
    padding: Padding = ...,
    return_mask: bool = ...,
    ceil_mode: bool = ...,
    data_format: str = ...,
    name: str | None = ...,
) -> Any: ...
def max_pool2d(
    x: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Padding = 0,
    return_mask: bool = False,
    ceil_mode: bool = False,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """Max pooling of a batch of images: the maximum of each window.

    Parameters
    ----------
    x : Tensor [N, C, H, W], float16 | bfloat16 | float32 | float64
    kernel_size : int or (int, int)
        Size of the window.
    stride : int or (int, int), optional
        Distance between windows; by default `kernel_size`.
    padding : int, sequence of int or of pairs, "SAME" or "VALID", default 0
        One int for all sides, (vertical, horizontal) or [top, bottom, left, right].
        Pairs (before, after) for the spatial axes or for all 4 axes (those of N and C are ignored)
        are accepted, too. "VALID" is 0. "SAME": ceil(H / stride) results per axis; the end gets
        the odd element. Padding never is a maximum.
    return_mask : bool, default False
        Return the positions of the maxima as well. `ceil_mode` is ignored then.
    ceil_mode : bool, default False
        Round the sizes of the result up, so that the last windows may reach beyond the padded
        input.
    data_format : "NCHW" or "NHWC", default "NCHW"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, C, H', W'], dtype of x
        H' = floor((H + padding at both ends - kernel) / stride) + 1, with ceil if `ceil_mode`;
        W' likewise
    Tensor [N, C, H', W'], int32
        Only with `return_mask`: the positions of the maxima in their flattened channel.

    Raises
    ------
    OpError
        If the rank does not fit, the window is larger than the padded input, a list has a wrong
        length, or a size or stride is not positive, or `return_mask` is combined with padding
        "SAME" or channels last.

    Examples
    --------
    >>> x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
    >>> F.max_pool2d(x, 2).tolist()
    [[[[5.0, 7.0], [13.0, 15.0]]]]
    >>> F.max_pool2d(x, 3, stride=2, padding=1).shape
    [1, 1, 2, 2]
    >>> y, positions = F.max_pool2d(x, 2, return_mask=True)
    >>> positions.tolist()
    [[[[5, 7], [13, 15]]]]
    """
    return _max_pool(2, x, kernel_size, stride, padding, return_mask, ceil_mode, data_format)


@overload
def max_pool3d(
    x: Tensor,
    kernel_size: Ints,
    stride: Ints | None = ...,
    padding: Padding = ...,
    return_mask: Literal[False] = False,
    ceil_mode: bool = ...,
    data_format: str = ...,
    name: str | None = ...,
) -> Tensor: ...
@overload
def max_pool3d(
    x: Tensor,
    kernel_size: Ints,
    stride: Ints | None = ...,
    padding: Padding = ...,
    *,
    return_mask: Literal[True],
    ceil_mode: bool = ...,
    data_format: str = ...,
    name: str | None = ...,
) -> tuple[Tensor, Tensor]: ...
@overload
def max_pool3d(
    x: Tensor,
    kernel_size: Ints,
    stride: Ints | None = ...,
    padding: Padding = ...,
    return_mask: bool = ...,
    ceil_mode: bool = ...,
    data_format: str = ...,
    name: str | None = ...,
) -> Any: ...
def max_pool3d(
    x: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Padding = 0,
    return_mask: bool = False,
    ceil_mode: bool = False,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Any:
    """Max pooling of a batch of volumes: the maximum of each window.

    Parameters
    ----------
    x : Tensor [N, C, D, H, W], float16 | bfloat16 | float32 | float64
    kernel_size : int or (int, int, int)
        Size of the window.
    stride : int or (int, int, int), optional
        Distance between windows; by default `kernel_size`.
    padding : int, sequence of int or of pairs, "SAME" or "VALID", default 0
        One int for all sides, (depth, height, width) or [front, back, top, bottom, left, right].
        Pairs (before, after) for the spatial axes or for all 5 axes (those of N and C are ignored)
        are accepted, too. "VALID" is 0. "SAME": ceil(D / stride) results per axis; the end gets
        the odd element. Padding never is a maximum.
    return_mask : bool, default False
        Return the positions of the maxima as well. `ceil_mode` is ignored then.
    ceil_mode : bool, default False
        Round the sizes of the result up, so that the last windows may reach beyond the padded
        input.
    data_format : "NCDHW" or "NDHWC", default "NCDHW"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, C, D', H', W'], dtype of x
        D' = floor((D + padding at both ends - kernel) / stride) + 1, with ceil if `ceil_mode`;
        H' and W' likewise
    Tensor [N, C, D', H', W'], int32
        Only with `return_mask`: the positions of the maxima in their flattened channel.

    Raises
    ------
    OpError
        If the rank does not fit, the window is larger than the padded input, a list has a wrong
        length, or a size or stride is not positive, or `return_mask` is combined with padding
        "SAME" or channels last.

    Examples
    --------
    >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
    >>> F.max_pool3d(x, 2).tolist()
    [[[[[7.0]]]]]
    >>> F.max_pool3d(x, (1, 2, 2)).shape
    [1, 1, 2, 1, 1]
    """
    return _max_pool(3, x, kernel_size, stride, padding, return_mask, ceil_mode, data_format)


def avg_pool2d(
    x: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Padding = 0,
    ceil_mode: bool = False,
    exclusive: bool = True,
    divisor_override: float | None = None,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """Average pooling of a batch of images: the mean of each window.

    Parameters
    ----------
    x : Tensor [N, C, H, W], float16 | bfloat16 | float32 | float64
    kernel_size : int or (int, int)
        Size of the window.
    stride : int or (int, int), optional
        Distance between windows; by default `kernel_size`.
    padding : int, sequence of int or of pairs, "SAME" or "VALID", default 0
        One int for all sides, (vertical, horizontal) or [top, bottom, left, right].
        Pairs (before, after) for the spatial axes or for all 4 axes (those of N and C are ignored)
        are accepted, too. "VALID" is 0. "SAME": ceil(H / stride) results per axis; the end gets
        the odd element.
    ceil_mode : bool, default False
        Round the sizes of the result up, so that the last windows may reach beyond the padded
        input.
    exclusive : bool, default True
        Divide by the number of elements inside of the input; False counts the padding as well.
    divisor_override : float, optional
        Divisor in place of the size of the window: the mean, with padding counted, is multiplied by
        window size / divisor_override.
    data_format : "NCHW" or "NHWC", default "NCHW"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, C, H', W'], dtype of x
        H' = floor((H + padding at both ends - kernel) / stride) + 1, with ceil if `ceil_mode`;
        W' likewise

    Raises
    ------
    OpError
        If the rank does not fit, the window is larger than the padded input, a list has a wrong
        length, or a size or stride is not positive.

    Examples
    --------
    >>> x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
    >>> F.avg_pool2d(x, 2).tolist()
    [[[[2.5, 4.5], [10.5, 12.5]]]]
    >>> F.avg_pool2d(x, 2, divisor_override=1).tolist()
    [[[[10.0, 18.0], [42.0, 50.0]]]]
    """
    return _avg_pool(
        2, x, kernel_size, stride, padding, ceil_mode, exclusive, divisor_override, data_format
    )


def avg_pool3d(
    x: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Padding = 0,
    ceil_mode: bool = False,
    exclusive: bool = True,
    divisor_override: float | None = None,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Tensor:
    """Average pooling of a batch of volumes: the mean of each window.

    Parameters
    ----------
    x : Tensor [N, C, D, H, W], float16 | bfloat16 | float32 | float64
    kernel_size : int or (int, int, int)
        Size of the window.
    stride : int or (int, int, int), optional
        Distance between windows; by default `kernel_size`.
    padding : int, sequence of int or of pairs, "SAME" or "VALID", default 0
        One int for all sides, (depth, height, width) or [front, back, top, bottom, left, right].
        Pairs (before, after) for the spatial axes or for all 5 axes (those of N and C are ignored)
        are accepted, too. "VALID" is 0. "SAME": ceil(D / stride) results per axis; the end gets
        the odd element.
    ceil_mode : bool, default False
        Round the sizes of the result up, so that the last windows may reach beyond the padded
        input.
    exclusive : bool, default True
        Divide by the number of elements inside of the input; False counts the padding as well.
    divisor_override : float, optional
        Divisor in place of the size of the window: the mean, with padding counted, is multiplied by
        window size / divisor_override.
    data_format : "NCDHW" or "NDHWC", default "NCDHW"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, C, D', H', W'], dtype of x
        D' = floor((D + padding at both ends - kernel) / stride) + 1, with ceil if `ceil_mode`;
        H' and W' likewise

    Raises
    ------
    OpError
        If the rank does not fit, the window is larger than the padded input, a list has a wrong
        length, or a size or stride is not positive.

    Examples
    --------
    >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
    >>> F.avg_pool3d(x, 2).tolist()
    [[[[[3.5]]]]]
    >>> F.avg_pool3d(x, (1, 2, 2)).shape
    [1, 1, 2, 1, 1]
    """
    return _avg_pool(
        3, x, kernel_size, stride, padding, ceil_mode, exclusive, divisor_override, data_format
    )


def _adaptive_avg_pool(rank: int, x: Tensor, output_size: Any, data_format: str) -> Tensor:
    sizes = _adaptive_output_sizes_without_none(rank, x, output_size, data_format)
    if any(isinstance(s, Tensor) for s in sizes):
        return _adaptive_avg_pool_to_symbolic_sizes(x, sizes, data_format)
    return OPS[f"pool{rank}d"](
        x,
        pooling_type="avg",
        ksize=sizes,
        adaptive=True,
        strides=[1] * rank,
        data_format=data_format,
    )


def _adaptive_output_sizes_without_none(
    rank: int, x: Tensor, output_size: Any, data_format: str
) -> list[Any]:
    """Return the output size of each axis of an adaptive pool; None in output_size selects the size
    of x. A symbolic size is returned as a tensor.
    """
    is_sequence = isinstance(output_size, list | tuple)
    sizes = list(output_size) if is_sequence else [output_size] * rank
    if any(s is None for s in sizes):
        check_tensors(x)
        spatial = x.shape[1:-1] if is_channels_last(data_format) else x.shape[2:]
        if len(spatial) < len(sizes):
            raise axis_out_of_range_error(x, len(sizes) + 1)
        sizes = [spatial[i] if s is None else s for i, s in enumerate(sizes)]
    if state.mode.static and len(sizes) == rank and any(isinstance(s, Tensor) for s in sizes):
        return sizes
    return to_int_list_of_length([int(s) for s in sizes], rank)


def _adaptive_avg_pool_to_symbolic_sizes(x: Tensor, sizes: list[Any], data_format: str) -> Tensor:
    """Adaptive average pooling to symbolic sizes, one axis after the other."""
    for axis, size in enumerate(sizes, 1 if is_channels_last(data_format) else 2):
        order = list(range(x.ndim))
        order[axis], order[-1] = order[-1], order[axis]
        x = transpose(
            _average_windows_of_last_axis(
                transpose(x, order),
                _symbolic_size_to_int64_scalar(x.shape[axis]),
                _symbolic_size_to_int64_scalar(size),
            ),
            order,
        )
    return x


def _symbolic_size_to_int64_scalar(size: Any) -> Any:
    return reshape(cast(size, "int64"), []) if isinstance(size, Tensor) else size


def _average_windows_of_last_axis(x: Tensor, size: Any, out: Any) -> Tensor:
    """Average each window of the last axis: [*, size] -> [*, out].

    A matrix product with weights would spread a NaN to all windows.
    """
    max_window = (size + (out - 1)) // out + 1
    window, offset = (
        unsqueeze(arange(out, dtype="int64"), 1),
        unsqueeze(arange(max_window, dtype="int64"), 0),
    )
    start, end = window * size // out, ((window + 1) * size + (out - 1)) // out
    positions = start + offset
    gathered = gather(x, reshape(minimum(positions, size - 1), [-1]), axis=x.ndim - 1)
    windows = reshape(gathered, [0] * (x.ndim - 1) + [out, max_window])
    total = sum(where(expand_as(positions < end, windows), windows, zeros_like(windows)), axis=-1)
    return divide(total, cast(squeeze(end - start, 1), x.dtype))


def adaptive_avg_pool2d(
    x: Tensor, output_size: OutputSize, data_format: str = "NCHW", name: str | None = None
) -> Tensor:
    """Adaptive average pooling of a batch of images, to a given output size.

    Result i of an axis covers the elements floor(i * H / out) to ceil((i + 1) * H / out) - 1, where
    H and out are its sizes before and after.

    Parameters
    ----------
    x : Tensor [N, C, H, W], float16 | bfloat16 | float32 | float64
    output_size : int or list of 2 int or None
        Height and width of the result. None keeps the size of the input.
    data_format : "NCHW" or "NHWC", default "NCHW"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, C, *output_size], dtype of x

    Raises
    ------
    OpError
        If the rank of x or the length of `output_size` does not fit, or a size is not positive.

    Examples
    --------
    >>> x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
    >>> F.adaptive_avg_pool2d(x, 2).tolist()
    [[[[2.5, 4.5], [10.5, 12.5]]]]
    >>> F.adaptive_avg_pool2d(x, (1, None)).tolist()
    [[[[6.0, 7.0, 8.0, 9.0]]]]
    """
    return _adaptive_avg_pool(2, x, output_size, data_format)


def adaptive_avg_pool3d(
    x: Tensor, output_size: OutputSize, data_format: str = "NCDHW", name: str | None = None
) -> Tensor:
    """Adaptive average pooling of a batch of volumes, to a given output size.

    Result i of an axis covers the elements floor(i * D / out) to ceil((i + 1) * D / out) - 1, where
    D and out are its sizes before and after.

    Parameters
    ----------
    x : Tensor [N, C, D, H, W], float16 | bfloat16 | float32 | float64
    output_size : int or list of 3 int or None
        Depth, height and width of the result. None keeps the size of the input.
    data_format : "NCDHW" or "NDHWC", default "NCDHW"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, C, *output_size], dtype of x

    Raises
    ------
    OpError
        If the rank of x or the length of `output_size` does not fit, or a size is not positive.

    Examples
    --------
    >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
    >>> F.adaptive_avg_pool3d(x, 1).tolist()
    [[[[[3.5]]]]]
    >>> F.adaptive_avg_pool3d(x, (2, 1, None)).shape
    [1, 1, 2, 1, 2]
    """
    return _adaptive_avg_pool(3, x, output_size, data_format)


def _adaptive_max_pool(rank: int, x: Tensor, output_size: Any, return_mask: bool) -> Any:
    sizes = [int(s) for s in _adaptive_output_sizes_without_none(rank, x, output_size, "NC")]
    results = OPS[f"max_pool{rank}d_with_index"](x, ksize=sizes, adaptive=True)
    return results if return_mask else results[0]


@overload
def adaptive_max_pool2d(
    x: Tensor, output_size: OutputSize, return_mask: Literal[False] = False, name: str | None = ...
) -> Tensor: ...
@overload
def adaptive_max_pool2d(
    x: Tensor, output_size: OutputSize, *, return_mask: Literal[True], name: str | None = ...
) -> tuple[Tensor, Tensor]: ...
@overload
def adaptive_max_pool2d(
    x: Tensor, output_size: OutputSize, return_mask: bool = ..., name: str | None = ...
) -> Any: ...
def adaptive_max_pool2d(
    x: Tensor, output_size: OutputSize, return_mask: bool = False, name: str | None = None
) -> Any:
    """Adaptive max pooling of a batch of images, to a given output size.

    Result i of an axis covers the elements floor(i * H / out) to ceil((i + 1) * H / out) - 1, where
    H and out are its sizes before and after.

    Parameters
    ----------
    x : Tensor [N, C, H, W], float16 | bfloat16 | float32 | float64
    output_size : int or list of 2 int or None
        Height and width of the result. None keeps the size of the input.
    return_mask : bool, default False
        Return the positions of the maxima as well.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, C, *output_size], dtype of x
    Tensor [N, C, *output_size], int32
        Only with `return_mask`: the positions of the maxima in their flattened channel.

    Raises
    ------
    OpError
        If the rank of x or the length of `output_size` does not fit, or a size is not positive.

    Examples
    --------
    >>> x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
    >>> F.adaptive_max_pool2d(x, 2).tolist()
    [[[[5.0, 7.0], [13.0, 15.0]]]]
    >>> y, positions = F.adaptive_max_pool2d(x, (1, None), return_mask=True)
    >>> positions.tolist()
    [[[[12, 13, 14, 15]]]]
    """
    # Adaptive max pooling does not use the op pool2d, because Paddle's pool2d then reads single
    # pixels instead of windows.
    return _adaptive_max_pool(2, x, output_size, return_mask)


@overload
def adaptive_max_pool3d(
    x: Tensor, output_size: OutputSize, return_mask: Literal[False] = False, name: str | None = ...
) -> Tensor: ...
@overload
def adaptive_max_pool3d(
    x: Tensor, output_size: OutputSize, *, return_mask: Literal[True], name: str | None = ...
) -> tuple[Tensor, Tensor]: ...
@overload
def adaptive_max_pool3d(
    x: Tensor, output_size: OutputSize, return_mask: bool = ..., name: str | None = ...
) -> Any: ...
def adaptive_max_pool3d(
    x: Tensor, output_size: OutputSize, return_mask: bool = False, name: str | None = None
) -> Any:
    """Adaptive max pooling of a batch of volumes, to a given output size.

    Result i of an axis covers the elements floor(i * D / out) to ceil((i + 1) * D / out) - 1, where
    D and out are its sizes before and after.

    Parameters
    ----------
    x : Tensor [N, C, D, H, W], float16 | bfloat16 | float32 | float64
    output_size : int or list of 3 int or None
        Depth, height and width of the result. None keeps the size of the input.
    return_mask : bool, default False
        Return the positions of the maxima as well.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, C, *output_size], dtype of x
    Tensor [N, C, *output_size], int32
        Only with `return_mask`: the positions of the maxima in their flattened channel.

    Raises
    ------
    OpError
        If the rank of x or the length of `output_size` does not fit, or a size is not positive.

    Examples
    --------
    >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
    >>> F.adaptive_max_pool3d(x, 1).tolist()
    [[[[[7.0]]]]]
    >>> F.adaptive_max_pool3d(x, (2, 1, None)).shape
    [1, 1, 2, 1, 2]
    """
    return _adaptive_max_pool(3, x, output_size, return_mask)


def _add_height_axis(x: Tensor) -> Tensor:
    return OPS["unsqueeze2"](x, axes=[2])


def _drop_height_axis(x: Any) -> Any:
    return (
        tuple(map(_drop_height_axis, x)) if isinstance(x, tuple) else OPS["squeeze2"](x, axes=[2])
    )


def _window_1d_as_2d(value: Any, first: int) -> Any:
    return value if isinstance(value, str) else [first, *to_int_list_of_length(value, 1)]


def _padding_1d_as_2d(padding: Any) -> Any:
    if isinstance(padding, str):
        return padding
    pads = padding_attrs(padding, 1, False)["paddings"]
    return [0] * len(pads) + pads


@overload
def max_pool1d(
    x: Tensor,
    kernel_size: Ints,
    stride: Ints | None = ...,
    padding: Padding = ...,
    return_mask: Literal[False] = False,
    ceil_mode: bool = ...,
    name: str | None = ...,
) -> Tensor: ...
@overload
def max_pool1d(
    x: Tensor,
    kernel_size: Ints,
    stride: Ints | None = ...,
    padding: Padding = ...,
    *,
    return_mask: Literal[True],
    ceil_mode: bool = ...,
    name: str | None = ...,
) -> tuple[Tensor, Tensor]: ...
@overload
def max_pool1d(
    x: Tensor,
    kernel_size: Ints,
    stride: Ints | None = ...,
    padding: Padding = ...,
    return_mask: bool = ...,
    ceil_mode: bool = ...,
    name: str | None = ...,
) -> Any: ...
def max_pool1d(
    x: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Padding = 0,
    return_mask: bool = False,
    ceil_mode: bool = False,
    name: str | None = None,
) -> Any:
    """Max pooling of a batch of sequences: the maximum of each window.

    Parameters
    ----------
    x : Tensor [N, C, L], float16 | bfloat16 | float32 | float64
    kernel_size : int or [int]
        Size of the window.
    stride : int or [int], optional
        Distance between windows; by default `kernel_size`.
    padding : int, sequence of int or of pairs, "SAME" or "VALID", default 0
        One int for both ends, or [before, after].
        Pairs (before, after) for the spatial axes or for all 3 axes (those of N and C are ignored)
        are accepted, too. "VALID" is 0. "SAME": ceil(L / stride) results per axis; the end gets
        the odd element. Padding never is a maximum.
    return_mask : bool, default False
        Return the positions of the maxima as well. `ceil_mode` is ignored then.
    ceil_mode : bool, default False
        Round the sizes of the result up, so that the last windows may reach beyond the padded
        input.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, C, L'], dtype of x
        L' = floor((L + padding at both ends - kernel) / stride) + 1, with ceil if `ceil_mode`
    Tensor [N, C, L'], int32
        Only with `return_mask`: the positions of the maxima in their channel.

    Raises
    ------
    OpError
        If the rank does not fit, the window is larger than the padded input, a list has a wrong
        length, or a size or stride is not positive, or `return_mask` is combined with padding
        "SAME".

    Examples
    --------
    >>> x = paddle.to_tensor([[[1.0, 4.0, 2.0, 3.0]]])
    >>> F.max_pool1d(x, 2).tolist()
    [[[4.0, 3.0]]]
    >>> y, positions = F.max_pool1d(x, 2, return_mask=True)
    >>> positions.tolist()
    [[[1, 3]]]
    """
    strides = _window_1d_as_2d(kernel_size if stride is None else stride, 1)
    return _drop_height_axis(
        _max_pool(
            2,
            _add_height_axis(x),
            _window_1d_as_2d(kernel_size, 1),
            strides,
            _padding_1d_as_2d(padding),
            return_mask,
            ceil_mode,
            "NCHW",
        )
    )


def avg_pool1d(
    x: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Padding = 0,
    exclusive: bool = True,
    ceil_mode: bool = False,
    name: str | None = None,
) -> Tensor:
    """Average pooling of a batch of sequences: the mean of each window.

    Parameters
    ----------
    x : Tensor [N, C, L], float16 | bfloat16 | float32 | float64
    kernel_size : int or [int]
        Size of the window.
    stride : int or [int], optional
        Distance between windows; by default `kernel_size`.
    padding : int, sequence of int or of pairs, "SAME" or "VALID", default 0
        One int for both ends, or [before, after].
        Pairs (before, after) for the spatial axes or for all 3 axes (those of N and C are ignored)
        are accepted, too. "VALID" is 0. "SAME": ceil(L / stride) results per axis; the end gets
        the odd element.
    exclusive : bool, default True
        Divide by the number of elements inside of the input; False counts the padding as well.
    ceil_mode : bool, default False
        Round the sizes of the result up, so that the last windows may reach beyond the padded
        input.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, C, L'], dtype of x
        L' = floor((L + padding at both ends - kernel) / stride) + 1, with ceil if `ceil_mode`

    Raises
    ------
    OpError
        If the rank does not fit, the window is larger than the padded input, a list has a wrong
        length, or a size or stride is not positive.

    Examples
    --------
    >>> x = paddle.to_tensor([[[1.0, 4.0, 2.0, 3.0]]])
    >>> F.avg_pool1d(x, 2).tolist()
    [[[2.5, 2.5]]]
    >>> F.avg_pool1d(x, 2, padding=1, exclusive=False).tolist()
    [[[0.5, 3.0, 1.5]]]
    """
    strides = _window_1d_as_2d(kernel_size if stride is None else stride, 1)
    image = _add_height_axis(x)
    out = _avg_pool(
        2,
        image,
        _window_1d_as_2d(kernel_size, 1),
        strides,
        _padding_1d_as_2d(padding),
        ceil_mode,
        exclusive,
        None,
        "NCHW",
    )
    return _drop_height_axis(out)


def adaptive_avg_pool1d(x: Tensor, output_size: int, name: str | None = None) -> Tensor:
    """Adaptive average pooling of a batch of sequences, to a given output size.

    Result i of an axis covers the elements floor(i * L / out) to ceil((i + 1) * L / out) - 1, where
    L and out are its sizes before and after.

    Parameters
    ----------
    x : Tensor [N, C, L], float16 | bfloat16 | float32 | float64
    output_size : int or [int]
        Length of the result.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, C, output_size], dtype of x

    Raises
    ------
    OpError
        If the rank of x or the length of `output_size` does not fit, or a size is not positive.

    Examples
    --------
    >>> x = paddle.to_tensor([[[1.0, 4.0, 2.0, 3.0]]])
    >>> F.adaptive_avg_pool1d(x, 2).tolist()
    [[[2.5, 2.5]]]
    >>> F.adaptive_avg_pool1d(x, 3).tolist()  # overlapping windows
    [[[2.5, 3.0, 2.5]]]
    """
    return _drop_height_axis(
        _adaptive_avg_pool(
            2,
            _add_height_axis(x),
            [1, *_adaptive_output_sizes_without_none(1, x, output_size, "NCL")],
            "NCHW",
        )
    )


@overload
def adaptive_max_pool1d(
    x: Tensor, output_size: int, return_mask: Literal[False] = False, name: str | None = ...
) -> Tensor: ...
@overload
def adaptive_max_pool1d(
    x: Tensor, output_size: int, *, return_mask: Literal[True], name: str | None = ...
) -> tuple[Tensor, Tensor]: ...
@overload
def adaptive_max_pool1d(
    x: Tensor, output_size: int, return_mask: bool = ..., name: str | None = ...
) -> Any: ...
def adaptive_max_pool1d(
    x: Tensor, output_size: int, return_mask: bool = False, name: str | None = None
) -> Any:
    """Adaptive max pooling of a batch of sequences, to a given output size.

    Result i of an axis covers the elements floor(i * L / out) to ceil((i + 1) * L / out) - 1, where
    L and out are its sizes before and after.

    Parameters
    ----------
    x : Tensor [N, C, L], float16 | bfloat16 | float32 | float64
    output_size : int or [int]
        Length of the result.
    return_mask : bool, default False
        Return the positions of the maxima as well.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, C, output_size], dtype of x
    Tensor [N, C, output_size], int32
        Only with `return_mask`: the positions of the maxima in their channel.

    Raises
    ------
    OpError
        If the rank of x or the length of `output_size` does not fit, or a size is not positive.

    Examples
    --------
    >>> x = paddle.to_tensor([[[1.0, 4.0, 2.0, 3.0]]])
    >>> F.adaptive_max_pool1d(x, 2).tolist()
    [[[4.0, 3.0]]]
    >>> y, positions = F.adaptive_max_pool1d(x, 2, return_mask=True)
    >>> positions.tolist()
    [[[1, 3]]]
    """
    return _drop_height_axis(
        _adaptive_max_pool(
            2, _add_height_axis(x), [1, *to_int_list_of_length(output_size, 1)], return_mask
        )
    )


def _max_unpool(
    rank: int,
    x: Tensor,
    indices: Tensor,
    kernel: Any,
    stride: Any,
    padding: Any,
    data_format: str,
    output_size: Any,
) -> Tensor:
    if is_channels_last(data_format):
        raise OpError(
            append_user_line(
                f"max_unpool{rank}d: data_format={data_format!r} is not channels-first"
            )
        )
    size, pads = to_int_list_of_length(kernel, rank), to_int_list_of_length(padding, rank)
    strides = size if stride is None else to_int_list_of_length(stride, rank)
    attrs = {"unpooling_type": "max"} if rank == 2 else {}
    sizes = _unpool_sizes(x, size, strides, pads, output_size, rank)
    if any(isinstance(s, Tensor) for s in sizes):
        return _scatter_to_indices(x, indices, sizes)
    return OPS["unpool" if rank == 2 else "unpool3d"](
        x, indices, ksize=size, strides=strides, paddings=pads, output_size=sizes, **attrs
    )


def _scatter_to_indices(x: Tensor, indices: Tensor, sizes: list[Any]) -> Tensor:
    """Max unpooling to symbolic sizes: place the elements of x at `indices` of each channel, zeros
    elsewhere.

    x, indices [N, C, *S] -> [N, C, *sizes]
    """
    count = math.prod(_symbolic_size_to_int64_scalar(s) for s in sizes)
    zeros = full([x.shape[0], x.shape[1], count], 0.0, x.dtype)
    flat, positions = reshape(x, [0, 0, -1]), cast(reshape(indices, [0, 0, -1]), "int64")
    return reshape(put_along_axis(zeros, positions, flat, 2), [x.shape[0], x.shape[1], *sizes])


def _check_unpool_sizes(output_size: Any, x: Tensor) -> None:
    """Raise OpError if `output_size` is one number."""
    if isinstance(output_size, int):
        text = f"output_size={output_size!r} is not a list of sizes"
        raise OpError(append_user_line(f"max_unpool: {text} (X={x.meta})"))


def _unpool_sizes(
    x: Tensor, size: list[int], strides: list[int], pads: list[int], requested: Any, rank: int
) -> list[Any]:
    """Return the sizes before pooling: the requested sizes, or the smallest that pooling maps to
    those of x.

    requested: spatial sizes or a full shape. Symbolic sizes are tensors.
    """
    check_tensors(x)
    sizes = x.shape[2:]
    smallest = [
        (n - 1) * s + k - 2 * p for n, s, k, p in zip(sizes, strides, size, pads, strict=True)
    ]
    if requested is None:
        return smallest
    _check_unpool_sizes(requested, x)
    output_sizes = [
        w if state.mode.static and isinstance(w, Tensor) else int(w) for w in requested
    ][-rank:]
    if any(isinstance(s, Tensor) for s in (*output_sizes, *smallest)):
        return output_sizes
    if any(
        not low - s < w < low + s for w, low, s in zip(output_sizes, smallest, strides, strict=True)
    ):
        raise OpError(
            append_user_line(
                f"max_unpool: output_size={list(requested)} is not within a stride of "
                f"{smallest} (X={x.meta})"
            )
        )
    return output_sizes


def max_unpool2d(
    x: Tensor,
    indices: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Padding = 0,
    data_format: str = "NCHW",
    output_size: Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """Inverse of `max_pool2d`: place values at the positions of the maxima, zeros elsewhere.

    Parameters
    ----------
    x : Tensor [N, C, H, W], float16 | bfloat16 | float32 | float64
    indices : Tensor [N, C, H, W], int32 | int64
        Positions in the flattened channels of the result, as `max_pool2d` with ``return_mask=True``
        returns them.
    kernel_size : int or (int, int)
        Size of the window of the max pooling.
    stride : int or (int, int), optional
        Distance between its windows; by default `kernel_size`.
    padding : int or (int, int), default 0
        Its padding.
    data_format : "NCHW"
        Channels last is not supported.
    output_size : list of int, optional
        Spatial sizes of the result, or its whole shape: less than a stride away from the default
        (size - 1) * stride + kernel - 2 * padding.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, C, H', W'], dtype of x
        H' = (H - 1) * stride + kernel - 2 * padding, unless `output_size` is given

    Raises
    ------
    OpError
        If shapes do not fit, a position is out of range or not an integer, `output_size` is not
        possible, or the channels are last.

    Examples
    --------
    >>> x = paddle.to_tensor([[[[1.0, 4.0], [2.0, 3.0]]]])
    >>> y, positions = F.max_pool2d(x, 2, return_mask=True)
    >>> F.max_unpool2d(y, positions, 2).tolist()
    [[[[0.0, 4.0], [0.0, 0.0]]]]
    """
    return _max_unpool(2, x, indices, kernel_size, stride, padding, data_format, output_size)


def max_unpool3d(
    x: Tensor,
    indices: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Padding = 0,
    data_format: str = "NCDHW",
    output_size: Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """Inverse of `max_pool3d`: place values at the positions of the maxima, zeros elsewhere.

    Parameters
    ----------
    x : Tensor [N, C, D, H, W], float16 | bfloat16 | float32 | float64
    indices : Tensor [N, C, D, H, W], int32 | int64
        Positions in the flattened channels of the result, as `max_pool3d` with ``return_mask=True``
        returns them.
    kernel_size : int or (int, int, int)
        Size of the window of the max pooling.
    stride : int or (int, int, int), optional
        Distance between its windows; by default `kernel_size`.
    padding : int or (int, int, int), default 0
        Its padding.
    data_format : "NCDHW"
        Channels last is not supported.
    output_size : list of int, optional
        Spatial sizes of the result, or its whole shape: less than a stride away from the default
        (size - 1) * stride + kernel - 2 * padding.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, C, D', H', W'], dtype of x
        D' = (D - 1) * stride + kernel - 2 * padding, unless `output_size` is given

    Raises
    ------
    OpError
        If shapes do not fit, a position is out of range or not an integer, `output_size` is not
        possible, or the channels are last.

    Examples
    --------
    >>> x = paddle.arange(8, dtype="float32").reshape([1, 1, 2, 2, 2])
    >>> y, positions = F.max_pool3d(x, 2, return_mask=True)
    >>> F.max_unpool3d(y, positions, 2).tolist()
    [[[[[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 7.0]]]]]
    """
    return _max_unpool(3, x, indices, kernel_size, stride, padding, data_format, output_size)


def max_unpool1d(
    x: Tensor,
    indices: Tensor,
    kernel_size: Ints,
    stride: Ints | None = None,
    padding: Padding = 0,
    data_format: str = "NCL",
    output_size: Sequence[int] | None = None,
    name: str | None = None,
) -> Tensor:
    """Inverse of `max_pool1d`: place values at the positions of the maxima, zeros elsewhere.

    Parameters
    ----------
    x : Tensor [N, C, L], float16 | bfloat16 | float32 | float64
    indices : Tensor [N, C, L], int32 | int64
        Positions in the channels of the result, as `max_pool1d` with ``return_mask=True`` returns
        them.
    kernel_size : int or [int]
        Size of the window of the max pooling.
    stride : int or [int], optional
        Distance between its windows; by default `kernel_size`.
    padding : int or [int], default 0
        Its padding.
    data_format : "NCL"
        Channels last is not supported.
    output_size : list of int, optional
        Spatial sizes of the result, or its whole shape: less than a stride away from the default
        (size - 1) * stride + kernel - 2 * padding.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, C, L'], dtype of x
        L' = (L - 1) * stride + kernel - 2 * padding, unless `output_size` is given

    Raises
    ------
    OpError
        If shapes do not fit, a position is out of range or not an integer, `output_size` is not
        possible, or the channels are last.

    Examples
    --------
    >>> x = paddle.to_tensor([[[1.0, 4.0, 2.0, 3.0]]])
    >>> y, positions = F.max_pool1d(x, 2, return_mask=True)
    >>> F.max_unpool1d(y, positions, 2).tolist()
    [[[0.0, 4.0, 0.0, 3.0]]]
    """
    if output_size is not None:
        _check_unpool_sizes(output_size, x)
    requested = None if output_size is None else [1, list(output_size)[-1]]
    strides = _window_1d_as_2d(kernel_size if stride is None else stride, 1)
    layout = "NHWC" if is_channels_last(data_format) else "NCHW"
    return _drop_height_axis(
        _max_unpool(
            2,
            _add_height_axis(x),
            _add_height_axis(indices),
            _window_1d_as_2d(kernel_size, 1),
            strides,
            _window_1d_as_2d(padding, 0),
            layout,
            requested,
        )
    )
