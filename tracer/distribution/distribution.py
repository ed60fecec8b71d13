"""What all distributions have in common, and how their parameters are read."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.dtype import get_default_dtype
from ..core.errors import OpError, with_user_line
from ..core.tensor import Tensor
from ..tensor.convert import cast, to_tensor
from ..tensor.manipulation import broadcast_tensors
from .kl import kl_divergence

Shape = Any


class Distribution:
    """Base of distributions.

    batch_shape: of the parameters; event_shape: of one draw.
    """

    def __init__(self, batch_shape: Shape = (), event_shape: Shape = ()) -> None:
        self._batch_shape = tuple(batch_shape)
        self._event_shape = tuple(event_shape)

    @property
    def batch_shape(self) -> tuple[Any, ...]:
        """The shape of the parameters: so many distributions side by side."""
        return self._batch_shape

    @property
    def event_shape(self) -> tuple[Any, ...]:
        """The shape of one draw."""
        return self._event_shape

    @property
    def mean(self) -> Tensor:
        """The mean.

        [*batch_shape, *event_shape]
        """
        raise self._missing("mean")

    @property
    def variance(self) -> Tensor:
        """The variance.

        [*batch_shape, *event_shape]
        """
        raise self._missing("variance")

    def sample(self, shape: Shape = ()) -> Tensor:
        """Draws without a gradient.

        -> [*shape, *batch_shape, *event_shape]
        """
        return self.rsample(shape).detach()

    def rsample(self, shape: Shape = ()) -> Tensor:
        """Draws with a gradient to the parameters.

        -> [*shape, *batch_shape, *event_shape]
        """
        raise self._missing("rsample")

    def entropy(self) -> Tensor:
        """The entropy in nats.

        -> [*batch_shape]
        """
        raise self._missing("entropy")

    def kl_divergence(self, other: Distribution) -> Tensor:
        """The divergence from `other`: E[log self - log other].

        -> [*batch_shape]
        """
        return kl_divergence(self, other)

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density, or of the probability, at `value`."""
        raise self._missing("log_prob")

    def prob(self, value: Any) -> Tensor:
        """The density, or the probability, at `value`."""
        return self.log_prob(value).exp()

    probs: Any = prob  # The same as a property; some distributions have a parameter of this name.

    def _extend_shape(self, sample_shape: Shape = ()) -> list[Any]:
        return [*sample_shape, *self._batch_shape, *self._event_shape]

    def _missing(self, what: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__} has no {what}")


def parameters(name: str, *values: Any) -> list[Tensor]:
    """The parameters of a distribution: numbers, lists and arrays as Tensors, all of one dtype and
    one shape.

    The dtype is that of the first Tensor, of the first float64 array where there is none, or the
    default.
    Raises OpError for anything else.
    """
    if not all(
        isinstance(v, Tensor | np.ndarray | np.generic | list | tuple | int | float) for v in values
    ):
        kinds = ", ".join(type(v).__name__ for v in values)
        raise OpError(
            with_user_line(f"{name}: parameters are numbers, lists, arrays or Tensors, got {kinds}")
        )
    tensors = [v for v in values if isinstance(v, Tensor) and v.meta.dtype.kind == "f"]
    arrays = [v.dtype.name for v in values if isinstance(v, np.ndarray) and v.dtype == np.float64]
    dtype = tensors[0].dtype if tensors else (arrays or [get_default_dtype()])[0]
    found = [cast(v, dtype) if isinstance(v, Tensor) else to_tensor(v, dtype) for v in values]
    return found if len({t.meta.shape for t in found}) == 1 else broadcast_tensors(found)


def valued(value: Any, like: Tensor) -> Tensor:
    """A value to look up, as a Tensor of the dtype of the parameters."""
    return cast(value, like.dtype) if isinstance(value, Tensor) else to_tensor(value, like.dtype)


def sum_rightmost(x: Tensor, count: int) -> Tensor:
    """The sum over the last `count` axes."""
    return x.sum(list(range(-count, 0))) if count else x
