"""Convolutions."""

from __future__ import annotations

from typing import Any

from ...capture.variable import Variable
from ...core.errors import OpError, with_user_line
from ...core.op import OPS
from ...core.operand_checks import check_tensors
from ...nn.conv_filters import check_groups, he_normal
from ...nn.functional.conv import int_list, is_channels_last, padding_attrs
from .helper import Helper, known_size


class _Setting:
    """What all convolutions are told, in the terms of their ops."""

    def __init__(
        self,
        kind: str,
        x: Variable,
        rank: int,
        stride: Any,
        padding: Any,
        dilation: Any,
        groups: Any,
        layout: str,
    ) -> None:
        check_tensors(x)
        if x.ndim != rank + 2:
            raise OpError(with_user_line(f"{kind}: takes {rank + 2} axes (X={x.meta})"))
        if layout not in (("NCHW", "NHWC") if rank == 2 else ("NCDHW", "NDHWC")):
            raise OpError(with_user_line(f"{kind}: data_format={layout!r} is not known"))
        self.rank, self.last = rank, is_channels_last(layout)
        self.channels = known_size(kind, x, rank + 1 if self.last else 1)
        self.groups = check_groups(kind, groups, channels=self.channels)
        self.attrs = {
            "strides": int_list(stride, rank),
            "dilations": int_list(dilation, rank),
            "groups": self.groups,
            "data_format": layout if rank == 2 else ("NDHWC" if self.last else "NCDHW"),
            **padding_attrs(padding, rank, self.last),
        }

    @property
    def bias_axis(self) -> int:
        """The axis that a bias lies along."""
        return self.rank + 1 if self.last else 1


