"""The uniform distribution."""

from __future__ import annotations

from ..core.tensor import Tensor
from ..core.type_aliases import TensorLike
from ..tensor.convert import cast
from ..tensor.creation import uniform
from .distribution import Distribution, Shape, parameters, to_tensor_of_dtype_like
from .kl import register_kl


class Uniform(Distribution):
    """Uniform distribution on the open interval (low, high).

    density(x) = 1 / (high - low) for low < x < high, otherwise 0

    Parameters
    ----------
    low, high : Tensor, float, list or ndarray
        Bounds, with low < high, which is not checked. They broadcast to `batch_shape`.
    name : str, optional
        Kept as the attribute `name`; default "Uniform".

    Attributes
    ----------
    low, high : Tensor [*batch_shape]

    Raises
    ------
    OpError
        If a parameter is neither a number, a list, an array nor a Tensor, or the shapes do not
        broadcast.

    Notes
    -----
    As in Paddle, samples of `sample` have a gradient, like those of `rsample`.

    Examples
    --------
    >>> uniform = paddle.distribution.Uniform(low=0.0, high=[1.0, 4.0])
    >>> uniform.mean.tolist()
    [0.5, 2.0]
    >>> uniform.prob(2.0).tolist()
    [0.0, 0.25]
    """

    def __init__(self, low: TensorLike, high: TensorLike, name: str | None = None) -> None:
        self.name = name or "Uniform"
        self.low, self.high = parameters("Uniform", low, high)
        super().__init__(self.low.shape)

    @property
    def mean(self) -> Tensor:
        """The mean (low + high) / 2, Tensor [*batch_shape].

        Examples
        --------
        >>> paddle.distribution.Uniform(0.0, [1.0, 4.0]).mean.tolist()
        [0.5, 2.0]
        """
        return (self.low + self.high) / 2

    @property
    def variance(self) -> Tensor:
        """The variance (high - low)^2 / 12, Tensor [*batch_shape].

        Examples
        --------
        >>> paddle.distribution.Uniform(0.0, [6.0, 12.0]).variance.tolist()
        [3.0, 12.0]
        """
        return (self.high - self.low).square() / 12

    def sample(self, shape: Shape = (), seed: int = 0) -> Tensor:
        """Draw samples: low + (high - low) u with u ~ Uniform(0, 1).

        As in Paddle, the samples have gradients with respect to the parameters.

        Parameters
        ----------
        shape : sequence of int, default ()
            Number of independent samples, as a shape.
        seed : int, default 0
            Seed of these samples; 0 uses the global generator.

        Returns
        -------
        Tensor [*shape, *batch_shape], dtype of the parameters

        Examples
        --------
        >>> uniform = paddle.distribution.Uniform(0.0, [1.0, 4.0])
        >>> uniform.sample([3]).shape
        [3, 2]
        >>> bool((uniform.sample([3], seed=1) == uniform.sample([3], seed=1)).all())
        True
        """
        noise = uniform(self._extend_shape(shape), self.low.dtype, 0.0, 1.0, seed)
        return self.low + (self.high - self.low) * noise

    def rsample(self, shape: Shape = ()) -> Tensor:
        return self.sample(shape)

    def probs(self, value: TensorLike) -> Tensor:
        """Return the density at `value`: 1 / (high - low) for low < value < high, otherwise 0.

        Parameters
        ----------
        value : Tensor, float, list or ndarray
            Broadcasts with `batch_shape`.

        Returns
        -------
        Tensor, dtype of the parameters

        Notes
        -----
        `prob` is a second name of this method.

        Examples
        --------
        >>> paddle.distribution.Uniform(0.0, 4.0).probs([0.0, 1.0, 5.0]).tolist()
        [0.0, 0.25, 0.0]
        """
        value = to_tensor_of_dtype_like(value, self.low)
        is_inside = cast(self.low < value, value.dtype) * cast(value < self.high, value.dtype)
        return is_inside / (self.high - self.low)

    prob = probs

    def log_prob(self, value: TensorLike) -> Tensor:
        """Return the logarithm of the density at `value`; -inf outside of the interval.

        Parameters
        ----------
        value : Tensor, float, list or ndarray
            Broadcasts with `batch_shape`.

        Returns
        -------
        Tensor, dtype of the parameters

        Examples
        --------
        >>> paddle.distribution.Uniform(0.0, 4.0).log_prob([1.0, 5.0]).numpy().round(4)
        array([-1.3863,    -inf], dtype=float32)
        """
        return self.probs(value).log()

    def entropy(self) -> Tensor:
        """Return the entropy log(high - low), in nats.

        Returns
        -------
        Tensor [*batch_shape], dtype of the parameters

        Examples
        --------
        >>> paddle.distribution.Uniform(0.0, [1.0, 4.0]).entropy().numpy().round(4)
        array([0.    , 1.3863], dtype=float32)
        """
        return (self.high - self.low).log()


@register_kl(Uniform, Uniform)
def _(p: Uniform, q: Uniform) -> Tensor:
    is_subset = cast(q.low <= p.low, p.low.dtype) * cast(p.high <= q.high, p.low.dtype)
    return ((q.high - q.low) / (p.high - p.low)).log() - is_subset.log()
