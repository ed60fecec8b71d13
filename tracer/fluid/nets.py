"""Small networks that are used again and again: fluid.nets."""

from __future__ import annotations

from typing import Any

from ..core.errors import OpError, with_user_line
from ..core.op import OPS
from . import layers

__all__ = [
    "glu",
    "img_conv_group",
    "scaled_dot_product_attention",
    "sequence_conv_pool",
    "simple_img_conv_pool",
]


def simple_img_conv_pool(
    input: Any,
    num_filters: int,
    filter_size: Any,
    pool_size: Any,
    pool_stride: Any,
    pool_padding: Any = 0,
    pool_type: str = "max",
    global_pooling: bool = False,
    conv_stride: Any = 1,
    conv_padding: Any = 0,
    conv_dilation: Any = 1,
    conv_groups: int = 1,
    param_attr: Any = None,
    bias_attr: Any = None,
    act: str | None = None,
    use_cudnn: bool = True,
) -> Any:
    """A convolution, then pooling.   input [N, C, H, W] -> [N, num_filters, H', W']"""
    made = layers.conv2d(
        input,
        num_filters,
        filter_size,
        conv_stride,
        conv_padding,
        conv_dilation,
        conv_groups,
        param_attr,
        bias_attr,
        use_cudnn,
        act,
    )
    return layers.pool2d(
        made, pool_size, pool_type, pool_stride, pool_padding, global_pooling, use_cudnn
    )


def img_conv_group(
    input: Any,
    conv_num_filter: Any,
    pool_size: Any,
    conv_padding: Any = 1,
    conv_filter_size: Any = 3,
    conv_act: str | None = None,
    param_attr: Any = None,
    conv_with_batchnorm: Any = False,
    conv_batchnorm_drop_rate: Any = 0.0,
    pool_stride: Any = 1,
    pool_type: str = "max",
    use_cudnn: bool = True,
) -> Any:
    """Convolutions, each with batch_norm and dropout where asked for, then pooling.

    input [N, C, H, W] -> [N, C', H', W']

    What is no list is the same for all convolutions.
    """
    count = len(conv_num_filter)

    def each(value: Any) -> list[Any]:
        found = list(value) if hasattr(value, "__len__") else [value] * count
        if len(found) != count:
            raise OpError(
                with_user_line(
                    f"img_conv_group: {found} are not as many as "
                    f"conv_num_filter={list(conv_num_filter)}"
                )
            )
        return found

    settings = (
        each(v)
        for v in (
            conv_filter_size,
            conv_padding,
            param_attr,
            conv_with_batchnorm,
            conv_batchnorm_drop_rate,
        )
    )
    made = input
    for filters, size, padding, attr, norm, rate in zip(conv_num_filter, *settings, strict=True):
        made = layers.conv2d(
            made,
            filters,
            size,
            padding=padding,
            param_attr=attr,
            act=None if norm else conv_act,
            use_cudnn=use_cudnn,
        )
        if norm:
            made = layers.batch_norm(made, act=conv_act)
            made = layers.dropout(made, dropout_prob=rate) if abs(rate) > 1e-5 else made
    return layers.pool2d(made, pool_size, pool_type, pool_stride, use_cudnn=use_cudnn)


def sequence_conv_pool(
    input: Any,
    num_filters: int,
    filter_size: int,
    param_attr: Any = None,
    act: str = "sigmoid",
    pool_type: str = "max",
    bias_attr: Any = None,
) -> Any:
    """A convolution over sequences of different lengths, then one row of each.

    input [R, D] -> [n, num_filters]
    """
    made = layers.sequence_conv(
        input, num_filters, filter_size, param_attr=param_attr, bias_attr=bias_attr, act=act
    )
    return layers.sequence_pool(made, pool_type)


def glu(input: Any, dim: int = -1) -> Any:
    """One half times the sigmoid of the other

    (Dauphin et al. 2017).
    input [*, 2 * D] -> [*, D]
    """
    first, second = layers.split(input, 2, dim)
    return OPS["elementwise_mul"](first, OPS["sigmoid"](second))


def scaled_dot_product_attention(
    queries: Any, keys: Any, values: Any, num_heads: int = 1, dropout_rate: float = 0.0
) -> Any:
    """softmax(queries keys' / sqrt(D)) values, of several heads with products of their own before.

    [N, L, D], [N, S, D], [N, S, E] -> [N, L, E]
    """
    if not queries.ndim == keys.ndim == values.ndim == 3:
        shapes = f"(Q={queries.meta}, K={keys.meta}, V={values.meta})"
        raise OpError(
            with_user_line(f"scaled_dot_product_attention: takes three axes each {shapes}")
        )
    if keys.meta.shape[-1] % num_heads or values.meta.shape[-1] % num_heads:
        raise OpError(
            with_user_line(
                f"scaled_dot_product_attention: num_heads={num_heads} does not divide the features"
            )
        )
    given = [queries, keys, values]
    if num_heads > 1:
        given = [layers.fc(t, int(t.meta.shape[-1]), num_flatten_dims=2) for t in given]
    q, k, v = (_heads(t, num_heads) for t in given)
    scores = layers.matmul(
        layers.scale(q, (keys.meta.shape[-1] // num_heads) ** -0.5), k, transpose_y=True
    )
    weights = layers.softmax(scores)
    if dropout_rate:
        weights = layers.dropout(weights, dropout_prob=dropout_rate, is_test=False)
    return _together(layers.matmul(weights, v))


def _heads(x: Any, count: int) -> Any:
    """[N, L, D] -> [N, count, L, D / count]; as it is for one"""
    if count == 1:
        return x
    apart = layers.reshape(x, [0, 0, count, int(x.meta.shape[-1]) // count])
    return layers.transpose(apart, [0, 2, 1, 3])


def _together(x: Any) -> Any:
    """[N, heads, L, D] -> [N, L, heads * D]; three axes as they are"""
    if x.ndim == 3:
        return x
    turned = layers.transpose(x, [0, 2, 1, 3])
    return layers.reshape(turned, [0, 0, int(x.meta.shape[1] * x.meta.shape[3])])
