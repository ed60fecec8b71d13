"""Multi-head attention, and the encoder and decoder of a Transformer (Vaswani et al. 2017).

Sequences are [batch, length, embed_dim].
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias, overload

from ..core.dtype import is_real
from ..core.errors import OpError, append_user_line
from ..core.op import OPS
from ..core.operand_checks import check_tensors, not_a_tensor_error
from ..core.tensor import Tensor
from ..tensor.convert import cast
from ..tensor.creation import full, triu
from ..tensor.linalg import matmul
from ..tensor.manipulation import concat, reshape, transpose
from ..tensor.math import add, multiply
from . import functional as F
from .common import Dropout, Linear
from .container import LayerList
from .functional.sequence import bool_mask_to_additive, is_attention_one_op
from .layer import Layer
from .norm import LayerNorm
from .param_attr import ParamAttr
from .type_aliases import ParamAttrLike

__all__ = [
    "MultiHeadAttention",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]


def additive_mask_like(mask: Tensor | None, scores: Tensor) -> Tensor | None:
    """Convert a mask to a term, in the dtype of `scores`, that is added to them; None stays None.

    A bool or int mask becomes 0 or -1e9 (False masks a position).
    """
    try:
        dtype = scores.dtype
    except AttributeError:
        raise not_a_tensor_error(scores) from None
    return additive_mask_of_dtype(mask, dtype)


def additive_mask_of_dtype(mask: Tensor | None, dtype: Any) -> Tensor | None:
    """Convert a mask to a term that is added to attention scores of `dtype`.

    A bool or int mask becomes 0 or -1e9 (False masks a position); a float mask is cast. [*] -> [*]
    """
    if mask is None:
        return None
    check_tensors(mask)
    return cast(mask, dtype) if is_real(mask.meta.dtype) else bool_mask_to_additive(mask, dtype)


def attrs_per_sublayer(attr: Any, count: int) -> list[Any]:
    """Return a list with one weight or bias attribute for each of `count` sublayers. The index of
    the sublayer is appended to the name of an attribute.
    """
    if isinstance(attr, list | tuple):
        if len(attr) != count:
            raise OpError(
                append_user_line(f"Transformer: expected {count} attributes, got {len(attr)}")
            )
        return list(attr)
    if attr is None or isinstance(attr, bool):
        return [attr] * count
    attrs = [copy.copy(ParamAttr.of(attr)) for _ in range(count)]
    for i, sublayer_attr in enumerate(attrs):
        if sublayer_attr is not None and sublayer_attr.name:
            sublayer_attr.name = f"{sublayer_attr.name}_{i}"
    return attrs


class Cache(NamedTuple):
    """Keys and values of the previous steps, each [B, num_heads, length, head_dim]. Each step
    appends its keys and values.
    """

    k: Tensor
    v: Tensor


class StaticCache(NamedTuple):
    """Keys and values of an encoder output, each [B, num_heads, length, head_dim]."""

    k: Tensor
    v: Tensor


AttentionCache: TypeAlias = Cache | StaticCache
# The class MultiHeadAttention has attributes of the same names.
GrowingCache: TypeAlias = Cache
ConstantCache: TypeAlias = StaticCache


def activation_function(layer: str, name: str) -> Callable[[Tensor], Tensor]:
    """Return the function of an activation.

    layer: the name of the layer, for the error
    """
    found: Callable[[Tensor], Tensor] | None = getattr(F, name, None)
    if found is None:
        problem = f"activation={name!r} is not a function of nn.functional"
        raise OpError(append_user_line(f"{layer}: {problem}"))
    return found


class MultiHeadAttention(Layer):
    """Multi-head attention (Vaswani et al. 2017).

    head_i = softmax(q_i k_i' / sqrt(head_dim) + mask) v_i
    out = concat(head_1, ..., head_n) W_out + b_out

    q_i, k_i and v_i are the slices of head_dim = embed_dim / num_heads features of the linear
    projections of query, key and value.

    Parameters
    ----------
    embed_dim : int
        Features E of the query and of the result.
    num_heads : int
        Divides `embed_dim`.
    dropout : float, default 0.0
        Probability of dropping an attention weight, in training mode.
    kdim, vdim : int, optional
        Features of key and value; by default `embed_dim`.
    need_weights : bool, default False
        Whether calls also return the attention weights.
    weight_attr, bias_attr : ParamAttr, Initializer, str or False, optional
        Initialization, name and regularizer of the four projections. ``bias_attr=False``: no
        biases.

    Attributes
    ----------
    q_proj, k_proj, v_proj, out_proj : Linear
        The projections of query, key and value, and of the result.
    head_dim : int

    Raises
    ------
    OpError
        If `num_heads` does not divide `embed_dim`.

    Examples
    --------
    >>> attention = nn.MultiHeadAttention(embed_dim=8, num_heads=2)
    >>> query, memory = paddle.zeros([2, 3, 8]), paddle.zeros([2, 5, 8])
    >>> attention(query, memory, memory).shape
    [2, 3, 8]
    """

    Cache = Cache
    StaticCache = StaticCache

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        kdim: int | None = None,
        vdim: int | None = None,
        need_weights: bool = False,
        weight_attr: ParamAttrLike | None = None,
        bias_attr: ParamAttrLike | None = None,
    ) -> None:
        super().__init__()
        if embed_dim % num_heads:
            raise OpError(
                append_user_line(
                    f"MultiHeadAttention: num_heads={num_heads} does not divide "
                    f"embed_dim={embed_dim}"
                )
            )
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.kdim, self.vdim = kdim or embed_dim, vdim or embed_dim
        self.dropout, self.need_weights = dropout, need_weights
        self.q_proj = Linear(embed_dim, embed_dim, weight_attr, bias_attr)
        self.k_proj = Linear(self.kdim, embed_dim, weight_attr, bias_attr)
        self.v_proj = Linear(self.vdim, embed_dim, weight_attr, bias_attr)
        self.out_proj = Linear(embed_dim, embed_dim, weight_attr, bias_attr)

    def _split_heads(self, x: Tensor) -> Tensor:
        """Split the heads: [B, L, E] -> [B, num_heads, L, head_dim]."""
        return transpose(reshape(x, [0, 0, self.num_heads, self.head_dim]), [0, 2, 1, 3])

    def compute_kv(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Project keys and values, and split the heads.

        Parameters
        ----------
        key : Tensor [B, S, kdim], float
        value : Tensor [B, S, vdim], float

        Returns
        -------
        k, v : Tensor [B, num_heads, S, head_dim]

        Examples
        --------
        >>> attention = nn.MultiHeadAttention(embed_dim=8, num_heads=2)
        >>> k, v = attention.compute_kv(paddle.zeros([2, 5, 8]), paddle.zeros([2, 5, 8]))
        >>> k.shape, v.shape
        ([2, 2, 5, 4], [2, 2, 5, 4])
        """
        return self._split_heads(self.k_proj(key)), self._split_heads(self.v_proj(value))

    def _prepare_qkv(
        self, query: Tensor, key: Tensor, value: Tensor, cache: AttentionCache | None = None
    ) -> Any:
        """Project queries, keys and values; with a cache also return the extended cache.

        Model libraries override it, e.g. for rotary embeddings.
        """
        q = self._split_heads(self.q_proj(query))
        k, v = cache if isinstance(cache, self.StaticCache) else self.compute_kv(key, value)
        if isinstance(cache, self.Cache):
            cache = self.Cache(concat([cache.k, k], 2), concat([cache.v, v], 2))
            k, v = cache
        return (q, k, v) if cache is None else (q, k, v, cache)

    @overload
    def gen_cache(
        self, key: Tensor, value: Tensor | None = None, type: type[GrowingCache] = ...
    ) -> GrowingCache: ...
    @overload
    def gen_cache(
        self, key: Tensor, value: Tensor | None, type: type[ConstantCache]
    ) -> ConstantCache: ...
    @overload
    def gen_cache(
        self, key: Tensor, value: Tensor | None = None, *, type: type[ConstantCache]
    ) -> ConstantCache: ...
    def gen_cache(
        self,
        key: Tensor,
        value: Tensor | None = None,
        type: type[AttentionCache] = Cache,
    ) -> AttentionCache:
        """Create a cache of keys and values for generation step by step.

        Parameters
        ----------
        key : Tensor [B, S, kdim] or [B, num_heads, S, head_dim]
            The output of an encoder for a `StaticCache`; keys with split heads for a `Cache` if
            `value` is given; otherwise only batch size and dtype count.
        value : Tensor like `key`, optional
            By default, that of a `StaticCache` is `key`.
        type : MultiHeadAttention.Cache or MultiHeadAttention.StaticCache, default Cache
            A `Cache` grows by the keys and values of each call. A `StaticCache` holds the
            projections of `key` and `value`, which calls use instead of their own key and value.

        Returns
        -------
        MultiHeadAttention.Cache or MultiHeadAttention.StaticCache
            A named tuple of k and v, each [B, num_heads, S, head_dim]; S is 0 for a `Cache` without
            `value`.

        Examples
        --------
        >>> attention = nn.MultiHeadAttention(embed_dim=8, num_heads=2)
        >>> cache = attention.gen_cache(paddle.zeros([2, 1, 8]))
        >>> token = paddle.zeros([2, 1, 8])
        >>> out, cache = attention(token, token, token, cache=cache)
        >>> cache.k.shape
        [2, 2, 1, 4]
        """
        if type is StaticCache:
            return StaticCache(*self.compute_kv(key, key if value is None else value))
        if value is not None:
            return Cache(key, value)
        empty = OPS["fill_constant_batch_size_like"](
            key,
            shape=[-1, self.num_heads, 0, self.head_dim],
            dtype=key.dtype.proto,
            value=0.0,
            str_value="0.0",
        )
        return Cache(empty, empty)

    def forward(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        attn_mask: Tensor | None = None,
        cache: AttentionCache | None = None,
    ) -> Any:
        """Compute the attention.

        Parameters
        ----------
        query : Tensor [B, L, E], float
        key : Tensor [B, S, kdim], optional
            By default `query`: self-attention.
        value : Tensor [B, S, vdim], optional
            By default `query`.
        attn_mask : Tensor, optional
            Broadcast to [B, num_heads, L, S]. Float: added to the scores. Bool or int: positions
            that are False or 0 are masked.
        cache : MultiHeadAttention.Cache or MultiHeadAttention.StaticCache, optional
            Result of `gen_cache` or of the previous call.

        Returns
        -------
        out : Tensor [B, L, E]
        weights : Tensor [B, num_heads, L, S]
            Only with ``need_weights=True``.
        cache : MultiHeadAttention.Cache or MultiHeadAttention.StaticCache
            Only if `cache` is given: with the keys and values of this call appended; a
            `StaticCache` is returned unchanged.

        Examples
        --------
        >>> attention = nn.MultiHeadAttention(embed_dim=8, num_heads=2, need_weights=True)
        >>> x = paddle.zeros([1, 2, 8])
        >>> causal = paddle.tril(paddle.ones([2, 2])).astype("bool")
        >>> out, weights = attention(x, attn_mask=causal)
        >>> weights[0, 0].tolist()
        [[1.0, 0.0], [0.5, 0.5]]
        """
        qkv = self._prepare_qkv(
            query, query if key is None else key, query if value is None else value, cache
        )
        q, k, v, cache = qkv if cache is not None else (*qkv, None)
        scale = self.head_dim**-0.5
        if not self.need_weights and is_attention_one_op(
            q, k, v, attn_mask, self.training and self.dropout
        ):
            mask = additive_mask_like(attn_mask, q)
            heads = OPS["attention"](q, k, v, mask, scale=scale)
        else:
            scores = matmul(multiply(q, scale), k, transpose_y=True)
            mask = additive_mask_like(attn_mask, scores)
            weights = F.softmax(scores if mask is None else add(scores, mask))
            if self.dropout:
                weights = F.dropout(weights, self.dropout, training=self.training)
            heads = transpose(matmul(weights, v), [0, 2, 1, 3])
        out = self.out_proj(reshape(heads, [0, 0, self.embed_dim]))
        outs = [
            out,
            *([weights] if self.need_weights else []),
            *([cache] if cache is not None else []),
        ]
        return out if len(outs) == 1 else tuple(outs)


class _TransformerLayer(Layer):
    """Base of the encoder and decoder layers: dropout, residual and normalization around a
    sublayer.
    """

    normalize_before: bool
    linear1: Linear
    linear2: Linear
    dropout: Dropout
    activation: Any

    def _apply_with_residual(self, x: Tensor, norm: Layer, dropout: Layer, sublayer: Any) -> Tensor:
        """Return x + dropout(sublayer(x)), normalized before or after."""
        if self.normalize_before:
            return add(x, dropout(sublayer(norm(x))))
        out: Tensor = norm(add(x, dropout(sublayer(x))))
        return out

    def _apply_feed_forward(self, x: Tensor) -> Any:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


def _constructor_args_from_locals(values: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of `__init__`, from its local variables."""
    return {name: value for name, value in values.items() if name not in ("self", "__class__")}


class TransformerEncoderLayer(_TransformerLayer):
    """Encoder layer: self-attention and a feed-forward network (Vaswani et al. 2017).

    x = norm1(x + dropout(self_attn(x)))
    x = norm2(x + dropout(linear2(dropout(activation(linear1(x))))))

    With `normalize_before`, the sublayers get the normalized input: x +
    dropout(self_attn(norm1(x))).

    Parameters
    ----------
    d_model : int
        Features of the input and of the result.
    nhead : int
        Attention heads; divides `d_model`.
    dim_feedforward : int
        Features between the two linear layers.
    dropout : float, default 0.1
    activation : str, default "relu"
        Name of a function of `nn.functional`, such as "gelu".
    attn_dropout, act_dropout : float, optional
        Dropout of the attention weights and after the activation; by default `dropout`.
    normalize_before : bool, default False
    weight_attr, bias_attr : ParamAttr, Initializer, str, False, or list of two of them, optional
        Initialization, name and regularizer of the weights and biases. The items of a list are for
        the attention and for the linear layers. ``bias_attr=False``: no biases.

    Attributes
    ----------
    self_attn : MultiHeadAttention
    linear1, linear2 : Linear
    norm1, norm2 : LayerNorm

    Raises
    ------
    OpError
        If `nhead` does not divide `d_model`, or a list has another number of attributes.

    Examples
    --------
    >>> layer = nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16)
    >>> layer(paddle.zeros([2, 5, 8])).shape
    [2, 5, 8]
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int,
        dropout: float = 0.1,
        activation: str = "relu",
        attn_dropout: float | None = None,
        act_dropout: float | None = None,
        normalize_before: bool = False,
        weight_attr: ParamAttrLike | Sequence[ParamAttrLike | None] | None = None,
        bias_attr: ParamAttrLike | Sequence[ParamAttrLike | None] | None = None,
    ) -> None:
        config = _constructor_args_from_locals(locals())
        super().__init__()
        self._config, self.normalize_before = config, normalize_before
        weights, biases = attrs_per_sublayer(weight_attr, 2), attrs_per_sublayer(bias_attr, 2)
        attention_dropout = dropout if attn_dropout is None else attn_dropout
        self.self_attn = MultiHeadAttention(
            d_model, nhead, attention_dropout, weight_attr=weights[0], bias_attr=biases[0]
        )
        self.linear1 = Linear(d_model, dim_feedforward, weights[1], biases[1])
        self.dropout = Dropout(dropout if act_dropout is None else act_dropout)
        self.linear2 = Linear(dim_feedforward, d_model, weights[1], biases[1])
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)
        self.dropout1, self.dropout2 = Dropout(dropout), Dropout(dropout)
        self.activation = activation_function(type(self).__name__, activation)

    def forward(
        self, src: Tensor, src_mask: Tensor | None = None, cache: Cache | None = None
    ) -> Any:
        """Compute the output of the layer.

        Parameters
        ----------
        src : Tensor [B, L, d_model], float
        src_mask : Tensor, optional
            Broadcast to [B, nhead, L, L]. Float: added to the scores. Bool or int: positions that
            are False or 0 are masked.
        cache : MultiHeadAttention.Cache, optional
            Result of `gen_cache` or of the previous call.

        Returns
        -------
        out : Tensor [B, L, d_model]
        cache : MultiHeadAttention.Cache
            Only if `cache` is given: with the keys and values of this call appended.

        Examples
        --------
        >>> layer = nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16)
        >>> mask = paddle.to_tensor([[[[True, True, False]]]])  # the last position is padding
        >>> layer(paddle.zeros([1, 3, 8]), mask).shape
        [1, 3, 8]
        """
        mask, new_caches = additive_mask_like(src_mask, src), []

        def attend_and_collect_cache(x: Tensor) -> Any:
            out = self.self_attn(x, x, x, mask, cache)
            if cache is None:
                return out
            new_caches.append(out[-1])
            return out[0]

        src = self._apply_with_residual(src, self.norm1, self.dropout1, attend_and_collect_cache)
        src = self._apply_with_residual(src, self.norm2, self.dropout2, self._apply_feed_forward)
        return src if cache is None else (src, new_caches[0])

    def gen_cache(self, src: Tensor) -> Cache:
        """Create an empty cache of the self-attention.

        Parameters
        ----------
        src : Tensor [B, L, d_model]
            Its batch size and dtype are those of the cache.

        Returns
        -------
        MultiHeadAttention.Cache
            A named tuple of k and v, each [B, nhead, 0, d_model / nhead].

        Examples
        --------
        >>> layer = nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16)
        >>> token = paddle.zeros([1, 1, 8])
        >>> out, cache = layer(token, cache=layer.gen_cache(token))
        >>> cache.k.shape
        [1, 2, 1, 4]
        """
        return self.self_attn.gen_cache(src, type=Cache)


