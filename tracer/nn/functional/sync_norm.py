"""Batch normalisation over the batches of all ranks."""

from __future__ import annotations

import math

import numpy as np

from ...core import cuda
from ...core.dtype import is_half
from ...core.errors import OarlockError, with_user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.tensor import Tensor
from ...tensor.convert import cast


def _sum(x: Tensor, axes: list[int]) -> Tensor:
    found: Tensor = OPS["reduce_sum"](x, dim=axes, keep_dim=True)
    return found


def _of_all(x: Tensor) -> Tensor:
    found: Tensor = OPS["c_allreduce_sum"](x, use_calc_stream=True)
    return found


def sync_batch_norm(
    x: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    momentum: float,
    epsilon: float,
    data_format: str,
) -> Tensor:
    """batch_norm in training, where mean and variance are those of the batches of all ranks
    together.

    x [N, C, *] -> like x

    Batches may differ in size.  Made of ops, with one sum over ranks for each of the two, and so
    are its gradients.
    """
    if state.mode.static:
        raise OarlockError(
            with_user_line(
                "SyncBatchNorm: trains eagerly; a program has no place for several ranks"
            )
        )
    channel = 1 if data_format.startswith("NC") else x.ndim - 1
    axes = [a for a in range(x.ndim) if a != channel]
    along = [x.shape[channel] if a == channel else 1 for a in range(x.ndim)]
    wide = np.dtype(np.float32) if is_half(x.meta.dtype) else x.meta.dtype
    held = cast(x, wide)
    here = math.prod(x.shape[a] for a in axes)
    count = _of_all(Tensor(cuda.to_device(np.array([here], dtype=wide), cuda.index_of(x.array))))
    mean = _of_all(_sum(held, axes)) / count
    apart = held - mean
    variance = _of_all(_sum(apart * apart, axes)) / count
    out = apart * OPS["rsqrt"](variance + epsilon)
    if weight is not None:
        out = out * OPS["reshape2"](cast(weight, wide), shape=along)
    if bias is not None:
        out = out + OPS["reshape2"](cast(bias, wide), shape=along)
    for running, batch in ((running_mean, mean), (running_var, variance)):
        moved = momentum * running.array + (1 - momentum) * batch.array.reshape(-1)
        running.set_value(moved.astype(running.array.dtype))
    return cast(out, x.meta.dtype)
