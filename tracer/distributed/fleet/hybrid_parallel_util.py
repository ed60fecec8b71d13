"""`fleet.utils.hybrid_parallel_util`: average gradients explicitly, after `no_sync` or
recompute.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...core.autograd import no_grad
from ...core.communicator import process_groups
from ..collective import all_reduce

__all__ = ["fused_allreduce_gradients", "fused_allreduce_gradients_with_group"]


def fused_allreduce_gradients(parameter_list: Iterable[Any], hcg: Any = None) -> None:
    """Average the gradient of each parameter over all ranks, in place."""
    fused_allreduce_gradients_with_group(parameter_list, None)


@no_grad()
def fused_allreduce_gradients_with_group(
    parameter_list: Iterable[Any], group: Any, bucket_size: int = 0, scale: float | None = None
) -> None:
    """Average the gradient of each parameter over the ranks of a group (None: all ranks).

    scale: divisor of the sum, instead of the number of ranks
    """
    size = process_groups.global_communicator.size if group is None else group.nranks
    for parameter in parameter_list if size > 1 else ():
        if parameter.grad is not None:
            all_reduce(parameter.grad, group=group)
            parameter.grad.scale_(1.0 / (size if scale is None else scale))
