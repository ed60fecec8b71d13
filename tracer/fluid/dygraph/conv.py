"""Convolutions and pooling: fluid.dygraph.Conv2D, Conv3D, their transposes, Pool2D."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.errors import with_user_line
from ...core.op import OPS
from ...nn.conv_filters import check_groups, he_normal
from ...nn.functional.conv import int_list
from .layers import Scoped, activated, scoped

__all__ = ["Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose", "Pool2D"]


class _Conv(Scoped):
    """What convolutions share.   _axes: of a picture"""

    _axes = 2
    _adds = True  # whether the bias is added
    _op: str
    _act: str | None
    weight: Any
    bias: Any

    def _settings(self, stride: Any, padding: Any, dilation: Any, groups: int | None) -> None:
        self._attrs: dict[str, Any] = {
            "strides": int_list(stride, self._axes),
            "paddings": int_list(padding, self._axes),
            "dilations": int_list(dilation, self._axes),
            "groups": groups or 1,
        }

    def _biased(self, x: Any) -> Any:
        out = (
            x
            if self.bias is None or not self._adds
            else OPS["elementwise_add"](x, self.bias, axis=1)
        )
        return activated(type(self).__name__, out, self._act)

    def forward(self, input: Any) -> Any:
        """Compute the output; the class describes shapes."""
        return self._biased(OPS[self._op](input, self.weight, **self._attrs))

    def _start(
        self,
        channels: int,
        filters: int,
        size: Any,
        groups: int | None,
        attrs: tuple[Any, Any],
        dtype: Any,
    ) -> None:
        sizes = int_list(size, self._axes)
        check_groups(type(self).__name__, groups or 1, num_channels=channels)
        start = he_normal(channels, sizes)
        shape = [filters, channels // (groups or 1), *sizes]
        self.weight = self.create_parameter(shape, attrs[0], dtype, default_initializer=start)
        self.bias = self.create_parameter([filters], attrs[1], dtype, is_bias=True)


def _channels(given: dict[str, Any], *inputs: Any) -> dict[str, Any]:
    """What 1.6 saw in the first input."""
    return {"num_channels": inputs[0].meta.shape[1]}


def _settings_of_1_5(*first: str, transposed: bool = False) -> tuple[str, ...]:
    after = ("padding", "stride") if transposed else ("stride", "padding")
    return (
        *first,
        *after,
        "dilation",
        "groups",
        "param_attr",
        "bias_attr",
        "use_cudnn",
        "act",
        "dtype",
    )


_OF_1_5 = _settings_of_1_5("num_channels", "num_filters", "filter_size")
_OF_1_6 = _settings_of_1_5("num_filters", "filter_size")


def _as_1_5_or_1_6(made: Any) -> Any:
    """With a scope, 1.5 told a Conv2D the channels of its input, 1.6 did not: three sizes are
    1.5's.
    """
    start = made.__init__
    both: dict[bool, Callable[..., Any]] = {}
    for channels in (True, False):
        made.__init__ = start
        scoped(*(_OF_1_5 if channels else _OF_1_6), later=_channels)(made)
        both[channels] = made.__init__

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        sizes = (
            sum(n in kwargs for n in ("num_channels", "num_filters", "filter_size"))
            + len(args)
            - ("name_scope" not in kwargs)
        )
        both["num_channels" in kwargs or sizes >= 3](self, *args, **kwargs)

    __init__.__wrapped__ = start  # type: ignore[attr-defined]
    made.__init__ = __init__
    return made


@_as_1_5_or_1_6
class Conv2D(_Conv):
    """2-D convolution, with an activation behind it.   x [N, C, H, W] -> [N, M, H', W']"""

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
        self._settings(stride, padding, dilation, groups)
        self._start(num_channels, num_filters, filter_size, groups, (param_attr, bias_attr), dtype)


@scoped(*_OF_1_6, later=_channels)
class Conv3D(_Conv):
    """3-D convolution, with an activation behind it.   x [N, C, D, H, W] -> [N, M, D', H', W']"""

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
        self._settings(stride, padding, dilation, groups)
        self._start(num_channels, num_filters, filter_size, groups, (param_attr, bias_attr), dtype)


class _Transposed(_Conv):
    """What transposed convolutions share."""

    def _start(
        self,
        channels: int,
        filters: int,
        size: Any,
        groups: int | None,
        attrs: tuple[Any, Any],
        dtype: Any,
    ) -> None:
        shape = [channels, filters // (groups or 1), *int_list(size, self._axes)]
        self.weight = self.create_parameter(shape, attrs[0], dtype)
        self.bias = self.create_parameter([filters], attrs[1], dtype, is_bias=True)


def _filter_size(given: dict[str, Any], *inputs: Any) -> dict[str, Any]:
    """The channels of the first input, and the size of filters that gives output_size."""
    shape = inputs[0].meta.shape
    found = {"num_channels": shape[1]}
    if given.get("filter_size") is None and given.get("output_size") is not None:
        n = len(shape) - 2
        outs, strides, pads, dilations = (
            int_list(given.get(k, d), n)
            for k, d in (("output_size", 1), ("stride", 1), ("padding", 0), ("dilation", 1))
        )
        rows = zip(outs, shape[2:], strides, pads, dilations, strict=True)
        found["filter_size"] = [(o - (i - 1) * s + 2 * p - 1) // d + 1 for o, i, s, p, d in rows]
    return found


_TRANSPOSED = _settings_of_1_5("num_filters", "output_size", "filter_size", transposed=True)


@scoped(*_TRANSPOSED, later=_filter_size)
class Conv2DTranspose(_Transposed):
    """Transposed 2-D convolution, with an activation behind it.

    x [N, C, H, W] -> [N, M, H', W']
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
        self._settings(stride, padding, dilation, groups)
        self._attrs["output_size"] = [] if output_size is None else int_list(output_size)
        self._start(num_channels, num_filters, filter_size, groups, (param_attr, bias_attr), dtype)


@scoped(*_TRANSPOSED, later=_filter_size)
class Conv3DTranspose(_Transposed):
    """Transposed 3-D convolution, with an activation behind it.

    x [N, C, D, H, W] -> [N, M, D', H', W']

    As in 1.8, the bias is added only where bias_attr is given.
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
        self._op, self._act, self._adds = "conv3d_transpose", act, bool(bias_attr)
        self._settings(stride, padding, dilation, groups)
        self._start(num_channels, num_filters, filter_size, groups, (param_attr, bias_attr), dtype)


@scoped(
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
class Pool2D(Scoped):
    """The largest or the mean of each window.   x [N, C, H, W] -> [N, C, H', W']"""

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
                with_user_line(f"Pool2D: pool_type={pool_type!r} is neither 'max' nor 'avg'")
            )
        if not global_pooling and pool_size == -1:
            raise ValueError(with_user_line("Pool2D: pool_size is needed unless global_pooling"))
        super().__init__()
        self._attrs = {
            "pooling_type": pool_type,
            "ksize": int_list(pool_size),
            "global_pooling": global_pooling,
            "strides": int_list(pool_stride),
            "paddings": int_list(pool_padding),
            "ceil_mode": ceil_mode,
            "exclusive": exclusive,
        }

    def forward(self, input: Any) -> Any:
        """Compute the output; the class describes shapes."""
        return OPS["pool2d"](input, **self._attrs)
