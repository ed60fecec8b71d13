"""Pooling layers."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from . import functional as F
from .layer import Layer

__all__ = [
    "AdaptiveAvgPool1D", "AdaptiveAvgPool2D", "AdaptiveMaxPool2D", "AvgPool1D", "AvgPool2D", "MaxPool1D", "MaxPool2D",
]  # fmt: skip


class MaxPool2D(Layer):
    """The maximum of each window.   x [N, C, H, W] -> [N, C, H', W']"""

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, return_mask: bool = False, ceil_mode: bool = False,
        data_format: str = "NCHW", name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._settings = (kernel_size, stride, padding, return_mask, ceil_mode, data_format)

    def forward(self, x: Tensor) -> Any:
        """See the class."""
        return F.max_pool2d(x, *self._settings)

    def extra_repr(self) -> str:
        """Settings."""
        return f"kernel_size={self._settings[0]}, stride={self._settings[1]}, padding={self._settings[2]}"


class AvgPool2D(Layer):
    """The mean of each window.   x [N, C, H, W] -> [N, C, H', W']"""

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, exclusive: bool = True,
        divisor_override: float | None = None, data_format: str = "NCHW", name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._settings = (kernel_size, stride, padding, ceil_mode, exclusive, divisor_override, data_format)

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        return F.avg_pool2d(x, *self._settings)

    def extra_repr(self) -> str:
        """Settings."""
        return f"kernel_size={self._settings[0]}, stride={self._settings[1]}, padding={self._settings[2]}"


class MaxPool1D(Layer):
    """The maximum of each window.   x [N, C, L] -> [N, C, L']"""

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, return_mask: bool = False, ceil_mode: bool = False,
        name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._settings = (kernel_size, stride, padding, return_mask, ceil_mode)

    def forward(self, x: Tensor) -> Any:
        """See the class."""
        return F.max_pool1d(x, *self._settings)


class AvgPool1D(Layer):
    """The mean of each window.   x [N, C, L] -> [N, C, L']"""

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, exclusive: bool = True, ceil_mode: bool = False,
        name: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._settings = (kernel_size, stride, padding, exclusive, ceil_mode)

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        return F.avg_pool1d(x, *self._settings)


class AdaptiveAvgPool2D(Layer):
    """Means of windows chosen to give output_size.   x [N, C, H, W] -> [N, C, *output_size]"""

    def __init__(self, output_size: Any, data_format: str = "NCHW", name: str | None = None) -> None:
        super().__init__()
        self._output_size = output_size
        self._data_format = data_format

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        return F.adaptive_avg_pool2d(x, self._output_size, self._data_format)

    def extra_repr(self) -> str:
        """Settings."""
        return f"output_size={self._output_size}"


class AdaptiveAvgPool1D(Layer):
    """Means of windows chosen to give output_size.   x [N, C, L] -> [N, C, output_size]"""

    def __init__(self, output_size: int, name: str | None = None) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        return F.adaptive_avg_pool1d(x, self.output_size)


class AdaptiveMaxPool2D(Layer):
    """Maxima of windows chosen to give output_size.   x [N, C, H, W] -> [N, C, *output_size]"""

    def __init__(self, output_size: Any, return_mask: bool = False, name: str | None = None) -> None:
        super().__init__()
        self._output_size = output_size
        self._return_mask = return_mask

    def forward(self, x: Tensor) -> Any:
        """See the class."""
        return F.adaptive_max_pool2d(x, self._output_size, self._return_mask)
