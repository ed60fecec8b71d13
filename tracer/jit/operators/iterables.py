"""Iterables of converted loops whose length may be known only at run time: tensors, ranges,
TensorArrays, and `reversed`, `enumerate` and `zip` of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...capture.control.branch_values import cast_or_fill_like
from ...capture.control.tensor_arrays import TensorArray
from ...capture.symbolic_scalars import raise_or_collect_error
from ...capture.variable import Variable
from ...core.errors import TraceError, append_user_line
from ...core.op import OPS, Meta
from ...core.tensor import Tensor
from .dynamic_indexing import get_item
from .partial_dicts import resolve_replaced_list_and_reject_incomplete

INT64 = Meta((), np.dtype(np.int64))
# A loop over a tensor with at most this many rows is unrolled in Python; a loop over more rows is
# recorded.
MAX_UNROLLED_ROWS = 32


class IndexedIterable:
    """Base of iterables whose items are accessed by index. The number of items is an int, or a
    symbolic value that is 0 or negative if there are no items.
    """

    count: Any

    def item(self, position: Any) -> Any:
        """Return the item at the index `position`, which is an int or a 0-D int64 tensor."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self.count, Tensor):
            why = (
                "the number of items is known only at run time; loop over them with a `for` "
                "statement, or list them by `[... for ... in ...]`"
            )
            found: Iterator[Any] = raise_or_collect_error(
                TraceError(append_user_line(why)), (self.item(i) for i in range(1))
            )
            return found
        return (self.item(i) for i in range(self.count))

    def __len__(self) -> int:
        return int(self.count)

    def is_empty(self) -> bool:
        """Whether it is known while recording that the iterable is empty, so that the type of its
        items is unknown.
        """
        return False


class TensorIterable(IndexedIterable):
    """The rows of a tensor.

    x: [N, *]
    """

    def __init__(self, x: Any) -> None:
        self.x = x
        size = x.shape[0]
        if isinstance(size, int) and size > MAX_UNROLLED_ROWS:
            size = OPS["slice"](
                OPS["shape"](x), axes=[0], starts=[0], ends=[1], infer_flags=[1], decrease_axis=[0]
            )
        self.count = size

    def item(self, position: Any) -> Any:
        """Return the row at an index."""
        if not isinstance(position, Tensor):
            return self.x[position]
        at = cast_or_fill_like(position, Meta((), np.dtype(np.int32)))
        bounds = {"starts": [-1], "ends": [-1], "infer_flags": [-1]}
        return OPS["slice"](
            self.x, None, None, [at], [at + 1], axes=[0], decrease_axis=[0], **bounds
        )


class TensorArrayIterable(IndexedIterable):
    """The elements of a TensorArray."""

    def __init__(self, array: TensorArray) -> None:
        self.tensor_array = array
        self.count = OPS["reshape2"](array.length(), shape=[])

    def is_empty(self) -> bool:
        """Whether no element was written to the TensorArray yet."""
        if self.tensor_array.element_meta is None:
            self.tensor_array.record_empty_read()
        return self.tensor_array.element_meta is None

    def item(self, position: Any) -> Any:
        """Return the element at an index."""
        return self.tensor_array[position]


