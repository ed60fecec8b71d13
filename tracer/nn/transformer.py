"""Attention, and the encoder and decoder of a Transformer (Vaswani et al. 2017).

Sequences are [batch, length, embed_dim].
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

from ..core.dtype import is_real
from ..core.errors import OpError, with_user_line
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
from .functional.sequence import additive
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


def additive_mask(mask: Tensor | None, scores: Tensor) -> Tensor | None:
    """A bool or int mask (False hides) as what is added to the scores, or to what has their dtype:
    0 or -1e9.
    """
    try:
        dtype = scores.dtype
    except AttributeError:
        raise not_a_tensor_error(scores) from None
    return as_added(mask, dtype)


def as_added(mask: Tensor | None, dtype: Any) -> Tensor | None:
    """What is added to scores of `dtype` for a mask: a bool or int one (False hides) becomes 0 or
    -1e9.

    [*] -> [*]
    """
    if mask is None:
        return None
    check_tensors(mask)
    return cast(mask, dtype) if is_real(mask.meta.dtype) else additive(mask, dtype)


def each_part(attr: Any, count: int) -> list[Any]:
    """One attribute for each of `count` parts; a name gets the part's number."""
    if isinstance(attr, list | tuple):
        if len(attr) != count:
            raise OpError(
                with_user_line(
                    f"Transformer: {len(attr)} attributes are not the {count} of its parts"
                )
            )
        return list(attr)
    if attr is None or isinstance(attr, bool):
        return [attr] * count
    parts = [copy.copy(ParamAttr.of(attr)) for _ in range(count)]
    for i, part in enumerate(parts):
        if part is not None and part.name:
            part.name = f"{part.name}_{i}"
    return parts


class Cache(NamedTuple):
    """Keys and values of the steps so far, each [B, num_heads, length, head_dim]: new ones are
    added.
    """

    k: Tensor
    v: Tensor


class StaticCache(NamedTuple):
    """Keys and values of a whole memory, each [B, num_heads, length, head_dim]."""

    k: Tensor
    v: Tensor


