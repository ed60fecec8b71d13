"""Distributions of probabilities: the beta distribution of one, the Dirichlet distribution of
several that add up to 1.
"""

from __future__ import annotations

from typing import Any

from ..core.errors import OpError, with_user_line
from ..core.op import OPS
from ..core.tensor import Tensor
from ..tensor.manipulation import broadcast_to, stack
from .distribution import Shape, parameters, valued
from .exponential_family import ExponentialFamily
from .kl import register_kl


class Dirichlet(ExponentialFamily):
    """Density prod(x ** (concentration - 1)) / B(concentration).

    concentration [*batch_shape, K], positive
    """

    def __init__(self, concentration: Any) -> None:
        (self.concentration,) = parameters("Dirichlet", concentration)
        if not self.concentration.ndim:
            raise OpError(with_user_line("Dirichlet: concentration has no axis of shares"))
        super().__init__(self.concentration.shape[:-1], self.concentration.shape[-1:])

    @property
    def mean(self) -> Tensor:
        """The share of each in the sum of concentration."""
        return self.concentration / self.concentration.sum(-1, keepdim=True)

    @property
    def variance(self) -> Tensor:
        """mean (1 - mean) / (1 + sum of concentration)."""
        return self.mean * (1 - self.mean) / (1 + self.concentration.sum(-1, keepdim=True))

    def sample(self, shape: Shape = ()) -> Tensor:
        """Draws without a gradient.

        -> [*shape, *batch_shape, K]
        """
        return OPS["dirichlet"](
            broadcast_to(self.concentration.detach(), self._extend_shape(shape))
        )

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density.

        value [*, K], adding up to 1 -> [*]
        """
        value = valued(value, self.concentration)
        return ((self.concentration - 1) * value.log()).sum(-1) - log_beta(self.concentration)

    def entropy(self) -> Tensor:
        """The entropy (Lin 2016).

        -> [*batch_shape]
        """
        a, total = self.concentration, self.concentration.sum(-1)
        scattered = ((a - 1) * a.digamma()).sum(-1)
        return log_beta(a) + (total - a.shape[-1]) * total.digamma() - scattered


class Beta(ExponentialFamily):
    """Density x ** (alpha - 1) (1 - x) ** (beta - 1) / B(alpha, beta).

    alpha, beta: [*batch_shape], positive
    """

    def __init__(self, alpha: Any, beta: Any) -> None:
        self.alpha, self.beta = parameters("Beta", alpha, beta)
        self._dirichlet = Dirichlet(stack([self.alpha, self.beta], -1))
        super().__init__(self.alpha.shape)

    @property
    def mean(self) -> Tensor:
        """alpha / (alpha + beta)."""
        return self.alpha / (self.alpha + self.beta)

    @property
    def variance(self) -> Tensor:
        """alpha beta / ((alpha + beta)**2 (alpha + beta + 1))."""
        total = self.alpha + self.beta
        return self.alpha * self.beta / (total.square() * (total + 1))

    def sample(self, shape: Shape = ()) -> Tensor:
        """Draws without a gradient.

        -> [*shape, *batch_shape]
        """
        return self._dirichlet.sample(shape)[..., 0]

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density at `value`."""
        value = valued(value, self.alpha)
        return self._dirichlet.log_prob(stack([value, 1 - value], -1))

    def entropy(self) -> Tensor:
        """The entropy.

        -> [*batch_shape]
        """
        return self._dirichlet.entropy()


def log_beta(a: Tensor) -> Tensor:
    """ln of the beta function of several variables.

    a [*, K] -> [*]
    """
    return a.lgamma().sum(-1) - a.sum(-1).lgamma()


@register_kl(Dirichlet, Dirichlet)
def _(p: Dirichlet, q: Dirichlet) -> Tensor:
    a, b = p.concentration, q.concentration
    apart = (a - b) * (a.digamma() - a.sum(-1, keepdim=True).digamma())
    return log_beta(b) - log_beta(a) + apart.sum(-1)


@register_kl(Beta, Beta)
def _(p: Beta, q: Beta) -> Tensor:
    return p._dirichlet.kl_divergence(q._dirichlet)
