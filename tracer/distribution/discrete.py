"""The Bernoulli, geometric and multinomial distributions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import OpError, append_user_line
from ..core.mode import state
from ..core.op import OPS
from ..core.tensor import Tensor
from ..core.type_aliases import TensorLike
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
    """Bernoulli distribution: 1 with probability `probs`, otherwise 0.

    Parameters
    ----------
    probs : Tensor, float, list or ndarray [*batch_shape]
        Probabilities in [0, 1].
    name : str, optional
        Kept as the attribute `name`; default "Bernoulli".

    Attributes
    ----------
    probs : Tensor [*batch_shape]

    Raises
    ------
    OpError
        If a probability is not in [0, 1], which is not checked while a program is recorded; or if
        `probs` is neither a number, a list, an array nor a Tensor.

    Notes
    -----
    `log_prob`, `entropy`, `rsample` and the divergence clip `probs` to [eps, 1 - eps], so that
    they stay finite; eps is the machine epsilon of float64, or of float32 for other dtypes.

    Examples
    --------
    >>> bernoulli = paddle.distribution.Bernoulli([0.25, 0.5])
    >>> bernoulli.sample([3]).shape
    [3, 2]
    >>> bernoulli.prob(1.0).numpy().round(4)
    array([0.25, 0.5 ], dtype=float32)
    """

    def __init__(self, probs: TensorLike, name: str | None = None) -> None:
        self.name = name or "Bernoulli"
        (self.probs,) = parameters("Bernoulli", probs)
        _check_probs("Bernoulli", self.probs, True)
        eps = _machine_epsilon(self.probs)
        self._clipped_probs = self.probs.clip(eps, 1 - eps)
        super().__init__(self.probs.shape)

    @property
    def mean(self) -> Tensor:
        """The mean probs, Tensor [*batch_shape].

        Examples
        --------
        >>> paddle.distribution.Bernoulli([0.25, 0.5]).mean.tolist()
        [0.25, 0.5]
        """
        return self.probs

    @property
    def variance(self) -> Tensor:
        """The variance probs (1 - probs), Tensor [*batch_shape].

        Examples
        --------
        >>> paddle.distribution.Bernoulli([0.25, 0.5]).variance.tolist()
        [0.1875, 0.25]
        """
        return self.probs * (1 - self.probs)

    def sample(self, shape: Shape = ()) -> Tensor:
        """Draw samples, 0.0 or 1.0, without gradients with respect to the parameters.

        Parameters
        ----------
        shape : sequence of int, default ()
            Number of independent samples, as a shape.

        Returns
        -------
        Tensor [*shape, *batch_shape], dtype of the parameters

        Examples
        --------
        >>> paddle.distribution.Bernoulli([0.0, 1.0]).sample([3]).tolist()
        [[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]]
        """
        return bernoulli(broadcast_to(self.probs.detach(), self._extend_shape(shape)))

    def rsample(self, shape: Shape = (), temperature: float = 1.0) -> Tensor:
        """Draw relaxed samples as logits, with gradients with respect to the parameters.

        (logit(probs) + logit(u)) / temperature with u ~ Uniform(0, 1)

        The sigmoid of a logit is a number in (0, 1); for a low temperature it is close to 0 or 1.
        This is the Gumbel softmax of two classes (Jang, Gu and Poole 2017).

        Parameters
        ----------
        shape : sequence of int, default ()
            Number of independent samples, as a shape.
        temperature : float, default 1.0
            Positive.

        Returns
        -------
        Tensor [*shape, *batch_shape], dtype of the parameters

        Examples
        --------
        >>> bernoulli = paddle.distribution.Bernoulli([0.25, 0.5])
        >>> F.sigmoid(bernoulli.rsample([100], temperature=0.1)).shape
        [100, 2]
        """
        eps = _machine_epsilon(self.probs)
        noise = uniform(self._extend_shape(shape), self.probs.dtype, eps, 1 - eps)
        return (_logit(self._clipped_probs) + _logit(noise)) / temperature

    def cdf(self, value: TensorLike) -> Tensor:
        """Return the probability of at most `value`: 0 below 0, 1 - probs on [0, 1), then 1.

        Parameters
        ----------
        value : Tensor, float, list or ndarray
            Broadcasts with `batch_shape`.

        Returns
        -------
        Tensor, dtype of the parameters

        Examples
        --------
        >>> paddle.distribution.Bernoulli(0.25).cdf([-1.0, 0.0, 1.0]).tolist()
        [0.0, 0.75, 1.0]
        """
        value = to_tensor_of_dtype_like(value, self.probs)
        is_nonnegative, is_one_or_more = (
            cast(value >= 0, value.dtype),
            cast(value >= 1, value.dtype),
        )
        return is_nonnegative * (1 - self.probs) + is_one_or_more * self.probs

    def log_prob(self, value: TensorLike) -> Tensor:
        """Return the logarithm of the probability of `value`.

        value log(probs) + (1 - value) log(1 - probs)

        Parameters
        ----------
        value : Tensor, float, list or ndarray
            0 or 1; numbers between them, such as smoothed labels, use the formula. Broadcasts with
            `batch_shape`.

        Returns
        -------
        Tensor, dtype of the parameters

        Examples
        --------
        >>> paddle.distribution.Bernoulli(0.25).log_prob([0.0, 1.0]).numpy().round(4)
        array([-0.2877, -1.3863], dtype=float32)
        """
        value = to_tensor_of_dtype_like(value, self.probs)
        return value * self._clipped_probs.log() + (1 - value) * (1 - self._clipped_probs).log()

    def entropy(self) -> Tensor:
        """Return the entropy in nats: - probs log(probs) - (1 - probs) log(1 - probs).

        Returns
        -------
        Tensor [*batch_shape], dtype of the parameters

        Examples
        --------
        >>> paddle.distribution.Bernoulli([0.25, 0.5]).entropy().numpy().round(4)
        array([0.5623, 0.6931], dtype=float32)
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
    """Geometric distribution: the number of failures before the first success.

    P(k) = (1 - probs)^k probs for k = 0, 1, 2, ...

    Parameters
    ----------
    probs : Tensor, float, list or ndarray [*batch_shape]
        Probability of a success in one trial, in (0, 1].

    Attributes
    ----------
    probs : Tensor [*batch_shape]

    Raises
    ------
    OpError
        If a probability is not in (0, 1], which is not checked while a program is recorded; or if
        `probs` is neither a number, a list, an array nor a Tensor.

    Notes
    -----
    The divergence of two distributions is that of the numbers of failures; Paddle returns the
    divergence of a single trial.

    Examples
    --------
    >>> geometric = paddle.distribution.Geometric(0.5)
    >>> geometric.pmf([0.0, 1.0, 2.0]).tolist()
    [0.5, 0.25, 0.125]
    >>> geometric.mean.item()
    1.0
    """

    def __init__(self, probs: TensorLike) -> None:
        (self.probs,) = parameters("Geometric", probs)
        _check_probs("Geometric", self.probs, False)
        super().__init__(self.probs.shape)

    @property
    def mean(self) -> Tensor:
        """The mean 1 / probs - 1, Tensor [*batch_shape].

        Examples
        --------
        >>> paddle.distribution.Geometric([0.25, 0.5]).mean.tolist()
        [3.0, 1.0]
        """
        return 1 / self.probs - 1

    @property
    def variance(self) -> Tensor:
        """The variance (1 / probs - 1) / probs, Tensor [*batch_shape].

        Examples
        --------
        >>> paddle.distribution.Geometric([0.25, 0.5]).variance.tolist()
        [12.0, 2.0]
        """
        return (1 / self.probs - 1) / self.probs

    @property
    def stddev(self) -> Tensor:
        """The standard deviation, the square root of `variance`, Tensor [*batch_shape].

        Examples
        --------
        >>> paddle.distribution.Geometric([0.25, 0.5]).stddev.numpy().round(4)
        array([3.4641, 1.4142], dtype=float32)
        """
        return self.variance.sqrt()

    def pmf(self, k: TensorLike) -> Tensor:
        """Return the probability of `k` failures: (1 - probs)^k probs.

        Parameters
        ----------
        k : Tensor, float, list or ndarray
            Integers >= 0, which is not checked. Broadcasts with `batch_shape`.

        Returns
        -------
        Tensor, dtype of the parameters

        Notes
        -----
        `prob` is a second name of this method.

        Examples
        --------
        >>> paddle.distribution.Geometric(0.5).pmf([0.0, 1.0, 2.0]).tolist()
        [0.5, 0.25, 0.125]
        """
        return (1 - self.probs).pow(to_tensor_of_dtype_like(k, self.probs)) * self.probs

    def log_pmf(self, k: TensorLike) -> Tensor:
        """Return the logarithm of `pmf`: k log(1 - probs) + log(probs).

        Parameters
        ----------
        k : Tensor, float, list or ndarray
            Integers >= 0, which is not checked. Broadcasts with `batch_shape`.

        Returns
        -------
        Tensor, dtype of the parameters

        Notes
        -----
        `log_prob` is a second name of this method.

        Examples
        --------
        >>> paddle.distribution.Geometric(0.5).log_pmf([0.0, 1.0]).numpy().round(4)
        array([-0.6931, -1.3863], dtype=float32)
        """
        return to_tensor_of_dtype_like(k, self.probs) * (1 - self.probs).log() + self.probs.log()

    prob: Any = pmf
    log_prob: Any = log_pmf

    def cdf(self, k: TensorLike) -> Tensor:
        """Return the probability of at most `k` failures: 1 - (1 - probs)^(k + 1).

        Parameters
        ----------
        k : Tensor, float, list or ndarray
            Integers >= 0, which is not checked. Broadcasts with `batch_shape`.

        Returns
        -------
        Tensor, dtype of the parameters

        Examples
        --------
        >>> paddle.distribution.Geometric(0.5).cdf([0.0, 1.0, 2.0]).tolist()
        [0.5, 0.75, 0.875]
        """
        return 1 - (1 - self.probs).pow(to_tensor_of_dtype_like(k, self.probs) + 1)

    def rsample(self, shape: Shape = ()) -> Tensor:
        """Draw samples whose gradient with respect to the parameters is zero.

        floor(log(u) / log(1 - probs)) with u ~ Uniform(0, 1)

        Parameters
        ----------
        shape : sequence of int, default ()
            Number of independent samples, as a shape.

        Returns
        -------
        Tensor [*shape, *batch_shape], dtype of the parameters

        Examples
        --------
        >>> paddle.distribution.Geometric([0.25, 1.0]).rsample([5]).shape
        [5, 2]
        """
        noise = uniform(self._extend_shape(shape), self.probs.dtype, 1e-30, 1.0)
        return (noise.log() / (-self.probs).log1p()).floor()

    def entropy(self) -> Tensor:
        """Return the entropy in nats.

        (- probs log(probs) - (1 - probs) log(1 - probs)) / probs

        Returns
        -------
        Tensor [*batch_shape], dtype of the parameters

        Notes
        -----
        The entropy is NaN for a probability of 1.

        Examples
        --------
        >>> paddle.distribution.Geometric([0.25, 0.5]).entropy().numpy().round(4)
        array([2.2493, 1.3863], dtype=float32)
        """
        return -((1 - self.probs) * (1 - self.probs).log() / self.probs + self.probs.log())


