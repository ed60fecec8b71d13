"""Probability distributions, for programs and dygraph mode."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.errors import OpError, append_user_line
from ...core.op import OPS
from ...core.tensor import Tensor
from ..deprecated import warn_deprecated_on_first_use
from .layer_utils import ensure_at_least_1d
from .random_ops import gaussian_random, uniform_random
from .tensors import assign, fill_constant_batch_size_like

__all__ = ["Categorical", "MultivariateNormalDiag", "Normal", "Uniform"]


def _convert_and_broadcast_parameters(distribution: str, *args: Any) -> list[Any]:
    """Convert parameters to variables and broadcast them to one shape; numbers become [1].

    Raises OpError if some are variables and others are not.
    """
    if all(isinstance(a, Tensor) for a in args):
        return list(args)
    if any(isinstance(a, Tensor) for a in args):
        raise OpError(
            append_user_line(
                f"{distribution}: either all or none of the parameters must be variables"
            )
        )
    arrays = [np.atleast_1d(np.asarray(a, "float32")) for a in args]
    return [assign(np.ascontiguousarray(a)) for a in np.broadcast_arrays(*arrays)]


def _sum_last_axis_keepdim(x: Any) -> Any:
    return OPS["reduce_sum"](x, dim=[-1], keep_dim=True)


def _sum_all(x: Any) -> Any:
    return ensure_at_least_1d(OPS["reduce_sum"](x, dim=[0], reduce_all=True))


class _LocationScale:
    """Base class of distributions that are sampled as `location + scale * noise`."""

    def __init__(self, first: Any, second: Any) -> None:
        self._is_scalar = isinstance(first, float) and isinstance(second, float)
        self._first_parameter, self._second_parameter = _convert_and_broadcast_parameters(
            type(self).__name__, first, second
        )

    def _sample_noise(self, shape: list[int], seed: int) -> Any:
        raise NotImplementedError

    def _sample(self, shape: Any, seed: int, location: Any, scale: Any) -> Any:
        batch = list(location.meta.shape)
        if all(d >= 0 for d in batch):
            noise = self._sample_noise([*shape, *batch], seed)
        else:  # a dynamic batch must come first; it is transposed to the end
            like = fill_constant_batch_size_like(location, [*batch, *shape], location.dtype, 0.0)
            batch_first = self._sample_noise(like, seed)
            noise = OPS["transpose2"](
                batch_first,
                axis=[*range(len(batch), batch_first.ndim), *range(len(batch))],
            )
        samples = OPS["elementwise_add"](OPS["elementwise_mul"](noise, scale), location)
        return OPS["reshape2"](samples, shape=list(shape)) if self._is_scalar else samples


@warn_deprecated_on_first_use("fluid.layers.Uniform", "paddle.distribution.Uniform")
class Uniform(_LocationScale):
    """Uniform distribution on [low, high); both are numbers, arrays or variables."""

    def __init__(self, low: Any, high: Any) -> None:
        super().__init__(low, high)
        self.low, self.high = self._first_parameter, self._second_parameter

    def _sample_noise(self, shape: Any, seed: int) -> Any:
        if isinstance(shape, Tensor):
            return OPS["uniform_random"](
                OPS["shape"](shape), shape=list(shape.meta.shape), min=0.0, max=1.0, seed=seed
            )
        return uniform_random(shape, min=0.0, max=1.0, seed=seed)

    def sample(self, shape: Any, seed: int = 0) -> Any:
        """Return samples [*shape, *batch]."""
        return self._sample(shape, seed, self.low, self.high - self.low)

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the density: [*batch] -> [*batch]."""
        is_inside = OPS["logical_and"](
            OPS["less_than"](self.low, value), OPS["less_than"](value, self.high)
        )
        inside = OPS["cast"](is_inside, in_dtype=is_inside.dtype.proto, out_dtype=value.dtype.proto)
        return OPS["log"](inside) - OPS["log"](self.high - self.low)

    def entropy(self) -> Any:
        """Return the entropy [*batch]."""
        return OPS["log"](self.high - self.low)


