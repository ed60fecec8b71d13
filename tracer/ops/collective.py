"""Collective operations in a program. If there is only one process, the operations copy their
input.
"""

from __future__ import annotations

from ..core.arrays import np
from ..core.communicator import MAX, MIN, PROD, SUM, process_groups
from ..core.op import op
from .shared_op_rules import like_x_meta


def _all_reduce(x, how, ring_id):
    found = np.array(x, order="C")
    group = process_groups.groups.get(ring_id)
    if group is None:
        raise ValueError(f"there is no group of ranks with ring_id {ring_id}")
    group.all_reduce(found, how).wait()
    return found


@op("c_allreduce_sum", "X, Cond? -> Out", meta=lambda x, cond, **_: x)
def c_allreduce_sum(
    x,
    cond=None,
    *,
    ring_id: int = 0,
    use_calc_stream: bool = False,
    use_model_parallel: bool = False,
):
    """Out = the sum of X over all ranks of the group. X [*] -> Out [*]

    All ranks call the op with the same shape and dtype of X.
    Cond: not used.
    """
    return _all_reduce(x, SUM, ring_id)


@c_allreduce_sum.vjp
def _(g, x, cond, *, ring_id, use_calc_stream, use_model_parallel):
    # The total loss is the sum of the losses of all ranks, and each rank's loss depends on the X of
    # all ranks. Therefore the gradient of X is the sum of the gradients of all ranks.
    summed = c_allreduce_sum(
        g, ring_id=ring_id, use_calc_stream=use_calc_stream, use_model_parallel=use_model_parallel
    )
    return summed, None


NO_GRAD_UNKNOWN_RANK = "the rank that the result came from is unknown"


@op(
    "c_allreduce_max",
    "X -> Out",
    meta=like_x_meta,
    no_grad_reason=NO_GRAD_UNKNOWN_RANK,
    attrs_of=c_allreduce_sum,
)
def c_allreduce_max(x, *, ring_id: int = 0, **attributes):
    """Out = the elementwise maximum of X over all ranks of the group. X [*] -> Out [*]"""
    return _all_reduce(x, MAX, ring_id)


@op(
    "c_allreduce_min",
    "X -> Out",
    meta=like_x_meta,
    no_grad_reason=NO_GRAD_UNKNOWN_RANK,
    attrs_of=c_allreduce_sum,
)
def c_allreduce_min(x, *, ring_id: int = 0, **attributes):
    """Out = the elementwise minimum of X over all ranks of the group. X [*] -> Out [*]"""
    return _all_reduce(x, MIN, ring_id)


@op(
    "c_allreduce_prod",
    "X -> Out",
    meta=like_x_meta,
    no_grad_reason=NO_GRAD_UNKNOWN_RANK,
    attrs_of=c_allreduce_sum,
)
def c_allreduce_prod(x, *, ring_id: int = 0, **attributes):
    """Out = the elementwise product of X over all ranks of the group. X [*] -> Out [*]"""
    return _all_reduce(x, PROD, ring_id)