def _conv(
    kind: str,
    rank: int,
    x: Variable,
    filters: int,
    size: Any,
    setting: _Setting,
    attrs: tuple[Any, Any],
    act: Any,
    name: str | None,
) -> Variable:
    helper = Helper(kind, name, x)
    sides = int_list(size, rank)
    check_groups(kind, setting.groups, num_filters=filters)
    start = he_normal(setting.channels, sides)
    with helper.writing():
        shape = [filters, setting.channels // setting.groups, *sides]
        weight = helper.parameter(attrs[0], shape, x.dtype, start=start)
        out = OPS[kind](x, weight, **setting.attrs)
        return helper.activated(helper.biased(out, attrs[1], setting.bias_axis, filters), act)


def conv2d(
    input: Variable,
    num_filters: int,
    filter_size: Any,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    use_cudnn: bool = True,
    act: str | None = None,
    name: str | None = None,
    data_format: str = "NCHW",
) -> Variable:
    """2-D convolution with its own filters, bias and activation.

    input [N, C, H, W] -> [N, num_filters, H', W']
    """
    setting = _Setting("conv2d", input, 2, stride, padding, dilation, groups, data_format)
    return _conv(
        "conv2d", 2, input, num_filters, filter_size, setting, (param_attr, bias_attr), act, name
    )


def conv3d(
    input: Variable,
    num_filters: int,
    filter_size: Any,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    use_cudnn: bool = True,
    act: str | None = None,
    name: str | None = None,
    data_format: str = "NCDHW",
) -> Variable:
    """3-D convolution with its own filters, bias and activation.

    input [N, C, D, H, W] -> [N, num_filters, D', H', W']
    """
    setting = _Setting("conv3d", input, 3, stride, padding, dilation, groups, data_format)
    return _conv(
        "conv3d", 3, input, num_filters, filter_size, setting, (param_attr, bias_attr), act, name
    )


def _transposed(
    kind: str,
    x: Variable,
    filters: int,
    sizes: tuple[Any, Any],
    setting: _Setting,
    attrs: tuple[Any, Any],
    act: Any,
    name: str | None,
) -> Variable:
    helper = Helper(kind, name, x)
    output_size, filter_size = sizes
    rank = setting.rank
    if filter_size is None and output_size is None:
        raise OpError(with_user_line(f"{kind}: one of output_size and filter_size is needed"))
    wanted = [] if output_size is None else int_list(output_size, rank)
    sides = (
        _filter_for(kind, x, wanted, setting)
        if filter_size is None
        else int_list(filter_size, rank)
    )
    with helper.writing():
        weight = helper.parameter(
            attrs[0], [setting.channels, filters // setting.groups, *sides], x.dtype
        )
        out = OPS[kind](x, weight, output_size=wanted, output_padding=[], **setting.attrs)
        return helper.activated(helper.biased(out, attrs[1], setting.bias_axis, filters), act)


def _filter_for(kind: str, x: Variable, wanted: list[int], setting: _Setting) -> list[int]:
    """The sides of the filters that give the wanted sizes."""
    first = 1 if setting.last else 2
    pads = setting.attrs["paddings"]
    sums = (
        [2 * p for p in pads]
        if len(pads) == len(wanted)
        else [a + b for a, b in zip(pads[::2], pads[1::2], strict=True)]
    )
    found = []
    for i, (size, pad) in enumerate(zip(wanted, sums, strict=True)):
        stride, dilation = setting.attrs["strides"][i], setting.attrs["dilations"][i]
        found.append(
            (size - (known_size(kind, x, first + i) - 1) * stride + pad - 1) // dilation + 1
        )
    return found


def conv2d_transpose(
    input: Variable,
    num_filters: int,
    output_size: Any = None,
    filter_size: Any = None,
    padding: Any = 0,
    stride: Any = 1,
    dilation: Any = 1,
    groups: int | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    use_cudnn: bool = True,
    act: str | None = None,
    name: str | None = None,
    data_format: str = "NCHW",
) -> Variable:
    """Transposed 2-D convolution; without filter_size that which gives output_size.

    input [N, C, H, W] -> [N, num_filters, H', W']
    """
    setting = _Setting("conv2d_transpose", input, 2, stride, padding, dilation, groups, data_format)
    sizes, attrs = (output_size, filter_size), (param_attr, bias_attr)
    return _transposed("conv2d_transpose", input, num_filters, sizes, setting, attrs, act, name)


def conv3d_transpose(
    input: Variable,
    num_filters: int,
    output_size: Any = None,
    filter_size: Any = None,
    padding: Any = 0,
    stride: Any = 1,
    dilation: Any = 1,
    groups: int | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    use_cudnn: bool = True,
    act: str | None = None,
    name: str | None = None,
    data_format: str = "NCDHW",
) -> Variable:
    """Transposed 3-D convolution; without filter_size that which gives output_size.

    input [N, C, D, H, W] -> [N, num_filters, D', H', W']
    """
    setting = _Setting("conv3d_transpose", input, 3, stride, padding, dilation, groups, data_format)
    sizes, attrs = (output_size, filter_size), (param_attr, bias_attr)
    return _transposed("conv3d_transpose", input, num_filters, sizes, setting, attrs, act, name)


def deform_conv2d(
    x: Variable,
    offset: Variable,
    mask: Variable | None,
    num_filters: int,
    filter_size: Any,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    deformable_groups: int = 1,
    im2col_step: int = 1,
    weight_attr: Any = None,
    bias_attr: Any = None,
    name: str | None = None,
) -> Variable:
    """2-D convolution at places moved by `offset`, weighed by `mask` unless that is None

    (Dai et al. 2017, Zhu et al. 2018).

    x [N, C, H, W], offset [N, 2 * deformable_groups * kH * kW, H', W'], mask [N, deformable_groups
    * kH * kW, H', W'] -> [N, num_filters, H', W']
    """
    helper = Helper("deformable_conv", name, x, offset)
    sides, channels = int_list(filter_size, 2), known_size("deform_conv2d", x, 1)
    attrs = {
        "strides": int_list(stride, 2),
        "paddings": int_list(padding, 2),
        "dilations": int_list(dilation, 2),
        "groups": groups or 1,
        "deformable_groups": deformable_groups,
        "im2col_step": im2col_step,
    }
    start = he_normal(channels, sides)
    with helper.writing():
        weight = helper.parameter(
            weight_attr, [num_filters, channels // (groups or 1), *sides], x.dtype, start=start
        )
        given = (x, offset, weight) if mask is None else (x, offset, weight, mask)
        out = OPS["deformable_conv_v1" if mask is None else "deformable_conv"](*given, **attrs)
        found: Variable = helper.biased(out, bias_attr, 1, num_filters)
    return found
