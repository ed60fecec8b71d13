"""Random sampling with weights, and in place."""

from __future__ import annotations

import math as pymath
from typing import Any

import numpy as np

from ..core.errors import OpError, append_user_line
from ..core.mode import state
from ..core.op import OPS
from ..core.operand_checks import check_tensors, not_a_tensor_error
from ..core.tensor import Tensor
from . import creation, manipulation, math, order_statistics, search
from .convert import as_operand, cast

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
    """Draw indices with probabilities proportional to x.

    x [N] or [B, N] -> int64 [num_samples] or [B, num_samples]
    """
    if isinstance(num_samples, Tensor):
        if state.mode.static:
            return _multinomial_with_symbolic_num_samples(x, num_samples, replacement)
        num_samples = int(num_samples.item())
    return OPS["multinomial"](x, num_samples=num_samples, replacement=replacement)


def _multinomial_with_symbolic_num_samples(x: Tensor, count: Tensor, replacement: bool) -> Tensor:
    """multinomial with a symbolic number of samples."""
    # Gumbel top-k trick: the largest log weights plus Gumbel noise are a sample without replacement
    if not replacement:
        uniform = creation.uniform(x.shape, x.dtype, float(np.finfo(np.float32).tiny), 1.0)
        noise = math.neg(OPS["log"](math.neg(OPS["log"](uniform))))
        return search.topk(math.add(OPS["log"](x), noise), count)[1]
    cumulative = OPS["cumsum"](x, axis=-1)
    total = math.sum(x, -1, keepdim=True)
    uniform = math.multiply(creation.uniform([*x.shape[:-1], count], x.dtype, 0.0, 1.0), total)
    return order_statistics.searchsorted(cumulative, uniform, right=True)


def poisson(x: Tensor, name: str | None = None) -> Tensor:
    """Draw from Poisson distributions with the means x.

    x [*] -> [*]
    """
    return OPS["poisson"](x)


def randint_like(
    x: Tensor, low: int = 0, high: int | None = None, dtype: Any = None, name: str | None = None
) -> Tensor:
    """Draw integers from [low, high), or from [0, low) if high is None, with the shape of x.

    x [*] -> [*]
    """
    if high is None:
        low, high = 0, low
    try:
        shape, out_dtype = x.shape, x.dtype if dtype is None else dtype
    except AttributeError:
        raise not_a_tensor_error(x) from None
    return cast(creation.randint(low, high, shape, "int64"), out_dtype)


def _assign_samples(x: Tensor, samples: Tensor) -> Tensor:
    """Assign samples to x in place."""
    return manipulation.apply_in_place(x, lambda _: cast(samples, x.dtype))


def uniform_(
    x: Tensor, min: float = -1.0, max: float = 1.0, seed: int = 0, name: str | None = None
) -> Tensor:
    """Fill x with samples of the uniform distribution on [min, max).

    x [*] -> [*]
    """
    check_tensors(x)
    return _assign_samples(x, creation.uniform(x.shape, x.dtype, min, max, seed))


def normal_(x: Tensor, mean: float = 0.0, std: float = 1.0, name: str | None = None) -> Tensor:
    """Fill x with samples of a normal distribution.

    x [*] -> [*]
    """
    check_tensors(x)
    return _assign_samples(
        x, math.add(math.scale(creation.standard_normal(x.shape, x.dtype), std), mean)
    )


def exponential_(x: Tensor, lam: float = 1.0, name: str | None = None) -> Tensor:
    """Fill x with samples of the exponential distribution with rate `lam`.

    x [*] -> [*]
    """
    check_tensors(x)
    return _assign_samples(x, OPS["exponential"](x.detach(), **{"lambda": float(lam)}))


def _draw_uniform_open_interval(x: Tensor) -> Tensor:
    """Draw from the uniform distribution on (0, 1), with the shape of x."""
    check_tensors(x)
    return creation.uniform(x.shape, x.dtype, 1e-7, 1.0)


def cauchy_(x: Tensor, loc: float = 0, scale: float = 1, name: str | None = None) -> Tensor:
    """Fill x with samples of a Cauchy distribution.

    x [*] -> [*]
    """
    angle = math.scale(math.subtract(_draw_uniform_open_interval(x), 0.5), pymath.pi)
    return _assign_samples(x, math.add(math.scale(math.tan(angle), float(scale)), float(loc)))


def geometric_(x: Tensor, probs: Any, name: str | None = None) -> Tensor:
    """Fill x with samples of a geometric distribution, without rounding to integers.

    x [*], probs in (0, 1] -> [*]
    """
    check_tensors(x)
    if not isinstance(probs, Tensor) and not 0 < probs <= 1:
        raise OpError(append_user_line(f"geometric_: probs={probs} is not in (0, 1] (X={x.meta})"))
    log_failure = math.log1p(math.neg(as_operand(probs, x, "geometric_")))
    return _assign_samples(
        x, math.true_divide(math.log(_draw_uniform_open_interval(x)), log_failure)
    )
