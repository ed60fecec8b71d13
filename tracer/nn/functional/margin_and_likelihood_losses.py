"""Margin, ranking and likelihood losses.

reduction: 'mean', 'sum', or 'none' for the loss of each element
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...core.errors import OpError, append_user_line
from ...core.op import OPS
from ...core.operand_checks import axis_out_of_range_error, check_tensors
from ...core.tensor import Tensor
from ...tensor.convert import cast, full
from ...tensor.creation import zeros_like
from ...tensor.linalg import matmul
from ...tensor.logic import equal, greater_than
from ...tensor.manipulation import gather, reshape, squeeze, transpose, unsqueeze, where
from ...tensor.math import (
    add,
    clip,
    divide,
    exp,
    log,
    mean,
    minimum,
    multiply,
    pow,
    sqrt,
    square,
    subtract,
)
from ...tensor.math import sum as sum_of
from .activation import log_sigmoid, relu, sigmoid
from .common import one_hot, pairwise_distance
from .loss import binary_cross_entropy_with_logits, reduce_loss, softmax_with_cross_entropy

__all__ = [
    "cosine_embedding_loss",
    "dice_loss",
    "gaussian_nll_loss",
    "hinge_embedding_loss",
    "log_loss",
    "margin_ranking_loss",
    "multi_label_soft_margin_loss",
    "multi_margin_loss",
    "npair_loss",
    "poisson_nll_loss",
    "sigmoid_focal_loss",
    "soft_margin_loss",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
]


def _check_same_shape(function: str, x: Tensor, y: Tensor) -> None:
    check_tensors(x, y)
    a, b = x.meta.shape, y.meta.shape
    if len(a) != len(b) or any(p != q and min(p, q) >= 0 for p, q in zip(a, b, strict=True)):
        raise OpError(
            append_user_line(f"{function}: the shapes differ (input={x.meta}, label={y.meta})")
        )


def log_loss(
    input: Tensor, label: Tensor, epsilon: float = 1e-4, name: str | None = None
) -> Tensor:
    """Binary cross entropy of each element, with epsilon inside of the logarithms.

    -label * log(input + epsilon) - (1 - label) * log(1 - input + epsilon)

    Parameters
    ----------
    input : Tensor [N, 1], float16 | bfloat16 | float32 | float64
        Probabilities.
    label : Tensor [N, 1], dtype of input
        0 or 1.
    epsilon : float, default 1e-4
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N, 1], dtype of input

    Raises
    ------
    OpError
        If shapes or dtypes do not fit.

    Examples
    --------
    >>> F.log_loss(paddle.to_tensor([[0.9]]), paddle.to_tensor([[1.0]])).numpy().round(3)
    array([[0.105]], dtype=float32)
    """
    return OPS["log_loss"](input, label, epsilon=float(epsilon))


def margin_ranking_loss(
    input: Tensor,
    other: Tensor,
    label: Tensor,
    margin: float = 0.0,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """Ranking loss of pairs: max(0, -label * (input - other) + margin).

    Parameters
    ----------
    input : Tensor [*], float16 | bfloat16 | float32 | float64
    other : Tensor [*], dtype of input
    label : Tensor [*], dtype of input
        1 if input should rank higher than other, -1 if lower.
    margin : float, default 0.0
    reduction : "mean", "sum" or "none", default "mean"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [] for "mean" and "sum", otherwise [*], dtype of input

    Raises
    ------
    OpError
        If shapes, dtypes or `reduction` do not fit.

    See Also
    --------
    paddle.nn.MarginRankingLoss : The same as a layer.

    Examples
    --------
    >>> x, other = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([0.0, 4.0])
    >>> label = paddle.to_tensor([1.0, 1.0])
    >>> F.margin_ranking_loss(x, other, label, reduction="none").numpy().round(3)
    array([0., 2.], dtype=float32)
    """
    out = multiply(subtract(other, input), label)
    out = add(out, full([], margin, out.dtype)) if margin else out
    return reduce_loss(relu(out), reduction, "margin_ranking_loss")


def hinge_embedding_loss(
    input: Tensor,
    label: Tensor,
    margin: float = 1.0,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """Embedding loss: input where label is 1, max(0, margin - input) where label is -1.

    Parameters
    ----------
    input : Tensor [*], float16 | bfloat16 | float32 | float64; distances
    label : Tensor [*], any numeric dtype; 1 or -1, other values give the loss 0
    margin : float, default 1.0
    reduction : "mean", "sum" or "none", default "mean"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [] for "mean" and "sum", otherwise [*], dtype of input

    Raises
    ------
    OpError
        If shapes, dtypes or `reduction` do not fit.

    See Also
    --------
    paddle.nn.HingeEmbeddingLoss : The same as a layer.

    Examples
    --------
    >>> x, label = paddle.to_tensor([0.5, 0.25]), paddle.to_tensor([1.0, -1.0])
    >>> F.hinge_embedding_loss(x, label, reduction="none").numpy().round(3)
    array([0.5 , 0.75], dtype=float32)
    """
    check_tensors(label)
    zeros = zeros_like(input)
    positive = where(equal(label, full([], 1, label.dtype)), input, zeros)
    negative = where(equal(label, full([], -1, label.dtype)), relu(subtract(margin, input)), zeros)
    return reduce_loss(add(positive, negative), reduction, "hinge_embedding_loss")


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    label: Tensor,
    margin: float = 0,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """Cosine embedding loss of pairs of vectors.

    1 - cos(input1, input2) where label is 1, max(0, cos(input1, input2) - margin) where label is -1

    Parameters
    ----------
    input1 : Tensor [N, D] or [D], float16 | bfloat16 | float32 | float64
    input2 : Tensor shape and dtype of input1
    label : Tensor [N], any numeric dtype; 1 or -1, other values give the loss 0
    margin : float, default 0
    reduction : "mean", "sum" or "none", default "mean"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [] for "mean" and "sum", otherwise [N], dtype of input1

    Raises
    ------
    OpError
        If shapes, dtypes or `reduction` do not fit.

    See Also
    --------
    paddle.nn.CosineEmbeddingLoss : The same as a layer.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 0.0], [1.0, 0.0]])
    >>> y, label = paddle.to_tensor([[0.0, 1.0], [2.0, 0.0]]), paddle.to_tensor([1, -1])
    >>> F.cosine_embedding_loss(x, y, label, reduction="none").numpy().round(3)
    array([1., 1.], dtype=float32)
    """
    _check_same_shape("cosine_embedding_loss", input1, input2)
    if label.ndim != 1 or input1.ndim > 2:
        raise OpError(
            append_user_line(
                f"cosine_embedding_loss: the inputs must be [N, D] or [D], the label [N] "
                f"(input1={input1.meta}, "
                f"label={label.meta})"
            )
        )
    squares1, squares2 = (
        add(sum_of(square(x), -1), full([], 1e-11, x.dtype)) for x in (input1, input2)
    )
    cosine = sum_of(input1 * input2, -1) / sqrt(squares1 * squares2)
    zeros = zeros_like(cosine)
    positive = where(equal(label, full([], 1, label.dtype)), subtract(1.0, cosine), zeros)
    negative = where(
        equal(label, full([], -1, label.dtype)), clip(subtract(cosine, margin), min=0.0), zeros
    )
    return reduce_loss(add(positive, negative), reduction, "cosine_embedding_loss")


def soft_margin_loss(
    input: Tensor, label: Tensor, reduction: str = "mean", name: str | None = None
) -> Tensor:
    """Logistic loss: log(1 + exp(-label * input)).

    Parameters
    ----------
    input : Tensor [*], float16 | bfloat16 | float32 | float64
    label : Tensor [*], any numeric dtype; 1 or -1
    reduction : "mean", "sum" or "none", default "mean"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [] for "mean" and "sum", otherwise [*], dtype of input

    Raises
    ------
    OpError
        If shapes, dtypes or `reduction` do not fit.

    See Also
    --------
    paddle.nn.SoftMarginLoss : The same as a layer.

    Examples
    --------
    >>> x, label = paddle.to_tensor([0.0, 2.0]), paddle.to_tensor([1.0, -1.0])
    >>> F.soft_margin_loss(x, label, reduction="none").numpy().round(3)
    array([0.693, 2.127], dtype=float32)
    """
    _check_same_shape("soft_margin_loss", input, label)
    out = log(add(exp(-cast(label, input.dtype) * input), 1.0))
    return reduce_loss(out, reduction, "soft_margin_loss")


def multi_label_soft_margin_loss(
    input: Tensor,
    label: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """Mean of the binary cross entropies of the classes.

    -(label * log(sigmoid(input)) + (1 - label) * log(sigmoid(-input))), averaged over the C classes

    Parameters
    ----------
    input : Tensor [N, C], float16 | bfloat16 | float32 | float64
    label : Tensor [N, C], dtype of input; 0 or 1
    weight : Tensor [C], dtype of input, optional
        Factors of the classes.
    reduction : "mean", "sum" or "none", default "mean"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [] for "mean" and "sum", otherwise [N], dtype of input

    Raises
    ------
    OpError
        If shapes, dtypes or `reduction` do not fit.

    See Also
    --------
    paddle.nn.MultiLabelSoftMarginLoss : The same as a layer.

    Examples
    --------
    >>> x, label = paddle.to_tensor([[0.0, 2.0]]), paddle.to_tensor([[1.0, 0.0]])
    >>> F.multi_label_soft_margin_loss(x, label, reduction="none").numpy().round(3)
    array([1.41], dtype=float32)
    """
    _check_same_shape("multi_label_soft_margin_loss", input, label)
    loss = -(label * log_sigmoid(input) + (1 - label) * log_sigmoid(-input))
    loss = mean(loss if weight is None else loss * weight, -1)
    return reduce_loss(loss, reduction, "multi_label_soft_margin_loss")


def multi_margin_loss(
    input: Tensor,
    label: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """Hinge loss of classes (Crammer and Singer 2001).

    Sum over the classes i other than label of max(0, margin - input[label] + input[i])^p, divided
    by C; see Notes for `weight`.

    Parameters
    ----------
    input : Tensor [N, C], float16 | bfloat16 | float32 | float64
    label : Tensor [N], int32 | int64
        Classes in [0, C).
    p : int, default 1
    margin : float, default 1.0
    weight : Tensor [C], dtype of input, optional
        Factors of the classes.
    reduction : "mean", "sum" or "none", default "mean"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [] for "mean" and "sum", otherwise [N], dtype of input

    Raises
    ------
    OpError
        If shapes, dtypes or `reduction` do not fit, or a class is out of range.

    Notes
    -----
    With `weight` the loss is that of Paddle: the differences are multiplied by weight[label] before
    the power, the term of the label is subtracted as weight[label] * margin^p / C, which removes it
    only if p = 1, and "none" returns [N, N].

    See Also
    --------
    paddle.nn.MultiMarginLoss : The same as a layer.

    Examples
    --------
    >>> x, label = paddle.to_tensor([[0.5, 0.25, 0.75]]), paddle.to_tensor([0])
    >>> F.multi_margin_loss(x, label, reduction="none").numpy().round(3)
    array([0.667], dtype=float32)
    """
    label = reshape(label, [-1, 1])
    violation = add(subtract(margin, OPS["index_sample"](input, label)), input)
    label_term: Any = margin**p / input.shape[1]
    if weight is not None:
        weights = reshape(gather(weight, reshape(label, [-1])), [-1, 1])
        violation, label_term = weights * violation, weights * label_term
    loss = mean(pow(clip(violation, min=0.0), float(p)), 1)
    return reduce_loss(subtract(loss, label_term), reduction, "multi_margin_loss")


def triplet_margin_loss(
    input: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    epsilon: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """Triplet loss (Schroff et al. 2015).

    max(0, d(input, positive) - d(input, negative) + margin), where d is the p-norm of the
    difference + epsilon.

    Parameters
    ----------
    input : Tensor [N, D], float16 | bfloat16 | float32 | float64
    positive : Tensor [N, D], dtype of input
    negative : Tensor [N, D], dtype of input
    margin : float, default 1.0
        Not negative.
    p : float, default 2.0
    epsilon : float, default 1e-6
    swap : bool, default False
        Replace d(input, negative) by min(d(input, negative), d(positive, negative)).
    reduction : "mean", "sum" or "none", default "mean"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [] for "mean" and "sum", otherwise [N], dtype of input

    Raises
    ------
    OpError
        If shapes, dtypes, `margin` or `reduction` do not fit.

    See Also
    --------
    paddle.nn.TripletMarginLoss : The same as a layer.

    Examples
    --------
    >>> x, near = paddle.to_tensor([[0.0, 0.0]]), paddle.to_tensor([[3.0, 4.0]])
    >>> F.triplet_margin_loss(x, near, paddle.to_tensor([[0.0, 1.0]])).numpy().round(3).item()
    5.0
    """

    def distance(x: Tensor, y: Tensor) -> Tensor:
        return pairwise_distance(x, y, p, epsilon)

    return triplet_margin_with_distance_loss(
        input, positive, negative, distance, margin, swap, reduction
    )


def triplet_margin_with_distance_loss(
    input: Tensor,
    positive: Tensor,
    negative: Tensor,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """Triplet loss with a given distance d (Schroff et al. 2015).

    max(0, d(input, positive) - d(input, negative) + margin)

    Parameters
    ----------
    input : Tensor [N, D], float16 | bfloat16 | float32 | float64
    positive : Tensor [N, D], dtype of input
    negative : Tensor [N, D], dtype of input
    distance_function : callable, optional
        Takes two tensors [N, D] and returns the distances [N]; by default `pairwise_distance`.
    margin : float, default 1.0
        Not negative.
    swap : bool, default False
        Replace d(input, negative) by min(d(input, negative), d(positive, negative)).
    reduction : "mean", "sum" or "none", default "mean"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [] for "mean" and "sum", otherwise [N], dtype of input

    Raises
    ------
    OpError
        If shapes, dtypes, `margin` or `reduction` do not fit.

    See Also
    --------
    paddle.nn.TripletMarginWithDistanceLoss : The same as a layer.

    Examples
    --------
    >>> x, near = paddle.to_tensor([[0.0, 0.0]]), paddle.to_tensor([[3.0, 4.0]])
    >>> manhattan = lambda x, y: (x - y).abs().sum(-1)
    >>> negative = paddle.to_tensor([[0.0, 1.0]])
    >>> F.triplet_margin_with_distance_loss(x, near, negative, manhattan).item()
    7.0
    """
    if margin < 0:
        raise OpError(append_user_line(f"triplet_margin_loss: margin={margin} is negative"))
    _check_same_shape("triplet_margin_loss", input, positive)
    _check_same_shape("triplet_margin_loss", input, negative)
    distance = pairwise_distance if distance_function is None else distance_function
    positive_distance, negative_distance = distance(input, positive), distance(input, negative)
    negative_distance = (
        minimum(negative_distance, distance(positive, negative)) if swap else negative_distance
    )
    return reduce_loss(
        clip(add(subtract(positive_distance, negative_distance), margin), min=0.0),
        reduction,
        "triplet_margin_loss",
    )


def gaussian_nll_loss(
    input: Tensor,
    label: Tensor,
    variance: Tensor,
    full: bool = False,
    epsilon: float = 1e-6,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """Negative log-likelihood of normal distributions.

    (log(v) + (input - label)^2 / v) / 2 with v = max(variance, epsilon)

    Parameters
    ----------
    input : Tensor [*, D], float16 | bfloat16 | float32 | float64; means
    label : Tensor [*, D], dtype of input
    variance : Tensor [*, D], [*, 1] or [*], dtype of input
    full : bool, default False
        Add the constant log(2 pi) / 2.
    epsilon : float, default 1e-6
        Lower limit of the variance; it does not affect the gradient.
    reduction : "mean", "sum" or "none", default "mean"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [] for "mean" and "sum", otherwise [*, D], dtype of input

    Raises
    ------
    OpError
        If shapes, dtypes or `reduction` do not fit.

    See Also
    --------
    paddle.nn.GaussianNLLLoss : The same as a layer.

    Examples
    --------
    >>> x, label = paddle.to_tensor([1.0]), paddle.to_tensor([3.0])
    >>> F.gaussian_nll_loss(x, label, paddle.to_tensor([2.0]), reduction="none").numpy().round(3)
    array([1.347], dtype=float32)
    """
    check_tensors(input, label, variance)
    if variance.ndim == input.ndim - 1:
        variance = unsqueeze(variance, -1)
    clipped = clip(variance, min=epsilon)
    variance = variance + (clipped - variance).detach()
    loss = 0.5 * (log(variance) + square(input - label) / variance)
    loss = add(loss, 0.5 * math.log(2 * math.pi)) if full else loss
    return reduce_loss(loss, reduction, "gaussian_nll_loss")


def poisson_nll_loss(
    input: Tensor,
    label: Tensor,
    log_input: bool = True,
    full: bool = False,
    epsilon: float = 1e-8,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """Negative log-likelihood of Poisson distributions.

    exp(input) - label * input, or input - label * log(input + epsilon) if not `log_input`

    Parameters
    ----------
    input : Tensor [*], float16 | bfloat16 | float32 | float64
        Logarithms of the rates, or the rates.
    label : Tensor [*], any numeric dtype
    log_input : bool, default True
    full : bool, default False
        Add Stirling's approximation of log(label!) where label > 1.
    epsilon : float, default 1e-8
    reduction : "mean", "sum" or "none", default "mean"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [] for "mean" and "sum", otherwise [*], dtype of input

    Raises
    ------
    OpError
        If shapes, dtypes or `reduction` do not fit.

    See Also
    --------
    paddle.nn.PoissonNLLLoss : The same as a layer.

    Examples
    --------
    >>> x, label = paddle.to_tensor([1.0]), paddle.to_tensor([3.0])
    >>> F.poisson_nll_loss(x, label, reduction="none").numpy().round(3)
    array([-0.282], dtype=float32)
    """
    _check_same_shape("poisson_nll_loss", input, label)
    label = cast(label, input.dtype)
    out = exp(input) - label * input if log_input else input - label * log(add(input, epsilon))
    if full:
        stirling = add(
            subtract(multiply(label, log(label)), label),
            multiply(log(multiply(label, 2 * math.pi)), 0.5),
        )
        out = add(
            out, where(greater_than(label, zeros_like(label) + 1.0), stirling, zeros_like(stirling))
        )
    return reduce_loss(out, reduction, "poisson_nll_loss")


def sigmoid_focal_loss(
    logit: Tensor,
    label: Tensor,
    normalizer: Tensor | None = None,
    alpha: float = 0.25,
    gamma: float = 2.0,
    reduction: str = "sum",
    name: str | None = None,
) -> Tensor:
    """Focal loss: cross entropy with less weight for well classified elements (Lin et al. 2017).

    -a * (1 - p)^gamma * log(p), where p is sigmoid(logit) and a is alpha for label 1, and p is
    1 - sigmoid(logit) and a is 1 - alpha for label 0

    Parameters
    ----------
    logit : Tensor [*], float16 | bfloat16 | float32 | float64
    label : Tensor [*], dtype of logit
        0 or 1.
    normalizer : Tensor [1], dtype of logit, optional
        Divisor of the losses, such as the number of positive labels.
    alpha : float, default 0.25
        Weight of the label 1.
    gamma : float, default 2.0
        Exponent; 0 means a weighted cross entropy.
    reduction : "mean", "sum" or "none", default "sum"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [] for "mean" and "sum", otherwise [*], dtype of logit

    Raises
    ------
    OpError
        If shapes, dtypes or `reduction` do not fit.

    Examples
    --------
    >>> logit, label = paddle.to_tensor([0.0, 2.0]), paddle.to_tensor([1.0, 0.0])
    >>> F.sigmoid_focal_loss(logit, label, reduction="none").numpy().round(3)
    array([0.043, 1.238], dtype=float32)
    """
    loss = binary_cross_entropy_with_logits(logit, label, reduction="none")
    prob, negative_label = sigmoid(logit), subtract(1.0, label)
    label_prob = add(multiply(prob, label), multiply(subtract(1.0, prob), negative_label))
    alpha_weight = add(multiply(label, alpha), multiply(negative_label, 1 - alpha))
    loss = multiply(multiply(alpha_weight, loss), pow(subtract(1.0, label_prob), float(gamma)))
    return reduce_loss(
        loss if normalizer is None else divide(loss, normalizer), reduction, "sigmoid_focal_loss"
    )


def dice_loss(
    input: Tensor, label: Tensor, epsilon: float = 0.00001, name: str | None = None
) -> Tensor:
    """Dice loss of segmentations (Milletari et al. 2016).

    1 - 2 * sum(input * y) / (sum(input) + sum(y) + epsilon) per sample, averaged; y is the one-hot
    encoding of the label

    Parameters
    ----------
    input : Tensor [N, *, C], float32 | float64
        Probabilities of the classes.
    label : Tensor [N, *, 1], integers
        Classes in [0, C).
    epsilon : float, default 1e-05
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [], dtype of input

    Raises
    ------
    OpError
        If shapes do not fit, or a class is out of range.

    Examples
    --------
    >>> x = paddle.to_tensor([[[0.25, 0.75], [0.5, 0.5]]])
    >>> round(F.dice_loss(x, paddle.to_tensor([[[1], [0]]])).item(), 3)
    0.375
    """
    check_tensors(input, label)
    if not input.ndim:
        raise axis_out_of_range_error(input, -1)
    one_hot_label = one_hot(squeeze(label, -1), input.meta.shape[-1])
    axes = list(range(1, input.ndim))
    intersection = sum_of(multiply(input, one_hot_label), axes)
    total = add(sum_of(input, axes), sum_of(one_hot_label, axes))
    return mean(subtract(1.0, divide(multiply(intersection, 2.0), add(total, epsilon))))


def npair_loss(anchor: Tensor, positive: Tensor, labels: Tensor, l2_reg: float = 0.002) -> Tensor:
    """N-pair loss with L2 regularization (Sohn 2016).

    Cross entropy of the similarities anchor @ positive' and equal labels, plus
    l2_reg / 4 * (mean(|anchor|^2) + mean(|positive|^2))

    Parameters
    ----------
    anchor, positive : Tensor [N, D], float32 | float64
    labels : Tensor [N], any numeric dtype
        Row i of `anchor` matches the rows of `positive` with the same label.
    l2_reg : float, default 0.002

    Returns
    -------
    Tensor [], dtype of anchor

    Raises
    ------
    OpError
        If shapes or dtypes do not fit.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 0.0], [0.0, 1.0]])
    >>> round(F.npair_loss(x, x, paddle.to_tensor([0, 1])).item(), 3)
    0.314
    """
    check_tensors(anchor, positive, labels)
    column = reshape(labels, [-1, 1])
    targets = cast(equal(column, transpose(column, [1, 0])), anchor.dtype)
    targets = divide(targets, sum_of(targets, 1, keepdim=True))
    l2_norms = add(mean(sum_of(square(anchor), 1)), mean(sum_of(square(positive), 1)))
    xent = softmax_with_cross_entropy(
        matmul(anchor, positive, transpose_y=True), targets, soft_label=True
    )
    return add(multiply(l2_norms, 0.25 * l2_reg), mean(sum_of(multiply(targets, xent), 0)))
