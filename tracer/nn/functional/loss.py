"""Loss functions.

reduction: 'mean', 'sum', or 'none' for the loss of each element
"""

from __future__ import annotations

from typing import Any

from ...core.dtype import is_inexact
from ...core.errors import OpError, append_user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.operand_checks import check_tensors, not_a_tensor_error
from ...core.tensor import Tensor
from ...tensor.convert import cast, full
from ...tensor.logic import equal, not_equal
from ...tensor.manipulation import gather_nd, reshape, squeeze, unsqueeze, where
from ...tensor.math import abs as abs_of
from ...tensor.math import add, divide, mean, multiply, promote_operands, reduce, square, subtract
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


def reduce_loss(loss: Tensor, reduction: str, op: str) -> Tensor:
    """Return the mean or the sum of the losses, or the losses themselves."""
    if reduction == "mean":
        if not is_inexact(loss.meta.dtype):
            problem = (
                f"the mean of {loss.meta.dtype.name} losses is not defined; "
                f"cast the inputs: .astype('float32')"
            )
            raise OpError(append_user_line(f"{op}: {problem}"))
        return reduce("reduce_mean", loss, None, False)
    if reduction == "sum":
        return reduce("reduce_sum", loss, None, False)
    if reduction != "none":
        raise OpError(
            append_user_line(f"{op}: reduction={reduction!r} is not one of 'mean', 'sum', 'none'")
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
    """-log(softmax(logits)[label]), or the mean of -log(softmax(logits)) weighted by soft labels.

    logits [*, C, *], label int [*, 1, *] -> [*, 1, *]
    """
    label, ignore_index = _replace_tensor_ignore_index(
        _cast_hard_labels_to_integer(label, soft_label), ignore_index
    )
    probs, loss = _softmax_cross_entropy(logits, label, soft_label, ignore_index, axis, True)
    return (loss, probs) if return_softmax else loss


def _cast_hard_labels_to_integer(label: Tensor, soft: bool) -> Tensor:
    """Return labels of an integer type; floats are truncated, as in Paddle."""
    try:
        is_valid = soft or label.meta.dtype.kind in "iu"
    except AttributeError:
        raise not_a_tensor_error(label) from None
    return label if is_valid else cast(label, "int64")


def _replace_tensor_ignore_index(label: Tensor, ignore_index: Any) -> tuple[Tensor, int]:
    """Return the labels and `ignore_index` as an int. If `ignore_index` is a symbolic tensor, the
    labels equal to it are replaced by -100, and -100 is returned.
    """
    if not isinstance(ignore_index, Tensor):
        return label, ignore_index
    if not state.mode.static:
        return label, int(ignore_index)
    ignored = equal(label, cast(ignore_index, label.dtype))
    return where(ignored, full([], -100, label.dtype), label), -100


def _softmax_cross_entropy(
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
    """Cross entropy of logits (of probabilities if not use_softmax) and labels.

    input [*, C, *], label int [*, *] or [*, 1, *], or with soft_label distributions like input;
    weight [C]

    The mean excludes labels equal to ignore_index. With weight it is divided by the sum of the
    weights of the labels.
    """
    if label_smoothing > 0:
        soft_label, label = (
            True,
            _smoothed_one_hot_labels(
                label, input.meta.shape[axis], label_smoothing, soft_label, axis, input
            ),
        )
    label, ignore_index = _replace_tensor_ignore_index(
        _cast_hard_labels_to_integer(label, soft_label), ignore_index
    )
    try:
        lacks_class_axis = not soft_label and label.ndim == input.ndim - 1
    except AttributeError:
        raise not_a_tensor_error(input) from None
    if lacks_class_axis:
        label = unsqueeze(label, axis)
    _, loss = _softmax_cross_entropy(input, label, soft_label, ignore_index, axis, use_softmax)
    if weight is not None:
        loss = _weight_by_class_and_reduce(
            loss, label, weight, ignore_index, reduction, soft_label, axis
        )
        return squeeze(loss, axis) if lacks_class_axis and reduction == "none" else loss
    if lacks_class_axis and reduction == "none":
        return squeeze(loss, axis)
    if soft_label or reduction != "mean":
        return reduce_loss(loss, reduction, "cross_entropy")
    return _mean_of_valid_losses(loss, label, ignore_index)


def _mean_of_valid_losses(loss: Tensor, label: Tensor, ignore_index: int) -> Tensor:
    """Return the mean of the losses whose label is not `ignore_index`."""
    if state.mode.is_eager and not (label.array == ignore_index).any():
        return mean(loss)
    mask = cast(not_equal(label, full([], ignore_index, label.dtype)), loss.dtype)
    return _divide_or_zero(sum_of(multiply(loss, mask)), sum_of(mask))


def _divide_or_zero(loss: Tensor, weight: Tensor) -> Tensor:
    """Return loss / weight, or 0 if both are 0 because no label is valid."""
    is_zero = cast(equal(weight, full([], 0.0, weight.dtype)), weight.dtype)
    return divide(loss, add(weight, is_zero))


def _smoothed_one_hot_labels(
    label: Tensor, classes: int, epsilon: float, soft: bool, axis: int, like: Tensor
) -> Tensor:
    """Return the smoothed one-hot labels."""
    if not soft and not (label.ndim == like.ndim and label.meta.shape[axis] == classes):
        flat = squeeze(label, axis) if label.ndim == like.ndim else label
        label = cast(OPS["one_hot_v2"](flat, depth=classes, dtype=5), like.dtype)
    return OPS["label_smooth"](label, None, epsilon=float(epsilon))


def _weight_by_class_and_reduce(
    loss: Tensor, label: Tensor, weight: Tensor, ignore: int, reduction: str, soft: bool, axis: int
) -> Tensor:
    """Return the losses weighted by class and reduced."""
    if soft:
        if axis not in (-1, label.ndim - 1):
            shape = [1] * label.ndim
            shape[axis] = -1
            weight = reshape(weight, shape)
        weights = unsqueeze(sum_of(multiply(label, weight), axis), axis)
        loss = multiply(loss, weights)
        return (
            _divide_or_zero(sum_of(loss), sum_of(weights))
            if reduction == "mean"
            else reduce_loss(loss, reduction, "cross_entropy")
        )
    ignored = equal(label, full([], ignore, label.dtype))
    mask = cast(OPS["logical_not"](ignored), loss.dtype)
    valid_label = multiply(label, cast(OPS["logical_not"](ignored), label.dtype))
    weights = multiply(gather_nd(weight, unsqueeze(valid_label, -1)), mask)
    loss = multiply(loss, weights)
    return (
        _divide_or_zero(sum_of(loss), sum_of(weights))
        if reduction == "mean"
        else reduce_loss(loss, reduction, "cross_entropy")
    )


def mse_loss(
    input: Tensor, label: Tensor, reduction: str = "mean", name: str | None = None
) -> Tensor:
    """Squared error (input - label)^2.

    [*], [*] -> [] or [*]
    """
    return reduce_loss(square(subtract(input, label)), reduction, "mse_loss")


def square_error_cost(input: Tensor, label: Tensor) -> Tensor:
    """Squared error (input - label)^2 of each element.

    [*], [*] -> [*]
    """
    return mse_loss(input, label, "none")


def l1_loss(
    input: Tensor, label: Tensor, reduction: str = "mean", name: str | None = None
) -> Tensor:
    """Absolute error |input - label|.

    [*], [*] -> [] or [*]
    """
    return reduce_loss(abs_of(subtract(input, label)), reduction, "l1_loss")


def smooth_l1_loss(
    input: Tensor,
    label: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    name: str | None = None,
) -> Tensor:
    """Huber loss: quadratic for errors up to delta, then linear.

    [*], [*] -> [] or [*]
    """
    _, loss = OPS["huber_loss"](input, label, delta=float(delta))
    return reduce_loss(loss, reduction, "smooth_l1_loss")


def nll_loss(
    input: Tensor,
    label: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """Negative log-likelihood -input[label] of log-probabilities.

    input [N, C], label int [N] or [N, 1] -> [] or [N]
    """
    check_tensors(input)
    check_tensors(label)
    if input.ndim == label.ndim == 2:
        label = squeeze(label, 1)
    label, ignore_index = _replace_tensor_ignore_index(label, ignore_index)
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
    return reduce_loss(
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
    """Binary cross entropy of sigmoid(logit), in a numerically stable form.

    [*], [*] -> [] or [*]

    pos_weight: factor of the loss where label is 1
    """
    if pos_weight is None:
        loss = OPS["sigmoid_cross_entropy_with_logits"](logit, label)
    else:
        # NOTE: the loss with pos_weight is computed by a formula, because the op of PaddlePaddle
        # 2.6 does not apply its own pos_weight to the whole loss.
        softplus_weight = multiply(label, subtract(pos_weight, 1.0)) + 1.0
        loss = multiply(subtract(1.0, label), logit) + multiply(
            softplus_weight, OPS["softplus"](multiply(logit, -1.0))
        )
    return reduce_loss(
        loss if weight is None else multiply(loss, weight),
        reduction,
        "binary_cross_entropy_with_logits",
    )


def kl_div(
    input: Tensor, label: Tensor, reduction: str = "mean", name: str | None = None
) -> Tensor:
    """Kullback-Leibler divergence label * (log(label) - input); input is log-probabilities.

    [*], [*] -> [] or [*]

    reduction: also 'batchmean', the sum divided by the batch size
    """
    check_tensors(input, label)
    if {input.meta.dtype.name, label.meta.dtype.name} == {"float32", "float64"}:
        input, label = promote_operands(input, label)  # as in Paddle, for these two dtypes only
    loss = OPS["kldiv_loss"](input, label, reduction="none")
    if reduction == "batchmean":
        return divide(sum_of(loss), float(input.shape[0]))
    return reduce_loss(loss, reduction, "kl_div")
