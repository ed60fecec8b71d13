"""Losses.

reduction: 'mean', 'sum', or 'none' for the losses one by one.
"""

from __future__ import annotations

from typing import Any

from ...core.dtype import is_float
from ...core.errors import OpError, with_user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.operand_checks import check_tensors, not_a_tensor_error
from ...core.tensor import Tensor
from ...tensor.convert import cast, full
from ...tensor.logic import equal, not_equal
from ...tensor.manipulation import gather_nd, squeeze, unsqueeze, where
from ...tensor.math import abs as abs_of
from ...tensor.math import divide, mean, multiply, promoted, reduce, square, subtract
from ...tensor.math import sum as sum_of

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cross_entropy",
    "kl_div",
    "l1_loss",
    "mse_loss",
    "nll_loss",
    "smooth_l1_loss",
    "softmax_with_cross_entropy",
    "square_error_cost",
]


def reduced(loss: Tensor, reduction: str, op: str) -> Tensor:
    """The losses one by one, their mean or their sum."""
    if reduction == "mean":
        if not is_float(loss.meta.dtype):
            why = (
                f"the losses are {loss.meta.dtype.name}, which has no fractions for a mean; "
                f"cast the operands: .astype('float32')"
            )
            raise OpError(with_user_line(f"{op}: {why}"))
        return reduce("reduce_mean", loss, None, False)
    if reduction == "sum":
        return reduce("reduce_sum", loss, None, False)
    if reduction != "none":
        raise OpError(
            with_user_line(f"{op}: reduction={reduction!r} is not one of 'mean', 'sum', 'none'")
        )
    return loss


def softmax_with_cross_entropy(
    logits: Tensor,
    label: Tensor,
    soft_label: bool = False,
    ignore_index: int = -100,
    numeric_stable_mode: bool = True,
    return_softmax: bool = False,
    axis: int = -1,
) -> Any:
    """-log(softmax(logits)) at the label, or weighted by soft labels.

    logits [*, C, *], label int [*, 1, *] -> [*, 1, *]
    """
    label, ignore_index = _ignoring(_classes(label, soft_label), ignore_index)
    probs, loss = _xent(logits, label, soft_label, ignore_index, axis, True)
    return (loss, probs) if return_softmax else loss


def _classes(label: Tensor, soft: bool) -> Tensor:
    """Labels that the op takes: Paddle cuts floats to whole numbers, and in a static program what
    is fed may be of another type.
    """
    try:
        whole = soft or label.meta.dtype.kind in "iu"
    except AttributeError:
        raise not_a_tensor_error(label) from None
    return label if whole else cast(label, "int64")


def _ignoring(label: Tensor, ignore_index: Any) -> tuple[Tensor, int]:
    """Labels, and the class to ignore as a number: one that only a run knows, such as a length,
    becomes -100 in the labels themselves.
    """
    if not isinstance(ignore_index, Tensor):
        return label, ignore_index
    if not state.mode.static:
        return label, int(ignore_index)
    ignored = equal(label, cast(ignore_index, label.dtype))
    return where(ignored, full([], -100, label.dtype), label), -100


def _xent(
    logits: Tensor, label: Tensor, soft: bool, ignore: int, axis: int, use_softmax: bool
) -> tuple[Tensor, Tensor]:
    out = OPS["softmax_with_cross_entropy"](
        logits, label, soft_label=soft, ignore_index=ignore, axis=axis, use_softmax=use_softmax
    )
    return out[0], out[1]


