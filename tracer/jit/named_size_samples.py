"""The sizes of named dimensions at which a model is verified: the smallest, an odd one, and the
largest of each range.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Set

from ..ir.dim import MAX_DIM_SIZE, Dim, NamedDimensions
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
    chosen: set[int] = set()
    for dim in dims:
        odd[dim.name] = odd_size(dim, chosen)
        chosen.add(odd[dim.name])
    largest = {
        dim.name: odd[dim.name] if dim.largest_size is None else dim.largest_size for dim in dims
    }
    for arg in inputs:
        _reduce_to_element_limit(arg, largest)
    samples = (smallest, odd, largest)
    return [s for i, s in enumerate(samples) if s and s not in samples[:i]]


def odd_size(dim: Dim, avoided: Set[int]) -> int:
    """Return a small allowed size that is neither the smallest nor a power of two: an odd multiple
    of `dim.multiple` that is not in `avoided`. If there is none, return another size than the
    smallest; if there is only one size, return that.
    """
    end = MAX_DIM_SIZE + 1 if dim.largest_size is None else dim.largest_size + 1
    sizes = range(dim.smallest_size, end, dim.multiple)
    candidates = [s for s in sizes[1:NUM_ODD_CANDIDATES] if s & (s - 1)]
    odd = [s for s in candidates if s // dim.multiple % 2]
    preferred = [s for s in odd if s not in avoided]
    return (preferred or odd or candidates or sizes[1:2] or sizes)[0]


def _reduce_to_element_limit(arg: ContractInputOrOutput, sizes: SizeByName) -> None:
    """Reduce the sizes of an input's dimensions, the largest first, until the input has no more
    than MAX_TRIAL_ELEMENTS elements or all sizes are the smallest.
    """
    dims = [dim for dim in arg.dims if dim is not None]
    while _num_elements(arg, sizes) > MAX_TRIAL_ELEMENTS:
        reducible = [dim for dim in dims if sizes[dim.name] > dim.smallest_size]
        if not reducible:
            return
        dim = max(reducible, key=lambda dim: sizes[dim.name])
        steps = (sizes[dim.name] - dim.smallest_size) // dim.multiple
        sizes[dim.name] = dim.smallest_size + steps // 2 * dim.multiple


def _num_elements(arg: ContractInputOrOutput, sizes: SizeByName) -> int:
    return math.prod(
        max(size, 1) if dim is None else sizes[dim.name]
        for size, dim in zip(arg.shape, arg.dims or (None,) * len(arg.shape), strict=True)
    )