def _layer_and_reconstructed_copies(layer: Any, count: int) -> LayerList:
    """Return the layer and `count` - 1 new layers with the same arguments."""
    return LayerList([layer, *(type(layer)(**copy.copy(layer._config)) for _ in range(count - 1))])


class TransformerEncoder(Layer):
    """Encoder: several encoder layers, one after the other.

    Parameters
    ----------
    encoder_layer : TransformerEncoderLayer
        The first layer. The others are created with its arguments and have parameters of their own.
    num_layers : int
    norm : Layer, optional
        Applied to the output of the last layer.

    Attributes
    ----------
    layers : LayerList

    Examples
    --------
    >>> layer = nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16)
    >>> encoder = nn.TransformerEncoder(layer, num_layers=2, norm=nn.LayerNorm(8))
    >>> encoder(paddle.zeros([2, 5, 8])).shape
    [2, 5, 8]
    """

    def __init__(self, encoder_layer: Layer, num_layers: int, norm: Layer | None = None) -> None:
        super().__init__()
        self.layers = _layer_and_reconstructed_copies(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self, src: Tensor, src_mask: Tensor | None = None, cache: Sequence[Cache] | None = None
    ) -> Any:
        """Compute the output of all layers.

        Parameters
        ----------
        src : Tensor [B, L, d_model], float
        src_mask : Tensor, optional
            Broadcast to [B, nhead, L, L]. Float: added to the scores. Bool or int: positions that
            are False or 0 are masked.
        cache : list of MultiHeadAttention.Cache, optional
            One per layer: the result of `gen_cache` or of the previous call.

        Returns
        -------
        out : Tensor [B, L, d_model]
        cache : list of MultiHeadAttention.Cache
            Only if `cache` is given: with the keys and values of this call appended.

        Examples
        --------
        >>> layer = nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16)
        >>> encoder = nn.TransformerEncoder(layer, num_layers=2)
        >>> padding = paddle.to_tensor([[[[True, True, False]]]])
        >>> encoder(paddle.zeros([1, 3, 8]), padding).shape
        [1, 3, 8]
        """
        mask, new_caches = additive_mask_like(src_mask, src), []
        for i, layer in enumerate(self.layers):
            if cache is None:
                src = layer(src, src_mask=mask)
            else:
                src, new_cache = layer(src, src_mask=mask, cache=cache[i])
                new_caches.append(new_cache)
        out = src if self.norm is None else self.norm(src)
        return out if cache is None else (out, new_caches)

    def gen_cache(self, src: Tensor) -> list[Cache]:
        """Create an empty cache for each layer.

        Parameters
        ----------
        src : Tensor [B, L, d_model]
            Its batch size and dtype are those of the caches.

        Returns
        -------
        list of MultiHeadAttention.Cache

        Examples
        --------
        >>> layer = nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16)
        >>> encoder, token = nn.TransformerEncoder(layer, num_layers=2), paddle.zeros([1, 1, 8])
        >>> out, caches = encoder(token, cache=encoder.gen_cache(token))
        >>> [cache.k.shape for cache in caches]
        [[1, 2, 1, 4], [1, 2, 1, 4]]
        """
        layers: Any = self.layers
        return [layer.gen_cache(src) for layer in layers]


