"""Losses, label smoothing and accuracy."""

from __future__ import annotations

from typing import Any

from ..core import native
from ..core.arrays import np
from ..core.errors import OpError
from ..core.op import NO_GRAD_NON_FLOAT_RESULT, OPS, Long, Meta, check, check_dtype, op
from .comparison_and_logic import is_strictly_between, not_equal
from .elementwise import div, masked, mul, scale, sub
from .half_precision import computed_in_float32_if_half, half_tensor_to_float32
from .reduce import reduce_mean, reduce_sum
from .shared_op_rules import (
    check_float,
    dims_match,
    like_x_meta,
    normalize_axis,
    shapes_match,
    vjp_input_shape,
)
from .softmax import log_softmax_array, softmax, softmax_grad
from .unary_math import negative, one_minus, sigmoid

# -- softmax_with_cross_entropy
# -----------------------------------------------------------------------------------


@op(
    "softmax_with_cross_entropy",
    "Logits, Label! -> Softmax~, Loss",
    amp_class="deny",
    public_name="cross_entropy",
)
@np.errstate(invalid="ignore")
@computed_in_float32_if_half
def softmax_with_cross_entropy(
    x,
    label,
    *,
    soft_label: bool = False,
    use_softmax: bool = True,
    numeric_stable_mode: bool = True,
    ignore_index: int = -100,
    axis: int = -1,
):
    """Loss = -ln of the softmax probability of Label.

    Logits [*,C,*], Label int [*,1,*] or float [*,C,*] -> Softmax like Logits, Loss [*,1,*]
    """
    check_float(x)
    _check_label_shape(x, label, soft_label, axis)
    check_hard_or_soft_label_dtype(x, label, soft_label)
    if use_softmax:
        logs = log_softmax_array(x, axis)
        probabilities = np.exp(logs)
    else:
        probabilities = x.copy()
        with np.errstate(divide="ignore"):
            logs = np.log(x)
    if soft_label:
        return probabilities, -np.sum(
            np.where(label == 0, label, label * logs), axis=axis, keepdims=True
        )
    picked, used = _class_indices_and_valid_mask(label, x.shape[axis], ignore_index)
    loss = np.take_along_axis(logs, picked, axis=axis)
    return probabilities, np.where(used, -loss, x.dtype.type(0))


_CROSS_ENTROPY, _CROSS_ENTROPY_BACK = map(
    native.compiled_function_or_placeholder, ("cross_entropy", "cross_entropy_grad")
)


@softmax_with_cross_entropy.native
def _(
    x,
    label,
    *,
    soft_label=False,
    use_softmax=True,
    numeric_stable_mode=True,
    ignore_index=-100,
    axis=-1,
):
    if (
        soft_label
        or not use_softmax
        or axis not in (-1, x.ndim - 1)
        or label.shape != (*x.shape[:-1], 1)
    ):
        return NotImplemented
    return _CROSS_ENTROPY(x, label, ignore_index)


def check_hard_or_soft_label_dtype(x: Any, label: Any, soft_label: bool) -> None:
    """Raise OpError if hard labels are not integers, or if soft labels have another dtype than X.

    As in Paddle, the kernel checks this, not shape inference: the dtype of a value fed for
    `fluid.layers.data` may differ from the declared one.
    """
    right = label.dtype == x.dtype if soft_label else label.dtype.kind in "iu"
    check_dtype(
        right, f"Label has the wrong dtype; cast it to {x.dtype.name if soft_label else 'int64'}"
    )


def _check_label_shape(x: Any, label: Any, soft_label: bool, axis: int) -> None:
    at = normalize_axis(axis, len(x.shape))
    wanted = tuple(x.shape) if soft_label else (*x.shape[:at], 1, *x.shape[at + 1 :])
    kind = "probabilities" if soft_label else "class indices"
    check(
        shapes_match(label.shape, wanted),
        f"Label must have the shape {list(wanted)} ({kind}), not {list(label.shape)}",
    )


def _class_indices_and_valid_mask(label: Any, classes: int, ignore_index: int) -> tuple[Any, Any]:
    """Return the class index of each label (0 for an ignored label), and a mask of the labels that
    are not ignored.

    Raises OpError for a label that is not a class.
    """
    used = label != ignore_index
    wrong = label[((label < 0) | (label >= classes)) & used]
    if wrong.size:
        raise OpError(
            f"a label is {wrong.flat[0]}, outside of the classes [0, {classes}) and not "
            f"ignore_index={ignore_index}"
        )
    return np.where(used, label, 0).astype(np.int64), used


