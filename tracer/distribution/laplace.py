"""The Laplace distribution."""

from __future__ import annotations

import math

from ..core.tensor import Tensor
from ..core.type_aliases import TensorLike
from ..tensor.creation import uniform
from .distribution import Distribution, Shape, parameters, to_tensor_of_dtype_like
from .kl import register_kl


class Laplace(Distribution):
    """Laplace distribution.

    density(x) = exp(-|x - loc| / scale) / (2 scale)

    Parameters
    ----------
    loc : Tensor, float, list or ndarray
        Mean. `loc` and `scale` broadcast to `batch_shape`.
    scale : Tensor, float, list or ndarray, positive
        Mean distance from `loc`.

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
    >>> laplace = paddle.distribution.Laplace(loc=0.0, scale=[1.0, 2.0])
    >>> laplace.prob(0.0).tolist()
    [0.5, 0.25]
    >>> laplace.cdf(1.0).numpy().round(4)
    array([0.8161, 0.6967], dtype=float32)
    """

    def __init__(self, loc: TensorLike, scale: TensorLike) -> None:
        self.loc, self.scale = parameters("Laplace", loc, scale)
        super().__init__(self.loc.shape)

    @property
    def mean(self) -> Tensor:
        """The mean loc, Tensor [*batch_shape].

        Examples
        --------
        >>> paddle.distribution.Laplace([0.0, 1.0], 1.0).mean.tolist()
        [0.0, 1.0]
        """
        return self.loc

    @property
    def stddev(self) -> Tensor:
        """The standard deviation sqrt(2) scale, Tensor [*batch_shape].

        Examples
        --------
        >>> paddle.distribution.Laplace(0.0, [1.0, 2.0]).stddev.numpy().round(4)
        array([1.4142, 2.8284], dtype=float32)
        """
        return math.sqrt(2) * self.scale

    @property
    def variance(self) -> Tensor:
        """The variance 2 scale^2, Tensor [*batch_shape].

        Examples
        --------
        >>> paddle.distribution.Laplace(0.0, [1.0, 2.0]).variance.numpy().round(4)
        array([2., 8.], dtype=float32)
        """
        return self.stddev.square()

    def log_prob(self, value: TensorLike) -> Tensor:
        return (
            -((to_tensor_of_dtype_like(value, self.loc) - self.loc).abs() / self.scale)
            - (2 * self.scale).log()
        )

    def cdf(self, value: TensorLike) -> Tensor:
        """Return the cumulative distribution function at `value`.

        With z = (value - loc) / scale, it is exp(z) / 2 for z < 0 and 1 - exp(-z) / 2 for z >= 0.

        Parameters
        ----------
        value : Tensor, float, list or ndarray
            Broadcasts with `batch_shape`.

        Returns
        -------
        Tensor, dtype of the parameters

        Examples
        --------
        >>> laplace = paddle.distribution.Laplace(loc=0.0, scale=1.0)
        >>> laplace.cdf([-1.0, 0.0, 1.0]).numpy().round(4)
        array([0.1839, 0.5   , 0.8161], dtype=float32)
        """
        distance = to_tensor_of_dtype_like(value, self.loc) - self.loc
        return 0.5 - 0.5 * distance.sign() * (-distance.abs() / self.scale).expm1()

    def icdf(self, value: TensorLike) -> Tensor:
        """Return the quantile function, the inverse of `cdf`.

        loc - scale sign(p - 1/2) log(1 - 2 |p - 1/2|) with p = value

        Parameters
        ----------
        value : Tensor, float, list or ndarray
            Probabilities in [0, 1]; 0 and 1 return -inf and inf. Broadcasts with `batch_shape`.

        Returns
        -------
        Tensor, dtype of the parameters

        Examples
        --------
        >>> laplace = paddle.distribution.Laplace(loc=0.0, scale=1.0)
        >>> laplace.icdf([0.0, 0.5, 0.75, 1.0]).numpy().round(4)
        array([  -inf, 0.    , 0.6931,    inf], dtype=float32)
        """
        return self._quantile_of_centered_probability(
            to_tensor_of_dtype_like(value, self.loc) - 0.5
        )

    def _quantile_of_centered_probability(self, centered: Tensor) -> Tensor:
        """Return the quantile at the probability `centered` + 1/2."""
        return self.loc - self.scale * centered.sign() * (-2 * centered.abs()).log1p()

    def rsample(self, shape: Shape = ()) -> Tensor:
        # excludes infinite samples
        margin = 2.0**-24 if self.loc.dtype.name != "float64" else 2.0**-53
        return self._quantile_of_centered_probability(
            uniform(self._extend_shape(shape), self.loc.dtype, margin - 0.5, 0.5 - margin)
        )

    def entropy(self) -> Tensor:
        """Return the entropy 1 + log(2 scale), in nats.

        Returns
        -------
        Tensor [*batch_shape], dtype of the parameters

        Examples
        --------
        >>> paddle.distribution.Laplace(0.0, [1.0, 2.0]).entropy().numpy().round(4)
        array([1.6931, 2.3863], dtype=float32)
        """
        return 1 + (2 * self.scale).log()


@register_kl(Laplace, Laplace)
def _(p: Laplace, q: Laplace) -> Tensor:
    distance = (p.loc - q.loc).abs()
    return (
        (p.scale * (-distance / p.scale).exp() + distance) / q.scale + (q.scale / p.scale).log() - 1
    )
