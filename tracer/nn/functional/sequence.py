"""Functions of sequences: CTC and hierarchical sigmoid losses, masks, beams and attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.dtype import float16, is_real, parse_dtype
from ...core.errors import OpError, append_user_line
from ...core.mode import state
from ...core.op import OPS, Meta
from ...core.tensor import Tensor
from ...core.type_aliases import DTypeLike, Size
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
    """Connectionist temporal classification: negative log-likelihood of label sequences.

    loss[b] = -log sum over alignments of the labels to the steps of prod over t of p[t, b, class at
    t], p = softmax(log_probs) (Graves et al. 2006)

    Parameters
    ----------
    log_probs : Tensor [T, B, C], float16 | bfloat16 | float32 | float64
        Logits: the function computes the softmax. (The softmax of log-probabilities is the same.)
    labels : Tensor [B, S], integer
        Classes, padded with any class.
    input_lengths, label_lengths : Tensor [B], integer
        Steps and labels of each sequence.
    blank : int, default 0
        The index of the blank label.
    reduction : "mean", "sum" or "none", default "mean"
        "mean": the mean of the losses divided by `label_lengths`.
    norm_by_times : bool, default False
        Divide the gradient (not the loss) of a sequence by its number of steps.

    Returns
    -------
    Tensor [], or [B] for "none", dtype of log_probs
        inf if a sequence has too few steps for its labels.

    Raises
    ------
    OpError
        If shapes do not fit, a length is larger than its axis, or a label or `blank` is not in [0,
        C).

    Examples
    --------
    >>> logits = paddle.zeros([2, 1, 3])
    >>> steps, count = paddle.to_tensor([2]), paddle.to_tensor([1])
    >>> loss = F.ctc_loss(logits, paddle.to_tensor([[1]]), steps, count)
    >>> round(float(loss), 3)  # -log(3 / 9)
    1.099
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
    """Hierarchical sigmoid: cross entropy of many classes as paths in a binary tree.

    loss = sum over nodes i of the path of log(1 + exp(z_i)) - code_i * z_i, with z_i = w_i . x +
    b_i (Morin and Bengio 2005). It costs O(log num_classes) instead of O(num_classes).

    Parameters
    ----------
    input : Tensor [N, D], float16 | bfloat16 | float32 | float64
    label : Tensor [N] or [N, 1], int64
        Classes in [0, num_classes).
    num_classes : int
        At least 2.
    weight : Tensor [num_classes - 1, D], dtype of input
        A row for each inner node of the tree; a custom tree may have another number of nodes.
    bias : Tensor [num_classes - 1] or [num_classes - 1, 1], optional
    path_table, path_code : Tensor [N, L], int64, optional
        Custom tree: the nodes from the root to the class of each row, padded with -1, and the turns
        0 or 1 at them. By default the complete binary tree.
    is_sparse : bool, default False
        Has no effect: gradients are dense.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, 1], dtype of input

    Raises
    ------
    OpError
        If `num_classes` is less than 2, shapes do not fit, a class is out of range, or only one of
        `path_table` and `path_code` is given.

    Examples
    --------
    >>> x, weight = paddle.zeros([2, 3]), paddle.zeros([3, 3])
    >>> F.hsigmoid_loss(x, paddle.to_tensor([0, 3]), 4, weight).numpy().round(3)  # 2 * log(2)
    array([[1.386],
           [1.386]], dtype=float32)
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
    x: Tensor, maxlen: Size | None = None, dtype: DTypeLike = "int64", name: str | None = None
) -> Tensor:
    """Mask of the valid positions of padded sequences: 1 before the length, otherwise 0.

    out[..., j] = j < x[...]

    Parameters
    ----------
    x : Tensor [*], int32 | int64 | float32 | float64
        Lengths.
    maxlen : int or Tensor, optional
        Number of positions; by default the maximum of `x`.
    dtype : dtype or str, default "int64"
        Dtype of the result.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, maxlen], `dtype`

    Examples
    --------
    >>> F.sequence_mask(paddle.to_tensor([1, 3]), maxlen=4, dtype="bool").tolist()
    [[True, False, False, False], [True, True, True, False]]
    """
    proto = parse_dtype(dtype).proto
    if isinstance(maxlen, Tensor):
        return OPS["sequence_mask"](x, maxlen, out_dtype=proto)
    return OPS["sequence_mask"](x, maxlen=-1 if maxlen is None else int(maxlen), out_dtype=proto)


def gather_tree(ids: Tensor, parents: Tensor) -> Tensor:
    """Full token sequences of a beam search, from the token and the parent beam of each step.

    The sequences are followed backwards from the last step.

    Parameters
    ----------
    ids : Tensor [T, B, W], int32 | int64
        Token of each step and beam.
    parents : Tensor [T, B, W], dtype of ids
        The beam of the previous step that it continues.

    Returns
    -------
    Tensor [T, B, W], dtype of ids
        ``out[:, b, w]`` is the sequence that ends in beam w.

    Raises
    ------
    OpError
        If shapes or dtypes do not fit, or a parent is out of range.

    Examples
    --------
    >>> ids = paddle.to_tensor([[[2, 5]], [[3, 7]], [[4, 6]]])
    >>> parents = paddle.to_tensor([[[0, 0]], [[0, 1]], [[1, 0]]])
    >>> F.gather_tree(ids, parents)[:, 0].tolist()
    [[5, 2], [7, 3], [4, 6]]
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
    """Attention softmax(q k' / sqrt(D) + mask) v of each head (Vaswani et al. 2017).

    Parameters
    ----------
    query : Tensor [B, L, H, D], float16 | bfloat16 | float32 | float64
        L positions of H heads.
    key : Tensor [B, S, H, D], dtype of query
    value : Tensor [B, S, H, E], dtype of query
    attn_mask : Tensor that broadcasts to [B, H, L, S], bool or dtype of query, optional
        bool: False excludes a position. Otherwise it is added to the scores.
    dropout_p : float, default 0.0
        Probability of dropping an attention weight while `training`.
    is_causal : bool, default False
        Exclude all positions after the own one.
    training : bool, default True
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [B, L, H, E], dtype of query

    Raises
    ------
    OpError
        If shapes or dtypes do not fit.

    Notes
    -----
    A bool mask adds -1e9 (float16: -3e4) to excluded scores, so a row that excludes all positions
    returns about the mean of all values. Calls without gradient and dropout run as one kernel.

    Examples
    --------
    >>> x = paddle.ones([1, 2, 1, 4])  # two positions, one head
    >>> value = paddle.to_tensor([1.0, 3.0]).reshape([1, 2, 1, 1])
    >>> F.scaled_dot_product_attention(x, x, value).flatten().tolist()
    [2.0, 2.0]
    >>> F.scaled_dot_product_attention(x, x, value, is_causal=True).flatten().tolist()
    [1.0, 2.0]
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