@softmax_with_cross_entropy.meta
def _(x, label, *, soft_label, axis, **_):
    check_float(x)
    check(len(x.shape) > 0, "Logits needs an axis")
    _check_label_shape(x, label, soft_label, axis)
    at = normalize_axis(axis, len(x.shape))
    return x, Meta((*x.shape[:at], 1, *x.shape[at + 1 :]), x.dtype)


@softmax_with_cross_entropy.vjp
def _(g, x, label, *, soft_label, use_softmax, ignore_index, axis, Softmax):
    over = {
        "soft_label": soft_label,
        "use_softmax": use_softmax,
        "ignore_index": ignore_index,
        "axis": axis,
    }
    # As in Paddle, labels have no gradient, not even soft labels.
    return lambda: softmax_with_cross_entropy_grad(x, label, Softmax, g, **over), None


@op(
    "softmax_with_cross_entropy_grad",
    "Logits, Label, Softmax, Loss@GRAD -> Logits@GRAD",
    meta=like_x_meta,
    internal=True,
)
@np.errstate(all="ignore")
@computed_in_float32_if_half
def softmax_with_cross_entropy_grad(
    x,
    label,
    probabilities,
    g,
    *,
    soft_label: bool = False,
    use_softmax: bool = True,
    ignore_index: int = -100,
    axis: int = -1,
):
    """The gradient of softmax_with_cross_entropy with respect to Logits.

    Logits [*,C,*], Label, Softmax, Loss@GRAD [*,1,*] -> Logits@GRAD like Logits
    """
    if soft_label:
        if use_softmax:
            return g * (probabilities * np.sum(label, axis=axis, keepdims=True) - label)
        return g * np.where(label == 0, label, -label / x)
    picked, used = _class_indices_and_valid_mask(label, x.shape[axis], ignore_index)
    g = np.where(used, g, g.dtype.type(0))
    if not use_softmax:
        out = np.zeros_like(x)
        np.put_along_axis(out, picked, -g / np.take_along_axis(x, picked, axis=axis), axis=axis)
        return out
    out = probabilities * g
    np.put_along_axis(out, picked, np.take_along_axis(out, picked, axis=axis) - g, axis=axis)
    return out


@softmax_with_cross_entropy_grad.native
def _(
    x, label, probabilities, g, *, soft_label=False, use_softmax=True, ignore_index=-100, axis=-1
):
    if (
        soft_label
        or not use_softmax
        or axis not in (-1, x.ndim - 1)
        or label.shape != (*x.shape[:-1], 1)
    ):
        return NotImplemented
    return _CROSS_ENTROPY_BACK(probabilities, label, g, ignore_index)


@softmax_with_cross_entropy_grad.vjp
def _(b, x, label, probabilities, g, *, soft_label, use_softmax, ignore_index, axis):
    over = {
        "soft_label": soft_label,
        "use_softmax": use_softmax,
        "ignore_index": ignore_index,
        "axis": axis,
    }

    def total(t: Any) -> Any:
        return reduce_sum(t, dim=[axis], keep_dim=True)

    def x_grad() -> Any:
        if not use_softmax:  # the gradient is -g * label / x, so its derivative is -gradient / x
            return mul(
                b,
                negative(
                    div(softmax_with_cross_entropy_grad(x, label, probabilities, g, **over), x)
                ),
            )
        if soft_label:
            weight = mul(g, total(label))
        else:
            weight = masked(
                g, not_equal(label, OPS["fill_any_like"](label, value=float(ignore_index)))
            )
        return softmax_grad(softmax(x, axis=axis), mul(b, weight), axis=axis)

    def label_grad() -> Any:
        if use_softmax:
            return mul(g, sub(total(mul(b, softmax(x, axis=axis))), b))
        return mul(negative(g), div(b, x))

    def g_grad() -> Any:
        ones = OPS["fill_any_like"](g, value=1.0)
        return total(
            mul(b, softmax_with_cross_entropy_grad(x, label, softmax(x, axis=axis), ones, **over))
        )

    return x_grad, label_grad if soft_label else None, None, g_grad


# -- losses of probabilities
# ---------------------------------------------------------------------------------------------


