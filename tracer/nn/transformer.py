"""Multi-head attention, and the encoder and decoder of a Transformer (Vaswani et al. 2017).

Sequences are [batch, length, embed_dim].
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

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


class MultiHeadAttention(Layer):
    """Multi-head attention: softmax(q k' / sqrt(head_dim) + mask) v per head.

    query [B, L, E], key [B, S, kdim], value [B, S, vdim] -> [B, L, E]

    attn_mask: bool or additive, broadcast to [B, num_heads, L, S]
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
        weight_attr: Any = None,
        bias_attr: Any = None,
    ) -> None:
        super().__init__()
        if embed_dim % num_heads:
            raise OpError(
                f"MultiHeadAttention: num_heads={num_heads} does not divide embed_dim={embed_dim}"
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
        """Project keys and values and split the heads.

        key [B, S, kdim], value [B, S, vdim] -> two [B, num_heads, S, head_dim]
        """
        return self._split_heads(self.k_proj(key)), self._split_heads(self.v_proj(value))

    def _prepare_qkv(self, query: Tensor, key: Tensor, value: Tensor, cache: Any = None) -> Any:
        """Project queries, keys and values; with a cache also return the extended cache.

        Model libraries override it, e.g. for rotary embeddings.
        """
        q = self._split_heads(self.q_proj(query))
        k, v = cache if isinstance(cache, self.StaticCache) else self.compute_kv(key, value)
        if isinstance(cache, self.Cache):
            cache = self.Cache(concat([cache.k, k], 2), concat([cache.v, v], 2))
            k, v = cache
        return (q, k, v) if cache is None else (q, k, v, cache)

    def gen_cache(self, key: Tensor, value: Tensor | None = None, type: Any = Cache) -> Any:
        """Create a cache: of an encoder output (StaticCache), of given keys and values, or an empty
        one.
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
        cache: Any = None,
    ) -> Any:
        """Compute the attention.

        Also returns the weights [B, num_heads, L, S] if need_weights, and the extended cache if
        there is one.
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
    """Encoder layer: self-attention and a feed-forward network.

    src [B, L, d_model] -> like src
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
        weight_attr: Any = None,
        bias_attr: Any = None,
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
        self.activation = getattr(F, activation)

    def forward(self, src: Tensor, src_mask: Tensor | None = None, cache: Any = None) -> Any:
        """Compute the output of the layer; with `cache`, also return the extended cache."""
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

    def gen_cache(self, src: Tensor) -> Any:
        """Create an empty cache for the batch size of `src`."""
        return self.self_attn.gen_cache(src, type=Cache)


def _layer_and_reconstructed_copies(layer: Any, count: int) -> LayerList:
    """Return the layer and `count` - 1 new layers with the same arguments."""
    return LayerList([layer, *(type(layer)(**copy.copy(layer._config)) for _ in range(count - 1))])


class TransformerEncoder(Layer):
    """Encoder: the given layer and new ones with the same arguments, one after the other.

    src [B, L, d_model] -> like src
    """

    def __init__(self, encoder_layer: Any, num_layers: int, norm: Layer | None = None) -> None:
        super().__init__()
        self.layers = _layer_and_reconstructed_copies(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(self, src: Tensor, src_mask: Tensor | None = None, cache: Any = None) -> Any:
        """Compute the output of all layers. If `cache` is given (one cache per layer), the extended
        caches are also returned.
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

    def gen_cache(self, src: Tensor) -> list[Any]:
        """Create an empty cache for each layer."""
        layers: Any = self.layers
        return [layer.gen_cache(src) for layer in layers]


class TransformerDecoderLayer(_TransformerLayer):
    """Decoder layer: self-attention, cross-attention and a feed-forward network.

    tgt [B, L, d_model], memory [B, S, d_model] -> like tgt
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
        weight_attr: Any = None,
        bias_attr: Any = None,
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
        self.activation = getattr(F, activation)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        cache: Any = None,
    ) -> Any:
        """Compute the output.

        cache: a Cache of the target and a StaticCache of the memory; the extended caches are
        returned
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

    def gen_cache(self, memory: Tensor) -> tuple[Any, Any]:
        """Create an empty cache for the target and a cache of the memory."""
        return self.self_attn.gen_cache(memory, type=Cache), self.cross_attn.gen_cache(
            memory, memory, StaticCache
        )


class TransformerDecoder(Layer):
    """Decoder: the given layer and new ones with the same arguments, one after the other.

    tgt [B, L, d_model], memory [B, S, d_model] -> like tgt
    """

    def __init__(self, decoder_layer: Any, num_layers: int, norm: Layer | None = None) -> None:
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
        cache: Any = None,
    ) -> Any:
        """Compute the output of all layers. If `cache` is given (one cache per layer), the extended
        caches are also returned.
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
        """Create the caches of each layer; with `do_zip` as a list of Caches and a list of
        StaticCaches.
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
    """Encoder-decoder model.

    src [B, S, d_model], tgt [B, L, d_model] -> like tgt
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
        weight_attr: Any = None,
        bias_attr: Any = None,
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
        """Compute the output of the decoder. The masks are bool or int, or floats that are added to
        attention scores.
        """
        memory = self.encoder(src, src_mask=additive_mask_like(src_mask, src))
        out: Tensor = self.decoder(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask)
        return out

    def generate_square_subsequent_mask(self, length: int) -> Tensor:
        """Return the causal mask: 0 on and below the diagonal, -inf above.

        -> [length, length]
        """
        return triu(full([length, length], float("-inf")), 1)