@warn_deprecated_on_first_use("fluid.layers.Normal", "paddle.distribution.Normal")
class Normal(_LocationScale):
    """Normal distribution with mean loc and standard deviation scale: numbers, arrays or
    variables.
    """

    def __init__(self, loc: Any, scale: Any) -> None:
        super().__init__(loc, scale)
        self.loc, self.scale = self._first_parameter, self._second_parameter

    def _sample_noise(self, shape: Any, seed: int) -> Any:
        if isinstance(shape, Tensor):
            return OPS["gaussian_random"](
                OPS["shape"](shape), shape=list(shape.meta.shape), mean=0.0, std=1.0, seed=seed
            )
        return gaussian_random(shape, seed=seed)

    def sample(self, shape: Any, seed: int = 0) -> Any:
        """Return samples [*shape, *batch]."""
        return self._sample(shape, seed, self.loc, self.scale)

    def entropy(self) -> Any:
        """Return the entropy [*batch]."""
        return OPS["log"](self.scale) + (0.5 + 0.5 * math.log(2 * math.pi))

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the density: [*batch] -> [*batch]."""
        z = (value - self.loc) / self.scale
        return z * z * -0.5 - OPS["log"](self.scale) - 0.5 * math.log(2 * math.pi)

    def kl_divergence(self, other: Normal) -> Any:
        """Return the Kullback-Leibler divergence KL(self, other), [*batch]."""
        ratio, z = self.scale / other.scale, (self.loc - other.loc) / other.scale
        ratio_squared = ratio * ratio
        return (ratio_squared + z * z - 1.0 - OPS["log"](ratio_squared)) * 0.5


def _log_softmax(logits: Any) -> Any:
    """Return log(softmax(logits)), computed with ops of Paddle 1.8."""
    shifted = OPS["elementwise_sub"](logits, OPS["reduce_max"](logits, dim=[-1], keep_dim=True))
    return OPS["elementwise_sub"](shifted, OPS["log"](_sum_last_axis_keepdim(OPS["exp"](shifted))))


@warn_deprecated_on_first_use("fluid.layers.Categorical", "paddle.distribution.Categorical")
class Categorical:
    """Categorical distribution with logits [*, C], an array or a variable."""

    def __init__(self, logits: Any) -> None:
        self.logits = _convert_and_broadcast_parameters("Categorical", logits)[0]

    def entropy(self) -> Any:
        """Return the entropy [*, 1]."""
        log_probabilities = _log_softmax(self.logits)
        return OPS["scale"](
            _sum_last_axis_keepdim(OPS["softmax"](self.logits) * log_probabilities), scale=-1.0
        )

    def kl_divergence(self, other: Categorical) -> Any:
        """Return the Kullback-Leibler divergence KL(self, other), [*, 1]."""
        log_ratio = _log_softmax(self.logits) - _log_softmax(other.logits)
        return _sum_last_axis_keepdim(OPS["softmax"](self.logits) * log_ratio)


@warn_deprecated_on_first_use(
    "fluid.layers.MultivariateNormalDiag", "paddle.distribution.Independent"
)
class MultivariateNormalDiag:
    """Multivariate normal distribution with mean loc [K] and a diagonal matrix scale [K, K]; arrays
    or variables.
    """

    def __init__(self, loc: Any, scale: Any) -> None:
        if isinstance(loc, Tensor):
            self.loc, self.scale = _convert_and_broadcast_parameters(
                "MultivariateNormalDiag", loc, scale
            )
        else:
            self.loc, self.scale = (assign(np.asarray(a, "float32")) for a in (loc, scale))

    def _diagonal_of_scale(self) -> Any:
        identity = assign(np.eye(int(self.scale.meta.shape[0]), dtype="float32"))
        return OPS["reduce_sum"](self.scale * identity, dim=[1])

    def _log_det(self) -> Any:
        return _sum_all(OPS["log"](self._diagonal_of_scale()))

    def entropy(self) -> Any:
        """Return the entropy [1]."""
        size = int(self.scale.meta.shape[0])
        return self._log_det() * 0.5 + 0.5 * size * (1.0 + math.log(2 * math.pi))

    def kl_divergence(self, other: MultivariateNormalDiag) -> Any:
        """Return the Kullback-Leibler divergence KL(self, other), [1]."""
        difference, other_scale = other.loc - self.loc, other._diagonal_of_scale()
        trace = _sum_all(self._diagonal_of_scale() / other_scale)
        distance = _sum_all(difference * difference / other_scale)
        size = float(self.scale.meta.shape[0])
        return (trace + distance - size + other._log_det() - self._log_det()) * 0.5
