"""The Cauchy distribution."""

from __future__ import annotations

import math
from typing import Any

from ..core.errors import OpError
from ..core.tensor import Tensor
from ..tensor.creation import uniform
from .distribution import Distribution, Shape, parameters, to_tensor_of_dtype_like
from .kl import register_kl


class Cauchy(Distribution):
    """Cauchy distribution with density 1 / (pi scale (1 + ((x - loc) / scale)^2)).

    loc, scale: [*batch_shape]
    """

    def __init__(self, loc: Any, scale: Any, name: str | None = None) -> None:
        self.name = name or "Cauchy"
        self.loc, self.scale = parameters("Cauchy", loc, scale)
        super().__init__(self.loc.shape)

    @property
    def mean(self) -> Tensor:
        """Raise OpError, because the Cauchy distribution has no mean."""
        raise OpError("Cauchy: the distribution has no mean")

    @property
    def variance(self) -> Tensor:
        """Raise OpError, because the Cauchy distribution has no variance."""
        raise OpError("Cauchy: the distribution has no variance")

    @property
    def stddev(self) -> Tensor:
        """Raise OpError, because the Cauchy distribution has no standard deviation."""
        raise OpError("Cauchy: the distribution has no stddev")

    def sample(self, shape: Shape = (), name: str | None = None) -> Tensor:
        """Draw samples without gradients with respect to the parameters.

        -> [*shape, *batch_shape]
        """
        return self.rsample(shape).detach()

    def rsample(self, shape: Shape = (), name: str | None = None) -> Tensor:
        """Draw samples with gradients with respect to the parameters.

        -> [*shape, *batch_shape]
        """
        noise = uniform(self._extend_shape(shape), self.loc.dtype, 0.0, 1.0)
        return self.loc + self.scale * ((noise - 0.5) * math.pi).tan()

    def log_prob(self, value: Any) -> Tensor:
        """Return the log-density at `value`."""
        z = (to_tensor_of_dtype_like(value, self.loc) - self.loc) / self.scale
        return -z.square().log1p() - (math.pi * self.scale).log()

    def cdf(self, value: Any) -> Tensor:
        """Return the cumulative distribution function at `value`."""
        return (
            (to_tensor_of_dtype_like(value, self.loc) - self.loc) / self.scale
        ).atan() / math.pi + 0.5

    def entropy(self) -> Tensor:
        """Entropy: log(4 pi scale).

        -> [*batch_shape]
        """
        return (4 * math.pi * self.scale).log()


@register_kl(Cauchy, Cauchy)
def _(p: Cauchy, q: Cauchy) -> Tensor:
    """Chyzak and Nielsen 2019."""
    squares = (p.scale + q.scale).square() + (p.loc - q.loc).square()
    return (squares / (4 * p.scale * q.scale)).log()
