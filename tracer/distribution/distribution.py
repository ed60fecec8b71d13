"""Base class of distributions, and conversion of their parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from ..core.dtype import get_default_dtype
from ..core.errors import OpError, append_user_line
from ..core.tensor import Tensor
from ..core.type_aliases import TensorLike
from ..tensor.convert import cast, to_tensor
from ..tensor.manipulation import broadcast_tensors
from .kl import kl_divergence

Shape: TypeAlias = Sequence[int]


class Distribution:
    """Base class of probability distributions.

    An object holds a batch of independent distributions of one kind. A sample of one of them, an
    event, has the shape `event_shape`; the batch has the shape `batch_shape`.

    Parameters
    ----------
    batch_shape : sequence of int, default ()
        Common shape of the parameters.
    event_shape : sequence of int, default ()
        Shape of one event; () for scalar distributions.

    Notes
    -----
    The distributions of this package accept Tensors, numbers, lists and arrays as parameters, and
    raise OpError for other types. Parameters are broadcast to one shape and converted to the dtype
    of the first floating-point Tensor, else to float64 if one of them is a float64 array, else to
    the default dtype. Values given to `log_prob` and similar methods are converted to the
    dtype of the parameters.

    Subclasses implement `rsample` or `sample`, `log_prob`, `entropy`, `mean` and `variance`. A
    method that a subclass does not implement raises NotImplementedError.

    See Also
    --------
    paddle.distribution.kl_divergence : Divergence of two distributions.

    Examples
    --------
    >>> class Coin(paddle.distribution.Distribution):
    ...     def log_prob(self, value):
    ...         return paddle.full_like(value, np.log(0.5))
    >>> Coin().prob(paddle.to_tensor([0.0, 1.0])).tolist()
    [0.5, 0.5]
    """

    def __init__(self, batch_shape: Shape = (), event_shape: Shape = ()) -> None:
        self._batch_shape = tuple(batch_shape)
        self._event_shape = tuple(event_shape)

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The common shape of the parameters, a tuple of int.

        Each element stands for one independent distribution.

        Examples
        --------
        >>> paddle.distribution.Normal([0.0, 1.0], 1.0).batch_shape
        (2,)
        """
        return self._batch_shape

    @property
    def event_shape(self) -> tuple[int, ...]:
        """The shape of a sample of one distribution, a tuple of int; () for scalar distributions.

        Examples
        --------
        >>> paddle.distribution.Dirichlet([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]).event_shape
        (3,)
        """
        return self._event_shape

    @property
    def mean(self) -> Tensor:
        """The mean, Tensor [*batch_shape, *event_shape].

        Examples
        --------
        >>> paddle.distribution.Uniform(0.0, [1.0, 4.0]).mean.tolist()
        [0.5, 2.0]
        """
        raise self._make_not_implemented_error("mean")

    @property
    def variance(self) -> Tensor:
        """The variance of each element of an event, Tensor [*batch_shape, *event_shape].

        Examples
        --------
        >>> paddle.distribution.Normal(0.0, [1.0, 2.0]).variance.tolist()
        [1.0, 4.0]
        """
        raise self._make_not_implemented_error("variance")

    def sample(self, shape: Shape = ()) -> Tensor:
        """Draw samples without gradients with respect to the parameters.

        Parameters
        ----------
        shape : sequence of int, default ()
            Number of independent samples, as a shape.

        Returns
        -------
        Tensor [*shape, *batch_shape, *event_shape], dtype of the parameters

        Raises
        ------
        NotImplementedError
            If the distribution implements neither `sample` nor `rsample`.

        Examples
        --------
        >>> laplace = paddle.distribution.Laplace([0.0, 1.0, 2.0], 1.0)
        >>> laplace.sample([4]).shape
        [4, 3]
        """
        return self.rsample(shape).detach()

    def rsample(self, shape: Shape = ()) -> Tensor:
        """Draw samples with gradients with respect to the parameters.

        The samples are a differentiable function of the parameters and of random noise
        (reparameterization).

        Parameters
        ----------
        shape : sequence of int, default ()
            Number of independent samples, as a shape.

        Returns
        -------
        Tensor [*shape, *batch_shape, *event_shape], dtype of the parameters

        Raises
        ------
        NotImplementedError
            If the distribution has no differentiable samples.

        Examples
        --------
        >>> loc = paddle.to_tensor([0.0, 1.0], stop_gradient=False)
        >>> paddle.distribution.Laplace(loc, 1.0).rsample([4]).sum().backward()
        >>> loc.grad.tolist()
        [4.0, 4.0]
        """
        raise self._make_not_implemented_error("rsample")

    def entropy(self) -> Tensor:
        """Return the entropy, -E[log p(x)], in nats.

        Returns
        -------
        Tensor [*batch_shape], dtype of the parameters

        Raises
        ------
        NotImplementedError
            If the distribution does not implement it.

        Examples
        --------
        >>> paddle.distribution.Uniform(0.0, [1.0, 2.0]).entropy().numpy().round(3)
        array([0.   , 0.693], dtype=float32)
        """
        raise self._make_not_implemented_error("entropy")

    def kl_divergence(self, other: Distribution) -> Tensor:
        """Return the Kullback-Leibler divergence KL(self || other), in nats.

        KL(p || q) = E[log p(x) - log q(x)] for x ~ p

        Parameters
        ----------
        other : Distribution
            The second distribution; its batch shape broadcasts with that of the first.

        Returns
        -------
        Tensor [*batch_shape], dtype of the parameters

        Raises
        ------
        NotImplementedError
            If no rule is registered for the two classes.

        See Also
        --------
        paddle.distribution.register_kl : Add a rule.

        Examples
        --------
        >>> p = paddle.distribution.Normal(0.0, 1.0)
        >>> q = paddle.distribution.Normal([0.0, 2.0], 1.0)
        >>> p.kl_divergence(q).tolist()
        [0.0, 2.0]
        """
        return kl_divergence(self, other)

    def log_prob(self, value: Any) -> Tensor:
        """Return the logarithm of the density or probability at `value`.

        Parameters
        ----------
        value : Tensor, float, list or ndarray [*, *event_shape]
            Its leading axes broadcast with `batch_shape`.

        Returns
        -------
        Tensor [*], dtype of the parameters

        Raises
        ------
        NotImplementedError
            If the distribution does not implement it.

        Examples
        --------
        >>> normal = paddle.distribution.Normal(0.0, 1.0)
        >>> normal.log_prob([0.0, 1.0]).numpy().round(3)
        array([-0.919, -1.419], dtype=float32)
        """
        raise self._make_not_implemented_error("log_prob")

    def prob(self, value: Any) -> Tensor:
        """Return the density or probability at `value`: exp(log_prob(value)).

        Parameters
        ----------
        value : Tensor, float, list or ndarray [*, *event_shape]
            Its leading axes broadcast with `batch_shape`.

        Returns
        -------
        Tensor [*], dtype of the parameters

        Raises
        ------
        NotImplementedError
            If the distribution does not implement `log_prob`.

        Notes
        -----
        `probs` is a second name of this method. In classes with a parameter `probs`, such as
        `Bernoulli`, that name is the parameter.

        Examples
        --------
        >>> normal = paddle.distribution.Normal(0.0, 1.0)
        >>> normal.prob([0.0, 1.0]).numpy().round(3)
        array([0.399, 0.242], dtype=float32)
        """
        return self.log_prob(value).exp()

    probs: Any = prob  # The same as a property; some distributions have a parameter of this name.

    def _extend_shape(self, sample_shape: Shape = ()) -> list[Any]:
        return [*sample_shape, *self._batch_shape, *self._event_shape]

    def _make_not_implemented_error(self, method: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__} does not implement {method}")


def parameters(name: str, *values: TensorLike) -> list[Tensor]:
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
    """Convert a value to a Tensor with the dtype of `like`, a parameter of a distribution.

    Raises OpError for text and other values that are not numbers.
    """
    if isinstance(value, Tensor):
        return cast(value, like.dtype)
    return cast(to_tensor(value), like.dtype)


def sum_rightmost(x: Tensor, count: int) -> Tensor:
    """Sum over the last `count` axes."""
    return x.sum(list(range(-count, 0))) if count else x