def cross_entropy(
    input: Tensor,
    label: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    soft_label: bool = False,
    axis: int = -1,
    use_softmax: bool = True,
    label_smoothing: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Cross entropy of logits (of probabilities without use_softmax) and classes or, with
    soft_label, distributions.

    input [*, C, *], label int [*, *] or [*, 1, *], or like input; weight [C].
    The mean leaves out ignore_index and, with weight, divides by the sum of the weights of the
    labels.
    """
    if label_smoothing > 0:
        soft_label, label = (
            True,
            _smoothed(label, input.meta.shape[axis], label_smoothing, soft_label, axis, input),
        )
    label, ignore_index = _ignoring(_classes(label, soft_label), ignore_index)
    try:
        flat = not soft_label and label.ndim == input.ndim - 1
    except AttributeError:
        raise not_a_tensor_error(input) from None
    if flat:
        label = unsqueeze(label, axis)
    _, loss = _xent(input, label, soft_label, ignore_index, axis, use_softmax)
    if weight is not None:
        loss = _weighted(loss, label, weight, ignore_index, reduction, soft_label, axis)
        return squeeze(loss, axis) if flat and reduction == "none" else loss
    if flat and reduction == "none":
        return squeeze(loss, axis)
    if soft_label or reduction != "mean":
        return reduced(loss, reduction, "cross_entropy")
    return _mean_of_valid(loss, label, ignore_index)


def _mean_of_valid(loss: Tensor, label: Tensor, ignore_index: int) -> Tensor:
    if state.mode.is_eager and not (label.array == ignore_index).any():
        return mean(loss)
    kept = cast(not_equal(label, full([], ignore_index, label.dtype)), loss.dtype)
    return divide(sum_of(multiply(loss, kept)), sum_of(kept))


def _smoothed(
    label: Tensor, classes: int, epsilon: float, soft: bool, axis: int, like: Tensor
) -> Tensor:
    if not soft and not (label.ndim == like.ndim and label.meta.shape[axis] == classes):
        flat = squeeze(label, axis) if label.ndim == like.ndim else label
        label = cast(OPS["one_hot_v2"](flat, depth=classes, dtype=5), like.dtype)
    return OPS["label_smooth"](label, None, epsilon=float(epsilon))


def _weighted(
    loss: Tensor, label: Tensor, weight: Tensor, ignore: int, reduction: str, soft: bool, axis: int
) -> Tensor:
    if soft:
        each = unsqueeze(sum_of(multiply(label, weight), -1), -1)
        loss = multiply(loss, each)
        return (
            divide(sum_of(loss), sum_of(each))
            if reduction == "mean"
            else reduced(loss, reduction, "cross_entropy")
        )
    ignored = equal(label, full([], ignore, label.dtype))
    kept = cast(OPS["logical_not"](ignored), loss.dtype)
    safe = multiply(label, cast(OPS["logical_not"](ignored), label.dtype))
    each = multiply(gather_nd(weight, unsqueeze(safe, -1)), kept)
    loss = multiply(loss, each)
    return (
        divide(sum_of(loss), sum_of(each))
        if reduction == "mean"
        else reduced(loss, reduction, "cross_entropy")
    )


def mse_loss(
    input: Tensor, label: Tensor, reduction: str = "mean", name: str | None = None
) -> Tensor:
    """(input - label) ** 2.

    [*], [*] -> [] or [*]
    """
    return reduced(square(subtract(input, label)), reduction, "mse_loss")


def square_error_cost(input: Tensor, label: Tensor) -> Tensor:
    """(input - label) ** 2 one by one.

    [*], [*] -> [*]
    """
    return mse_loss(input, label, "none")


def l1_loss(
    input: Tensor, label: Tensor, reduction: str = "mean", name: str | None = None
) -> Tensor:
    """|input - label|.

    [*], [*] -> [] or [*]
    """
    return reduced(abs_of(subtract(input, label)), reduction, "l1_loss")


def smooth_l1_loss(
    input: Tensor,
    label: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    name: str | None = None,
) -> Tensor:
    """The Huber loss: quadratic up to delta, linear beyond.

    [*], [*] -> [] or [*]
    """
    _, loss = OPS["huber_loss"](input, label, delta=float(delta))
    return reduced(loss, reduction, "smooth_l1_loss")


def nll_loss(
    input: Tensor,
    label: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """-input at the label, input being log-probabilities.

    input [N, C], label int [N] or [N, 1] -> [] or [N]
    """
    check_tensors(input)
    check_tensors(label)
    if input.ndim == label.ndim == 2:
        label = squeeze(label, 1)
    label, ignore_index = _ignoring(label, ignore_index)
    return OPS["nll_loss"](input, label, weight, ignore_index=ignore_index, reduction=reduction)[0]


def binary_cross_entropy(
    input: Tensor,
    label: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """-(label * log(input) + (1 - label) * log(1 - input)).

    [*], [*] -> [] or [*]
    """
    loss = OPS["bce_loss"](input, label)
    return reduced(
        loss if weight is None else multiply(loss, weight), reduction, "binary_cross_entropy"
    )


def binary_cross_entropy_with_logits(
    logit: Tensor,
    label: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """binary_cross_entropy of sigmoid(logit), computed safely; pos_weight multiplies the loss where
    label is 1.

    [*], [*] -> [] or [*]
    """
    if pos_weight is None:
        loss = OPS["sigmoid_cross_entropy_with_logits"](logit, label)
    else:
        # NOTE: not the op's own pos_weight: PaddlePaddle 2.6 forgets to weigh a part of the loss
        # there.
        weigh = multiply(label, subtract(pos_weight, 1.0)) + 1.0
        loss = multiply(subtract(1.0, label), logit) + multiply(
            weigh, OPS["softplus"](multiply(logit, -1.0))
        )
    return reduced(
        loss if weight is None else multiply(loss, weight),
        reduction,
        "binary_cross_entropy_with_logits",
    )


def kl_div(
    input: Tensor, label: Tensor, reduction: str = "mean", name: str | None = None
) -> Tensor:
    """label * (log(label) - input), input being log-probabilities.

    [*], [*] -> [] or [*]
    """
    check_tensors(input, label)
    if {input.meta.dtype.name, label.meta.dtype.name} == {"float32", "float64"}:
        input, label = promoted(input, label)  # as in Paddle, of these two alone
    loss = OPS["kldiv_loss"](input, label, reduction="none")
    if reduction == "batchmean":
        return divide(sum_of(loss), float(input.shape[0]))
    return reduced(loss, reduction, "kl_div")
