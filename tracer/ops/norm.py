"""Normalization: batch, layer, group, instance."""

from __future__ import annotations

import functools
import math
from typing import Any

from ..core import native
from ..core.arrays import np
from ..core.dtype import compute_dtype
from ..core.errors import OpError
from ..core.op import OPS, Meta, check, op
from .elementwise import mul, scale, sub
from .half_precision import computed_in_float32_if_half, half_tensor_to_float32
from .reduce import reduce_sum
from .shape import reshape, reshape_like
from .shared_op_rules import (
    Shape,
    check_float,
    dims_match,
    make_meta_rule_like_input_at,
    num_elements,
    shapes_match,
    vjp_input_shape,
)
from .standardization import (
    standardize_affine_grad,
    standardize_grad,
    standardize_rows_and_return_moments,
    standardize_with_given_moments,
    standardized_product_sum,
)
from .unary_math import rsqrt

# -- batch_norm
# ------------------------------------------------------------------------------


def _channel_axis(rank: int, layout: str) -> int:
    check(rank >= 2, "X needs at least two axes")
    check(layout in ("NCHW", "NHWC", "AnyLayout"), f"data_layout={layout} is neither NCHW nor NHWC")
    return rank - 1 if layout == "NHWC" else 1


def _per_channel_shape(rank: int, channel: int) -> list[int]:
    return [-1 if i == channel else 1 for i in range(rank)]


def _axes_except_channel(rank: int, channel: int) -> list[int]:
    return [i for i in range(rank) if i != channel]


def _check_one_element_per_channel(count: int, **given: Any) -> None:
    for name, t in given.items():
        if t is not None and not shapes_match(t.shape, (count,)):
            raise OpError(
                f"X has {count} channels, {name} has the shape {list(t.shape)} instead of [{count}]"
            )


def _uses_running_stats(is_test: bool, trainable: bool, use_global: bool) -> bool:
    """Whether batch norm uses the given running statistics instead of the statistics of X."""
    return (is_test and not trainable) or use_global


