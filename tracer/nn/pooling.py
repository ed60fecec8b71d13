"""Pooling layers."""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.tensor import Tensor
from . import functional as F
from .layer_with_argument_attributes import LayerWithArgumentAttributes

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


class _Pool(LayerWithArgumentAttributes):
    """Base of the pooling layers: calls a function of `nn.functional`."""

    _function = ""
    _attribute_format = "{}"  # the attribute of an argument, as Paddle's layers name it
    _attribute_names: ClassVar[dict[str, str]] = {
        "kernel_size": "ksize",
        "divisor_override": "divisor",
    }

    def __init__(self, name: str | None = None, **config: Any) -> None:
        super().__init__()
        self._set_argument_attributes(
            {**config, "name": name}, self._attribute_format, **self._attribute_names
        )

    def forward(self, x: Tensor) -> Any:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return getattr(F, self._function)(x, **self._read_argument_attributes())

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        config = self._read_argument_attributes()
        return ", ".join(f"{name}={config[name]}" for name in ("kernel_size", "stride", "padding"))


class _AdaptivePool(_Pool):
    """Base of the adaptive pooling layers: pool to `output_size`."""

    _attribute_format = "_{}"

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        config = self._read_argument_attributes()
        return ", ".join(
            f"{name}={config[name]}" for name in ("output_size", "return_mask") if name in config
        )


class _UnPool(_Pool):
    """Base of the inverses of max pooling."""

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
        """Compute the output of the layer; the docstring of its class describes the shapes.

        indices: returned by max pooling with `return_mask=True`
        """
        out: Tensor = getattr(F, self._function)(x, indices, **self._read_argument_attributes())
        return out

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows."""
        return f"output_size={self._read_argument_attributes()['output_size']}"


class MaxPool1D(_Pool):
    """Max pooling; with `return_mask` also the indices of the maxima.

    x [N, C, L] -> [N, C, L']
    """

    _function = "max_pool1d"
    _attribute_names: ClassVar[dict[str, str]] = {}

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
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return super().forward(input)


class AvgPool1D(_Pool):
    """Average pooling.

    x [N, C, L] -> [N, C, L']
    """

    _function = "avg_pool1d"
    _attribute_names: ClassVar[dict[str, str]] = {}

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
    """Max pooling; with `return_mask` also the indices of the maxima.

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
    """Average pooling; `divisor_override` replaces the size of the window as divisor.

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
    """Max pooling; with `return_mask` also the indices of the maxima.

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
    """Average pooling; `divisor_override` replaces the size of the window as divisor.

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


class AdaptiveAvgPool1D(_AdaptivePool):
    """Average pooling to a given output size.

    x [N, C, L] -> [N, C, output_size]
    """

    _function = "adaptive_avg_pool1d"
    _attribute_format = "{}"

    def __init__(self, output_size: Any, name: str | None = None) -> None:
        super().__init__(output_size=output_size, name=name)

    def forward(self, input: Tensor) -> Any:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return super().forward(input)


class AdaptiveMaxPool1D(_AdaptivePool):
    """Max pooling to a given output size.

    x [N, C, L] -> [N, C, output_size]
    """

    _function = "adaptive_max_pool1d"
    _attribute_format = "{}"

    def __init__(
        self, output_size: Any, return_mask: bool = False, name: str | None = None
    ) -> None:
        super().__init__(output_size=output_size, return_mask=return_mask, name=name)

    def forward(self, input: Tensor) -> Any:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return super().forward(input)


class AdaptiveAvgPool2D(_AdaptivePool):
    """Average pooling to a given output size.

    x [N, C, H, W] -> [N, C, *output_size]
    """

    _function = "adaptive_avg_pool2d"

    def __init__(
        self, output_size: Any, data_format: str = "NCHW", name: str | None = None
    ) -> None:
        super().__init__(output_size=output_size, data_format=data_format, name=name)


class AdaptiveMaxPool2D(_AdaptivePool):
    """Max pooling to a given output size.

    x [N, C, H, W] -> [N, C, *output_size]
    """

    _function = "adaptive_max_pool2d"

    def __init__(
        self, output_size: Any, return_mask: bool = False, name: str | None = None
    ) -> None:
        super().__init__(output_size=output_size, return_mask=return_mask, name=name)


class AdaptiveAvgPool3D(_AdaptivePool):
    """Average pooling to a given output size.

    x [N, C, D, H, W] -> [N, C, *output_size]
    """

    _function = "adaptive_avg_pool3d"

    def __init__(
        self, output_size: Any, data_format: str = "NCDHW", name: str | None = None
    ) -> None:
        super().__init__(output_size=output_size, data_format=data_format, name=name)


class AdaptiveMaxPool3D(_AdaptivePool):
    """Max pooling to a given output size.

    x [N, C, D, H, W] -> [N, C, *output_size]
    """

    _function = "adaptive_max_pool3d"

    def __init__(
        self, output_size: Any, return_mask: bool = False, name: str | None = None
    ) -> None:
        super().__init__(output_size=output_size, return_mask=return_mask, name=name)


class MaxUnPool1D(_UnPool):
    """Inverse of MaxPool1D: places x at the indices of the maxima, zeros elsewhere.

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
    """Inverse of MaxPool2D: places x at the indices of the maxima, zeros elsewhere.

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
    """Inverse of MaxPool3D: places x at the indices of the maxima, zeros elsewhere.

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
