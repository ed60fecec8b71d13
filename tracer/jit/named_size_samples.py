"""The sizes of named dimensions at which a model is verified: the smallest, a middle size (such as
96 for multiple=32), and the largest of each range.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence, Set

from ..ir.dim import MAX_DIM_SIZE, Dim, NamedDimensions
from ..ir.program import ContractInputOrOutput

# Samples of large sizes give an input at most this many elements, so that verification stays fast.
MAX_LARGEST_SIZE_ELEMENTS = 1 << 20
MAX_SETS_OF_LARGEST_SIZES = 4
NUM_MIDDLE_CANDIDATES = 64

SizeByName = dict[str, int]


def named_size_samples(inputs: Sequence[ContractInputOrOutput]) -> list[SizeByName]:
    """Return sample sizes for the named dimensions of a model, as dicts from names to sizes; empty
    if the model has no named dimensions.
    """
    dims = NamedDimensions((arg.name, arg.dims) for arg in inputs).dims
    smallest = {dim.name: dim.smallest_size for dim in dims}
    middle: SizeByName = {}
    chosen: set[int] = set()
    for dim in dims:
        middle[dim.name] = small_size_avoiding_powers_of_two(dim, chosen)
        chosen.add(middle[dim.name])
    samples = (smallest, middle, *_iter_largest_size_sets(inputs, dims, smallest))
    return [s for i, s in enumerate(samples) if s and s not in samples[:i]]


def small_size_avoiding_powers_of_two(dim: Dim, avoided: Set[int]) -> int:
    """Return a small allowed size that is neither the smallest nor a power of two: an odd multiple
    of `dim.multiple` that is not in `avoided`. If no allowed size has these properties, return an
    allowed size other than the smallest; if only one size is allowed, return it.
    """
    end = MAX_DIM_SIZE + 1 if dim.largest_size is None else dim.largest_size + 1
    sizes = range(dim.smallest_size, end, dim.multiple)
    candidates = [s for s in sizes[1:NUM_MIDDLE_CANDIDATES] if s & (s - 1)]
    odd_multiples = [s for s in candidates if s // dim.multiple % 2]
    preferred = [s for s in odd_multiples if s not in avoided]
    return (preferred or odd_multiples or candidates or sizes[1:2] or sizes)[0]


def _iter_largest_size_sets(
    inputs: Sequence[ContractInputOrOutput], dims: Sequence[Dim], smallest: SizeByName
) -> Iterator[SizeByName]:
    """Yield up to MAX_SETS_OF_LARGEST_SIZES dicts of sizes. In each dict, as many dimensions as the
    limit of elements permits have their largest size, and the others the smallest; the next dict
    enlarges dimensions that no earlier dict enlarged.
    """
    args_by_name: dict[str, list[ContractInputOrOutput]] = {}
    for arg in inputs:
        for dim in filter(None, arg.dims):
            args_by_name.setdefault(dim.name, []).append(arg)
    remaining = [(dim, dim.largest_size) for dim in dims if dim.largest_size is not None]
    for _ in range(MAX_SETS_OF_LARGEST_SIZES):
        if not remaining:
            return
        sizes, postponed = dict(smallest), []
        for dim, largest in remaining:
            args = args_by_name[dim.name]
            sizes[dim.name] = largest
            if dim is remaining[0][0]:
                _halve_size_to_element_limit(args, dim, sizes)
            elif _exceeds_element_limit(args, sizes):
                sizes[dim.name] = dim.smallest_size
                postponed.append((dim, largest))
        yield sizes
        remaining = postponed


def _halve_size_to_element_limit(
    args: Sequence[ContractInputOrOutput], dim: Dim, sizes: SizeByName
) -> None:
    """Halve the size of `dim` in `sizes` repeatedly, down to the smallest size, until inputs with
    this dimension do not exceed the limit of elements.
    """
    while sizes[dim.name] > dim.smallest_size and _exceeds_element_limit(args, sizes):
        steps = (sizes[dim.name] - dim.smallest_size) // dim.multiple
        sizes[dim.name] = dim.smallest_size + steps // 2 * dim.multiple


def _exceeds_element_limit(args: Sequence[ContractInputOrOutput], sizes: SizeByName) -> bool:
    return any(_num_elements(arg, sizes) > MAX_LARGEST_SIZE_ELEMENTS for arg in args)


def _num_elements(arg: ContractInputOrOutput, sizes: SizeByName) -> int:
    return math.prod(
        max(size, 1) if dim is None else sizes[dim.name] for size, dim in arg.iter_sizes_and_dims()
    )
