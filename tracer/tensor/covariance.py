"""Covariance and correlation of variables."""

from __future__ import annotations

from ..core.errors import OpError, with_user_line
from ..core.op import OPS
from ..core.operand_checks import check_tensors
from ..core.tensor import Tensor
from ..ops.meta_rules import dims_match
from .convert import cast, size_at
from .linalg import matmul, transpose
from .manipulation import reshape, slice, squeeze, unsqueeze
from .math import clip

__all__: list[str] = []
METHODS = ["corrcoef", "cov"]


def _observed(x: Tensor, rowvar: bool, op: str) -> Tensor:
    """x with a row for each variable and a column for each observation."""
    check_tensors(x)
    if x.ndim not in (1, 2):
        raise OpError(with_user_line(f"{op}: needs one or two axes (X={x.meta})"))
    x = reshape(x, [1, -1]) if x.ndim == 1 else x
    return x if rowvar or size_at(x, 0) == 1 else transpose(x, [1, 0])


def _weights(x: Tensor, fweights: Tensor | None, aweights: Tensor | None) -> Tensor | None:
    """How much each observation counts; None for all alike."""
    check_tensors(x)
    found = None
    for word, given in (("fweights", fweights), ("aweights", aweights)):
        if given is None:
            continue
        if given.ndim != 1 or not dims_match(given.meta.shape[0], x.meta.shape[1]):
            raise OpError(
                with_user_line(
                    f"cov: {word} does not fit the observations (X={x.meta}, {word}={given.meta})"
                )
            )
        weight = cast(given, x.dtype)
        found = weight if found is None else found * weight
    return found


def cov(
    x: Tensor,
    rowvar: bool = True,
    ddof: bool = True,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """The covariance of each variable with each.

    x [variables, observations] (turned round unless rowvar) or [observations] -> [variables,
    variables] or []

    ddof: divided by the observations less one; fweights int [observations]: how often each occurs;
    aweights [observations]: its weight.
    """
    x = _observed(x, rowvar, "cov")
    weight = _weights(x, fweights, aweights)
    if weight is None:
        total = OPS["reduce_sum"](
            OPS["fill_any_like"](slice(x, [0], [0], [1]), value=1.0), reduce_all=True
        )
        weighted, norm = x, total - float(ddof)
    else:
        total = OPS["reduce_sum"](weight, reduce_all=True)
        weighted, norm = x * weight, total - float(ddof)
        if aweights is not None and ddof:
            norm = (
                total - OPS["reduce_sum"](weight * cast(aweights, x.dtype), reduce_all=True) / total
            )
    mean = OPS["reduce_sum"](weighted, dim=[1]) / total
    apart = x - unsqueeze(mean, 1)
    found = matmul(apart, weighted, transpose_y=True) / clip(norm, min=0.0)
    return squeeze(found, [0, 1]) if size_at(x, 0) == 1 else found


def corrcoef(x: Tensor, rowvar: bool = True, name: str | None = None) -> Tensor:
    """The correlation of each variable with each, in [-1, 1].

    x as in cov -> [variables, variables] or []
    """
    found = cov(x, rowvar)
    if found.ndim == 0:
        return found / found
    spread = OPS["sqrt"](OPS["diagonal"](found))
    return clip(found / unsqueeze(spread, 1) / unsqueeze(spread, 0), -1.0, 1.0)
