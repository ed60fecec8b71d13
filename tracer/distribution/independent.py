"""A distribution that treats the last batch axes of another one as event axes."""

from __future__ import annotations

from ..core.errors import OpError, append_user_line
from ..core.tensor import Tensor
from ..core.type_aliases import TensorLike
from .distribution import Distribution, Shape, sum_rightmost
from .kl import kl_divergence, register_kl


class Independent(Distribution):
    """Distribution that treats the last batch axes of another distribution as event axes.

    The elements along these axes are independent, so that the joint log-density is the sum of
    theirs.

    Parameters
    ----------
    base : Distribution
    reinterpreted_batch_rank : int
        Number of batch axes to treat as event axes, from 1 to the rank of `base.batch_shape`.

    Raises
    ------
    OpError
        If `base` is not a Distribution, or `reinterpreted_batch_rank` is out of range.

    Examples
    --------
    >>> normals = paddle.distribution.Normal(paddle.zeros([3, 2]), 1.0)
    >>> joint = paddle.distribution.Independent(normals, 1)
    >>> joint.batch_shape, joint.event_shape
    ((3,), (2,))
    >>> joint.log_prob(paddle.zeros([3, 2])).shape
    [3]
    """

    def __init__(self, base: Distribution, reinterpreted_batch_rank: int) -> None:
        if not isinstance(base, Distribution):
            raise OpError(
                append_user_line(f"Independent: base is {type(base).__name__}, not a Distribution")
            )
        batch_shape = base.batch_shape
        if not 0 < reinterpreted_batch_rank <= len(batch_shape):
            raise OpError(
                append_user_line(
                    f"Independent: reinterpreted_batch_rank={reinterpreted_batch_rank} is "
                    f"not in [1, {len(batch_shape)}]"
                )
            )
        self._base = base
        self._reinterpreted_batch_rank = reinterpreted_batch_rank
        new_batch_rank = len(batch_shape) - reinterpreted_batch_rank
        super().__init__(
            batch_shape[:new_batch_rank], batch_shape[new_batch_rank:] + base.event_shape
        )

    @property
    def mean(self) -> Tensor:
        return self._base.mean

    @property
    def variance(self) -> Tensor:
        return self._base.variance

    def sample(self, shape: Shape = ()) -> Tensor:
        return self._base.sample(shape)

    def rsample(self, shape: Shape = ()) -> Tensor:
        return self._base.rsample(shape)

    def log_prob(self, value: TensorLike) -> Tensor:
        """Return the joint log-density: that of the base, summed over the added event axes.

        Parameters
        ----------
        value : Tensor, list or ndarray [*, *event_shape]
            Its leading axes broadcast with `batch_shape`.

        Returns
        -------
        Tensor [*], dtype of the parameters

        Examples
        --------
        >>> normals = paddle.distribution.Normal([0.0, 1.0], 1.0)
        >>> joint = paddle.distribution.Independent(normals, 1)
        >>> round(joint.log_prob([0.0, 1.0]).item(), 4)  # -log(2 pi)
        -1.8379
        """
        return sum_rightmost(self._base.log_prob(value), self._reinterpreted_batch_rank)

    def entropy(self) -> Tensor:
        """Return the joint entropy: that of the base, summed over the added event axes.

        Returns
        -------
        Tensor [*batch_shape], dtype of the parameters

        Examples
        --------
        >>> uniforms = paddle.distribution.Uniform(0.0, [1.0, 4.0])
        >>> joint = paddle.distribution.Independent(uniforms, 1)
        >>> round(joint.entropy().item(), 4)  # log 4
        1.3863
        """
        return sum_rightmost(self._base.entropy(), self._reinterpreted_batch_rank)


@register_kl(Independent, Independent)
def _(p: Independent, q: Independent) -> Tensor:
    if p._reinterpreted_batch_rank != q._reinterpreted_batch_rank:
        raise NotImplementedError("kl_divergence: no rule for Independents of different ranks")
    return sum_rightmost(kl_divergence(p._base, q._base), p._reinterpreted_batch_rank)
