"""The log-normal distribution."""

from __future__ import annotations

from ..core.tensor import Tensor
from ..core.type_aliases import TensorLike
from .kl import kl_divergence, register_kl
from .normal import Normal
from .transform import ExpTransform
from .transformed_distribution import TransformedDistribution


class LogNormal(TransformedDistribution):
    """Log-normal distribution: exp(x) for x ~ Normal(loc, scale).

    density(y) = exp(-(log(y) - loc)^2 / (2 scale^2)) / (y scale sqrt(2 pi)) for y > 0

    Parameters
    ----------
    loc : Tensor, float, list or ndarray
        Mean of the logarithm. `loc` and `scale` broadcast to `batch_shape`.
    scale : Tensor, float, list or ndarray, positive
        Standard deviation of the logarithm.

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
    >>> lognormal = paddle.distribution.LogNormal(loc=0.0, scale=1.0)
    >>> round(lognormal.mean.item(), 4)
    1.6487
    >>> lognormal.prob([0.5, 1.0, 2.0]).numpy().round(4)
    array([0.6275, 0.3989, 0.1569], dtype=float32)
    """

    def __init__(self, loc: TensorLike, scale: TensorLike) -> None:
        super().__init__(Normal(loc, scale), [ExpTransform()])
        self.loc, self.scale = self._base.loc, self._base.scale

    @property
    def mean(self) -> Tensor:
        """The mean exp(loc + scale^2 / 2), Tensor [*batch_shape].

        Examples
        --------
        >>> paddle.distribution.LogNormal(0.0, [1.0, 2.0]).mean.numpy().round(4)
        array([1.6487, 7.3891], dtype=float32)
        """
        return (self.loc + self.scale.square() / 2).exp()

    @property
    def variance(self) -> Tensor:
        """The variance (exp(scale^2) - 1) exp(2 loc + scale^2), Tensor [*batch_shape].

        Examples
        --------
        >>> paddle.distribution.LogNormal(0.0, [0.5, 1.0]).variance.numpy().round(4)
        array([0.3647, 4.6708], dtype=float32)
        """
        square = self.scale.square()
        return square.expm1() * (2 * self.loc + square).exp()

    def entropy(self) -> Tensor:
        """Return the entropy in nats: that of Normal(loc, scale), plus loc.

        1/2 + log(scale sqrt(2 pi)) + loc

        Returns
        -------
        Tensor [*batch_shape], dtype of the parameters

        Examples
        --------
        >>> paddle.distribution.LogNormal([0.0, 1.0], 1.0).entropy().numpy().round(4)
        array([1.4189, 2.4189], dtype=float32)
        """
        return self._base.entropy() + self.loc


@register_kl(LogNormal, LogNormal)
def _(p: LogNormal, q: LogNormal) -> Tensor:
    return kl_divergence(p._base, q._base)
