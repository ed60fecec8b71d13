"""Kullback-Leibler divergence of two distributions, by rules registered for pairs of classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from ..core.tensor import Tensor


class HasBatchShape(Protocol):
    """A distribution; the module of the base class imports this one."""

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The common shape of the parameters."""


Rule = Callable[[Any, Any], Tensor]
_RULES: dict[tuple[type, type], Rule] = {}


def register_kl(cls_p: type, cls_q: type) -> Callable[[Rule], Rule]:
    """Return a decorator that registers a function as the rule of `kl_divergence` for two classes.

    The rule `rule(p, q)` is also used for subclasses. It replaces an earlier rule for the same
    two classes.

    Parameters
    ----------
    cls_p, cls_q : type
        Classes of the two distributions, in the order of KL(p || q).

    Returns
    -------
    callable
        A decorator, which returns the function unchanged.

    Examples
    --------
    >>> class Point(paddle.distribution.Distribution):
    ...     pass
    >>> @paddle.distribution.register_kl(Point, paddle.distribution.Normal)
    ... def kl_of_point_and_normal(p, q):
    ...     return paddle.full([], float("inf"))
    >>> Point().kl_divergence(paddle.distribution.Normal(0.0, 1.0)).item()
    inf
    """

    def register(rule: Rule) -> Rule:
        _RULES[cls_p, cls_q] = rule
        return rule

    return register


def kl_divergence(p: HasBatchShape, q: HasBatchShape) -> Tensor:
    """Return the Kullback-Leibler divergence KL(p || q), in nats.

    KL(p || q) = E[log p(x) - log q(x)] for x ~ p

    Parameters
    ----------
    p, q : Distribution
        Their batch shapes broadcast.

    Returns
    -------
    Tensor [*batch_shape]

    Raises
    ------
    NotImplementedError
        If there is no rule for the two classes.

    Notes
    -----
    There are rules for two distributions of one class, except `Gumbel`, `Multinomial` and
    `TransformedDistribution`; two `Independent` need the same rank. `register_kl` adds rules. If
    several rules fit, that of the closest base classes is used. The divergence of two
    `Categorical` keeps the axis of the categories with size 1, as in Paddle.

    Examples
    --------
    >>> p = paddle.distribution.Normal(0.0, 1.0)
    >>> q = paddle.distribution.Normal([0.0, 2.0], 1.0)
    >>> paddle.distribution.kl_divergence(p, q).tolist()
    [0.0, 2.0]
    """
    matches = [pair for pair in _RULES if isinstance(p, pair[0]) and isinstance(q, pair[1])]
    if not matches:
        raise NotImplementedError(
            f"kl_divergence: no rule for {type(p).__name__} and {type(q).__name__}"
        )
    distance = lambda pair: type(p).__mro__.index(pair[0]) + type(q).__mro__.index(pair[1])  # noqa: E731 - sort key
    return _RULES[min(matches, key=distance)](p, q)
