"""Convolution layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.errors import OpError, append_user_line
from ..core.tensor import Tensor
from . import functional as F
from .conv_filters import he_normal_initializer, require_valid_groups
from .functional.conv import to_int_list_of_length
from .layer import Layer

__all__ = ["Conv1D", "Conv1DTranspose", "Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose"]


def _padded_input_and_conv_padding(layer: Any, x: Tensor) -> tuple[Tensor, Any]:
    """Return the input and the padding argument of the convolution op. If the `_padding_mode` of
    the layer is not "zeros", the input is x after padding, and the padding argument is 0.
    """
    if layer._padding_mode == "zeros":
        return x, layer._padding
    pads = [
        p
        for p in reversed(to_int_list_of_length(layer._padding, len(layer._stride)))
        for _ in (0, 1)
    ]
    return F.pad(x, pads, layer._padding_mode, data_format=layer._data_format), 0


def convolve_with_settings_of_layer(
    layer: Any, function: Callable[..., Tensor], x: Tensor, weight: Tensor
) -> Tensor:
    """Convolve x with a weight, with the bias and the settings of a layer.

    function: of `nn.functional`.
    """
    x, padding = _padded_input_and_conv_padding(layer, x)
    return function(
        x,
        weight,
        layer.bias,
        layer._stride,
        padding,
        layer._dilation,
        layer._groups,
        layer._data_format,
    )


class _Conv(Layer):
    """Base of the convolutions: arguments and parameters.

    Weights of a convolution start from Normal(0, sqrt(2 / fan_in)).
    """

    _function: str

    def __init__(
        self,
        rank: int,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        dilation: Any,
        groups: int,
        weight_attr: Any,
        bias_attr: Any,
        data_format: str,
        padding_mode: str = "zeros",
        transposed: bool = False,
        output_padding: Any = 0,
    ) -> None:
        super().__init__()
        self._in_channels, self._out_channels, self._groups = in_channels, out_channels, groups
        self._kernel_size, self._stride, self._dilation = (
            to_int_list_of_length(v, rank) for v in (kernel_size, stride, dilation)
        )
        self._padding, self._padding_mode, self.output_padding = (
            padding,
            padding_mode,
            output_padding,
        )
        self._data_format, self._param_attr, self._bias_attr = data_format, weight_attr, bias_attr
        self._check_config()
        shape = (
            [in_channels, out_channels // groups]
            if transposed
            else [out_channels, in_channels // groups]
        )
        initializer = None if transposed else he_normal_initializer(in_channels, self._kernel_size)
        self.weight: Any = self.create_parameter(
            [*shape, *self._kernel_size], weight_attr, default_initializer=initializer
        )
        self.bias: Any = self.create_parameter([out_channels], bias_attr, is_bias=True)

    def _check_config(self) -> None:
        name = type(self).__name__
        require_valid_groups(
            name, self._groups, in_channels=self._in_channels, out_channels=self._out_channels
        )
        if self._padding_mode not in ("zeros", "reflect", "replicate", "circular"):
            why = (
                f"{name}: padding_mode={self._padding_mode!r} is not one of 'zeros', 'reflect', "
                f"'replicate', 'circular'"
            )
            raise OpError(append_user_line(why))

    def forward(self, x: Tensor) -> Tensor:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return convolve_with_settings_of_layer(self, getattr(F, self._function), x, self.weight)

    def extra_repr(self) -> str:
        """Return the text that `repr` shows in parentheses: the arguments that differ from their
        defaults.
        """
        ones = [1] * len(self._stride)
        fields = {
            "stride": (self._stride, ones),
            "padding": (self._padding, 0),
            "padding_mode": (self._padding_mode, "zeros"),
            "output_padding": (self.output_padding, 0),
            "dilation": (self._dilation, ones),
            "groups": (self._groups, 1),
        }
        non_default = "".join(
            f", {name}={value}" for name, (value, default) in fields.items() if value != default
        )
        sizes = f"{self._in_channels}, {self._out_channels}, kernel_size={self._kernel_size}"
        return f"{sizes}{non_default}, data_format={self._data_format}"


class Conv1D(_Conv):
    """1-D convolution (cross-correlation).

    x [N, C, L], weight [M, C / groups, k], bias [M] -> [N, M, L']
    """

    _function = "conv1d"

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        padding_mode: str = "zeros",
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCL",
    ) -> None:
        super().__init__(
            1,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            weight_attr,
            bias_attr,
            data_format,
            padding_mode,
        )


class Conv2D(_Conv):
    """2-D convolution (cross-correlation).

    x [N, C, H, W], weight [M, C / groups, kH, kW], bias [M] -> [N, M, H', W']
    """

    _function = "conv2d"

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        padding_mode: str = "zeros",
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__(
            2,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            weight_attr,
            bias_attr,
            data_format,
            padding_mode,
        )


class Conv3D(_Conv):
    """3-D convolution (cross-correlation).

    x [N, C, D, H, W], weight [M, C / groups, kD, kH, kW], bias [M] -> [N, M, D', H', W']
    """

    _function = "conv3d"

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        padding_mode: str = "zeros",
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCDHW",
    ) -> None:
        super().__init__(
            3,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            weight_attr,
            bias_attr,
            data_format,
            padding_mode,
        )


class _ConvTranspose(_Conv):
    """Base of the transposed convolutions."""

    def forward(self, x: Tensor, output_size: Any = None) -> Tensor:
        """Compute the output of the layer; the docstring of its class describes the shapes.

        output_size: the spatial size, where the stride allows several
        """
        output_padding = self.output_padding if output_size is None else 0
        out: Tensor = getattr(F, self._function)(
            x,
            self.weight,
            self.bias,
            self._stride,
            self._padding,
            output_padding,
            groups=self._groups,
            dilation=self._dilation,
            output_size=output_size,
            data_format=self._data_format,
        )
        return out


class Conv1DTranspose(_ConvTranspose):
    """1-D transposed convolution: the adjoint of Conv1D.

    x [N, C, L], weight [C, M / groups, k], bias [M] -> [N, M, L']
    """

    _function = "conv1d_transpose"

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        dilation: Any = 1,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCL",
    ) -> None:
        super().__init__(
            1,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            weight_attr,
            bias_attr,
            data_format,
            transposed=True,
            output_padding=output_padding,
        )


class Conv2DTranspose(_ConvTranspose):
    """2-D transposed convolution: the adjoint of Conv2D.

    x [N, C, H, W], weight [C, M / groups, kH, kW], bias [M] -> [N, M, H', W']
    """

    _function = "conv2d_transpose"

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__(
            2,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            weight_attr,
            bias_attr,
            data_format,
            transposed=True,
            output_padding=output_padding,
        )


class Conv3DTranspose(_ConvTranspose):
    """3-D transposed convolution: the adjoint of Conv3D.

    x [N, C, D, H, W], weight [C, M / groups, kD, kH, kW], bias [M] -> [N, M, D', H', W']
    """

    _function = "conv3d_transpose"

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCDHW",
    ) -> None:
        super().__init__(
            3,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            weight_attr,
            bias_attr,
            data_format,
            transposed=True,
            output_padding=output_padding,
        )