class TransformerDecoderLayer(_TransformerLayer):
    """Decoder layer: self-attention, cross-attention, feed-forward network (Vaswani et al. 2017).

    x = norm1(x + dropout(self_attn(x)))
    x = norm2(x + dropout(cross_attn(x, memory)))
    x = norm3(x + dropout(linear2(dropout(activation(linear1(x))))))

    With `normalize_before`, the sublayers get the normalized input: x +
    dropout(self_attn(norm1(x))).

    Parameters
    ----------
    d_model : int
        Features of the input, of the memory and of the result.
    nhead : int
        Attention heads; divides `d_model`.
    dim_feedforward : int
        Features between the two linear layers.
    dropout : float, default 0.1
    activation : str, default "relu"
        Name of a function of `nn.functional`, such as "gelu".
    attn_dropout, act_dropout : float, optional
        Dropout of the attention weights and after the activation; by default `dropout`.
    normalize_before : bool, default False
    weight_attr, bias_attr : ParamAttr, Initializer, str, False, or list of three of them, optional
        Initialization, name and regularizer of the weights and biases. The items of a list are for
        the self-attention, the cross-attention and the linear layers. ``bias_attr=False``: no
        biases.

    Attributes
    ----------
    self_attn, cross_attn : MultiHeadAttention
    linear1, linear2 : Linear
    norm1, norm2, norm3 : LayerNorm

    Raises
    ------
    OpError
        If `nhead` does not divide `d_model`, or a list has another number of attributes.

    Examples
    --------
    >>> layer = nn.TransformerDecoderLayer(d_model=8, nhead=2, dim_feedforward=16)
    >>> layer(paddle.zeros([2, 3, 8]), paddle.zeros([2, 5, 8])).shape
    [2, 3, 8]
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int,
        dropout: float = 0.1,
        activation: str = "relu",
        attn_dropout: float | None = None,
        act_dropout: float | None = None,
        normalize_before: bool = False,
        weight_attr: ParamAttrLike | Sequence[ParamAttrLike | None] | None = None,
        bias_attr: ParamAttrLike | Sequence[ParamAttrLike | None] | None = None,
    ) -> None:
        config = _constructor_args_from_locals(locals())
        super().__init__()
        self._config, self.normalize_before = config, normalize_before
        weights, biases = attrs_per_sublayer(weight_attr, 3), attrs_per_sublayer(bias_attr, 3)
        attention_dropout = dropout if attn_dropout is None else attn_dropout
        self.self_attn, self.cross_attn = (
            MultiHeadAttention(d_model, nhead, attention_dropout, weight_attr=w, bias_attr=b)
            for w, b in zip(weights[:2], biases[:2], strict=True)
        )
        self.linear1 = Linear(d_model, dim_feedforward, weights[2], biases[2])
        self.dropout = Dropout(dropout if act_dropout is None else act_dropout)
        self.linear2 = Linear(dim_feedforward, d_model, weights[2], biases[2])
        self.norm1, self.norm2, self.norm3 = (LayerNorm(d_model) for _ in range(3))
        self.dropout1, self.dropout2, self.dropout3 = (Dropout(dropout) for _ in range(3))
        self.activation = activation_function(type(self).__name__, activation)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        cache: tuple[Cache, StaticCache] | None = None,
    ) -> Any:
        """Compute the output of the layer.

        Parameters
        ----------
        tgt : Tensor [B, L, d_model], float
        memory : Tensor [B, S, d_model], float
            The output of the encoder.
        tgt_mask, memory_mask : Tensor, optional
            Masks of the self-attention and of the cross-attention, broadcast to [B, nhead, L, L]
            and [B, nhead, L, S]. Float: added to the scores. Bool or int: positions that are False
            or 0 are masked.
        cache : (MultiHeadAttention.Cache, MultiHeadAttention.StaticCache), optional
            Of the target and of the memory: the result of `gen_cache` or of the previous call.

        Returns
        -------
        out : Tensor [B, L, d_model]
        cache : (MultiHeadAttention.Cache, MultiHeadAttention.StaticCache)
            Only if `cache` is given: the first with the keys and values of this call appended.

        Examples
        --------
        >>> layer = nn.TransformerDecoderLayer(d_model=8, nhead=2, dim_feedforward=16)
        >>> causal = paddle.tril(paddle.ones([3, 3])).astype("bool")
        >>> layer(paddle.zeros([2, 3, 8]), paddle.zeros([2, 5, 8]), causal).shape
        [2, 3, 8]
        """
        self_mask, cross_mask = (
            additive_mask_like(tgt_mask, tgt),
            additive_mask_like(memory_mask, memory),
        )
        new_caches: list[Any] = []

        def attend_and_collect_cache(
            layer: Any, x: Tensor, source: Tensor, mask: Tensor | None
        ) -> Any:
            out = layer(x, source, source, mask, None if cache is None else cache[len(new_caches)])
            if cache is None:
                return out
            new_caches.append(out[-1])
            return out[0]

        tgt = self._apply_with_residual(
            tgt,
            self.norm1,
            self.dropout1,
            lambda x: attend_and_collect_cache(self.self_attn, x, x, self_mask),
        )
        tgt = self._apply_with_residual(
            tgt,
            self.norm2,
            self.dropout2,
            lambda x: attend_and_collect_cache(self.cross_attn, x, memory, cross_mask),
        )
        tgt = self._apply_with_residual(tgt, self.norm3, self.dropout3, self._apply_feed_forward)
        return tgt if cache is None else (tgt, tuple(new_caches))

    def gen_cache(self, memory: Tensor) -> tuple[Cache, StaticCache]:
        """Create an empty cache of the self-attention, and a cache of the memory.

        Parameters
        ----------
        memory : Tensor [B, S, d_model], float
            The output of the encoder.

        Returns
        -------
        (MultiHeadAttention.Cache, MultiHeadAttention.StaticCache)
            Named tuples of k and v, [B, nhead, 0, d_model / nhead] and [B, nhead, S, d_model /
            nhead].

        Examples
        --------
        >>> layer = nn.TransformerDecoderLayer(d_model=8, nhead=2, dim_feedforward=16)
        >>> cache, static_cache = layer.gen_cache(paddle.zeros([1, 5, 8]))
        >>> cache.k.shape, static_cache.k.shape
        ([1, 2, 0, 4], [1, 2, 5, 4])
        """
        return self.self_attn.gen_cache(memory, type=Cache), self.cross_attn.gen_cache(
            memory, memory, StaticCache
        )


class TransformerDecoder(Layer):
    """Decoder: several decoder layers, one after the other.

    Parameters
    ----------
    decoder_layer : TransformerDecoderLayer
        The first layer. The others are created with its arguments and have parameters of their own.
    num_layers : int
    norm : Layer, optional
        Applied to the output of the last layer.

    Attributes
    ----------
    layers : LayerList

    Examples
    --------
    >>> layer = nn.TransformerDecoderLayer(d_model=8, nhead=2, dim_feedforward=16)
    >>> decoder = nn.TransformerDecoder(layer, num_layers=2, norm=nn.LayerNorm(8))
    >>> decoder(paddle.zeros([2, 3, 8]), paddle.zeros([2, 5, 8])).shape
    [2, 3, 8]
    """

    def __init__(self, decoder_layer: Layer, num_layers: int, norm: Layer | None = None) -> None:
        super().__init__()
        self.layers = _layer_and_reconstructed_copies(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        cache: Sequence[tuple[Cache, StaticCache]] | None = None,
    ) -> Any:
        """Compute the output of all layers.

        Parameters
        ----------
        tgt : Tensor [B, L, d_model], float
        memory : Tensor [B, S, d_model], float
            The output of the encoder.
        tgt_mask, memory_mask : Tensor, optional
            Masks of the self-attention and of the cross-attention, broadcast to [B, nhead, L, L]
            and [B, nhead, L, S]. Float: added to the scores. Bool or int: positions that are False
            or 0 are masked.
        cache : list of (MultiHeadAttention.Cache, MultiHeadAttention.StaticCache), optional
            One pair per layer: the result of `gen_cache` or of the previous call.

        Returns
        -------
        out : Tensor [B, L, d_model]
        cache : list of (MultiHeadAttention.Cache, MultiHeadAttention.StaticCache)
            Only if `cache` is given: with the keys and values of this call appended.

        Examples
        --------
        >>> layer = nn.TransformerDecoderLayer(d_model=8, nhead=2, dim_feedforward=16)
        >>> decoder = nn.TransformerDecoder(layer, num_layers=2)
        >>> memory, token = paddle.zeros([1, 5, 8]), paddle.zeros([1, 1, 8])
        >>> out, cache = decoder(token, memory, cache=decoder.gen_cache(memory))
        >>> out.shape, cache[0][0].k.shape
        ([1, 1, 8], [1, 2, 1, 4])
        """
        self_mask, cross_mask = (
            additive_mask_like(tgt_mask, tgt),
            additive_mask_like(memory_mask, memory),
        )
        new_caches = []
        for i, layer in enumerate(self.layers):
            if cache is None:
                tgt = layer(tgt, memory, self_mask, cross_mask)
            else:
                tgt, new_cache = layer(tgt, memory, self_mask, cross_mask, cache[i])
                new_caches.append(new_cache)
        out = tgt if self.norm is None else self.norm(tgt)
        return out if cache is None else (out, new_caches)

    def gen_cache(self, memory: Tensor, do_zip: bool = False) -> list[Any]:
        """Create the caches of each layer.

        Parameters
        ----------
        memory : Tensor [B, S, d_model], float
            The output of the encoder.
        do_zip : bool, default False
            Whether to return the caches as one tuple of Cache and one tuple of StaticCache.

        Returns
        -------
        list of (MultiHeadAttention.Cache, MultiHeadAttention.StaticCache)
            One pair per layer; with `do_zip` the list of the two tuples.

        Examples
        --------
        >>> layer = nn.TransformerDecoderLayer(d_model=8, nhead=2, dim_feedforward=16)
        >>> caches = nn.TransformerDecoder(layer, num_layers=3).gen_cache(paddle.zeros([1, 5, 8]))
        >>> len(caches), caches[0][1].k.shape
        (3, [1, 2, 5, 4])
        """
        layers: Any = self.layers
        caches = [layer.gen_cache(memory) for layer in layers]
        return list(zip(*caches, strict=True)) if do_zip else caches


def _split_param_attr_for_encoder_and_decoder(attr: Any) -> tuple[Any, Any]:
    """Return the attributes of encoder and decoder layers, from one attribute or a list of one to
    three.
    """
    if not isinstance(attr, list | tuple):
        return attr, attr
    if len(attr) not in (1, 2, 3):
        raise OpError(
            append_user_line(f"Transformer: expected one to three attributes, got {len(attr)}")
        )
    first, last = attr[0], attr[-1]
    return [first, last], list(attr) if len(attr) == 3 else [first, first, last]


class Transformer(Layer):
    """Encoder-decoder model for sequences (Vaswani et al. 2017).

    The encoder maps the source to a memory; the decoder maps the target and the memory to the
    result. The model has neither embeddings nor positional encodings.

    Parameters
    ----------
    d_model : int, default 512
        Features of source, target and result.
    nhead : int, default 8
        Attention heads; divides `d_model`.
    num_encoder_layers, num_decoder_layers : int, default 6
    dim_feedforward : int, default 2048
    dropout : float, default 0.1
    activation : str, default "relu"
        Name of a function of `nn.functional`, such as "gelu".
    attn_dropout, act_dropout : float, optional
        Dropout of the attention weights and after the activation; by default `dropout`.
    normalize_before : bool, default False
        Whether sublayers get the normalized input, instead of their output being normalized.
    weight_attr, bias_attr : ParamAttr, Initializer, str, False, or list of them, optional
        Initialization, name and regularizer of the weights and biases. A list has one attribute for
        all layers, two for attention and linear layers, or three for self-attention,
        cross-attention and linear layers. ``bias_attr=False``: no biases.
    custom_encoder, custom_decoder : Layer, optional
        Used instead of a `TransformerEncoder` or `TransformerDecoder` with a final `LayerNorm`.

    Attributes
    ----------
    encoder, decoder : Layer

    Raises
    ------
    OpError
        If `nhead` does not divide `d_model`, or a list has another number of attributes.

    Examples
    --------
    >>> model = nn.Transformer(8, 2, 1, 1, dim_feedforward=16)
    >>> model(paddle.zeros([2, 5, 8]), paddle.zeros([2, 3, 8])).shape
    [2, 3, 8]
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str = "relu",
        attn_dropout: float | None = None,
        act_dropout: float | None = None,
        normalize_before: bool = False,
        weight_attr: ParamAttrLike | Sequence[ParamAttrLike | None] | None = None,
        bias_attr: ParamAttrLike | Sequence[ParamAttrLike | None] | None = None,
        custom_encoder: Layer | None = None,
        custom_decoder: Layer | None = None,
    ) -> None:
        super().__init__()
        weights, biases = (
            _split_param_attr_for_encoder_and_decoder(weight_attr),
            _split_param_attr_for_encoder_and_decoder(bias_attr),
        )
        args = (
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            attn_dropout,
            act_dropout,
            normalize_before,
        )
        if custom_encoder is None:
            layer: Layer = TransformerEncoderLayer(*args, weights[0], biases[0])
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, LayerNorm(d_model))
        self.encoder = custom_encoder
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*args, weights[1], biases[1])
            custom_decoder = TransformerDecoder(layer, num_decoder_layers, LayerNorm(d_model))
        self.decoder = custom_decoder
        self.d_model, self.nhead = d_model, nhead

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        """Compute the output of the decoder.

        Parameters
        ----------
        src : Tensor [B, S, d_model], float
        tgt : Tensor [B, L, d_model], float
        src_mask, tgt_mask, memory_mask : Tensor, optional
            Masks of the self-attention of the encoder, of the self-attention of the decoder and of
            the cross-attention, broadcast to [B, nhead, S, S], [B, nhead, L, L] and [B, nhead, L,
            S]. Float: added to the scores. Bool or int: positions that are False or 0 are masked.

        Returns
        -------
        Tensor [B, L, d_model]

        Examples
        --------
        >>> model = nn.Transformer(8, 2, 1, 1, dim_feedforward=16)
        >>> causal = model.generate_square_subsequent_mask(3)
        >>> model(paddle.zeros([2, 5, 8]), paddle.zeros([2, 3, 8]), tgt_mask=causal).shape
        [2, 3, 8]
        """
        memory = self.encoder(src, src_mask=additive_mask_like(src_mask, src))
        out: Tensor = self.decoder(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask)
        return out

    def generate_square_subsequent_mask(self, length: int) -> Tensor:
        """Return the causal mask: 0 on and below the diagonal, -inf above.

        Parameters
        ----------
        length : int

        Returns
        -------
        Tensor [length, length], the default dtype

        Examples
        --------
        >>> nn.Transformer(8, 2, 1, 1, 16).generate_square_subsequent_mask(2).tolist()
        [[0.0, -inf], [0.0, 0.0]]
        """
        return triu(full([length, length], float("-inf")), 1)
