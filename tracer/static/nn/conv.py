"""Convolutions."""

from __future__ import annotations

from typing import Any

from ...capture.variable import Variable
from ...core.errors import OpError, append_user_line
from ...core.op import OPS
from ...core.operand_checks import check_tensors
from ...core.tensor import Tensor
from ...nn.conv_filters import he_normal_initializer, require_valid_groups
from ...nn.functional.conv import is_channels_last, padding_attrs, to_int_list_of_length
from ...nn.type_aliases import Ints, Padding, ParamAttrLike
from .helper import LayerHelper, require_static_size


class _ConvConfig:
    """The validated arguments of a convolution, and the attributes of its op."""

    def __init__(
        self,
        op_type: str,
        x: Tensor,
        rank: int,
        stride: Ints,
        padding: Padding,
        dilation: Ints,
        groups: Any,
        data_format: str,
    ) -> None:
        check_tensors(x)
        if x.ndim != rank + 2:
            raise OpError(append_user_line(f"{op_type}: X must have {rank + 2} axes (X={x.meta})"))
        if data_format not in (("NCHW", "NHWC") if rank == 2 else ("NCDHW", "NDHWC")):
            raise OpError(append_user_line(f"{op_type}: unknown data_format={data_format!r}"))
        self.rank, self.channels_last = rank, is_channels_last(data_format)
        self.in_channels = require_static_size(op_type, x, rank + 1 if self.channels_last else 1)
        self.groups = require_valid_groups(op_type, groups, channels=self.in_channels)
        self.attrs = {
            "strides": to_int_list_of_length(stride, rank),
            "dilations": to_int_list_of_length(dilation, rank),
            "groups": self.groups,
            "data_format": (
                data_format if rank == 2 else ("NDHWC" if self.channels_last else "NCDHW")
            ),
            **padding_attrs(padding, rank, self.channels_last),
        }

    @property
    def bias_axis(self) -> int:
        """The axis of the channels in the output, along which the bias is added."""
        return self.rank + 1 if self.channels_last else 1


