"""Pooling."""

from __future__ import annotations

from typing import Any

from ...core.op import OPS
from ...core.tensor import Tensor
from .conv import padding_attrs, pair

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_max_pool2d", "avg_pool1d", "avg_pool2d", "max_pool1d", "max_pool2d",
]  # fmt: skip


def _pool(
    x: Tensor, kind: str, kernel: Any, stride: Any, padding: Any, ceil_mode: bool, data_format: str, **attrs: Any
) -> Tensor:
    size = pair(kernel)
    out: Tensor = OPS["pool2d"](
        x, pooling_type=kind, ksize=size, strides=size if stride is None else pair(stride), ceil_mode=ceil_mode,
        data_format=data_format, **padding_attrs(padding, 2, data_format == "NHWC"), **attrs,
    )  # fmt: skip
    return out


def max_pool2d(
    x: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, return_mask: bool = False, ceil_mode: bool = False,
    data_format: str = "NCHW", name: str | None = None,
) -> Any:  # fmt: skip
    """The maximum of each window; with return_mask also where it was, as a flat index.   x [N, C, H, W] -> [N, C, H', W']"""
    if return_mask:
        size = pair(kernel_size)
        return OPS["max_pool2d_with_index"](
            x, ksize=size, strides=size if stride is None else pair(stride), paddings=pair(padding)
        )
    return _pool(x, "max", kernel_size, stride, padding, ceil_mode, data_format)


def avg_pool2d(
    x: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, exclusive: bool = True,
    divisor_override: float | None = None, data_format: str = "NCHW", name: str | None = None,
) -> Tensor:  # fmt: skip
    """The mean of each window, of its elements inside x when exclusive.   x [N, C, H, W] -> [N, C, H', W']"""
    out = _pool(
        x, "avg", kernel_size, stride, padding, ceil_mode, data_format, exclusive=exclusive and divisor_override is None
    )
    if divisor_override is None:
        return out
    kh, kw = pair(kernel_size)
    return OPS["scale"](out, scale=kh * kw / float(divisor_override))


def _adaptive(x: Tensor, kind: str, output_size: Any, data_format: str) -> Tensor:
    sizes = [output_size] * 2 if isinstance(output_size, int) or output_size is None else list(output_size)
    if None in sizes:
        spatial = x.shape[1:3] if data_format == "NHWC" else x.shape[2:4]
        sizes = [int(spatial[i]) if s is None else s for i, s in enumerate(sizes)]
    return OPS["pool2d"](
        x, pooling_type=kind, ksize=pair(sizes), adaptive=True, strides=[1, 1], data_format=data_format
    )


def adaptive_avg_pool2d(x: Tensor, output_size: Any, data_format: str = "NCHW", name: str | None = None) -> Tensor:
    """Means of windows chosen to give output_size; None keeps a size.   x [N, C, H, W] -> [N, C, *output_size]"""
    return _adaptive(x, "avg", output_size, data_format)


def adaptive_max_pool2d(x: Tensor, output_size: Any, return_mask: bool = False, name: str | None = None) -> Any:
    """Maxima of windows chosen to give output_size.   x [N, C, H, W] -> [N, C, *output_size]"""
    if return_mask:
        return OPS["max_pool2d_with_index"](x, ksize=pair(output_size), adaptive=True)
    return _adaptive(x, "max", output_size, "NCHW")


def _as_2d(x: Tensor) -> Tensor:
    return OPS["unsqueeze2"](x, axes=[2])


def _as_1d(x: Tensor) -> Tensor:
    return OPS["squeeze2"](x, axes=[2])


def _row(value: Any, first: int) -> Any:
    return value if isinstance(value, str) else [first, *pair(value, 1)]


def max_pool1d(
    x: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, return_mask: bool = False, ceil_mode: bool = False,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The maximum of each window.   x [N, C, L] -> [N, C, L']"""
    strides = _row(kernel_size if stride is None else stride, 1)
    out = max_pool2d(_as_2d(x), _row(kernel_size, 1), strides, _row(padding, 0), return_mask, ceil_mode)
    return tuple(map(_as_1d, out)) if return_mask else _as_1d(out)


def avg_pool1d(
    x: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, exclusive: bool = True, ceil_mode: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The mean of each window.   x [N, C, L] -> [N, C, L']"""
    strides = _row(kernel_size if stride is None else stride, 1)
    return _as_1d(avg_pool2d(_as_2d(x), _row(kernel_size, 1), strides, _row(padding, 0), ceil_mode, exclusive))


def adaptive_avg_pool1d(x: Tensor, output_size: int, name: str | None = None) -> Tensor:
    """Means of windows chosen to give output_size.   x [N, C, L] -> [N, C, output_size]"""
    return _as_1d(adaptive_avg_pool2d(_as_2d(x), [1, output_size]))
