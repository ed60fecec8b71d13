"""Cross entropy of probabilities (after a softmax)."""

from __future__ import annotations

from typing import Any

from ...core.arrays import np
from ...core.dtype import int64
from ...core.op import OPS, Meta, check, op
from ..elementwise import div, masked, mul
from ..half_precision import computed_in_float32_if_half
from ..loss import _class_indices_and_valid_mask, check_hard_or_soft_label_dtype
from ..reduce import reduce_sum
from ..shared_op_rules import check_float, shapes_match, vjp_input_dtype_proto, vjp_input_shape
from ..unary_math import negative, one_minus

# The largest loss of a label: as in Paddle, a probability of 0 results in this value instead of
# infinity.
MAX_LOSS = 1e20


def _clipped_log(p: Any) -> Any:
    return np.maximum(np.log(p), p.dtype.type(-MAX_LOSS))


def _labels_as_column(x: Any, label: Any) -> Any:
    """Reshape the labels of x [*, C] to [*, 1]. The labels may have the shape [*] or [*, 1]."""
    return label[..., None] if label.ndim == x.ndim - 1 else label


def _label_loss_and_probability(x: Any, label: Any, ignore_index: int) -> tuple[Any, Any]:
    """Return minus the logarithm of the probability of the label, and this probability; both are 0
    for an ignored label.
    """
    check_hard_or_soft_label_dtype(x, label, False)
    picked, used = _class_indices_and_valid_mask(
        _labels_as_column(x, label), x.shape[-1], ignore_index
    )
    found = np.take_along_axis(x, picked, axis=-1)
    zero = x.dtype.type(0)
    return np.where(used, -_clipped_log(found), zero), np.where(used, found, zero)


def _cross_entropy_meta(x: Meta, label: Meta, soft_label: bool) -> Meta:
    check_float(x)
    check(len(x.shape) > 0, "X needs an axis")
    column = (*x.shape[:-1], 1)
    if soft_label:
        check(shapes_match(label.shape, x.shape), "Label does not fit X")
    else:
        fits = shapes_match(label.shape, column) or shapes_match(label.shape, column[:-1])
        check(fits, "Label does not fit X")
    return Meta(column, x.dtype)


def _hard_label_vjp(g: Any, x: Any, label: Any, ignore_index: int) -> Any:
    """The gradient of cross entropy with hard labels: -g / x at the labels and 0 elsewhere, with
    the shape of x.
    """
    label = (
        OPS["squeeze2"](label, axes=[-1])
        if len(vjp_input_shape(label)) == len(vjp_input_shape(x))
        else label
    )
    # fed labels are integers even if the declared dtype differs
    if getattr(label, "meta", label).dtype.kind not in "iu":
        label = OPS["cast"](label, in_dtype=vjp_input_dtype_proto(label), out_dtype=int64.proto)
    used = OPS["not_equal"](label, OPS["fill_any_like"](label, value=float(ignore_index)))
    own = OPS["one_hot_v2"](
        label,
        depth=int(vjp_input_shape(x)[-1]),
        dtype=vjp_input_dtype_proto(x),
        allow_out_of_range=True,
    )
    own = masked(own, OPS["unsqueeze2"](used, axes=[-1]))
    there = one_minus(
        reduce_sum(own, dim=[-1], keep_dim=True)
    )  # 1 where no label is selected, which avoids a division by 0
    found = OPS["elementwise_add"](reduce_sum(mul(x, own), dim=[-1], keep_dim=True), there)
    return mul(own, div(negative(g), found))


@op("cross_entropy", "X, Label! -> Y", amp_class="deny", validate_before_kernel=True)
@np.errstate(divide="ignore")
@computed_in_float32_if_half
def cross_entropy(x, label, *, soft_label: bool = False, ignore_index: int = -100):
    """Y = -ln(X[Label]); with soft_label, Y = -the sum of Label * ln(X).

    X: probabilities [*, C], Label int [*, 1] or float [*, C] -> Y [*, 1]
    """
    if soft_label:
        check_hard_or_soft_label_dtype(x, label, True)
        return -np.sum(label * _clipped_log(x), axis=-1, keepdims=True)
    return _label_loss_and_probability(x, label, ignore_index)[0]


@cross_entropy.meta
def _(x, label, *, soft_label, ignore_index):
    return _cross_entropy_meta(x, label, soft_label)


@cross_entropy.vjp
def _(g, x, label, *, soft_label, ignore_index):
    if not soft_label:
        return lambda: _hard_label_vjp(g, x, label, ignore_index), None
    return lambda: negative(div(mul(g, label), x)), None


@op(
    "cross_entropy2",
    "X, Label! -> Y, XShape~, MatchX~",
    amp_class="deny",
    validate_before_kernel=True,
)
@np.errstate(divide="ignore")
@computed_in_float32_if_half
def cross_entropy2(x, label, *, ignore_index: int = -100):
    """MatchX = X[Label], Y = -ln(MatchX).

    X: probabilities [*, C], Label int [*, 1] -> Y, MatchX [*, 1], XShape [0, *, C]
    """
    loss, found = _label_loss_and_probability(x, label, ignore_index)
    return loss, np.empty((0, *x.shape), x.dtype), found


@cross_entropy2.meta
def _(x, label, *, ignore_index):
    found = _cross_entropy_meta(x, label, False)
    return found, Meta((0, *x.shape), x.dtype), found


@cross_entropy2.vjp
def _(g, x, label, *, ignore_index):
    return lambda: _hard_label_vjp(g, x, label, ignore_index), None
