"""Gradients exchanged by hand, for programs that train under `no_sync`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...core.autograd import no_grad
from ...core.errors import OarlockError, with_user_line
from ...core.ranks import world
from ...core.tensor import Tensor
from ..collective import all_reduce

__all__ = ["fused_allreduce_gradients"]


def fused_allreduce_gradients(parameter_list: Iterable[Tensor], hcg: Any) -> None:
    """Make the gradient of each parameter the mean over all processes.   hcg: None; a model is not split here, else OarlockError"""
    if hcg is not None:
        raise OarlockError(with_user_line("fused_allreduce_gradients: models are not split here; give hcg=None"))
    size = world.everybody.size
    if size == 1:
        return
    with no_grad():
        for parameter in parameter_list:
            if not parameter.stop_gradient and parameter.grad is not None:
                mean = parameter.grad / float(size)
                all_reduce(mean)
                parameter.grad = mean
