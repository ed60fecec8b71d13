"""Functions of `paddle.incubate` that Paddle also has under newer names, such as
`paddle.geometric`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import geometric
from ..core.errors import OpError, append_user_line
from ..core.tensor import Tensor
from ..nn import functional

__all__ = [
    "graph_send_recv",
    "identity_loss",
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_sum",
    "softmax_mask_fuse",
    "softmax_mask_fuse_upper_triangle",
]

segment_max, segment_mean = geometric.segment_max, geometric.segment_mean
segment_min, segment_sum = geometric.segment_min, geometric.segment_sum
REDUCTIONS = ("sum", "mean", "none")  # reductions of identity_loss, by number


def graph_send_recv(
    x: Tensor,
    src_index: Tensor,
    dst_index: Tensor,
    pool_type: str = "sum",
    out_size: Any = None,
    name: str | None = None,
) -> Tensor:
    """Send the rows of x along the edges of a graph and reduce them at each node, like
    geometric.send_u_recv.

    x [N, *], indices int [E] -> [N, *]
    """
    out: Tensor = geometric.send_u_recv(x, src_index, dst_index, pool_type, out_size)
    return out


def identity_loss(x: Tensor, reduction: Any = "none") -> Tensor:
    """Mark x as the loss of a network, and reduce it by sum, mean or not at all.

    x [*] -> [] or [*]

    reduction: 'sum' or 0, 'mean' or 1, 'none' or 2
    """
    reduction_name = (
        REDUCTIONS[reduction] if isinstance(reduction, int) and reduction in range(3) else reduction
    )
    if reduction_name not in REDUCTIONS:
        raise OpError(
            append_user_line(
                f"identity_loss: Unsupported reduction type {reduction!r}; there are "
                f"{list(REDUCTIONS)}"
            )
        )
    return x if reduction_name == "none" else (x.sum() if reduction_name == "sum" else x.mean())


def softmax_mask_fuse(x: Tensor, mask: Tensor, name: str | None = None) -> Tensor:
    """Return softmax(x + mask) over the last axis.

    x [B, H, S, T], mask [B, 1, S, T] -> [B, H, S, T]
    """
    return functional.softmax(x + mask)


def softmax_mask_fuse_upper_triangle(x: Tensor) -> Tensor:
    """Causal softmax: softmax over the last axis with the elements above the diagonal masked.

    x [B, H, S, S] -> [B, H, S, S]
    """
    size = x.shape[-1]
    if not isinstance(size, int) or size < 0:
        raise OpError(
            append_user_line(
                f"softmax_mask_fuse_upper_triangle: the size must be static (X={x.meta})"
            )
        )
    mask = Tensor(np.triu(np.full((size, size), -10000.0, x.meta.dtype), 1))
    return functional.softmax(x + mask)
