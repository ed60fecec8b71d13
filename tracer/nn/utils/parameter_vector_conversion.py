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
    """Concatenate the elements of all parameters.

    -> [number of elements]
    """
    vector = concat([reshape(p, [-1]) for p in parameters], 0)
    vector.stop_gradient = False
    return vector


@no_grad()
def vector_to_parameters(
    vec: Tensor, parameters: Iterable[Tensor], name: str | None = None
) -> None:
    """Set the parameters from the consecutive elements of a vector."""
    params = list(parameters)
    counts = [math.prod(p.meta.shape) for p in params]
    for p, values in zip(params, split(vec, counts, 0), strict=True):
        p.set_value(reshape(values, list(p.meta.shape)))
