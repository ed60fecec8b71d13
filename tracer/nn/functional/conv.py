"""Convolutions, computed as cross-correlations."""

from __future__ import annotations

import operator
from typing import Any

from ...core.errors import OpError, append_user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.operand_checks import called_function_name, not_a_tensor_error
from ...core.tensor import Tensor
from ..type_aliases import Ints, OutputSize, Padding
from .common import add_channel_bias

__all__ = ["conv1d", "conv1d_transpose", "conv2d", "conv2d_transpose", "conv3d", "conv3d_transpose"]


def to_int_list_of_length(value: Any, n: int = 2) -> list[int]:
    """Return an int as a list of n ints; check that a list has n ints."""
    if isinstance(value, int):
        return [value] * n
    try:
        items = [operator.index(v) for v in value]
    except TypeError:
        items = []
    if len(items) != n:
        function = called_function_name()
        problem = f"expected an int or a list of {n} ints, got {value!r}"
        raise OpError(append_user_line(f"{function}: {problem}"))
    return items


def is_channels_last(data_format: str) -> bool:
    """Return whether the channels are the last axis."""
    return data_format in ("NLC", "NHWC", "NDHWC")


def padding_attrs(padding: Any, n: int, channel_last: bool) -> dict[str, Any]:
    """Convert a padding argument to the attributes `paddings` and `padding_algorithm`.

    padding: 'SAME', 'VALID', an int, n ints, 2n ints, or a pair for every axis
    """
    if isinstance(padding, str):
        if padding.upper() not in ("SAME", "VALID"):
            raise OpError(append_user_line(f"padding={padding!r} is neither 'SAME' nor 'VALID'"))
        return {"paddings": [0] * n, "padding_algorithm": padding.upper()}
    if isinstance(padding, int):
        return {"paddings": [padding] * n, "padding_algorithm": "EXPLICIT"}
    items = list(padding)
    if items and isinstance(items[0], list | tuple):
        spatial = (
            items[1:-1]
            if channel_last and len(items) == n + 2
            else items[2:]
            if len(items) == n + 2
            else items
        )
        items = [int(v) for p in spatial for v in p]
    if len(items) == 2 * n and all(items[2 * i] == items[2 * i + 1] for i in range(n)):
        items = items[::2]
    if len(items) not in (n, 2 * n):
        raise OpError(append_user_line(f"padding={padding!r} does not fit {n} axes"))
    return {"paddings": items, "padding_algorithm": "EXPLICIT"}


def conv_padding_attrs(padding: Any, n: int, channel_last: bool) -> dict[str, Any]:
    """Convert the padding of a convolution to attributes; a negative one is an error, as in
    Paddle.
    """
    attrs = padding_attrs(padding, n, channel_last)
    if min(attrs["paddings"], default=0) < 0:
        raise OpError(append_user_line(f"convolution: padding={padding!r} is negative"))
    return attrs


def _is_depthwise(x: Tensor, groups: int, filters: int, last: bool) -> bool:
    """Return whether the convolution is depthwise."""
    try:
        channels = x.meta.shape[-1 if last else 1]
    except AttributeError:
        raise not_a_tensor_error(x) from None
    except IndexError:
        return False  # the op raises the error
    return groups == channels and groups > 1 and filters % groups == 0


def _weight_size_along_axis_or_zero(weight: Tensor, axis: int) -> int:
    """Return the size of a weight along `axis`, or 0 if it has no such axis. Raises OperandError
    if `weight` is no tensor.
    """
    try:
        return weight.meta.shape[axis]
    except AttributeError:
        raise not_a_tensor_error(weight) from None
    except IndexError:
        return 0  # the op raises the error


