"""The distribution of what transforms make of draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.errors import OpError, with_user_line
from ..core.tensor import Tensor
from .distribution import Distribution, Shape, sum_rightmost, valued
from .independent import Independent
from .transform import Transform, apply_transform
from .transform_of_transforms import ChainTransform


class TransformedDistribution(Distribution):
    """What `transforms`, one after the other, make of a draw of `base`.

    Draws have a gradient where those of base have one: sample takes base.sample, rsample takes
    base.rsample.
    """

    _base: Any

    def __init__(self, base: Distribution, transforms: Sequence[Transform]) -> None:
        if not isinstance(base, Distribution):
            raise OpError(
                with_user_line(
                    f"TransformedDistribution: base is {type(base).__name__}, not a Distribution"
                )
            )
        if not all(isinstance(t, Transform) for t in transforms):
            raise OpError(
                with_user_line(
                    "TransformedDistribution: transforms holds something that is not a Transform"
                )
            )
        self._transforms = list(transforms)
        chain = ChainTransform(self._transforms)
        shape = base.batch_shape + base.event_shape
        takes, gives = chain._domain.event_rank, chain._codomain.event_rank
        if takes > len(shape):
            raise OpError(
                with_user_line(
                    f"TransformedDistribution: the transforms take events of {takes} "
                    f"axes, base has {len(shape)}"
                )
            )
        more = takes - len(base.event_shape)
        self._base = Independent(base, more) if more > 0 else base
        shape, rank = chain.forward_shape(shape), len(self._base.event_shape) + gives - takes
        super().__init__(shape[: len(shape) - rank], shape[len(shape) - rank :])

    def sample(self, shape: Shape = ()) -> Tensor:
        """Draws.

        -> [*shape, *batch_shape, *event_shape]
        """
        return ChainTransform(self._transforms).forward(self._base.sample(shape))

    def rsample(self, shape: Shape = ()) -> Tensor:
        """Draws with a gradient.

        -> [*shape, *batch_shape, *event_shape]
        """
        return ChainTransform(self._transforms).forward(self._base.rsample(shape))

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density, by the slopes of the transforms.

        value [*, *event_shape] -> [*]
        """
        y, rank, found = value, len(self._event_shape), None
        if not isinstance(y, Tensor):
            y = valued(y, self._base.sample(()))
        for transform in reversed(self._transforms):
            x = transform.inverse(y)
            rank += transform._domain.event_rank - transform._codomain.event_rank
            slope = sum_rightmost(
                transform.forward_log_det_jacobian(x), rank - transform._domain.event_rank
            )
            found, y = (-slope if found is None else found - slope), x
        base = sum_rightmost(self._base.log_prob(y), rank - len(self._base.event_shape))
        return base if found is None else found + base


@apply_transform.register
def _(input: Distribution, transform: Transform) -> TransformedDistribution:
    return TransformedDistribution(input, [transform])
