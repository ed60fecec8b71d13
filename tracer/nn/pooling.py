"""Pooling layers."""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.tensor import Tensor
from . import functional as F
from .config import Kept

__all__ = [
    "AdaptiveAvgPool1D",
    "AdaptiveAvgPool2D",
    "AdaptiveAvgPool3D",
    "AdaptiveMaxPool1D",
    "AdaptiveMaxPool2D",
    "AdaptiveMaxPool3D",
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
    "MaxPool1D",
    "MaxPool2D",
    "MaxPool3D",
    "MaxUnPool1D",
    "MaxUnPool2D",
    "MaxUnPool3D",
]


class _Pool(Kept):
    """A function of nn.functional with settings, which are kept by name."""

    _function = ""
    _form = "{}"  # what Paddle's layers call a setting, and
    # where it is otherwise
    _names: ClassVar[dict[str, str]] = {"kernel_size": "ksize", "divisor_override": "divisor"}

    def __init__(self, name: str | None = None, **settings: Any) -> None:
        super().__init__()
        self._keep({**settings, "name": name}, self._form, **self._names)

    def forward(self, x: Tensor) -> Any:
        """Compute the output; the class describes shapes."""
        return getattr(F, self._function)(x, **self._settings)

    def extra_repr(self) -> str:
        """Settings."""
        settings = self._settings
        return ", ".join(
            f"{name}={settings[name]}" for name in ("kernel_size", "stride", "padding")
        )


class _Adaptive(_Pool):
    """Pooling to an output_size."""

    _form = "_{}"

    def extra_repr(self) -> str:
        """Settings."""
        settings = self._settings
        return ", ".join(
            f"{name}={settings[name]}"
            for name in ("output_size", "return_mask")
            if name in settings
        )


