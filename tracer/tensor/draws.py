"""Random draws: with weights, and in place."""

from __future__ import annotations

import math as pymath
from typing import Any

import numpy as np

from ..core.errors import OpError, with_user_line
from ..core.mode import state
from ..core.op import OPS
from ..core.operand_checks import check_tensors, not_a_tensor_error
from ..core.tensor import Tensor
from . import creation, manipulation, math, search, statistics
from .convert import cast, tensor_like

__all__ = [
    "cauchy_",
    "exponential_",
    "geometric_",
    "multinomial",
    "normal_",
    "poisson",
    "randint_like",
    "uniform_",
]
METHODS = [n for n in __all__ if n not in ("poisson", "randint_like")]


def multinomial(
    x: Tensor, num_samples: int = 1, replacement: bool = False, name: str | None = None
) -> Tensor:
    """Indices drawn with the weights x.

    x [N] or [B, N] -> int64 [num_samples] or [B, num_samples]
    """
    if isinstance(num_samples, Tensor):
        if state.mode.static:
            return _drawn_by_weight(x, num_samples, replacement)
        num_samples = int(num_samples.item())
    return OPS["multinomial"](x, num_samples=num_samples, replacement=replacement)


def _drawn_by_weight(x: Tensor, count: Tensor, replacement: bool) -> Tensor:
    """multinomial with a symbolic number of samples."""
    # Gumbel top-k trick: the largest log weights plus Gumbel noise are a sample without replacement
    if not replacement:
        drawn = creation.uniform(x.shape, x.dtype, float(np.finfo(np.float32).tiny), 1.0)
        noise = math.neg(OPS["log"](math.neg(OPS["log"](drawn))))
        return search.topk(math.add(OPS["log"](x), noise), count)[1]
    running = OPS["cumsum"](x, axis=-1)
    total = math.sum(x, -1, keepdim=True)
    drawn = math.multiply(creation.uniform([*x.shape[:-1], count], x.dtype, 0.0, 1.0), total)
    return statistics.searchsorted(running, drawn, right=True)


def poisson(x: Tensor, name: str | None = None) -> Tensor:
    """Numbers of Poisson distributions with the means x.

    x [*] -> [*]
    """
    return OPS["poisson"](x)


def randint_like(
    x: Tensor, low: int = 0, high: int | None = None, dtype: Any = None, name: str | None = None
) -> Tensor:
    """Whole numbers from [low, high), from [0, low) without high, like x.

    x [*] -> [*]
    """
    if high is None:
        low, high = 0, low
    try:
        shape, kind = x.shape, x.dtype if dtype is None else dtype
    except AttributeError:
        raise not_a_tensor_error(x) from None
    return cast(creation.randint(low, high, shape, "int64"), kind)


def _redrawn(x: Tensor, drawn: Tensor) -> Tensor:
    return manipulation.in_place(x, lambda _: cast(drawn, x.dtype))


def uniform_(
    x: Tensor, min: float = -1.0, max: float = 1.0, seed: int = 0, name: str | None = None
) -> Tensor:
    """In place: numbers from [min, max).

    x [*] -> [*]
    """
    check_tensors(x)
    return _redrawn(x, creation.uniform(x.shape, x.dtype, min, max, seed))


def normal_(x: Tensor, mean: float = 0.0, std: float = 1.0, name: str | None = None) -> Tensor:
    """In place: numbers of a normal distribution.

    x [*] -> [*]
    """
    check_tensors(x)
    return _redrawn(x, math.add(math.scale(creation.standard_normal(x.shape, x.dtype), std), mean))


def exponential_(x: Tensor, lam: float = 1.0, name: str | None = None) -> Tensor:
    """In place: numbers of the exponential distribution of rate lam.

    x [*] -> [*]
    """
    check_tensors(x)
    return _redrawn(x, OPS["exponential"](x.detach(), **{"lambda": float(lam)}))


def _inside(x: Tensor) -> Tensor:
    """Numbers from (0, 1), like x."""
    check_tensors(x)
    return creation.uniform(x.shape, x.dtype, 1e-7, 1.0)


def cauchy_(x: Tensor, loc: float = 0, scale: float = 1, name: str | None = None) -> Tensor:
    """In place: numbers of a Cauchy distribution.

    x [*] -> [*]
    """
    angle = math.scale(math.subtract(_inside(x), 0.5), pymath.pi)
    return _redrawn(x, math.add(math.scale(math.tan(angle), float(scale)), float(loc)))


def geometric_(x: Tensor, probs: Any, name: str | None = None) -> Tensor:
    """In place: how many tries until a success of probability probs, as a number not rounded.

    x [*], probs in (0, 1] -> [*]
    """
    check_tensors(x)
    if not isinstance(probs, Tensor) and not 0 < probs <= 1:
        raise OpError(with_user_line(f"geometric_: probs={probs} is not in (0, 1] (X={x.meta})"))
    fails = math.log1p(math.neg(tensor_like(probs, x, "geometric_")))
    return _redrawn(x, math.quotient(math.log(_inside(x)), fails))
