"""Mutable Python locations that a branch or loop body may write: closure cells, globals, attributes
and elements.

Recording a body executes its writes. Therefore the values from before the body are restored after
the recording, so that the second branch starts from them, too. The new values are merged after a
branch, or loop-carried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import CellType
from typing import Any

from ...core.errors import TraceError, append_user_line
from ..recorder import OpenBlock, Recorder
from .branch_values import Undefined, are_recursively_interchangeable, find_meta_of_value
from .container_aliasing import (
    ContainerSnapshot,
    InvalidatedMarker,
    ReplacedListPlaceholder,
    container_snapshot_or_none,
    items_without_alias_check,
    set_items_without_alias_check,
)


@dataclass(frozen=True, eq=False)
class MutableLocation:
    """A mutable Python object and the values that it holds by key.

    name: the name of the target in the user's code.
    target: the cell, dict or list; for OpaqueStateLocation any object.
    keys: the keys that are tracked; None for all keys. For OpaqueStateLocation, the attributes that
    other locations restore.
    attribute_owner_class: the class of the object if the values are its attributes.
    """

    name: str
    target: Any
    keys: tuple[str, ...] | None = None
    attribute_owner_class: type | None = None
    can_restore = True  # whether `replace_values` can restore the values
    attribute_assignment_runs_user_code = False  # whether setting an attribute runs user code

    @property
    def id(self) -> tuple[int, Any]:
        """An identifier of the location: the id of the target, and the tracked keys."""
        return id(self.target), self.keys

    def read(self) -> dict[Any, Any]:
        """Return the current values of the location, by key."""
        raise NotImplementedError

    def replace_values(self, values: dict[Any, Any]) -> None:
        """Set the location to exactly these values, by key."""
        raise NotImplementedError

    def reject_change(self, before: dict[Any, Any], ignore_attributes: bool) -> None:
        """Raise TraceError if the state of the target differs from `before`. Only locations that
        cannot be restored implement this method.
        """
        raise NotImplementedError

    def write_item(self, key: Any, value: Any) -> None:
        """Assign the value of one key; assigning an Undefined removes the key."""
        values = {**self.read(), key: value}
        if type(value) is Undefined:
            del values[key]
        self.replace_values(values)

    def label(self, key: Any) -> str:
        """Return how an error message names the value of one key."""
        return self.name

    def class_attribute_or_undefined(self, key: Any) -> Any:
        """Return the value that Python reads for a key that the target lacks: for an attribute,
        that of the class, otherwise Undefined.
        """
        for each in (
            () if self.attribute_owner_class is None else self.attribute_owner_class.__mro__
        ):
            if key in vars(each):
                attribute = vars(each)[key]
                if hasattr(type(attribute), "__get__"):
                    break
                return attribute
        return Undefined(self.label(key))


class ClosureCellLocation(MutableLocation):
    """A closure cell: a variable of an enclosing function."""

    def read(self) -> dict[Any, Any]:
        """Return the contents of the cell under the key ''; an empty dict for an empty cell."""
        target: CellType = self.target
        try:
            return {"": target.cell_contents}
        except ValueError:  # an empty cell
            return {}

    def replace_values(self, values: dict[Any, Any]) -> None:
        """Set the contents of the cell to the value of the key '', or empty the cell if `values`
        lacks this key.
        """
        if "" in values:
            self.target.cell_contents = values[""]
        elif self.read():
            del self.target.cell_contents


class GlobalsOrAttributesLocation(MutableLocation):
    """The globals of a module, or the attributes of an object, by name."""

    def read(self) -> dict[Any, Any]:
        """Return the globals or attributes, by name."""
        if self.keys is None:
            return dict(items_without_alias_check(self.target))
        return {k: self.target[k] for k in self.keys if k in self.target}

    def replace_values(self, values: dict[Any, Any]) -> None:
        """Assign these globals or attributes, and delete the tracked ones that are not in
        `values`.
        """
        if self.keys is None:
            set_items_without_alias_check(self.target, list(values.items()))
            return
        for key in [k for k in self.read() if k not in values]:
            del self.target[key]
        self.target.update(values)

    def label(self, key: Any) -> str:
        """Return how an error message names the value: `name` for a global, `object.attribute` for
        an attribute.
        """
        return str(key) if self.keys is not None else f"{self.name}.{key}"


class LayerAttributesLocation(GlobalsOrAttributesLocation):
    """The attributes of a layer, without those that the layer maintains itself."""

    COUNTED = ("_layer_version", "_static_functions")

    def read(self) -> dict[Any, Any]:
        """Return the attributes of the layer, by name, except those that it maintains itself."""
        return {k: v for k, v in self.target.items() if k not in self.COUNTED}

    def replace_values(self, values: dict[Any, Any]) -> None:
        """Replace the attributes of the layer, except those that it maintains itself."""
        counted = {k: self.target[k] for k in self.COUNTED if k in self.target}
        super().replace_values(values | counted)


class DictItemsLocation(GlobalsOrAttributesLocation):
    """The items of a dict."""

    def label(self, key: Any) -> str:
        """Return how an error message names an item: `name[key]`."""
        return f"{self.name}[{key!r}]"


class ListItemsLocation(MutableLocation):
    """The elements of a list, by index."""

    def read(self) -> dict[Any, Any]:
        """Return the elements of the list, by index."""
        return dict(enumerate(items_without_alias_check(self.target)))

    def replace_values(self, values: dict[Any, Any]) -> None:
        """Replace all elements of the list."""
        set_items_without_alias_check(self.target, list(values.values()))

    def label(self, key: Any) -> str:
        """Return how an error message names an element: `name[index]`."""
        return f"{self.name}[{key}]"


@dataclass(frozen=True)
class Mutation:
    """How a recorded body changed one location: its values before and after the body.

    container_snapshots: by key, snapshots of the containers that the body stored.
    """

    location: MutableLocation
    before: dict[Any, Any]
    after: dict[Any, Any]
    container_snapshots: dict[Any, ContainerSnapshot] = field(default_factory=dict)

    def saved_or_current_container_snapshot_or_none(
        self, key: Any, value: Any
    ) -> ContainerSnapshot | None:
        """Return the snapshot of a container that was saved for `key`. If no snapshot was saved,
        return a new snapshot of `value`, or None if `value` is no container.
        """
        return self.container_snapshots.get(key) or container_snapshot_or_none(value)

    def iter_changed_keys(self) -> Iterator[Any]:
        """Yield the keys whose values changed."""
        missing = object()
        for key in dict.fromkeys((*self.before, *self.after)):
            if not are_recursively_interchangeable(
                self.before.get(key, missing), self.after.get(key, missing)
            ):
                yield key


Mutations = dict[tuple[int, Any], Mutation]


def save_locations_in_open_blocks(recorder: Recorder, locations: Iterable[MutableLocation]) -> None:
    """Save in each open block the values that the locations have now, before the body of a branch
    or loop changes them. Locations that a block has already saved are skipped.
    """
    inner = (
        recorder.open_blocks[::-1]
        if recorder.policy.tracks_outermost_block
        else recorder.open_blocks[:0:-1]
    )
    for location in locations:
        for each in inner:
            if id(location.target) in each.local_objects:
                break
            if location.id not in each.locations:
                each.locations[location.id] = (location, location.read())


def collect_and_roll_back_mutations(inner: OpenBlock) -> Mutations:
    """Restore the values of the locations that a recorded body changed, and return the changes by
    location.
    """
    mutations = [
        Mutation(location, before, location.read())
        for location, before in inner.locations.values()
        if location.can_restore
    ]
    mutations = [change for change in mutations if any(True for _ in change.iter_changed_keys())]
    result: Mutations = {}
    for each in mutations:
        owned = {at for id_, at in inner.merged_keys if id_ == id(each.location.target)}
        change = _mutation_without_merged_keys(each, owned)
        for place in change.iter_changed_keys():
            snapshot = container_snapshot_or_none(change.after.get(place))
            if snapshot is not None:
                change.container_snapshots[place] = snapshot
            result[each.location.id] = change
    # State that cannot be restored must not have been changed by user code in attribute setters.
    reject_unrestorable_changes(inner, of_setters=True)
    for each in mutations:
        each.location.replace_values(each.before)
    reject_unrestorable_changes(inner)
    return result


def reject_unrestorable_changes(inner: OpenBlock, of_setters: bool = False) -> None:
    """Raise TraceError if a body changed state that cannot be restored. Attributes that another
    location restores are ignored.

    of_setters: check only objects whose attribute assignments run user code.
    """
    restorable_ids = {
        id(location.target) for location, _ in inner.locations.values() if location.can_restore
    }
    for location, before in inner.locations.values():
        if not location.can_restore and (
            location.attribute_assignment_runs_user_code or not of_setters
        ):
            location.reject_change(
                before,
                not of_setters and id(getattr(location.target, "__dict__", None)) in restorable_ids,
            )


def _mutation_without_merged_keys(change: Mutation, owned: set[Any]) -> Mutation:
    """Return the mutation without the keys in `owned`, which the `if` or loop statement merges
    itself.
    """
    if not owned:
        return change
    after = {
        k: change.before[k] if k in owned else v
        for k, v in change.after.items()
        if k not in owned or k in change.before
    }
    return Mutation(
        change.location,
        change.before,
        after | {k: v for k, v in change.before.items() if k in owned},
    )


class ListLengthChangeError(TraceError):
    """Raised if a list outside of the program has different lengths on two paths through a branch
    or loop.

    target: the list.
    """

    def __init__(self, location: MutableLocation, what: str) -> None:
        why = (
            f"the list '{location.name}' has another length after {what}; change it in the "
            f"function that assigns it to a variable, or return the new elements"
        )
        super().__init__(append_user_line(why))
        self.location, self.target = location, location.target


def has_different_lengths(
    location: MutableLocation, one: dict[Any, Any], two: dict[Any, Any]
) -> bool:
    """Whether a list has different lengths in two states, or became a TensorArray in one of
    them.
    """
    if not isinstance(location, ListItemsLocation) or list(map(id, one.values())) == list(
        map(id, two.values())
    ):
        return False
    values = (*one.values(), *two.values())
    if any(
        isinstance(v, InvalidatedMarker) and not isinstance(v, ReplacedListPlaceholder)
        for v in values
    ):
        return False  # an invalidated list is not read any more, so its length does not matter
    return len(one) != len(two) or any(isinstance(v, ReplacedListPlaceholder) for v in values)


def reject_length_change(
    location: MutableLocation, one: dict[Any, Any], two: dict[Any, Any], what: str
) -> None:
    """Raise ListLengthChangeError if the location is a list whose length differs between two
    states.
    """
    if has_different_lengths(location, one, two):
        raise ListLengthChangeError(location, what)


def is_merged_by_value(value: Any) -> bool:
    """Whether values of this type, if they differ after two branches, are merged into one value:
    tensors, numbers, strings, None and containers. If the two objects have another type, the
    location keeps one of them.
    """
    return find_meta_of_value(value) is not None or isinstance(
        value, str | bytes | type(None) | tuple | list | dict
    )