class _UnPool(_Pool):
    """The way back from max pooling."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        data_format: str,
        output_size: Any,
        name: str | None,
    ) -> None:
        super().__init__(
            name,
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            data_format=data_format,
            output_size=output_size,
        )

    def forward(self, x: Tensor, indices: Tensor) -> Tensor:  # type: ignore[override]
        """See the class.

        indices: as max pooling gave them with return_mask.
        """
        found: Tensor = getattr(F, self._function)(x, indices, **self._settings)
        return found

    def extra_repr(self) -> str:
        """Settings."""
        return f"output_size={self._settings['output_size']}"


class MaxPool1D(_Pool):
    """The maximum of each window; with return_mask also where it was.

    x [N, C, L] -> [N, C, L']
    """

    _function = "max_pool1d"
    _names: ClassVar[dict[str, str]] = {}

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        return_mask: bool = False,
        ceil_mode: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            return_mask=return_mask,
            ceil_mode=ceil_mode,
            name=name,
        )

    def forward(self, input: Tensor) -> Any:
        """Compute the output; the class describes shapes."""
        return super().forward(input)


class AvgPool1D(_Pool):
    """The mean of each window.

    x [N, C, L] -> [N, C, L']
    """

    _function = "avg_pool1d"
    _names: ClassVar[dict[str, str]] = {}

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        exclusive: bool = True,
        ceil_mode: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            exclusive=exclusive,
            ceil_mode=ceil_mode,
            name=name,
        )


class MaxPool2D(_Pool):
    """The maximum of each window; with return_mask also where it was.

    x [N, C, H, W] -> [N, C, H', W']
    """

    _function = "max_pool2d"

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        return_mask: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            return_mask=return_mask,
            ceil_mode=ceil_mode,
            data_format=data_format,
            name=name,
        )


class AvgPool2D(_Pool):
    """The mean of each window.

    x [N, C, H, W] -> [N, C, H', W']
    """

    _function = "avg_pool2d"

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        exclusive: bool = True,
        divisor_override: float | None = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            ceil_mode=ceil_mode,
            exclusive=exclusive,
            divisor_override=divisor_override,
            data_format=data_format,
            name=name,
        )


class MaxPool3D(_Pool):
    """The maximum of each window; with return_mask also where it was.

    x [N, C, D, H, W] -> [N, C, D', H', W']
    """

    _function = "max_pool3d"

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        return_mask: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NCDHW",
        name: str | None = None,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            return_mask=return_mask,
            ceil_mode=ceil_mode,
            data_format=data_format,
            name=name,
        )


class AvgPool3D(_Pool):
    """The mean of each window.

    x [N, C, D, H, W] -> [N, C, D', H', W']
    """

    _function = "avg_pool3d"

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        exclusive: bool = True,
        divisor_override: float | None = None,
        data_format: str = "NCDHW",
        name: str | None = None,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            ceil_mode=ceil_mode,
            exclusive=exclusive,
            divisor_override=divisor_override,
            data_format=data_format,
            name=name,
        )


class AdaptiveAvgPool1D(_Adaptive):
    """Means of windows chosen to give output_size.

    x [N, C, L] -> [N, C, output_size]
    """

    _function = "adaptive_avg_pool1d"
    _form = "{}"

    def __init__(self, output_size: Any, name: str | None = None) -> None:
        super().__init__(output_size=output_size, name=name)

    def forward(self, input: Tensor) -> Any:
        """Compute the output; the class describes shapes."""
        return super().forward(input)


class AdaptiveMaxPool1D(_Adaptive):
    """Maxima of windows chosen to give output_size.

    x [N, C, L] -> [N, C, output_size]
    """

    _function = "adaptive_max_pool1d"
    _form = "{}"

    def __init__(
        self, output_size: Any, return_mask: bool = False, name: str | None = None
    ) -> None:
        super().__init__(output_size=output_size, return_mask=return_mask, name=name)

    def forward(self, input: Tensor) -> Any:
        """Compute the output; the class describes shapes."""
        return super().forward(input)


class AdaptiveAvgPool2D(_Adaptive):
    """Means of windows chosen to give output_size.

    x [N, C, H, W] -> [N, C, *output_size]
    """

    _function = "adaptive_avg_pool2d"

    def __init__(
        self, output_size: Any, data_format: str = "NCHW", name: str | None = None
    ) -> None:
        super().__init__(output_size=output_size, data_format=data_format, name=name)


class AdaptiveMaxPool2D(_Adaptive):
    """Maxima of windows chosen to give output_size.

    x [N, C, H, W] -> [N, C, *output_size]
    """

    _function = "adaptive_max_pool2d"

    def __init__(
        self, output_size: Any, return_mask: bool = False, name: str | None = None
    ) -> None:
        super().__init__(output_size=output_size, return_mask=return_mask, name=name)


class AdaptiveAvgPool3D(_Adaptive):
    """Means of windows chosen to give output_size.

    x [N, C, D, H, W] -> [N, C, *output_size]
    """

    _function = "adaptive_avg_pool3d"

    def __init__(
        self, output_size: Any, data_format: str = "NCDHW", name: str | None = None
    ) -> None:
        super().__init__(output_size=output_size, data_format=data_format, name=name)


class AdaptiveMaxPool3D(_Adaptive):
    """Maxima of windows chosen to give output_size.

    x [N, C, D, H, W] -> [N, C, *output_size]
    """

    _function = "adaptive_max_pool3d"

    def __init__(
        self, output_size: Any, return_mask: bool = False, name: str | None = None
    ) -> None:
        super().__init__(output_size=output_size, return_mask=return_mask, name=name)


class MaxUnPool1D(_UnPool):
    """Zeros with x where max pooling had found it.

    x, indices [N, C, L] -> [N, C, L']
    """

    _function = "max_unpool1d"

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        data_format: str = "NCL",
        output_size: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(kernel_size, stride, padding, data_format, output_size, name)


class MaxUnPool2D(_UnPool):
    """Zeros with x where max pooling had found it.

    x, indices [N, C, H, W] -> [N, C, H', W']
    """

    _function = "max_unpool2d"

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        data_format: str = "NCHW",
        output_size: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(kernel_size, stride, padding, data_format, output_size, name)


class MaxUnPool3D(_UnPool):
    """Zeros with x where max pooling had found it.

    x, indices [N, C, D, H, W] -> [N, C, D', H', W']
    """

    _function = "max_unpool3d"

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        data_format: str = "NCDHW",
        output_size: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(kernel_size, stride, padding, data_format, output_size, name)
