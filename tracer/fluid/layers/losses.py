"""Losses."""

from __future__ import annotations

from typing import Any

from ...core.op import OPS
from .layer_utils import deprecated_layer, ensure_at_least_1d
from .manipulation import reshape, transpose
from .reduce import reduce_mean, reduce_sum  # type: ignore[attr-defined]  # generated
from .tensors import cast
from .unary import square  # type: ignore[attr-defined]  # generated from a table

__all__ = [
    "bpr_loss",
    "cos_sim",
    "cross_entropy",
    "dice_loss",
    "huber_loss",
    "kldiv_loss",
    "label_smooth",
    "log_loss",
    "margin_rank_loss",
    "mse_loss",
    "npair_loss",
    "rank_loss",
    "sigmoid_cross_entropy_with_logits",
    "sigmoid_focal_loss",
    "smooth_l1",
    "softmax_with_cross_entropy",
    "square_error_cost",
    "teacher_student_sigmoid_loss",
]
MIN_FLOAT, MAX_FLOAT = 1.1754944e-38, 3.4028234e38


@deprecated_layer("paddle.nn.functional.cross_entropy")
def cross_entropy(
    input: Any, label: Any, soft_label: bool = False, ignore_index: int = -100
) -> Any:
    """Negative log-likelihood of the label.

    input: probabilities [*, C].
    label: int [*, 1], or float [*, C] with soft_label.
    Returns [*, 1].
    """
    if soft_label:
        return OPS["cross_entropy"](input, label, soft_label=True, ignore_index=ignore_index)
    return OPS["cross_entropy2"](input, label, ignore_index=ignore_index)[0]


@deprecated_layer("paddle.nn.functional.softmax_with_cross_entropy")
def softmax_with_cross_entropy(
    logits: Any,
    label: Any,
    soft_label: bool = False,
    ignore_index: int = -100,
    numeric_stable_mode: bool = True,
    return_softmax: bool = False,
    axis: int = -1,
) -> Any:
    """Negative log-likelihood of the label under the softmax of the logits.

    logits: [*, C, *].
    label: int [*, 1, *], or float [*, C, *] with soft_label.
    Returns [*, 1, *].
    """
    softmax, loss = OPS["softmax_with_cross_entropy"](
        logits,
        label,
        soft_label=soft_label,
        ignore_index=ignore_index,
        numeric_stable_mode=numeric_stable_mode,
        axis=axis,
    )
    return (loss, softmax) if return_softmax else loss


@deprecated_layer("paddle.nn.functional.square_error_cost")
def square_error_cost(input: Any, label: Any) -> Any:
    """(input - label) ** 2, elementwise."""
    return OPS["square"](OPS["elementwise_sub"](input, label))


@deprecated_layer("paddle.nn.functional.mse_loss")
def mse_loss(input: Any, label: Any) -> Any:
    """Mean of (input - label) ** 2, [1]."""
    return reduce_mean(square_error_cost(input, label))


@deprecated_layer("paddle.nn.functional.binary_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(
    x: Any, label: Any, ignore_index: int = -100, name: str | None = None, normalize: bool = False
) -> Any:
    """Binary cross entropy of each element with the logit x: [*], float [*] -> [*]."""
    return OPS["sigmoid_cross_entropy_with_logits"](
        x, label, ignore_index=ignore_index, normalize=normalize
    )


@deprecated_layer("paddle.nn.functional.log_loss")
def log_loss(input: Any, label: Any, epsilon: float = 0.0001, name: str | None = None) -> Any:
    """-label ln(input + epsilon) - (1 - label) ln(1 - input + epsilon).

    input: probabilities [N, 1].
    label: float [N, 1].
    Returns [N, 1].
    """
    return OPS["log_loss"](input, label, epsilon=float(epsilon))


@deprecated_layer("paddle.nn.functional.smooth_l1_loss")
def huber_loss(input: Any, label: Any, delta: float) -> Any:
    """Huber loss: quadratic up to delta, linear above, [N, 1]."""
    return OPS["huber_loss"](input, label, delta=float(delta))[1]


