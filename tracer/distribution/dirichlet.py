"""The Dirichlet distribution."""

from __future__ import annotations

from ..core.errors import OpError, append_user_line
from ..core.op import OPS
from ..core.tensor import Tensor
from ..core.type_aliases import TensorLike
from ..tensor.manipulation import broadcast_to
from .distribution import Shape, parameters, to_tensor_of_dtype_like
from .exponential_family import ExponentialFamily
from .kl import register_kl


class Dirichlet(ExponentialFamily):
    """Dirichlet distribution: K positive numbers with the sum 1.

    density(x) = product over i of x[i]^(concentration[i] - 1) / B(concentration)

    B is the multivariate beta function.

    Parameters
    ----------
    concentration : Tensor, list or ndarray [*batch_shape, K], positive
        Other values are not rejected, and their results are meaningless.

    Attributes
    ----------
    concentration : Tensor [*batch_shape, K]

    Raises
    ------
    OpError
        If `concentration` has rank 0, or is neither a number, a list, an array nor a Tensor.

    Notes
    -----
    Samples have no gradient: `rsample` raises NotImplementedError.

    Examples
    --------
    >>> dirichlet = paddle.distribution.Dirichlet([1.0, 2.0, 1.0])
    >>> dirichlet.event_shape
    (3,)
    >>> dirichlet.mean.tolist()
    [0.25, 0.5, 0.25]
    >>> round(dirichlet.prob([0.25, 0.5, 0.25]).item(), 4)
    3.0
    """

    def __init__(self, concentration: TensorLike) -> None:
        (self.concentration,) = parameters("Dirichlet", concentration)
        if not self.concentration.ndim:
            raise OpError(append_user_line("Dirichlet: concentration must have rank 1 or more"))
        super().__init__(self.concentration.shape[:-1], self.concentration.shape[-1:])

    @property
    def mean(self) -> Tensor:
        """The mean concentration / sum(concentration), Tensor [*batch_shape, K].

        Examples
        --------
        >>> paddle.distribution.Dirichlet([1.0, 2.0, 1.0]).mean.tolist()
        [0.25, 0.5, 0.25]
        """
        return self.concentration / self.concentration.sum(-1, keepdim=True)

    @property
    def variance(self) -> Tensor:
        """The variance mean (1 - mean) / (1 + sum(concentration)), Tensor [*batch_shape, K].

        Examples
        --------
        >>> paddle.distribution.Dirichlet([1.0, 2.0, 1.0]).variance.numpy().round(4)
        array([0.0375, 0.05  , 0.0375], dtype=float32)
        """
        return self.mean * (1 - self.mean) / (1 + self.concentration.sum(-1, keepdim=True))

    def sample(self, shape: Shape = ()) -> Tensor:
        return OPS["dirichlet"](
            broadcast_to(self.concentration.detach(), self._extend_shape(shape))
        )

    def log_prob(self, value: TensorLike) -> Tensor:
        """Return the logarithm of the density at `value`.

        Parameters
        ----------
        value : Tensor, list or ndarray [*, K]
            Positive numbers with the sum 1 over the last axis, which is not checked. The leading
            axes broadcast with `batch_shape`.

        Returns
        -------
        Tensor [*], dtype of the parameters

        Examples
        --------
        >>> dirichlet = paddle.distribution.Dirichlet([1.0, 2.0, 1.0])
        >>> dirichlet.log_prob([[0.25, 0.5, 0.25], [0.5, 0.25, 0.25]]).numpy().round(4)
        array([1.0986, 0.4055], dtype=float32)
        """
        value = to_tensor_of_dtype_like(value, self.concentration)
        return ((self.concentration - 1) * value.log()).sum(-1) - log_multivariate_beta(
            self.concentration
        )

    def entropy(self) -> Tensor:
        """Return the entropy in nats (Lin 2016).

        With a = concentration and its sum s over the K elements, the entropy is
        log B(a) + (s - K) digamma(s) - sum((a - 1) digamma(a)).

        Returns
        -------
        Tensor [*batch_shape], dtype of the parameters

        Examples
        --------
        >>> dirichlet = paddle.distribution.Dirichlet([1.0, 2.0, 1.0])
        >>> round(dirichlet.entropy().item(), 4)
        -0.9584
        """
        a, total = self.concentration, self.concentration.sum(-1)
        digamma_term = ((a - 1) * a.digamma()).sum(-1)
        return log_multivariate_beta(a) + (total - a.shape[-1]) * total.digamma() - digamma_term


def log_multivariate_beta(a: Tensor) -> Tensor:
    """Logarithm of the multivariate beta function.

    a [*, K] -> [*]
    """
    return a.lgamma().sum(-1) - a.sum(-1).lgamma()


@register_kl(Dirichlet, Dirichlet)
def _(p: Dirichlet, q: Dirichlet) -> Tensor:
    a, b = p.concentration, q.concentration
    difference_term = (a - b) * (a.digamma() - a.sum(-1, keepdim=True).digamma())
    return log_multivariate_beta(b) - log_multivariate_beta(a) + difference_term.sum(-1)
