"""`paddle.incubate` beside its optimizers: ops that were new once, by what has them today."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import geometric
from ..core.errors import OpError, with_user_line
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
KINDS = ("sum", "mean", "none")  # of identity_loss, by number


def graph_send_recv(
    x: Tensor,
    src_index: Tensor,
    dst_index: Tensor,
    pool_type: str = "sum",
    out_size: Any = None,
    name: str | None = None,
) -> Tensor:
    """Rows sent along edges and joined where they arrive; see geometric.send_u_recv.

    x [N, *], indices int [E] -> [N, *]
    """
    found: Tensor = geometric.send_u_recv(x, src_index, dst_index, pool_type, out_size)
    return found


def identity_loss(x: Tensor, reduction: Any = "none") -> Tensor:
    """x as a loss.

    reduction: 'sum' or 0, 'mean' or 1, 'none' or 2.   x [*] -> [] or [*]
    """
    kind = KINDS[reduction] if isinstance(reduction, int) and reduction in range(3) else reduction
    if kind not in KINDS:
        raise OpError(
            with_user_line(
                f"identity_loss: Unsupported reduction type {reduction!r}; there are {list(KINDS)}"
            )
        )
    return x if kind == "none" else (x.sum() if kind == "sum" else x.mean())


def softmax_mask_fuse(x: Tensor, mask: Tensor, name: str | None = None) -> Tensor:
    """softmax(x + mask) over the last axis.

    x [B, H, S, T], mask [B, 1, S, T] -> [B, H, S, T]
    """
    return functional.softmax(x + mask)


def softmax_mask_fuse_upper_triangle(x: Tensor) -> Tensor:
    """softmax over the last axis of what is not above the diagonal.

    x [B, H, S, S] -> [B, H, S, S]
    """
    size = x.shape[-1]
    if not isinstance(size, int) or size < 0:
        raise OpError(
            with_user_line(f"softmax_mask_fuse_upper_triangle: the size is not known (X={x.meta})")
        )
    above = Tensor(np.triu(np.full((size, size), -10000.0, x.meta.dtype), 1))
    return functional.softmax(x + above)
