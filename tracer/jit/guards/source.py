"""Sources, as in torch.dynamo: where a value that captured code read is stored.

A source can read the current value at a later call, and can write or delete it.
"""

from __future__ import annotations

import collections
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import (
    CellType,
    FunctionType,
    MappingProxyType,
    MemberDescriptorType,
    ModuleType,
)
from typing import Any, ClassVar

import numpy as np

from ...core.cuda import to_host
from .snapshots import MISSING, ArraySnapshot, IdentitySnapshot, Snapshot

# Names of the dicts and lists of a layer, such as its parameters, whose keys or elements a guard
# compares.
LAYER_REGISTRIES = (
    "_parameters",
    "_buffers",
    "_sub_layers",
    "_forward_pre_hooks",
    "_forward_post_hooks",
)
# Containers that store their items elsewhere than in `__dict__` or in themselves.
CONTAINERS_WITH_HIDDEN_STORAGE = (
    os._Environ,
    MappingProxyType,
    collections.ChainMap,
    collections.UserDict,
    collections.UserList,
)
_SAFE_PYTHON_GETTERS = (os._Environ.__getitem__, collections.ChainMap.__getitem__)
MAX_COMPARED_ELEMENTS = 4096  # largest tensor, in elements, whose values are compared at each call


@dataclass
class Source:
    """A location of Python state: an attribute, name or item of a `holder`. The source holds the
    holder itself, so that reading needs no frame and no other source.

    display_name: the name of the location in messages.
    holder: the object that holds the value.
    key: the attribute, name, index or key of the value in `holder`.
    """

    display_name: str
    holder: Any
    key: Any
    # the kind of guard that `guards` of a program shows
    guard_kind: ClassVar[str] = "attribute"
    # Whether ReadTracker created the source when converted code read the location. Sources without
    # this flag are created for all names that occur in the code, even if the code does not read
    # them.
    is_recorded_read: ClassVar[bool] = False

    def read(self) -> Any:
        """Return the current value of the location, without running user code; MISSING if there is
        none.
        """
        raise NotImplementedError

    def write(self, value: Any) -> None:
        """Assign a value to the location; do nothing if the location cannot be assigned."""
        raise NotImplementedError

    def delete(self) -> None:
        """Remove the value of the location from the holder, if the holder itself has one."""
        if not hasattr(self.holder, "__dict__") or self.key in vars(self.holder):
            with suppress(AttributeError):
                delattr(self.holder, self.key)

    def matches(self, expected: Snapshot) -> bool:
        """Whether the current value matches a snapshot."""
        return expected.matches(self.read())


class OwnAttributeSource(Source):
    """An attribute that an object, class or module has in its own `__dict__`."""

    def read(self) -> Any:
        """Return the value of the attribute; MISSING if the holder itself has none."""
        return vars(self.holder).get(self.key, MISSING)

    def write(self, value: Any) -> None:
        """Set the attribute, which runs a `__setattr__` of the holder."""
        setattr(self.holder, self.key, value)


class LayerRegistryKeysSource(OwnAttributeSource):
    """The keys or elements of one of LAYER_REGISTRIES, the dicts and lists of a layer."""

    def read(self) -> Any:
        """Return the keys or elements as a list."""
        found = super().read()
        return found if found is MISSING else list(found)


class NamespaceSource(Source):
    """A name in a dict of names, such as the globals of a module."""

    guard_kind = "name"

    def read(self) -> Any:
        """Return the value of the name."""
        return self.holder.get(self.key, MISSING)

    def write(self, value: Any) -> None:
        """Assign the name."""
        self.holder[self.key] = value

    def delete(self) -> None:
        """Delete the name."""
        self.holder.pop(self.key, None)


class CaptureHeldObjectSource(NamespaceSource):
    """An argument of the captured function, or another object that only the capture refers to. The
    capture stores the object in a dict, which is the holder.
    """


class ClosureCellSource(Source):
    """A variable of an enclosing function."""

    guard_kind = "name"

    def read(self) -> Any:
        """Return the contents of the cell."""
        return read_closure_cell(self.holder)

    def write(self, value: Any) -> None:
        """Set the contents of the cell."""
        self.holder.cell_contents = value

    def delete(self) -> None:
        """Empty the cell."""
        del self.holder.cell_contents


class AttributeLookupSource(Source):
    """An attribute that converted code read. Python's attribute lookup finds the value: in the
    object, in a slot or in a class.
    """

    is_recorded_read = True

    def read(self) -> Any:
        """Look up the attribute without running user code."""
        return lookup_attribute_or_missing(self.holder, self.key)

    def write(self, value: Any) -> None:
        """Set the attribute."""
        setattr(self.holder, self.key, value)


class ItemSource(Source):
    """An element of a container that converted code read."""

    guard_kind = "element"
    is_recorded_read = True

    def read(self) -> Any:
        """Look up the element without running user code."""
        return lookup_item_or_missing(self.holder, self.key)

    def write(self, value: Any) -> None:
        """Set the element."""
        self.holder[self.key] = value

    def delete(self) -> None:
        """Delete the element."""
        if isinstance(self.holder, dict):
            self.holder.pop(self.key, None)
        else:
            super().delete()


