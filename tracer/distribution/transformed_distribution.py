"""Distributions of transformed random variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.errors import OpError, append_user_line
from ..core.tensor import Tensor
from ..core.type_aliases import TensorLike
from .composite_transforms import ChainTransform
from .distribution import Distribution, Shape, sum_rightmost, to_tensor_of_dtype_like
from .independent import Independent
from .transform import Transform, apply_transform


class TransformedDistribution(Distribution):
    """Distribution of y = f(x) for x ~ `base`, where f applies `transforms` one after the other.

    log p(y) = log p_base(x) - log |det J_f(x)| with x the inverse of y

    Parameters
    ----------
    base : Distribution
    transforms : sequence of Transform
        Injective, if `log_prob` is used. The first one is applied first.

    Raises
    ------
    OpError
        If `base` is not a Distribution or `transforms` are not Transforms, or if the transforms
        need events of a higher rank than `base` has axes.

    Notes
    -----
    `sample` uses base.sample, `rsample` uses base.rsample. If the transforms need events of a
    higher rank than those of `base`, the last batch axes of `base` become event axes; Paddle fails
    in this case. `mean`, `variance` and `entropy` raise NotImplementedError.

    Calling a Transform with a Distribution creates such a distribution, too.

    Examples
    --------
    >>> normal = paddle.distribution.Normal(0.0, 1.0)
    >>> exp = paddle.distribution.ExpTransform()
    >>> lognormal = paddle.distribution.TransformedDistribution(normal, [exp])
    >>> lognormal.sample([3]).shape
    [3]
    >>> lognormal.prob([0.5, 1.0, 2.0]).numpy().round(4)
    array([0.6275, 0.3989, 0.1569], dtype=float32)
    """

    _base: Any

    def __init__(self, base: Distribution, transforms: Sequence[Transform]) -> None:
        if not isinstance(base, Distribution):
            raise OpError(
                append_user_line(
                    "TransformedDistribution: base must be a Distribution, not "
                    f"{type(base).__name__}"
                )
            )
        if not all(isinstance(t, Transform) for t in transforms):
            raise OpError(
                append_user_line("TransformedDistribution: transforms must be a list of Transforms")
            )
        self._transforms = list(transforms)
        chain = ChainTransform(self._transforms)
        shape = base.batch_shape + base.event_shape
        in_rank, out_rank = chain._domain.event_rank, chain._codomain.event_rank
        if in_rank > len(shape):
            raise OpError(
                append_user_line(
                    f"TransformedDistribution: the transforms require events of rank {in_rank}, "
                    f"base has {len(shape)}"
                )
            )
        missing_rank = in_rank - len(base.event_shape)
        self._base = Independent(base, missing_rank) if missing_rank > 0 else base
        shape, rank = chain.forward_shape(shape), len(self._base.event_shape) + out_rank - in_rank
        super().__init__(shape[: len(shape) - rank], shape[len(shape) - rank :])

    def sample(self, shape: Shape = ()) -> Tensor:
        return ChainTransform(self._transforms).forward(self._base.sample(shape))

    def rsample(self, shape: Shape = ()) -> Tensor:
        return ChainTransform(self._transforms).forward(self._base.rsample(shape))

    def log_prob(self, value: TensorLike) -> Tensor:
        """Return the logarithm of the density at `value`, by the change of variables formula.

        log p(y) = log p_base(x) - log |det J_f(x)| with x the inverse of y

        Parameters
        ----------
        value : Tensor, float, list or ndarray [*, *event_shape]
            Its leading axes broadcast with `batch_shape`.

        Returns
        -------
        Tensor [*]

        Raises
        ------
        NotImplementedError or OpError
            If a transform is not injective.

        Examples
        --------
        >>> uniform = paddle.distribution.Uniform(0.0, 1.0)
        >>> double = paddle.distribution.AffineTransform(paddle.zeros([]), paddle.full([], 2.0))
        >>> transformed = paddle.distribution.TransformedDistribution(uniform, [double])
        >>> transformed.log_prob([0.5, 1.5]).numpy().round(4)
        array([-0.6931, -0.6931], dtype=float32)
        """
        y, rank, correction = value, len(self._event_shape), None
        if not isinstance(y, Tensor):
            y = to_tensor_of_dtype_like(y, self._base.sample(()))
        for transform in reversed(self._transforms):
            x = transform.inverse(y)
            rank += transform._domain.event_rank - transform._codomain.event_rank
            log_det = sum_rightmost(
                transform.forward_log_det_jacobian(x), rank - transform._domain.event_rank
            )
            correction, y = (-log_det if correction is None else correction - log_det), x
        base = sum_rightmost(self._base.log_prob(y), rank - len(self._base.event_shape))
        return base if correction is None else correction + base


@apply_transform.register
def _(input: Distribution, transform: Transform) -> TransformedDistribution:
    return TransformedDistribution(input, [transform])
