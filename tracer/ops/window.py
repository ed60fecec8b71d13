"""Windows that slide over two axes: what convolution and pooling share.

Inside, arrays lie as [C,H,W,N]: the batch, innermost, makes long runs of memory however small a picture is, the columns of all
pictures form one matrix, and sums per channel read memory in order.  What goes out is a view [N,C,H,W] of that; elementwise
ops keep the layout, so the next convolution finds it as it likes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.op import check
from .meta import Shape

Pair = tuple[int, int]


class Window(NamedTuple):
    """A kernel of `size` that moves by `stride` over pictures padded by `pads`: (top, bottom), (left, right)."""

    size: Pair
    stride: Pair
    dilation: Pair
    pads: tuple[Pair, Pair]

    @property
    def taps(self) -> Iterator[Pair]:
        """The places of the kernel."""
        return ((i, j) for i in range(self.size[0]) for j in range(self.size[1]))

    def reach(self, axis: int) -> int:
        """How far the kernel reaches along an axis, its dilation counted."""
        return self.dilation[axis] * (self.size[axis] - 1) + 1

    def out(self, hw: Sequence[int]) -> Pair:
        """How many places the window takes along each axis.   hw: sizes, -1 if unknown."""
        return self._out(hw[0], 0), self._out(hw[1], 1)

    def _out(self, size: int, axis: int) -> int:
        if size < 0 or self.size[axis] < 0:
            return -1
        room = size + sum(self.pads[axis]) - self.reach(axis)
        check(room >= 0, f"a kernel of {self.reach(axis)} does not fit into {size} padded by {list(self.pads[axis])}")
        return room // self.stride[axis] + 1


def pair(values: Sequence[int], what: str) -> Pair:
    """The two numbers of an attribute."""
    check(len(values) == 2, f"{what}={list(values)} are not two numbers")
    return values[0], values[1]


def explicit_pads(paddings: Sequence[int]) -> tuple[Pair, Pair]:
    """[vertical, horizontal] or [top, bottom, left, right] as pairs."""
    check(len(paddings) in (2, 4), f"paddings={list(paddings)} are neither two nor four numbers")
    if len(paddings) == 2:
        return (paddings[0], paddings[0]), (paddings[1], paddings[1])
    return (paddings[0], paddings[1]), (paddings[2], paddings[3])


def window_of(
    hw: Sequence[int], size: Sequence[int], strides: Sequence[int], paddings: Sequence[int], algorithm: str,
    dilations: Sequence[int] = (1, 1),
) -> Window:  # fmt: skip
    """The window that the attributes describe over pictures of the sizes `hw`, -1 where unknown."""
    stride, dilation = pair(strides, "strides"), pair(dilations, "dilations")
    check(
        min(stride) > 0 and min(dilation) > 0, f"strides={list(strides)}, dilations={list(dilations)} are not positive"
    )
    check(algorithm in ("EXPLICIT", "SAME", "VALID"), f"padding_algorithm={algorithm} is none of EXPLICIT, SAME, VALID")
    pads = explicit_pads(paddings)
    kernel = pair(size, "the kernel sizes")
    if algorithm == "VALID":
        pads = (0, 0), (0, 0)
    elif algorithm == "SAME":
        dilation = (1, 1)  # as in Paddle
        pads = (same_pads(hw[0], kernel[0], stride[0]), same_pads(hw[1], kernel[1], stride[1]))
    return Window(kernel, stride, dilation, pads)


def same_pads(size: int, kernel: int, stride: int) -> Pair:
    """The padding that makes the result ceil(size / stride) long; the odd one goes to the end."""
    total = max((-(-size // stride) - 1) * stride + kernel - size, 0) if min(size, kernel) >= 0 else 0
    return total // 2, total - total // 2


def channels_first(x: Any, data_format: str) -> Any:
    """A view [N,C,H,W] of pictures in either format."""
    return np.transpose(x, (0, 3, 1, 2)) if data_format == "NHWC" else x


def as_given(x: Any, data_format: str) -> Any:
    """The way back from `channels_first`."""
    return np.transpose(x, (0, 2, 3, 1)) if data_format == "NHWC" else x


def nchw(shape: Shape, data_format: str) -> Shape:
    """The shape [N,C,H,W] of a shape in either format.   Raises OpError for other ranks and formats."""
    check(len(shape) == 4, "pictures need four axes")
    check(data_format in ("NCHW", "AnyLayout", "NHWC"), f"data format {data_format} is neither NCHW nor NHWC")
    return (shape[0], shape[3], shape[1], shape[2]) if data_format == "NHWC" else shape


def in_format(shape: Shape, data_format: str) -> Shape:
    """The way back from `nchw`."""
    return (shape[0], shape[2], shape[3], shape[1]) if data_format == "NHWC" else shape


def batch_last(x: Any) -> Any:
    """[N,C,H,W] as contiguous [C,H,W,N]; no copy where it lies so already."""
    x = np.transpose(x, (1, 2, 3, 0))
    return x if x.flags.c_contiguous else x.copy()


def batch_first(x: Any) -> Any:
    """The way back: a view."""
    return np.transpose(x, (3, 0, 1, 2))


def padded(x: Any, window: Window, value: Any = 0) -> Any:
    """[N,C,H,W] padded, as contiguous [C,H,W,N]."""
    (top, bottom), (left, right) = window.pads
    if not (top or bottom or left or right):
        return batch_last(x)
    x = np.transpose(x, (1, 2, 3, 0))
    c, h, w, n = x.shape
    full = np.full_like(x, value, shape=(c, h + top + bottom, w + left + right, n), order="C")
    full[:, top : top + h, left : left + w] = x
    return full


def cropped(x: Any, window: Window) -> Any:
    """The way back from `padded`."""
    (top, bottom), (left, right) = window.pads
    return batch_first(x[:, top : x.shape[1] - bottom, left : x.shape[2] - right])


def tap(x: Any, window: Window, at: Pair, rows: Pair, columns: int) -> Any:
    """What the kernel's place `at` sees at the output rows [from, to) and all columns: a view of x [C,H,W,N]."""
    (sh, sw), (dh, dw) = window.stride, window.dilation
    top, left = at[0] * dh + rows[0] * sh, at[1] * dw
    return x[:, top : top + (rows[1] - rows[0] - 1) * sh + 1 : sh, left : left + (columns - 1) * sw + 1 : sw]