@op(
    "batch_norm",
    "X, Scale?, Bias?, Mean!, Variance!, MomentumTensor?! -> Y, MeanOut~=Mean, "
    "VarianceOut~=Variance, SavedMean~, SavedVariance~",
    same_dtype="X Scale Bias Mean Variance",
    mixes_half_and_float32=True,
    amp_casts_only_x=True,
)
@computed_in_float32_if_half(stats=(1, 2, 3, 4))
def batch_norm(
    x,
    weight,
    bias,
    mean,
    variance,
    momentum_tensor=None,
    *,
    momentum: float = 0.9,
    epsilon: float = 1e-5,
    data_layout: str = "NCHW",
    is_test: bool = False,
    use_global_stats: bool = False,
    trainable_statistics: bool = False,
):
    """Y = X standardized per channel, times Scale, plus Bias.

    X [N,C,*] or [N,*,C], the others [C] -> Y like X, others [C]

    SavedVariance: 1 / sqrt(variance + epsilon) of the statistics that are used.
    MeanOut, VarianceOut: the running statistics, updated with this batch.
    """
    check_float(x)
    channel = _channel_axis(x.ndim, data_layout)
    _check_one_element_per_channel(
        x.shape[channel], Scale=weight, Bias=bias, Mean=mean, Variance=variance
    )
    t = mean.dtype.type
    if _uses_running_stats(is_test, trainable_statistics, use_global_stats):
        inv_std = t(1) / np.sqrt(variance + t(epsilon))
        y = _apply_inv_std_and_affine_in_place(
            x - mean.reshape(_per_channel_shape(x.ndim, channel)), inv_std, weight, bias, channel
        )
        return y, mean, variance, np.zeros_like(mean), np.zeros_like(mean)
    axes = tuple(_axes_except_channel(x.ndim, channel))
    count = t(max(x.size // max(x.shape[channel], 1), 1))
    batch_mean = np.sum(x, axis=axes) / count
    centered = x - batch_mean.reshape(_per_channel_shape(x.ndim, channel))
    batch_variance = np.sum(np.square(centered), axis=axes) / count
    inv_std = t(1) / np.sqrt(batch_variance + t(epsilon))
    keep = t(momentum if momentum_tensor is None else momentum_tensor.item())
    running = (
        old * keep + new * (t(1) - keep)
        for old, new in ((mean, batch_mean), (variance, batch_variance))
    )
    return (
        _apply_inv_std_and_affine_in_place(centered, inv_std, weight, bias, channel),
        *running,
        batch_mean,
        inv_std,
    )


def _apply_inv_std_and_affine_in_place(
    centered: Any, inv_std: Any, weight: Any, bias: Any, channel: int
) -> Any:
    """Return centered * inv_std * Scale + Bias, computed in place in `centered`."""
    shape = _per_channel_shape(centered.ndim, channel)
    centered *= (inv_std if weight is None else inv_std * weight).reshape(shape)
    if bias is not None:
        centered += bias.reshape(shape)
    return centered


_MOMENTS, _AFFINE, _LAYER_NORM = map(
    native.compiled_function_or_placeholder, ("moments", "affine", "layer_norm")
)


@batch_norm.native
def _(
    x,
    weight,
    bias,
    mean,
    variance,
    momentum_tensor=None,
    *,
    momentum=0.9,
    epsilon=1e-5,
    data_layout="NCHW",
    is_test=False,
    use_global_stats=False,
    trainable_statistics=False,
):
    if x.ndim < 2 or not x.size or momentum_tensor is not None or mean.dtype != x.dtype:
        return NotImplemented
    channel = _channel_axis(x.ndim, data_layout)
    n, c, k = math.prod(x.shape[:channel]), x.shape[channel], math.prod(x.shape[channel + 1 :])
    fixed = _uses_running_stats(is_test, trainable_statistics, use_global_stats)
    if k == 1 or any(t is not None and t.shape != (c,) for t in (weight, bias, mean, variance)):
        return NotImplemented
    used = (mean, variance) if fixed else _MOMENTS(x, n, c, k)
    if used is NotImplemented:
        return NotImplemented
    t = mean.dtype.type
    inv_std = t(1) / np.sqrt(used[1] + t(epsilon))
    factor = inv_std if weight is None else inv_std * weight
    y = _AFFINE(x, used[0], factor, np.zeros_like(mean) if bias is None else bias, n, c, k)
    if y is NotImplemented or fixed:
        return (
            y
            if y is NotImplemented
            else (y, mean, variance, np.zeros_like(mean), np.zeros_like(mean))
        )
    keep = t(momentum)
    running = (
        old * keep + new * (t(1) - keep) for old, new in zip((mean, variance), used, strict=True)
    )
    return y, *running, used[0], inv_std


@batch_norm.meta
def _(x, weight, bias, mean, variance, momentum_tensor, *, data_layout, **_):
    check_float(x)
    channels = x.shape[_channel_axis(len(x.shape), data_layout)]
    _check_one_element_per_channel(channels, Scale=weight, Bias=bias, Mean=mean, Variance=variance)
    stat = Meta((max(channels, mean.shape[0], variance.shape[0]),), compute_dtype(mean.dtype))
    return x, stat, stat, stat, stat


@batch_norm.vjp
def _(
    g,
    x,
    weight,
    bias,
    mean,
    variance,
    momentum_tensor,
    *,
    epsilon,
    data_layout,
    is_test,
    use_global_stats,
    trainable_statistics,
    SavedMean,
    SavedVariance,
):
    rank = len(vjp_input_shape(x))
    channel = _channel_axis(rank, data_layout)
    rest, along = _axes_except_channel(rank, channel), _per_channel_shape(rank, channel)
    g, x = (
        half_tensor_to_float32(g),
        half_tensor_to_float32(x),
    )  # Scale and the statistics are float32

    def per_channel(t: Any) -> Any:
        return reshape(t, shape=along)

    if _uses_running_stats(is_test, trainable_statistics, use_global_stats):
        inv_std = rsqrt(scale(variance, bias=epsilon))

        def bias_grad() -> Any:
            return reduce_sum(g, dim=rest)

        def weight_grad() -> Any:
            return reduce_sum(
                mul(g, mul(sub(x, per_channel(mean)), per_channel(inv_std))), dim=rest
            )

        def x_grad() -> Any:
            scaled = g if weight is None else mul(g, per_channel(weight))
            return mul(scaled, per_channel(inv_std))

    else:

        @functools.cache
        def grads() -> Any:
            return standardize_affine_grad(
                x,
                None if weight is None else per_channel(weight),
                per_channel(SavedMean),
                per_channel(SavedVariance),
                g,
                axes=rest,
            )

        x_grad, weight_grad, bias_grad = (lambda i=i: grads()[i] for i in range(3))
    return (
        x_grad,
        weight_grad,
        bias_grad,
        None,
        None,
        None,
    )


# -- norms over rows
# ----------------------------------------------------------------------------------------------


@op(
    "layer_norm",
    "X, Scale?, Bias? -> Y, Mean~, Variance~",
    same_dtype="X Scale Bias",
    mixes_half_and_float32=True,
    amp_class="deny",
    amp_casts_only_x=True,
)
@computed_in_float32_if_half(stats=(1, 2))
def layer_norm(x, weight=None, bias=None, *, epsilon: float = 1e-5, begin_norm_axis: int = 1):
    """Y = X standardized over the axes from begin_norm_axis on, times Scale, plus Bias.

    X [*R,*K], Scale, Bias [K] -> Y [*R,*K]
    """
    check_float(x)
    check(
        0 <= begin_norm_axis < max(x.ndim, 1), f"begin_norm_axis={begin_norm_axis} is not an axis"
    )
    length = math.prod(x.shape[begin_norm_axis:])
    _check_scale_and_bias_size(length, weight, bias)
    y, mean, variance = standardize_rows_and_return_moments(
        x.reshape(math.prod(x.shape[:begin_norm_axis]), length), epsilon
    )
    if weight is not None:
        y *= weight.reshape(-1)
    if bias is not None:
        y += bias.reshape(-1)
    rows = x.shape[:begin_norm_axis]
    return y.reshape(x.shape), mean.reshape(rows), variance.reshape(rows)


@layer_norm.native
def _(x, weight=None, bias=None, *, epsilon=1e-5, begin_norm_axis=1):
    if not 0 <= begin_norm_axis < x.ndim:
        return NotImplemented
    rows = x.shape[:begin_norm_axis]
    found = _LAYER_NORM(
        x, weight, bias, epsilon, math.prod(rows), math.prod(x.shape[begin_norm_axis:])
    )
    return (
        found
        if found is NotImplemented
        else (found[0], found[1].reshape(rows), found[2].reshape(rows))
    )


def _check_scale_and_bias_size(length: int, weight: Any, bias: Any) -> None:
    for name, t in (("Scale", weight), ("Bias", bias)):
        check(
            t is None or dims_match(num_elements(tuple(t.shape)), length),
            f"{name} needs one element per normalized element",
        )


@layer_norm.meta
def _(x, weight, bias, *, epsilon, begin_norm_axis):
    check_float(x)
    check(
        0 <= begin_norm_axis < max(len(x.shape), 1),
        f"begin_norm_axis={begin_norm_axis} is not an axis",
    )
    _check_scale_and_bias_size(num_elements(x.shape[begin_norm_axis:]), weight, bias)
    rows = Meta(x.shape[:begin_norm_axis], compute_dtype(x.dtype))
    return x, rows, rows


@layer_norm.vjp
def _(g, x, weight, bias, *, epsilon, begin_norm_axis, Mean, Variance):
    rows, grads = (OPS["flatten_at"](t, axis=begin_norm_axis) for t in (x, g))

    def scaled_grad() -> Any:
        return grads if weight is None else mul(grads, reshape(weight, shape=[-1]))

    m, r = (reshape(t, shape=[-1, 1]) for t in (Mean, rsqrt(scale(Variance, bias=epsilon))))
    return (
        lambda: reshape_like(standardize_grad(rows, m, r, scaled_grad(), axes=[1]), x),
        lambda: reshape_like(
            standardized_product_sum(rows, m, r, grads, axes=[1], over=[0]), weight
        ),
        lambda: reshape_like(reduce_sum(grads, dim=[0]), bias),
    )


@op("group_rows", "X -> Out", internal=True)
def channel_groups_to_rows(x, *, groups: int = -1, data_layout: str = "NCHW"):
    """Reshape X so that each group of channels of each sample is one row.

    X [N,C,*] or [N,*,C] -> Out [N*groups,K]
    """
    if data_layout == "NHWC":
        x = np.moveaxis(x, -1, 1)
    groups = x.shape[1] if groups < 0 else groups
    return x.reshape(x.shape[0] * groups, math.prod(x.shape[1:]) // max(groups, 1))


@channel_groups_to_rows.meta
def _(x, *, groups, data_layout):
    channels = x.shape[_channel_axis(len(x.shape), data_layout)]
    groups = channels if groups < 0 else groups
    rows = x.shape[0] * groups if min(x.shape[0], groups) >= 0 else -1
    each = num_elements(x.shape[1:])
    return Meta((rows, each // groups if each >= 0 and groups > 0 else -1), x.dtype)


@channel_groups_to_rows.vjp
def _(g, x, *, groups, data_layout):
    return rows_to_channel_groups(g, x, data_layout=data_layout)


@op("ungroup_rows", "X, Y -> Out", meta=make_meta_rule_like_input_at(1), internal=True)
def rows_to_channel_groups(x, y, *, data_layout: str = "NCHW"):
    """The inverse of `channel_groups_to_rows`: Out = X in the shape of Y.

    X [N*groups,K], Y [N,C,*] or [N,*,C] -> Out like Y
    """
    if data_layout != "NHWC":
        return x.reshape(y.shape)
    return np.moveaxis(x.reshape(np.moveaxis(y, -1, 1).shape), 1, -1)


@rows_to_channel_groups.vjp
def _(g, x, y, *, data_layout):
    rows = channel_groups_to_rows(g, groups=1, data_layout=data_layout)
    return reshape_like(rows, x), None


def _check_groups(shape: Shape, channel: int, groups: int) -> None:
    check(
        groups > 0 and (shape[channel] < 0 or shape[channel] % groups == 0),
        f"groups={groups} does not divide the channels",
    )


def _normalize_groups_and_apply_affine(
    x: Any, weight: Any, bias: Any, epsilon: float, groups: int, layout: str
) -> tuple[Any, Any, Any]:
    channel = _channel_axis(x.ndim, layout)
    _check_groups(x.shape, channel, groups)
    _check_one_element_per_channel(x.shape[channel], Scale=weight, Bias=bias)
    rows, mean, variance = standardize_rows_and_return_moments(
        channel_groups_to_rows.kernel(x, groups=groups, data_layout=layout), epsilon
    )
    y = rows_to_channel_groups.kernel(rows, x, data_layout=layout)
    shape = _per_channel_shape(x.ndim, channel)
    if weight is not None:
        y = y * weight.reshape(shape)
    if bias is not None:
        y = y + bias.reshape(shape)
    return y, mean, variance


def _grouped_norm_vjp(
    g: Any, x: Any, weight: Any, bias: Any, mean: Any, inv_std: Any, groups: int, layout: str
) -> Any:
    rank = len(vjp_input_shape(x))
    channel = _channel_axis(rank, layout)
    rest, along = _axes_except_channel(rank, channel), _per_channel_shape(rank, channel)

    def scaled_grad() -> Any:
        spread = g if weight is None else mul(g, reshape(weight, shape=along))
        return channel_groups_to_rows(spread, groups=groups, data_layout=layout)

    rows = channel_groups_to_rows(x, groups=groups, data_layout=layout)
    m, r = (reshape(t, shape=[-1, 1]) for t in (mean, inv_std))

    def weight_grad() -> Any:
        standard = rows_to_channel_groups(
            standardize_with_given_moments(rows, m, r, axes=[1]), x, data_layout=layout
        )
        return reduce_sum(mul(g, standard), dim=rest)

    return (
        lambda: rows_to_channel_groups(
            standardize_grad(rows, m, r, scaled_grad(), axes=[1]), x, data_layout=layout
        ),
        weight_grad,
        lambda: reduce_sum(g, dim=rest),
    )


@op(
    "group_norm",
    "X, Scale?, Bias? -> Y, Mean~, Variance~",
    same_dtype="X Scale Bias",
    mixes_half_and_float32=True,
    amp_class="deny",
)
@computed_in_float32_if_half(stats=(1, 2))
def group_norm(
    x, weight=None, bias=None, *, epsilon: float = 1e-5, groups: int = -1, data_layout: str = "NCHW"
):
    """Y = X standardized per group of channels, times Scale, plus Bias.

    X [N,C,*], Scale, Bias [C] -> Y like X, Mean [N,groups]
    """
    check_float(x)
    y, mean, variance = _normalize_groups_and_apply_affine(
        x, weight, bias, epsilon, groups, data_layout
    )
    return y, mean.reshape(x.shape[0], groups), variance.reshape(x.shape[0], groups)


@group_norm.meta
def _(x, weight, bias, *, epsilon, groups, data_layout):
    check_float(x)
    channel = _channel_axis(len(x.shape), data_layout)
    _check_groups(x.shape, channel, groups)
    _check_one_element_per_channel(x.shape[channel], Scale=weight, Bias=bias)
    stat = Meta((x.shape[0], groups), compute_dtype(x.dtype))
    return x, stat, stat


@group_norm.vjp
def _(g, x, weight, bias, *, epsilon, groups, data_layout, Mean, Variance):
    return _grouped_norm_vjp(
        g, x, weight, bias, Mean, rsqrt(scale(Variance, bias=epsilon)), groups, data_layout
    )


@op(
    "instance_norm",
    "X, Scale?, Bias? -> Y, SavedMean~, SavedVariance~",
    same_dtype="X Scale Bias",
    mixes_half_and_float32=True,
)
@computed_in_float32_if_half(stats=(1, 2))
def instance_norm(x, weight=None, bias=None, *, epsilon: float = 1e-5):
    """Y = X standardized per channel and sample, times Scale, plus Bias.

    X [N,C,*], Scale, Bias [C] -> Y like X, others [N*C]

    SavedVariance: 1 / sqrt(variance + epsilon).
    """
    check_float(x)
    y, mean, variance = _normalize_groups_and_apply_affine(
        x, weight, bias, epsilon, x.shape[1], "NCHW"
    )
    t = x.dtype.type
    return y, mean, t(1) / np.sqrt(variance + t(epsilon))


@instance_norm.meta
def _(x, weight, bias, *, epsilon):
    check_float(x)
    _check_one_element_per_channel(
        x.shape[_channel_axis(len(x.shape), "NCHW")], Scale=weight, Bias=bias
    )
    stat = Meta((num_elements(x.shape[:2]),), compute_dtype(x.dtype))
    return x, stat, stat


@instance_norm.vjp
def _(g, x, weight, bias, *, SavedMean, SavedVariance):
    return _grouped_norm_vjp(g, x, weight, bias, SavedMean, SavedVariance, -1, "NCHW")
