"""The beta distribution, computed as a Dirichlet distribution of two categories."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from ..tensor.manipulation import stack
from .dirichlet import Dirichlet
from .distribution import Shape, parameters, to_tensor_of_dtype_like
from .exponential_family import ExponentialFamily
from .kl import register_kl


class Beta(ExponentialFamily):
    """Beta distribution with density x^(alpha - 1) (1 - x)^(beta - 1) / B(alpha, beta).

    alpha, beta: [*batch_shape], positive
    """

    def __init__(self, alpha: Any, beta: Any) -> None:
        self.alpha, self.beta = parameters("Beta", alpha, beta)
        self._dirichlet = Dirichlet(stack([self.alpha, self.beta], -1))
        super().__init__(self.alpha.shape)

    @property
    def mean(self) -> Tensor:
        """Mean: alpha / (alpha + beta)."""
        return self.alpha / (self.alpha + self.beta)

    @property
    def variance(self) -> Tensor:
        """Variance: alpha beta / ((alpha + beta)^2 (alpha + beta + 1))."""
        total = self.alpha + self.beta
        return self.alpha * self.beta / (total.square() * (total + 1))

    def sample(self, shape: Shape = ()) -> Tensor:
        """Draw samples without gradients with respect to the parameters.

        -> [*shape, *batch_shape]
        """
        return self._dirichlet.sample(shape)[..., 0]

    def log_prob(self, value: Any) -> Tensor:
        """Return the log-density at `value`."""
        value = to_tensor_of_dtype_like(value, self.alpha)
        return self._dirichlet.log_prob(stack([value, 1 - value], -1))

    def entropy(self) -> Tensor:
        """Entropy.

        -> [*batch_shape]
        """
        return self._dirichlet.entropy()


@register_kl(Beta, Beta)
def _(p: Beta, q: Beta) -> Tensor:
    return p._dirichlet.kl_divergence(q._dirichlet)
