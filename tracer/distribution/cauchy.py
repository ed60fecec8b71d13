"""The Cauchy distribution."""

from __future__ import annotations

import math

from ..core.errors import OpError, append_user_line
from ..core.tensor import Tensor
from ..core.type_aliases import TensorLike
from ..tensor.creation import uniform
from .distribution import Distribution, Shape, parameters, to_tensor_of_dtype_like
from .kl import register_kl


class Cauchy(Distribution):
    """Cauchy distribution.

    density(x) = 1 / (pi scale (1 + ((x - loc) / scale)^2))

    Parameters
    ----------
    loc : Tensor, float, list or ndarray
        Median. `loc` and `scale` broadcast to `batch_shape`.
    scale : Tensor, float, list or ndarray, positive
        Half the width at half of the maximal density.
    name : str, optional
        Kept as the attribute `name`; default "Cauchy".

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
    The distribution has no mean, variance and standard deviation; reading them raises OpError.

    Examples
    --------
    >>> cauchy = paddle.distribution.Cauchy(loc=0.0, scale=1.0)
    >>> cauchy.prob([0.0, 1.0]).numpy().round(4)
    array([0.3183, 0.1592], dtype=float32)
    >>> cauchy.cdf(1.0).item()
    0.75
    """

    def __init__(self, loc: TensorLike, scale: TensorLike, name: str | None = None) -> None:
        self.name = name or "Cauchy"
        self.loc, self.scale = parameters("Cauchy", loc, scale)
        super().__init__(self.loc.shape)

    @property
    def mean(self) -> Tensor:
        """The mean does not exist: reading it raises OpError.

        Examples
        --------
        >>> paddle.distribution.Cauchy(0.0, 1.0).mean
        Traceback (most recent call last):
            ...
        oarlock.core.errors.OpError: Cauchy: the distribution has no mean...
        """
        raise OpError(append_user_line("Cauchy: the distribution has no mean"))

    @property
    def variance(self) -> Tensor:
        """The variance does not exist: reading it raises OpError.

        Examples
        --------
        >>> paddle.distribution.Cauchy(0.0, 1.0).variance
        Traceback (most recent call last):
            ...
        oarlock.core.errors.OpError: Cauchy: the distribution has no variance...
        """
        raise OpError(append_user_line("Cauchy: the distribution has no variance"))

    @property
    def stddev(self) -> Tensor:
        """The standard deviation does not exist: reading it raises OpError.

        Examples
        --------
        >>> paddle.distribution.Cauchy(0.0, 1.0).stddev
        Traceback (most recent call last):
            ...
        oarlock.core.errors.OpError: Cauchy: the distribution has no stddev...
        """
        raise OpError(append_user_line("Cauchy: the distribution has no stddev"))

    def sample(self, shape: Shape = (), name: str | None = None) -> Tensor:
        """Draw samples without gradients with respect to the parameters.

        Parameters
        ----------
        shape : sequence of int, default ()
            Number of independent samples, as a shape.
        name : str, optional
            Not used.

        Returns
        -------
        Tensor [*shape, *batch_shape], dtype of the parameters

        Examples
        --------
        >>> paddle.distribution.Cauchy([0.0, 1.0], 1.0).sample([4]).shape
        [4, 2]
        """
        return self.rsample(shape).detach()

    def rsample(self, shape: Shape = (), name: str | None = None) -> Tensor:
        """Draw samples with gradients with respect to the parameters.

        loc + scale tan(pi (u - 1/2)) with u ~ Uniform(0, 1)

        Parameters
        ----------
        shape : sequence of int, default ()
            Number of independent samples, as a shape.
        name : str, optional
            Not used.

        Returns
        -------
        Tensor [*shape, *batch_shape], dtype of the parameters

        Examples
        --------
        >>> loc = paddle.to_tensor([0.0, 1.0], stop_gradient=False)
        >>> paddle.distribution.Cauchy(loc, 1.0).rsample([4]).sum().backward()
        >>> loc.grad.tolist()
        [4.0, 4.0]
        """
        noise = uniform(self._extend_shape(shape), self.loc.dtype, 0.0, 1.0)
        return self.loc + self.scale * ((noise - 0.5) * math.pi).tan()

    def log_prob(self, value: TensorLike) -> Tensor:
        z = (to_tensor_of_dtype_like(value, self.loc) - self.loc) / self.scale
        return -z.square().log1p() - (math.pi * self.scale).log()

    def cdf(self, value: TensorLike) -> Tensor:
        """Return the cumulative distribution function: atan((value - loc) / scale) / pi + 1/2.

        Parameters
        ----------
        value : Tensor, float, list or ndarray
            Broadcasts with `batch_shape`.

        Returns
        -------
        Tensor, dtype of the parameters

        Examples
        --------
        >>> cauchy = paddle.distribution.Cauchy(loc=0.0, scale=1.0)
        >>> cauchy.cdf([-1.0, 0.0, 1.0]).numpy().round(4)
        array([0.25, 0.5 , 0.75], dtype=float32)
        """
        return (
            (to_tensor_of_dtype_like(value, self.loc) - self.loc) / self.scale
        ).atan() / math.pi + 0.5

    def entropy(self) -> Tensor:
        """Return the entropy log(4 pi scale), in nats.

        Returns
        -------
        Tensor [*batch_shape], dtype of the parameters

        Examples
        --------
        >>> paddle.distribution.Cauchy(0.0, [1.0, 2.0]).entropy().numpy().round(4)
        array([2.531 , 3.2242], dtype=float32)
        """
        return (4 * math.pi * self.scale).log()


@register_kl(Cauchy, Cauchy)
def _(p: Cauchy, q: Cauchy) -> Tensor:
    """Chyzak and Nielsen 2019."""
    squares = (p.scale + q.scale).square() + (p.loc - q.loc).square()
    return (squares / (4 * p.scale * q.scale)).log()
