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
from .type_aliases import Ints, OutputSize, Padding, ParamAttrLike

__all__ = ["Conv1D", "Conv1DTranspose", "Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose"]


def _padded_input_and_conv_padding(layer: Any, x: Tensor) -> tuple[Tensor, Any]:
    """Return the input and the padding argument of the convolution op. If the `_padding_mode` of
    the layer is not "zeros", the input is x after padding, and the padding argument is 0.
    """
    if layer._padding_mode == "zeros":
        return x, layer._padding
    if isinstance(layer._padding, str):
        name = type(layer).__name__
        problem = f"padding={layer._padding!r} needs padding_mode='zeros'; pass numbers"
        raise OpError(append_user_line(f"{name}: {problem}"))
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
        kernel_size: Ints,
        stride: Ints,
        padding: Padding,
        dilation: Ints,
        groups: int,
        weight_attr: ParamAttrLike | None,
        bias_attr: ParamAttrLike | None,
        data_format: str,
        padding_mode: str = "zeros",
        transposed: bool = False,
        output_padding: Ints = 0,
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
        return convolve_with_settings_of_layer(self, getattr(F, self._function), x, self.weight)

    def extra_repr(self) -> str:
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
    """1-D convolution (cross-correlation) of a batch of sequences.

    out[n, o] = bias[o] + sum over i of weight[o, i] * x[n, i]

    Parameters
    ----------
    in_channels, out_channels : int
        Channels of the input and of the result; both are multiples of `groups`.
    kernel_size : int or [int]
        Length of the filter.
    stride : int or [int], default 1
    padding : int, sequence of int or of pairs, "SAME" or "VALID", default 0
        One int for both ends, or [before, after].
        Pairs (before, after) for the spatial axes or for all 3 axes of `data_format` are accepted
        too; those of N and C are ignored. No size is negative. "VALID" is 0. "SAME":
        ceil(L / stride) results per axis; the end gets the odd element; `dilation` counts as 1.
    dilation : int or [int], default 1
        Distance between neighboring elements of the filter.
    groups : int, default 1
        Each group of output channels sees only its group of input channels; ``groups=in_channels``
        is a depthwise convolution.
    padding_mode : "zeros", "reflect", "replicate" or "circular", default "zeros"
        The values in the padding. For all but "zeros", `padding` is an int or [int].
    weight_attr, bias_attr : ParamAttr, Initializer, str or bool, optional
        Initialization, name and regularizer of the parameters; a str is a name. ``False`` for
        `bias_attr`: no bias. By default the weight starts from Normal(0, sqrt(2 / fan_in)) with
        fan_in = in_channels * kernel size (He et al. 2015), the bias from 0.
    data_format : "NCL" or "NLC", default "NCL"

    Attributes
    ----------
    weight : Parameter [out_channels, in_channels / groups, k]
    bias : Parameter [out_channels], or None

    Shape
    -----
    x : [N, in_channels, L], float16 | bfloat16 | float32 | float64
    returns : [N, out_channels, L'], dtype of x, with
        L' = (L + padding at both ends - dilation * (kernel - 1) - 1) // stride + 1

    With ``data_format="NLC"`` the channels are the last axis of both.

    Raises
    ------
    OpError
        If `groups` does not divide both numbers of channels, `padding_mode` is unknown, a list has
        a wrong length, or in a call, if the shape or the dtype of x does not fit or the filter is
        larger than the padded input.

    See Also
    --------
    paddle.nn.functional.conv1d : The same with given weights.

    Examples
    --------
    >>> conv = nn.Conv1D(3, 8, 3, padding=1)
    >>> conv(paddle.zeros([2, 3, 100])).shape
    [2, 8, 100]
    >>> conv.weight.shape, conv.bias.shape
    ([8, 3, 3], [8])
    """

    _function = "conv1d"

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Ints,
        stride: Ints = 1,
        padding: Padding = 0,
        dilation: Ints = 1,
        groups: int = 1,
        padding_mode: str = "zeros",
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
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
    """2-D convolution (cross-correlation) of a batch of images.

    out[n, o] = bias[o] + sum over i of weight[o, i] * x[n, i]

    Parameters
    ----------
    in_channels, out_channels : int
        Channels of the input and of the result; both are multiples of `groups`.
    kernel_size : int or (int, int)
        Height and width of the filter.
    stride : int or (int, int), default 1
    padding : int, sequence of int or of pairs, "SAME" or "VALID", default 0
        One int for all sides, (vertical, horizontal) or [top, bottom, left, right].
        Pairs (before, after) for the spatial axes or for all 4 axes of `data_format` are accepted
        too; those of N and C are ignored. No size is negative. "VALID" is 0. "SAME":
        ceil(H / stride) results per axis; the end gets the odd element; `dilation` counts as 1.
    dilation : int or (int, int), default 1
        Distance between neighboring elements of the filter.
    groups : int, default 1
        Each group of output channels sees only its group of input channels; ``groups=in_channels``
        is a depthwise convolution.
    padding_mode : "zeros", "reflect", "replicate" or "circular", default "zeros"
        The values in the padding. For all but "zeros", `padding` is an int or 2 ints.
    weight_attr, bias_attr : ParamAttr, Initializer, str or bool, optional
        Initialization, name and regularizer of the parameters; a str is a name. ``False`` for
        `bias_attr`: no bias. By default the weight starts from Normal(0, sqrt(2 / fan_in)) with
        fan_in = in_channels * kernel height * kernel width (He et al. 2015), the bias from 0.
    data_format : "NCHW" or "NHWC", default "NCHW"

    Attributes
    ----------
    weight : Parameter [out_channels, in_channels / groups, kH, kW]
    bias : Parameter [out_channels], or None

    Shape
    -----
    x : [N, in_channels, H, W], float16 | bfloat16 | float32 | float64
    returns : [N, out_channels, H', W'], dtype of x, with
        H' = (H + padding at both ends - dilation * (kernel - 1) - 1) // stride + 1 (W' likewise)

    With ``data_format="NHWC"`` the channels are the last axis of both.

    Raises
    ------
    OpError
        If `groups` does not divide both numbers of channels, `padding_mode` is unknown, a list has
        a wrong length, or in a call, if the shape or the dtype of x does not fit or the filter is
        larger than the padded input.

    See Also
    --------
    paddle.nn.functional.conv2d : The same with given weights.

    Examples
    --------
    >>> conv = nn.Conv2D(3, 8, 3, stride=2, padding=1)
    >>> conv(paddle.zeros([2, 3, 32, 32])).shape
    [2, 8, 16, 16]
    >>> conv.weight.shape, conv.bias.shape
    ([8, 3, 3, 3], [8])
    >>> depthwise = nn.Conv2D(8, 8, 3, padding="SAME", groups=8, bias_attr=False)
    >>> depthwise(paddle.zeros([2, 8, 16, 16])).shape
    [2, 8, 16, 16]
    """

    _function = "conv2d"

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Ints,
        stride: Ints = 1,
        padding: Padding = 0,
        dilation: Ints = 1,
        groups: int = 1,
        padding_mode: str = "zeros",
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
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
    """3-D convolution (cross-correlation) of a batch of volumes.

    out[n, o] = bias[o] + sum over i of weight[o, i] * x[n, i]

    Parameters
    ----------
    in_channels, out_channels : int
        Channels of the input and of the result; both are multiples of `groups`.
    kernel_size : int or (int, int, int)
        Depth, height and width of the filter.
    stride : int or (int, int, int), default 1
    padding : int, sequence of int or of pairs, "SAME" or "VALID", default 0
        One int for all sides, (depth, height, width) or [front, back, top, bottom, left, right].
        Pairs (before, after) for the spatial axes or for all 5 axes of `data_format` are accepted
        too; those of N and C are ignored. "VALID" is 0. "SAME":
        ceil(D / stride) results per axis; the end gets the odd element; `dilation` counts as 1.
    dilation : int or (int, int, int), default 1
        Distance between neighboring elements of the filter.
    groups : int, default 1
        Each group of output channels sees only its group of input channels; ``groups=in_channels``
        is a depthwise convolution.
    padding_mode : "zeros", "reflect", "replicate" or "circular", default "zeros"
        The values in the padding. For all but "zeros", `padding` is an int or 3 ints.
    weight_attr, bias_attr : ParamAttr, Initializer, str or bool, optional
        Initialization, name and regularizer of the parameters; a str is a name. ``False`` for
        `bias_attr`: no bias. By default the weight starts from Normal(0, sqrt(2 / fan_in)) with
        fan_in = in_channels * kernel volume (He et al. 2015), the bias from 0.
    data_format : "NCDHW" or "NDHWC", default "NCDHW"

    Attributes
    ----------
    weight : Parameter [out_channels, in_channels / groups, kD, kH, kW]
    bias : Parameter [out_channels], or None

    Shape
    -----
    x : [N, in_channels, D, H, W], float16 | bfloat16 | float32 | float64
    returns : [N, out_channels, D', H', W'], dtype of x, with
        D' = (D + padding at both ends - dilation * (kernel - 1) - 1) // stride + 1
        (H', W' likewise)

    With ``data_format="NDHWC"`` the channels are the last axis of both.

    Raises
    ------
    OpError
        If `groups` does not divide both numbers of channels, `padding_mode` is unknown, a list has
        a wrong length, or in a call, if the shape or the dtype of x does not fit or the filter is
        larger than the padded input.

    See Also
    --------
    paddle.nn.functional.conv3d : The same with given weights.

    Examples
    --------
    >>> conv = nn.Conv3D(2, 4, 3, padding=1)
    >>> conv(paddle.zeros([1, 2, 4, 8, 8])).shape
    [1, 4, 4, 8, 8]
    >>> conv.weight.shape, conv.bias.shape
    ([4, 2, 3, 3, 3], [4])
    """

    _function = "conv3d"

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Ints,
        stride: Ints = 1,
        padding: Padding = 0,
        dilation: Ints = 1,
        groups: int = 1,
        padding_mode: str = "zeros",
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
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

    def forward(self, x: Tensor, output_size: OutputSize | None = None) -> Tensor:
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
    """1-D transposed convolution of a batch of sequences: the adjoint of a convolution.

    Each element of x adds the filter, multiplied by it, to the result; `stride` is the distance
    between the places in the result. With stride > 1 the layer enlarges its input.

    Parameters
    ----------
    in_channels, out_channels : int
        Channels of the input and of the result; both are multiples of `groups`.
    kernel_size : int or [int]
        Length of the filter.
    stride : int or [int], default 1
    padding : int, sequence of int or of pairs, "SAME" or "VALID", default 0
        The padding of the convolution that this is the adjoint of: it is cut off the result.
        One int for both ends, or [before, after].
        Pairs (before, after) for the spatial axes or for all 3 axes of `data_format` are accepted
        too; those of N and C are ignored. "VALID" is 0. "SAME" takes the padding of a
        convolution of x with this stride, with `dilation` as 1.
    output_padding : int or [int], default 0
        Elements added at the end of each axis of the result; smaller than `stride`.
    groups : int, default 1
        Each group of output channels sees only its group of input channels.
    dilation : int or [int], default 1
        Distance between neighboring elements of the filter.
    weight_attr, bias_attr : ParamAttr, Initializer, str or bool, optional
        Initialization, name and regularizer of the parameters; a str is a name. ``False`` for
        `bias_attr`: no bias. By default the weight starts from Xavier uniform, the bias from 0.
    data_format : "NCL" or "NLC", default "NCL"

    Attributes
    ----------
    weight : Parameter [in_channels, out_channels / groups, k]
    bias : Parameter [out_channels], or None

    Shape
    -----
    x : [N, in_channels, L], float16 | bfloat16 | float32 | float64
    output_size : int or [int], optional
        Spatial size of the result instead of that by `output_padding`: between the size
        for an output padding of 0 and that size + stride - 1.
    returns : [N, out_channels, L'], dtype of x, with
        L' = (L - 1) * stride - padding at both ends + dilation * (kernel - 1) + 1
        + output_padding

    With ``data_format="NLC"`` the channels are the last axis of both.

    Raises
    ------
    OpError
        If `groups` does not divide both numbers of channels, a list has a wrong length, or in a
        call, if `output_padding` is too large, `output_size` is not possible, or the shape or the
        dtype of x does not fit.

    See Also
    --------
    paddle.nn.functional.conv1d_transpose : The same with given weights.

    Examples
    --------
    >>> up = nn.Conv1DTranspose(4, 2, 3, stride=2, padding=1)
    >>> x = paddle.zeros([1, 4, 5])
    >>> up(x).shape, up(x, output_size=10).shape
    ([1, 2, 9], [1, 2, 10])
    >>> up.weight.shape
    [4, 2, 3]
    """

    _function = "conv1d_transpose"

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Ints,
        stride: Ints = 1,
        padding: Padding = 0,
        output_padding: Ints = 0,
        groups: int = 1,
        dilation: Ints = 1,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
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
    """2-D transposed convolution of a batch of images: the adjoint of a convolution.

    Each element of x adds the filter, multiplied by it, to the result; `stride` is the distance
    between the places in the result. With stride > 1 the layer enlarges its input.

    Parameters
    ----------
    in_channels, out_channels : int
        Channels of the input and of the result; both are multiples of `groups`.
    kernel_size : int or (int, int)
        Height and width of the filter.
    stride : int or (int, int), default 1
    padding : int, sequence of int or of pairs, "SAME" or "VALID", default 0
        The padding of the convolution that this is the adjoint of: it is cut off the result.
        One int for all sides, (vertical, horizontal) or [top, bottom, left, right].
        Pairs (before, after) for the spatial axes or for all 4 axes of `data_format` are accepted
        too; those of N and C are ignored. "VALID" is 0. "SAME" takes the padding of a
        convolution of x with this stride, with `dilation` as 1.
    output_padding : int or (int, int), default 0
        Elements added at the end of each axis of the result; smaller than `stride`.
    dilation : int or (int, int), default 1
        Distance between neighboring elements of the filter.
    groups : int, default 1
        Each group of output channels sees only its group of input channels.
    weight_attr, bias_attr : ParamAttr, Initializer, str or bool, optional
        Initialization, name and regularizer of the parameters; a str is a name. ``False`` for
        `bias_attr`: no bias. By default the weight starts from Xavier uniform, the bias from 0.
    data_format : "NCHW" or "NHWC", default "NCHW"

    Attributes
    ----------
    weight : Parameter [in_channels, out_channels / groups, kH, kW]
    bias : Parameter [out_channels], or None

    Shape
    -----
    x : [N, in_channels, H, W], float16 | bfloat16 | float32 | float64
    output_size : int or (int, int), optional
        Spatial size of the result instead of that by `output_padding`: between the size
        for an output padding of 0 and that size + stride - 1.
    returns : [N, out_channels, H', W'], dtype of x, with
        H' = (H - 1) * stride - padding at both ends + dilation * (kernel - 1) + 1
        + output_padding (W' likewise)

    With ``data_format="NHWC"`` the channels are the last axis of both.

    Raises
    ------
    OpError
        If `groups` does not divide both numbers of channels, a list has a wrong length, or in a
        call, if `output_padding` is too large, `output_size` is not possible, or the shape or the
        dtype of x does not fit.

    See Also
    --------
    paddle.nn.functional.conv2d_transpose : The same with given weights.

    Examples
    --------
    >>> up = nn.Conv2DTranspose(4, 2, 3, stride=2, padding=1)
    >>> x = paddle.zeros([1, 4, 5, 5])
    >>> up(x).shape, up(x, output_size=[10, 10]).shape
    ([1, 2, 9, 9], [1, 2, 10, 10])
    >>> up.weight.shape
    [4, 2, 3, 3]
    """

    _function = "conv2d_transpose"

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Ints,
        stride: Ints = 1,
        padding: Padding = 0,
        output_padding: Ints = 0,
        dilation: Ints = 1,
        groups: int = 1,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
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
    """3-D transposed convolution of a batch of volumes: the adjoint of a convolution.

    Each element of x adds the filter, multiplied by it, to the result; `stride` is the distance
    between the places in the result. With stride > 1 the layer enlarges its input.

    Parameters
    ----------
    in_channels, out_channels : int
        Channels of the input and of the result; both are multiples of `groups`.
    kernel_size : int or (int, int, int)
        Depth, height and width of the filter.
    stride : int or (int, int, int), default 1
    padding : int, sequence of int or of pairs, "SAME" or "VALID", default 0
        The padding of the convolution that this is the adjoint of: it is cut off the result.
        One int for all sides, (depth, height, width) or [front, back, top, bottom, left, right].
        Pairs (before, after) for the spatial axes or for all 5 axes of `data_format` are accepted
        too; those of N and C are ignored. "VALID" is 0. "SAME" takes the padding of a
        convolution of x with this stride, with `dilation` as 1.
    output_padding : int or (int, int, int), default 0
        Elements added at the end of each axis of the result; smaller than `stride`.
    dilation : int or (int, int, int), default 1
        Distance between neighboring elements of the filter.
    groups : int, default 1
        Each group of output channels sees only its group of input channels.
    weight_attr, bias_attr : ParamAttr, Initializer, str or bool, optional
        Initialization, name and regularizer of the parameters; a str is a name. ``False`` for
        `bias_attr`: no bias. By default the weight starts from Xavier uniform, the bias from 0.
    data_format : "NCDHW" or "NDHWC", default "NCDHW"

    Attributes
    ----------
    weight : Parameter [in_channels, out_channels / groups, kD, kH, kW]
    bias : Parameter [out_channels], or None

    Shape
    -----
    x : [N, in_channels, D, H, W], float16 | bfloat16 | float32 | float64
    output_size : int or (int, int, int), optional
        Spatial size of the result instead of that by `output_padding`: between the size
        for an output padding of 0 and that size + stride - 1.
    returns : [N, out_channels, D', H', W'], dtype of x, with
        D' = (D - 1) * stride - padding at both ends + dilation * (kernel - 1) + 1
        + output_padding (H', W' likewise)

    With ``data_format="NDHWC"`` the channels are the last axis of both.

    Raises
    ------
    OpError
        If `groups` does not divide both numbers of channels, a list has a wrong length, or in a
        call, if `output_padding` is too large, `output_size` is not possible, or the shape or the
        dtype of x does not fit.

    See Also
    --------
    paddle.nn.functional.conv3d_transpose : The same with given weights.

    Examples
    --------
    >>> up = nn.Conv3DTranspose(4, 2, 3, stride=2, padding=1)
    >>> x = paddle.zeros([1, 4, 3, 3, 3])
    >>> up(x).shape, up(x, output_size=6).shape
    ([1, 2, 5, 5, 5], [1, 2, 6, 6, 6])
    >>> up.weight.shape
    [4, 2, 3, 3, 3]
    """

    _function = "conv3d_transpose"

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Ints,
        stride: Ints = 1,
        padding: Padding = 0,
        output_padding: Ints = 0,
        dilation: Ints = 1,
        groups: int = 1,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
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