class MultiHeadAttention(Layer):
    """Attention of several heads.

    query [B, L, E], key [B, S, kdim], value [B, S, vdim] -> [B, L, E]

    attn_mask: bool or additive, broadcast to [B, num_heads, L, S].
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

    def _heads(self, x: Tensor) -> Tensor:
        """[B, L, E] -> [B, num_heads, L, head_dim]"""
        return transpose(reshape(x, [0, 0, self.num_heads, self.head_dim]), [0, 2, 1, 3])

    def compute_kv(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values of all heads.

        key [B, S, kdim], value [B, S, vdim] -> two [B, num_heads, S, head_dim]
        """
        return self._heads(self.k_proj(key)), self._heads(self.v_proj(value))

    def _prepare_qkv(self, query: Tensor, key: Tensor, value: Tensor, cache: Any = None) -> Any:
        """Queries, keys and values of all heads, and with a cache also that, grown.

        Model libraries put theirs in its place: rotated ones.
        """
        q = self._heads(self.q_proj(query))
        k, v = cache if isinstance(cache, self.StaticCache) else self.compute_kv(key, value)
        if isinstance(cache, self.Cache):
            cache = self.Cache(concat([cache.k, k], 2), concat([cache.v, v], 2))
            k, v = cache
        return (q, k, v) if cache is None else (q, k, v, cache)

    def gen_cache(self, key: Tensor, value: Tensor | None = None, type: Any = Cache) -> Any:
        """A cache to begin with: of a whole memory (StaticCache), of given keys and values, or an
        empty one.
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
        """See the class.

        With need_weights also the weights [B, num_heads, L, S]; with a cache also that, grown.
        """
        found = self._prepare_qkv(
            query, query if key is None else key, query if value is None else value, cache
        )
        q, k, v, cache = found if cache is not None else (*found, None)
        scores = matmul(multiply(q, self.head_dim**-0.5), k, transpose_y=True)
        mask = additive_mask(attn_mask, scores)
        weights = F.softmax(scores if mask is None else add(scores, mask))
        if self.dropout:
            weights = F.dropout(weights, self.dropout, training=self.training)
        out = transpose(matmul(weights, v), [0, 2, 1, 3])
        out = self.out_proj(reshape(out, [0, 0, self.embed_dim]))
        outs = [
            out,
            *([weights] if self.need_weights else []),
            *([cache] if cache is not None else []),
        ]
        return out if len(outs) == 1 else tuple(outs)


class _Block(Layer):
    """What the layers of encoder and decoder share: steps with dropout, residual and
    normalisation.
    """

    normalize_before: bool
    linear1: Linear
    linear2: Linear
    dropout: Dropout
    activation: Any

    def _step(self, x: Tensor, norm: Layer, dropout: Layer, of: Any) -> Tensor:
        """x plus what `of` makes of it, normalised before or after."""
        if self.normalize_before:
            return add(x, dropout(of(norm(x))))
        found: Tensor = norm(add(x, dropout(of(x))))
        return found

    def _feed_forward(self, x: Tensor) -> Any:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


def _settings(values: dict[str, Any]) -> dict[str, Any]:
    """The arguments of an __init__, to make another layer like it."""
    return {name: value for name, value in values.items() if name not in ("self", "__class__")}


class TransformerEncoderLayer(_Block):
    """Self-attention and a feed-forward net, each with dropout, residual and normalisation.

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
        config = _settings(locals())
        super().__init__()
        self._config, self.normalize_before = config, normalize_before
        weights, biases = each_part(weight_attr, 2), each_part(bias_attr, 2)
        attention = dropout if attn_dropout is None else attn_dropout
        self.self_attn = MultiHeadAttention(
            d_model, nhead, attention, weight_attr=weights[0], bias_attr=biases[0]
        )
        self.linear1 = Linear(d_model, dim_feedforward, weights[1], biases[1])
        self.dropout = Dropout(dropout if act_dropout is None else act_dropout)
        self.linear2 = Linear(dim_feedforward, d_model, weights[1], biases[1])
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)
        self.dropout1, self.dropout2 = Dropout(dropout), Dropout(dropout)
        self.activation = getattr(F, activation)

    def forward(self, src: Tensor, src_mask: Tensor | None = None, cache: Any = None) -> Any:
        """See the class.

        With a cache also that, grown.
        """
        mask, grown = additive_mask(src_mask, src), []

        def attend(x: Tensor) -> Any:
            found = self.self_attn(x, x, x, mask, cache)
            if cache is None:
                return found
            grown.append(found[-1])
            return found[0]

        src = self._step(src, self.norm1, self.dropout1, attend)
        src = self._step(src, self.norm2, self.dropout2, self._feed_forward)
        return src if cache is None else (src, grown[0])

    def gen_cache(self, src: Tensor) -> Any:
        """An empty cache for sequences with the batch size of src."""
        return self.self_attn.gen_cache(src, type=Cache)


def _copies(layer: Any, count: int) -> LayerList:
    """The layer, and others made anew like it."""
    return LayerList([layer, *(type(layer)(**copy.copy(layer._config)) for _ in range(count - 1))])


