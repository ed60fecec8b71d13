"""The normal distribution."""

from __future__ import annotations

import math
from typing import Any

from ..core.tensor import Tensor
from ..ops.random import gaussian_random
from ..tensor.convert import split_shape_into_ints_and_tensors
from .distribution import Distribution, Shape, parameters, to_tensor_of_dtype_like
from .kl import register_kl


class Normal(Distribution):
    """Normal distribution with density exp(-(x - loc)^2 / (2 scale^2)) / (scale sqrt(2 pi)).

    loc, scale: [*batch_shape]

    As in Paddle, samples of `sample` have a gradient, like those of `rsample`.
    """

    def __init__(self, loc: Any, scale: Any, name: str | None = None) -> None:
        self.name = name or "Normal"
        self.loc, self.scale = parameters("Normal", loc, scale)
        super().__init__(self.loc.shape)

    @property
    def mean(self) -> Tensor:
        """Mean: loc."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """Variance: scale^2."""
        return self.scale.square()

    def sample(self, shape: Shape = (), seed: int = 0) -> Tensor:
        """Draw samples.

        -> [*shape, *batch_shape]

        seed: of these samples; 0 uses the global generator
        """
        ints, tensors = split_shape_into_ints_and_tensors(self._extend_shape(shape), "Normal")
        noise = gaussian_random(None, tensors, shape=ints, seed=seed, dtype=self.loc.dtype.proto)
        return self.loc + self.scale * noise

    def rsample(self, shape: Shape = ()) -> Tensor:
        """Draw samples with gradients with respect to the parameters.

        -> [*shape, *batch_shape]
        """
        return self.sample(shape)

    def entropy(self) -> Tensor:
        """Entropy: 1/2 + log(scale sqrt(2 pi)).

        -> [*batch_shape]
        """
        return self.scale.log() + (0.5 + 0.5 * math.log(2 * math.pi))

    def log_prob(self, value: Any) -> Tensor:
        """Return the log-density at `value`."""
        z = (to_tensor_of_dtype_like(value, self.loc) - self.loc) / self.scale
        return -0.5 * z.square() - self.scale.log() - 0.5 * math.log(2 * math.pi)


@register_kl(Normal, Normal)
def _(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale).square()
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).square() - 1 - ratio.log())
