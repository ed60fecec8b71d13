"""Sequences: losses, masks, beams, and attention over them."""

from __future__ import annotations

from typing import Any

from ...core.dtype import dtype_of, float16, is_real
from ...core.errors import OpError, with_user_line
from ...core.op import OPS
from ...core.tensor import Tensor
from ...tensor.convert import cast
from ...tensor.linalg import matmul
from ...tensor.manipulation import squeeze, transpose
from ...tensor.math import add, divide, mean, multiply, subtract
from .activation import softmax
from .common import dropout
from .loss import reduced

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
    """-ln of the probability of the labels (Graves et al. 2006).

    log_probs [T, B, C], taken as logits, labels int [B, S] -> [] or [B]

    The mean is that of the losses over the lengths of their labels; norm_by_times: gradients are
    divided by the number of steps.
    """
    loss, _ = OPS["warpctc"](
        log_probs, labels, input_lengths, label_lengths, blank=blank, norm_by_times=norm_by_times
    )
    loss = squeeze(loss, -1)
    return (
        mean(divide(loss, cast(label_lengths, loss.dtype)))
        if reduction == "mean"
        else reduced(loss, reduction, "ctc_loss")
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
    """A softmax over many classes as a walk down a binary tree (Morin and Bengio 2005).

    input [N, D], label int [N, 1] -> [N, 1]

    weight [num_classes - 1, D], bias [num_classes - 1, 1]; path_table, path_code [N, L]: a tree of
    one's own, -1 behind the end.
    """
    if num_classes < 2:
        raise OpError(with_user_line(f"hsigmoid_loss: num_classes={num_classes} is less than 2"))
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
    """1 at the places before x, else 0; without maxlen as many places as the largest x.

    x int [*] -> [*, maxlen]
    """
    number = dtype_of(dtype).proto
    if isinstance(maxlen, Tensor):
        return OPS["sequence_mask"](x, maxlen, out_dtype=number)
    return OPS["sequence_mask"](x, maxlen=-1 if maxlen is None else int(maxlen), out_dtype=number)


def gather_tree(ids: Tensor, parents: Tensor) -> Tensor:
    """The whole beams, from the tokens of each step and which beam they went on.

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
    """softmax(query key' / sqrt(D)) value for each head (Vaswani et al. 2017).

    query [B, L, H, D], key, value [B, S, H, D] -> [B, L, H, D]

    attn_mask: bool (False hides) or additive, broadcast to [B, H, L, S]; is_causal: a place sees
    none behind it.
    """
    q, k, v = (transpose(t, [0, 2, 1, 3]) for t in (query, key, value))
    scores = matmul(multiply(q, query.meta.shape[-1] ** -0.5), k, transpose_y=True)
    if attn_mask is not None:
        scores = add(
            scores,
            attn_mask if is_real(attn_mask.meta.dtype) else additive(attn_mask, scores.dtype),
        )
    weights = OPS["fused_softmax_mask_upper_triangle"](scores) if is_causal else softmax(scores)
    weights = dropout(weights, dropout_p, training=training) if dropout_p else weights
    return transpose(matmul(weights, v), [0, 2, 1, 3])


def additive(mask: Tensor, dtype: Any) -> Tensor:
    """A bool or int mask (False hides) as what is added to scores: 0, or as good as minus infinity.

    [*] -> [*] of dtype
    """
    return multiply(subtract(cast(mask, dtype), 1.0), 3e4 if dtype_of(dtype) is float16 else 1e9)