def conv2d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Padding = 0,
    dilation: Ints = 1,
    groups: int = 1,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """Convolve (cross-correlate) a batch of images with 2-D filters.

    out[n, m] = bias[m] + sum over c of weight[m, c] * x[n, c]

    Parameters
    ----------
    x : Tensor [N, C, H, W], float16 | bfloat16 | float32 | float64
    weight : Tensor [M, C / groups, kH, kW], dtype of x
    bias : Tensor [M], optional
    stride : int or (int, int), default 1
    padding : int, sequence of int or of pairs, "SAME" or "VALID", default 0
        One int for all sides, (vertical, horizontal) or [top, bottom, left, right].
        Pairs (before, after) for the spatial axes or for all 4 axes of `data_format` are accepted
        too; those of N and C are ignored. No size is negative. "VALID" is 0. "SAME":
        ceil(H / stride) results per axis; the end gets the odd element; `dilation` counts as 1.
    dilation : int or (int, int), default 1
        Distance between neighboring elements of a filter.
    groups : int, default 1
        Each group of filters sees only its group of channels; divides C and M.
    data_format : "NCHW" or "NHWC", default "NCHW"
        "NHWC": the channels are the last axis of x and of the result; `weight` keeps its layout.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, M, H', W'], dtype of x
        H' = (H + padding at both ends - dilation * (kernel - 1) - 1) // stride + 1 (W' likewise)

    Raises
    ------
    OpError
        If shapes, dtypes or `groups` do not fit, the filter is larger than the padded input, a list
        has a wrong length, or `stride` or `dilation` is not positive.

    Notes
    -----
    A depthwise convolution (``groups == C``) is recorded as the op `depthwise_conv2d`.

    See Also
    --------
    paddle.nn.Conv2D : The layer with its own weights.

    Examples
    --------
    >>> x = paddle.arange(9, dtype="float32").reshape([1, 1, 3, 3])
    >>> F.conv2d(x, paddle.ones([1, 1, 2, 2])).tolist()
    [[[[8.0, 12.0], [20.0, 24.0]]]]
    >>> F.conv2d(paddle.zeros([2, 3, 32, 32]), paddle.zeros([8, 3, 3, 3]), padding="SAME").shape
    [2, 8, 32, 32]
    """
    last = is_channels_last(data_format)
    op = OPS[
        "depthwise_conv2d"
        if _is_depthwise(x, groups, _weight_size_along_axis_or_zero(weight, 0), last)
        else "conv2d"
    ]
    out = op(
        x,
        weight,
        strides=to_int_list_of_length(stride),
        dilations=to_int_list_of_length(dilation),
        groups=groups,
        data_format=data_format,
        **conv_padding_attrs(padding, 2, last),
    )
    return add_channel_bias(out, bias, last)


def conv3d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Padding = 0,
    dilation: Ints = 1,
    groups: int = 1,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Tensor:
    """Convolve (cross-correlate) a batch of volumes with 3-D filters.

    out[n, m] = bias[m] + sum over c of weight[m, c] * x[n, c]

    Parameters
    ----------
    x : Tensor [N, C, D, H, W], float16 | bfloat16 | float32 | float64
    weight : Tensor [M, C / groups, kD, kH, kW], dtype of x
    bias : Tensor [M], optional
    stride : int or (int, int, int), default 1
    padding : int, sequence of int or of pairs, "SAME" or "VALID", default 0
        One int for all sides, (depth, height, width) or [front, back, top, bottom, left, right].
        Pairs (before, after) for the spatial axes or for all 5 axes of `data_format` are accepted
        too; those of N and C are ignored. "VALID" is 0. "SAME":
        ceil(D / stride) results per axis; the end gets the odd element; `dilation` counts as 1.
    dilation : int or (int, int, int), default 1
        Distance between neighboring elements of a filter.
    groups : int, default 1
        Each group of filters sees only its group of channels; divides C and M.
    data_format : "NCDHW" or "NDHWC", default "NCDHW"
        "NDHWC": the channels are the last axis of x and of the result; `weight` keeps its layout.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, M, D', H', W'], dtype of x
        D' = (D + padding at both ends - dilation * (kernel - 1) - 1) // stride + 1
        (H', W' likewise)

    Raises
    ------
    OpError
        If shapes, dtypes or `groups` do not fit, the filter is larger than the padded input, a list
        has a wrong length, or `stride` or `dilation` is not positive.

    See Also
    --------
    paddle.nn.Conv3D : The layer with its own weights.

    Examples
    --------
    >>> x = paddle.ones([1, 1, 3, 3, 3])
    >>> F.conv3d(x, paddle.ones([1, 1, 2, 2, 2]), stride=2).tolist()
    [[[[[8.0]]]]]
    >>> F.conv3d(x, paddle.ones([4, 1, 3, 3, 3]), padding=1).shape
    [1, 4, 3, 3, 3]
    """
    last = is_channels_last(data_format)
    out = OPS["conv3d"](
        x,
        weight,
        strides=to_int_list_of_length(stride, 3),
        dilations=to_int_list_of_length(dilation, 3),
        groups=groups,
        data_format=data_format,
        **conv_padding_attrs(padding, 3, last),
    )
    return add_channel_bias(out, bias, last)


