"""Conversion between parameters and one vector."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ...core.autograd import no_grad
from ...core.tensor import Tensor
from ...tensor.manipulation import concat, reshape, split

__all__ = ["parameters_to_vector", "vector_to_parameters"]


@no_grad()
def parameters_to_vector(parameters: Iterable[Tensor], name: str | None = None) -> Tensor:
    """Concatenate the elements of all parameters to one vector.

    Parameters
    ----------
    parameters : iterable of Tensor
        At least one.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [number of elements]
        A copy, without a gradient to the parameters.

    Raises
    ------
    OpError
        If there are no parameters.

    Examples
    --------
    >>> layer = nn.Linear(2, 3)
    >>> nn.utils.parameters_to_vector(layer.parameters()).shape
    [9]
    """
    vector = concat([reshape(p, [-1]) for p in parameters], 0)
    vector.stop_gradient = False
    return vector


@no_grad()
def vector_to_parameters(
    vec: Tensor, parameters: Iterable[Tensor], name: str | None = None
) -> None:
    """Set parameters to the elements of a vector; the inverse of `parameters_to_vector`.

    Parameters
    ----------
    vec : Tensor [number of elements]
    parameters : iterable of Tensor
    name : str, optional
        Not used.

    Raises
    ------
    OpError
        If the vector has another number of elements than the parameters.

    Examples
    --------
    >>> layer = nn.Linear(2, 1)
    >>> nn.utils.vector_to_parameters(paddle.to_tensor([1.0, 2.0, 3.0]), layer.parameters())
    >>> layer.weight.tolist(), layer.bias.tolist()
    ([[1.0], [2.0]], [3.0])
    """
    params = list(parameters)
    counts = [math.prod(p.meta.shape) for p in params]
    for p, values in zip(params, split(vec, counts, 0), strict=True):
        p.set_value(reshape(values, list(p.meta.shape)))
