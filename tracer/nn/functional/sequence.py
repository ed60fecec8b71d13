"""Functions of sequences: CTC and hierarchical sigmoid losses, masks, beams and attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.dtype import float16, is_real, parse_dtype
from ...core.errors import OpError, append_user_line
from ...core.mode import state
from ...core.op import OPS, Meta
from ...core.tensor import Tensor
from ...tensor.convert import cast
from ...tensor.linalg import matmul
from ...tensor.manipulation import squeeze, transpose
from ...tensor.math import add, divide, mean, multiply, subtract
from .activation import softmax
from .common import dropout
from .loss import reduce_loss

__all__ = [
    "ctc_loss",
    "gather_tree",
    "hsigmoid_loss",
    "scaled_dot_product_attention",
    "sequence_mask",
]


def ctc_loss(
    log_probs: Tensor,
    labels: Tensor,
    input_lengths: Tensor,
    label_lengths: Tensor,
    blank: int = 0,
    reduction: str = "mean",
    norm_by_times: bool = False,
) -> Tensor:
    """Negative log-likelihood of label sequences (Graves et al. 2006).

    log_probs [T, B, C] are logits, labels int [B, S] -> [] or [B]

    The mean is that of the losses divided by the lengths of their labels.
    norm_by_times: divide gradients by the number of time steps.
    """
    loss, _ = OPS["warpctc"](
        log_probs, labels, input_lengths, label_lengths, blank=blank, norm_by_times=norm_by_times
    )
    loss = squeeze(loss, -1)
    return (
        mean(divide(loss, cast(label_lengths, loss.dtype)))
        if reduction == "mean"
        else reduce_loss(loss, reduction, "ctc_loss")
    )


def hsigmoid_loss(
    input: Tensor,
    label: Tensor,
    num_classes: int,
    weight: Tensor,
    bias: Tensor | None = None,
    path_table: Tensor | None = None,
    path_code: Tensor | None = None,
    is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Softmax over many classes as a path in a binary tree (Morin and Bengio 2005).

    input [N, D], label int [N, 1], weight [num_classes - 1, D], bias [num_classes - 1, 1] -> [N, 1]

    path_table, path_code [N, L]: a custom tree, padded with -1
    """
    if num_classes < 2:
        raise OpError(append_user_line(f"hsigmoid_loss: num_classes={num_classes} is less than 2"))
    out = OPS["hierarchical_sigmoid"](
        input,
        weight,
        label,
        path_table,
        path_code,
        bias,
        num_classes=num_classes,
        is_sparse=is_sparse,
    )
    return out[0]


def sequence_mask(
    x: Tensor, maxlen: Any = None, dtype: Any = "int64", name: str | None = None
) -> Tensor:
    """1 at the positions before x, otherwise 0. The default `maxlen` is the maximum of x.

    x int [*] -> [*, maxlen]
    """
    proto = parse_dtype(dtype).proto
    if isinstance(maxlen, Tensor):
        return OPS["sequence_mask"](x, maxlen, out_dtype=proto)
    return OPS["sequence_mask"](x, maxlen=-1 if maxlen is None else int(maxlen), out_dtype=proto)


def gather_tree(ids: Tensor, parents: Tensor) -> Tensor:
    """Return the token sequences of beams, from the token and the parent beam of each step.

    int [T, B, W], [T, B, W] -> [T, B, W]
    """
    return OPS["gather_tree"](ids, parents)


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    training: bool = True,
    name: str | None = None,
) -> Tensor:
    """softmax(q k' / sqrt(D) + mask) v for each head (Vaswani et al. 2017).

    query [B, L, H, D], key, value [B, S, H, D] -> [B, L, H, D]

    attn_mask: bool (False masks a position) or additive, broadcast to [B, H, L, S].
    is_causal: mask all later positions.
    """
    q, k, v = (transpose(t, [0, 2, 1, 3]) for t in (query, key, value))
    scale = query.meta.shape[-1] ** -0.5

    def additive_mask(dtype: Any) -> Tensor | None:
        if attn_mask is None or is_real(attn_mask.meta.dtype):
            return attn_mask
        return bool_mask_to_additive(attn_mask, dtype)

    if is_attention_one_op(q, k, v, attn_mask, dropout_p and training):
        mask = additive_mask(q.dtype)
        return OPS["attention"](q, k, v, mask, scale=scale, is_causal=is_causal)
    scores = matmul(multiply(q, scale), k, transpose_y=True)
    mask = additive_mask(scores.dtype)
    if mask is not None:
        scores = add(scores, mask)
    weights = OPS["fused_softmax_mask_upper_triangle"](scores) if is_causal else softmax(scores)
    weights = dropout(weights, dropout_p, training=training) if dropout_p else weights
    return transpose(matmul(weights, v), [0, 2, 1, 3])


def is_attention_one_op(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout: Any
) -> bool:
    """Whether a call of attention is one op: eager, without gradients and dropout, on float32 or
    float64, and nothing but the mask broadcasts.

    query [B, H, L, D], key [B, H, S, D], value [B, H, S, E]
    """
    mode = state.mode
    if dropout or mode.tape or not mode.allows_fused_ops:
        return False
    q, k, v = query.meta, key.meta, value.meta
    return (
        q.dtype in (np.float32, np.float64)
        and q.dtype == k.dtype == v.dtype
        and q.shape[:2] == k.shape[:2] == v.shape[:2]
        and (mask is None or _is_mask_like(mask, Meta((*q.shape[:3], k.shape[2]), q.dtype)))
    )


def _is_mask_like(mask: Any, scores: Meta) -> bool:
    """Whether adding a mask changes neither the shape nor the dtype of the scores. Masks that are
    not real are cast to the dtype of the scores.
    """
    if not isinstance(mask, Tensor):
        return False
    shape, dtype = mask.meta.shape, mask.meta.dtype
    return (
        len(shape) <= len(scores.shape)
        and all(d in (1, s) for d, s in zip(shape[::-1], scores.shape[::-1], strict=False))
        and (dtype == scores.dtype or not is_real(dtype))
    )


def bool_mask_to_additive(mask: Tensor, dtype: Any) -> Tensor:
    """Convert a bool or int mask to a term that is added to scores: 0, or -1e9 (float16: -3e4) for
    False.

    [*] -> [*] of dtype
    """
    return multiply(subtract(cast(mask, dtype), 1.0), 3e4 if parse_dtype(dtype) is float16 else 1e9)
