"""The uniform distribution."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from ..tensor.convert import cast
from ..tensor.creation import uniform
from .distribution import Distribution, Shape, parameters, to_tensor_of_dtype_like
from .kl import register_kl


class Uniform(Distribution):
    """Uniform distribution on (low, high).

    low, high: [*batch_shape]

    As in Paddle, samples of `sample` have a gradient, like those of `rsample`.
    """

    def __init__(self, low: Any, high: Any, name: str | None = None) -> None:
        self.name = name or "Uniform"
        self.low, self.high = parameters("Uniform", low, high)
        super().__init__(self.low.shape)

    @property
    def mean(self) -> Tensor:
        """Mean: (low + high) / 2."""
        return (self.low + self.high) / 2

    @property
    def variance(self) -> Tensor:
        """Variance: (high - low)^2 / 12."""
        return (self.high - self.low).square() / 12

    def sample(self, shape: Shape = (), seed: int = 0) -> Tensor:
        """Draw samples.

        -> [*shape, *batch_shape]

        seed: of these samples; 0 uses the global generator
        """
        noise = uniform(self._extend_shape(shape), self.low.dtype, 0.0, 1.0, seed)
        return self.low + (self.high - self.low) * noise

    def rsample(self, shape: Shape = ()) -> Tensor:
        """Draw samples with gradients with respect to the parameters.

        -> [*shape, *batch_shape]
        """
        return self.sample(shape)

    def probs(self, value: Any) -> Tensor:
        """Return the density at `value`."""
        value = to_tensor_of_dtype_like(value, self.low)
        is_inside = cast(self.low < value, value.dtype) * cast(value < self.high, value.dtype)
        return is_inside / (self.high - self.low)

    prob = probs

    def log_prob(self, value: Any) -> Tensor:
        """Log-density at `value`; -inf outside of the interval."""
        return self.probs(value).log()

    def entropy(self) -> Tensor:
        """Entropy: log(high - low).

        -> [*batch_shape]
        """
        return (self.high - self.low).log()


@register_kl(Uniform, Uniform)
def _(p: Uniform, q: Uniform) -> Tensor:
    is_subset = cast(q.low <= p.low, p.low.dtype) * cast(p.high <= q.high, p.low.dtype)
    return ((q.high - q.low) / (p.high - p.low)).log() - is_subset.log()
