"""What the functions of fluid.layers share."""

from __future__ import annotations

from typing import Any

from ...core.errors import OpError, with_user_line
from ...core.op import OPS


def activated(kind: str, x: Any, act: str | None) -> Any:
    """An activation of x, by the type of its op; x itself for None.   Raises OpError for one that is none."""
    if act is None:
        return x
    op = OPS.get(act)
    if op is None or [(s.name, s.many) for s in op.ins if not s.optional] != [("X", False)] or not op.single:
        raise OpError(with_user_line(f"{kind}: act={act!r} is no activation"))
    return op(x)


def one(x: Any) -> Any:
    """A result without axes as one of shape [1], as it was before Paddle 2.5."""
    return OPS["reshape2"](x, shape=[1]) if not x.meta.shape else x
