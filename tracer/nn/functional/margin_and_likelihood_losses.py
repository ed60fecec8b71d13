"""Margin, ranking and likelihood losses.

reduction: 'mean', 'sum', or 'none' for the loss of each element
"""

from __future__ import annotations

import math
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
    """-label log(input + epsilon) - (1 - label) log(1 - input + epsilon) of each element.

    [N, 1], [N, 1] -> [N, 1]
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
    """max(0, -label * (input - other) + margin).

    [*], [*], [*] -> [] or [*]

    label: 1 if input should rank higher than other, -1 if lower
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
    """input where label is 1, max(0, margin - input) where label is -1.

    [*], [*] -> [] or [*]
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
    """1 - cos(input1, input2) where label is 1, max(0, cos - margin) where label is -1.

    input [N, D] or [D], label [N] -> [] or [N]
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
    """log(1 + exp(-label * input)).

    [*], [*] of 1 and -1 -> [] or [*]
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
    """Mean over the classes of -label log(sigmoid(input)) - (1 - label) log(sigmoid(-input)).

    [N, C], [N, C] -> [] or [N]
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
    """Mean over the other classes i of max(0, margin - input[label] + input[i])^p.

    input [N, C], label int [N] -> [] or [N]
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
    """max(0, d(input, positive) - d(input, negative) + margin) (Schroff et al. 2015).

    [N, D] three times -> [] or [N]

    swap: replace d(input, negative) by min(d(input, negative), d(positive, negative))
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
    distance_function: Any = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """triplet_margin_loss with a custom distance function.

    [N, D] three times -> [] or [N]
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
    """(log(variance) + (input - label)^2 / variance) / 2, with variance >= epsilon.

    [*, D], [*, D], [*, D] or [*] or [*, 1] -> [] or [*, D]

    full: add the constant log(2 pi) / 2. The lower bound does not affect the gradient of the
    variance, as in Paddle.
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
    """exp(input) - label * input, or input - label * log(input + epsilon) if not log_input.

    [*], [*] -> [] or [*]

    full: add Stirling's approximation of log(label!) where label > 1
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
    """Focal loss: cross entropy with a lower weight for well-classified examples (Lin et al. 2017).

    logit [*], label [*] of 0 and 1, normalizer [1] -> [] or [*]
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
    """1 - 2 |input * label| / (|input| + |label|) per sample, averaged.

    input [N, *, C], label int [N, *, 1] -> []
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

    anchor, positive [N, D], labels [N] -> []
    """
    column = reshape(labels, [-1, 1])
    targets = cast(equal(column, transpose(column, [1, 0])), "float32")
    targets = divide(targets, sum_of(targets, 1, keepdim=True))
    l2_norms = add(mean(sum_of(square(anchor), 1)), mean(sum_of(square(positive), 1)))
    xent = softmax_with_cross_entropy(
        matmul(anchor, positive, transpose_y=True), targets, soft_label=True
    )
    return add(multiply(l2_norms, 0.25 * l2_reg), mean(sum_of(multiply(targets, xent), 0)))
