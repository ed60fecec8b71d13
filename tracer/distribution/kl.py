"""Kullback-Leibler divergence of two distributions, by rules registered for pairs of classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.tensor import Tensor

Rule = Callable[[Any, Any], Tensor]
_RULES: dict[tuple[type, type], Rule] = {}


def register_kl(cls_p: type, cls_q: type) -> Callable[[Rule], Rule]:
    """Decorator that registers `rule(p, q)` for two classes and their subclasses."""

    def register(rule: Rule) -> Rule:
        _RULES[cls_p, cls_q] = rule
        return rule

    return register


def kl_divergence(p: Any, q: Any) -> Tensor:
    """Kullback-Leibler divergence E_p[log p - log q].

    -> [*batch_shape]

    Uses the rule for the closest base classes. Raises NotImplementedError if there is none.
    """
    matches = [pair for pair in _RULES if isinstance(p, pair[0]) and isinstance(q, pair[1])]
    if not matches:
        raise NotImplementedError(
            f"kl_divergence: no rule for {type(p).__name__} and {type(q).__name__}"
        )
    distance = lambda pair: type(p).__mro__.index(pair[0]) + type(q).__mro__.index(pair[1])  # noqa: E731 - sort key
    return _RULES[min(matches, key=distance)](p, q)
