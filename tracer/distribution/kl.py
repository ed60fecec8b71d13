"""The divergence between two distributions, by rules registered for pairs of classes (Kullback and
Leibler 1951).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.tensor import Tensor

Rule = Callable[[Any, Any], Tensor]
_RULES: dict[tuple[type, type], Rule] = {}


def register_kl(cls_p: type, cls_q: type) -> Callable[[Rule], Rule]:
    """Decorator: `rule(p, q)` gives the divergence for these two classes, and for classes made of
    them.
    """

    def register(rule: Rule) -> Rule:
        _RULES[cls_p, cls_q] = rule
        return rule

    return register


def kl_divergence(p: Any, q: Any) -> Tensor:
    """E_p[log p - log q].

    -> [*batch_shape]

    The rule for the closest classes counts.   Raises NotImplementedError where no rule fits.
    """
    fits = [pair for pair in _RULES if isinstance(p, pair[0]) and isinstance(q, pair[1])]
    if not fits:
        raise NotImplementedError(
            f"kl_divergence: no rule for {type(p).__name__} and {type(q).__name__}"
        )
    distance = lambda pair: type(p).__mro__.index(pair[0]) + type(q).__mro__.index(pair[1])  # noqa: E731 - the key below
    return _RULES[min(fits, key=distance)](p, q)
