"""What a converted `for` goes over, where a run decides how often: rows of a tensor, a range, a
list that the program carries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...capture.control.branch_values import as_meta
from ...capture.control.tensor_arrays import TensorArray
from ...capture.symbolic_scalars import troubled
from ...capture.variable import Variable
from ...core.errors import TraceError, with_user_line
from ...core.op import OPS, Meta
from ...core.tensor import Tensor
from .dynamic_indexing import item
from .partial_dicts import whole

INT64 = Meta((), np.dtype(np.int64))
# rows of a tensor of known size that are walked one by one; more become a loop of the program
UNROLLED = 32


class Rows:
    """Something with a number of items, an int or a value of the program, and an item for every
    position.
    """

    count: Any

    def item(self, position: Any) -> Any:
        """The item at a position, an int or int64 []."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self.count, Tensor):
            why = (
                "only a run knows how many items there are; loop over them with a `for` "
                "statement, or list them by `[... for ... in ...]`"
            )
            found: Iterator[Any] = troubled(
                TraceError(with_user_line(why)), (self.item(i) for i in range(1))
            )
            return found
        return (self.item(i) for i in range(self.count))

    def __len__(self) -> int:
        return int(self.count)

    def is_empty(self) -> bool:
        """Whether nothing is known of the items, for nobody has given any so far."""
        return False


class TensorRows(Rows):
    """The rows of a tensor.   x [N, *]"""

    def __init__(self, x: Any) -> None:
        self.x = x
        size = x.shape[0]
        if isinstance(size, int) and size > UNROLLED:
            size = OPS["slice"](
                OPS["shape"](x), axes=[0], starts=[0], ends=[1], infer_flags=[1], decrease_axis=[0]
            )
        self.count = size

    def item(self, position: Any) -> Any:
        """See Rows."""
        if not isinstance(position, Tensor):
            return self.x[position]
        at = as_meta(position, Meta((), np.dtype(np.int32)))
        bounds = {"starts": [-1], "ends": [-1], "infer_flags": [-1]}
        return OPS["slice"](
            self.x, None, None, [at], [at + 1], axes=[0], decrease_axis=[0], **bounds
        )


class ArrayItems(Rows):
    """The elements of a list that the program carries."""

    def __init__(self, array: TensorArray) -> None:
        self.array = array
        self.count = OPS["reshape2"](array.length(), shape=[])

    def is_empty(self) -> bool:
        """See Rows."""
        if self.array.element is None:
            self.array.is_asked()
        return self.array.element is None

    def item(self, position: Any) -> Any:
        """See Rows."""
        return self.array[position]


class Range(Rows):
    """`range`, whose bounds may be values of the program."""

    def __init__(self, *bounds: Any) -> None:
        start, stop, step = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3]
        self.start, self.stop, self.step = (as_scalar(b) for b in (start, stop, step))
        self.count = self._count()

    def _count(self) -> Any:
        if not any(isinstance(b, Tensor) for b in (self.start, self.stop, self.step)):
            return len(range(self.start, self.stop, self.step))
        distance = self.stop - self.start
        if isinstance(self.step, int) and self.step == 1:
            return distance
        return -((-distance) // self.step)  # rounded up

    def item(self, position: Any) -> Any:
        """See Rows."""
        if isinstance(self.start, int) and isinstance(self.step, int):
            return (
                position * self.step + self.start if (self.start, self.step) != (0, 1) else position
            )
        return self.start + position * self.step


class Reversed(Rows):
    """`reversed`."""

    def __init__(self, rows: Rows) -> None:
        self.rows, self.count = rows, rows.count

    def is_empty(self) -> bool:
        """See Rows."""
        return self.rows.is_empty()

    def item(self, position: Any) -> Any:
        """See Rows."""
        return self.rows.item(self.count - 1 - position)


class Enumerated(Rows):
    """`enumerate`."""

    def __init__(self, rows: Rows, start: Any) -> None:
        self.rows, self.start, self.count = rows, start, rows.count

    def is_empty(self) -> bool:
        """See Rows."""
        return self.rows.is_empty()

    def item(self, position: Any) -> Any:
        """See Rows."""
        number = (
            position if isinstance(self.start, int) and self.start == 0 else position + self.start
        )
        return number, self.rows.item(position)


class Zipped(Rows):
    """`zip`: as many items as the shortest has."""

    def __init__(self, rows: Sequence[Any]) -> None:
        self.rows = rows
        counts = [as_meta(r.count, INT64) if isinstance(r.count, Tensor) else r.count for r in rows]
        known = [c for c in counts if not isinstance(c, Tensor)]
        found: Any = min(known) if known else None
        for count in counts:
            if isinstance(count, Tensor):
                other = count if found is None else as_meta(found, INT64)
                found = count if found is None else OPS["elementwise_min"](count, other)
        self.count = found

    def is_empty(self) -> bool:
        """See Rows."""
        return any(r.is_empty() for r in self.rows)

    def item(self, position: Any) -> Any:
        """See Rows."""
        return tuple(r.item(position) for r in self.rows)


class Sequenced(Rows):
    """A Python sequence of tensors beside values of the program."""

    def __init__(self, values: Sequence[Any]) -> None:
        self.values, self.count = values, len(values)

    def item(self, position: Any) -> Any:
        """See Rows."""
        return item(self.values, position)


def as_scalar(bound: Any) -> Any:
    """A bound of a range: an int, or int64 []."""
    if not isinstance(bound, Tensor):
        return bound
    scalar = bound if not bound.meta.shape else OPS["reshape2"](bound, shape=[])
    return as_meta(scalar, INT64)


def rows_of(iterable: Any) -> Any:
    """Rows, where a run decides or a loop may become one of the program; else what was given."""
    iterable = whole(iterable)
    if isinstance(iterable, Rows):
        return iterable
    if isinstance(iterable, TensorArray):
        return ArrayItems(iterable)
    if isinstance(iterable, range):
        return Range(iterable.start, iterable.stop, iterable.step)
    if isinstance(iterable, Variable) and iterable.meta.shape:
        return TensorRows(iterable)
    return iterable


def is_open(rows: Any) -> bool:
    """Whether only a run knows the number of items."""
    return isinstance(rows, Rows) and isinstance(rows.count, Tensor)