@deprecated_layer("paddle.nn.functional.smooth_l1_loss")
def smooth_l1(
    x: Any,
    y: Any,
    inside_weight: Any = None,
    outside_weight: Any = None,
    sigma: float | None = None,
) -> Any:
    """Smooth L1 loss: quadratic near 0, linear beyond, summed per row (Girshick 2015).

    x, y: [N, *].
    Returns [N, 1].
    """
    scale = 1.0 if sigma is None else float(sigma) ** 2
    difference = OPS["elementwise_sub"](x, y)
    if inside_weight is not None:
        difference = OPS["elementwise_mul"](difference, inside_weight)
    # smooth_l1(d) = huber(d, delta) / delta with delta = 1 / sigma ** 2
    zero = OPS["fill_any_like"](difference, value=0.0)
    loss = OPS["scale"](OPS["huber_loss"](difference, zero, delta=1.0 / scale)[1], scale=scale)
    if outside_weight is not None:
        loss = OPS["elementwise_mul"](loss, outside_weight)
    return OPS["reduce_sum"](OPS["flatten2"](loss, axis=1), dim=[1], keep_dim=True)


@deprecated_layer("paddle.nn.functional.kl_div")
def kldiv_loss(x: Any, target: Any, reduction: str = "mean", name: str | None = None) -> Any:
    """Kullback-Leibler divergence of target from exp(x).

    x, target: [N, *]
    reduction: "none", "mean", "sum" or "batchmean".
    Returns [1], or [N, *] without reduction.
    """
    return ensure_at_least_1d(OPS["kldiv_loss"](x, target, reduction=reduction))


def bpr_loss(input: Any, label: Any, name: str | None = None) -> Any:
    """Bayesian personalized ranking loss of the label's score against all others (Hidasi et al.
    2016).

    input: [N, C].
    label: int [N, 1].
    Returns [N, 1].
    """
    return OPS["bpr_loss"](input, label)


def rank_loss(label: Any, left: Any, right: Any, name: str | None = None) -> Any:
    """ln(1 + exp(left - right)) - label * (left - right), [N, 1] (Burges et al. 2005).

    The newer name is `paddle.nn.functional.margin_ranking_loss`.
    """
    return OPS["rank_loss"](label, left, right)


@deprecated_layer("paddle.nn.functional.margin_ranking_loss")
def margin_rank_loss(
    label: Any, left: Any, right: Any, margin: float = 0.1, name: str | None = None
) -> Any:
    """max(0, margin - label * (left - right)), [N, 1]."""
    difference = OPS["elementwise_mul"](label, OPS["elementwise_sub"](left, right))
    return OPS["relu"](OPS["scale"](difference, scale=-1.0, bias=float(margin)))


def teacher_student_sigmoid_loss(
    input: Any, label: Any, soft_max_up_bound: float = 15.0, soft_max_lower_bound: float = -15.0
) -> Any:
    """Sum of the logistic losses of a click and of a teacher's score, [N, 1].

    label: -2 (no click) or -1 (click) without a score; else click + score
    """
    return OPS["teacher_student_sigmoid_loss"](
        input,
        label,
        soft_max_up_bound=float(soft_max_up_bound),
        soft_max_lower_bound=float(soft_max_lower_bound),
    )


def sigmoid_focal_loss(
    x: Any, label: Any, fg_num: Any, gamma: float = 2.0, alpha: float = 0.25
) -> Any:
    """Focal loss divided by the number of foreground samples (Lin et al. 2017).

    x: [N, C].
    label: int [N, 1], 0 for the background.
    fg_num: int [1].
    Returns [N, C].

    The newer name is `paddle.nn.functional.sigmoid_focal_loss`.
    """
    num_classes = int(x.meta.shape[1])
    flat = OPS["squeeze2"](label, axes=[-1])
    positive = OPS["one_hot_v2"](
        OPS["scale"](flat, bias=-1.0), depth=num_classes, dtype=5, allow_out_of_range=True
    )
    not_ignored = cast(OPS["not_equal"](label, OPS["fill_any_like"](label, value=-1.0)), x.dtype)
    negative = OPS["elementwise_mul"](OPS["scale"](positive, scale=-1.0, bias=1.0), not_ignored)
    p, divisor = (
        OPS["sigmoid"](x),
        cast(OPS["elementwise_max"](fg_num, OPS["fill_any_like"](fg_num, value=1.0)), x.dtype),
    )

    def term(p_true: Any, p_false: Any, mask: Any, weight: float) -> Any:
        value = OPS["elementwise_mul"](
            OPS["pow"](p_false, factor=float(gamma)),
            OPS["log"](OPS["clip"](p_true, min=MIN_FLOAT, max=MAX_FLOAT)),
        )
        return OPS["scale"](OPS["elementwise_mul"](value, mask), scale=-weight)

    one_minus_p = OPS["scale"](p, scale=-1.0, bias=1.0)
    total = OPS["elementwise_add"](
        term(p, one_minus_p, positive, alpha), term(one_minus_p, p, negative, 1.0 - alpha)
    )
    return OPS["elementwise_div"](total, divisor)


