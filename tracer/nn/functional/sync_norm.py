"""Batch normalization over the batches of all ranks."""

from __future__ import annotations

import math

import numpy as np

from ...core import cuda
from ...core.dtype import is_half
from ...core.errors import OarlockError, append_user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.tensor import Tensor
from ...tensor.convert import cast


def _sum_over_axes(x: Tensor, axes: list[int]) -> Tensor:
    out: Tensor = OPS["reduce_sum"](x, dim=axes, keep_dim=True)
    return out


def _sum_over_ranks(x: Tensor) -> Tensor:
    out: Tensor = OPS["c_allreduce_sum"](x, use_calc_stream=True)
    return out


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
    """Batch normalization in training with the mean and variance over the batches of all ranks.

    x [N, C, *] -> like x

    Batches may differ in size. The function is a composition of ops, so that its gradients are
    reduced over the ranks, too.
    """
    if state.mode.static:
        raise OarlockError(
            append_user_line("SyncBatchNorm: training is supported in eager mode only")
        )
    channel = 1 if data_format.startswith("NC") else x.ndim - 1
    axes = [a for a in range(x.ndim) if a != channel]
    channel_shape = [x.shape[channel] if a == channel else 1 for a in range(x.ndim)]
    stat_dtype = np.dtype(np.float32) if is_half(x.meta.dtype) else x.meta.dtype
    x32 = cast(x, stat_dtype)
    local_count = math.prod(x.shape[a] for a in axes)
    count = _sum_over_ranks(
        Tensor(
            cuda.to_device(np.array([local_count], dtype=stat_dtype), cuda.gpu_index_of(x.array))
        )
    )
    mean = _sum_over_ranks(_sum_over_axes(x32, axes)) / count
    centered = x32 - mean
    variance = _sum_over_ranks(_sum_over_axes(centered * centered, axes)) / count
    out = centered * OPS["rsqrt"](variance + epsilon)
    if weight is not None:
        out = out * OPS["reshape2"](cast(weight, stat_dtype), shape=channel_shape)
    if bias is not None:
        out = out + OPS["reshape2"](cast(bias, stat_dtype), shape=channel_shape)
    for running, batch in ((running_mean, mean), (running_var, variance)):
        updated = momentum * running.array + (1 - momentum) * batch.array.reshape(-1)
        running.set_value(updated.astype(running.array.dtype))
    return cast(out, x.meta.dtype)
