"""The Dirichlet distribution."""

from __future__ import annotations

from typing import Any

from ..core.errors import OpError, append_user_line
from ..core.op import OPS
from ..core.tensor import Tensor
from ..tensor.manipulation import broadcast_to
from .distribution import Shape, parameters, to_tensor_of_dtype_like
from .exponential_family import ExponentialFamily
from .kl import register_kl


class Dirichlet(ExponentialFamily):
    """Dirichlet distribution with density prod(x^(concentration - 1)) / B(concentration).

    concentration [*batch_shape, K], positive
    """

    def __init__(self, concentration: Any) -> None:
        (self.concentration,) = parameters("Dirichlet", concentration)
        if not self.concentration.ndim:
            raise OpError(append_user_line("Dirichlet: concentration must have rank 1 or more"))
        super().__init__(self.concentration.shape[:-1], self.concentration.shape[-1:])

    @property
    def mean(self) -> Tensor:
        """Mean: concentration / sum of concentration."""
        return self.concentration / self.concentration.sum(-1, keepdim=True)

    @property
    def variance(self) -> Tensor:
        """Variance: mean (1 - mean) / (1 + sum of concentration)."""
        return self.mean * (1 - self.mean) / (1 + self.concentration.sum(-1, keepdim=True))

    def sample(self, shape: Shape = ()) -> Tensor:
        """Draw samples without gradients with respect to the parameters.

        -> [*shape, *batch_shape, K]
        """
        return OPS["dirichlet"](
            broadcast_to(self.concentration.detach(), self._extend_shape(shape))
        )

    def log_prob(self, value: Any) -> Tensor:
        """Log-density.

        value [*, K], with sum 1 -> [*]
        """
        value = to_tensor_of_dtype_like(value, self.concentration)
        return ((self.concentration - 1) * value.log()).sum(-1) - log_multivariate_beta(
            self.concentration
        )

    def entropy(self) -> Tensor:
        """Entropy (Lin 2016).

        -> [*batch_shape]
        """
        a, total = self.concentration, self.concentration.sum(-1)
        digamma_term = ((a - 1) * a.digamma()).sum(-1)
        return log_multivariate_beta(a) + (total - a.shape[-1]) * total.digamma() - digamma_term


def log_multivariate_beta(a: Tensor) -> Tensor:
    """Logarithm of the multivariate beta function.

    a [*, K] -> [*]
    """
    return a.lgamma().sum(-1) - a.sum(-1).lgamma()


@register_kl(Dirichlet, Dirichlet)
def _(p: Dirichlet, q: Dirichlet) -> Tensor:
    a, b = p.concentration, q.concentration
    difference_term = (a - b) * (a.digamma() - a.sum(-1, keepdim=True).digamma())
    return log_multivariate_beta(b) - log_multivariate_beta(a) + difference_term.sum(-1)
