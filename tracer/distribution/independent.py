"""A distribution that treats the last batch axes of another one as event axes."""

from __future__ import annotations

from typing import Any

from ..core.errors import OpError, append_user_line
from ..core.tensor import Tensor
from .distribution import Distribution, Shape, sum_rightmost
from .kl import kl_divergence, register_kl


class Independent(Distribution):
    """Distribution that treats the last batch axes of the distribution `base` as event axes.

    reinterpreted_batch_rank: number of axes
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
        """Mean of the base distribution."""
        return self._base.mean

    @property
    def variance(self) -> Tensor:
        """Variance of the base distribution."""
        return self._base.variance

    def sample(self, shape: Shape = ()) -> Tensor:
        """Draw samples of the base distribution.

        -> [*shape, *batch_shape, *event_shape]
        """
        return self._base.sample(shape)

    def rsample(self, shape: Shape = ()) -> Tensor:
        """Draw samples of the base distribution with gradient.

        -> [*shape, *batch_shape, *event_shape]
        """
        return self._base.rsample(shape)

    def log_prob(self, value: Any) -> Tensor:
        """Joint log-density.

        value [*, *event_shape] -> [*]
        """
        return sum_rightmost(self._base.log_prob(value), self._reinterpreted_batch_rank)

    def entropy(self) -> Tensor:
        """Sum of the entropies.

        -> [*batch_shape]
        """
        return sum_rightmost(self._base.entropy(), self._reinterpreted_batch_rank)


@register_kl(Independent, Independent)
def _(p: Independent, q: Independent) -> Tensor:
    if p._reinterpreted_batch_rank != q._reinterpreted_batch_rank:
        raise NotImplementedError("kl_divergence: no rule for Independents of different ranks")
    return sum_rightmost(kl_divergence(p._base, q._base), p._reinterpreted_batch_rank)
