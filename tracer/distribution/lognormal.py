"""The log-normal distribution."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from .kl import kl_divergence, register_kl
from .normal import Normal
from .transform import ExpTransform
from .transformed_distribution import TransformedDistribution


class LogNormal(TransformedDistribution):
    """Log-normal distribution: exp(x) for x ~ Normal(loc, scale).

    loc, scale: [*batch_shape]
    """

    def __init__(self, loc: Any, scale: Any) -> None:
        super().__init__(Normal(loc, scale), [ExpTransform()])
        self.loc, self.scale = self._base.loc, self._base.scale

    @property
    def mean(self) -> Tensor:
        """Mean: exp(loc + scale^2 / 2)."""
        return (self.loc + self.scale.square() / 2).exp()

    @property
    def variance(self) -> Tensor:
        """Variance: (exp(scale^2) - 1) exp(2 loc + scale^2)."""
        square = self.scale.square()
        return square.expm1() * (2 * self.loc + square).exp()

    def entropy(self) -> Tensor:
        """Return the entropy of Normal(loc, scale) plus loc.

        -> [*batch_shape]
        """
        return self._base.entropy() + self.loc


@register_kl(LogNormal, LogNormal)
def _(p: LogNormal, q: LogNormal) -> Tensor:
    return kl_divergence(p._base, q._base)
