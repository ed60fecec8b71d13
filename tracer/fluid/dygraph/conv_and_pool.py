"""Convolutions and pooling: fluid.dygraph.Conv2D, Conv3D, their transposes, Pool2D."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.errors import append_user_line
from ...core.op import OPS
from ...nn.conv_filters import he_normal_initializer, require_valid_groups
from ...nn.functional.conv import to_int_list_of_length
from .layers import OptionalNameScopeLayer, apply_activation, with_optional_name_scope_argument

__all__ = ["Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose", "Pool2D"]


class _Conv(OptionalNameScopeLayer):
    """Base class of the convolutions. _axes: number of spatial axes"""

    _axes = 2
    _adds_bias = True
    _op: str
    _act: str | None
    weight: Any
    bias: Any

    def _set_window_attrs(
        self, stride: Any, padding: Any, dilation: Any, groups: int | None
    ) -> None:
        self._attrs: dict[str, Any] = {
            "strides": to_int_list_of_length(stride, self._axes),
            "paddings": to_int_list_of_length(padding, self._axes),
            "dilations": to_int_list_of_length(dilation, self._axes),
            "groups": groups or 1,
        }

    def _add_bias_and_activate(self, x: Any) -> Any:
        out = (
            x
            if self.bias is None or not self._adds_bias
            else OPS["elementwise_add"](x, self.bias, axis=1)
        )
        return apply_activation(type(self).__name__, out, self._act)

    def forward(self, input: Any) -> Any:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return self._add_bias_and_activate(OPS[self._op](input, self.weight, **self._attrs))

    def _create_parameters(
        self,
        num_channels: int,
        num_filters: int,
        filter_size: Any,
        groups: int | None,
        attrs: tuple[Any, Any],
        dtype: Any,
    ) -> None:
        kernel = to_int_list_of_length(filter_size, self._axes)
        require_valid_groups(type(self).__name__, groups or 1, num_channels=num_channels)
        initializer = he_normal_initializer(num_channels, kernel)
        shape = [num_filters, num_channels // (groups or 1), *kernel]
        self.weight = self.create_parameter(shape, attrs[0], dtype, default_initializer=initializer)
        self.bias = self.create_parameter([num_filters], attrs[1], dtype, is_bias=True)


def _infer_num_channels_argument(args: dict[str, Any], *inputs: Any) -> dict[str, Any]:
    """Return {"num_channels": the number of channels of the first input}, because a Conv2D of
    Paddle 1.6 infers this argument at the first call.
    """
    return {"num_channels": inputs[0].meta.shape[1]}


def _legacy_argument_names(*first: str, transposed: bool = False) -> tuple[str, ...]:
    order = ("padding", "stride") if transposed else ("stride", "padding")
    return (
        *first,
        *order,
        "dilation",
        "groups",
        "param_attr",
        "bias_attr",
        "use_cudnn",
        "act",
        "dtype",
    )


_OF_1_5 = _legacy_argument_names("num_channels", "num_filters", "filter_size")
_OF_1_6 = _legacy_argument_names("num_filters", "filter_size")


def _accept_arguments_of_1_5_and_1_6(cls: Any) -> Any:
    """Decorate Conv2D so that it accepts a name scope as first argument. In Paddle 1.5 the argument
    num_channels follows the scope, in 1.6 it does not exist, so three sizes after the scope have
    the order of 1.5.
    """
    init = cls.__init__
    inits: dict[bool, Callable[..., Any]] = {}
    for has_channels in (True, False):
        cls.__init__ = init
        with_optional_name_scope_argument(
            *(_OF_1_5 if has_channels else _OF_1_6), infer_arguments=_infer_num_channels_argument
        )(cls)
        inits[has_channels] = cls.__init__

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        num_sizes = (
            sum(n in kwargs for n in ("num_channels", "num_filters", "filter_size"))
            + len(args)
            - ("name_scope" not in kwargs)
        )
        inits["num_channels" in kwargs or num_sizes >= 3](self, *args, **kwargs)

    __init__.__wrapped__ = init  # type: ignore[attr-defined]
    cls.__init__ = __init__
    return cls


@_accept_arguments_of_1_5_and_1_6
class Conv2D(_Conv):
    """2-D convolution, plus a bias, with an activation: [N, C, H, W] -> [N, M, H', W']."""

    def __init__(
        self,
        num_channels: int,
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
        dtype: Any = "float32",
    ) -> None:
        super().__init__()
        depthwise = num_channels == groups and num_filters % num_channels == 0 and not use_cudnn
        self._op, self._act = "depthwise_conv2d" if depthwise else "conv2d", act
        self._set_window_attrs(stride, padding, dilation, groups)
        self._create_parameters(
            num_channels, num_filters, filter_size, groups, (param_attr, bias_attr), dtype
        )


@with_optional_name_scope_argument(*_OF_1_6, infer_arguments=_infer_num_channels_argument)
class Conv3D(_Conv):
    """3-D convolution, plus a bias, with an activation: [N, C, D, H, W] -> [N, M, D', H', W']."""

    _axes = 3

    def __init__(
        self,
        num_channels: int,
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
        dtype: Any = "float32",
    ) -> None:
        super().__init__()
        self._op, self._act = "conv3d", act
        self._set_window_attrs(stride, padding, dilation, groups)
        self._create_parameters(
            num_channels, num_filters, filter_size, groups, (param_attr, bias_attr), dtype
        )


class _ConvTranspose(_Conv):
    """Base class of the transposed convolutions."""

    def _create_parameters(
        self,
        num_channels: int,
        num_filters: int,
        filter_size: Any,
        groups: int | None,
        attrs: tuple[Any, Any],
        dtype: Any,
    ) -> None:
        kernel = to_int_list_of_length(filter_size, self._axes)
        shape = [num_channels, num_filters // (groups or 1), *kernel]
        self.weight = self.create_parameter(shape, attrs[0], dtype)
        self.bias = self.create_parameter([num_filters], attrs[1], dtype, is_bias=True)


def _infer_channels_and_filter_size_arguments(args: dict[str, Any], *inputs: Any) -> dict[str, Any]:
    """Return the arguments of a transposed convolution that depend on its first input: num_channels
    and, if only output_size is given, the filter_size that yields this output size.
    """
    shape = inputs[0].meta.shape
    inferred = {"num_channels": shape[1]}
    if args.get("filter_size") is None and args.get("output_size") is not None:
        n = len(shape) - 2
        outs, strides, pads, dilations = (
            to_int_list_of_length(args.get(k, d), n)
            for k, d in (("output_size", 1), ("stride", 1), ("padding", 0), ("dilation", 1))
        )
        axes = zip(outs, shape[2:], strides, pads, dilations, strict=True)
        inferred["filter_size"] = [(o - (i - 1) * s + 2 * p - 1) // d + 1 for o, i, s, p, d in axes]
    return inferred


_TRANSPOSED_OF_1_5 = _legacy_argument_names(
    "num_filters", "output_size", "filter_size", transposed=True
)


@with_optional_name_scope_argument(
    *_TRANSPOSED_OF_1_5, infer_arguments=_infer_channels_and_filter_size_arguments
)
class Conv2DTranspose(_ConvTranspose):
    """Transposed 2-D convolution, plus a bias, with an activation: [N, C, H, W] -> [N, M, H',
    W'].
    """

    def __init__(
        self,
        num_channels: int,
        num_filters: int,
        filter_size: Any,
        output_size: Any = None,
        padding: Any = 0,
        stride: Any = 1,
        dilation: Any = 1,
        groups: int | None = None,
        param_attr: Any = None,
        bias_attr: Any = None,
        use_cudnn: bool = True,
        act: str | None = None,
        dtype: Any = "float32",
    ) -> None:
        super().__init__()
        depthwise = num_channels == groups == num_filters and not use_cudnn
        self._op, self._act = "depthwise_conv2d_transpose" if depthwise else "conv2d_transpose", act
        self._set_window_attrs(stride, padding, dilation, groups)
        self._attrs["output_size"] = (
            [] if output_size is None else to_int_list_of_length(output_size)
        )
        self._create_parameters(
            num_channels, num_filters, filter_size, groups, (param_attr, bias_attr), dtype
        )


@with_optional_name_scope_argument(
    *_TRANSPOSED_OF_1_5, infer_arguments=_infer_channels_and_filter_size_arguments
)
class Conv3DTranspose(_ConvTranspose):
    """Transposed 3-D convolution with an activation: [N, C, D, H, W] -> [N, M, D', H', W'].

    As in 1.8, the bias is added only if bias_attr is given.
    """

    _axes = 3

    def __init__(
        self,
        num_channels: int,
        num_filters: int,
        filter_size: Any,
        padding: Any = 0,
        stride: Any = 1,
        dilation: Any = 1,
        groups: int | None = None,
        param_attr: Any = None,
        bias_attr: Any = None,
        use_cudnn: bool = True,
        act: str | None = None,
        dtype: Any = "float32",
    ) -> None:
        super().__init__()
        self._op, self._act, self._adds_bias = "conv3d_transpose", act, bool(bias_attr)
        self._set_window_attrs(stride, padding, dilation, groups)
        self._create_parameters(
            num_channels, num_filters, filter_size, groups, (param_attr, bias_attr), dtype
        )


@with_optional_name_scope_argument(
    "pool_size",
    "pool_type",
    "pool_stride",
    "pool_padding",
    "global_pooling",
    "use_cudnn",
    "ceil_mode",
    "exclusive",
    "dtype",
)
class Pool2D(OptionalNameScopeLayer):
    """Maximum or average of each window: [N, C, H, W] -> [N, C, H', W']."""

    def __init__(
        self,
        pool_size: Any = -1,
        pool_type: str = "max",
        pool_stride: Any = 1,
        pool_padding: Any = 0,
        global_pooling: bool = False,
        use_cudnn: bool = True,
        ceil_mode: bool = False,
        exclusive: bool = True,
    ) -> None:
        if pool_type not in ("max", "avg"):
            raise ValueError(
                append_user_line(f"Pool2D: pool_type={pool_type!r} is neither 'max' nor 'avg'")
            )
        if not global_pooling and pool_size == -1:
            raise ValueError(
                append_user_line("Pool2D: pool_size is required unless global_pooling")
            )
        super().__init__()
        self._attrs = {
            "pooling_type": pool_type,
            "ksize": to_int_list_of_length(pool_size),
            "global_pooling": global_pooling,
            "strides": to_int_list_of_length(pool_stride),
            "paddings": to_int_list_of_length(pool_padding),
            "ceil_mode": ceil_mode,
            "exclusive": exclusive,
        }

    def forward(self, input: Any) -> Any:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return OPS["pool2d"](input, **self._attrs)
