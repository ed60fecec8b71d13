"""Loss functions.

reduction: 'mean', 'sum', or 'none' for the loss of each element
"""

from __future__ import annotations

from typing import Any, Literal, overload

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


@overload
def softmax_with_cross_entropy(
    logits: Tensor,
    label: Tensor,
    soft_label: bool = ...,
    ignore_index: int = ...,
    numeric_stable_mode: bool = ...,
    return_softmax: Literal[False] = False,
    axis: int = ...,
) -> Tensor: ...
@overload
def softmax_with_cross_entropy(
    logits: Tensor,
    label: Tensor,
    soft_label: bool = ...,
    ignore_index: int = ...,
    numeric_stable_mode: bool = ...,
    *,
    return_softmax: Literal[True],
    axis: int = ...,
) -> tuple[Tensor, Tensor]: ...
@overload
def softmax_with_cross_entropy(
    logits: Tensor,
    label: Tensor,
    soft_label: bool = ...,
    ignore_index: int = ...,
    numeric_stable_mode: bool = ...,
    return_softmax: bool = ...,
    axis: int = ...,
) -> Any: ...
def softmax_with_cross_entropy(
    logits: Tensor,
    label: Tensor,
    soft_label: bool = False,
    ignore_index: int = -100,
    numeric_stable_mode: bool = True,
    return_softmax: bool = False,
    axis: int = -1,
) -> Any:
    """Cross entropy of logits and labels for each element, without a mean.

    -log(softmax(logits)[label]), or -sum(label * log(softmax(logits))) with `soft_label`

    Parameters
    ----------
    logits : Tensor [*, C, *], float16 | bfloat16 | float32 | float64
    label : Tensor [*, 1, *], integers, or [*, C, *], dtype of logits
        Classes in [0, C); with `soft_label` distributions over the classes. Floating-point classes
        are truncated.
    soft_label : bool, default False
    ignore_index : int, default -100
        Labels of this value have the loss 0. Not used for soft labels.
    numeric_stable_mode : bool, default True
        Not used: the computation is always stable.
    return_softmax : bool, default False
        Return the softmax as well.
    axis : int, default -1
        Axis of the classes.

    Returns
    -------
    Tensor [*, 1, *], dtype of logits
        The losses.
    Tensor [*, C, *], dtype of logits
        Only with `return_softmax`: the softmax of the logits.

    Raises
    ------
    OpError
        If shapes or dtypes do not fit, or a class is out of range.

    See Also
    --------
    cross_entropy : With class weights and a mean.

    Examples
    --------
    >>> logits, label = paddle.to_tensor([[2.0, 1.0], [0.0, 0.0]]), paddle.to_tensor([[0], [1]])
    >>> F.softmax_with_cross_entropy(logits, label).numpy().round(3)
    array([[0.313],
           [0.693]], dtype=float32)
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
    """Cross entropy of logits and labels.

    -log(softmax(input)[label]), or -sum(label * log(softmax(input))) with `soft_label`

    Parameters
    ----------
    input : Tensor [*, C, *], float16 | bfloat16 | float32 | float64
        Logits of the C classes along `axis`; probabilities if not `use_softmax`.
    label : Tensor [*, *] or [*, 1, *], integers, or [*, C, *], dtype of input
        Classes in [0, C), without the axis of the classes or with size 1 there; with `soft_label`
        distributions over the classes. Floating-point classes are truncated.
    weight : Tensor [C], dtype of input, optional
        Factors of the classes.
    ignore_index : int, default -100
        Labels of this value have the loss 0 and do not count in the mean. Not used for soft labels.
    reduction : "mean", "sum" or "none", default "mean"
        "mean": the sum of the losses divided by the number of labels that are not ignored; with
        `weight`, by the sum of their weights.
    soft_label : bool, default False
    axis : int, default -1
        Axis of the classes.
    use_softmax : bool, default True
        False: `input` is probabilities.
    label_smoothing : float, default 0.0
        In [0, 1]. Mixes the labels with 1 / C; they count as soft labels then.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [] for "mean" and "sum", otherwise shape of the label with size 1 for the classes of soft
    labels, dtype of input

    Raises
    ------
    OpError
        If shapes, dtypes or `reduction` do not fit, or a class is out of range.

    Notes
    -----
    The gradient for soft labels that do not sum to 1 is softmax(input) * sum(label) - label; Paddle
    2.6.2 leaves out the sum.

    See Also
    --------
    paddle.nn.CrossEntropyLoss : The same as a layer.

    Examples
    --------
    >>> logits, label = paddle.to_tensor([[2.0, 1.0], [0.0, 0.0]]), paddle.to_tensor([0, 1])
    >>> F.cross_entropy(logits, label, reduction="none").numpy().round(3)
    array([0.313, 0.693], dtype=float32)
    """
    if not 0 <= label_smoothing <= 1:
        problem = f"label_smoothing={label_smoothing} is not between 0 and 1"
        raise OpError(append_user_line(f"cross_entropy: {problem}"))
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
    """Squared error: (input - label)^2.

    Parameters
    ----------
    input : Tensor [*], float16 | bfloat16 | float32 | float64
    label : Tensor [*], dtype of input
        The shapes broadcast.
    reduction : "mean", "sum" or "none", default "mean"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [] for "mean" and "sum", otherwise the broadcast shape, dtype of input

    Raises
    ------
    OpError
        If shapes, dtypes or `reduction` do not fit.

    See Also
    --------
    paddle.nn.MSELoss : The same as a layer.

    Examples
    --------
    >>> x, label = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([0.0, 4.0])
    >>> F.mse_loss(x, label, reduction="none").numpy().round(3)
    array([1., 4.], dtype=float32)
    """
    return reduce_loss(square(subtract(input, label)), reduction, "mse_loss")


def square_error_cost(input: Tensor, label: Tensor) -> Tensor:
    """Squared error of each element: (input - label)^2.

    Parameters
    ----------
    input : Tensor [*], any numeric dtype
    label : Tensor [*], dtype of input
        The shapes broadcast.

    Returns
    -------
    Tensor, dtype of input
        Of the broadcast shape.

    Raises
    ------
    OpError
        If shapes or dtypes do not fit.

    Examples
    --------
    >>> F.square_error_cost(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([0.0, 4.0])).tolist()
    [1.0, 4.0]
    """
    return mse_loss(input, label, "none")


def l1_loss(
    input: Tensor, label: Tensor, reduction: str = "mean", name: str | None = None
) -> Tensor:
    """Absolute error: abs(input - label).

    Parameters
    ----------
    input : Tensor [*], float16 | bfloat16 | float32 | float64
    label : Tensor [*], dtype of input
        The shapes broadcast.
    reduction : "mean", "sum" or "none", default "mean"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [] for "mean" and "sum", otherwise the broadcast shape, dtype of input

    Raises
    ------
    OpError
        If shapes, dtypes or `reduction` do not fit.

    See Also
    --------
    paddle.nn.L1Loss : The same as a layer.

    Examples
    --------
    >>> x, label = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([0.0, 4.0])
    >>> F.l1_loss(x, label, reduction="none").numpy().round(3)
    array([1., 2.], dtype=float32)
    """
    return reduce_loss(abs_of(subtract(input, label)), reduction, "l1_loss")


def smooth_l1_loss(
    input: Tensor,
    label: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    name: str | None = None,
) -> Tensor:
    """Huber loss: quadratic for small errors, then linear (Huber 1964).

    d^2 / 2 where abs(d) <= delta, otherwise delta * (abs(d) - delta / 2), with d = input - label

    Parameters
    ----------
    input : Tensor [*], float16 | bfloat16 | float32 | float64
    label : Tensor [*], dtype of input
    reduction : "mean", "sum" or "none", default "mean"
    delta : float, default 1.0
        Largest error of the quadratic part.
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
    paddle.nn.SmoothL1Loss : The same as a layer.

    Examples
    --------
    >>> x, label = paddle.to_tensor([0.5, 3.0]), paddle.to_tensor([0.0, 0.0])
    >>> F.smooth_l1_loss(x, label, reduction="none").numpy().round(3)
    array([0.125, 2.5  ], dtype=float32)
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
    """Negative log-likelihood of labels: -input[label] for log-probabilities.

    Parameters
    ----------
    input : Tensor [N, C] or [N, C, *], float16 | bfloat16 | float32 | float64
        Log-probabilities, such as results of `log_softmax`.
    label : Tensor [N] or [N, *], integers
        Classes in [0, C). [N, 1] is accepted for [N, C].
    weight : Tensor [C], dtype of input, optional
        Factors of the classes.
    ignore_index : int, default -100
        Labels of this value have the loss 0 and do not count in the mean.
    reduction : "mean", "sum" or "none", default "mean"
        "mean": the sum of the losses divided by the sum of the weights of the labels (1 without
        `weight`).
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [] for "mean" and "sum", otherwise shape of the label, dtype of input

    Raises
    ------
    OpError
        If shapes, dtypes or `reduction` do not fit, or a class is out of range.

    See Also
    --------
    paddle.nn.NLLLoss : The same as a layer.

    Examples
    --------
    >>> x, label = paddle.to_tensor([[-0.5, -1.0], [-2.0, -0.25]]), paddle.to_tensor([0, 1])
    >>> F.nll_loss(x, label, reduction="none").numpy().round(3)
    array([0.5 , 0.25], dtype=float32)
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
    """Binary cross entropy of probabilities.

    -(label * log(input) + (1 - label) * log(1 - input)); the logarithms are at least -100

    Parameters
    ----------
    input : Tensor [*], float16 | bfloat16 | float32 | float64
        Probabilities in [0, 1]; this is not checked.
    label : Tensor [*], dtype of input
    weight : Tensor, optional
        Factors of the losses; broadcasts to [*].
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
    paddle.nn.BCELoss : The same as a layer.

    Examples
    --------
    >>> x, label = paddle.to_tensor([0.9, 0.2]), paddle.to_tensor([1.0, 0.0])
    >>> F.binary_cross_entropy(x, label, reduction="none").numpy().round(3)
    array([0.105, 0.223], dtype=float32)
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

    -(pos_weight * label * log(s) + (1 - label) * log(1 - s)) with s = sigmoid(logit)

    Parameters
    ----------
    logit : Tensor [*], float16 | bfloat16 | float32 | float64
    label : Tensor [*], dtype of logit
    weight : Tensor, optional
        Factors of the losses; broadcasts to [*].
    reduction : "mean", "sum" or "none", default "mean"
    pos_weight : Tensor, optional
        Factors of the part of positive labels; broadcasts to [*].
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [] for "mean" and "sum", otherwise [*], dtype of logit

    Raises
    ------
    OpError
        If shapes, dtypes or `reduction` do not fit.

    Notes
    -----
    With `pos_weight`, the loss of Paddle 2.6.2 is wrong where the logit is negative.

    See Also
    --------
    paddle.nn.BCEWithLogitsLoss : The same as a layer.

    Examples
    --------
    >>> x, label = paddle.to_tensor([0.0, 3.0]), paddle.to_tensor([1.0, 0.0])
    >>> F.binary_cross_entropy_with_logits(x, label, reduction="none").numpy().round(3)
    array([0.693, 3.049], dtype=float32)
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
    """Kullback-Leibler divergence: label * (log(label) - input) for log-probabilities.

    The loss is 0 where the label is 0 or negative.

    Parameters
    ----------
    input : Tensor [N, *], float16 | bfloat16 | float32 | float64
        Log-probabilities.
    label : Tensor [N, *], dtype of input
        Probabilities.
    reduction : "mean", "batchmean", "sum" or "none", default "mean"
        "mean" divides by the number of elements, "batchmean" by N.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [], or [N, *] for "none", dtype of input

    Raises
    ------
    OpError
        If shapes, dtypes or `reduction` do not fit.

    See Also
    --------
    paddle.nn.KLDivLoss : The same as a layer.

    Examples
    --------
    >>> x, label = paddle.to_tensor([[0.25, 0.75]]).log(), paddle.to_tensor([[0.5, 0.5]])
    >>> F.kl_div(x, label, reduction="none").numpy().round(3)
    array([[ 0.347, -0.203]], dtype=float32)
    """
    check_tensors(input, label)
    if {input.meta.dtype.name, label.meta.dtype.name} == {"float32", "float64"}:
        input, label = promote_operands(input, label)  # as in Paddle, for these two dtypes only
    loss = OPS["kldiv_loss"](input, label, reduction="none")
    if reduction == "batchmean":
        return divide(sum_of(loss), float(input.shape[0]))
    return reduce_loss(loss, reduction, "kl_div")
