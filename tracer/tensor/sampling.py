"""Random sampling with weights, and in place."""

from __future__ import annotations

import math as pymath

import numpy as np

from ..core.errors import OpError, append_user_line
from ..core.mode import state
from ..core.op import OPS
from ..core.operand_checks import check_tensors, not_a_tensor_error
from ..core.tensor import Tensor
from ..core.type_aliases import DTypeLike
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
    """Draw indices with probabilities proportional to given weights.

    Parameters
    ----------
    x : Tensor [N] or [B, N]
        The weights, not negative; their sum need not be 1.
    num_samples : int or Tensor with one element, default 1
    replacement : bool, default False
        Whether an index may be drawn several times.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [num_samples] or [B, num_samples], int64

    Raises
    ------
    OpError
        If a weight is negative or not finite, or, without replacement, there are fewer positive
        weights than samples.

    Examples
    --------
    >>> x = paddle.to_tensor([0.0, 1.0, 0.0])
    >>> paddle.multinomial(x, num_samples=3, replacement=True).tolist()
    [1, 1, 1]
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
    """Draw from Poisson distributions.

    Parameters
    ----------
    x : Tensor [*]
        The means, not negative.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If a mean is negative.

    Examples
    --------
    >>> paddle.poisson(paddle.to_tensor([[0.0, 3.0], [10.0, 0.5]])).shape
    [2, 2]
    """
    return OPS["poisson"](x)


def randint_like(
    x: Tensor,
    low: int = 0,
    high: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Draw random integers from an interval, in the shape of a tensor.

    Parameters
    ----------
    x : Tensor [*], any dtype
        Its values are not used.
    low : int, default 0
        The smallest integer. If `high` is not given, the integers are in [0, low).
    high : int, optional
        The integers are in [low, high).
    dtype : str or dtype, optional
        Default: dtype of x.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype

    Raises
    ------
    OpError
        If the interval is empty, or x is not a Tensor.

    Examples
    --------
    >>> x = paddle.randint_like(paddle.zeros([2, 3]), low=1, high=7)
    >>> x.shape, bool((x >= 1).all()), bool((x <= 6).all())
    ([2, 3], True, True)
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
    """Fill a tensor with random numbers from a uniform distribution, in place.

    Parameters
    ----------
    x : Tensor [*], floating
        It is changed.
    min, max : float, default -1.0 and 1.0
        The numbers are in [min, max).
    seed : int, default 0
        If not 0, each call draws the same numbers.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor
        x itself.

    Raises
    ------
    OpError
        If x is a leaf that requires a gradient, or min > max.

    Examples
    --------
    >>> x = paddle.zeros([2, 3]).uniform_(min=1.0, max=2.0)
    >>> bool((x >= 1).all()), bool((x < 2).all())
    (True, True)
    """
    check_tensors(x)
    return _assign_samples(x, creation.uniform(x.shape, x.dtype, min, max, seed))


def normal_(x: Tensor, mean: float = 0.0, std: float = 1.0, name: str | None = None) -> Tensor:
    """Fill a tensor with random numbers from a normal distribution, in place.

    Parameters
    ----------
    x : Tensor [*], floating
        It is changed.
    mean : float, default 0.0
    std : float, default 1.0
        Standard deviation.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor
        x itself.

    Raises
    ------
    OpError
        If x is a leaf that requires a gradient.

    Examples
    --------
    >>> x = paddle.zeros([2, 3]).normal_(mean=5.0, std=0.1)
    >>> x.shape
    [2, 3]
    """
    check_tensors(x)
    return _assign_samples(
        x, math.add(math.scale(creation.standard_normal(x.shape, x.dtype), std), mean)
    )


def exponential_(x: Tensor, lam: float = 1.0, name: str | None = None) -> Tensor:
    """Fill a tensor with random numbers from an exponential distribution, in place.

    The density is lam * exp(-lam * v) for v >= 0.

    Parameters
    ----------
    x : Tensor [*], floating
        It is changed.
    lam : float, default 1.0
        The rate, positive; the mean is 1 / lam.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor
        x itself.

    Raises
    ------
    OpError
        If x is a leaf that requires a gradient, or `lam` is not positive.

    Examples
    --------
    >>> x = paddle.zeros([2, 3]).exponential_(lam=2.0)
    >>> x.shape, bool((x >= 0).all())
    ([2, 3], True)
    """
    check_tensors(x)
    return _assign_samples(x, OPS["exponential"](x.detach(), **{"lambda": float(lam)}))


def _draw_uniform_open_interval(x: Tensor) -> Tensor:
    """Draw from the uniform distribution on (0, 1), with the shape of x."""
    check_tensors(x)
    return creation.uniform(x.shape, x.dtype, 1e-7, 1.0)


def cauchy_(x: Tensor, loc: float = 0, scale: float = 1, name: str | None = None) -> Tensor:
    """Fill a tensor with random numbers from a Cauchy distribution, in place.

    The density is 1 / (pi * scale * (1 + ((v - loc) / scale) ** 2)).

    Parameters
    ----------
    x : Tensor [*], floating
        It is changed.
    loc : float, default 0
        The median.
    scale : float, default 1
        Half of the width at half of the maximum.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor
        x itself.

    Raises
    ------
    OpError
        If x is a leaf that requires a gradient.

    Examples
    --------
    >>> x = paddle.zeros([2, 3]).cauchy_(loc=1.0, scale=2.0)
    >>> x.shape
    [2, 3]
    """
    angle = math.scale(math.subtract(_draw_uniform_open_interval(x), 0.5), pymath.pi)
    return _assign_samples(x, math.add(math.scale(math.tan(angle), float(scale)), float(loc)))


def geometric_(x: Tensor, probs: float | Tensor, name: str | None = None) -> Tensor:
    """Fill a tensor with random numbers from a geometric distribution, in place.

    The number is log(u) / log(1 - probs) with u uniform on (0, 1), without rounding to integers.

    Parameters
    ----------
    x : Tensor [*], floating
        It is changed.
    probs : float or Tensor [*]
        The probability of success, in (0, 1].
    name : str, optional
        Not used.

    Returns
    -------
    Tensor
        x itself.

    Raises
    ------
    OpError
        If x is a leaf that requires a gradient, or the number `probs` is not in (0, 1].

    Examples
    --------
    >>> x = paddle.zeros([2, 3]).geometric_(probs=0.5)
    >>> x.shape, bool((x >= 0).all())
    ([2, 3], True)
    """
    check_tensors(x)
    if not isinstance(probs, Tensor) and not 0 < probs <= 1:
        raise OpError(append_user_line(f"geometric_: probs={probs} is not in (0, 1] (X={x.meta})"))
    log_failure = math.log1p(math.neg(as_operand(probs, x, "geometric_")))
    return _assign_samples(
        x, math.true_divide(math.log(_draw_uniform_open_interval(x)), log_failure)
    )
