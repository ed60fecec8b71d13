"""The uniform distribution."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from ..tensor.convert import cast
from ..tensor.creation import uniform
from .distribution import Distribution, Shape, parameters, valued
from .kl import register_kl


class Uniform(Distribution):
    """Density 1 / (high - low) between low and high, both left out.

    low, high: [*batch_shape]

    Like rsample, sample passes a gradient on, as in Paddle.
    """

    def __init__(self, low: Any, high: Any, name: str | None = None) -> None:
        self.name = name or "Uniform"
        self.low, self.high = parameters("Uniform", low, high)
        super().__init__(self.low.shape)

    @property
    def mean(self) -> Tensor:
        """The middle."""
        return (self.low + self.high) / 2

    @property
    def variance(self) -> Tensor:
        """(high - low)**2 / 12."""
        return (self.high - self.low).square() / 12

    def sample(self, shape: Shape = (), seed: int = 0) -> Tensor:
        """Draws.

        seed: of these draws alone, 0 for the common source
        -> [*shape, *batch_shape]
        """
        drawn = uniform(self._extend_shape(shape), self.low.dtype, 0.0, 1.0, seed)
        return self.low + (self.high - self.low) * drawn

    def rsample(self, shape: Shape = ()) -> Tensor:
        """Draws with a gradient.

        -> [*shape, *batch_shape]
        """
        return self.sample(shape)

    def probs(self, value: Any) -> Tensor:
        """The density at `value`."""
        value = valued(value, self.low)
        inside = cast(self.low < value, value.dtype) * cast(value < self.high, value.dtype)
        return inside / (self.high - self.low)

    prob = probs

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density at `value`, minus infinity outside."""
        return self.probs(value).log()

    def entropy(self) -> Tensor:
        """log(high - low).

        -> [*batch_shape]
        """
        return (self.high - self.low).log()


@register_kl(Uniform, Uniform)
def _(p: Uniform, q: Uniform) -> Tensor:
    inside = cast(q.low <= p.low, p.low.dtype) * cast(p.high <= q.high, p.low.dtype)
    return ((q.high - q.low) / (p.high - p.low)).log() - inside.log()
