"""Functions of `paddle.incubate` that Paddle also has under newer names, such as
`paddle.geometric`.
"""

from __future__ import annotations

import numpy as np

from .. import geometric
from ..core.errors import OpError, append_user_line
from ..core.tensor import Tensor
from ..core.type_aliases import Size
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
    out_size: Size | None = None,
    name: str | None = None,
) -> Tensor:
    """Send the features of nodes along the edges of a graph, and reduce them at each node.

    out[n] = pool_type over the edges e with dst_index[e] = n of x[src_index[e]]

    Parameters
    ----------
    x : Tensor [N, *], a numeric dtype
        Features of the nodes.
    src_index, dst_index : Tensor [E], int32 | int64
        Source and destination of each edge, in [0, N) and [0, rows of the result).
    pool_type : "sum", "mean", "max" or "min", default "sum"
    out_size : int or Tensor [1], optional
        Rows of the result. Default, and if it is not positive: N.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [out_size or N, *], dtype of `x`
        0 at a node without incoming edges.

    Raises
    ------
    OpError
        If an index is out of range or not an integer, there are not as many sources as
        destinations, or `pool_type` is unknown.

    See Also
    --------
    paddle.geometric.send_u_recv : The same function under its newer name.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> src, dst = paddle.to_tensor([0, 1, 2, 0]), paddle.to_tensor([1, 2, 1, 0])
    >>> paddle.incubate.graph_send_recv(x, src, dst, pool_type="max").tolist()
    [[1.0, 2.0], [5.0, 6.0], [3.0, 4.0]]
    """
    out: Tensor = geometric.send_u_recv(x, src_index, dst_index, pool_type, out_size)
    return out


def identity_loss(x: Tensor, reduction: str | int = "none") -> Tensor:
    """Mark a tensor as the loss of a network, and reduce it.

    Parameters
    ----------
    x : Tensor [*], a floating-point dtype
    reduction : "sum", "mean", "none", or their numbers 0, 1, 2; default "none"

    Returns
    -------
    Tensor [], or [*] for "none", dtype of `x`
        `x` itself for "none". The mark, which Paddle uses on IPUs, has no effect.

    Raises
    ------
    OpError
        If `reduction` is unknown.

    Examples
    --------
    >>> paddle.incubate.identity_loss(paddle.to_tensor([1.0, 3.0]), "mean").item()
    2.0
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

    Parameters
    ----------
    x : Tensor [B, H, S, T], a floating-point dtype
        Scores of attention.
    mask : Tensor [B, 1, S, T], dtype of `x`
        0 keeps a score; a large negative number such as -10000 removes it.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [B, H, S, T], dtype of `x`

    Examples
    --------
    >>> x = paddle.zeros([1, 1, 2, 2])
    >>> mask = paddle.to_tensor([[[[0.0, -10000.0], [0.0, 0.0]]]])
    >>> paddle.incubate.softmax_mask_fuse(x, mask).tolist()
    [[[[1.0, 0.0], [0.5, 0.5]]]]
    """
    return functional.softmax(x + mask)


def softmax_mask_fuse_upper_triangle(x: Tensor) -> Tensor:
    """Causal softmax: softmax over the last axis without the elements above the diagonal.

    softmax(x + mask) with mask[i, j] = -10000 for j > i, otherwise 0

    Parameters
    ----------
    x : Tensor [B, H, S, S], a floating-point dtype
        Scores of attention.

    Returns
    -------
    Tensor [B, H, S, S], dtype of `x`

    Raises
    ------
    OpError
        If the last two axes have different sizes, or a dynamic size while a program is recorded.

    Examples
    --------
    >>> x = paddle.zeros([1, 1, 2, 2])
    >>> paddle.incubate.softmax_mask_fuse_upper_triangle(x).tolist()
    [[[[1.0, 0.0], [0.5, 0.5]]]]
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