def _check_float_with_same_dtype_and_shape(x: Meta, label: Meta) -> None:
    check_float(x)
    check_dtype(x.dtype == label.dtype, "the dtypes differ")
    check(shapes_match(x.shape, label.shape), "the shapes differ")


@op(
    "bce_loss",
    "X, Label! -> Out",
    same_dtype="X Label",
    validate_before_kernel=True,
    public_name="binary_cross_entropy",
)
@np.errstate(all="ignore")
@computed_in_float32_if_half
def bce_loss(x, label):
    """Out = -(Label * ln X + (1 - Label) * ln(1 - X)), with logarithms clamped to at least -100.

    X [*], Label [*] -> Out [*]
    """
    t = x.dtype.type
    low = t(-100)
    return -(
        label * np.maximum(np.log(x), low) + (t(1) - label) * np.maximum(np.log(t(1) - x), low)
    )


@bce_loss.meta
def _(x, label):
    _check_float_with_same_dtype_and_shape(x, label)
    return x


@bce_loss.vjp
def _(g, x, label):
    def x_grad() -> Any:
        p, y = half_tensor_to_float32(x), half_tensor_to_float32(label)  # 1e-12 is 0 in float16
        return mul(
            half_tensor_to_float32(g),
            div(sub(p, y), OPS["clip"](mul(p, one_minus(p)), min=1e-12, max=1.0)),
        )

    return x_grad, None


@op(
    "sigmoid_cross_entropy_with_logits",
    "X, Label!, pos_weight? -> Out",
    same_dtype="X Label pos_weight",
    amp_class="deny",
    validate_before_kernel=True,
    public_name="binary_cross_entropy_with_logits",
)
@computed_in_float32_if_half
def sigmoid_cross_entropy(
    x, label, pos_weight=None, *, ignore_index: int = -100, normalize: bool = False
):
    """Out = (1 - Label) * X + pos_weight * ln(1 + e ** -X), 0 where Label is ignore_index.

    X [*], Label [*], pos_weight [*] -> Out [*]

    Without pos_weight this is the cross entropy of sigmoid(X) with Label. With pos_weight, Paddle
    2.6 returns a wrong value where X < 0.
    """
    t = x.dtype.type
    soft = np.log1p(np.exp(-np.abs(x)))
    if pos_weight is None:
        loss = np.maximum(x, t(0)) - x * label + soft
    else:
        loss = (t(1) - label) * x + (soft + np.maximum(-x, t(0))) * pos_weight
    return zero_x_at_ignored_labels_and_normalize.kernel(
        loss, label, ignore_index=ignore_index, normalize=normalize
    )


@sigmoid_cross_entropy.meta
def _(x, label, pos_weight, **_):
    _check_float_with_same_dtype_and_shape(x, label)
    return x


@sigmoid_cross_entropy.vjp
def _(g, x, label, pos_weight, *, ignore_index, normalize):
    share = zero_x_at_ignored_labels_and_normalize(
        g, label, ignore_index=ignore_index, normalize=normalize
    )

    def x_grad() -> Any:
        if pos_weight is None:
            return mul(share, sub(sigmoid(x), label))
        return mul(share, sub(one_minus(label), mul(sigmoid(negative(x)), pos_weight)))

    def pos_weight_grad() -> Any:
        return mul(share, negative(OPS["logsigmoid"](x)))

    return x_grad, None, pos_weight_grad


@op("share_of_used", "X, Label -> Out", meta=like_x_meta, internal=True)
@computed_in_float32_if_half
def zero_x_at_ignored_labels_and_normalize(
    x, label, *, ignore_index: int = -100, normalize: bool = False
):
    """Out = X where Label is not ignore_index, else 0.

    normalize: divide by the number of labels that are not ignored.

    X [*], Label [*] -> Out [*]
    """
    used = label != label.dtype.type(ignore_index)
    x = np.where(used, x, x.dtype.type(0))
    return x / x.dtype.type(max(int(np.sum(used)), 1)) if normalize else x


@zero_x_at_ignored_labels_and_normalize.vjp
def _(g, x, label, *, ignore_index, normalize):
    return zero_x_at_ignored_labels_and_normalize(
        g, label, ignore_index=ignore_index, normalize=normalize
    ), None


