"""The normal distribution."""

from __future__ import annotations

import math
from typing import Any

from ..core.tensor import Tensor
from ..ops.random import gaussian_random
from ..tensor.convert import shape_inputs
from .distribution import Distribution, Shape, parameters, valued
from .kl import register_kl


class Normal(Distribution):
    """Density e ** -((x - loc)**2 / 2 scale**2) / (scale sqrt(2 pi)).

    loc, scale: [*batch_shape]

    Like rsample, sample passes a gradient on, as in Paddle.
    """

    def __init__(self, loc: Any, scale: Any, name: str | None = None) -> None:
        self.name = name or "Normal"
        self.loc, self.scale = parameters("Normal", loc, scale)
        super().__init__(self.loc.shape)

    @property
    def mean(self) -> Tensor:
        """loc."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """scale squared."""
        return self.scale.square()

    def sample(self, shape: Shape = (), seed: int = 0) -> Tensor:
        """Draws.

        seed: of these draws alone, 0 for the common source
        -> [*shape, *batch_shape]
        """
        ints, tensors = shape_inputs(self._extend_shape(shape), "Normal")
        drawn = gaussian_random(None, tensors, shape=ints, seed=seed, dtype=self.loc.dtype.proto)
        return self.loc + self.scale * drawn

    def rsample(self, shape: Shape = ()) -> Tensor:
        """Draws with a gradient.

        -> [*shape, *batch_shape]
        """
        return self.sample(shape)

    def entropy(self) -> Tensor:
        """1/2 + log(scale sqrt(2 pi)).

        -> [*batch_shape]
        """
        return self.scale.log() + (0.5 + 0.5 * math.log(2 * math.pi))

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density at `value`."""
        z = (valued(value, self.loc) - self.loc) / self.scale
        return -0.5 * z.square() - self.scale.log() - 0.5 * math.log(2 * math.pi)


@register_kl(Normal, Normal)
def _(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale).square()
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).square() - 1 - ratio.log())
