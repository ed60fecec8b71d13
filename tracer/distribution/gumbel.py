"""The Gumbel distribution, of the largest of many numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.tensor import Tensor
from ..tensor.creation import uniform
from .distribution import Distribution, Shape, parameters, valued


class Gumbel(Distribution):
    """Probability e ** -e ** -((x - loc) / scale) of a draw up to x.

    loc, scale: [*batch_shape]
    """

    def __init__(self, loc: Any, scale: Any) -> None:
        self.loc, self.scale = parameters("Gumbel", loc, scale)
        super().__init__(self.loc.shape)

    @property
    def mean(self) -> Tensor:
        """loc + Euler's constant * scale."""
        return self.loc + np.euler_gamma * self.scale

    @property
    def variance(self) -> Tensor:
        """(pi scale)**2 / 6."""
        return (math.pi * self.scale).square() / 6

    @property
    def stddev(self) -> Tensor:
        """The square root of the variance."""
        return self.scale * (math.pi / math.sqrt(6))

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density at `value`."""
        y = (self.loc - valued(value, self.loc)) / self.scale
        return y - y.exp() - self.scale.log()

    def cdf(self, value: Any) -> Tensor:
        """The probability of a draw up to `value`."""
        return (-((self.loc - valued(value, self.loc)) / self.scale).exp()).exp()

    def sample(self, shape: Shape = ()) -> Tensor:
        """Draws without a gradient.

        -> [*shape, *batch_shape]
        """
        return self.rsample(shape).detach()

    def rsample(self, shape: Shape = ()) -> Tensor:
        """Draws with a gradient.

        -> [*shape, *batch_shape]
        """
        drawn = uniform(self._extend_shape(shape), self.loc.dtype, 1e-30, 1 - 2.0**-24)
        return self.loc - self.scale * (-drawn.log()).log()

    def entropy(self) -> Tensor:
        """log(scale) + 1 + Euler's constant.

        -> [*batch_shape]
        """
        return self.scale.log() + (1 + np.euler_gamma)
