"""Messages along the edges of a graph.

src_index, dst_index int [E]: source and destination node of each edge
"""

from __future__ import annotations

from typing import Any

from ..core.errors import OpError, append_user_line
from ..core.op import OPS
from ..core.tensor import Tensor
from ..tensor.creation import arange
from ..tensor.manipulation import gather, unsqueeze
from ..tensor.math import add, divide, multiply, subtract

__all__ = ["send_u_recv", "send_ue_recv", "send_uv"]

_MESSAGES = {"add": add, "sub": subtract, "mul": multiply, "div": divide}


def _gather_rows_and_reduce(
    x: Tensor, src: Tensor, dst: Tensor, reduce_op: str, out_size: Any
) -> Tensor:
    pool_type = reduce_op.upper()
    if isinstance(out_size, Tensor):
        return OPS["graph_send_recv"](x, src, dst, out_size, reduce_op=pool_type)[0]
    return OPS["graph_send_recv"](
        x, src, dst, reduce_op=pool_type, out_size=[0 if out_size is None else int(out_size)]
    )[0]


def _compute_message(function: str, message_op: str, a: Tensor, b: Tensor) -> Tensor:
    if message_op not in _MESSAGES:
        raise OpError(
            append_user_line(
                f"{function}: message_op={message_op!r} is not one of 'add', 'sub', 'mul', 'div'"
            )
        )
    return _MESSAGES[message_op](a, b)


def _append_axes_to_max_rank(*features: Tensor) -> list[Tensor]:
    """Append axes of size 1 until all features have the same rank, as Paddle does."""
    max_rank = max(t.ndim for t in features)
    return [
        unsqueeze(t, list(range(t.ndim, max_rank))) if t.ndim < max_rank else t for t in features
    ]


def send_u_recv(
    x: Tensor,
    src_index: Tensor,
    dst_index: Tensor,
    reduce_op: str = "sum",
    out_size: Any = None,
    name: str | None = None,
) -> Tensor:
    """Reduce, at each node, the rows of x at the sources of its incoming edges ('sum', 'mean',
    'max', 'min').

    x [N, *] -> [out_size or N, *]
    """
    return _gather_rows_and_reduce(x, src_index, dst_index, reduce_op, out_size)


def send_ue_recv(
    x: Tensor,
    y: Tensor,
    src_index: Tensor,
    dst_index: Tensor,
    message_op: str = "add",
    reduce_op: str = "sum",
    out_size: Any = None,
    name: str | None = None,
) -> Tensor:
    """Compute message_op(x at the source, features y of the edge) for each edge, and reduce the
    results at each node as send_u_recv does.

    x [N, *], y [E, *] -> [out_size or N, *]
    """
    message = _compute_message(
        "send_ue_recv", message_op, *_append_axes_to_max_rank(gather(x, src_index), y)
    )
    edge_index = arange(dst_index.shape[0], dtype=dst_index.dtype)
    return _gather_rows_and_reduce(
        message, edge_index, dst_index, reduce_op, x.shape[0] if out_size is None else out_size
    )


def send_uv(
    x: Tensor,
    y: Tensor,
    src_index: Tensor,
    dst_index: Tensor,
    message_op: str = "add",
    name: str | None = None,
) -> Tensor:
    """Return message_op(x at the source, y at the destination) for each edge.

    x [N, *], y [N, *] -> [E, *]
    """
    return _compute_message(
        "send_uv", message_op, *_append_axes_to_max_rank(gather(x, src_index), gather(y, dst_index))
    )
