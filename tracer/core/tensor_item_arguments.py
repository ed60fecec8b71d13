"""Check the index of `Tensor.item`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .errors import IndexRangeError, OperandError, OpError, append_user_line
from .op import Meta


def check_tensor_item_arguments(meta: Meta, index: Sequence[Any]) -> None:
    """Raise OpError if `tensor.item(*index)` does not select one element. Sizes that are unknown
    (-1) match any index.
    """
    of, shape = f"(X={meta})", meta.shape
    size = -1 if -1 in shape else math.prod(shape)
    if not index and size not in (1, -1):
        raise OpError(
            append_user_line(
                "item: only a tensor of one element has an item without an index; use tolist(), "
                f"numpy() or item(index) {of}"
            )
        )
    for n, place in enumerate(index):
        if not hasattr(place, "__index__"):
            kind = type(place).__name__
            raise OperandError(
                append_user_line(
                    f"item: argument (position {n + 1}) must be long, but got {kind} {of}"
                )
            )
    if len(index) not in (0, 1, len(shape)):
        raise OpError(
            append_user_line(f"item: incorrect number of indices for Tensor, {len(index)} {of}")
        )
    flat = len(index) == 1
    for axis, (place, length) in enumerate(zip(index, (size,) if flat else shape, strict=False)):
        if isinstance(place, int) and length >= 0 and not -length <= place < length:
            where = f"size {length}" if flat else f"axis {axis} with size {length}"
            raise IndexRangeError(
                append_user_line(f"item: index {place} is out of bounds for {where} {of}")
            )
