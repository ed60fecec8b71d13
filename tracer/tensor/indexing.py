"""`x[...]` as ops: slice and strided_slice for ints and slices, unsqueeze2 for None, gather for
tensors.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.errors import IndexRangeError, OpError, append_user_line
from ..core.mode import state
from ..core.op import OPS
from ..core.paddle1_compat import compat
from ..core.tensor import Tensor
from .convert import array_to_tensor_on_device_of, cast, full, split_into_ints_and_tensors, to_array
from .manipulation import (
    apply_in_place,
    broadcast_with_condition,
    expand,
    indices_to_tensor,
    reshape,
    squeeze,
    stack,
    transpose,
    unsqueeze,
)

_MAX_SLICE_END = 2**31 - 1


def _expand_index_to_all_axes(index: Any, rank: int) -> list[Any]:
    items = (
        [_bool_list_to_mask(i) for i in index]
        if isinstance(index, tuple)
        else [_bool_list_to_mask(index)]
    )
    num_axes = sum(_num_indexed_axes(i) for i in items)
    if num_axes > rank:
        raise IndexRangeError(
            append_user_line(f"index: too many indices ({num_axes} for rank {rank})")
        )
    full_slices = [slice(None)] * (rank - num_axes)
    for i, item in enumerate(items):
        if item is Ellipsis:
            return items[:i] + full_slices + items[i + 1 :]
    return items + full_slices


def _bool_list_to_mask(item: Any) -> Any:
    """Convert a list of bools to an array; return any other item unchanged."""
    return (
        np.asarray(item)
        if isinstance(item, list) and item and all(isinstance(i, bool) for i in item)
        else item
    )


def _num_indexed_axes(item: Any) -> int:
    if item is None or item is Ellipsis or _is_scalar_bool(item):
        return 0
    if _is_mask(item):
        return int(item.ndim)
    return 1


def _is_mask(item: Any) -> bool:
    if isinstance(item, Tensor):
        return item.meta.dtype.kind == "b"
    return isinstance(item, np.ndarray) and item.dtype.kind == "b"


def _is_scalar_bool(item: Any) -> bool:
    """Return whether an index is a scalar bool, which adds an axis of size 1 or 0."""
    return isinstance(item, bool | np.bool_) or (_is_mask(item) and item.ndim == 0)


def _is_advanced_index(item: Any) -> bool:
    return not _is_scalar_bool(item) and _is_nonscalar_tensor_list_or_ndarray(item)


def _is_nonscalar_tensor_list_or_ndarray(item: Any) -> bool:
    return (isinstance(item, Tensor) and item.ndim > 0) or isinstance(item, list | np.ndarray)


def _is_scalar_int(item: Any) -> bool:
    return (isinstance(item, int | np.integer) and not isinstance(item, bool)) or (
        isinstance(item, Tensor) and item.ndim == 0 and not _is_scalar_bool(item)
    )


class _ParsedIndex:
    """A parsed index: the attributes of a slice op for ints and slices, the axes that None inserts,
    and the advanced items (tensors, lists, masks) with their axes in the sliced result.
    """

    def __init__(self, x: Tensor, index: Any) -> None:
        self.x = x
        self.axes: list[int] = []
        self.starts: list[Any] = []
        self.ends: list[Any] = []
        self.steps: list[int] = []
        self.decrease_axes: list[int] = []  # axes of ints, removed from the result
        self.inserted_axes: list[int] = []  # axes of the result that None inserts ...
        self.none_axes: list[int] = []  # ... and the axes of x before which they are inserted
        self.advanced: list[tuple[int, Any]] = []  # axis of the sliced result, index
        axis = out = 0
        for item in _expand_index_to_all_axes(index, x.ndim):
            axis, out = self._add_item(item, axis, out)

    def _add_item(self, item: Any, axis: int, out: int) -> tuple[int, int]:
        if item is None:
            self.inserted_axes.append(out)
            self.none_axes.append(axis)
            return axis, out + 1
        if _is_scalar_bool(item):
            self.inserted_axes.append(out)
            self.none_axes.append(axis)
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
        if _is_scalar_int(item):
            self._add_range(axis, item, _slice_end_for_int(item), 1)
            self.decrease_axes.append(axis)
            return axis + 1, out
        if isinstance(item, slice):
            if item.start is not None or item.stop is not None or item.step is not None:
                self._add_slice(axis, item)
            return axis + 1, out + 1
        if _is_advanced_index(item):
            if _is_mask(item):
                self._check_mask_shape(axis, item)
            self.advanced.append((out, item))
            return axis + (item.ndim if _is_mask(item) else 1), out + (
                item.ndim if _is_mask(item) else 1
            )
        raise IndexRangeError(
            append_user_line(
                "index: expected an int, slice, None, Ellipsis or tensor, got "
                f"{type(item).__name__}"
            )
        )

    def _check_mask_shape(self, axis: int, mask: Any) -> None:
        sizes = self.x.meta.shape[axis : axis + mask.ndim]
        if any(
            0 <= size != mask_size >= 0 for size, mask_size in zip(sizes, mask.shape, strict=True)
        ):
            raise IndexRangeError(
                append_user_line(
                    f"index: a mask of shape {list(mask.shape)} does not match {list(sizes)} "
                    f"(X={self.x.meta})"
                )
            )

    def _add_range(self, axis: int, start: Any, end: Any, step: Any) -> None:
        self.axes.append(axis)
        self.starts.append(start)
        self.ends.append(end)
        self.steps.append(step)

    def _add_slice(self, axis: int, item: slice) -> None:
        if isinstance(item.step, Tensor) and state.mode.static:
            forward = OPS["greater_than"](item.step, full([], 0, item.step.dtype))
            first, last = (full([], v, item.step.dtype) for v in (0, _MAX_SLICE_END))
            start = OPS["where"](forward, first, last) if item.start is None else item.start
            end = (
                OPS["where"](forward, last, full([], -1, item.step.dtype))
                if item.stop is None
                else item.stop
            )
            self._add_range(axis, start, end, item.step)
            return
        step = 1 if item.step is None else int(item.step)
        if step == 0:
            raise OpError(append_user_line("index: the step of a slice is 0"))
        start = (0 if step > 0 else _MAX_SLICE_END) if item.start is None else item.start
        end = (_MAX_SLICE_END if step > 0 else -1) if item.stop is None else item.stop
        is_known = item.stop is not None and not (
            isinstance(item.stop, Tensor) and state.mode.static
        )
        if step < 0 and is_known and int(item.stop) < 0:
            # NOTE: with a negative stride Paddle reads an end of -1 as "down to the first";
            # Python's -1 is the last.
            end = self._require_static_size(axis) + int(item.stop)
            end = -1 if end < 0 else end
        self._add_range(axis, start, end, step)

    def _require_static_size(self, axis: int) -> int:
        # Reading the size lets a trace record a guard, because the index selects other elements if
        # the size differs.
        size = self.x.shape[axis]
        if not isinstance(size, int):
            raise OpError(
                append_user_line(
                    "index: a negative end with a negative step requires a static size"
                )
            )
        return size


def _slice_end_for_int(item: Any) -> Any:
    """Return the end of the slice that is equivalent to an int index."""
    if isinstance(item, Tensor) and state.mode.static:
        return OPS["where"](
            OPS["equal"](item, full([], -1, item.dtype)),
            full([], _MAX_SLICE_END, item.dtype),
            item + 1,
        )
    return _MAX_SLICE_END if int(item) == -1 else item + 1


def _check_int_indices_in_bounds(x: Tensor, basic: _ParsedIndex) -> None:
    for axis in basic.decrease_axes:
        start, size = basic.starts[basic.axes.index(axis)], x.meta.shape[axis]
        if isinstance(start, Tensor) or size < 0:
            continue
        if not -size <= start < size:
            raise IndexError(
                append_user_line(f"index: {start} is out of range for axis {axis} (X={x.meta})")
            )


def _apply_slices(x: Tensor, basic: _ParsedIndex) -> Tensor:
    if not basic.axes:
        return x
    (starts, start_tensors), (ends, end_tensors) = (
        split_into_ints_and_tensors(basic.starts),
        split_into_ints_and_tensors(basic.ends),
    )
    steps, step_tensors = split_into_ints_and_tensors(basic.steps)
    flags = [-1 if start_tensors or end_tensors or step_tensors else 1] * len(basic.axes)
    attrs = {
        "axes": basic.axes,
        "starts": starts,
        "ends": ends,
        "infer_flags": flags,
        "decrease_axis": basic.decrease_axes,
    }
    if step_tensors is None and all(s == 1 for s in steps):
        return OPS["slice"](x, None, None, start_tensors, end_tensors, **attrs)
    return OPS["strided_slice"](
        x, None, None, None, start_tensors, end_tensors, step_tensors, strides=steps, **attrs
    )


def getitem(x: Tensor, index: Any) -> Tensor:
    """Return x[index] for ints, slices, None, Ellipsis, bool masks and integer tensors, as in
    NumPy.
    """
    if index.__class__ is int and state.mode.is_eager:
        shape = x.array.shape
        if shape and -shape[0] <= index < shape[0]:  # Fast path for the most common index.
            first = index % shape[0]
            decrease_axes = [] if len(shape) == 1 and compat.rules.scalars_have_one_axis else [0]
            return OPS["slice"](
                x, axes=[0], starts=[first], ends=[first + 1], decrease_axis=decrease_axes
            )
    basic = _ParsedIndex(x, index)
    _check_int_indices_in_bounds(x, basic)
    one_axis = compat.rules.scalars_have_one_axis
    if one_axis and len(basic.decrease_axes) == x.ndim and not basic.inserted_axes:
        basic.decrease_axes = basic.decrease_axes[:-1]
    out = _apply_slices(x, basic)
    if basic.inserted_axes:
        out = unsqueeze(out, basic.inserted_axes)
    if basic.advanced:
        return _gather_at_advanced_index(out, basic.advanced)
    return reshape(out, [1]) if one_axis and not out.meta.shape else out


def _gather_at_advanced_index(x: Tensor, advanced: list[tuple[int, Any]]) -> Tensor:
    axes, indices = [], []
    for axis, item in advanced:
        if _is_mask(item):
            positions = OPS["where_index"](indices_to_tensor(item, x))
            indices += OPS["unbind"](positions, axis=1)
            axes += list(range(axis, axis + item.ndim))
        else:
            indices.append(
                _wrap_negative_indices_if_eager(
                    indices_to_tensor(_wrap_negative_indices_of_list(item, x, axis), x), x, axis
                )
            )
            axes.append(axis)
    if len(axes) == 1 and indices[0].ndim == 1:
        return OPS["gather"](x, indices[0], axis=axes[0])
    return _gather_along_axes(x, axes, indices)


def _gather_along_axes(x: Tensor, axes: list[int], indices: list[Tensor]) -> Tensor:
    """Index several axes by tensors: moves them to the front, applies gather_nd, and moves them
    back if they are adjacent.
    """
    others = [a for a in range(x.ndim) if a not in axes]
    are_adjacent = axes == list(range(axes[0], axes[0] + len(axes)))
    if len({tuple(i.meta.shape) for i in indices}) > 1:
        indices = OPS["broadcast_tensors"](indices)
    front = x if axes == list(range(len(axes))) else transpose(x, axes + others)
    out: Tensor = OPS["gather_nd"](front, stack(indices, axis=-1))
    num_index_axes = indices[0].ndim
    if are_adjacent and axes[0] > 0:
        leading = list(range(num_index_axes, num_index_axes + axes[0]))
        out = transpose(
            out,
            leading + list(range(num_index_axes)) + list(range(num_index_axes + axes[0], out.ndim)),
        )
    return out


def _wrap_negative_indices_if_eager(index: Tensor, x: Tensor, axis: int) -> Tensor:
    """Return the indices; in eager mode, negative ones are converted to non-negative ones. In
    recorded programs, the engine converts them.
    """
    if not state.mode.is_eager or index.meta.dtype.kind not in "iu":
        return index
    if index.array.size and (index.array < 0).any():
        return OPS["where"](index < 0, index + x.meta.shape[axis], index)
    return index


def _wrap_negative_indices_of_list(item: Any, x: Tensor, axis: int) -> Any:
    """Convert negative indices of a list to non-negative ones. A trace records a guard on the size
    of the axis.
    """
    if isinstance(item, Tensor):
        return item
    array = np.asarray(item)
    if array.dtype.kind != "i" or not array.size or array.min() >= 0:
        return array
    size = x.shape[axis]
    if not isinstance(size, int):
        raise OpError(append_user_line("index: a negative index in a list requires a static size"))
    return np.where(array < 0, array + size, array)


def setitem(x: Tensor, index: Any, value: Any) -> None:
    """Assign `value` to x[index]: x refers to a new tensor, so that recorded uses of the old value
    stay valid.
    """
    basic = _ParsedIndex(x, index)
    _check_int_indices_in_bounds(x, basic)
    source = (
        value
        if isinstance(value, Tensor)
        else array_to_tensor_on_device_of(x, to_array(value, x.dtype))
    )
    if source.meta.dtype != x.meta.dtype:
        source = cast(source, x.dtype)
    apply_in_place(
        x,
        lambda current: (
            _assign_at_tensor_index(current, index, source)
            if basic.advanced
            else _assign_at_basic_index(current, basic, source)
        ),
    )


def _assign_at_basic_index(x: Tensor, basic: _ParsedIndex, source: Tensor) -> Tensor:
    """Return x with `source` assigned at an index of ints and slices."""
    (starts, start_tensors), (ends, end_tensors) = (
        split_into_ints_and_tensors(basic.starts, "int64"),
        split_into_ints_and_tensors(basic.ends, "int64"),
    )
    return OPS["set_value"](
        x,
        start_tensors,
        end_tensors,
        None,
        source,
        axes=basic.axes,
        starts=starts,
        ends=ends,
        steps=basic.steps,
        decrease_axes=basic.decrease_axes,
        none_axes=basic.none_axes,
        dtype=x.dtype.proto,
        shape=list(source.meta.shape),
    )


def _assign_at_tensor_index(x: Tensor, index: Any, value: Tensor) -> Tensor:
    """Return x with `value` assigned at an index that contains tensors."""
    if _is_mask(index) and value.ndim == 0:
        mask = indices_to_tensor(index, x)
        while mask.ndim < x.ndim:
            mask = unsqueeze(mask, -1)
        return OPS["where"](*broadcast_with_condition(mask, [value.expand([1] * x.ndim), x]))
    items = _expand_index_to_all_axes(index, x.ndim)
    while items and _is_full_slice(items[-1]):
        items.pop()
    # If all items before trailing full slices are integers or index tensors, the op index_put
    # accepts them directly.
    if all(_is_scalar_int(i) or _is_advanced_index(i) for i in items):
        return OPS["index_put"](x, [_index_item_to_tensor(i, x) for i in items], value)
    return _assign_at_flat_positions(x, index, value)


def _is_full_slice(item: Any) -> bool:
    return isinstance(item, slice) and item == slice(None)


def _index_item_to_tensor(item: Any, x: Tensor) -> Tensor:
    return indices_to_tensor(
        item if isinstance(item, Tensor) or _is_advanced_index(item) else np.int64(item), x
    )


def _assign_at_flat_positions(x: Tensor, index: Any, value: Tensor) -> Tensor:
    """Return x with `value` assigned at any mixture of ints, slices, None and index tensors.

    x is flattened; `getitem` selects the positions of the assigned elements in it.
    """
    shape: Any = list(x.meta.shape)
    shape = OPS["shape"](x) if -1 in shape else shape
    positions = getitem(reshape(_flat_positions_of_elements(x), shape), index)
    flat = OPS["index_put"](
        reshape(x, [-1]),
        [reshape(positions, [-1])],
        value
        if value.ndim == 0
        else reshape(_broadcast_value_to_positions(x, positions, value), [-1]),
    )
    return reshape(flat, shape)


def _flat_positions_of_elements(x: Tensor) -> Tensor:
    """Return the flat positions of all elements of x, int64."""
    if -1 not in x.meta.shape:
        return array_to_tensor_on_device_of(x, np.arange(math.prod(x.meta.shape)))
    zero, one = full([], 0, "int64"), full([], 1, "int64")
    result: Tensor = OPS["range"](zero, OPS["size"](x), one)
    return result


def _broadcast_value_to_positions(x: Tensor, positions: Tensor, value: Tensor) -> Tensor:
    shape: Any = list(positions.meta.shape)
    leading_sizes = value.meta.shape[: max(value.ndim - len(shape), 0)]
    is_larger = any(n not in (1, -1) for n in leading_sizes)
    differs = any(
        n >= 0 <= m and n not in (1, m)
        for n, m in zip(reversed(value.meta.shape), reversed(shape), strict=False)
    )
    if is_larger or differs:
        raise OpError(
            append_user_line(
                f"setitem: the value does not broadcast to the selected elements, {shape} "
                f"(X={x.meta}, value={value.meta})"
            )
        )
    if leading_sizes:
        value = squeeze(value, list(range(len(leading_sizes))))
    return expand(value, OPS["shape"](positions) if -1 in shape else shape)
