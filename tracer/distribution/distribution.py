"""Base class of distributions, and conversion of their parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.dtype import get_default_dtype
from ..core.errors import OpError, append_user_line
from ..core.tensor import Tensor
from ..tensor.convert import cast, to_tensor
from ..tensor.manipulation import broadcast_tensors
from .kl import kl_divergence

Shape = Any


class Distribution:
    """Base of distributions.

    batch_shape: shape of the parameters.
    event_shape: shape of a sample.
    """

    def __init__(self, batch_shape: Shape = (), event_shape: Shape = ()) -> None:
        self._batch_shape = tuple(batch_shape)
        self._event_shape = tuple(event_shape)

    @property
    def batch_shape(self) -> tuple[Any, ...]:
        """The batch shape: the broadcast shape of the parameters. Each element stands for one
        independent distribution.
        """
        return self._batch_shape

    @property
    def event_shape(self) -> tuple[Any, ...]:
        """The shape of a sample of one distribution; () for scalar distributions."""
        return self._event_shape

    @property
    def mean(self) -> Tensor:
        """Mean [*batch_shape, *event_shape]."""
        raise self._make_not_implemented_error("mean")

    @property
    def variance(self) -> Tensor:
        """Variance [*batch_shape, *event_shape]."""
        raise self._make_not_implemented_error("variance")

    def sample(self, shape: Shape = ()) -> Tensor:
        """Draw samples without gradients with respect to the parameters.

        -> [*shape, *batch_shape, *event_shape]
        """
        return self.rsample(shape).detach()

    def rsample(self, shape: Shape = ()) -> Tensor:
        """Draw samples with gradients with respect to the parameters.

        -> [*shape, *batch_shape, *event_shape]
        """
        raise self._make_not_implemented_error("rsample")

    def entropy(self) -> Tensor:
        """Entropy in nats.

        -> [*batch_shape]
        """
        raise self._make_not_implemented_error("entropy")

    def kl_divergence(self, other: Distribution) -> Tensor:
        """Kullback-Leibler divergence to `other`: E[log self - log other].

        -> [*batch_shape]
        """
        return kl_divergence(self, other)

    def log_prob(self, value: Any) -> Tensor:
        """Logarithm of the density or probability at `value`."""
        raise self._make_not_implemented_error("log_prob")

    def prob(self, value: Any) -> Tensor:
        """Density or probability at `value`."""
        return self.log_prob(value).exp()

    probs: Any = prob  # The same as a property; some distributions have a parameter of this name.

    def _extend_shape(self, sample_shape: Shape = ()) -> list[Any]:
        return [*sample_shape, *self._batch_shape, *self._event_shape]

    def _make_not_implemented_error(self, method: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__} does not implement {method}")


def parameters(name: str, *values: Any) -> list[Tensor]:
    """Convert the parameters of a distribution to Tensors of one dtype and shape.

    Accepts Tensors, numbers, lists and arrays. The dtype is that of the first floating Tensor,
    otherwise float64 if there is a float64 array, otherwise the default. Raises OpError for other
    types.
    """
    if not all(
        isinstance(v, Tensor | np.ndarray | np.generic | list | tuple | int | float) for v in values
    ):
        type_names = ", ".join(type(v).__name__ for v in values)
        raise OpError(
            append_user_line(
                f"{name}: parameters must be numbers, lists, arrays or Tensors, got {type_names}"
            )
        )
    tensors = [v for v in values if isinstance(v, Tensor) and v.meta.dtype.kind == "f"]
    arrays = [v.dtype.name for v in values if isinstance(v, np.ndarray) and v.dtype == np.float64]
    dtype = tensors[0].dtype if tensors else (arrays or [get_default_dtype()])[0]
    converted = [cast(v, dtype) if isinstance(v, Tensor) else to_tensor(v, dtype) for v in values]
    return (
        converted if len({t.meta.shape for t in converted}) == 1 else broadcast_tensors(converted)
    )


def to_tensor_of_dtype_like(value: Any, like: Tensor) -> Tensor:
    """Convert a value to a Tensor with the dtype of `like`, a parameter of a distribution."""
    return cast(value, like.dtype) if isinstance(value, Tensor) else to_tensor(value, like.dtype)


def sum_rightmost(x: Tensor, count: int) -> Tensor:
    """Sum over the last `count` axes."""
    return x.sum(list(range(-count, 0))) if count else x
