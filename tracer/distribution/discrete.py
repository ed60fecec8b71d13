"""The Bernoulli, geometric and multinomial distributions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import OpError, append_user_line
from ..core.mode import state
from ..core.op import OPS
from ..core.tensor import Tensor
from ..tensor.convert import cast, full, to_tensor
from ..tensor.creation import bernoulli, uniform
from ..tensor.manipulation import broadcast_to, where
from ..tensor.sampling import multinomial
from .distribution import Distribution, Shape, parameters, to_tensor_of_dtype_like
from .exponential_family import ExponentialFamily
from .kl import register_kl


def _check_probs(name: str, probs: Tensor, allow_zero: bool) -> None:
    """Raise OpError for probabilities outside of [0, 1]. While a program is recorded the values are
    unknown, and nothing is checked.
    """
    if not state.mode.is_eager:
        return
    minimum, maximum = np.min(probs.array, initial=1), np.max(probs.array, initial=0)
    if not ((minimum >= 0 if allow_zero else minimum > 0) and maximum <= 1):
        raise OpError(
            append_user_line(
                f"{name}: probs is not in {'[' if allow_zero else '('}0, 1] (probs={probs.meta})"
            )
        )


def _machine_epsilon(x: Tensor) -> float:
    """Return the machine epsilon of float64 for a float64 tensor, and that of float32 for any other
    tensor.
    """
    return float(np.finfo(np.float64 if x.dtype.name == "float64" else np.float32).eps)


def _bernoulli_kl(p: Tensor, q: Tensor) -> Tensor:
    """Return the Kullback-Leibler divergence KL(p || q) of two Bernoulli distributions."""
    return p * (p / q).log() + (1 - p) * ((1 - p) / (1 - q)).log()


class Bernoulli(ExponentialFamily):
    """Bernoulli distribution: 1 with probability probs, otherwise 0.

    probs: [*batch_shape]
    """

    def __init__(self, probs: Any, name: str | None = None) -> None:
        self.name = name or "Bernoulli"
        (self.probs,) = parameters("Bernoulli", probs)
        _check_probs("Bernoulli", self.probs, True)
        eps = _machine_epsilon(self.probs)
        self._clipped_probs = self.probs.clip(eps, 1 - eps)
        super().__init__(self.probs.shape)

    @property
    def mean(self) -> Tensor:
        """Mean: probs."""
        return self.probs

    @property
    def variance(self) -> Tensor:
        """Variance: probs (1 - probs)."""
        return self.probs * (1 - self.probs)

    def sample(self, shape: Shape = ()) -> Tensor:
        """Draw samples, which are 0.0 or 1.0, without gradients with respect to the parameters.

        -> [*shape, *batch_shape]
        """
        return bernoulli(broadcast_to(self.probs.detach(), self._extend_shape(shape)))

    def rsample(self, shape: Shape = (), temperature: float = 1.0) -> Tensor:
        """Draw relaxed samples as logits, with gradients with respect to the parameters. For a low
        temperature, the sigmoid of the logits is close to 0 or 1.

        -> [*shape, *batch_shape]

        Gumbel softmax of two classes (Jang, Gu and Poole 2017).
        """
        eps = _machine_epsilon(self.probs)
        noise = uniform(self._extend_shape(shape), self.probs.dtype, eps, 1 - eps)
        return (_logit(self._clipped_probs) + _logit(noise)) / temperature

    def cdf(self, value: Any) -> Tensor:
        """Cumulative distribution function at `value`."""
        value = to_tensor_of_dtype_like(value, self.probs)
        is_nonnegative, is_one_or_more = (
            cast(value >= 0, value.dtype),
            cast(value >= 1, value.dtype),
        )
        return is_nonnegative * (1 - self.probs) + is_one_or_more * self.probs

    def log_prob(self, value: Any) -> Tensor:
        """Log-probability of `value`: value log(probs) + (1 - value) log(1 - probs)."""
        value = to_tensor_of_dtype_like(value, self.probs)
        return value * self._clipped_probs.log() + (1 - value) * (1 - self._clipped_probs).log()

    def entropy(self) -> Tensor:
        """Entropy: - probs log(probs) - (1 - probs) log(1 - probs).

        -> [*batch_shape]
        """
        return (
            -self._clipped_probs * self._clipped_probs.log()
            - (1 - self._clipped_probs) * (1 - self._clipped_probs).log()
        )


def _logit(x: Tensor) -> Tensor:
    return x.log() - (1 - x).log()


@register_kl(Bernoulli, Bernoulli)
def _(p: Bernoulli, q: Bernoulli) -> Tensor:
    return _bernoulli_kl(p._clipped_probs, q._clipped_probs)


class Geometric(Distribution):
    """Geometric distribution: number of failures before the first success with probability probs.

    probs: [*batch_shape], positive
    """

    def __init__(self, probs: Any) -> None:
        (self.probs,) = parameters("Geometric", probs)
        _check_probs("Geometric", self.probs, False)
        super().__init__(self.probs.shape)

    @property
    def mean(self) -> Tensor:
        """Mean: 1 / probs - 1."""
        return 1 / self.probs - 1

    @property
    def variance(self) -> Tensor:
        """Variance: (1 / probs - 1) / probs."""
        return (1 / self.probs - 1) / self.probs

    @property
    def stddev(self) -> Tensor:
        """Square root of the variance."""
        return self.variance.sqrt()

    def pmf(self, k: Any) -> Tensor:
        """Probability of k failures: (1 - probs)^k probs."""
        return (1 - self.probs).pow(to_tensor_of_dtype_like(k, self.probs)) * self.probs

    def log_pmf(self, k: Any) -> Tensor:
        """Logarithm of pmf."""
        return to_tensor_of_dtype_like(k, self.probs) * (1 - self.probs).log() + self.probs.log()

    prob: Any = pmf
    log_prob: Any = log_pmf

    def cdf(self, k: Any) -> Tensor:
        """Probability of at most k failures: 1 - (1 - probs)^(k + 1)."""
        return 1 - (1 - self.probs).pow(to_tensor_of_dtype_like(k, self.probs) + 1)

    def rsample(self, shape: Shape = ()) -> Tensor:
        """Draw samples whose gradient with respect to the parameters is zero.

        -> [*shape, *batch_shape]
        """
        noise = uniform(self._extend_shape(shape), self.probs.dtype, 1e-30, 1.0)
        return (noise.log() / (-self.probs).log1p()).floor()

    def entropy(self) -> Tensor:
        """Entropy: (- probs log(probs) - (1 - probs) log(1 - probs)) / probs.

        -> [*batch_shape]
        """
        return -((1 - self.probs) * (1 - self.probs).log() / self.probs + self.probs.log())


@register_kl(Geometric, Geometric)
def _(p: Geometric, q: Geometric) -> Tensor:
    return _bernoulli_kl(p.probs, q.probs) / p.probs


class Multinomial(Distribution):
    """Multinomial distribution: counts of K categories in total_count trials.

    probs [*batch_shape, K], normalized to a sum of 1
    """

    def __init__(self, total_count: int, probs: Any) -> None:
        if not isinstance(total_count, int) or total_count < 1:
            raise OpError(
                append_user_line(f"Multinomial: total_count={total_count!r} is not a positive int")
            )
        (probs,) = parameters("Multinomial", probs)
        if not probs.ndim:
            raise OpError(
                append_user_line(
                    f"Multinomial: probs must have rank 1 or more (probs={probs.meta})"
                )
            )
        self.total_count = total_count
        self.probs = probs / probs.sum(-1, keepdim=True)
        super().__init__(probs.shape[:-1], probs.shape[-1:])

    @property
    def mean(self) -> Tensor:
        """Mean: total_count probs."""
        return self.total_count * self.probs

    @property
    def variance(self) -> Tensor:
        """Variance: total_count probs (1 - probs)."""
        return self.total_count * self.probs * (1 - self.probs)

    def log_prob(self, value: Any) -> Tensor:
        """Log-probability of `value`: log(total_count! / prod(value!) prod(probs^value)).

        value [*, K] -> [*]
        """
        value = to_tensor_of_dtype_like(value, self.probs)
        probs = where(value == 0, full([], 1.0, value.dtype), self.probs)  # 0 log(0) counts as 0.
        return (value * probs.log() - (value + 1).lgamma()).sum(-1) + self._log_factorial(
            self.total_count
        )

    def sample(self, shape: Shape = ()) -> Tensor:
        """Draw samples in the dtype of probs, without gradients with respect to the parameters.

        -> [*shape, *batch_shape, K]
        """
        sample_shape, num_trials, num_categories = (
            list(shape),
            self.total_count,
            self.probs.shape[-1],
        )
        rows = broadcast_to(self.probs.detach(), self._extend_shape(shape)).reshape(
            [-1, num_categories]
        )
        samples = multinomial(rows, num_trials, replacement=True)
        counts = OPS["one_hot_v2"](samples, depth=num_categories).sum(1)
        return cast(counts, self.probs.dtype).reshape(
            [*sample_shape, *self._batch_shape, num_categories]
        )

    def entropy(self) -> Tensor:
        """Entropy, as a sum over all possible counts of a category.

        -> [*batch_shape]
        """
        n = self.total_count
        clipped = self.probs.clip(_machine_epsilon(self.probs), 1.0)
        trial_entropy = -(self.probs * clipped.log()).sum(-1)
        counts = to_tensor(np.arange(n + 1.0), self.probs.dtype)
        p = self.probs.unsqueeze(-1).clip(
            _machine_epsilon(self.probs), 1 - _machine_epsilon(self.probs)
        )
        log_binomial = self._log_factorial(n) - (counts + 1).lgamma() - (n - counts + 1).lgamma()
        count_prob = (log_binomial + counts * p.log() + (n - counts) * (1 - p).log()).exp()
        return (
            n * trial_entropy
            - self._log_factorial(n)
            + (count_prob * (counts + 1).lgamma()).sum([-2, -1])
        )

    def _log_factorial(self, n: int) -> Tensor:
        return full([], n + 1.0, self.probs.dtype).lgamma()
