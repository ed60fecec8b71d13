"""Distributions of what is counted: one try, tries until a success, tries among several results."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import OpError, with_user_line
from ..core.mode import state
from ..core.op import OPS
from ..core.tensor import Tensor
from ..tensor.convert import cast, full, to_tensor
from ..tensor.creation import bernoulli, uniform
from ..tensor.manipulation import broadcast_to, where
from ..tensor.sampling import multinomial
from .distribution import Distribution, Shape, parameters, valued
from .exponential_family import ExponentialFamily
from .kl import register_kl


def _check_between(name: str, probs: Tensor, least_is_fine: bool) -> None:
    """Raise OpError for probabilities outside of [0, 1]; while a program is recorded,
    nobody looks.
    """
    if not state.mode.is_eager:
        return
    low, high = np.min(probs.array, initial=1), np.max(probs.array, initial=0)
    if not ((low >= 0 if least_is_fine else low > 0) and high <= 1):
        raise OpError(
            with_user_line(
                f"{name}: probs is not in {'[' if least_is_fine else '('}0, 1] (probs={probs.meta})"
            )
        )


def _smallest(x: Tensor) -> float:
    """The distance from 1 to the next number of the dtype, at least that of float32."""
    return float(np.finfo(np.float64 if x.dtype.name == "float64" else np.float32).eps)


def _two_way(p: Tensor, q: Tensor) -> Tensor:
    """The divergence of one try with the probabilities p and q."""
    return p * (p / q).log() + (1 - p) * ((1 - p) / (1 - q)).log()


class Bernoulli(ExponentialFamily):
    """1 with the probability probs, else 0.

    probs: [*batch_shape]
    """

    def __init__(self, probs: Any, name: str | None = None) -> None:
        self.name = name or "Bernoulli"
        (self.probs,) = parameters("Bernoulli", probs)
        _check_between("Bernoulli", self.probs, True)
        least = _smallest(self.probs)
        self._inside = self.probs.clip(least, 1 - least)
        super().__init__(self.probs.shape)

    @property
    def mean(self) -> Tensor:
        """probs."""
        return self.probs

    @property
    def variance(self) -> Tensor:
        """probs (1 - probs)."""
        return self.probs * (1 - self.probs)

    def sample(self, shape: Shape = ()) -> Tensor:
        """Draws of 0.0 and 1.0, without a gradient.

        -> [*shape, *batch_shape]
        """
        return bernoulli(broadcast_to(self.probs.detach(), self._extend_shape(shape)))

    def rsample(self, shape: Shape = (), temperature: float = 1.0) -> Tensor:
        """Logits of draws that are neither 0 nor 1, with a gradient: their sigmoid is near 0 or 1
        for a low temperature.

        -> [*shape, *batch_shape]

        (Jang, Gu and Poole 2017: the Gumbel softmax of two classes)
        """
        least = _smallest(self.probs)
        drawn = uniform(self._extend_shape(shape), self.probs.dtype, least, 1 - least)
        return (_logit(self._inside) + _logit(drawn)) / temperature

    def cdf(self, value: Any) -> Tensor:
        """The probability of a draw up to `value`."""
        value = valued(value, self.probs)
        below, one = cast(value >= 0, value.dtype), cast(value >= 1, value.dtype)
        return below * (1 - self.probs) + one * self.probs

    def log_prob(self, value: Any) -> Tensor:
        """value log(probs) + (1 - value) log(1 - probs)."""
        value = valued(value, self.probs)
        return value * self._inside.log() + (1 - value) * (1 - self._inside).log()

    def entropy(self) -> Tensor:
        """- probs log(probs) - (1 - probs) log(1 - probs).

        -> [*batch_shape]
        """
        return -self._inside * self._inside.log() - (1 - self._inside) * (1 - self._inside).log()


def _logit(x: Tensor) -> Tensor:
    return x.log() - (1 - x).log()


@register_kl(Bernoulli, Bernoulli)
def _(p: Bernoulli, q: Bernoulli) -> Tensor:
    return _two_way(p._inside, q._inside)


class Geometric(Distribution):
    """How many tries fail before one succeeds, which it does with the probability probs.

    probs: [*batch_shape], above 0
    """

    def __init__(self, probs: Any) -> None:
        (self.probs,) = parameters("Geometric", probs)
        _check_between("Geometric", self.probs, False)
        super().__init__(self.probs.shape)

    @property
    def mean(self) -> Tensor:
        """1 / probs - 1."""
        return 1 / self.probs - 1

    @property
    def variance(self) -> Tensor:
        """(1 / probs - 1) / probs."""
        return (1 / self.probs - 1) / self.probs

    @property
    def stddev(self) -> Tensor:
        """The square root of the variance."""
        return self.variance.sqrt()

    def pmf(self, k: Any) -> Tensor:
        """The probability of k failures: (1 - probs)**k probs."""
        return (1 - self.probs).pow(valued(k, self.probs)) * self.probs

    def log_pmf(self, k: Any) -> Tensor:
        """Its logarithm."""
        return valued(k, self.probs) * (1 - self.probs).log() + self.probs.log()

    prob: Any = pmf
    log_prob: Any = log_pmf

    def cdf(self, k: Any) -> Tensor:
        """The probability of at most k failures: 1 - (1 - probs)**(k + 1)."""
        return 1 - (1 - self.probs).pow(valued(k, self.probs) + 1)

    def rsample(self, shape: Shape = ()) -> Tensor:
        """Draws; their gradient is zero.

        -> [*shape, *batch_shape]
        """
        drawn = uniform(self._extend_shape(shape), self.probs.dtype, 1e-30, 1.0)
        return (drawn.log() / (-self.probs).log1p()).floor()

    def entropy(self) -> Tensor:
        """(- probs log(probs) - (1 - probs) log(1 - probs)) / probs.

        -> [*batch_shape]
        """
        return -((1 - self.probs) * (1 - self.probs).log() / self.probs + self.probs.log())


@register_kl(Geometric, Geometric)
def _(p: Geometric, q: Geometric) -> Tensor:
    return _two_way(p.probs, q.probs) / p.probs


class Multinomial(Distribution):
    """How often each of K results came up in total_count tries.

    probs [*batch_shape, K], scaled to a sum of 1
    """

    def __init__(self, total_count: int, probs: Any) -> None:
        if not isinstance(total_count, int) or total_count < 1:
            raise OpError(
                with_user_line(f"Multinomial: total_count={total_count!r} is not a number of tries")
            )
        (probs,) = parameters("Multinomial", probs)
        if not probs.ndim:
            raise OpError(
                with_user_line(f"Multinomial: probs has no axis of results (probs={probs.meta})")
            )
        self.total_count = total_count
        self.probs = probs / probs.sum(-1, keepdim=True)
        super().__init__(probs.shape[:-1], probs.shape[-1:])

    @property
    def mean(self) -> Tensor:
        """total_count probs."""
        return self.total_count * self.probs

    @property
    def variance(self) -> Tensor:
        """total_count probs (1 - probs)."""
        return self.total_count * self.probs * (1 - self.probs)

    def log_prob(self, value: Any) -> Tensor:
        """log(total_count! / prod(value!) prod(probs**value)).

        value [*, K] -> [*]
        """
        value = valued(value, self.probs)
        probs = where(value == 0, full([], 1.0, value.dtype), self.probs)  # 0 log(0) counts as 0.
        return (value * probs.log() - (value + 1).lgamma()).sum(-1) + self._log_factorial(
            self.total_count
        )

    def sample(self, shape: Shape = ()) -> Tensor:
        """Draws without a gradient, of the dtype of probs.

        -> [*shape, *batch_shape, K]
        """
        wanted, tries, kinds = list(shape), self.total_count, self.probs.shape[-1]
        rows = broadcast_to(self.probs.detach(), self._extend_shape(shape)).reshape([-1, kinds])
        drawn = multinomial(rows, tries, replacement=True)
        counts = OPS["one_hot_v2"](drawn, depth=kinds).sum(1)
        return cast(counts, self.probs.dtype).reshape([*wanted, *self._batch_shape, kinds])

    def entropy(self) -> Tensor:
        """The entropy, as a sum over all counts that a result can have.

        -> [*batch_shape]
        """
        n = self.total_count
        likely = self.probs.clip(_smallest(self.probs), 1.0)
        one_try = -(self.probs * likely.log()).sum(-1)
        counts = to_tensor(np.arange(n + 1.0), self.probs.dtype)
        p = self.probs.unsqueeze(-1).clip(_smallest(self.probs), 1 - _smallest(self.probs))
        choices = self._log_factorial(n) - (counts + 1).lgamma() - (n - counts + 1).lgamma()
        chance = (choices + counts * p.log() + (n - counts) * (1 - p).log()).exp()
        return n * one_try - self._log_factorial(n) + (chance * (counts + 1).lgamma()).sum([-2, -1])

    def _log_factorial(self, n: int) -> Tensor:
        return full([], n + 1.0, self.probs.dtype).lgamma()
