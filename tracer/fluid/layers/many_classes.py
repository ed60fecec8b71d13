"""Losses over many classes, of which only some are looked at, and of what lies around centers."""

from __future__ import annotations

from typing import Any

from ...core.errors import OpError, with_user_line
from ...core.op import OPS
from ...core.tensor import Tensor
from ...static.nn.helper import Helper, known_size
from ...static.nn.noise_contrastive import nce as _nce
from ...tensor.convert import cast
from .helper import into, today

__all__ = ["center_loss", "hsigmoid", "nce", "sampled_softmax_with_cross_entropy"]

nce = today("paddle.static.nn.nce")(_nce)


@today("paddle.nn.functional.hsigmoid_loss")
def hsigmoid(
    input: Any,
    label: Any,
    num_classes: Any,
    param_attr: Any = None,
    bias_attr: Any = None,
    name: str | None = None,
    path_table: Any = None,
    path_code: Any = None,
    is_custom: bool = False,
    is_sparse: bool = False,
) -> Any:
    """A softmax over many classes as a walk down a binary tree

    (Morin and Bengio 2005).
    input [N, D], label int [N, 1] -> [N, 1]

    path_table, path_code [N, L]: a tree of one's own, with is_custom.
    """
    if is_custom != (path_table is not None) or is_custom != (path_code is not None):
        raise OpError(
            with_user_line(
                "hsigmoid: path_table and path_code go with is_custom=True, and only with it"
            )
        )
    helper = Helper("hierarchical_sigmoid", name, input, label)
    rows = num_classes if is_custom else num_classes - 1
    with helper.writing():
        weight = helper.parameter(param_attr, [rows, known_size("hsigmoid", input, 1)], input.dtype)
        bias = helper.parameter(bias_attr, [rows, 1], input.dtype, is_bias=True)
        given = (input, weight, label, path_table, path_code, bias)
        return OPS["hierarchical_sigmoid"](*given, num_classes=num_classes, is_sparse=is_sparse)[0]


def sampled_softmax_with_cross_entropy(
    logits: Any,
    label: Any,
    num_samples: int,
    num_true: int = 1,
    remove_accidental_hits: bool = True,
    use_customized_samples: bool = False,
    customized_samples: Any = None,
    customized_probabilities: Any = None,
    seed: int = 0,
) -> Any:
    """A cross entropy over the labels and num_samples drawn classes

    (Jean et al. 2015).
    logits [N, C], label int64 [N, T] -> [N, 1]
    """
    made, found, *_ = OPS["sample_logits"](
        logits,
        label,
        customized_samples,
        customized_probabilities,
        use_customized_samples=use_customized_samples,
        remove_accidental_hits=remove_accidental_hits,
        num_samples=num_samples,
        seed=seed,
    )
    wanted = OPS["reduce_sum"](OPS["one_hot_v2"](found, depth=num_samples + num_true), dim=[1])
    loss = OPS["softmax_with_cross_entropy"](
        made, wanted, soft_label=True, numeric_stable_mode=False
    )[1]
    return OPS["scale"](loss, scale=1.0 / num_true)


def center_loss(
    input: Any,
    label: Any,
    num_classes: int,
    alpha: Any,
    param_attr: Any,
    update_center: bool = True,
) -> Any:
    """Half the squared distance to the center of the class, which follows by alpha

    (Wen et al. 2016).
    input [N, D], label int [N, 1] -> [N, 1]
    """
    helper = Helper("center_loss", None, input, label)
    width = known_size("center_loss", input, 1)
    with helper.writing():
        centers = helper.parameter(param_attr, [num_classes, width], input.dtype)
        centers.stop_gradient = True
        places = OPS["reshape2"](cast(label, "int64"), shape=[-1])
        apart = OPS["elementwise_sub"](input, OPS["gather"](centers, places))
        loss = OPS["scale"](
            OPS["reduce_sum"](OPS["square"](apart), dim=[1], keep_dim=True), scale=0.5
        )
        if update_center:
            _follow(centers, places, apart, alpha)
    return loss


def _follow(centers: Any, places: Any, apart: Any, alpha: Any) -> None:
    """Move each center by alpha times the sum of the distances to it, over one more than their
    number.
    """
    index = OPS["unsqueeze2"](places, axes=[-1])
    counts = OPS["fill_any_like"](OPS["reduce_sum"](centers, dim=[1], keep_dim=True), value=1.0)
    ones = OPS["fill_any_like"](OPS["reduce_sum"](apart, dim=[1], keep_dim=True), value=1.0)
    counts = OPS["scatter_nd_add"](counts, index, ones)
    sums = OPS["scatter_nd_add"](OPS["fill_any_like"](centers, value=0.0), index, apart)
    step = OPS["elementwise_div"](sums, counts)
    step = (
        OPS["elementwise_mul"](step, alpha)
        if isinstance(alpha, Tensor)
        else OPS["scale"](step, scale=float(alpha))
    )
    made = OPS["elementwise_add"](centers, step)
    made.stop_gradient = True
    into(made, centers)
