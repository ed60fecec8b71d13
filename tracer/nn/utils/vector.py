"""Parameters as one vector, and back."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ...core.autograd import no_grad
from ...core.tensor import Tensor
from ...tensor.manipulation import concat, reshape, split

__all__ = ["parameters_to_vector", "vector_to_parameters"]


@no_grad()
def parameters_to_vector(parameters: Iterable[Tensor], name: str | None = None) -> Tensor:
    """The elements of all parameters in a row.

    -> [their number]
    """
    found = concat([reshape(p, [-1]) for p in parameters], 0)
    found.stop_gradient = False
    return found


@no_grad()
def vector_to_parameters(
    vec: Tensor, parameters: Iterable[Tensor], name: str | None = None
) -> None:
    """Give each parameter its part of the vector, in order."""
    held = list(parameters)
    counts = [math.prod(p.meta.shape) for p in held]
    for p, part in zip(held, split(vec, counts, 0), strict=True):
        p.set_value(reshape(part, list(p.meta.shape)))