class SymbolicRange(IndexedIterable):
    """A `range` whose bounds may be symbolic values."""

    def __init__(self, *bounds: Any) -> None:
        start, stop, step = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3]
        self.start, self.stop, self.step = (to_range_bound(b) for b in (start, stop, step))
        self.count = self._compute_num_items()

    def _compute_num_items(self) -> Any:
        """Return the number of items as an int or a 0-D int64 tensor; the tensor is 0 or negative
        if the range is empty.
        """
        if not any(isinstance(b, Tensor) for b in (self.start, self.stop, self.step)):
            return len(range(self.start, self.stop, self.step))
        distance = self.stop - self.start
        if isinstance(self.step, int) and self.step == 1:
            return distance
        return -((-distance) // self.step)  # division that rounds up

    def item(self, position: Any) -> Any:
        """Return the number at an index of the range."""
        if isinstance(self.start, int) and isinstance(self.step, int):
            return (
                position * self.step + self.start if (self.start, self.step) != (0, 1) else position
            )
        return self.start + position * self.step


class ReversedIterable(IndexedIterable):
    """The items of an iterable from the last to the first."""

    def __init__(self, rows: IndexedIterable) -> None:
        self.rows, self.count = rows, rows.count

    def is_empty(self) -> bool:
        """Whether the iterable is known to be empty."""
        return self.rows.is_empty()

    def item(self, position: Any) -> Any:
        """Return the item whose index, counted from the end, is `position`."""
        return self.rows.item(self.count - 1 - position)


class EnumeratedIterable(IndexedIterable):
    """The pairs of `enumerate`: a number that counts from `start`, and an item."""

    def __init__(self, rows: IndexedIterable, start: Any) -> None:
        self.rows, self.start, self.count = rows, start, rows.count

    def is_empty(self) -> bool:
        """Whether the iterable is known to be empty."""
        return self.rows.is_empty()

    def item(self, position: Any) -> Any:
        """Return the number and the item at an index as a tuple."""
        number = (
            position if isinstance(self.start, int) and self.start == 0 else position + self.start
        )
        return number, self.rows.item(position)


class ZippedIterable(IndexedIterable):
    """The tuples of `zip`: one item of each iterable. There are as many tuples as the shortest
    iterable has items.
    """

    def __init__(self, rows: Sequence[Any]) -> None:
        self.rows = rows
        counts = [
            cast_or_fill_like(r.count, INT64) if isinstance(r.count, Tensor) else r.count
            for r in rows
        ]
        known = [c for c in counts if not isinstance(c, Tensor)]
        shortest: Any = min(known) if known else None
        for count in counts:
            if isinstance(count, Tensor):
                other = count if shortest is None else cast_or_fill_like(shortest, INT64)
                shortest = count if shortest is None else OPS["elementwise_min"](count, other)
        self.count = shortest

    def is_empty(self) -> bool:
        """Whether one of the iterables is known to be empty."""
        return any(r.is_empty() for r in self.rows)

    def item(self, position: Any) -> Any:
        """Return the tuple of the items at an index."""
        return tuple(r.item(position) for r in self.rows)


class SequenceIterable(IndexedIterable):
    """A Python sequence of tensors that is zipped with symbolic values."""

    def __init__(self, values: Sequence[Any]) -> None:
        self.values, self.count = values, len(values)

    def item(self, position: Any) -> Any:
        """Return the element of the sequence at an index."""
        return get_item(self.values, position)


def to_range_bound(bound: Any) -> Any:
    """Convert an argument of `range` to an int or a 0-D int64 tensor."""
    if not isinstance(bound, Tensor):
        return bound
    scalar = bound if not bound.meta.shape else OPS["reshape2"](bound, shape=[])
    return cast_or_fill_like(scalar, INT64)


def as_indexed_iterable_if_possible(iterable: Any) -> Any:
    """Return an IndexedIterable for a value over which a recorded loop can iterate; return any
    other value unchanged.
    """
    iterable = resolve_replaced_list_and_reject_incomplete(iterable)
    if isinstance(iterable, IndexedIterable):
        return iterable
    if isinstance(iterable, TensorArray):
        return TensorArrayIterable(iterable)
    if isinstance(iterable, range):
        return SymbolicRange(iterable.start, iterable.stop, iterable.step)
    if isinstance(iterable, Variable) and iterable.meta.shape:
        return TensorIterable(iterable)
    return iterable


def has_dynamic_length(rows: Any) -> bool:
    """Whether the number of items of an iterable is known only at run time."""
    return isinstance(rows, IndexedIterable) and isinstance(rows.count, Tensor)
