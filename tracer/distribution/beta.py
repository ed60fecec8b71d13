"""The beta distribution, computed as a Dirichlet distribution of two categories."""

from __future__ import annotations

from ..core.tensor import Tensor
from ..core.type_aliases import TensorLike
from ..tensor.manipulation import stack
from .dirichlet import Dirichlet
from .distribution import Shape, parameters, to_tensor_of_dtype_like
from .exponential_family import ExponentialFamily
from .kl import register_kl


class Beta(ExponentialFamily):
    """Beta distribution on (0, 1).

    density(x) = x^(alpha - 1) (1 - x)^(beta - 1) / B(alpha, beta)

    Parameters
    ----------
    alpha, beta : Tensor, float, list or ndarray, positive
        Broadcast to `batch_shape`. Other values are not rejected; their results are meaningless.

    Attributes
    ----------
    alpha, beta : Tensor [*batch_shape]

    Raises
    ------
    OpError
        If a parameter is neither a number, a list, an array nor a Tensor, or the shapes do not
        broadcast.

    Notes
    -----
    Samples have no gradient: `rsample` raises NotImplementedError.

    Examples
    --------
    >>> beta = paddle.distribution.Beta(alpha=2.0, beta=[2.0, 6.0])
    >>> beta.mean.tolist()
    [0.5, 0.25]
    >>> beta.prob(0.5).numpy().round(4)
    array([1.5   , 0.6563], dtype=float32)
    """

    def __init__(self, alpha: TensorLike, beta: TensorLike) -> None:
        self.alpha, self.beta = parameters("Beta", alpha, beta)
        self._dirichlet = Dirichlet(stack([self.alpha, self.beta], -1))
        super().__init__(self.alpha.shape)

    @property
    def mean(self) -> Tensor:
        """The mean alpha / (alpha + beta), Tensor [*batch_shape].

        Examples
        --------
        >>> paddle.distribution.Beta(2.0, [2.0, 6.0]).mean.tolist()
        [0.5, 0.25]
        """
        return self.alpha / (self.alpha + self.beta)

    @property
    def variance(self) -> Tensor:
        """The variance, Tensor [*batch_shape].

        alpha beta / ((alpha + beta)^2 (alpha + beta + 1))

        Examples
        --------
        >>> paddle.distribution.Beta(2.0, [2.0, 6.0]).variance.numpy().round(4)
        array([0.05  , 0.0208], dtype=float32)
        """
        total = self.alpha + self.beta
        return self.alpha * self.beta / (total.square() * (total + 1))

    def sample(self, shape: Shape = ()) -> Tensor:
        return self._dirichlet.sample(shape)[..., 0]

    def log_prob(self, value: TensorLike) -> Tensor:
        value = to_tensor_of_dtype_like(value, self.alpha)
        return self._dirichlet.log_prob(stack([value, 1 - value], -1))

    def entropy(self) -> Tensor:
        return self._dirichlet.entropy()


@register_kl(Beta, Beta)
def _(p: Beta, q: Beta) -> Tensor:
    return p._dirichlet.kl_divergence(q._dirichlet)
