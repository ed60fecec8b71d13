"""The Laplace distribution."""

from __future__ import annotations

import math
from typing import Any

from ..core.tensor import Tensor
from ..tensor.creation import uniform
from .distribution import Distribution, Shape, parameters, to_tensor_of_dtype_like
from .kl import register_kl


class Laplace(Distribution):
    """Laplace distribution with density exp(-|x - loc| / scale) / (2 scale).

    loc, scale: [*batch_shape]
    """

    def __init__(self, loc: Any, scale: Any) -> None:
        self.loc, self.scale = parameters("Laplace", loc, scale)
        super().__init__(self.loc.shape)

    @property
    def mean(self) -> Tensor:
        """Mean: loc."""
        return self.loc

    @property
    def stddev(self) -> Tensor:
        """Standard deviation: sqrt(2) scale."""
        return math.sqrt(2) * self.scale

    @property
    def variance(self) -> Tensor:
        """Variance: 2 scale^2."""
        return self.stddev.square()

    def log_prob(self, value: Any) -> Tensor:
        """Return the log-density at `value`."""
        return (
            -((to_tensor_of_dtype_like(value, self.loc) - self.loc).abs() / self.scale)
            - (2 * self.scale).log()
        )

    def cdf(self, value: Any) -> Tensor:
        """Return the cumulative distribution function at `value`."""
        distance = to_tensor_of_dtype_like(value, self.loc) - self.loc
        return 0.5 - 0.5 * distance.sign() * (-distance.abs() / self.scale).expm1()

    def icdf(self, value: Any) -> Tensor:
        """Quantile function at `value` between 0 and 1."""
        return self._quantile_of_centered_probability(
            to_tensor_of_dtype_like(value, self.loc) - 0.5
        )

    def _quantile_of_centered_probability(self, centred: Tensor) -> Tensor:
        """Return the quantile at the probability `centred` + 1/2."""
        return self.loc - self.scale * centred.sign() * (-2 * centred.abs()).log1p()

    def rsample(self, shape: Shape = ()) -> Tensor:
        """Draw samples with gradients with respect to the parameters.

        -> [*shape, *batch_shape]
        """
        # excludes infinite samples
        margin = 2.0**-24 if self.loc.dtype.name != "float64" else 2.0**-53
        return self._quantile_of_centered_probability(
            uniform(self._extend_shape(shape), self.loc.dtype, margin - 0.5, 0.5 - margin)
        )

    def entropy(self) -> Tensor:
        """Entropy: 1 + log(2 scale).

        -> [*batch_shape]
        """
        return 1 + (2 * self.scale).log()


@register_kl(Laplace, Laplace)
def _(p: Laplace, q: Laplace) -> Tensor:
    distance = (p.loc - q.loc).abs()
    return (
        (p.scale * (-distance / p.scale).exp() + distance) / q.scale + (q.scale / p.scale).log() - 1
    )
