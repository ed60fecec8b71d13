"""Functions on tensors that come from networks."""

from __future__ import annotations

from ..core.op import OPS
from ..core.tensor import Tensor

__all__ = ["logit", "shard_index", "stanh"]
IN_PLACE = ["logit"]


def logit(x: Tensor, eps: float | None = None, name: str | None = None) -> Tensor:
    """ln(x / (1 - x)), x first set between eps and 1 - eps unless eps is None or 0.   x [*] -> [*]"""
    return OPS["logit"](x, eps=float(eps or 0.0))


def stanh(x: Tensor, scale_a: float = 0.67, scale_b: float = 1.7159, name: str | None = None) -> Tensor:
    """scale_b * tanh(scale_a * x)   (LeCun et al. 1998).   x [*] -> [*]"""
    return OPS["stanh"](x, scale_a=float(scale_a), scale_b=float(scale_b))


def shard_index(input: Tensor, index_num: int, nshards: int, shard_id: int, ignore_value: int = -1) -> Tensor:
    """Indices counted from the start of shard shard_id, ignore_value where they are in another.   int [N, 1] -> [N, 1]"""
    return OPS["shard_index"](input, index_num=index_num, nshards=nshards, shard_id=shard_id, ignore_value=ignore_value)
