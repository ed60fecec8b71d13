"""The sizes of named dimensions at which a model is verified: the smallest, an odd one, and the
largest of each range.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from itertools import islice

from ..ir.dim import Dim, NamedDimensions
from ..ir.program import ContractInputOrOutput

# Largest sizes are reduced until no input has more elements, so that verification stays fast.
MAX_TRIAL_ELEMENTS = 1 << 20
NUM_ODD_CANDIDATES = 64

SizeByName = dict[str, int]


def named_size_samples(inputs: Sequence[ContractInputOrOutput]) -> list[SizeByName]:
    """Return sets of sizes for the named dimensions of a model; empty if there are none."""
    dims = NamedDimensions((arg.name, arg.dims) for arg in inputs).dims
    smallest = {dim.name: dim.smallest_size for dim in dims}
    odd: SizeByName = {}
    for dim in dims:
        odd[dim.name] = odd_size(dim, odd.values())
    largest = {
        dim.name: odd[dim.name] if dim.largest_size is None else dim.largest_size for dim in dims
    }
    samples = (smallest, odd, _reduce_to_element_limit(inputs, dims, largest))
    return [s for i, s in enumerate(samples) if s and s not in samples[:i]]


def odd_size(dim: Dim, avoided: Collection[int] = ()) -> int:
    """Return a small allowed size that is neither the smallest nor a power of two: an odd multiple
    of `dim.multiple` that is not in `avoided`, if there is one; the smallest size if there is no
    other.
    """
    end = (1 << 31) if dim.largest_size is None else dim.largest_size + 1
    sizes = range(dim.smallest_size, end, dim.multiple)
    candidates = [s for s in islice(sizes, 1, NUM_ODD_CANDIDATES) if s & (s - 1)]
    odd = [s for s in candidates if s // dim.multiple % 2]
    preferred = [s for s in odd if s not in avoided]
    return next(iter((*preferred, *odd, *candidates, *sizes[-1:])))


def _reduce_to_element_limit(
    inputs: Sequence[ContractInputOrOutput], dims: Sequence[Dim], largest: SizeByName
) -> SizeByName:
    """Reduce sizes, the largest first, until no input has more than MAX_TRIAL_ELEMENTS elements or
    all sizes are the smallest.
    """
    sizes = dict(largest)
    while any(_num_elements(arg, sizes) > MAX_TRIAL_ELEMENTS for arg in inputs):
        reducible = [dim for dim in dims if sizes[dim.name] > dim.smallest_size]
        if not reducible:
            break
        dim = max(reducible, key=lambda dim: sizes[dim.name])
        steps = (sizes[dim.name] - dim.smallest_size) // dim.multiple
        sizes[dim.name] = dim.smallest_size + steps // 2 * dim.multiple
    return sizes


def _num_elements(arg: ContractInputOrOutput, sizes: SizeByName) -> int:
    return math.prod(
        max(size, 1) if dim is None else sizes[dim.name]
        for size, dim in zip(arg.shape, arg.dims or (None,) * len(arg.shape), strict=True)
    )
