"""Sizes that an op accepts as an attribute, as one tensor or as a list of one-element tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.op import Meta, check
from .shared_op_rules import Shape


def sizes_from_tensors_or_attr(tensor: Any, tensors: Any, plain: Sequence[int]) -> Sequence[int]:
    """The sizes that a kernel uses: from the list of tensors if it is given, else from the single
    tensor, else from the attribute.
    """
    if tensors:
        return [int(t.item()) for t in tensors]
    if tensor is not None:
        return [int(d) for d in tensor.reshape(-1).tolist()]
    return plain


def sizes_from_tensors_or_attr_for_meta_rule(
    tensor: Meta | None, tensors: Sequence[Meta] | None, plain: Sequence[int]
) -> tuple[int, ...]:
    """The sizes that shape inference uses; -1 for a size that only a tensor holds, which has a
    value at run time only.
    """
    if tensors:
        return tuple(plain) if len(plain) == len(tensors) else (-1,) * len(tensors)
    if tensor is None:
        return tuple(plain)
    count = 1 if not tensor.shape else tensor.shape[0]
    check(count >= 0, "the number of elements of a tensor of sizes is not known")
    return (-1,) * count


def has_size_tensor(*operands: Any) -> bool:
    """Whether one of the optional inputs that hold sizes, each a tensor or a list of tensors, is
    given. If such an input is given, the attribute does not hold all sizes.
    """
    return any(o is not None and o != [] for o in operands)


def all_dynamic_shape(rank: int) -> Shape:
    """A shape of the given rank in which all dimensions are dynamic."""
    return (-1,) * rank
