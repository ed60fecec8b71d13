"""tree_conv: convolution over the nodes of trees and their descendants (Mou et al., 2016)."""

from __future__ import annotations

from ...core.arrays import np
from ...core.op import HOST_PYTHON_LOOP, Meta, check, op
from ..shared_op_rules import (
    check_float,
    dims_match,
    make_meta_rule_like_inputs_at,
    make_vjp_rule_rejecting_second_order,
)


def _children_by_node(edges):
    """Return, for each node, its children in the tree; nodes are numbered from 1.

    edges int [E,2], (parent, child), up to the first 0
    """
    ends = np.flatnonzero((edges == 0).any(axis=1))
    used = edges[: ends[0]] if len(ends) else edges
    found: list[list[int]] = [[] for _ in range(len(used) + 2)]
    for above, below in used:
        found[above].append(int(below))
    return found


def _node_with_descendants(root, children, depth):
    """A node (level 0) and its descendants with a level below `depth`, as (node, position
    among its siblings, number of siblings, level).
    """
    found, seen, at = [(root, 1, 1, 0)], {root}, 0
    while at < len(found):
        node, _, _, deep = found[at]
        at += 1
        for i, below in enumerate(children[node]):
            if below not in seen and deep + 1 < depth:
                seen.add(below)
                found.append((below, i + 1, len(children[node]), deep + 1))
    return found


def _filter_weights_of_nodes(edges, nodes, depth):
    """The weights with which the left, right and top filter are mixed for each node.

    -> float64 [B,N,N,3]
    """
    found = np.zeros((len(edges), nodes, nodes, 3))
    for one, sample in zip(edges, found, strict=True):
        children = _children_by_node(one)
        for root in range(1, len(children)):
            for node, place, count, deep in _node_with_descendants(root, children, depth):
                top = (depth - deep) / depth
                left = (1 - top) * (0.5 if count == 1 else (place - 1) / (count - 1))
                sample[root - 1, node - 1] += (left, (1 - top) * (1 - left), top)
    return found


@op(
    "tree_conv",
    "NodesVector, EdgeSet!, Filter -> Out",
    host_reason=HOST_PYTHON_LOOP,
    validate_before_kernel=True,
)
def tree_conv(x, edges, weight, *, max_depth: int = 2):
    """Out = for each node, the sum over the node and its descendants (to max_depth) of features
    times filter. The filter is a mix of the left, right and top filters, weighted by the position
    in the tree.

    NodesVector [B,N,F], EdgeSet int [B,E,2] (nodes count from 1), Filter [F,3,D,K] -> Out [B,N,D,K]
    """
    mixed = np.einsum(
        "bpnk,bnf->bpfk", _filter_weights_of_nodes(edges, x.shape[1], max_depth).astype(x.dtype), x
    )
    return np.einsum("bpfk,fkdm->bpdm", mixed, weight)


@tree_conv.meta
def _(x, edges, weight, *, max_depth):
    check_float(x)
    check(len(x.shape) == 3 and len(edges.shape) == 3, "NodesVector and EdgeSet need three axes")
    check(
        len(weight.shape) == 4 and dims_match(weight.shape[1], 3),
        "Filter needs the shape [features, 3, size, filters]",
    )
    check(dims_match(x.shape[2], weight.shape[0]), "Filter does not fit the features")
    check(dims_match(edges.shape[2], 2), "EdgeSet needs pairs")
    check(edges.dtype.kind in "iu", "EdgeSet is not of whole numbers")
    return Meta((*x.shape[:2], *weight.shape[2:]), x.dtype)


@tree_conv.vjp
def _(g, x, edges, weight, *, max_depth):
    of_x, of_weight = tree_conv_grad(x, edges, weight, g, max_depth=max_depth)
    return of_x, None, of_weight


@op(
    "tree_conv_grad",
    "NodesVector, EdgeSet, Filter, Out@GRAD -> NodesVector@GRAD, Filter@GRAD",
    meta=make_meta_rule_like_inputs_at(0, 2),
    internal=True,
    host_reason=HOST_PYTHON_LOOP,
)
def tree_conv_grad(x, edges, weight, g, *, max_depth: int = 2):
    """The gradients of `tree_conv` with respect to NodesVector and Filter.

    For the gradient of NodesVector, Paddle reads Filter in another order than for Out, which is
    correct only if a node has one feature.
    """
    shares = _filter_weights_of_nodes(edges, x.shape[1], max_depth).astype(x.dtype)
    mixed = np.einsum("bpnk,bnf->bpfk", shares, x)
    back = np.einsum("bpdm,fkdm->bpfk", g, weight)
    return np.einsum("bpnk,bpfk->bnf", shares, back), np.einsum("bpfk,bpdm->fkdm", mixed, g)


tree_conv_grad.vjp(make_vjp_rule_rejecting_second_order("tree_conv"))
