"""Side effects: assignments of symbolic values to attributes and elements of objects that existed
before the capture.

The capture restores the previous values of such attributes and elements; each run of the program
assigns the new values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ...capture.control.container_aliasing import ReplacedListPlaceholder
from ...capture.control.mutable_locations import (
    ClosureCellLocation,
    DictItemsLocation,
    ListItemsLocation,
    MutableLocation,
)
from ...capture.control.tensor_arrays import TensorArray
from ...capture.recorder import Recorder
from ...capture.variable import Variable
from ...core import pytree
from ...core.errors import TraceError
from ...core.op import OPS
from ...core.parameter import Parameter
from ...core.tensor import Tensor
from ...nn.layer import Layer
from .snapshots import MISSING, iter_value_and_items


def is_symbolic_value(value: Any) -> bool:
    """Whether a value is symbolic: a Variable or TensorArray, which has no value while the program
    is recorded.
    """
    return isinstance(value, Variable | TensorArray | ReplacedListPlaceholder)


@dataclass
class SideEffect:
    """An attribute or element to which each call of the program assigns a tensor.

    owner: the layer, object, dict or list that holds it.
    previous_value: the value before the capture; MISSING if there was none.
    new_value: the symbolic value that is assigned, possibly nested.
    location_name: the name of the location, for messages.
    is_previous_tensor_aliased: whether another location refers to the previous tensor; the program
    is then valid only for this tensor.
    condition: if the value is assigned on some paths only, the bool Variable that states whether it
    is.
    """

    owner: Any
    key: Any
    previous_value: Any
    new_value: Any
    location_name: str = ""
    is_previous_tensor_aliased: bool = False
    condition: Any = True

    def read(self) -> Any:
        """Return the current value of the attribute or element; MISSING if there is none."""
        if isinstance(self.owner, list):
            return self.owner[self.key] if self.key < len(self.owner) else MISSING
        table = self.owner if isinstance(self.owner, dict) else vars(self.owner)
        return table.get(self.key, MISSING)

    def write(self, value: Any) -> None:
        """Assign a value, new or previous, to the attribute or element."""
        if isinstance(self.owner, list | dict):
            self.owner[self.key] = value
        else:
            setattr(self.owner, self.key, value)

    def restore(self) -> None:
        """Assign the value from before the capture, without running setters of user objects."""
        if self.previous_value is MISSING:
            (self.owner if isinstance(self.owner, dict) else vars(self.owner)).pop(self.key, None)
        elif isinstance(self.owner, Layer | list | dict):
            self.write(self.previous_value)
        else:
            vars(self.owner)[self.key] = self.previous_value

    def is_current_value_compatible(self) -> bool:
        """Whether the current value has the same structure, shapes and dtypes as the value before
        the capture.
        """
        now = self.read()
        if self.is_previous_tensor_aliased:
            return now is self.previous_value
        if isinstance(self.previous_value, Tensor):
            return isinstance(now, Tensor) and now.meta == self.previous_value.meta
        if now is self.previous_value or not isinstance(now, list | tuple | dict):
            return now is self.previous_value
        (leaves, spec), (now_leaves, now_spec) = (
            pytree.flatten(self.previous_value),
            pytree.flatten(now),
        )
        return spec == now_spec and all(map(_is_same_or_has_equal_meta, leaves, now_leaves))

    def replaces_layer_state(self) -> bool:
        """Whether the previous value was a parameter or a buffer."""
        return isinstance(self.previous_value, Parameter) or is_registered_buffer(
            self.owner, self.key, self.previous_value
        )

    @property
    def label(self) -> str:
        """The name of the attribute or element in messages."""
        return self.location_name or f"{type(self.owner).__name__}.{self.key}"


def _is_same_or_has_equal_meta(before: Any, now: Any) -> bool:
    return now is before or (
        isinstance(now, Tensor) and isinstance(before, Tensor) and now.meta == before.meta
    )


class InitialAttributesSnapshot:
    """Saves the attributes of objects before a capture, to find the attributes that the capture
    assigns.

    owner: a layer, whose sublayers are tracked, too, or another object.
    """

    def __init__(self, owner: Any) -> None:
        owners = owner.sublayers(include_self=True) if isinstance(owner, Layer) else [owner]
        self._initial_attributes = [
            (o, dict(o.__dict__))
            for o in owners
            if hasattr(o, "__dict__") and not isinstance(o, type)
        ]

    def restore_and_return_side_effects(self) -> list[SideEffect]:
        """Restore the previous values of attributes that hold symbolic values now; return these
        assignments as side effects.
        """
        changes = self._iter_changes()
        return _restore_and_return_effects(
            SideEffect(*c) for c in changes if contains_symbolic_value(c[3])
        )

    def _iter_changes(self) -> Iterator[tuple[Any, str, Any, Any]]:
        """Yield owner, name, previous value and current value of each attribute that was assigned
        during the capture.
        """
        for owner, before in self._initial_attributes:
            for key, value in list(owner.__dict__.items()):
                if key != "_static_functions" and before.get(key, MISSING) is not value:
                    yield owner, key, before.get(key, MISSING), value


def restore_and_return_location_effects(recorder: Recorder) -> list[SideEffect]:
    """Restore the attributes and items of objects, dicts and lists from before the capture that
    converted code replaced by symbolic values; return these assignments as side effects.
    """
    locations = recorder.open_blocks[0].locations.values()
    return _restore_and_return_effects(
        effect
        for location, before in locations
        for effect in _iter_location_side_effects(location, before)
    )


def _restore_and_return_effects(effects: Iterable[SideEffect]) -> list[SideEffect]:
    restored = list(effects)
    for effect in restored:
        effect.restore()
    return restored


def _iter_location_side_effects(
    location: MutableLocation, before: dict[Any, Any]
) -> Iterator[SideEffect]:
    now = location.read()
    has_new_length = isinstance(location, ListItemsLocation) and len(now) != len(before)
    was_created_here = any(map(is_symbolic_value, before.values()))
    is_variable = isinstance(location, ClosureCellLocation) or location.keys is not None
    if has_new_length or is_variable or was_created_here:
        return
    changed = {k: v for k, v in now.items() if before.get(k, MISSING) is not v}
    if isinstance(location, DictItemsLocation):
        changed = {k: v for k, v in changed.items() if k in before}
    if any(map(contains_symbolic_value, changed.values())):
        for key, value in changed.items():
            # The tensor also belongs to another location, which the in-place change affects as
            # well.
            is_moved = isinstance(value, Tensor) and not isinstance(value, Variable)
            after = OPS["assign"](value) if is_moved else value
            if is_moved or contains_symbolic_value(value):
                yield SideEffect(
                    location.target, key, before.get(key, MISSING), after, location.label(key)
                )


def contains_symbolic_value(value: Any) -> bool:
    """Whether a value, or a leaf of a container, is a symbolic value of a program."""
    return any(map(is_symbolic_value, pytree.flatten(value)[0]))


def reject_effects_assigning_tensor_arrays(effects: list[SideEffect]) -> None:
    """Raise TraceError if a side effect assigns a TensorArray, because a run has no Python value
    for it.
    """
    for effect in effects:
        leaves = pytree.flatten(effect.new_value)[0]
        if any(isinstance(leaf, TensorArray | ReplacedListPlaceholder) for leaf in leaves):
            raise TraceError(
                f"{effect.label} was set to a list whose length is known only at run time; "
                "assign a tensor, or a list whose length is known while the program is recorded"
            )


def attribute_dict_id(holder: Any) -> int:
    """Return the id of the dict that holds the attributes of an object or the names of a module."""
    return id(vars(holder) if hasattr(holder, "__dict__") else holder)


def _iter_nested_items_with_container_keys(value: Any) -> Iterator[tuple[Any, tuple[int, Any]]]:
    """Yield the items of nested containers, each with a pair of the id of its container and its
    key.
    """
    for found in iter_value_and_items(value):
        if isinstance(found, dict | list | tuple):
            for key, item in found.items() if isinstance(found, dict) else enumerate(found):
                yield item, (id(found), key)


def mark_effects_whose_previous_tensor_is_aliased(
    effects: list[SideEffect], locations: Iterable[tuple[Any, Any, Any]]
) -> None:
    """Mark the side effects whose previous tensor is also held by another location.

    locations: holder, key and value of each other location.
    """
    users: dict[int, set[tuple[int, Any]]] = {}  # by id of a tensor: the locations that hold it
    for holder, key, value in locations:
        if isinstance(value, Tensor):
            users.setdefault(id(value), set()).add((attribute_dict_id(holder), key))
        for item, position in _iter_nested_items_with_container_keys(value):
            users.setdefault(id(item), set()).add(position)
    for effect in effects:
        leaves = pytree.flatten(effect.previous_value)[0]
        own = {(attribute_dict_id(effect.owner), effect.key)}
        own |= {
            position
            for _, position in _iter_nested_items_with_container_keys(effect.previous_value)
        }
        tensors = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
        effect.is_previous_tensor_aliased = any(users.get(id(t), set()) - own for t in tensors)


def is_registered_buffer(owner: Any, key: str, value: Any) -> bool:
    """Whether `value`, held by attribute `key` of `owner`, is a registered buffer of a layer."""
    return isinstance(owner, Layer) and key in owner._buffers and isinstance(value, Tensor)