def _padding_attrs_1d_as_2d(padding: Any, last: bool) -> dict[str, Any]:
    """Return the padding attributes of the 2-D convolution of width 1 that computes a 1-D one."""
    pads = conv_padding_attrs(padding, 1, last)
    pads["paddings"] = pads["paddings"] + [0] * len(pads["paddings"])
    return pads


def conv1d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Padding = 0,
    dilation: Ints = 1,
    groups: int = 1,
    data_format: str = "NCL",
    name: str | None = None,
) -> Tensor:
    """Convolve (cross-correlate) a batch of sequences with 1-D filters.

    out[n, m] = bias[m] + sum over c of weight[m, c] * x[n, c]

    Parameters
    ----------
    x : Tensor [N, C, L], float16 | bfloat16 | float32 | float64
    weight : Tensor [M, C / groups, k], dtype of x
    bias : Tensor [M], optional
    stride : int or [int], default 1
    padding : int, sequence of int or of pairs, "SAME" or "VALID", default 0
        One int for both ends, or [before, after].
        Pairs (before, after) for the spatial axes or for all 3 axes of `data_format` are accepted
        too; those of N and C are ignored. No size is negative. "VALID" is 0. "SAME":
        ceil(L / stride) results per axis; the end gets the odd element; `dilation` counts as 1.
    dilation : int or [int], default 1
        Distance between neighboring elements of a filter.
    groups : int, default 1
        Each group of filters sees only its group of channels; divides C and M.
    data_format : "NCL" or "NLC", default "NCL"
        "NLC": the channels are the last axis of x and of the result; `weight` keeps its layout.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, M, L'], dtype of x
        L' = (L + padding at both ends - dilation * (kernel - 1) - 1) // stride + 1

    Raises
    ------
    OpError
        If shapes, dtypes or `groups` do not fit, the filter is larger than the padded input, a list
        has a wrong length, or `stride` or `dilation` is not positive.

    Notes
    -----
    Computed as a 2-D convolution of width 1.

    See Also
    --------
    paddle.nn.Conv1D : The layer with its own weights.

    Examples
    --------
    >>> x = paddle.to_tensor([[[1.0, 2.0, 3.0, 4.0]]])
    >>> difference = paddle.to_tensor([[[1.0, 0.0, -1.0]]])
    >>> F.conv1d(x, difference).tolist()
    [[[-2.0, -2.0]]]
    >>> F.conv1d(x, difference, padding=1).tolist()
    [[[-2.0, -2.0, -2.0, 3.0]]]
    """
    last = is_channels_last(data_format)
    axes = [2 if last else -1]
    out = OPS["conv2d"](
        OPS["unsqueeze2"](x, axes=axes),
        OPS["unsqueeze2"](weight, axes=[-1]),
        strides=[*to_int_list_of_length(stride, 1), 1],
        dilations=[*to_int_list_of_length(dilation, 1), 1],
        groups=groups,
        data_format="NHWC" if last else "NCHW",
        **_padding_attrs_1d_as_2d(padding, last),
    )
    return OPS["squeeze2"](add_channel_bias(out, bias, last), axes=axes)


def _output_size_attrs(output_padding: Any, output_size: Any, n: int) -> dict[str, Any]:
    """Return the attributes that select the output size of a transposed convolution."""
    if output_size is None:
        output_paddings = to_int_list_of_length(output_padding, n)
        return {
            "output_padding": output_paddings if any(output_paddings) else [],
            "output_size": [],
        }
    if output_padding != 0:
        raise OpError(
            append_user_line("conv_transpose: output_padding and output_size exclude each other")
        )
    return {"output_padding": [], "output_size": to_int_list_of_length(output_size, n)}


def find_sizes_if_any_symbolic(sizes: Any, n: int) -> list[Any] | None:
    """Return the list of the n sizes if one of them is a symbolic tensor; None if all are ints."""
    if not state.mode.static or sizes is None or isinstance(sizes, int):
        return None
    items = (
        list(sizes)
        if isinstance(sizes, list | tuple)
        else [sizes[i if sizes.size > 1 else 0] for i in range(n)]
    )
    return items if len(items) == n and any(isinstance(s, Tensor) for s in items) else None