@op(
    "huber_loss",
    "X, Y -> Residual~, Out",
    same_dtype="X Y",
    floating="X",
    amp_class="deny",
    validate_before_kernel=True,
)
@computed_in_float32_if_half
def huber_loss(x, y, *, delta: float):
    """With r = Y - X: Out = r ** 2 / 2 where |r| <= delta, else delta * (|r| - delta / 2).

    X [*], Y [*] -> Residual = r [*], Out [*]
    """
    t = x.dtype.type
    r = y - x
    size = np.abs(r)
    return r, np.where(size <= t(delta), r * r * t(0.5), (size - t(0.5 * delta)) * t(delta))


@huber_loss.meta
def _(x, y, *, delta):
    _check_float_with_same_dtype_and_shape(x, y)
    return x, x


@huber_loss.vjp
def _(g, x, y, *, delta):
    bounded = mul(g, OPS["clip"](sub(y, x), min=-delta, max=delta))
    return negative(bounded), bounded


@op(
    "kldiv_loss",
    "X, Target! -> Loss",
    same_dtype="X Target",
    validate_before_kernel=True,
    public_name="kl_div",
)
@np.errstate(all="ignore")
@computed_in_float32_if_half
def kldiv_loss(x, target, *, reduction: str = "mean"):
    """Loss = Target * (ln Target - X), 0 where Target <= 0; then summed or averaged as the
    attribute `reduction` states.

    X [*], Target [*] -> Loss [] or [*]
    """
    t = x.dtype.type
    loss = np.where(target > 0, target * (np.log(target) - x), t(0))
    if reduction == "none":
        return loss
    count = {"mean": x.size, "batchmean": x.shape[0] if x.ndim else 1, "sum": 1}[reduction]
    return np.sum(loss) / t(max(count, 1))


@kldiv_loss.meta
def _(x, target, *, reduction):
    _check_float_with_same_dtype_and_shape(x, target)
    words = ("none", "mean", "batchmean", "sum")
    check(reduction in words, f"reduction={reduction} is not one of {', '.join(words)}")
    return x if reduction == "none" else Meta((), x.dtype)


@kldiv_loss.vjp
def _(g, x, target, *, reduction):
    def broadcast_grad() -> Any:
        if reduction == "none":
            return g
        axes = list(range(len(vjp_input_shape(x))))
        if reduction == "batchmean":
            rows = reduce_mean(x, dim=axes[1:], keep_dim=True) if len(axes) > 1 else x
            part = OPS["spread_like"](g, rows, axes=axes, average=True)
            return OPS["expand_as_v2"](part, x)
        return OPS["spread_like"](g, x, axes=axes, average=reduction == "mean")

    return lambda: mul(
        negative(broadcast_grad()), masked(target, is_strictly_between(target, low=0.0))
    ), None


# -- losses of log probabilities
# ------------------------------------------------------------------------------------------------


@op(
    "nll_loss",
    "X, Label, Weight?! -> Out, Total_weight~",
    same_dtype="X Weight",
    amp_class="deny",
    validate_before_kernel=True,
)
@computed_in_float32_if_half
def nll_loss(x, label, weight=None, *, ignore_index: Long = -100, reduction: str = "mean"):
    """Out = -Weight[Label] * X[Label]; then summed, or averaged with the weights, as `reduction`
    states.

    X [N,C,*], Label int [N,*], Weight [C] -> Out [] or [N,*]
    """
    picked, each = _class_indices_and_weights(x, label, weight, ignore_index)
    loss = -np.take_along_axis(x, picked[:, None], axis=1)[:, 0] * each
    total = np.sum(each)
    if reduction == "none":
        return loss, np.zeros_like(total)
    if reduction == "sum":
        return np.sum(loss), total
    check(reduction == "mean", f"reduction={reduction} is not one of none, mean, sum")
    return np.sum(loss) / _replace_zero_by_one(total), total


def _replace_zero_by_one(total: Any) -> Any:
    """Return `total` with zeros replaced by 1, so that the mean over zero valid labels is 0 / 1 =
    0.
    """
    return np.where(total == 0, total.dtype.type(1), total)


def _class_indices_and_weights(
    x: Any, label: Any, weight: Any, ignore_index: int
) -> tuple[Any, Any]:
    """Return the class index and the weight of each label; both are 0 for an ignored label."""
    picked, used = _class_indices_and_valid_mask(label, x.shape[1], ignore_index)
    each = np.ones_like(x, shape=label.shape) if weight is None else weight[picked]
    return picked, np.where(used, each, x.dtype.type(0))


