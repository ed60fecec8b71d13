"""Messages along the edges of a graph.

src_index, dst_index int [E]: source and destination node of each edge
"""

from __future__ import annotations

from ..core.errors import OpError, append_user_line
from ..core.op import OPS
from ..core.tensor import Tensor
from ..core.type_aliases import Size
from ..tensor.creation import arange
from ..tensor.manipulation import gather, unsqueeze
from ..tensor.math import add, divide, multiply, subtract

__all__ = ["send_u_recv", "send_ue_recv", "send_uv"]

_MESSAGES = {"add": add, "sub": subtract, "mul": multiply, "div": divide}


def _gather_rows_and_reduce(
    x: Tensor, src: Tensor, dst: Tensor, reduce_op: str, out_size: Size | None
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
    out_size: Size | None = None,
    name: str | None = None,
) -> Tensor:
    """Send the features of nodes along the edges of a graph, and reduce them at each node.

    out[n] = reduce_op over the edges e with dst_index[e] = n of x[src_index[e]]

    Parameters
    ----------
    x : Tensor [N, *], a numeric dtype
        Features of the nodes.
    src_index, dst_index : Tensor [E], int32 | int64
        Source and destination of each edge, in [0, N) and [0, rows of the result).
    reduce_op : "sum", "mean", "max" or "min", default "sum"
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
        destinations, or `reduce_op` is unknown.

    See Also
    --------
    paddle.geometric.send_ue_recv : The same with features of edges.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> src, dst = paddle.to_tensor([0, 1, 2, 0]), paddle.to_tensor([1, 2, 1, 0])
    >>> paddle.geometric.send_u_recv(x, src, dst).tolist()
    [[1.0, 2.0], [6.0, 8.0], [3.0, 4.0]]
    """
    return _gather_rows_and_reduce(x, src_index, dst_index, reduce_op, out_size)


def send_ue_recv(
    x: Tensor,
    y: Tensor,
    src_index: Tensor,
    dst_index: Tensor,
    message_op: str = "add",
    reduce_op: str = "sum",
    out_size: Size | None = None,
    name: str | None = None,
) -> Tensor:
    """Combine the features of nodes and edges, and reduce the results at each node.

    out[n] = reduce_op over the edges e with dst_index[e] = n of message_op(x[src_index[e]], y[e])

    Parameters
    ----------
    x : Tensor [N, *], a numeric dtype
        Features of the nodes.
    y : Tensor [E, *], dtype of `x`
        Features of the edges. The axes after the first broadcast with those of `x`; axes of size 1
        are appended to the tensor of lower rank.
    src_index, dst_index : Tensor [E], int32 | int64
        Source and destination of each edge, in [0, N) and [0, rows of the result).
    message_op : "add", "sub", "mul" or "div", default "add"
    reduce_op : "sum", "mean", "max" or "min", default "sum"
    out_size : int or Tensor [1], optional
        Rows of the result. Default, and if the int is not positive: N.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [out_size or N, *], dtype of `x`
        0 at a node without incoming edges.

    Raises
    ------
    OpError
        If an index is out of range, the shapes do not broadcast, or `message_op` or `reduce_op` is
        unknown.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> weight = paddle.to_tensor([10.0, 100.0, 1000.0])
    >>> src, dst = paddle.to_tensor([0, 1, 1]), paddle.to_tensor([1, 1, 0])
    >>> paddle.geometric.send_ue_recv(x, weight, src, dst, message_op="mul").tolist()
    [[3000.0, 4000.0], [310.0, 420.0]]
    """
    message = _compute_message(
        "send_ue_recv", message_op, *_append_axes_to_max_rank(gather(x, src_index), y)
    )
    edge_index = arange(dst_index.shape[0], dtype=dst_index.dtype)
    if out_size is None or (not isinstance(out_size, Tensor) and int(out_size) <= 0):
        out_size = x.shape[0]
    return _gather_rows_and_reduce(message, edge_index, dst_index, reduce_op, out_size)


def send_uv(
    x: Tensor,
    y: Tensor,
    src_index: Tensor,
    dst_index: Tensor,
    message_op: str = "add",
    name: str | None = None,
) -> Tensor:
    """Combine the features of the source and the destination of each edge.

    out[e] = message_op(x[src_index[e]], y[dst_index[e]])

    Parameters
    ----------
    x : Tensor [N, *], a numeric dtype
        Features of the nodes as sources.
    y : Tensor [N, *], dtype of `x`
        Features of the nodes as destinations. The axes after the first broadcast with those of
        `x`; axes of size 1 are appended to the tensor of lower rank.
    src_index, dst_index : Tensor [E], int32 | int64
        Source and destination of each edge, in [0, N).
    message_op : "add", "sub", "mul" or "div", default "add"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [E, *], dtype of `x`

    Raises
    ------
    OpError
        If an index is out of range, the shapes do not broadcast, or `message_op` is unknown.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> src, dst = paddle.to_tensor([0, 1]), paddle.to_tensor([1, 2])
    >>> paddle.geometric.send_uv(x, x, src, dst, message_op="sub").tolist()
    [[-2.0, -2.0], [-2.0, -2.0]]
    """
    return _compute_message(
        "send_uv", message_op, *_append_axes_to_max_rank(gather(x, src_index), gather(y, dst_index))
    )
