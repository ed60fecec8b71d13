"""The Gumbel distribution, the limit distribution of maxima."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from ..tensor.creation import uniform
from .distribution import Distribution, Shape, parameters, to_tensor_of_dtype_like


class Gumbel(Distribution):
    """Gumbel distribution with cumulative distribution function exp(-exp(-(x - loc) / scale)).

    loc, scale: [*batch_shape]
    """

    def __init__(self, loc: Any, scale: Any) -> None:
        self.loc, self.scale = parameters("Gumbel", loc, scale)
        super().__init__(self.loc.shape)

    @property
    def mean(self) -> Tensor:
        """Mean: loc + Euler's constant * scale."""
        return self.loc + np.euler_gamma * self.scale

    @property
    def variance(self) -> Tensor:
        """Variance: (pi scale)^2 / 6."""
        return (math.pi * self.scale).square() / 6

    @property
    def stddev(self) -> Tensor:
        """Square root of the variance."""
        return self.scale * (math.pi / math.sqrt(6))

    def log_prob(self, value: Any) -> Tensor:
        """Return the log-density at `value`."""
        y = (self.loc - to_tensor_of_dtype_like(value, self.loc)) / self.scale
        return y - y.exp() - self.scale.log()

    def cdf(self, value: Any) -> Tensor:
        """Return the cumulative distribution function at `value`."""
        return (-((self.loc - to_tensor_of_dtype_like(value, self.loc)) / self.scale).exp()).exp()

    def sample(self, shape: Shape = ()) -> Tensor:
        """Draw samples without gradients with respect to the parameters.

        -> [*shape, *batch_shape]
        """
        return self.rsample(shape).detach()

    def rsample(self, shape: Shape = ()) -> Tensor:
        """Draw samples with gradients with respect to the parameters.

        -> [*shape, *batch_shape]
        """
        noise = uniform(self._extend_shape(shape), self.loc.dtype, 1e-30, 1 - 2.0**-24)
        return self.loc - self.scale * (-noise.log()).log()

    def entropy(self) -> Tensor:
        """Entropy: log(scale) + 1 + Euler's constant.

        -> [*batch_shape]
        """
        return self.scale.log() + (1 + np.euler_gamma)