@nll_loss.meta
def _(x, label, weight, *, ignore_index, reduction):
    check_float(x)
    check(len(x.shape) >= 2, "X needs at least two axes")
    check_dtype(label.dtype.kind in "iu", "Label is not of integers")
    check(shapes_match(label.shape, (x.shape[0], *x.shape[2:])), "Label does not fit X")
    check(
        reduction in ("none", "mean", "sum"), f"reduction={reduction} is not one of none, mean, sum"
    )
    check(
        weight is None or shapes_match(weight.shape, (x.shape[1],)),
        "Weight needs one element per class",
    )
    return Meta(label.shape if reduction == "none" else (), x.dtype), Meta((), x.dtype)


@nll_loss.vjp
def _(g, x, label, weight, *, ignore_index, reduction):
    return (
        nll_loss_grad(x, label, weight, g, ignore_index=ignore_index, reduction=reduction),
        None,
        None,
    )


@op("nll_loss_grad", "X, Label, Weight?, Out@GRAD -> X@GRAD", meta=like_x_meta, internal=True)
@computed_in_float32_if_half
def nll_loss_grad(x, label, weight, g, *, ignore_index: Long = -100, reduction: str = "mean"):
    """The gradient of nll_loss with respect to X. The gradient depends only on the shape of X, not
    on its values.

    X [N,C,*], Out@GRAD [] or [N,*] -> X@GRAD like X
    """
    picked, each = _class_indices_and_weights(x, label, weight, ignore_index)
    share = -each / _replace_zero_by_one(np.sum(each)) if reduction == "mean" else -each
    out = np.zeros_like(x)
    np.put_along_axis(out, picked[:, None], (share * g)[:, None], axis=1)
    return out


@nll_loss_grad.vjp
def _(b, x, label, weight, g, *, ignore_index, reduction):
    return (
        None,
        None,
        None,
        nll_loss(b, label, weight, ignore_index=ignore_index, reduction=reduction)[0],
    )


@op(
    "label_smooth",
    "X, PriorDist?! -> Out",
    same_dtype="X PriorDist",
    floating="X",
    validate_before_kernel=True,
)
@computed_in_float32_if_half
def label_smooth(x, prior=None, *, epsilon: float = 0.0):
    """Out = (1 - epsilon) * X + epsilon * PriorDist. PriorDist is uniform (1 / C) by default.

    X [*,C], PriorDist [1,C] -> Out [*,C]
    """
    t = x.dtype.type
    if prior is None:
        return x * t(1 - epsilon) + t(epsilon / x.shape[-1])
    return x * t(1 - epsilon) + prior.reshape(-1) * t(epsilon)


@label_smooth.meta
def _(x, prior, *, epsilon):
    check_float(x)
    check(len(x.shape) > 0, "X needs an axis")
    check(
        prior is None or dims_match(prior.shape[-1], x.shape[-1]),
        "PriorDist needs one element per class",
    )
    return x


@label_smooth.vjp
def _(g, x, prior, *, epsilon):
    return scale(g, scale=1 - epsilon), None


@op(
    "accuracy",
    "Out, Indices, Label -> Accuracy, Correct, Total",
    no_grad_reason=NO_GRAD_NON_FLOAT_RESULT,
    validate_before_kernel=True,
)
def accuracy(scores, indices, label):
    """Accuracy = the fraction of rows of Indices that contain their Label. Correct = the number of
    rows of Indices that contain their Label, Total = the number of all rows.

    Out [N,K], Indices int [N,K], Label int [N,1] -> Accuracy [], Correct, Total int32 []
    """
    right = np.sum(np.any(indices == label.reshape(-1, 1), axis=1))
    rows = indices.shape[0]
    return (right / max(rows, 1)).astype(np.float32), right.astype(np.int32), np.int32(rows)


@accuracy.meta
def _(scores, indices, label):
    check(len(indices.shape) == 2, "Indices needs two axes")
    check(
        dims_match(indices.shape[0], label.shape[0]),
        "Indices and Label have different numbers of rows",
    )
    return (
        Meta((), np.dtype(np.float32)),
        Meta((), np.dtype(np.int32)),
        Meta((), np.dtype(np.int32)),
    )
