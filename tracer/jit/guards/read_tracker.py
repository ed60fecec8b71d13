"""Record what converted code reads from objects that existed before the capture, and from the
objects that they contain.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from ...core.tensor import Tensor
from ...ir.plain_values import PLAIN_TYPES
from ...nn.layer import Layer
from .guard import StateGuard
from .snapshots import (
    MISSING,
    ArraySnapshot,
    DictSnapshot,
    IdentitySnapshot,
    SequenceSnapshot,
    SetSnapshot,
    Snapshot,
    iter_snapshots,
    iter_value_and_items,
    take_snapshot_with_internal_states,
)
from .source import (
    CONTAINERS_WITH_HIDDEN_STORAGE,
    AttributeLookupSource,
    CaptureHeldObjectSource,
    ItemSource,
    RepeatableCallSource,
    TensorElementsSource,
    lookup_attribute_or_missing,
    lookup_item_or_missing,
    make_tensor_elements_snapshot,
)
from .user_code import is_oarlock_module_name, is_user_module


class ReadTracker:
    """Adds a guard for each read of an object that existed before the capture.

    guard_by_source: all guards, by id of the holder and key.
    watched_objects: objects whose attributes all have guards, by id.
    guard_layer: a function that adds the guards for the attributes of a layer.
    on_unstable_read: a function that is called with a description of each value read that differs
    at each call.
    """

    def __init__(
        self,
        guard_by_source: dict[Any, StateGuard],
        watched_objects: dict[int, Any],
        guard_layer: Callable[[Any], None],
        on_unstable_read: Callable[[str], None],
    ) -> None:
        (
            self._guard_by_source,
            self._watched_objects,
            self._guard_layer_attributes_hooks_and_classes,
        ) = (
            guard_by_source,
            watched_objects,
            guard_layer,
        )
        self.on_unstable_read = on_unstable_read
        self.used_random_generators: set[str] = (
            set()
        )  # names of the global random generators that converted code uses
        # by id: objects that existed before the capture
        self._existing_objects: dict[int, Any] = {}
        # Ids of containers of which a guard compares all items.
        self._compared_container_ids: set[int] = set()

    def release_objects(self) -> None:
        """Release the recorded objects when the capture is finished."""
        self._existing_objects.clear()

    def call_and_guard_result(self, label: str, function: Callable[[], Any]) -> Any:
        """Call a function whose result may differ at the next call of the program, add a guard for
        the result, and return it.
        """
        result = function()
        source = RepeatableCallSource(label, function, label)
        guard = StateGuard(source, take_snapshot_with_internal_states(result))
        self._guard_by_source.setdefault((id(function), label), guard)
        return result

    def guard_tensor_elements(self, tensor: Tensor, reader: str) -> None:
        """Add a guard for the elements of a tensor that Python reads.

        reader: how Python reads the elements, such as `item()`
        """
        key = id(tensor), ""
        if key not in self._guard_by_source:
            source = TensorElementsSource(f"{reader} of {tensor.name}", tensor, "")
            self._guard_by_source[key] = StateGuard(
                source, make_tensor_elements_snapshot(tensor.array)
            )

    def register_preexisting_value(self, value: Any, snapshot: Snapshot | None = None) -> None:
        """Register a value as existing before the capture, together with the items of its
        containers.

        snapshot: the snapshot with which a guard compares it.
        """
        if snapshot is not None:
            self._compared_container_ids.update(
                id(s.value)
                for s in iter_snapshots(snapshot)
                if isinstance(s, SequenceSnapshot | DictSnapshot | SetSnapshot | ArraySnapshot)
            )
        for part in _iter_value_and_trackable_parts(value):
            self._existing_objects[id(part)] = part

    def register_preexisting_globals_dict(self, names: dict[str, Any]) -> None:
        """Register the dict of globals of a module, so that later reads of its names get guards."""
        self._existing_objects[id(names)] = names

    def guard_attribute_read(self, value: Any, name: Any) -> None:
        """Add a guard for an attribute that is about to be read."""
        if self._is_tracked(value):
            self._guard_attribute_or_item_read(value, name, is_item=False)

    def guard_item_read(self, value: Any, key: Any) -> None:
        """Add a guard for an element that is about to be read."""
        if self._is_tracked(value) and id(value) not in self._compared_container_ids:
            self._guard_attribute_or_item_read(value, key, is_item=True)

    def _guard_attribute_or_item_read(self, value: Any, key: Any, is_item: bool) -> None:
        """Find or add the guard of an attribute or item, and mark it as read. The value that is
        read is registered, so that reads of its parts get guards, too.
        """
        if not isinstance(key, (*PLAIN_TYPES, type)):
            return
        guard = self._guard_by_source.get((id(value), key)) or self._try_add_lookup_guard(
            value, key, is_item
        )
        if guard is None:
            return
        if guard.source.is_recorded_read and not guard.was_read:
            # If the guard does not hold any more, the function assigned the attribute before and
            # reads its own value.
            guard.was_read = guard.is_satisfied()
        before = guard.expected.value
        if before is not MISSING and guard.source.read() is before:
            self.register_preexisting_value(before, guard.expected)

    def _try_add_lookup_guard(
        self, value: Any, key: Any, is_item: bool, is_read: bool = True
    ) -> StateGuard | None:
        """Add a guard for an attribute or item and return it. Return None if the attribute or item
        is missing, was assigned during the capture, or is a constant of a layer's class.
        """
        has_guards = id(value) in self._watched_objects and not isinstance(value, type | ModuleType)
        if has_guards and key in vars(value):
            return None  # assigned during the capture
        found = (
            lookup_item_or_missing(value, key)
            if is_item
            else lookup_attribute_or_missing(value, key)
        )
        is_class_constant = isinstance(value, Layer) and isinstance(
            found, (*PLAIN_TYPES, FunctionType, property)
        )
        if found is MISSING or is_class_constant:
            return None
        if is_item:
            source: AttributeLookupSource | ItemSource = ItemSource(
                f"{_name_or_type_name(value)}[{key!r}]", value, key
            )
        else:
            source = AttributeLookupSource(f"{_name_or_type_name(value)}.{key}", value, key)
        guard = StateGuard(source, take_snapshot_with_internal_states(found), was_read=is_read)
        self._guard_by_source[id(value), key] = guard
        if isinstance(found, Layer):
            self._guard_layer_attributes_hooks_and_classes(found)
        return guard

    def guard_state_before_write(
        self, value: Any, name: str, attribute: str, is_read: bool
    ) -> None:
        """Add guards for the current state of an object that the function is about to change.

        attribute: the only attribute that changes; empty if unknown.
        is_read: whether the code reads the attribute before it changes it.
        """
        if (
            isinstance(value, Layer)
            or not self._is_tracked(value)
            or id(value) in self._compared_container_ids
        ):
            return
        if isinstance(value, list | dict | set):
            holder = {name: value}
            guard = StateGuard(
                CaptureHeldObjectSource(name, holder, name),
                take_snapshot_with_internal_states(value),
            )
            self._guard_by_source[id(holder), name] = guard
            self.register_preexisting_value(value, guard.expected)
            return
        for key in (attribute,) if attribute else tuple(getattr(value, "__dict__", ())):
            if (id(value), key) in self._guard_by_source:
                continue
            if self._try_add_lookup_guard(value, key, False, is_read) is None:
                source = AttributeLookupSource(f"{_name_or_type_name(value)}.{key}", value, key)
                self._guard_by_source[id(value), key] = StateGuard(
                    source, IdentitySnapshot(MISSING), was_read=is_read
                )

    def guard_absent_global_before_write(self, names: dict[str, Any], name: str) -> None:
        """If a global name that a function may assign does not exist yet, add a guard that it does
        not exist.
        """
        if name not in names:
            guard = StateGuard(
                ItemSource(name, names, name), IdentitySnapshot(MISSING), was_read=False
            )
            self._guard_by_source.setdefault((id(names), name), guard)

    def existed_before_capture(self, value: Any) -> bool:
        """Whether a value was registered as existing before the capture."""
        return id(value) in self._existing_objects

    def _is_tracked(self, value: Any) -> bool:
        if isinstance(value, ModuleType):
            return is_user_module(value)
        return id(value) in self._existing_objects or isinstance(value, os._Environ)


def _name_or_type_name(value: Any) -> str:
    return (value if isinstance(value, type | ModuleType | FunctionType) else type(value)).__name__


def _iter_value_and_trackable_parts(value: Any) -> Iterator[Any]:
    """Yield a value, the items of its containers, the object of a bound method and the arguments of
    a partial function. Plain values, tensors and arrays are left out, and so are objects of Oarlock
    other than layers and CONTAINERS_WITH_HIDDEN_STORAGE.
    """
    for part in iter_value_and_items(value):
        if isinstance(part, (*PLAIN_TYPES, Tensor, np.ndarray)):
            continue
        if isinstance(part, MethodType):
            yield part.__self__
        elif isinstance(part, functools.partial):
            yield part.args
            yield part.keywords
            for inner in (part.func, *part.args, *part.keywords.values()):
                yield from _iter_value_and_trackable_parts(inner)
        elif isinstance(
            part, (Layer, *CONTAINERS_WITH_HIDDEN_STORAGE)
        ) or not is_oarlock_module_name(type(part).__module__):
            yield part
