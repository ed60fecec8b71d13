"""The Gumbel distribution, the limit distribution of maxima."""

from __future__ import annotations

import math

import numpy as np

from ..core.tensor import Tensor
from ..core.type_aliases import TensorLike
from ..tensor.creation import uniform
from .distribution import Distribution, Shape, parameters, to_tensor_of_dtype_like


class Gumbel(Distribution):
    """Gumbel distribution, the limit distribution of maxima.

    cdf(x) = exp(-exp(-(x - loc) / scale))

    Parameters
    ----------
    loc : Tensor, float, list or ndarray
        Mode. `loc` and `scale` broadcast to `batch_shape`.
    scale : Tensor, float, list or ndarray, positive

    Attributes
    ----------
    loc, scale : Tensor [*batch_shape]

    Raises
    ------
    OpError
        If a parameter is neither a number, a list, an array nor a Tensor, or the shapes do not
        broadcast.

    Examples
    --------
    >>> gumbel = paddle.distribution.Gumbel(loc=0.0, scale=[1.0, 2.0])
    >>> gumbel.mean.numpy().round(4)
    array([0.5772, 1.1544], dtype=float32)
    >>> gumbel.cdf(0.0).numpy().round(4)
    array([0.3679, 0.3679], dtype=float32)
    """

    def __init__(self, loc: TensorLike, scale: TensorLike) -> None:
        self.loc, self.scale = parameters("Gumbel", loc, scale)
        super().__init__(self.loc.shape)

    @property
    def mean(self) -> Tensor:
        """The mean loc + gamma scale, Tensor [*batch_shape]; gamma = 0.5772 is Euler's constant.

        Examples
        --------
        >>> paddle.distribution.Gumbel(0.0, [1.0, 2.0]).mean.numpy().round(4)
        array([0.5772, 1.1544], dtype=float32)
        """
        return self.loc + np.euler_gamma * self.scale

    @property
    def variance(self) -> Tensor:
        """The variance (pi scale)^2 / 6, Tensor [*batch_shape].

        Examples
        --------
        >>> paddle.distribution.Gumbel(0.0, [1.0, 2.0]).variance.numpy().round(4)
        array([1.6449, 6.5797], dtype=float32)
        """
        return (math.pi * self.scale).square() / 6

    @property
    def stddev(self) -> Tensor:
        """The standard deviation pi scale / sqrt(6), Tensor [*batch_shape].

        Examples
        --------
        >>> paddle.distribution.Gumbel(0.0, [1.0, 2.0]).stddev.numpy().round(4)
        array([1.2825, 2.5651], dtype=float32)
        """
        return self.scale * (math.pi / math.sqrt(6))

    def log_prob(self, value: TensorLike) -> Tensor:
        y = (self.loc - to_tensor_of_dtype_like(value, self.loc)) / self.scale
        return y - y.exp() - self.scale.log()

    def cdf(self, value: TensorLike) -> Tensor:
        """Return the cumulative distribution function: exp(-exp(-(value - loc) / scale)).

        Parameters
        ----------
        value : Tensor, float, list or ndarray
            Broadcasts with `batch_shape`.

        Returns
        -------
        Tensor, dtype of the parameters

        Examples
        --------
        >>> gumbel = paddle.distribution.Gumbel(loc=0.0, scale=1.0)
        >>> gumbel.cdf([0.0, 2.0]).numpy().round(4)
        array([0.3679, 0.8734], dtype=float32)
        """
        return (-((self.loc - to_tensor_of_dtype_like(value, self.loc)) / self.scale).exp()).exp()

    def sample(self, shape: Shape = ()) -> Tensor:
        return self.rsample(shape).detach()

    def rsample(self, shape: Shape = ()) -> Tensor:
        noise = uniform(self._extend_shape(shape), self.loc.dtype, 1e-30, 1 - 2.0**-24)
        return self.loc - self.scale * (-noise.log()).log()

    def entropy(self) -> Tensor:
        """Return the entropy log(scale) + 1 + gamma, in nats; gamma = 0.5772 is Euler's constant.

        Returns
        -------
        Tensor [*batch_shape], dtype of the parameters

        Examples
        --------
        >>> paddle.distribution.Gumbel(0.0, [1.0, 2.0]).entropy().numpy().round(4)
        array([1.5772, 2.2704], dtype=float32)
        """
        return self.scale.log() + (1 + np.euler_gamma)