@register_kl(Geometric, Geometric)
def _(p: Geometric, q: Geometric) -> Tensor:
    return _bernoulli_kl(p.probs, q.probs) / p.probs


class Multinomial(Distribution):
    """Multinomial distribution: counts of K categories in `total_count` independent trials.

    P(x) = total_count! / product(x[i]!) * product(probs[i]^x[i])

    Parameters
    ----------
    total_count : int, 1 or more
        Number of trials.
    probs : Tensor, list or ndarray [*batch_shape, K]
        Weights of the categories; they are divided by their sum.

    Attributes
    ----------
    total_count : int
    probs : Tensor [*batch_shape, K]
        Probabilities, with the sum 1 over the last axis.

    Raises
    ------
    OpError
        If `total_count` is not a positive int, or `probs` has rank 0 or an unsupported type.

    Notes
    -----
    Samples have no gradient: `rsample` raises NotImplementedError.

    Examples
    --------
    >>> multinomial = paddle.distribution.Multinomial(10, [1.0, 1.0, 2.0])
    >>> multinomial.mean.tolist()
    [2.5, 2.5, 5.0]
    >>> multinomial.sample([4]).sum(-1).tolist()
    [10.0, 10.0, 10.0, 10.0]
    """

    def __init__(self, total_count: int, probs: TensorLike) -> None:
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
        """The mean total_count probs, Tensor [*batch_shape, K].

        Examples
        --------
        >>> paddle.distribution.Multinomial(10, [0.25, 0.75]).mean.tolist()
        [2.5, 7.5]
        """
        return self.total_count * self.probs

    @property
    def variance(self) -> Tensor:
        """The variance total_count probs (1 - probs) of each count, Tensor [*batch_shape, K].

        Examples
        --------
        >>> paddle.distribution.Multinomial(16, [0.25, 0.75]).variance.tolist()
        [3.0, 3.0]
        """
        return self.total_count * self.probs * (1 - self.probs)

    def log_prob(self, value: TensorLike) -> Tensor:
        """Return the logarithm of the probability of the counts `value`.

        log(total_count!) - sum(log(value[i]!)) + sum(value[i] log(probs[i])); 0 log(0) counts as 0

        Parameters
        ----------
        value : Tensor, list or ndarray [*, K]
            Counts; their sum over the last axis is `total_count`, which is not checked. The leading
            axes broadcast with `batch_shape`.

        Returns
        -------
        Tensor [*], dtype of the parameters

        Examples
        --------
        >>> multinomial = paddle.distribution.Multinomial(2, [0.5, 0.5])
        >>> multinomial.log_prob([[2.0, 0.0], [1.0, 1.0]]).numpy().round(4)
        array([-1.3863, -0.6931], dtype=float32)
        """
        value = to_tensor_of_dtype_like(value, self.probs)
        probs = where(value == 0, full([], 1.0, value.dtype), self.probs)  # 0 log(0) counts as 0.
        return (value * probs.log() - (value + 1).lgamma()).sum(-1) + self._log_factorial(
            self.total_count
        )

    def sample(self, shape: Shape = ()) -> Tensor:
        """Draw counts without gradients with respect to the parameters.

        Parameters
        ----------
        shape : sequence of int, default ()
            Number of independent samples, as a shape.

        Returns
        -------
        Tensor [*shape, *batch_shape, K], dtype of the parameters
            Integers; the sum over the last axis is `total_count`.

        Examples
        --------
        >>> multinomial = paddle.distribution.Multinomial(10, [0.25, 0.75])
        >>> multinomial.sample([3]).sum(-1).tolist()
        [10.0, 10.0, 10.0]
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
        """Return the entropy in nats, as a sum over all possible counts of each category.

        Returns
        -------
        Tensor [*batch_shape], dtype of the parameters

        Notes
        -----
        Time and memory grow with total_count * K.

        Examples
        --------
        >>> multinomial = paddle.distribution.Multinomial(2, [0.5, 0.5])
        >>> round(multinomial.entropy().item(), 4)
        1.0397
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
