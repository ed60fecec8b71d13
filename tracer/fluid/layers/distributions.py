"""Distributions of random numbers, in programs and in dygraph mode."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.errors import OpError, with_user_line
from ...core.op import OPS
from ...core.tensor import Tensor
from ..deprecated import instead
from .helper import one
from .randoms import gaussian_random, uniform_random
from .tensors import assign, fill_constant_batch_size_like

__all__ = ["Categorical", "MultivariateNormalDiag", "Normal", "Uniform"]


def _given(kind: str, *args: Any) -> list[Any]:
    """The parameters as variables, numbers as [1], broadcast to one shape.

    Raises OpError where only some are variables.
    """
    if all(isinstance(a, Tensor) for a in args):
        return list(args)
    if any(isinstance(a, Tensor) for a in args):
        raise OpError(with_user_line(f"{kind}: its parameters are either all variables or none"))
    arrays = [np.atleast_1d(np.asarray(a, "float32")) for a in args]
    return [assign(np.ascontiguousarray(a)) for a in np.broadcast_arrays(*arrays)]


def _last_sum(x: Any) -> Any:
    return OPS["reduce_sum"](x, dim=[-1], keep_dim=True)


def _all_sum(x: Any) -> Any:
    return one(OPS["reduce_sum"](x, dim=[0], reduce_all=True))


class _Two:
    """A distribution of a place and a width, from which is drawn as `place + width * noise`."""

    def __init__(self, low: Any, high: Any) -> None:
        self._plain = isinstance(low, float) and isinstance(high, float)
        self._first, self._second = _given(type(self).__name__, low, high)

    def _noise(self, shape: list[int], seed: int) -> Any:
        raise NotImplementedError

    def _drawn(self, shape: Any, seed: int, place: Any, width: Any) -> Any:
        batch = list(place.meta.shape)
        if all(d >= 0 for d in batch):
            noise = self._noise([*shape, *batch], seed)
        else:  # the batch comes first, and is moved behind
            like = fill_constant_batch_size_like(place, [*batch, *shape], place.dtype, 0.0)
            turned = self._noise(like, seed)
            noise = OPS["transpose2"](
                turned, axis=[*range(len(batch), turned.ndim), *range(len(batch))]
            )
        made = OPS["elementwise_add"](OPS["elementwise_mul"](noise, width), place)
        return OPS["reshape2"](made, shape=list(shape)) if self._plain else made


@instead("fluid.layers.Uniform", "paddle.distribution.Uniform")
class Uniform(_Two):
    """Even between low and high, each a number, an array or a variable."""

    def __init__(self, low: Any, high: Any) -> None:
        super().__init__(low, high)
        self.low, self.high = self._first, self._second

    def _noise(self, shape: Any, seed: int) -> Any:
        if isinstance(shape, Tensor):
            return OPS["uniform_random"](
                OPS["shape"](shape), shape=list(shape.meta.shape), min=0.0, max=1.0, seed=seed
            )
        return uniform_random(shape, min=0.0, max=1.0, seed=seed)

    def sample(self, shape: Any, seed: int = 0) -> Any:
        """Numbers.   -> [*shape, *batch]"""
        return self._drawn(shape, seed, self.low, self.high - self.low)

    def log_prob(self, value: Any) -> Any:
        """ln of the density.   value [*batch] -> same"""
        inside = OPS["logical_and"](
            OPS["less_than"](self.low, value), OPS["less_than"](value, self.high)
        )
        number = OPS["cast"](inside, in_dtype=inside.dtype.proto, out_dtype=value.dtype.proto)
        return OPS["log"](number) - OPS["log"](self.high - self.low)

    def entropy(self) -> Any:
        """The entropy.   -> [*batch]"""
        return OPS["log"](self.high - self.low)


@instead("fluid.layers.Normal", "paddle.distribution.Normal")
class Normal(_Two):
    """Normal around loc with the deviation scale, each a number, an array or a variable."""

    def __init__(self, loc: Any, scale: Any) -> None:
        super().__init__(loc, scale)
        self.loc, self.scale = self._first, self._second

    def _noise(self, shape: Any, seed: int) -> Any:
        if isinstance(shape, Tensor):
            return OPS["gaussian_random"](
                OPS["shape"](shape), shape=list(shape.meta.shape), mean=0.0, std=1.0, seed=seed
            )
        return gaussian_random(shape, seed=seed)

    def sample(self, shape: Any, seed: int = 0) -> Any:
        """Numbers.   -> [*shape, *batch]"""
        return self._drawn(shape, seed, self.loc, self.scale)

    def entropy(self) -> Any:
        """The entropy.   -> [*batch]"""
        return OPS["log"](self.scale) + (0.5 + 0.5 * math.log(2 * math.pi))

    def log_prob(self, value: Any) -> Any:
        """ln of the density.   value [*batch] -> same"""
        apart = (value - self.loc) / self.scale
        return apart * apart * -0.5 - OPS["log"](self.scale) - 0.5 * math.log(2 * math.pi)

    def kl_divergence(self, other: Normal) -> Any:
        """The divergence of another one from this.   -> [*batch]"""
        ratio, apart = self.scale / other.scale, (self.loc - other.loc) / other.scale
        square = ratio * ratio
        return (square + apart * apart - 1.0 - OPS["log"](square)) * 0.5


def _log_softmax(logits: Any) -> Any:
    """ln of softmax, in ops that 1.8 has."""
    apart = OPS["elementwise_sub"](logits, OPS["reduce_max"](logits, dim=[-1], keep_dim=True))
    return OPS["elementwise_sub"](apart, OPS["log"](_last_sum(OPS["exp"](apart))))


@instead("fluid.layers.Categorical", "paddle.distribution.Categorical")
class Categorical:
    """One of some classes, by logits: an array or a variable [*, C]."""

    def __init__(self, logits: Any) -> None:
        self.logits = _given("Categorical", logits)[0]

    def entropy(self) -> Any:
        """The entropy.   -> [*, 1]"""
        logs = _log_softmax(self.logits)
        return OPS["scale"](_last_sum(OPS["softmax"](self.logits) * logs), scale=-1.0)

    def kl_divergence(self, other: Categorical) -> Any:
        """The divergence of another one from this.   -> [*, 1]"""
        apart = _log_softmax(self.logits) - _log_softmax(other.logits)
        return _last_sum(OPS["softmax"](self.logits) * apart)


@instead("fluid.layers.MultivariateNormalDiag", "paddle.distribution.MultivariateNormalDiag")
class MultivariateNormalDiag:
    """Normal in several dimensions around loc [K], with a diagonal matrix scale [K, K]; arrays or
    variables.
    """

    def __init__(self, loc: Any, scale: Any) -> None:
        if isinstance(loc, Tensor):
            self.loc, self.scale = _given("MultivariateNormalDiag", loc, scale)
        else:
            self.loc, self.scale = (assign(np.asarray(a, "float32")) for a in (loc, scale))

    def _diagonal(self) -> Any:
        own = assign(np.eye(int(self.scale.meta.shape[0]), dtype="float32"))
        return OPS["reduce_sum"](self.scale * own, dim=[1])

    def _log_det(self) -> Any:
        return _all_sum(OPS["log"](self._diagonal()))

    def entropy(self) -> Any:
        """The entropy.   -> [1]"""
        size = int(self.scale.meta.shape[0])
        return self._log_det() * 0.5 + 0.5 * size * (1.0 + math.log(2 * math.pi))

    def kl_divergence(self, other: MultivariateNormalDiag) -> Any:
        """The divergence of another one from this.   -> [1]"""
        apart, wide = other.loc - self.loc, other._diagonal()
        trace = _all_sum(self._diagonal() / wide)
        far = _all_sum(apart * apart / wide)
        size = float(self.scale.meta.shape[0])
        return (trace + far - size + other._log_det() - self._log_det()) * 0.5
