"""`x[...]` as ops: slice and strided_slice for ints and slices, unsqueeze2 for None, gather for
tensors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import cuda
from ..core.errors import OpError, RangeError, with_user_line
from ..core.mode import state
from ..core.op import OPS
from ..core.paddle1_compat import compat
from ..core.tensor import Tensor
from .convert import beside, bounds, cast, full, to_array
from .manipulation import (
    as_index,
    broadcast_beside,
    expand,
    in_place,
    reshape,
    stack,
    transpose,
    unsqueeze,
)

_END = 2**31 - 1


def _expand_ellipsis(index: Any, rank: int) -> list[Any]:
    items = [_as_mask(i) for i in index] if isinstance(index, tuple) else [_as_mask(index)]
    taken = sum(_axes_taken(i) for i in items)
    if taken > rank:
        raise RangeError(with_user_line(f"index: {taken} indices for {rank} axes"))
    rest = [slice(None)] * (rank - taken)
    for at, item in enumerate(items):
        if item is Ellipsis:
            return items[:at] + rest + items[at + 1 :]
    return items + rest


def _as_mask(item: Any) -> Any:
    """A list of truth values as an array of them."""
    return (
        np.asarray(item)
        if isinstance(item, list) and item and all(isinstance(i, bool) for i in item)
        else item
    )


def _axes_taken(item: Any) -> int:
    if item is None or item is Ellipsis or _is_flag(item):
        return 0
    if _is_mask(item):
        return int(item.ndim)
    return 1


def _is_mask(item: Any) -> bool:
    if isinstance(item, Tensor):
        return item.meta.dtype.kind == "b"
    return isinstance(item, np.ndarray) and item.dtype.kind == "b"


def _is_flag(item: Any) -> bool:
    """Whether an index is a scalar bool, which adds an axis of size 1 or 0."""
    return isinstance(item, bool | np.bool_) or (_is_mask(item) and item.ndim == 0)


def _is_tensor_index(item: Any) -> bool:
    return not _is_flag(item) and _is_index_list(item)


def _is_index_list(item: Any) -> bool:
    return (isinstance(item, Tensor) and item.ndim > 0) or isinstance(item, list | np.ndarray)


def _is_int(item: Any) -> bool:
    return (isinstance(item, int | np.integer) and not isinstance(item, bool)) or (
        isinstance(item, Tensor) and item.ndim == 0 and not _is_flag(item)
    )


class _Basic:
    """The part of an index that ints, slices and None make: slice attributes, and the axes that
    None adds.
    """

    def __init__(self, x: Tensor, index: Any) -> None:
        self.x = x
        self.axes: list[int] = []
        self.starts: list[Any] = []
        self.ends: list[Any] = []
        self.steps: list[int] = []
        self.dropped: list[int] = []
        self.new: list[int] = []  # where None puts an axis, counted in the result ...
        self.before: list[int] = []  # ... and the axis of x in front of which it is inserted
        self.advanced: list[tuple[int, Any]] = []  # axis of the sliced result, index
        axis = out = 0
        for item in _expand_ellipsis(index, x.ndim):
            axis, out = self._take(item, axis, out)

    def _take(self, item: Any, axis: int, out: int) -> tuple[int, int]:
        if item is None:
            self.new.append(out)
            self.before.append(axis)
            return axis, out + 1
        if _is_flag(item):
            self.new.append(out)
            self.before.append(axis)
            if not (isinstance(item, bool) and item):
                self.advanced.append(
                    (
                        out,
                        reshape(item, [1])
                        if isinstance(item, Tensor)
                        else np.asarray([bool(item)]),
                    )
                )
            return axis, out + 1
        if _is_int(item):
            self._range(axis, item, _end_of(item), 1)
            self.dropped.append(axis)
            return axis + 1, out
        if isinstance(item, slice):
            if item.start is not None or item.stop is not None or item.step is not None:
                self._slice(axis, item)
            return axis + 1, out + 1
        if _is_tensor_index(item):
            if _is_mask(item):
                self._check_mask(axis, item)
            self.advanced.append((out, item))
            return axis + (item.ndim if _is_mask(item) else 1), out + (
                item.ndim if _is_mask(item) else 1
            )
        raise RangeError(
            with_user_line(
                f"index: {type(item).__name__} is not an int, slice, None, Ellipsis or tensor"
            )
        )

    def _check_mask(self, axis: int, mask: Any) -> None:
        sizes = self.x.meta.shape[axis : axis + mask.ndim]
        if any(0 <= size != wanted >= 0 for size, wanted in zip(sizes, mask.shape, strict=True)):
            raise RangeError(
                with_user_line(
                    f"index: a mask {list(mask.shape)} for {list(sizes)} (X={self.x.meta})"
                )
            )

    def _range(self, axis: int, start: Any, end: Any, step: Any) -> None:
        self.axes.append(axis)
        self.starts.append(start)
        self.ends.append(end)
        self.steps.append(step)

    def _slice(self, axis: int, item: slice) -> None:
        if isinstance(item.step, Tensor) and state.mode.static:
            forward = OPS["greater_than"](item.step, full([], 0, item.step.dtype))
            first, last = (full([], v, item.step.dtype) for v in (0, _END))
            start = OPS["where"](forward, first, last) if item.start is None else item.start
            end = (
                OPS["where"](forward, last, full([], -1, item.step.dtype))
                if item.stop is None
                else item.stop
            )
            self._range(axis, start, end, item.step)
            return
        step = 1 if item.step is None else int(item.step)
        if step == 0:
            raise OpError(with_user_line("index: the step of a slice is 0"))
        start = (0 if step > 0 else _END) if item.start is None else item.start
        end = (_END if step > 0 else -1) if item.stop is None else item.stop
        if step < 0 and isinstance(item.stop, int) and item.stop < 0:
            # NOTE: with a negative stride Paddle reads an end of -1 as "down to the first";
            # Python's -1 is the last.
            end = self._size_of(axis) + item.stop
            end = -1 if end < 0 else end
        self._range(axis, start, end, step)

    def _size_of(self, axis: int) -> int:
        # Guard for a trace: with another size the index selects other elements.
        size = self.x.shape[axis]
        if not isinstance(size, int):
            raise OpError(
                with_user_line(
                    "index: a negative end with a negative step needs a size that is known"
                )
            )
        return size


def _end_of(item: Any) -> Any:
    """The end of the slice that an int stands for: -1 has none behind it."""
    if isinstance(item, Tensor) and state.mode.static:
        return OPS["where"](
            OPS["equal"](item, full([], -1, item.dtype)), full([], _END, item.dtype), item + 1
        )
    return _END if not isinstance(item, Tensor) and item == -1 else item + 1


def _check_bounds(x: Tensor, basic: _Basic) -> None:
    for axis in basic.dropped:
        start, size = basic.starts[basic.axes.index(axis)], x.meta.shape[axis]
        if isinstance(start, Tensor) or size < 0:
            continue
        if not -size <= start < size:
            raise IndexError(
                with_user_line(f"index: {start} is out of range for axis {axis} (X={x.meta})")
            )


def _sliced(x: Tensor, basic: _Basic) -> Tensor:
    if not basic.axes:
        return x
    (starts, start_tensors), (ends, end_tensors) = bounds(basic.starts), bounds(basic.ends)
    steps, step_tensors = bounds(basic.steps)
    flags = [-1 if start_tensors or end_tensors or step_tensors else 1] * len(basic.axes)
    common = {
        "axes": basic.axes,
        "starts": starts,
        "ends": ends,
        "infer_flags": flags,
        "decrease_axis": basic.dropped,
    }
    if step_tensors is None and all(s == 1 for s in steps):
        return OPS["slice"](x, None, None, start_tensors, end_tensors, **common)
    return OPS["strided_slice"](
        x, None, None, None, start_tensors, end_tensors, step_tensors, strides=steps, **common
    )


def getitem(x: Tensor, index: Any) -> Tensor:
    """x[index]: ints, slices, None, Ellipsis, bool masks and integer tensors, as in NumPy."""
    if index.__class__ is int and state.mode.is_eager:
        shape = x.array.shape
        if shape and -shape[0] <= index < shape[0]:  # Fast path for the most common index.
            first = index % shape[0]
            dropped = [] if compat.is_paddle1 and len(shape) == 1 else [0]
            return OPS["slice"](
                x, axes=[0], starts=[first], ends=[first + 1], decrease_axis=dropped
            )
    basic = _Basic(x, index)
    _check_bounds(x, basic)
    if compat.is_paddle1 and len(basic.dropped) == x.ndim and not basic.new:
        basic.dropped = basic.dropped[:-1]  # one element was [1]
    out = _sliced(x, basic)
    if basic.new:
        out = unsqueeze(out, basic.new)
    if basic.advanced:
        return _gathered(out, basic.advanced)
    return reshape(out, [1]) if compat.is_paddle1 and not out.meta.shape else out


def _gathered(x: Tensor, advanced: list[tuple[int, Any]]) -> Tensor:
    axes, indices = [], []
    for axis, item in advanced:
        if _is_mask(item):
            found = OPS["where_index"](as_index(item, x))
            indices += OPS["unbind"](found, axis=1)
            axes += list(range(axis, axis + item.ndim))
        else:
            indices.append(_from_front(as_index(_counted(item, x, axis), x), x, axis))
            axes.append(axis)
    if len(axes) == 1 and indices[0].ndim == 1:
        return OPS["gather"](x, indices[0], axis=axes[0])
    return _gathered_at(x, axes, indices)


def _gathered_at(x: Tensor, axes: list[int], indices: list[Tensor]) -> Tensor:
    """x at index tensors on several axes: those axes first, gather_nd, and back when the axes stood
    together.
    """
    rest = [a for a in range(x.ndim) if a not in axes]
    together = axes == list(range(axes[0], axes[0] + len(axes)))
    if len({tuple(i.meta.shape) for i in indices}) > 1:
        indices = OPS["broadcast_tensors"](indices)
    front = x if axes == list(range(len(axes))) else transpose(x, axes + rest)
    out: Tensor = OPS["gather_nd"](front, stack(indices, axis=-1))
    lead = indices[0].ndim
    if together and axes[0] > 0:
        before = list(range(lead, lead + axes[0]))
        out = transpose(out, before + list(range(lead)) + list(range(lead + axes[0], out.ndim)))
    return out


def _from_front(index: Tensor, x: Tensor, axis: int) -> Tensor:
    """Negative indices counted from the front.

    A recorded program looks at no values: there the engine does it.
    """
    if not state.mode.is_eager or index.meta.dtype.kind not in "iu":
        return index
    if index.array.size and (index.array < 0).any():
        return OPS["where"](index < 0, index + x.meta.shape[axis], index)
    return index


def _counted(item: Any, x: Tensor, axis: int) -> Any:
    """A list of indices counted from the front; a trace notes the size that this takes."""
    if isinstance(item, Tensor):
        return item
    array = np.asarray(item)
    if array.dtype.kind != "i" or not array.size or array.min() >= 0:
        return array
    size = x.shape[axis]
    if not isinstance(size, int):
        raise OpError(
            with_user_line("index: a negative index in a list needs a size that is known")
        )
    return np.where(array < 0, array + size, array)


def setitem(x: Tensor, index: Any, value: Any) -> None:
    """x[index] = value, by way of a new tensor, so that what was recorded with the old one stays
    true.
    """
    basic = _Basic(x, index)
    _check_bounds(x, basic)
    given = value if isinstance(value, Tensor) else beside(x, to_array(value, x.dtype))
    if given.meta.dtype != x.meta.dtype:
        given = cast(given, x.dtype)
    in_place(x, lambda now: _put(now, index, given) if basic.advanced else _set(now, basic, given))


def _set(x: Tensor, basic: _Basic, given: Tensor) -> Tensor:
    """x with `given` at an index of ints and slices."""
    (starts, start_tensors), (ends, end_tensors) = (
        bounds(basic.starts, "int64"),
        bounds(basic.ends, "int64"),
    )
    return OPS["set_value"](
        x,
        start_tensors,
        end_tensors,
        None,
        given,
        axes=basic.axes,
        starts=starts,
        ends=ends,
        steps=basic.steps,
        decrease_axes=basic.dropped,
        none_axes=basic.before,
        dtype=x.dtype.proto,
        shape=list(given.meta.shape),
    )


def _put(x: Tensor, index: Any, value: Tensor) -> Tensor:
    """x with `value` at an index that holds tensors."""
    if _is_mask(index) and value.ndim == 0:
        mask = as_index(index, x)
        while mask.ndim < x.ndim:
            mask = unsqueeze(mask, -1)
        return OPS["where"](*broadcast_beside(mask, [value.expand([1] * x.ndim), x]))
    items = _expand_ellipsis(index, x.ndim)
    while items and _is_all(items[-1]):
        items.pop()
    # Index tensors in front: the op accepts them directly.
    if all(_is_int(i) or _is_tensor_index(i) for i in items):
        return OPS["index_put"](x, [_place(i, x) for i in items], value)
    return _put_at(x, index, value)


def _is_all(item: Any) -> bool:
    return isinstance(item, slice) and item == slice(None)


def _place(item: Any, x: Tensor) -> Tensor:
    return as_index(
        item if isinstance(item, Tensor) or _is_tensor_index(item) else np.int64(item), x
    )


def _put_at(x: Tensor, index: Any, value: Tensor) -> Tensor:
    """x with `value` at any mixture of ints, slices, None and index tensors: NumPy says which
    elements are meant.
    """
    items = index if isinstance(index, tuple) else (index,)
    if not state.mode.is_eager and any(isinstance(i, Tensor) for i in items):
        why = (
            "while a program is recorded, index tensors in front of slices can be written to, "
            "and a mask with one number"
        )
        raise OpError(with_user_line(f"setitem: {why} (X={x.meta})"))
    shape = x.meta.shape
    plain = tuple(np.asarray(cuda.to_host(i.array)) if isinstance(i, Tensor) else i for i in items)
    try:
        places = np.arange(x.size).reshape(shape)[plain]
        given = value if value.ndim == 0 else expand(value, list(places.shape))
    except (IndexError, ValueError) as error:
        raise OpError(
            with_user_line(f"setitem: {error} (X={x.meta}, value={value.meta})")
        ) from None
    flat = OPS["index_put"](
        reshape(x, [-1]),
        [beside(x, places.reshape(-1))],
        given if value.ndim == 0 else reshape(given, [-1]),
    )
    return reshape(flat, list(shape))
