"""Fake-quantize layers and quantized layers of the older interface, `ImperativeQuantAware`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core import unique_name
from ...core.errors import OpError, append_user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.tensor import Tensor
from ...core.type_aliases import DTypeLike
from ...tensor import linalg
from .. import functional as F
from ..conv import convolve_with_settings_of_layer
from ..layer import Layer
from .format import require_bit_length
from .moving_average import (
    INITIAL_SCALE,
    INITIAL_SUM,
    create_moving_average_parameters,
    create_untrained_parameter,
    fake_quantize_with_moving_average,
    has_initial_moving_average,
    update_moving_average_and_return_input,
)

__all__ = [
    "FakeQuantAbsMax",
    "FakeQuantChannelWiseAbsMax",
    "FakeQuantMAOutputScaleLayer",
    "FakeQuantMovingAverageAbsMax",
    "MAOutputScaleLayer",
    "MovingAverageAbsMaxScale",
    "QuantStub",
    "QuantizedConv2D",
    "QuantizedConv2DTranspose",
    "QuantizedLinear",
    "QuantizedMatmul",
]

LINEAR_CHANNEL_AXIS = CONV_TRANSPOSE_CHANNEL_AXIS = 1
CONV_CHANNEL_AXIS = 0


def _require_no_cross_process_reduction(owner: str, reduce_type: str | None) -> None:
    if reduce_type is not None:
        raise OpError(
            append_user_line(
                f"{owner}: reduce_type={reduce_type!r} is not supported: scales are those of one "
                f"process"
            )
        )


class FakeQuantAbsMax(Layer):
    """Quantize and dequantize with the scale max |x| of each call; the gradient passes through.

    Parameters
    ----------
    name : str, optional
        Prefix of the name of the parameter `_scale`.
    quant_bits : int, default 8
        From 2 to 16.
    dtype : str, default "float32"
    quant_on_weight : bool, default False
        Whether the last scale is stored as the parameter `_scale` [1].
    reduce_type : None

    Shape
    -----
    x : [*]
    returns : [*]

    Examples
    --------
    >>> layer = nn.quant.quant_layers.FakeQuantAbsMax(quant_bits=2)  # the levels -1, 0 and 1
    >>> layer(paddle.to_tensor([0.2, -1.0, 0.7])).tolist()
    [0.0, -1.0, 1.0]
    """

    def __init__(
        self,
        name: str | None = None,
        quant_bits: int = 8,
        dtype: DTypeLike = "float32",
        quant_on_weight: bool = False,
        reduce_type: str | None = None,
    ) -> None:
        super().__init__()
        _require_no_cross_process_reduction("FakeQuantAbsMax", reduce_type)
        self._quant_bits = require_bit_length("FakeQuantAbsMax", quant_bits)
        prefix = name or "quant_dequant"
        self._scale: Any = None
        if quant_on_weight:
            self._scale = create_untrained_parameter(self, prefix, "scale", [1], 0.001, dtype)
        else:
            unique_name.generate(f"{prefix}.scale")  # Paddle reserves the name

    def forward(self, input: Tensor) -> Tensor:
        op = OPS["fake_quantize_dequantize_abs_max"]
        out, scale = op(input, bit_length=self._quant_bits)
        _store_scale(self._scale, scale)
        result: Tensor = out
        return result


def _store_scale(parameter: Any, scale: Tensor) -> None:
    """Assign the scale of a call to `parameter`, if there is one; do nothing while a program is
    recorded.
    """
    if parameter is not None and not state.mode.static:
        parameter.array = scale.array


class FakeQuantMovingAverageAbsMax(Layer):
    """Quantize and dequantize with a moving average of max |x|; the gradient passes through.

    In training mode, `_state` = moving_rate * `_state` + 1, `_accum` = moving_rate * `_accum` +
    max |x|, `_scale` = `_accum` / `_state`. In evaluation mode `_scale` stays as it is.

    Parameters
    ----------
    name : str, optional
        Prefix of the names of the parameters.
    moving_rate : float, default 0.9
    quant_bits : int, default 8
        From 2 to 16.
    dtype : str, default "float32"
    reduce_type : None

    Shape
    -----
    x : [*]
    returns : [*]

    Examples
    --------
    >>> layer = nn.quant.quant_layers.FakeQuantMovingAverageAbsMax()
    >>> _ = layer(paddle.to_tensor([-2.0, 1.0]))
    >>> round(layer._scale.item(), 4)  # (0.9 * 1 + 2) / (0.9 * 1 + 1)
    1.5263
    """

    def __init__(
        self,
        name: str | None = None,
        moving_rate: float = 0.9,
        quant_bits: int = 8,
        dtype: DTypeLike = "float32",
        reduce_type: str | None = None,
    ) -> None:
        super().__init__()
        _require_no_cross_process_reduction("FakeQuantMovingAverageAbsMax", reduce_type)
        self._moving_rate = moving_rate
        self._quant_bits = require_bit_length("FakeQuantMovingAverageAbsMax", quant_bits)
        self._scale, self._state, self._accum = create_moving_average_parameters(
            self, name or "quant_dequant", scale=INITIAL_SCALE, sums=INITIAL_SUM, dtype=dtype
        )

    def forward(self, input: Tensor) -> Tensor:
        return fake_quantize_with_moving_average(self, input, self._moving_rate, self._quant_bits)

    @property
    def is_untrained(self) -> bool:
        """Whether no call in training mode has changed the scale yet, a bool.

        Examples
        --------
        >>> layer = nn.quant.quant_layers.FakeQuantMovingAverageAbsMax()
        >>> before = layer.is_untrained
        >>> _ = layer(paddle.ones([2]))
        >>> before, layer.is_untrained
        (True, False)
        """
        return has_initial_moving_average(self)


class FakeQuantChannelWiseAbsMax(Layer):
    """Quantize and dequantize each slice of a weight with its largest absolute value.

    Parameters
    ----------
    name : str, optional
        Prefix of the name of the parameter `_scale` [channel_num].
    channel_num : int
        Number of slices.
    quant_bits : int, default 8
        From 2 to 16.
    quant_axis : 0 or 1, default 0
    dtype : str, default "float32"
    quant_on_weight : True
    reduce_type : None

    Shape
    -----
    x : [*] with `channel_num` slices along `quant_axis`
    returns : [*]

    Examples
    --------
    >>> layer = nn.quant.quant_layers.FakeQuantChannelWiseAbsMax(
    ...     channel_num=2, quant_on_weight=True
    ... )
    >>> _ = layer(paddle.to_tensor([[0.5, -2.0], [3.0, 1.0]]))
    >>> layer._scale.tolist()
    [2.0, 3.0]
    """

    def __init__(
        self,
        name: str | None = None,
        channel_num: int | None = None,
        quant_bits: int = 8,
        quant_axis: int = 0,
        dtype: DTypeLike = "float32",
        quant_on_weight: bool = False,
        reduce_type: str | None = None,
    ) -> None:
        super().__init__()
        owner = "FakeQuantChannelWiseAbsMax"
        _require_no_cross_process_reduction(owner, reduce_type)
        if not quant_on_weight or channel_num is None:
            raise OpError(
                append_user_line(
                    f"{owner}: quantizes weights only; give quant_on_weight=True and channel_num "
                    f"(quant_on_weight={quant_on_weight}, channel_num={channel_num})"
                )
            )
        self._quant_bits = require_bit_length(owner, quant_bits)
        self._quant_axis = quant_axis
        self._scale = create_untrained_parameter(
            self, name or "quant_dequant", "scale", [channel_num], 0.0, dtype
        )

    def forward(self, input: Tensor) -> Tensor:
        out, scale = OPS["fake_channel_wise_quantize_dequantize_abs_max"](
            input, bit_length=self._quant_bits, quant_axis=self._quant_axis
        )
        _store_scale(self._scale, scale)
        result: Tensor = out
        return result


class MovingAverageAbsMaxScale(Layer):
    """Return the input; in training mode, `_scale` is a moving average of max |x|.

    `FakeQuantMovingAverageAbsMax` has the formula; here `_scale`, `_state` and `_accum` start with
    0.

    Parameters
    ----------
    name : str, optional
        Prefix of the names of the parameters.
    moving_rate : float, default 0.9
    dtype : str, default "float32"
    reduce_type : None

    Shape
    -----
    x : [*]
    returns : [*]

    Examples
    --------
    >>> layer = nn.quant.QuantStub()
    >>> _ = layer(paddle.to_tensor([-2.0, 1.0]))
    >>> layer._scale.item()
    2.0
    """

    def __init__(
        self,
        name: str | None = None,
        moving_rate: float = 0.9,
        dtype: DTypeLike = "float32",
        reduce_type: str | None = None,
    ) -> None:
        super().__init__()
        _require_no_cross_process_reduction("MovingAverageAbsMaxScale", reduce_type)
        self._moving_rate = moving_rate
        self._scale, self._state, self._accum = create_moving_average_parameters(
            self, name or "outscale", scale=0.0, sums=0.0, dtype=dtype
        )

    def forward(self, input: Tensor) -> Tensor:
        return update_moving_average_and_return_input(self, input, self._moving_rate)


QuantStub = MovingAverageAbsMaxScale


class _QuantizedLayer(Layer):
    """Base of the layers with a fake-quantized input and weight.

    layer: the float layer; its parameters are shared.
    weight_quantize_type: "abs_max" or "channel_wise_abs_max".
    activation_quantize_type: "abs_max" or "moving_average_abs_max".
    weight_pre_layer, act_pre_layer: classes of layers that process weight and input before they are
    quantized.
    weight_quant_layer, act_quant_layer: classes of layers that replace the fake-quantize layers.
    """

    _channel_axis = 0

    def __init__(
        self,
        layer: Any,
        weight_bits: int = 8,
        activation_bits: int = 8,
        moving_rate: float = 0.9,
        weight_quantize_type: str = "abs_max",
        activation_quantize_type: str = "abs_max",
        weight_pre_layer: Callable[[], Layer] | None = None,
        act_pre_layer: Callable[[], Layer] | None = None,
        weight_quant_layer: Callable[[], Layer] | None = None,
        act_quant_layer: Callable[[], Layer] | None = None,
    ) -> None:
        super().__init__()
        self.weight = layer.weight
        self.bias = layer.bias
        self._fake_quant_weight = (
            weight_quant_layer()
            if weight_quant_layer is not None
            else create_fake_quant_layer(
                weight_quantize_type,
                name=self.weight.name,
                moving_rate=moving_rate,
                quant_bits=weight_bits,
                dtype=self._dtype,
                quant_on_weight=True,
                channel_num=self.weight.shape[self._channel_axis],
                quant_axis=self._channel_axis,
            )
        )
        self._fake_quant_input = (
            act_quant_layer()
            if act_quant_layer is not None
            else create_fake_quant_layer(
                activation_quantize_type,
                name=layer.full_name(),
                moving_rate=moving_rate,
                quant_bits=activation_bits,
                dtype=self._dtype,
            )
        )
        self._act_preprocess = None if act_pre_layer is None else act_pre_layer()
        self._weight_preprocess = None if weight_pre_layer is None else weight_pre_layer()
        self._copy_config(layer)

    def _copy_config(self, layer: Any) -> None:
        """Copy the arguments of the float layer `layer`, such as its stride, to this layer; the
        base class copies none.
        """

    def _quantize_operands(self, input: Tensor) -> tuple[Tensor, Tensor]:
        weight = self.weight
        if self._act_preprocess is not None:
            input = self._act_preprocess(input)
        if self._weight_preprocess is not None:
            weight = self._weight_preprocess(weight)
        return self._fake_quant_input(input), self._fake_quant_weight(weight)


class QuantizedConv2D(_QuantizedLayer):
    """`nn.Conv2D` with a fake-quantized input and weight, as `ImperativeQuantAware` creates it.

    Parameters
    ----------
    layer : nn.Conv2D
        Its parameters are shared, not copied.
    weight_bits, activation_bits : int, default 8
        From 2 to 16.
    moving_rate : float, default 0.9
        Decay rate of the average of "moving_average_abs_max".
    weight_quantize_type : "abs_max" or "channel_wise_abs_max", default "abs_max"
    activation_quantize_type : "abs_max" or "moving_average_abs_max", default "abs_max"
    weight_pre_layer, act_pre_layer : class of layers, optional
        Process weight and input before they are quantized.
    weight_quant_layer, act_quant_layer : class of layers, optional
        Replace the fake-quantize layers of weight and input.

    Shape
    -----
    x : [N, in_channels, H, W]
    returns : [N, out_channels, H', W'], as `nn.Conv2D`

    Examples
    --------
    >>> layer = nn.quant.quant_layers.QuantizedConv2D(nn.Conv2D(1, 2, 3))
    >>> layer(paddle.ones([1, 1, 8, 8])).shape
    [1, 2, 6, 6]
    """

    _channel_axis = CONV_CHANNEL_AXIS

    def _copy_config(self, layer: Any) -> None:
        self._groups, self._stride, self._dilation = layer._groups, layer._stride, layer._dilation
        self._padding, self._padding_mode = layer._padding, layer._padding_mode
        self._data_format = layer._data_format

    def forward(self, input: Tensor) -> Tensor:
        x, weight = self._quantize_operands(input)
        return convolve_with_settings_of_layer(self, F.conv2d, x, weight)


class QuantizedConv2DTranspose(_QuantizedLayer):
    """`nn.Conv2DTranspose` with a fake-quantized input and weight.

    Parameters
    ----------
    layer : nn.Conv2DTranspose
        Its parameters are shared, not copied.
    weight_bits, activation_bits : int, default 8
        From 2 to 16.
    moving_rate : float, default 0.9
        Decay rate of the average of "moving_average_abs_max".
    weight_quantize_type : "abs_max" or "channel_wise_abs_max", default "abs_max"
    activation_quantize_type : "abs_max" or "moving_average_abs_max", default "abs_max"
    weight_pre_layer, act_pre_layer : class of layers, optional
        Process weight and input before they are quantized.
    weight_quant_layer, act_quant_layer : class of layers, optional
        Replace the fake-quantize layers of weight and input.

    Shape
    -----
    x : [N, in_channels, H, W]
    returns : [N, out_channels, H', W'], as `nn.Conv2DTranspose`

    Examples
    --------
    >>> layer = nn.quant.quant_layers.QuantizedConv2DTranspose(nn.Conv2DTranspose(1, 2, 3))
    >>> layer(paddle.ones([1, 1, 8, 8])).shape
    [1, 2, 10, 10]
    """

    _channel_axis = CONV_TRANSPOSE_CHANNEL_AXIS

    def _copy_config(self, layer: Any) -> None:
        self._groups, self._stride, self._dilation = layer._groups, layer._stride, layer._dilation
        self._padding, self._output_padding = layer._padding, layer.output_padding
        self._data_format = layer._data_format

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        x, weight = self._quantize_operands(input)
        return F.conv2d_transpose(
            x,
            weight,
            bias=self.bias,
            padding=self._padding,
            output_padding=self._output_padding if output_size is None else 0,
            stride=self._stride,
            dilation=self._dilation,
            groups=self._groups,
            output_size=output_size,
            data_format=self._data_format,
        )


class QuantizedLinear(_QuantizedLayer):
    """`nn.Linear` with a fake-quantized input and weight.

    Parameters
    ----------
    layer : nn.Linear
        Its parameters are shared, not copied.
    weight_bits, activation_bits : int, default 8
        From 2 to 16.
    moving_rate : float, default 0.9
        Decay rate of the average of "moving_average_abs_max".
    weight_quantize_type : "abs_max" or "channel_wise_abs_max", default "abs_max"
    activation_quantize_type : "abs_max" or "moving_average_abs_max", default "abs_max"
    weight_pre_layer, act_pre_layer : class of layers, optional
        Process weight and input before they are quantized.
    weight_quant_layer, act_quant_layer : class of layers, optional
        Replace the fake-quantize layers of weight and input.

    Shape
    -----
    x : [*, in_features]
    returns : [*, out_features]

    Examples
    --------
    >>> layer = nn.quant.quant_layers.QuantizedLinear(nn.Linear(4, 2))
    >>> layer(paddle.ones([3, 4])).shape
    [3, 2]
    """

    _channel_axis = LINEAR_CHANNEL_AXIS

    def _copy_config(self, layer: Any) -> None:
        self.name = layer.name

    def forward(self, input: Tensor) -> Tensor:
        x, weight = self._quantize_operands(input)
        return F.linear(x, weight, self.bias)


class QuantizedMatmul(Layer):
    """`paddle.matmul` of two fake-quantized inputs.

    Parameters
    ----------
    layer : Layer, optional
        Has no effect.
    weight_bits : int, default 8
        Has no effect: there is no weight.
    activation_bits : int, default 8
        From 2 to 16.
    moving_rate : float, default 0.9
        Decay rate of the average of "moving_average_abs_max".
    weight_quantize_type : str, default "abs_max"
        Has no effect.
    activation_quantize_type : "abs_max" or "moving_average_abs_max", default "abs_max"
    weight_pre_layer : class of layers, optional
        Has no effect.
    act_pre_layer : class of layers, optional
        Processes inputs before they are quantized.
    weight_quant_layer : class of layers, optional
        Has no effect.
    act_quant_layer : class of layers, optional
        Replaces the fake-quantize layers.

    Shape
    -----
    x : [*, M, K], or [*, K, M] with ``transpose_x=True``, float
    y : [*, K, N], or [*, N, K] with ``transpose_y=True``, float
    returns : [*, M, N], dtype of x

    Examples
    --------
    >>> product = nn.quant.quant_layers.QuantizedMatmul(activation_bits=2)  # levels -1, 0 and 1
    >>> product(paddle.to_tensor([[1.0, 0.2]]), paddle.to_tensor([[3.0], [2.0]])).tolist()
    [[3.0]]
    """

    def __init__(
        self,
        layer: Any = None,
        weight_bits: int = 8,
        activation_bits: int = 8,
        moving_rate: float = 0.9,
        weight_quantize_type: str = "abs_max",
        activation_quantize_type: str = "abs_max",
        weight_pre_layer: Callable[[], Layer] | None = None,
        act_pre_layer: Callable[[], Layer] | None = None,
        weight_quant_layer: Callable[[], Layer] | None = None,
        act_quant_layer: Callable[[], Layer] | None = None,
    ) -> None:
        super().__init__()

        def create() -> Layer:
            if act_quant_layer is not None:
                custom: Layer = act_quant_layer()
                return custom
            return create_fake_quant_layer(
                activation_quantize_type, moving_rate=moving_rate, quant_bits=activation_bits
            )

        self._fake_quant_x, self._fake_quant_y = create(), create()
        self._act_preprocess_x = None if act_pre_layer is None else act_pre_layer()
        self._act_preprocess_y = None if act_pre_layer is None else act_pre_layer()

    def forward(
        self,
        x: Tensor,
        y: Tensor,
        transpose_x: bool = False,
        transpose_y: bool = False,
        name: str | None = None,
    ) -> Tensor:
        """Return the matrix product of the fake-quantized inputs.

        Parameters
        ----------
        x : Tensor [*, M, K], or [*, K, M] with `transpose_x`, float
        y : Tensor [*, K, N], or [*, N, K] with `transpose_y`, float
        transpose_x, transpose_y : bool, default False
        name : str, optional
            Not used.

        Returns
        -------
        Tensor [*, M, N], dtype of x

        Examples
        --------
        >>> product = nn.quant.quant_layers.QuantizedMatmul()
        >>> product(paddle.ones([2, 3]), paddle.ones([4, 3]), transpose_y=True).shape
        [2, 4]
        """
        x = x if self._act_preprocess_x is None else self._act_preprocess_x(x)
        y = y if self._act_preprocess_y is None else self._act_preprocess_y(y)
        return linalg.matmul(
            self._fake_quant_x(x), self._fake_quant_y(y), transpose_x, transpose_y, name
        )


class MAOutputScaleLayer(Layer):
    """Call a layer; in training mode, store a moving average of max |output|.

    A list, tuple or dict is returned without being observed.

    Parameters
    ----------
    layer : Layer
    moving_rate : float, default 0.9
    name : str, optional
        Prefix of the names of the parameters; default: `layer.full_name()`.
    dtype : str, default "float32"
    reduce_type : None

    Examples
    --------
    >>> layer = nn.quant.quant_layers.MAOutputScaleLayer(nn.ReLU())
    >>> _ = layer(paddle.to_tensor([-2.0, 1.0]))
    >>> layer._ma_output_scale._scale.item()
    1.0
    """

    def __init__(
        self,
        layer: Any = None,
        moving_rate: float = 0.9,
        name: str | None = None,
        dtype: DTypeLike = "float32",
        reduce_type: str | None = None,
    ) -> None:
        super().__init__()
        self._layer = layer
        self._ma_output_scale = MovingAverageAbsMaxScale(
            layer.full_name() if name is None else name, moving_rate, dtype, reduce_type
        )

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        out = self._layer(*inputs, **kwargs)
        return out if isinstance(out, list | tuple | dict) else self._ma_output_scale(out)


class FakeQuantMAOutputScaleLayer(Layer):
    """Call a layer, and fake-quantize its output with a moving average of max |output|.

    Several outputs are returned without being quantized.

    Parameters
    ----------
    layer : Layer
    weight_bits : int, default 8
        Has no effect.
    activation_bits : int, default 8
        From 2 to 16.
    moving_rate : float, default 0.9
    name : str, optional
        Prefix of the names of the parameters; default: `layer.full_name()`.
    reduce_type : None
    *args, **kwargs : Any
        Not used.

    Examples
    --------
    >>> layer = nn.quant.quant_layers.FakeQuantMAOutputScaleLayer(nn.quant.add())
    >>> layer(paddle.ones([2]), paddle.ones([2])).shape
    [2]
    """

    def __init__(
        self,
        layer: Any,
        weight_bits: int = 8,
        activation_bits: int = 8,
        moving_rate: float = 0.9,
        name: str | None = None,
        reduce_type: str | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        _require_no_cross_process_reduction("FakeQuantMAOutputScaleLayer", reduce_type)
        self._layer = layer
        self._fake_quant_output = create_fake_quant_layer(
            "moving_average_abs_max",
            name=layer.full_name() if name is None else name,
            moving_rate=moving_rate,
            quant_bits=activation_bits,
            dtype=self._dtype,
        )

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        out = self._layer(*inputs, **kwargs)
        return (
            out if isinstance(out, list | tuple) and len(out) > 1 else self._fake_quant_output(out)
        )


def create_fake_quant_layer(
    quant_type: str,
    *,
    name: str | None = None,
    moving_rate: float = 0.9,
    quant_bits: int = 8,
    dtype: DTypeLike = "float32",
    quant_on_weight: bool = False,
    channel_num: int | None = None,
    quant_axis: int = 0,
) -> Layer:
    """Create the fake-quantize layer of "abs_max", "moving_average_abs_max" or
    "channel_wise_abs_max".
    """
    if quant_type == "abs_max":
        return FakeQuantAbsMax(name, quant_bits, dtype, quant_on_weight)
    if quant_type == "moving_average_abs_max":
        return FakeQuantMovingAverageAbsMax(name, moving_rate, quant_bits, dtype)
    if quant_type == "channel_wise_abs_max":
        return FakeQuantChannelWiseAbsMax(
            name, channel_num, quant_bits, quant_axis, dtype, quant_on_weight
        )
    raise OpError(
        append_user_line(
            f"quantization: the type {quant_type!r} is none of 'abs_max', "
            f"'moving_average_abs_max', 'channel_wise_abs_max'"
        )
    )