class TransformerEncoder(Layer):
    """Several encoder layers, the first one given, the others made anew like it.

    src [B, L, d_model] -> like src
    """

    def __init__(self, encoder_layer: Any, num_layers: int, norm: Layer | None = None) -> None:
        super().__init__()
        self.layers = _copies(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(self, src: Tensor, src_mask: Tensor | None = None, cache: Any = None) -> Any:
        """See the class.

        cache: one for each layer; given back grown.
        """
        mask, grown = additive_mask(src_mask, src), []
        for i, layer in enumerate(self.layers):
            if cache is None:
                src = layer(src, src_mask=mask)
            else:
                src, new = layer(src, src_mask=mask, cache=cache[i])
                grown.append(new)
        out = src if self.norm is None else self.norm(src)
        return out if cache is None else (out, grown)

    def gen_cache(self, src: Tensor) -> list[Any]:
        """An empty cache for each layer."""
        layers: Any = self.layers
        return [layer.gen_cache(src) for layer in layers]


class TransformerDecoderLayer(_Block):
    """Self-attention, attention to a memory, and a feed-forward net.

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
        config = _settings(locals())
        super().__init__()
        self._config, self.normalize_before = config, normalize_before
        weights, biases = each_part(weight_attr, 3), each_part(bias_attr, 3)
        attention = dropout if attn_dropout is None else attn_dropout
        self.self_attn, self.cross_attn = (
            MultiHeadAttention(d_model, nhead, attention, weight_attr=w, bias_attr=b)
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
        """See the class.

        cache: one of this layer's sequence and one of the memory; given back grown.
        """
        own, other = additive_mask(tgt_mask, tgt), additive_mask(memory_mask, memory)
        grown: list[Any] = []

        def attend(layer: Any, x: Tensor, to: Tensor, mask: Tensor | None) -> Any:
            found = layer(x, to, to, mask, None if cache is None else cache[len(grown)])
            if cache is None:
                return found
            grown.append(found[-1])
            return found[0]

        tgt = self._step(
            tgt, self.norm1, self.dropout1, lambda x: attend(self.self_attn, x, x, own)
        )
        tgt = self._step(
            tgt, self.norm2, self.dropout2, lambda x: attend(self.cross_attn, x, memory, other)
        )
        tgt = self._step(tgt, self.norm3, self.dropout3, self._feed_forward)
        return tgt if cache is None else (tgt, tuple(grown))

    def gen_cache(self, memory: Tensor) -> tuple[Any, Any]:
        """An empty cache for the sequence, and one of the memory."""
        return self.self_attn.gen_cache(memory, type=Cache), self.cross_attn.gen_cache(
            memory, memory, StaticCache
        )


class TransformerDecoder(Layer):
    """Several decoder layers, the first one given, the others made anew like it.

    tgt [B, L, d_model], memory [B, S, d_model] -> like tgt
    """

    def __init__(self, decoder_layer: Any, num_layers: int, norm: Layer | None = None) -> None:
        super().__init__()
        self.layers = _copies(decoder_layer, num_layers)
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
        """See the class.

        cache: one for each layer; given back grown.
        """
        own, other = additive_mask(tgt_mask, tgt), additive_mask(memory_mask, memory)
        grown = []
        for i, layer in enumerate(self.layers):
            if cache is None:
                tgt = layer(tgt, memory, own, other)
            else:
                tgt, new = layer(tgt, memory, own, other, cache[i])
                grown.append(new)
        out = tgt if self.norm is None else self.norm(tgt)
        return out if cache is None else (out, grown)

    def gen_cache(self, memory: Tensor, do_zip: bool = False) -> list[Any]:
        """A cache for each layer; do_zip: those of the sequence apart from those of the memory."""
        layers: Any = self.layers
        caches = [layer.gen_cache(memory) for layer in layers]
        return list(zip(*caches, strict=True)) if do_zip else caches


def _parts(attr: Any) -> tuple[Any, Any]:
    """The attributes of encoder and decoder layers, from one for all, or a list of one, two or
    three.
    """
    if not isinstance(attr, list | tuple):
        return attr, attr
    if len(attr) not in (1, 2, 3):
        raise OpError(
            with_user_line(f"Transformer: {len(attr)} attributes are not one, two or three")
        )
    first, last = attr[0], attr[-1]
    return [first, last], list(attr) if len(attr) == 3 else [first, first, last]


class Transformer(Layer):
    """An encoder and a decoder.

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
        weights, biases = _parts(weight_attr), _parts(bias_attr)
        common = (
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
            layer: Layer = TransformerEncoderLayer(*common, weights[0], biases[0])
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, LayerNorm(d_model))
        self.encoder = custom_encoder
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*common, weights[1], biases[1])
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
        """See the class.

        Masks: bool, whole or additive.
        """
        memory = self.encoder(src, src_mask=additive_mask(src_mask, src))
        found: Tensor = self.decoder(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask)
        return found

    def generate_square_subsequent_mask(self, length: int) -> Tensor:
        """The mask that hides what comes later: 0 up to the diagonal, minus infinity above.

        -> [length, length]
        """
        return triu(full([length, length], float("-inf")), 1)
