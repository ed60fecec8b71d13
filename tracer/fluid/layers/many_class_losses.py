"""Losses over many classes, computed with a tree or with sampled classes, and the center loss."""

from __future__ import annotations

from typing import Any

from ...core.errors import OpError, append_user_line
from ...core.op import OPS
from ...core.tensor import Tensor
from ...static.nn.helper import LayerHelper, require_static_size
from ...static.nn.noise_contrastive import nce as _nce
from ...tensor.convert import cast
from .layer_utils import assign_to, deprecated_layer

__all__ = ["center_loss", "hsigmoid", "nce", "sampled_softmax_with_cross_entropy"]

nce = deprecated_layer("paddle.static.nn.nce")(_nce)


@deprecated_layer("paddle.nn.functional.hsigmoid_loss")
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
    """Hierarchical sigmoid: a softmax over many classes as a path in a binary tree (Morin and
    Bengio 2005).

    input: [N, D].
    label: int [N, 1].
    path_table, path_code: [N, L]; a user-defined tree, with is_custom
    Returns [N, 1].
    """
    if is_custom != (path_table is not None) or is_custom != (path_code is not None):
        raise OpError(
            append_user_line(
                "hsigmoid: path_table and path_code require is_custom=True, and vice versa"
            )
        )
    helper = LayerHelper("hierarchical_sigmoid", name, input, label)
    rows = num_classes if is_custom else num_classes - 1
    with helper.prefixing_output_names():
        weight = helper.create_parameter(
            param_attr, [rows, require_static_size("hsigmoid", input, 1)], input.dtype
        )
        bias = helper.create_parameter(bias_attr, [rows, 1], input.dtype, is_bias=True)
        operands = (input, weight, label, path_table, path_code, bias)
        return OPS["hierarchical_sigmoid"](*operands, num_classes=num_classes, is_sparse=is_sparse)[
            0
        ]


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
    """Cross entropy over the labels and num_samples sampled classes (Jean et al. 2015).

    logits: [N, C].
    label: int64 [N, T].
    Returns [N, 1].

    The newer name is `paddle.nn.functional.cross_entropy`.
    """
    sampled_logits, sampled_labels, *_ = OPS["sample_logits"](
        logits,
        label,
        customized_samples,
        customized_probabilities,
        use_customized_samples=use_customized_samples,
        remove_accidental_hits=remove_accidental_hits,
        num_samples=num_samples,
        seed=seed,
    )
    one_hot = OPS["one_hot_v2"](sampled_labels, depth=num_samples + num_true)
    target = OPS["reduce_sum"](one_hot, dim=[1])
    loss = OPS["softmax_with_cross_entropy"](
        sampled_logits, target, soft_label=True, numeric_stable_mode=False
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
    """Half the squared distance to the center of the class; centers are moved at rate alpha (Wen et
    al. 2016).

    input: [N, D].
    label: int [N, 1].
    Returns [N, 1].
    """
    helper = LayerHelper("center_loss", None, input, label)
    width = require_static_size("center_loss", input, 1)
    with helper.prefixing_output_names():
        centers = helper.create_parameter(param_attr, [num_classes, width], input.dtype)
        centers.stop_gradient = True
        indices = OPS["reshape2"](cast(label, "int64"), shape=[-1])
        difference = OPS["elementwise_sub"](input, OPS["gather"](centers, indices))
        loss = OPS["scale"](
            OPS["reduce_sum"](OPS["square"](difference), dim=[1], keep_dim=True), scale=0.5
        )
        if update_center:
            _update_centers_toward_samples(centers, indices, difference, alpha)
    return loss


def _update_centers_toward_samples(centers: Any, indices: Any, difference: Any, alpha: Any) -> None:
    """Move each center by alpha * sum(differences) / (1 + number of its samples)."""
    index = OPS["unsqueeze2"](indices, axes=[-1])
    counts = OPS["fill_any_like"](OPS["reduce_sum"](centers, dim=[1], keep_dim=True), value=1.0)
    ones = OPS["fill_any_like"](OPS["reduce_sum"](difference, dim=[1], keep_dim=True), value=1.0)
    counts = OPS["scatter_nd_add"](counts, index, ones)
    sums = OPS["scatter_nd_add"](OPS["fill_any_like"](centers, value=0.0), index, difference)
    step = OPS["elementwise_div"](sums, counts)
    step = (
        OPS["elementwise_mul"](step, alpha)
        if isinstance(alpha, Tensor)
        else OPS["scale"](step, scale=float(alpha))
    )
    updated = OPS["elementwise_add"](centers, step)
    updated.stop_gradient = True
    assign_to(updated, centers)
