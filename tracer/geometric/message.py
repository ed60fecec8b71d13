"""Messages along the edges of a graph.

src_index, dst_index int [E]: where each edge starts and ends
"""

from __future__ import annotations

from typing import Any

from ..core.errors import OpError, with_user_line
from ..core.op import OPS
from ..core.tensor import Tensor
from ..tensor.creation import arange
from ..tensor.manipulation import gather, unsqueeze
from ..tensor.math import add, divide, multiply, subtract

__all__ = ["send_u_recv", "send_ue_recv", "send_uv"]

_MESSAGES = {"add": add, "sub": subtract, "mul": multiply, "div": divide}


def _joined(x: Tensor, src: Tensor, dst: Tensor, reduce_op: str, out_size: Any) -> Tensor:
    word = reduce_op.upper()
    if isinstance(out_size, Tensor):
        return OPS["graph_send_recv"](x, src, dst, out_size, reduce_op=word)[0]
    return OPS["graph_send_recv"](
        x, src, dst, reduce_op=word, out_size=[0 if out_size is None else int(out_size)]
    )[0]


def _message(function: str, message_op: str, a: Tensor, b: Tensor) -> Tensor:
    if message_op not in _MESSAGES:
        raise OpError(
            with_user_line(
                f"{function}: message_op={message_op!r} is not one of 'add', 'sub', 'mul', 'div'"
            )
        )
    return _MESSAGES[message_op](a, b)


def _as_long(*features: Tensor) -> list[Tensor]:
    """Features of edges with as many axes each: Paddle puts the missing ones behind."""
    most = max(t.ndim for t in features)
    return [unsqueeze(t, list(range(t.ndim, most))) if t.ndim < most else t for t in features]


def send_u_recv(
    x: Tensor,
    src_index: Tensor,
    dst_index: Tensor,
    reduce_op: str = "sum",
    out_size: Any = None,
    name: str | None = None,
) -> Tensor:
    """At each node, the rows that edges send there joined by 'sum', 'mean', 'max' or 'min'.

    x [N, *] -> [out_size or N, *]
    """
    return _joined(x, src_index, dst_index, reduce_op, out_size)


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
    """send_u_recv of the rows and the features y of their edges, put together.

    x [N, *], y [E, *] -> [out_size or N, *]
    """
    message = _message("send_ue_recv", message_op, *_as_long(gather(x, src_index), y))
    own = arange(dst_index.shape[0], dtype=dst_index.dtype)
    return _joined(message, own, dst_index, reduce_op, x.shape[0] if out_size is None else out_size)


def send_uv(
    x: Tensor,
    y: Tensor,
    src_index: Tensor,
    dst_index: Tensor,
    message_op: str = "add",
    name: str | None = None,
) -> Tensor:
    """For each edge, the row of x where it starts and that of y where it ends, put together.

    x [N, *], y [N, *] -> [E, *]
    """
    return _message("send_uv", message_op, *_as_long(gather(x, src_index), gather(y, dst_index)))