def conv2d_transpose(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Padding = 0,
    output_padding: Ints = 0,
    dilation: Ints = 1,
    groups: int = 1,
    output_size: OutputSize | None = None,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Tensor:
    """2-D transposed convolution of a batch of images: the adjoint of `conv2d`.

    Each element of x adds the filter, multiplied by it, to the result; `stride` is the distance
    between the places in the result.

    Parameters
    ----------
    x : Tensor [N, C, H, W], float16 | bfloat16 | float32 | float64
    weight : Tensor [C, M / groups, kH, kW], dtype of x
    bias : Tensor [M], optional
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
    output_size : int or (int, int), optional
        Spatial size of the result instead of that by `output_padding`: between the size
        for an output padding of 0 and that size + stride - 1.
    data_format : "NCHW" or "NHWC", default "NCHW"
        "NHWC": the channels are the last axis of x and of the result; `weight` keeps its layout.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, M, H', W'], dtype of x
        H' = (H - 1) * stride - padding at both ends + dilation * (kernel - 1) + 1
        + output_padding (W' likewise)

    Raises
    ------
    OpError
        If shapes, dtypes or `groups` do not fit, `output_padding` is too large, `output_size` is
        not possible, both are given, or a list has a wrong length.

    Notes
    -----
    A depthwise convolution (``groups == C``, M == C) is recorded as `depthwise_conv2d_transpose`.
    In programs, `output_size` may be or contain tensors; the largest possible result is sliced
    then.

    See Also
    --------
    paddle.nn.Conv2DTranspose : The layer with its own weights.

    Examples
    --------
    >>> x = paddle.to_tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
    >>> F.conv2d_transpose(x, paddle.ones([1, 1, 2, 2])).tolist()
    [[[[1.0, 3.0, 2.0], [4.0, 10.0, 6.0], [3.0, 7.0, 4.0]]]]
    >>> F.conv2d_transpose(x, paddle.ones([1, 1, 3, 3]), stride=2, padding=1, output_size=4).shape
    [1, 1, 4, 4]
    """
    last = is_channels_last(data_format)
    symbolic = find_sizes_if_any_symbolic(output_size, 2)
    if symbolic is not None:  # slice the largest possible output
        max_output_padding = [s - 1 for s in to_int_list_of_length(stride)]
        largest = conv2d_transpose(
            x,
            weight,
            bias,
            stride,
            padding,
            max_output_padding,
            dilation,
            groups,
            None,
            data_format,
        )
        return (
            largest[:, : symbolic[0], : symbolic[1]]
            if last
            else largest[:, :, : symbolic[0], : symbolic[1]]
        )
    depthwise = _weight_size_along_axis_or_zero(weight, 1) == 1 and _is_depthwise(
        x, groups, groups, last
    )
    out = OPS["depthwise_conv2d_transpose" if depthwise else "conv2d_transpose"](
        x,
        weight,
        strides=to_int_list_of_length(stride),
        dilations=to_int_list_of_length(dilation),
        groups=groups,
        data_format=data_format,
        **_output_size_attrs(output_padding, output_size, 2),
        **conv_padding_attrs(padding, 2, last),
    )
    return add_channel_bias(out, bias, last)


def conv3d_transpose(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Padding = 0,
    output_padding: Ints = 0,
    groups: int = 1,
    dilation: Ints = 1,
    output_size: OutputSize | None = None,
    data_format: str = "NCDHW",
    name: str | None = None,
) -> Tensor:
    """3-D transposed convolution of a batch of volumes: the adjoint of `conv3d`.

    Each element of x adds the filter, multiplied by it, to the result; `stride` is the distance
    between the places in the result.

    Parameters
    ----------
    x : Tensor [N, C, D, H, W], float16 | bfloat16 | float32 | float64
    weight : Tensor [C, M / groups, kD, kH, kW], dtype of x
    bias : Tensor [M], optional
    stride : int or (int, int, int), default 1
    padding : int, sequence of int or of pairs, "SAME" or "VALID", default 0
        The padding of the convolution that this is the adjoint of: it is cut off the result.
        One int for all sides, (depth, height, width) or [front, back, top, bottom, left, right].
        Pairs (before, after) for the spatial axes or for all 5 axes of `data_format` are accepted
        too; those of N and C are ignored. "VALID" is 0. "SAME" takes the padding of a
        convolution of x with this stride, with `dilation` as 1.
    output_padding : int or (int, int, int), default 0
        Elements added at the end of each axis of the result; smaller than `stride`.
    groups : int, default 1
        Each group of output channels sees only its group of input channels.
    dilation : int or (int, int, int), default 1
        Distance between neighboring elements of the filter.
    output_size : int or (int, int, int), optional
        Spatial size of the result instead of that by `output_padding`: between the size
        for an output padding of 0 and that size + stride - 1.
    data_format : "NCDHW" or "NDHWC", default "NCDHW"
        "NDHWC": the channels are the last axis of x and of the result; `weight` keeps its layout.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, M, D', H', W'], dtype of x
        D' = (D - 1) * stride - padding at both ends + dilation * (kernel - 1) + 1
        + output_padding (H', W' likewise)

    Raises
    ------
    OpError
        If shapes, dtypes or `groups` do not fit, `output_padding` is too large, `output_size` is
        not possible, both are given, or a list has a wrong length.

    See Also
    --------
    paddle.nn.Conv3DTranspose : The layer with its own weights.

    Examples
    --------
    >>> x = paddle.ones([1, 2, 2, 2, 2])
    >>> F.conv3d_transpose(x, paddle.ones([2, 4, 3, 3, 3]), stride=2).shape
    [1, 4, 5, 5, 5]
    >>> F.conv3d_transpose(x, paddle.ones([2, 1, 1, 1, 1])).max().item()
    2.0
    """
    last = is_channels_last(data_format)
    out = OPS["conv3d_transpose"](
        x,
        weight,
        strides=to_int_list_of_length(stride, 3),
        dilations=to_int_list_of_length(dilation, 3),
        groups=groups,
        data_format="NHWC" if last else "NCHW",
        **_output_size_attrs(output_padding, output_size, 3),
        **conv_padding_attrs(padding, 3, last),
    )
    return add_channel_bias(out, bias, last)


def conv1d_transpose(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Ints = 1,
    padding: Padding = 0,
    output_padding: Ints = 0,
    groups: int = 1,
    dilation: Ints = 1,
    output_size: OutputSize | None = None,
    data_format: str = "NCL",
    name: str | None = None,
) -> Tensor:
    """1-D transposed convolution of a batch of sequences: the adjoint of `conv1d`.

    Each element of x adds the filter, multiplied by it, to the result; `stride` is the distance
    between the places in the result.

    Parameters
    ----------
    x : Tensor [N, C, L], float16 | bfloat16 | float32 | float64
    weight : Tensor [C, M / groups, k], dtype of x
    bias : Tensor [M], optional
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
    output_size : int or [int], optional
        Spatial size of the result instead of that by `output_padding`: between the size
        for an output padding of 0 and that size + stride - 1.
    data_format : "NCL" or "NLC", default "NCL"
        "NLC": the channels are the last axis of x and of the result; `weight` keeps its layout.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, M, L'], dtype of x
        L' = (L - 1) * stride - padding at both ends + dilation * (kernel - 1) + 1
        + output_padding

    Raises
    ------
    OpError
        If shapes, dtypes or `groups` do not fit, `output_padding` is too large, `output_size` is
        not possible, both are given, or a list has a wrong length.

    Notes
    -----
    Computed as a 2-D transposed convolution of width 1.

    See Also
    --------
    paddle.nn.Conv1DTranspose : The layer with its own weights.

    Examples
    --------
    >>> x = paddle.to_tensor([[[1.0, 2.0]]])
    >>> weight = paddle.to_tensor([[[1.0, 10.0, 100.0]]])
    >>> F.conv1d_transpose(x, weight).tolist()
    [[[1.0, 12.0, 120.0, 200.0]]]
    >>> F.conv1d_transpose(x, weight, stride=2).tolist()
    [[[1.0, 10.0, 102.0, 20.0, 200.0]]]
    """
    last = is_channels_last(data_format)
    axes = [2 if last else -1]
    attrs = _output_size_attrs(output_padding, output_size, 1)
    attrs["output_padding"] = attrs["output_padding"] and [*attrs["output_padding"], 0]
    attrs["output_size"] = attrs["output_size"] and [*attrs["output_size"], 1]
    out = OPS["conv2d_transpose"](
        OPS["unsqueeze2"](x, axes=axes),
        OPS["unsqueeze2"](weight, axes=[-1]),
        strides=[*to_int_list_of_length(stride, 1), 1],
        dilations=[*to_int_list_of_length(dilation, 1), 1],
        groups=groups,
        data_format="NHWC" if last else "NCHW",
        **attrs,
        **_padding_attrs_1d_as_2d(padding, last),
    )
    return OPS["squeeze2"](add_channel_bias(out, bias, last), axes=axes)
