"""Attention and the encoder of a Transformer   (Vaswani et al. 2017).   Sequences are [batch, length, embed_dim]."""

from __future__ import annotations

import copy
from typing import Any

from ..core.errors import OpError
from ..core.tensor import Tensor
from ..tensor.convert import cast
from ..tensor.linalg import matmul
from ..tensor.manipulation import reshape, transpose
from ..tensor.math import add, multiply, subtract
from . import functional as F
from .common import Dropout, Linear
from .container import LayerList
from .layer import Layer
from .norm import LayerNorm

__all__ = ["MultiHeadAttention", "TransformerEncoder", "TransformerEncoderLayer"]


def additive_mask(mask: Tensor | None, dtype: Any) -> Tensor | None:
    """A bool or int mask (False hides) as what is added to the scores: 0 or -1e9."""
    if mask is None or mask.meta.dtype.kind == "f":
        return mask
    return multiply(subtract(cast(mask, dtype), 1.0), 1e9)


class MultiHeadAttention(Layer):
    """Attention of several heads.   query [B, L, E], key [B, S, kdim], value [B, S, vdim] -> [B, L, E]

    attn_mask: bool or additive, broadcast to [B, num_heads, L, S].
    """

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, kdim: int | None = None, vdim: int | None = None,
        need_weights: bool = False, weight_attr: Any = None, bias_attr: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if embed_dim % num_heads:
            raise OpError(f"MultiHeadAttention: num_heads={num_heads} does not divide embed_dim={embed_dim}")
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.dropout, self.need_weights = dropout, need_weights
        self.q_proj = Linear(embed_dim, embed_dim, weight_attr, bias_attr)
        self.k_proj = Linear(kdim or embed_dim, embed_dim, weight_attr, bias_attr)
        self.v_proj = Linear(vdim or embed_dim, embed_dim, weight_attr, bias_attr)
        self.out_proj = Linear(embed_dim, embed_dim, weight_attr, bias_attr)

    def _heads(self, x: Tensor) -> Tensor:
        """[B, L, E] -> [B, num_heads, L, head_dim]"""
        return transpose(reshape(x, [0, 0, self.num_heads, self.head_dim]), [0, 2, 1, 3])

    def forward(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        attn_mask: Tensor | None = None,
        cache: Any = None,
    ) -> Any:
        """See the class.   With need_weights also the weights [B, num_heads, L, S]."""
        if cache is not None:
            raise OpError("MultiHeadAttention: a cache is not supported")
        key = query if key is None else key
        value = key if value is None else value
        q = self._heads(self.q_proj(query))
        k, v = self.k_proj(key), self.v_proj(value)
        scores = matmul(multiply(q, self.head_dim**-0.5), self._heads(k), transpose_y=True)
        mask = additive_mask(attn_mask, scores.dtype)
        weights = F.softmax(scores if mask is None else add(scores, mask))
        if self.dropout:
            weights = F.dropout(weights, self.dropout, training=self.training)
        out = transpose(matmul(weights, self._heads(v)), [0, 2, 1, 3])
        out = self.out_proj(reshape(out, [0, 0, self.embed_dim]))
        return (out, weights) if self.need_weights else out


class TransformerEncoderLayer(Layer):
    """Self-attention and a feed-forward net, each with dropout, residual and normalisation.   x [B, L, d_model] -> like x"""

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int, dropout: float = 0.1, activation: str = "relu",
        attn_dropout: float | None = None, act_dropout: float | None = None, normalize_before: bool = False, weight_attr: Any = None,
        bias_attr: Any = None, layer_norm_eps: float = 1e-5,
    ) -> None:  # fmt: skip
        config = {name: value for name, value in locals().items() if name not in ("self", "__class__")}
        super().__init__()
        self._config = config
        self.normalize_before = normalize_before
        attn_dropout = dropout if attn_dropout is None else attn_dropout
        act_dropout = dropout if act_dropout is None else act_dropout
        self.self_attn = MultiHeadAttention(d_model, nhead, attn_dropout, weight_attr=weight_attr, bias_attr=bias_attr)
        self.linear1 = Linear(d_model, dim_feedforward, weight_attr, bias_attr)
        self.dropout = Dropout(act_dropout)
        self.linear2 = Linear(dim_feedforward, d_model, weight_attr, bias_attr)
        self.norm1 = LayerNorm(d_model, layer_norm_eps)
        self.norm2 = LayerNorm(d_model, layer_norm_eps)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = getattr(F, activation)

    def forward(self, src: Tensor, src_mask: Tensor | None = None, cache: Any = None) -> Tensor:
        """See the class."""
        mask = additive_mask(src_mask, src.dtype)
        x = self.norm1(src) if self.normalize_before else src
        src = add(src, self.dropout1(self.self_attn(x, x, x, mask)))
        src = src if self.normalize_before else self.norm1(src)
        x = self.norm2(src) if self.normalize_before else src
        src = add(src, self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x))))))
        return src if self.normalize_before else self.norm2(src)


class TransformerEncoder(Layer):
    """Several encoder layers, the first one given, the others made anew like it.   x [B, L, d_model] -> like x"""

    def __init__(self, encoder_layer: TransformerEncoderLayer, num_layers: int, norm: Layer | None = None) -> None:
        super().__init__()
        more = [type(encoder_layer)(**copy.copy(encoder_layer._config)) for _ in range(num_layers - 1)]
        self.layers = LayerList([encoder_layer, *more])
        self.num_layers = num_layers
        self.norm = norm

    def forward(self, src: Tensor, src_mask: Tensor | None = None, cache: Any = None) -> Tensor:
        """See the class."""
        mask = additive_mask(src_mask, src.dtype)
        for layer in self.layers:
            src = layer(src, src_mask=mask)
        return src if self.norm is None else self.norm(src)
