"""Losses."""

from __future__ import annotations

from typing import Any

from ...core.op import OPS
from .helper import one, today
from .reduce import reduce_mean, reduce_sum  # type: ignore[attr-defined]  # made from a table
from .shapes import reshape, transpose
from .tensors import cast
from .unary import square  # type: ignore[attr-defined]  # made from a table

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
TINY, LARGE = 1.1754944e-38, 3.4028234e38


@today("paddle.nn.functional.cross_entropy")
def cross_entropy(
    input: Any, label: Any, soft_label: bool = False, ignore_index: int = -100
) -> Any:
    """-ln of the probability of the label.

    input: probabilities [*, C], label int [*, 1], or float [*, C] if soft -> [*, 1]
    """
    if soft_label:
        return OPS["cross_entropy"](input, label, soft_label=True, ignore_index=ignore_index)
    return OPS["cross_entropy2"](input, label, ignore_index=ignore_index)[0]


@today("paddle.nn.functional.softmax_with_cross_entropy")
def softmax_with_cross_entropy(
    logits: Any,
    label: Any,
    soft_label: bool = False,
    ignore_index: int = -100,
    numeric_stable_mode: bool = True,
    return_softmax: bool = False,
    axis: int = -1,
) -> Any:
    """-ln of the probability of the label, by softmax.

    logits [*, C, *], label int [*, 1, *], or float [*, C, *] if soft -> [*, 1, *]
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


@today("paddle.nn.functional.square_error_cost")
def square_error_cost(input: Any, label: Any) -> Any:
    """(input - label) ** 2.   [*] both -> [*]"""
    return OPS["square"](OPS["elementwise_sub"](input, label))


@today("paddle.nn.functional.mse_loss")
def mse_loss(input: Any, label: Any) -> Any:
    """The mean of (input - label) ** 2.   [*] both -> [1]"""
    return reduce_mean(square_error_cost(input, label))


@today("paddle.nn.functional.binary_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(
    x: Any, label: Any, ignore_index: int = -100, name: str | None = None, normalize: bool = False
) -> Any:
    """The logistic loss of each class by itself.   x [*], label float [*] -> [*]"""
    return OPS["sigmoid_cross_entropy_with_logits"](
        x, label, ignore_index=ignore_index, normalize=normalize
    )


@today("paddle.nn.functional.log_loss")
def log_loss(input: Any, label: Any, epsilon: float = 0.0001, name: str | None = None) -> Any:
    """-label ln(input + epsilon) - (1 - label) ln(1 - input + epsilon).

    input: probabilities [N, 1], label float [N, 1] -> [N, 1]
    """
    return OPS["log_loss"](input, label, epsilon=float(epsilon))


@today("paddle.nn.functional.smooth_l1_loss")
def huber_loss(input: Any, label: Any, delta: float) -> Any:
    """Half the square up to delta, linear beyond.   input [N, 1], label [N, 1] -> [N, 1]"""
    return OPS["huber_loss"](input, label, delta=float(delta))[1]


@today("paddle.nn.functional.smooth_l1_loss")
def smooth_l1(
    x: Any,
    y: Any,
    inside_weight: Any = None,
    outside_weight: Any = None,
    sigma: float | None = None,
) -> Any:
    """Half the square of sigma * difference near 0, linear beyond, summed for each row

    (Girshick 2015).
    x, y [N, *] -> [N, 1]
    """
    scale = 1.0 if sigma is None else float(sigma) ** 2
    difference = OPS["elementwise_sub"](x, y)
    if inside_weight is not None:
        difference = OPS["elementwise_mul"](difference, inside_weight)
    # In the bends of the Huber loss of width 1 / sigma ** 2, over that width.
    zero = OPS["fill_any_like"](difference, value=0.0)
    each = OPS["scale"](OPS["huber_loss"](difference, zero, delta=1.0 / scale)[1], scale=scale)
    if outside_weight is not None:
        each = OPS["elementwise_mul"](each, outside_weight)
    return OPS["reduce_sum"](OPS["flatten2"](each, axis=1), dim=[1], keep_dim=True)


@today("paddle.nn.functional.kl_div")
def kldiv_loss(x: Any, target: Any, reduction: str = "mean", name: str | None = None) -> Any:
    """The divergence of target from exp(x).

    reduction: 'none', 'mean', 'sum' or 'batchmean'; x, target [N, *] -> [1] or [N, *]
    """
    return one(OPS["kldiv_loss"](x, target, reduction=reduction))


def bpr_loss(input: Any, label: Any, name: str | None = None) -> Any:
    """How far the label's score is above all others

    (Hidasi et al. 2016).
    input [N, C], label int [N, 1] -> [N, 1]
    """
    return OPS["bpr_loss"](input, label)


def rank_loss(label: Any, left: Any, right: Any, name: str | None = None) -> Any:
    """ln(1 + exp(left - right)) - label * (left - right)

    (Burges et al. 2005).
    [N, 1] each -> [N, 1]
    """
    return OPS["rank_loss"](label, left, right)


@today("paddle.nn.functional.margin_ranking_loss")
def margin_rank_loss(
    label: Any, left: Any, right: Any, margin: float = 0.1, name: str | None = None
) -> Any:
    """max(0, margin - label * (left - right)).   [N, 1] each -> [N, 1]"""
    difference = OPS["elementwise_mul"](label, OPS["elementwise_sub"](left, right))
    return OPS["relu"](OPS["scale"](difference, scale=-1.0, bias=float(margin)))


def teacher_student_sigmoid_loss(
    input: Any, label: Any, soft_max_up_bound: float = 15.0, soft_max_lower_bound: float = -15.0
) -> Any:
    """The logistic losses of a click and of a teacher's score; label: -2 or -1 without a score,
    else clicked + score.

    input [N, 1], label [N, 1] -> [N, 1]
    """
    common = OPS["softplus"](input)

    def at_least(bound: float) -> Any:
        held = OPS["greater_equal"](label, OPS["fill_any_like"](label, value=bound))
        return cast(held, label.dtype)

    clicked = OPS["elementwise_add"](
        OPS["elementwise_sub"](at_least(-1.0), at_least(0.0)), at_least(1.0)
    )  # -1 ... 0 means clicked without a score, 1 ... 2 with one
    scored = at_least(0.0)
    score = OPS["elementwise_mul"](scored, OPS["elementwise_sub"](label, at_least(1.0)))
    weight = OPS["elementwise_add"](clicked, score)
    total = OPS["elementwise_mul"](common, OPS["scale"](scored, bias=1.0))
    return OPS["elementwise_sub"](total, OPS["elementwise_mul"](weight, input))


def sigmoid_focal_loss(
    x: Any, label: Any, fg_num: Any, gamma: float = 2.0, alpha: float = 0.25
) -> Any:
    """The focal loss over the number of foregrounds

    (Lin et al. 2017).
    x [N, C], label int [N, 1]: 0 the background, fg_num int [1] -> [N, C]
    """
    classes = int(x.meta.shape[1])
    flat = OPS["squeeze2"](label, axes=[-1])
    own = OPS["one_hot_v2"](
        OPS["scale"](flat, bias=-1.0), depth=classes, dtype=5, allow_out_of_range=True
    )
    kept = cast(OPS["not_equal"](label, OPS["fill_any_like"](label, value=-1.0)), x.dtype)
    other = OPS["elementwise_mul"](OPS["scale"](own, scale=-1.0, bias=1.0), kept)
    p, most = (
        OPS["sigmoid"](x),
        cast(OPS["elementwise_max"](fg_num, OPS["fill_any_like"](fg_num, value=1.0)), x.dtype),
    )

    def term(near: Any, far: Any, share: Any, weight: float) -> Any:
        value = OPS["elementwise_mul"](
            OPS["pow"](far, factor=float(gamma)), OPS["log"](OPS["clip"](near, min=TINY, max=LARGE))
        )
        return OPS["scale"](OPS["elementwise_mul"](value, share), scale=-weight)

    rest = OPS["scale"](p, scale=-1.0, bias=1.0)
    both = OPS["elementwise_add"](term(p, rest, own, alpha), term(rest, p, other, 1.0 - alpha))
    return OPS["elementwise_div"](both, most)


@today("paddle.nn.functional.npair_loss")
def npair_loss(anchor: Any, positive: Any, labels: Any, l2_reg: float = 0.002) -> Any:
    """Anchors near the positives of their own label, and short vectors

    (Sohn 2016).
    anchor, positive [N, D], labels [N] -> [1]
    """
    column = reshape(labels, [-1, 1])
    rows = OPS["expand"](column, expand_times=[1, labels.meta.shape[0]])
    same = cast(OPS["equal"](rows, transpose(rows, [1, 0])), "float32")
    share = OPS["elementwise_div"](same, OPS["reduce_sum"](same, dim=[1], keep_dim=True))
    lengths = [reduce_mean(reduce_sum(square(t), 1)) for t in (anchor, positive)]
    length = OPS["scale"](OPS["elementwise_add"](*lengths), scale=0.25 * l2_reg)
    near = OPS["matmul"](anchor, positive, transpose_Y=True)
    each = softmax_with_cross_entropy(near, share, soft_label=True)
    return OPS["elementwise_add"](
        length, reduce_mean(reduce_sum(OPS["elementwise_mul"](share, each), 0))
    )


@today("paddle.nn.functional.dice_loss")
def dice_loss(input: Any, label: Any, epsilon: float = 0.00001, name: str | None = None) -> Any:
    """1 - 2 * overlap / sum, the mean over pictures.

    input: probabilities [N, *, C], label int [N, *, 1] -> [1]
    """
    flat = OPS["squeeze2"](label, axes=[-1])
    own = OPS["one_hot_v2"](flat, depth=int(input.meta.shape[-1]), dtype=5)
    axes = list(range(1, input.ndim))
    shared = OPS["reduce_sum"](OPS["elementwise_mul"](input, own), dim=axes)
    total = OPS["elementwise_add"](
        OPS["reduce_sum"](input, dim=axes), OPS["reduce_sum"](own, dim=axes)
    )
    score = OPS["elementwise_div"](
        OPS["scale"](shared, scale=2.0), OPS["scale"](total, bias=float(epsilon))
    )
    return reduce_mean(OPS["scale"](score, scale=-1.0, bias=1.0))


@today("paddle.nn.functional.cosine_similarity")
def cos_sim(X: Any, Y: Any) -> Any:
    """The cosine of the angle between rows.   X [N, D], Y [N, D] or [1, D] -> [N, 1]"""
    product = OPS["reduce_sum"](OPS["elementwise_mul"](X, Y), dim=[1], keep_dim=True)
    lengths = [
        OPS["sqrt"](OPS["reduce_sum"](OPS["square"](t), dim=[1], keep_dim=True)) for t in (X, Y)
    ]
    return OPS["elementwise_div"](product, OPS["elementwise_mul"](*lengths))


@today("paddle.nn.functional.label_smooth")
def label_smooth(
    label: Any,
    prior_dist: Any = None,
    epsilon: float = 0.1,
    dtype: Any = "float32",
    name: str | None = None,
) -> Any:
    """(1 - epsilon) * label + epsilon * a prior distribution, the uniform one for None

    (Szegedy et al. 2016).
    label [N, C] -> [N, C]
    """
    label.stop_gradient = True
    return OPS["label_smooth"](label, prior_dist, epsilon=float(epsilon))
