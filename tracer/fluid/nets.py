"""Common small networks: `fluid.nets`."""

from __future__ import annotations

from typing import Any

from ..core.errors import OpError, append_user_line
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
    """Convolution followed by pooling: [N, C, H, W] -> [N, num_filters, H', W'].

    Paddle 2 has paddle.nn.Conv2D and paddle.nn.MaxPool2D instead.
    """
    out = layers.conv2d(
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
        out, pool_size, pool_type, pool_stride, pool_padding, global_pooling, use_cudnn
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
    """Several convolutions, each with optional batch normalization and dropout, followed by
    pooling.

    input: [N, C, H, W].
    Returns [N, C', H', W'].

    Arguments that are no lists apply to all convolutions.

    Paddle 2 has paddle.nn.Sequential of paddle.nn.Conv2D instead.
    """
    num_convs = len(conv_num_filter)

    def per_conv(value: Any) -> list[Any]:
        values = list(value) if hasattr(value, "__len__") else [value] * num_convs
        if len(values) != num_convs:
            raise OpError(
                append_user_line(
                    f"img_conv_group: {values} must have one entry for each of "
                    f"conv_num_filter={list(conv_num_filter)}"
                )
            )
        return values

    configs = (
        per_conv(v)
        for v in (
            conv_filter_size,
            conv_padding,
            param_attr,
            conv_with_batchnorm,
            conv_batchnorm_drop_rate,
        )
    )
    out = input
    for filters, size, padding, attr, norm, rate in zip(conv_num_filter, *configs, strict=True):
        out = layers.conv2d(
            out,
            filters,
            size,
            padding=padding,
            param_attr=attr,
            act=None if norm else conv_act,
            use_cudnn=use_cudnn,
        )
        if norm:
            out = layers.batch_norm(out, act=conv_act)
            out = layers.dropout(out, dropout_prob=rate) if abs(rate) > 1e-5 else out
    return layers.pool2d(out, pool_size, pool_type, pool_stride, use_cudnn=use_cudnn)


def sequence_conv_pool(
    input: Any,
    num_filters: int,
    filter_size: int,
    param_attr: Any = None,
    act: str = "sigmoid",
    pool_type: str = "max",
    bias_attr: Any = None,
) -> Any:
    """Convolution over sequences with LoD, followed by pooling of each: [R, D] -> [n,
    num_filters].

    Paddle 2 has paddle.static.nn.sequence_conv and sequence_pool instead.
    """
    out = layers.sequence_conv(
        input, num_filters, filter_size, param_attr=param_attr, bias_attr=bias_attr, act=act
    )
    return layers.sequence_pool(out, pool_type)


def glu(input: Any, dim: int = -1) -> Any:
    """Gated linear unit: the first half times the sigmoid of the second (Dauphin et al. 2017).

    input: [*, 2 * D].
    Returns [*, D].

    The newer name is `paddle.nn.functional.glu`.
    """
    first, second = layers.split(input, 2, dim)
    return OPS["elementwise_mul"](first, OPS["sigmoid"](second))


def scaled_dot_product_attention(
    queries: Any, keys: Any, values: Any, num_heads: int = 1, dropout_rate: float = 0.0
) -> Any:
    """Multi-head attention: softmax(queries keys' / sqrt(D)) values; with several heads the inputs
    are projected.

    queries: [N, L, D].
    keys: [N, S, D].
    values: [N, S, E].
    Returns [N, L, E].

    The newer name is `paddle.nn.MultiHeadAttention`.
    """
    if not queries.ndim == keys.ndim == values.ndim == 3:
        shapes = f"(Q={queries.meta}, K={keys.meta}, V={values.meta})"
        raise OpError(
            append_user_line(
                f"scaled_dot_product_attention: operands must have three axes {shapes}"
            )
        )
    if keys.meta.shape[-1] % num_heads or values.meta.shape[-1] % num_heads:
        raise OpError(
            append_user_line(
                f"scaled_dot_product_attention: num_heads={num_heads} does not divide the features"
            )
        )
    inputs = [queries, keys, values]
    if num_heads > 1:
        inputs = [layers.fc(t, int(t.meta.shape[-1]), num_flatten_dims=2) for t in inputs]
    q, k, v = (_split_heads(t, num_heads) for t in inputs)
    scores = layers.matmul(
        layers.scale(q, (keys.meta.shape[-1] // num_heads) ** -0.5), k, transpose_y=True
    )
    weights = layers.softmax(scores)
    if dropout_rate:
        weights = layers.dropout(weights, dropout_prob=dropout_rate, is_test=False)
    return _merge_heads(layers.matmul(weights, v))


def _split_heads(x: Any, num_heads: int) -> Any:
    """[N, L, D] -> [N, num_heads, L, D / num_heads]; unchanged for one head."""
    if num_heads == 1:
        return x
    heads = layers.reshape(x, [0, 0, num_heads, int(x.meta.shape[-1]) // num_heads])
    return layers.transpose(heads, [0, 2, 1, 3])


def _merge_heads(x: Any) -> Any:
    """[N, heads, L, D] -> [N, L, heads * D]; unchanged with three axes."""
    if x.ndim == 3:
        return x
    transposed = layers.transpose(x, [0, 2, 1, 3])
    return layers.reshape(transposed, [0, 0, int(x.meta.shape[1] * x.meta.shape[3])])
