"""Convolution layers."""

from __future__ import annotations

import math
from typing import Any

from ..core.errors import OpError
from ..core.tensor import Tensor
from . import functional as F
from .functional.conv import pair
from .initializer import Normal
from .layer import Layer

__all__ = ["Conv1D", "Conv2D", "Conv2DTranspose"]


class _Conv(Layer):
    """What all convolutions share: the settings, and a filter that starts normal with variance 2 / fan_in."""

    def __init__(
        self, rank: int, in_channels: int, out_channels: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any, groups: int,
        padding_mode: str, weight_attr: Any, bias_attr: Any, data_format: str, transposed: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        if in_channels % groups or out_channels % groups:
            raise OpError(
                f"{type(self).__name__}: groups={groups} does not divide in_channels={in_channels} and out_channels={out_channels}"
            )
        if padding_mode not in ("zeros", "reflect", "replicate", "circular"):
            raise OpError(f"{type(self).__name__}: padding_mode={padding_mode!r} is not known")
        self._kernel_size = pair(kernel_size, rank)
        self._in_channels, self._out_channels = in_channels, out_channels
        self._stride, self._padding, self._dilation = stride, padding, dilation
        self._groups, self._data_format, self._padding_mode = groups, data_format, padding_mode
        shape = [in_channels, out_channels // groups] if transposed else [out_channels, in_channels // groups]
        std = math.sqrt(2.0 / (math.prod(self._kernel_size) * in_channels))
        start = None if transposed else Normal(0.0, std)
        self.weight: Any = self.create_parameter([*shape, *self._kernel_size], weight_attr, default_initializer=start)
        self.bias: Any = self.create_parameter([out_channels], bias_attr, is_bias=True)

    def extra_repr(self) -> str:
        """Settings."""
        return (
            f"{self._in_channels}, {self._out_channels}, kernel_size={self._kernel_size}, stride={self._stride}, "
            f"padding={self._padding}, data_format={self._data_format}"
        )


class Conv2D(_Conv):
    """2-D convolution.   x [N, C, H, W], weight [M, C / groups, kH, kW], bias [M] -> [N, M, H', W']"""

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1, padding_mode: str = "zeros", weight_attr: Any = None, bias_attr: Any = None, data_format: str = "NCHW",
    ) -> None:  # fmt: skip
        super().__init__(
            2,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            padding_mode,
            weight_attr,
            bias_attr,
            data_format,
        )

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        padding = self._padding
        if self._padding_mode != "zeros":
            high, wide = pair(padding)
            x, padding = F.pad(x, [wide, wide, high, high], self._padding_mode, data_format=self._data_format), 0
        return F.conv2d(
            x, self.weight, self.bias, self._stride, padding, self._dilation, self._groups, self._data_format
        )


class Conv1D(_Conv):
    """1-D convolution.   x [N, C, L], weight [M, C / groups, k], bias [M] -> [N, M, L']"""

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1, padding_mode: str = "zeros", weight_attr: Any = None, bias_attr: Any = None, data_format: str = "NCL",
    ) -> None:  # fmt: skip
        super().__init__(
            1,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            padding_mode,
            weight_attr,
            bias_attr,
            data_format,
        )

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        padding = self._padding
        if self._padding_mode != "zeros":
            side = pair(padding, 1)[0]
            x, padding = F.pad(x, [side, side], self._padding_mode, data_format=self._data_format), 0
        return F.conv1d(
            x, self.weight, self.bias, self._stride, padding, self._dilation, self._groups, self._data_format
        )


class Conv2DTranspose(_Conv):
    """The transpose of Conv2D.   x [N, C, H, W], weight [C, M / groups, kH, kW], bias [M] -> [N, M, H', W']"""

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
        dilation: Any = 1, groups: int = 1, weight_attr: Any = None, bias_attr: Any = None, data_format: str = "NCHW",
    ) -> None:  # fmt: skip
        super().__init__(
            2,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            "zeros",
            weight_attr,
            bias_attr,
            data_format,
            True,
        )
        self._output_padding = output_padding

    def forward(self, x: Tensor, output_size: Any = None) -> Tensor:
        """See the class.   output_size: H', W' where the stride leaves a choice."""
        extra = self._output_padding if output_size is None else 0
        return F.conv2d_transpose(
            x,
            self.weight,
            self.bias,
            self._stride,
            self._padding,
            extra,
            self._groups,
            self._dilation,
            output_size,
            self._data_format,
        )
