"""TensorArrays at run time: immutable lists of arrays, where None is an element that was never
written. A write makes a new version in constant time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..capture.control.branch_values import axis_size_or_one
from ..core.errors import OpError
from ..core.op import OPS
from ..core.tensor import Tensor
from .persistent_list import PersistentList

Array = np.ndarray[Any, Any]
TensorList = Sequence[Any] | None


def _to_persistent_list(held: TensorList) -> PersistentList:
    return held if isinstance(held, PersistentList) else PersistentList(held or ())


def write_element(held: TensorList, position: Array, value: Array) -> PersistentList:
    """The list `held` with `value` at a position. If the list is shorter, it is padded with
    None.
    """
    at = position.item()
    if at < 0:
        raise OpError(f"write_to_array: the position {at} is negative")
    return _to_persistent_list(held).with_element(at, value)


def read_element(held: TensorList, position: Array) -> Any:
    """The element at a position. Raises OpError if no element was written at the position."""
    at, items = position.item(), held or ()
    if not 0 <= at < len(items) or items[at] is None:
        raise OpError(
            f"read_from_array: nothing was written at position {at} of a list of {len(items)}"
        )
    return items[at]


def length(held: TensorList) -> Array:
    """The number of elements of the list, as an array int64[1]."""
    return np.array([len(held or ())], np.int64)


def concat(held: TensorList, axis: int, stacked: bool) -> tuple[Array, Array]:
    """Concatenate or stack the elements along an axis. Returns the array, and the size of each of
    the N elements along the axis, int32[N].
    """
    items = list(held or ())
    if not items:
        raise OpError("tensor_array_to_tensor: the list is empty")
    made = np.stack(items, axis) if stacked else np.concatenate(items, axis)
    return made, np.array([axis_size_or_one(x.shape, axis) for x in items], np.int32)


def length_as_tensor(held: TensorList) -> Tensor:
    """The number of elements of the list, as a Tensor int64[1]."""
    return Tensor(length(held))


def concat_or_stack_tensors(held: TensorList, axis: int, stacked: bool) -> tuple[Tensor, Tensor]:
    """Concatenate or stack the elements of a list of Tensors with eager ops; also return the size
    of each element along the axis.
    """
    items = list(held or ())
    if not items:
        raise OpError("tensor_array_to_tensor: the list is empty")
    made = OPS["stack"](items, axis=axis) if stacked else OPS["concat"](items, axis=axis)
    made = made[0] if isinstance(made, tuple) else made
    return made, Tensor(np.array([axis_size_or_one(x.meta.shape, axis) for x in items], np.int32))


# id of a function on arrays -> the function that replaces it where registers hold Tensors
TENSOR_VERSIONS = {id(length): length_as_tensor, id(concat): concat_or_stack_tensors}


def concat_or_stack_grad(
    gradient: Array, held: Sequence[Array], axis: int, stacked: bool
) -> list[Array]:
    """The gradients of the elements of a list, from the gradient of the array to which the list was
    concatenated or stacked.
    """
    if stacked:
        return [np.take(gradient, i, axis) for i in range(len(held))]
    ends = np.cumsum([x.shape[axis] for x in held])[:-1]
    return np.split(gradient, ends, axis)


def sum_lists_elementwise(*gradients: TensorList) -> PersistentList:
    """The sum of several lists, element by element. A missing element counts as zero."""
    result, *others = map(_to_persistent_list, gradients)
    for other in others:
        fewer, more = sorted((result, other), key=PersistentList.num_elements)
        result = more.padded_to(len(fewer))
        for i, item in fewer.elements().items():
            result = _add_to_element(result, i, item)
    return result


def _add_to_element(items: PersistentList, index: int, value: Any) -> PersistentList:
    """The list with `value` added to an element. A missing element counts as zero."""
    found = _element_or_none(items, index)
    return items.with_element(index, value if found is None else found + value)


def _element_or_none(items: Sequence[Any], index: int) -> Any:
    return items[index] if index < len(items) else None


def split_grad_at_written_element(
    gradients: TensorList, position: Array, value: Array
) -> tuple[Array, PersistentList]:
    """The gradients of a written element and of the list before the write, from the gradients of
    the list after the write.
    """
    at, items = position.item(), _to_persistent_list(gradients)
    found = _element_or_none(items, at)
    if found is None:
        return np.zeros_like(value), items
    return found, items.with_element(at, None)


def add_grad_of_read_element(
    gradients: TensorList, position: Array, gradient: Array
) -> PersistentList:
    """The gradient of a list, with `gradient` added to the element that was read."""
    return _add_to_element(_to_persistent_list(gradients), position.item(), gradient)


def select_input_grad(mask: Array, gradient: Array, operands: Sequence[Any]) -> list[Any]:
    """The gradients of the inputs of select_input: `gradient` for the selected input, zeros for the
    others, None for inputs without a value.
    """
    at = mask.item()
    return [
        gradient if i == at else None if x is None else np.zeros_like(x)
        for i, x in enumerate(operands)
    ]
