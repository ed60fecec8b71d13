"""Sizes that an op accepts as an attribute, as one tensor or as a list of one-element tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.op import Meta, check
from .shared_op_rules import Shape


def sizes_from_tensors_or_attr(tensor: Any, tensors: Any, plain: Sequence[int]) -> Sequence[int]:
    """The sizes for a kernel: from a list of tensors, else from one tensor, else from the
    attribute.
    """
    if tensors:
        return [int(t.item()) for t in tensors]
    if tensor is not None:
        return [int(d) for d in tensor.reshape(-1).tolist()]
    return plain


def sizes_from_tensors_or_attr_for_meta_rule(
    tensor: Meta | None, tensors: Sequence[Meta] | None, plain: Sequence[int]
) -> tuple[int, ...]:
    """The sizes for shape inference: -1 for a size that only a tensor holds."""
    if tensors:
        return tuple(plain) if len(plain) == len(tensors) else (-1,) * len(tensors)
    if tensor is None:
        return tuple(plain)
    count = 1 if not tensor.shape else tensor.shape[0]
    check(count >= 0, "how many sizes the tensor holds is not known")
    return (-1,) * count


def has_size_tensor(*operands: Any) -> bool:
    """Whether any of these optional inputs with sizes (tensors or lists of tensors) is given. If
    so, the attribute does not hold all sizes.
    """
    return any(o is not None and o != [] for o in operands)


def all_dynamic_shape(rank: int) -> Shape:
    """A shape of known rank with dynamic dimensions only."""
    return (-1,) * rank