@deprecated_layer("paddle.nn.functional.npair_loss")
def npair_loss(anchor: Any, positive: Any, labels: Any, l2_reg: float = 0.002) -> Any:
    """N-pair loss: cross entropy of the similarities of anchors and positives, plus L2
    regularization (Sohn 2016).

    anchor, positive: [N, D].
    labels: [N].
    Returns [1].
    """
    column = reshape(labels, [-1, 1])
    rows = OPS["expand"](column, expand_times=[1, labels.meta.shape[0]])
    same = cast(OPS["equal"](rows, transpose(rows, [1, 0])), "float32")
    target = OPS["elementwise_div"](same, OPS["reduce_sum"](same, dim=[1], keep_dim=True))
    norms = [reduce_mean(reduce_sum(square(t), 1)) for t in (anchor, positive)]
    regularization = OPS["scale"](OPS["elementwise_add"](*norms), scale=0.25 * l2_reg)
    similarity = OPS["matmul"](anchor, positive, transpose_Y=True)
    loss = softmax_with_cross_entropy(similarity, target, soft_label=True)
    return OPS["elementwise_add"](
        regularization, reduce_mean(reduce_sum(OPS["elementwise_mul"](target, loss), 0))
    )


@deprecated_layer("paddle.nn.functional.dice_loss")
def dice_loss(input: Any, label: Any, epsilon: float = 0.00001, name: str | None = None) -> Any:
    """1 - 2 * intersection / sum, averaged over the images.

    input: probabilities [N, *, C].
    label: int [N, *, 1].
    Returns [1].
    """
    flat = OPS["squeeze2"](label, axes=[-1])
    one_hot = OPS["one_hot_v2"](flat, depth=int(input.meta.shape[-1]), dtype=5)
    axes = list(range(1, input.ndim))
    intersection = OPS["reduce_sum"](OPS["elementwise_mul"](input, one_hot), dim=axes)
    total = OPS["elementwise_add"](
        OPS["reduce_sum"](input, dim=axes), OPS["reduce_sum"](one_hot, dim=axes)
    )
    score = OPS["elementwise_div"](
        OPS["scale"](intersection, scale=2.0), OPS["scale"](total, bias=float(epsilon))
    )
    return reduce_mean(OPS["scale"](score, scale=-1.0, bias=1.0))


@deprecated_layer("paddle.nn.functional.cosine_similarity")
def cos_sim(X: Any, Y: Any) -> Any:
    """Cosine similarity of rows: X [N, D], Y [N, D] or [1, D] -> [N, 1]."""
    product = OPS["reduce_sum"](OPS["elementwise_mul"](X, Y), dim=[1], keep_dim=True)
    norms = [
        OPS["sqrt"](OPS["reduce_sum"](OPS["square"](t), dim=[1], keep_dim=True)) for t in (X, Y)
    ]
    return OPS["elementwise_div"](product, OPS["elementwise_mul"](*norms))


@deprecated_layer("paddle.nn.functional.label_smooth")
def label_smooth(
    label: Any,
    prior_dist: Any = None,
    epsilon: float = 0.1,
    dtype: Any = "float32",
    name: str | None = None,
) -> Any:
    """(1 - epsilon) * label + epsilon * prior, [N, C] (Szegedy et al. 2016).

    prior_dist: by default the uniform distribution
    """
    label.stop_gradient = True
    return OPS["label_smooth"](label, prior_dist, epsilon=float(epsilon))
