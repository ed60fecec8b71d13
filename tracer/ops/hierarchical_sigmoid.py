"""Hierarchical softmax: each class is a leaf of a binary tree (Morin and Bengio 2005)."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..core.arrays import np
from ..core.op import HOST_PYTHON_LOOP, Longs, Meta, Strings, check, op
from .half_precision import computed_in_float32_if_half
from .shared_op_rules import (
    check_float,
    dims_match,
    make_vjp_rule_rejecting_second_order,
    num_elements,
)


class TreePath(NamedTuple):
    """The path from the leaf of each label to the root; column 0 is the parent of the leaf.

    nodes [N,L]: the row of the weight for each inner node.
    branches [N,L]: the child that the path takes, 0 or 1.
    valid [N,L]: whether the path has this many nodes.
    """

    nodes: Any
    branches: Any
    valid: Any


def _max_path_length(num_classes: int) -> int:
    return (num_classes - 1).bit_length()


def _tree_path(label: Any, table: Any, code: Any, num_classes: int) -> TreePath:
    """Return the path of each label that `table` and `code` describe. Without `table` and `code`,
    return the path in the complete binary tree in which the root is node 1 and class c is node c +
    num_classes.
    """
    if table is not None:
        valid = np.cumprod(table >= 0, axis=1).astype(bool)
        return TreePath(np.where(valid, table, 0), np.where(valid, code, 0), valid)
    leaf = label.reshape(-1, 1) + num_classes
    bits = np.arange(_max_path_length(num_classes))
    valid = (leaf >> (bits + 1)) > 0
    return TreePath(
        np.where(valid, (leaf >> (bits + 1)) - 1, 0), np.where(valid, (leaf >> bits) & 1, 0), valid
    )


def _node_scores(x: Any, w: Any, bias: Any, path: TreePath) -> Any:
    """The score of each node on the path of each label, clipped to [-40, 40]; 0 after the end of
    the path. [N,L]
    """
    found = np.einsum("nd,nld->nl", x, w[path.nodes])
    if bias is not None:
        found = found + bias.reshape(-1)[path.nodes]
    limit = x.dtype.type(40)
    return np.clip(found, -limit, limit) * path.valid


@op(
    "hierarchical_sigmoid",
    "X, W, Label, PathTable?, PathCode?, Bias? -> Out, PreOut~, W_Out~=W",
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
    public_name="hsigmoid_loss",
)
@computed_in_float32_if_half
def hierarchical_sigmoid(
    x,
    w,
    label,
    table=None,
    code=None,
    bias=None,
    *,
    num_classes: int = 2,
    trainer_id: int = 0,
    height_sections: Longs = [],
    epmap: Strings = [],
    table_names: Strings = [],
    is_sparse: bool = False,
):
    """Out = -ln of the probability of the path to Label.

    X [N,D], W [K,D], Label [N,1], PathTable and PathCode [N,L], Bias [K,1] -> Out [N,1]

    PreOut [N,L] = ln(1 + e ** score) of each node.
    As in Paddle, Out includes ln 2 for each missing node of a path shorter than L.
    """
    path = _tree_path(label, table, code, num_classes)
    scores = _node_scores(x, w, bias, path)
    soft = np.log1p(np.exp(scores))
    return np.sum(soft - path.branches * scores, axis=1, keepdims=True).astype(x.dtype), soft, w


@hierarchical_sigmoid.meta
def _(x, w, label, table, code, bias, *, num_classes, **_):
    check_float(x)
    check(
        len(x.shape) == len(w.shape) == 2 and dims_match(x.shape[1], w.shape[1]), "W does not fit X"
    )
    check(dims_match(num_elements(label.shape), x.shape[0]), "Label needs one class per row of X")
    check((table is None) == (code is None), "PathTable and PathCode should be given together")
    check(table is None or len(table.shape) == 2, "PathTable needs two axes")
    check(num_classes >= 2, f"num_classes={num_classes} is less than 2")
    check(
        bias is None or dims_match(num_elements(bias.shape), w.shape[0]),
        "Bias needs one element per row of W",
    )
    length = _max_path_length(num_classes) if table is None else table.shape[1]
    return Meta((x.shape[0], 1), x.dtype), Meta((x.shape[0], length), x.dtype), w


@hierarchical_sigmoid.vjp
def _(g, x, w, label, table, code, bias, *, num_classes):
    found = hierarchical_sigmoid_grad(x, w, label, table, code, bias, g, num_classes=num_classes)
    return found[0], found[1], None, None, None, None if bias is None else found[2]


@op(
    "hierarchical_sigmoid_grad",
    "X, W, Label, PathTable?, PathCode?, Bias?, Out@GRAD -> Grads*",
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
@computed_in_float32_if_half
def hierarchical_sigmoid_grad(x, w, label, table, code, bias, g, *, num_classes: int = 2):
    """The gradients of hierarchical_sigmoid with respect to X, W and, if given, Bias."""
    path = _tree_path(label, table, code, num_classes)
    scores = _node_scores(x, w, bias, path)
    inside = path.valid & (np.abs(scores) < 40)
    share = (1 / (1 + np.exp(-scores)) - path.branches) * inside * g.reshape(-1, 1)
    share = share.astype(x.dtype)
    to_w = np.zeros_like(w)
    np.add.at(to_w, path.nodes, share[:, :, None] * x[:, None, :])
    found = [np.einsum("nl,nld->nd", share, w[path.nodes]), to_w]
    if bias is not None:
        to_bias = np.zeros_like(bias, shape=(bias.size,))
        np.add.at(to_bias, path.nodes, share)
        found.append(to_bias.reshape(bias.shape))
    return found


@hierarchical_sigmoid_grad.meta
def _(x, w, label, table, code, bias, g, **_):
    return [x, w] if bias is None else [x, w, bias]


hierarchical_sigmoid_grad.vjp(make_vjp_rule_rejecting_second_order("hierarchical_sigmoid"))