def _build_conv(
    op_type: str,
    rank: int,
    x: Tensor,
    num_filters: int,
    filter_size: Ints,
    config: _ConvConfig,
    attrs: tuple[Any, Any],
    act: Any,
    name: str | None,
) -> Variable:
    helper = LayerHelper(op_type, name, x)
    kernel = to_int_list_of_length(filter_size, rank)
    require_valid_groups(op_type, config.groups, num_filters=num_filters)
    initializer = he_normal_initializer(config.in_channels, kernel)
    with helper.prefixing_output_names():
        shape = [num_filters, config.in_channels // config.groups, *kernel]
        weight = helper.create_parameter(attrs[0], shape, x.dtype, default_initializer=initializer)
        out = OPS[op_type](x, weight, **config.attrs)
        return helper.activate(helper.add_bias(out, attrs[1], config.bias_axis, num_filters), act)


def conv2d(
    input: Tensor,
    num_filters: int,
    filter_size: Ints,
    stride: Ints = 1,
    padding: Padding = 0,
    dilation: Ints = 1,
    groups: int | None = None,
    param_attr: ParamAttrLike | None = None,
    bias_attr: ParamAttrLike | None = None,
    use_cudnn: bool = True,
    act: str | None = None,
    name: str | None = None,
    data_format: str = "NCHW",
) -> Variable:
    """2-D convolution in a static graph program, with parameters that it creates.

    out[n, o] = act(bias[o] + sum over i of filter[o, i] * input[n, i]), with the filter
    [num_filters, C / groups, kH, kW].

    Parameters
    ----------
    input : Variable [N, C, H, W], float16 | bfloat16 | float32 | float64
    num_filters : int
        Channels of the output.
    filter_size : int or (int, int)
    stride : int or (int, int), default 1
    padding : int, (int, int), list with a pair per axis, "SAME" or "VALID", default 0
    dilation : int or (int, int), default 1
    groups : int, optional
        Divides C and `num_filters`; by default 1.
    param_attr, bias_attr : ParamAttr, Initializer, str or False, optional
        Initialization, name and regularizer of the filter and the bias. ``bias_attr=False``: no
        bias. Default filters: Normal(0, sqrt(2 / fan_in)).
    use_cudnn : bool, default True
        Has no effect.
    act : str, optional
        Name of the activation, such as "relu"; by default none.
    name : str, optional
        Prefix of the names of parameters and outputs.
    data_format : "NCHW" or "NHWC", default "NCHW"

    Returns
    -------
    Variable [N, num_filters, H', W']
        H' = (H + pad_top + pad_bottom - dilation * (kernel - 1) - 1) // stride + 1, likewise for
        the other axes.

    Raises
    ------
    OarlockError
        In eager mode.
    TypeError
        If `input` is not a Variable.
    OpError
        If `input` has another rank or a dynamic number of channels, `groups` does not divide the
        channels, or `data_format` is unknown.

    See Also
    --------
    nn.Conv2D : the layer.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 3, 8, 8])
    ...     y = paddle.static.nn.conv2d(x, 4, 3, padding=1, act="relu")
    >>> y.shape
    (-1, 4, 8, 8)
    >>> paddle.disable_static()
    """
    config = _ConvConfig("conv2d", input, 2, stride, padding, dilation, groups, data_format)
    return _build_conv(
        "conv2d", 2, input, num_filters, filter_size, config, (param_attr, bias_attr), act, name
    )


def conv3d(
    input: Tensor,
    num_filters: int,
    filter_size: Ints,
    stride: Ints = 1,
    padding: Padding = 0,
    dilation: Ints = 1,
    groups: int | None = None,
    param_attr: ParamAttrLike | None = None,
    bias_attr: ParamAttrLike | None = None,
    use_cudnn: bool = True,
    act: str | None = None,
    name: str | None = None,
    data_format: str = "NCDHW",
) -> Variable:
    """3-D convolution in a static graph program, with parameters that it creates.

    out[n, o] = act(bias[o] + sum over i of filter[o, i] * input[n, i]), with the filter
    [num_filters, C / groups, kD, kH, kW].

    Parameters
    ----------
    input : Variable [N, C, D, H, W], float16 | bfloat16 | float32 | float64
    num_filters : int
        Channels of the output.
    filter_size : int or (int, int, int)
    stride : int or (int, int, int), default 1
    padding : int, (int, int, int), list with a pair per axis, "SAME" or "VALID", default 0
    dilation : int or (int, int, int), default 1
    groups : int, optional
        Divides C and `num_filters`; by default 1.
    param_attr, bias_attr : ParamAttr, Initializer, str or False, optional
        Initialization, name and regularizer of the filter and the bias. ``bias_attr=False``: no
        bias. Default filters: Normal(0, sqrt(2 / fan_in)).
    use_cudnn : bool, default True
        Has no effect.
    act : str, optional
        Name of the activation, such as "relu"; by default none.
    name : str, optional
        Prefix of the names of parameters and outputs.
    data_format : "NCDHW" or "NDHWC", default "NCDHW"

    Returns
    -------
    Variable [N, num_filters, D', H', W']
        H' = (H + pad_top + pad_bottom - dilation * (kernel - 1) - 1) // stride + 1, likewise for
        the other axes.

    Raises
    ------
    OarlockError
        In eager mode.
    TypeError
        If `input` is not a Variable.
    OpError
        If `input` has another rank or a dynamic number of channels, `groups` does not divide the
        channels, or `data_format` is unknown.

    See Also
    --------
    nn.Conv3D : the layer.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 3, 8, 8, 8])
    ...     y = paddle.static.nn.conv3d(x, 4, 3, padding=1, act="relu")
    >>> y.shape
    (-1, 4, 8, 8, 8)
    >>> paddle.disable_static()
    """
    config = _ConvConfig("conv3d", input, 3, stride, padding, dilation, groups, data_format)
    return _build_conv(
        "conv3d", 3, input, num_filters, filter_size, config, (param_attr, bias_attr), act, name
    )


def _build_conv_transpose(
    op_type: str,
    x: Tensor,
    num_filters: int,
    sizes: tuple[Any, Any],
    config: _ConvConfig,
    attrs: tuple[Any, Any],
    act: Any,
    name: str | None,
) -> Variable:
    helper = LayerHelper(op_type, name, x)
    output_size, filter_size = sizes
    rank = config.rank
    require_valid_groups(op_type, config.groups, num_filters=num_filters)
    if filter_size is None and output_size is None:
        raise OpError(append_user_line(f"{op_type}: requires output_size or filter_size"))
    out_shape = [] if output_size is None else to_int_list_of_length(output_size, rank)
    kernel = (
        _filter_size_for_output(op_type, x, out_shape, config)
        if filter_size is None
        else to_int_list_of_length(filter_size, rank)
    )
    with helper.prefixing_output_names():
        weight = helper.create_parameter(
            attrs[0], [config.in_channels, num_filters // config.groups, *kernel], x.dtype
        )
        out = OPS[op_type](x, weight, output_size=out_shape, output_padding=[], **config.attrs)
        return helper.activate(helper.add_bias(out, attrs[1], config.bias_axis, num_filters), act)


def _filter_size_for_output(
    op_type: str, x: Tensor, out_shape: list[int], config: _ConvConfig
) -> list[int]:
    """Return the filter size with which the output of a transposed convolution has the shape
    `out_shape`.
    """
    first = 1 if config.channels_last else 2
    pads = config.attrs["paddings"]
    total_pads = (
        [2 * p for p in pads]
        if len(pads) == len(out_shape)
        else [a + b for a, b in zip(pads[::2], pads[1::2], strict=True)]
    )
    sizes = []
    for i, (size, pad) in enumerate(zip(out_shape, total_pads, strict=True)):
        stride, dilation = config.attrs["strides"][i], config.attrs["dilations"][i]
        in_size = require_static_size(op_type, x, first + i)
        sizes.append((size - (in_size - 1) * stride + pad - 1) // dilation + 1)
    return sizes


def conv2d_transpose(
    input: Tensor,
    num_filters: int,
    output_size: Ints | None = None,
    filter_size: Ints | None = None,
    padding: Padding = 0,
    stride: Ints = 1,
    dilation: Ints = 1,
    groups: int | None = None,
    param_attr: ParamAttrLike | None = None,
    bias_attr: ParamAttrLike | None = None,
    use_cudnn: bool = True,
    act: str | None = None,
    name: str | None = None,
    data_format: str = "NCHW",
) -> Variable:
    """Transposed 2-D convolution in a static graph program, with parameters that it creates.

    The gradient of a convolution with respect to its input, with the filter
    [C, num_filters / groups, kH, kW], plus a bias, then an activation.

    Parameters
    ----------
    input : Variable [N, C, H, W], float16 | bfloat16 | float32 | float64
    num_filters : int
        Channels of the output.
    output_size : int or (int, int), optional
        The spatial size of the output, where the stride allows several; needed if there is no
        `filter_size`.
    filter_size : int or (int, int), optional
        By default computed from `output_size`.
    padding : int, (int, int), list with a pair per axis, "SAME" or "VALID", default 0
    stride, dilation : int or (int, int), default 1
    groups : int, optional
        Divides C and `num_filters`; by default 1.
    param_attr, bias_attr : ParamAttr, Initializer, str or False, optional
        Initialization, name and regularizer of the filter and the bias. ``bias_attr=False``: no
        bias. Default filters: Xavier uniform.
    use_cudnn : bool, default True
        Has no effect.
    act : str, optional
        Name of the activation, such as "relu"; by default none.
    name : str, optional
        Prefix of the names of parameters and outputs.
    data_format : "NCHW" or "NHWC", default "NCHW"

    Returns
    -------
    Variable [N, num_filters, H', W']
        H' = (H - 1) * stride - pad_top - pad_bottom + dilation * (kernel - 1) + 1, likewise for the
        other axes.

    Raises
    ------
    OarlockError
        In eager mode.
    TypeError
        If `input` is not a Variable.
    OpError
        If `input` has another rank or a dynamic number of channels, `groups` does not divide the
        channels, or neither `output_size` nor `filter_size` is given.

    See Also
    --------
    nn.Conv2DTranspose : the layer.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 3, 8, 8])
    ...     y = paddle.static.nn.conv2d_transpose(x, 4, filter_size=2, stride=2)
    >>> y.shape
    (-1, 4, 16, 16)
    >>> paddle.disable_static()
    """
    config = _ConvConfig(
        "conv2d_transpose", input, 2, stride, padding, dilation, groups, data_format
    )
    sizes, attrs = (output_size, filter_size), (param_attr, bias_attr)
    return _build_conv_transpose(
        "conv2d_transpose", input, num_filters, sizes, config, attrs, act, name
    )


def conv3d_transpose(
    input: Tensor,
    num_filters: int,
    output_size: Ints | None = None,
    filter_size: Ints | None = None,
    padding: Padding = 0,
    stride: Ints = 1,
    dilation: Ints = 1,
    groups: int | None = None,
    param_attr: ParamAttrLike | None = None,
    bias_attr: ParamAttrLike | None = None,
    use_cudnn: bool = True,
    act: str | None = None,
    name: str | None = None,
    data_format: str = "NCDHW",
) -> Variable:
    """Transposed 3-D convolution in a static graph program, with parameters that it creates.

    The gradient of a convolution with respect to its input, with the filter
    [C, num_filters / groups, kD, kH, kW], plus a bias, then an activation.

    Parameters
    ----------
    input : Variable [N, C, D, H, W], float16 | bfloat16 | float32 | float64
    num_filters : int
        Channels of the output.
    output_size : int or (int, int, int), optional
        The spatial size of the output, where the stride allows several; needed if there is no
        `filter_size`.
    filter_size : int or (int, int, int), optional
        By default computed from `output_size`.
    padding : int, (int, int, int), list with a pair per axis, "SAME" or "VALID", default 0
    stride, dilation : int or (int, int, int), default 1
    groups : int, optional
        Divides C and `num_filters`; by default 1.
    param_attr, bias_attr : ParamAttr, Initializer, str or False, optional
        Initialization, name and regularizer of the filter and the bias. ``bias_attr=False``: no
        bias. Default filters: Xavier uniform.
    use_cudnn : bool, default True
        Has no effect.
    act : str, optional
        Name of the activation, such as "relu"; by default none.
    name : str, optional
        Prefix of the names of parameters and outputs.
    data_format : "NCDHW" or "NDHWC", default "NCDHW"

    Returns
    -------
    Variable [N, num_filters, D', H', W']
        H' = (H - 1) * stride - pad_top - pad_bottom + dilation * (kernel - 1) + 1, likewise for the
        other axes.

    Raises
    ------
    OarlockError
        In eager mode.
    TypeError
        If `input` is not a Variable.
    OpError
        If `input` has another rank or a dynamic number of channels, `groups` does not divide the
        channels, or neither `output_size` nor `filter_size` is given.

    See Also
    --------
    nn.Conv3DTranspose : the layer.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 3, 8, 8, 8])
    ...     y = paddle.static.nn.conv3d_transpose(x, 4, filter_size=2, stride=2)
    >>> y.shape
    (-1, 4, 16, 16, 16)
    >>> paddle.disable_static()
    """
    config = _ConvConfig(
        "conv3d_transpose", input, 3, stride, padding, dilation, groups, data_format
    )
    sizes, attrs = (output_size, filter_size), (param_attr, bias_attr)
    return _build_conv_transpose(
        "conv3d_transpose", input, num_filters, sizes, config, attrs, act, name
    )


def deform_conv2d(
    x: Tensor,
    offset: Tensor,
    mask: Tensor | None,
    num_filters: int,
    filter_size: Ints,
    stride: Ints = 1,
    padding: Padding = 0,
    dilation: Ints = 1,
    groups: int = 1,
    deformable_groups: int = 1,
    im2col_step: int = 1,
    weight_attr: ParamAttrLike | None = None,
    bias_attr: ParamAttrLike | None = None,
    name: str | None = None,
) -> Variable:
    """Deformable 2-D convolution in a static graph program (Dai et al. 2017, Zhu et al. 2018).

    The positions at which the filter samples the image are shifted by `offset`, and the samples are
    multiplied by `mask`. The function creates the parameters: the filter
    [num_filters, C / groups, kH, kW] and the bias [num_filters].

    Parameters
    ----------
    x : Variable [N, C, H, W], float32 | float64
    offset : Variable [N, 2 * deformable_groups * kH * kW, H', W'], dtype of x
        Shifts along H and W, in pixels.
    mask : Variable [N, deformable_groups * kH * kW, H', W'] or None
        None: samples are not multiplied.
    num_filters : int
        Channels of the output.
    filter_size : int or (int, int)
    stride : int or (int, int), default 1
    padding : int or (int, int), default 0
    dilation : int or (int, int), default 1
    groups : int, default 1
        Divides C and `num_filters`.
    deformable_groups : int, default 1
        Divides C; the groups have offsets of their own.
    im2col_step : int, default 1
        Has no effect on the result.
    weight_attr, bias_attr : ParamAttr, Initializer, str or False, optional
        Initialization, name and regularizer of the filter and the bias. ``bias_attr=False``: no
        bias. Default filters: Normal(0, sqrt(2 / fan_in)).
    name : str, optional
        Prefix of the names of parameters and outputs.

    Returns
    -------
    Variable [N, num_filters, H', W'], dtype of x
        H' = (H + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1, likewise W'.

    Raises
    ------
    OarlockError
        In eager mode.
    TypeError
        If `x` or `offset` is not a Variable.
    OpError
        If the number of channels is dynamic, or shapes do not fit.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [1, 3, 8, 8])
    ...     offset = paddle.static.data("offset", [1, 18, 6, 6])
    ...     y = paddle.static.nn.deform_conv2d(x, offset, None, num_filters=4, filter_size=3)
    >>> y.shape
    (1, 4, 6, 6)
    >>> paddle.disable_static()
    """
    helper = LayerHelper("deformable_conv", name, x, offset)
    kernel, channels = (
        to_int_list_of_length(filter_size, 2),
        require_static_size("deform_conv2d", x, 1),
    )
    attrs = {
        "strides": to_int_list_of_length(stride, 2),
        "paddings": to_int_list_of_length(padding, 2),
        "dilations": to_int_list_of_length(dilation, 2),
        "groups": groups or 1,
        "deformable_groups": deformable_groups,
        "im2col_step": im2col_step,
    }
    initializer = he_normal_initializer(channels, kernel)
    with helper.prefixing_output_names():
        weight = helper.create_parameter(
            weight_attr,
            [num_filters, channels // (groups or 1), *kernel],
            x.dtype,
            default_initializer=initializer,
        )
        operands = (x, offset, weight) if mask is None else (x, offset, weight, mask)
        out = OPS["deformable_conv_v1" if mask is None else "deformable_conv"](*operands, **attrs)
        result: Variable = helper.add_bias(out, bias_attr, 1, num_filters)
    return result
