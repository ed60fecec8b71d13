"""Distributions side by side, taken for one of several variables."""

from __future__ import annotations

from typing import Any

from ..core.errors import OpError, with_user_line
from ..core.tensor import Tensor
from .distribution import Distribution, Shape, sum_rightmost
from .kl import kl_divergence, register_kl


class Independent(Distribution):
    """The last axes of the batch of `base` become axes of the event.

    reinterpreted_batch_rank: how many
    """

    def __init__(self, base: Distribution, reinterpreted_batch_rank: int) -> None:
        if not isinstance(base, Distribution):
            raise OpError(
                with_user_line(f"Independent: base is {type(base).__name__}, not a Distribution")
            )
        batch = base.batch_shape
        if not 0 < reinterpreted_batch_rank <= len(batch):
            raise OpError(
                with_user_line(
                    f"Independent: reinterpreted_batch_rank={reinterpreted_batch_rank} is "
                    f"not between 1 and {len(batch)}"
                )
            )
        self._base = base
        self._reinterpreted_batch_rank = reinterpreted_batch_rank
        keep = len(batch) - reinterpreted_batch_rank
        super().__init__(batch[:keep], batch[keep:] + base.event_shape)

    @property
    def mean(self) -> Tensor:
        """That of base."""
        return self._base.mean

    @property
    def variance(self) -> Tensor:
        """That of base."""
        return self._base.variance

    def sample(self, shape: Shape = ()) -> Tensor:
        """Draws of base.

        -> [*shape, *batch_shape, *event_shape]
        """
        return self._base.sample(shape)

    def rsample(self, shape: Shape = ()) -> Tensor:
        """Draws of base with a gradient.

        -> [*shape, *batch_shape, *event_shape]
        """
        return self._base.rsample(shape)

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the joint density.

        value [*, *event_shape] -> [*]
        """
        return sum_rightmost(self._base.log_prob(value), self._reinterpreted_batch_rank)

    def entropy(self) -> Tensor:
        """The sum of the entropies.

        -> [*batch_shape]
        """
        return sum_rightmost(self._base.entropy(), self._reinterpreted_batch_rank)


@register_kl(Independent, Independent)
def _(p: Independent, q: Independent) -> Tensor:
    if p._reinterpreted_batch_rank != q._reinterpreted_batch_rank:
        raise NotImplementedError("kl_divergence: no rule for Independents of other ranks")
    return sum_rightmost(kl_divergence(p._base, q._base), p._reinterpreted_batch_rank)