class RepeatableCallSource(Source):
    """The result of a function that is cheap to call again, such as `os.getenv("NAME")`.

    holder: the function and its arguments.
    """

    guard_kind = "name"
    is_recorded_read = True

    def read(self) -> Any:
        """Call the function again; MISSING if it fails."""
        try:
            return self.holder()
        except (OSError, LookupError):
            return MISSING

    def write(self, value: Any) -> None:
        """Do nothing, because the result of a call cannot be assigned."""

    def delete(self) -> None:
        """Do nothing, because the result of a call cannot be removed."""


class TensorElementsSource(Source):
    """The elements of a tensor that Python code read, which became constants of the program."""

    guard_kind = "value"
    is_recorded_read = True

    def read(self) -> Any:
        """Return the array of the tensor itself, not a copy; the array may be on a GPU. Every op
        that changes the tensor replaces the array by another one.
        """
        return self.holder.array

    def matches(self, expected: Snapshot) -> bool:
        """Whether the elements of the tensor match the snapshot. A large array that shares no
        memory is compared by identity, because ops do not write to arrays. An array on a GPU is
        copied to the CPU only if it is not the array of the snapshot.
        """
        now = self.read()
        is_same = now is expected.value
        if not isinstance(expected, ArraySnapshot) or (is_same and not isinstance(now, np.ndarray)):
            return is_same
        return expected.matches(to_host(now))

    def write(self, value: Any) -> None:
        """Do nothing, because an op of the program changes the tensor."""


def make_tensor_elements_snapshot(array: Any) -> Snapshot:
    """Return a snapshot of the array of a TensorElementsSource: a copy of its elements, or the
    array itself if it is large and no tensor shares its memory.
    """
    elements = to_host(array)
    owns_memory = not isinstance(array, np.ndarray) or array.flags.owndata
    if owns_memory and elements.size > MAX_COMPARED_ELEMENTS:
        return IdentitySnapshot(array)
    return ArraySnapshot(array, elements.copy())


def create_name_source(label: str, holder: Any, key: str) -> Source:
    """Return the source of a name in a cell or in a dict of names."""
    kind: Callable[..., Source] = (
        ClosureCellSource if isinstance(holder, CellType) else NamespaceSource
    )
    return kind(label, holder, key)


def read_closure_cell(cell: CellType) -> Any:
    """Return the contents of a cell; MISSING for an empty one."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def lookup_item_or_missing(holder: Any, key: Any) -> Any:
    """Return an element of a container without running user code. Return MISSING for a missing
    element, even if `__missing__` would create it.
    """
    if isinstance(holder, collections.UserDict | collections.UserList):
        holder = vars(holder).get("data")
    if isinstance(holder, dict):
        return dict.get(holder, key, MISSING)
    getter = next((k.__getitem__ for k in (list, tuple) if isinstance(holder, k)), None)
    getter = getter or getattr(type(holder), "__getitem__", None)
    if getter is None or (isinstance(getter, FunctionType) and getter not in _SAFE_PYTHON_GETTERS):
        return MISSING
    try:
        has_item = not hasattr(type(holder), "__missing__") or key in holder
        return getter(holder, key) if has_item else MISSING
    except (LookupError, TypeError):
        return MISSING


def lookup_attribute_or_missing(holder: Any, name: str) -> Any:
    """Return an attribute without running user code. Return MISSING for a missing attribute, or if
    a property or `__getattr__` would compute it.
    """
    if isinstance(holder, type):
        return _lookup_in_mro_or_missing(holder, name)
    class_attribute = _lookup_in_mro_or_missing(type(holder), name)
    if isinstance(class_attribute, MemberDescriptorType):
        return _read_slot_attribute(class_attribute, holder)
    if hasattr(type(class_attribute), "__set__") and not isinstance(holder, ModuleType):
        return MISSING
    found = getattr(holder, "__dict__", {}).get(name, MISSING)
    if found is not MISSING or isinstance(holder, ModuleType | FunctionType):
        return found
    return _class_attribute_unless_computed(holder, class_attribute, name)


def _class_attribute_unless_computed(holder: Any, class_attribute: Any, name: str) -> Any:
    if class_attribute is MISSING and isinstance(holder, dict):
        # a dict whose entries can be read as attributes as well
        return dict.get(holder, name, MISSING)
    is_computed = hasattr(type(class_attribute), "__get__")
    if is_computed and not isinstance(class_attribute, FunctionType):
        return MISSING
    return class_attribute


def _read_slot_attribute(slot: MemberDescriptorType, holder: Any) -> Any:
    try:
        return slot.__get__(holder)
    except AttributeError:
        return MISSING


def _lookup_in_mro_or_missing(kind: type, name: str) -> Any:
    return next((vars(c)[name] for c in kind.__mro__ if name in vars(c)), MISSING)
