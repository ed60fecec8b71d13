"""The normal distribution."""

from __future__ import annotations

import math

from ..core.tensor import Tensor
from ..core.type_aliases import TensorLike
from ..ops.random import gaussian_random
from ..tensor.convert import split_shape_into_ints_and_tensors
from .distribution import Distribution, Shape, parameters, to_tensor_of_dtype_like
from .kl import register_kl


class Normal(Distribution):
    """Normal (Gaussian) distribution.

    density(x) = exp(-(x - loc)^2 / (2 scale^2)) / (scale sqrt(2 pi))

    Parameters
    ----------
    loc : Tensor, float, list or ndarray
        Mean. `loc` and `scale` broadcast to `batch_shape`.
    scale : Tensor, float, list or ndarray, positive
        Standard deviation.
    name : str, optional
        Kept as the attribute `name`; default "Normal".

    Attributes
    ----------
    loc, scale : Tensor [*batch_shape]

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
    >>> normal = paddle.distribution.Normal(loc=0.0, scale=[1.0, 2.0])
    >>> normal.sample([3]).shape
    [3, 2]
    >>> normal.prob(0.0).numpy().round(4)
    array([0.3989, 0.1995], dtype=float32)
    >>> normal.kl_divergence(paddle.distribution.Normal(0.0, 1.0)).numpy().round(4)
    array([0.    , 0.8069], dtype=float32)
    """

    def __init__(self, loc: TensorLike, scale: TensorLike, name: str | None = None) -> None:
        self.name = name or "Normal"
        self.loc, self.scale = parameters("Normal", loc, scale)
        super().__init__(self.loc.shape)

    @property
    def mean(self) -> Tensor:
        """The mean loc, Tensor [*batch_shape].

        Examples
        --------
        >>> paddle.distribution.Normal([0.0, 1.0], 1.0).mean.tolist()
        [0.0, 1.0]
        """
        return self.loc

    @property
    def variance(self) -> Tensor:
        """The variance scale^2, Tensor [*batch_shape].

        Examples
        --------
        >>> paddle.distribution.Normal(0.0, [1.0, 2.0]).variance.tolist()
        [1.0, 4.0]
        """
        return self.scale.square()

    def sample(self, shape: Shape = (), seed: int = 0) -> Tensor:
        """Draw samples: loc + scale z with z ~ Normal(0, 1).

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
        >>> normal = paddle.distribution.Normal([0.0, 10.0], 1.0)
        >>> normal.sample([4]).shape
        [4, 2]
        >>> bool((normal.sample([4], seed=1) == normal.sample([4], seed=1)).all())
        True
        """
        ints, tensors = split_shape_into_ints_and_tensors(self._extend_shape(shape), "Normal")
        noise = gaussian_random(None, tensors, shape=ints, seed=seed, dtype=self.loc.dtype.proto)
        return self.loc + self.scale * noise

    def rsample(self, shape: Shape = ()) -> Tensor:
        return self.sample(shape)

    def entropy(self) -> Tensor:
        """Return the entropy 1/2 + log(scale sqrt(2 pi)), in nats.

        Returns
        -------
        Tensor [*batch_shape], dtype of the parameters

        Examples
        --------
        >>> paddle.distribution.Normal(0.0, [1.0, 2.0]).entropy().numpy().round(4)
        array([1.4189, 2.1121], dtype=float32)
        """
        return self.scale.log() + (0.5 + 0.5 * math.log(2 * math.pi))

    def log_prob(self, value: TensorLike) -> Tensor:
        z = (to_tensor_of_dtype_like(value, self.loc) - self.loc) / self.scale
        return -0.5 * z.square() - self.scale.log() - 0.5 * math.log(2 * math.pi)


@register_kl(Normal, Normal)
def _(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale).square()
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).square() - 1 - ratio.log())
