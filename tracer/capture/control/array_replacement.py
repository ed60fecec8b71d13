"""TensorArrays for lists that branches or loop iterations replace: `q = q[1:]`, `q = q + [x]`, `q =
[]`.

Each path through the branch or loop creates a separate list. After a branch, and at the start of
each iteration, the name denotes a new TensorArray, to which each path assigns its list. The
assignment does not copy the elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...core.errors import TraceError, append_user_line
from ...ir.program import Block
from ..modes import Static
from .branch_values import find_meta_of_value
from .container_aliasing import (
    MUTABLE_CONTAINERS,
    is_replaced_by_array,
    items_without_alias_check,
    resolve_replaced_list_and_reject_invalidated,
)
from .escape_analysis import is_local_object
from .tensor_arrays import TensorArray


class ListLengthMismatchError(TraceError):
    """Raised if a variable is a list of one length after one branch and of another length after the
    other branch.

    name: the variable.
    """

    def __init__(self, name: str) -> None:
        why = "the lists of the branches have different lengths"
        super().__init__(
            append_user_line(
                f"'{name}': {why}; append to one list in both, or use an `if` statement"
            )
        )
        self.name = name


def merge_needs_tensor_array(a: Any, b: Any) -> bool:
    """Whether the merge of two values needs a TensorArray: both are lists (or both tuples) of
    tensors, and their lengths differ or are known only at run time.
    """
    if not (
        _is_tensor_sequence_or_array(a) and _is_tensor_sequence_or_array(b)
    ) or _is_tuple_or_tuple_array(a) is not _is_tuple_or_tuple_array(b):
        return False
    return (
        isinstance(a, TensorArray)
        or isinstance(b, TensorArray)
        or len(_items_without_alias_check(a)) != len(_items_without_alias_check(b))
    )


def _is_tensor_sequence_or_array(value: Any) -> bool:
    if isinstance(value, TensorArray):
        return True
    kind = (type(value) in MUTABLE_CONTAINERS and isinstance(value, list)) or type(value) is tuple
    return kind and all(
        find_meta_of_value(v) is not None for v in _items_without_alias_check(value)
    )


def _is_tuple_or_tuple_array(value: Any) -> bool:
    return value.is_tuple if isinstance(value, TensorArray) else isinstance(value, tuple)


def _items_without_alias_check(value: Any) -> Sequence[Any]:
    return value if isinstance(value, tuple) else items_without_alias_check(value)


def replace_by_tensor_array_if_tensor_sequence(mode: Static, name: str, value: Any) -> Any:
    """Replace a list or tuple of tensors by a TensorArray, and return other values unchanged; raise
    TraceError for a list that the recorded code did not create.
    """
    if is_replaced_by_array(value):
        return resolve_replaced_list_and_reject_invalidated(value)
    if not _is_tensor_sequence_or_array(value) or isinstance(value, TensorArray):
        return value
    if isinstance(value, tuple):
        return TensorArray.from_items(mode, value)
    if not is_local_object(mode.recorder, value):
        raise TraceError(
            append_user_line(
                f"'{name}': this list was created outside of the captured function; "
                f"assign a copy of it to the name (`list(...)`)"
            )
        )
    return TensorArray.replace_list_by_array(mode, name, value)


@dataclass
class CarriedArray:
    """A list that loop iterations replace.

    initial: the list before the first iteration.
    variable: the list that the name denotes in the body.
    previous_element_type: the element type of `variable` when the recording of the body began.
    """

    name: str
    initial: TensorArray
    variable: TensorArray
    previous_element_type: Any = None  # see the class docstring

    @classmethod
    def create(cls, name: str, initial: TensorArray, successor: Any) -> CarriedArray:
        """Return a CarriedArray for the list `initial`, which an iteration replaced by
        `successor`.
        """
        result = cls(name, initial, initial)
        if isinstance(successor, TensorArray):
            initial.generalize_element_type_to_cover(successor)
        return result

    def declare_variable(self, mode: Static, block: Block) -> TensorArray:
        """Create `variable` for the next recording of the body, in the block around the loop."""
        self.variable = TensorArray(mode, block=block).generalize_element_type_to_cover(
            self.initial, self.variable
        )
        self.previous_element_type = self.variable.element_type_key
        return self.variable

    def generalize_element_type_and_report_change(self, successor: Any) -> bool:
        """Extend the element type to cover that of `successor`, the list at the end of an
        iteration. Returns whether the element type changed since the recording of the body began.
        """
        if isinstance(successor, TensorArray):
            self.variable.generalize_element_type_to_cover(successor)
        return bool(self.variable.element_type_key != self.previous_element_type)


def assign_arrays_simultaneously(pairs: Sequence[tuple[TensorArray, TensorArray]]) -> None:
    """Assign the second list of each pair to the first list. All second lists are read before any
    list is written.
    """
    targets = {id(to) for to, _ in pairs}
    values = [
        (to, value.copy() if id(value) in targets and value is not to else value)
        for to, value in pairs
    ]
    for to, value in values:
        if value is not to:
            value.assign_to(to)
