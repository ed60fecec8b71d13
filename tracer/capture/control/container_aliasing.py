"""Lists and dicts that may be the same object as another one: `a` after `if c: a = b`.

The merged value after a branch is a new container that records its possible originals. The merged
container is valid until one of its originals is mutated. Mutating the merged container invalidates
the originals. Reading an invalidated container raises an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ...core import pytree
from ...core.errors import TraceError, append_user_line, user_frame, user_line
from ...core.mode import state
from ..modes import find_static_base_mode
from .branch_values import Undefined
from .escape_analysis import register_local_object

ALIAS_FIX_HINT = "make the change in a copy (`list(a)`, `dict(a)`), or under one name only"


class InvalidatedMarker(Undefined):
    """Stands for a value that must not be read: its container may have been mutated through another
    name, or the value could not be merged after a branch.
    """

    def raise_error(self) -> NoReturn:
        """Raise a TraceError that says why the value must not be read."""
        raise TraceError(append_user_line(self.why))


def undefined_to_invalidated_marker(label: str, value: Any) -> Any:
    """Return `value`, the merged value of a dict key after a branch. If `value` is Undefined
    because it could not be merged, return an InvalidatedMarker instead, whose reading raises an
    error.
    """
    return (
        InvalidatedMarker(label, f"'{label}' {value.why}")
        if isinstance(value, Undefined) and not isinstance(value, InvalidatedMarker)
        else value
    )


class LoopStringPlaceholder(InvalidatedMarker):
    """Stands for a string that a loop body assigns, because programs have no strings. Reading the
    placeholder in the loop raises an error; after the capture, the placeholder is replaced by the
    string.
    """

    def __init__(self, label: str, text: str) -> None:
        super().__init__(
            label,
            f"'{label}' is a string that the iterations of a loop change; a program has no "
            f"strings, so do not change it there",
        )
        self.__dict__["text"] = text


def restore_loop_strings(value: Any) -> Any:
    """Replace LoopStringPlaceholder values in nested lists and dicts by the strings that they
    stand for.
    """
    if isinstance(value, list | dict):
        value = to_builtin_container(value)
        items = items_without_alias_check(value)
        set_items_without_alias_check(
            value,
            [(k, restore_loop_strings(v)) for k, v in items]
            if isinstance(value, dict)
            else [restore_loop_strings(v) for v in items],
        )
    return value.text if isinstance(value, LoopStringPlaceholder) else value


class ReplacedListPlaceholder(InvalidatedMarker):
    """The only item of a Python list whose contents were moved to a TensorArray during
    recording.
    """

    def __init__(self, array: Any) -> None:
        super().__init__(
            "this list",
            "this list has a length that is known only at run time; use `len`, read elements, or "
            "loop over it with a `for`",
        )
        self.__dict__["array"] = array


def items_without_alias_check(container: Any) -> list[Any]:
    """Return the items of a list or dict, even if a container that it may alias was mutated."""
    return (
        list(dict.items(container))
        if isinstance(container, dict)
        else list.__getitem__(container, slice(None))
    )


def set_items_without_alias_check(container: Any, items: Sequence[Any]) -> None:
    """Replace the items of a list or dict, without invalidating the containers that it may
    alias.
    """
    if isinstance(container, dict):
        dict.clear(container)
        dict.update(container, items)
    else:
        list.__setitem__(container, slice(None), items)


def is_replaced_by_array(value: Any) -> bool:
    """Whether the contents of a Python list were moved to a TensorArray."""
    return isinstance(value, list) and any(
        isinstance(v, ReplacedListPlaceholder) for v in items_without_alias_check(value)
    )


def invalidate_container(container: Any) -> None:
    """Replace the items of a list or dict by markers that raise an error when they are read,
    because a container that it may alias was mutated.
    """
    if isinstance(container, MayAliasContainer):
        container.invalidate_origins()
    line = user_line()
    at = f" at {line}" if line else ""
    why = (
        f"after a branch or loop, this list or dict may be the same object as one that was "
        f"changed{at} under another name; {ALIAS_FIX_HINT}"
    )
    placeholder = InvalidatedMarker("this value", why)
    if isinstance(container, dict):
        dict.update(container, dict.fromkeys(list(dict.keys(container)) or [""], placeholder))
    else:
        set_items_without_alias_check(container, [placeholder] * max(1, list.__len__(container)))


def resolve_replaced_list_and_reject_invalidated(container: Any) -> Any:
    """Return the TensorArray to which the contents of a list were moved; return any other value
    unchanged.

    Raises TraceError for an invalidated container.
    """
    if isinstance(container, list | dict):
        items = items_without_alias_check(container)
        values = [v for _, v in items] if isinstance(container, dict) else items
        if (
            len(values) == 1
            and isinstance(values[0], ReplacedListPlaceholder)
            and isinstance(container, list)
        ):
            return values[0].array
        for value in values:
            if isinstance(value, InvalidatedMarker):
                raise TraceError(
                    append_user_line(container_name_message_prefix(container) + value.why)
                )
    return container


def container_name_message_prefix(container: Any) -> str:
    """Return the prefix `'<name>': ` of an error message, with the name of a list or dict in the
    user's function; empty if no variable there holds it.
    """
    frame = user_frame()
    variables = (
        {k: v for k, v in frame.f_locals.items() if not k.startswith("_ol_")}
        if frame is not None
        else {}
    )
    for name, value in variables.items():
        if value is container:
            return f"'{name}': "
    for name, value in variables.items():
        if type(value) in (*MUTABLE_CONTAINERS, tuple):
            pairs = (
                items_without_alias_check(value)
                if isinstance(value, dict)
                else enumerate(value if type(value) is tuple else items_without_alias_check(value))
            )
            for key, inner in pairs:
                if inner is container:
                    return f"'{name}[{key!r}]': "
    return ""


class MayAliasContainer:
    """A list or dict that may be the same object as one of several others, depending on the path
    through a branch or loop.

    origins: the containers that it may be the same as, with the items that they had when this
    container was created.
    since_line: the line of the branch or loop.
    """

    origins: Sequence[tuple[Any, list[Any]]] = ()
    since_line = ""  # the line of the branch or loop

    def reject_mutated_origins(self, container: Any = None) -> None:
        """Raise TraceError if one of `origins` was mutated since this container was created.

        container: the container that is read, which may alias this one
        """
        container = self if container is None else container
        for origin, items in self.origins:
            if isinstance(origin, MayAliasContainer):
                origin.reject_mutated_origins(container)
            if not _has_exactly_items(origin, items):
                self.origins = ()
                why = (
                    f"after a branch or loop{self.since_line}, this list or dict may be the same "
                    "object as one that was changed under another name"
                )
                raise TraceError(
                    append_user_line(
                        f"{container_name_message_prefix(container)}{why}; {ALIAS_FIX_HINT}"
                    )
                )

    def iter_origins_transitively(self) -> Iterator[Any]:
        """Yield the containers in `origins`, and the origins of these."""
        for origin, _ in self.origins:
            yield origin
            if isinstance(origin, MayAliasContainer):
                yield from origin.iter_origins_transitively()

    def invalidate_origins(self) -> None:
        """Invalidate the containers in `origins`, before this container is mutated."""
        origins, self.origins = self.origins, ()
        for origin, _ in origins:
            invalidate_container(origin)


class MayAliasList(MayAliasContainer, list[Any]):
    """A list that may be the same object as one of several other lists."""


class MayAliasDict(MayAliasContainer, dict[Any, Any]):
    """A dict that may be the same object as one of several other dicts."""


def create_may_alias_container(items: Any, *origins: Any) -> Any:
    """Return a MayAliasList or MayAliasDict with the items of `items` that may be the same object
    as one of `origins`.
    """
    kind = MayAliasDict if isinstance(items, dict) else MayAliasList
    result: Any = kind()
    set_items_without_alias_check(result, items_without_alias_check(items))
    result.origins = [(origin, items_without_alias_check(origin)) for origin in origins]
    line = user_line()
    result.since_line = f" at {line}" if line else ""
    mode = find_static_base_mode(state.mode)
    if mode is not None:
        register_local_object(mode.recorder, result)
    return result


MUTABLE_CONTAINERS = (list, dict, MayAliasList, MayAliasDict)


def to_builtin_container(container: Any) -> Any:
    """Convert a MayAliasList to a list and a MayAliasDict to a dict; return other values
    unchanged.
    """
    return container.copy() if isinstance(container, MayAliasList | MayAliasDict) else container


pytree.register_unwrapped_proxy_type(MayAliasList, to_builtin_container)
pytree.register_unwrapped_proxy_type(MayAliasDict, to_builtin_container)


def _has_exactly_items(container: Any, items: list[Any]) -> bool:
    """Whether a list or dict holds the same objects as `items`, in the same order."""
    current = items_without_alias_check(container)
    if isinstance(container, dict):
        if [key for key, _ in current] != [key for key, _ in items]:
            return False
        current, items = [v for _, v in current], [v for _, v in items]
    return len(current) == len(items) and all(a is b for a, b in zip(current, items, strict=True))


# -- merging containers after a branch
# -------------------------------------------------------------------------------------


@dataclass
class ContainerSnapshot:
    """The items of a list, dict or tuple at one moment.

    children: by key or index, the snapshots of the containers among the items.
    """

    container: Any
    items: list[Any]
    children: dict[Any, ContainerSnapshot]

    def restore(self) -> None:
        """Restore the items of the container, and those of the containers in it."""
        if not isinstance(self.container, tuple):
            set_items_without_alias_check(self.container, self.items)
        for inner in self.children.values():
            inner.restore()

    def copy(self) -> Any:
        """Return a copy of the container, and of the containers in it, with the items of the
        snapshot.
        """
        copies = {key: inner.copy() for key, inner in self.children.items()}
        if isinstance(self.container, dict):
            return {key: copies.get(key, value) for key, value in self.items}
        filled = [copies.get(i, value) for i, value in enumerate(self.items)]
        return tuple(filled) if isinstance(self.container, tuple) else filled

    def iter_list_snapshots(self) -> Iterator[ContainerSnapshot]:
        """Yield the snapshots of this list and of the lists in it."""
        if isinstance(self.container, list):
            yield self
        for inner in self.children.values():
            yield from inner.iter_list_snapshots()

    def iter_changed_containers(self) -> Iterator[Any]:
        """Yield the containers whose items changed since the snapshot: this container and the
        containers in it are compared.
        """
        if not isinstance(self.container, tuple) and not _has_exactly_items(
            self.container, self.items
        ):
            yield self.container
        for inner in self.children.values():
            yield from inner.iter_changed_containers()


def container_snapshot_or_none(value: Any) -> ContainerSnapshot | None:
    """Return a snapshot of a list, dict or tuple; None for other values."""
    if type(value) is tuple:
        pairs: Any = enumerate(value)
    elif type(value) in MUTABLE_CONTAINERS:
        pairs = (
            items_without_alias_check(value)
            if isinstance(value, dict)
            else enumerate(items_without_alias_check(value))
        )
    else:
        return None
    children = {
        key: found for key, v in pairs if (found := container_snapshot_or_none(v)) is not None
    }
    return ContainerSnapshot(
        value, list(value) if type(value) is tuple else items_without_alias_check(value), children
    )


@dataclass
class ContainerMerge:
    """Merges the lists and dicts that two branches leave.

    merged_items: by id, containers that are the same object on both paths, with their merged items.
    may_alias_containers: by the ids of the containers of both paths, the new container that may
    alias them, and their snapshots.
    """

    merged_items: dict[int, tuple[Any, list[Any]]] = field(default_factory=dict)
    may_alias_containers: dict[
        tuple[int, int], tuple[Any, ContainerSnapshot, ContainerSnapshot]
    ] = field(default_factory=dict)

    def find_or_create_merged_container(
        self, merged_copy: Any, one: ContainerSnapshot | None, two: ContainerSnapshot | None
    ) -> Any:
        """Return the container that a name denotes after the branches.

        merged_copy: the merged items.
        one, two: the snapshots of the container in the two branches.
        """
        if one is None or two is None or type(merged_copy) not in (list, dict, tuple):
            return merged_copy
        if (id(one.container), id(two.container)) in self.may_alias_containers:
            return self.may_alias_containers[id(one.container), id(two.container)][0]
        pairs = merged_copy.items() if isinstance(merged_copy, dict) else enumerate(merged_copy)
        items = {
            k: self.find_or_create_merged_container(v, one.children.get(k), two.children.get(k))
            for k, v in pairs
        }
        container = items if isinstance(merged_copy, dict) else type(merged_copy)(items.values())
        if (
            type(merged_copy) is tuple
            or type(one.container) is tuple
            or type(two.container) is tuple
        ):
            return container
        if one.container is two.container:
            self.merged_items[id(one.container)] = (
                one.container,
                items_without_alias_check(container),
            )
            return one.container
        result = create_may_alias_container(container)
        self.may_alias_containers[id(one.container), id(two.container)] = result, one, two
        return result

    def apply_merge(self) -> None:
        """Store the merged items in the containers of both paths, and record the origins of the new
        containers.
        """
        for container, items in self.merged_items.values():
            set_items_without_alias_check(container, items)
        for result, *snapshots in self.may_alias_containers.values():
            result.origins = [
                (side.container, items_without_alias_check(side.container)) for side in snapshots
            ]


class BranchContainerTracker:
    """Tracks how two branches change lists and dicts.

    values: the variables that the branches change, with their values before the branches.
    """

    def __init__(self, values: Sequence[Any]) -> None:
        self._initial_snapshots = [
            found for value in values if (found := container_snapshot_or_none(value)) is not None
        ]
        self._snapshots_per_branch: list[list[ContainerSnapshot | None]] = []
        self._list_lengths_per_branch: list[list[int]] = []
        self._changed_containers: list[Any] = []

    def snapshot_containers_after_branch(self, values: Sequence[Any]) -> None:
        """Called at the end of each branch: save snapshots of the containers among `values`, and
        the lengths of the lists that existed before the branch.
        """
        self._snapshots_per_branch.append([container_snapshot_or_none(value) for value in values])
        # recorded in place of the length of a list whose contents were moved to a TensorArray
        replaced = -len(self._snapshots_per_branch)
        self._list_lengths_per_branch.append(
            [
                replaced
                if is_replaced_by_array(each.container)
                and not any(isinstance(v, ReplacedListPlaceholder) for v in each.items)
                else len(items_without_alias_check(each.container))
                for found in self._initial_snapshots
                for each in found.iter_list_snapshots()
            ]
        )

    def find_list_with_length_mismatch(self) -> list[Any] | None:
        """Return a list that has one length after the first branch and another length after the
        second; None if there is no such list.
        """
        if len(self._list_lengths_per_branch) == 2:
            lists = [
                each.container
                for found in self._initial_snapshots
                for each in found.iter_list_snapshots()
            ]
            for found, one, two in zip(lists, *self._list_lengths_per_branch, strict=True):
                if one != two:
                    return found
        return None

    def restore_initial_containers(self) -> None:
        """Restore the containers to their contents before the branches, so that the second branch
        can be recorded.
        """
        for each in self._initial_snapshots:
            self._changed_containers += each.iter_changed_containers()
            each.restore()

    def merge_branches(self, merged_values: list[Any]) -> list[Any]:
        """Return the values of the variables after the branches, with merged containers.

        merged_values: the merged values; containers are copies.
        """
        merge = ContainerMerge()
        containers = [
            merge.find_or_create_merged_container(value, *sides)
            for value, *sides in zip(merged_values, *self._snapshots_per_branch, strict=True)
        ]
        # Changed containers are invalidated before `apply_merge` saves the items of origins,
        # because a later invalidation would look like a mutation of the origins.
        for container in self._changed_containers:
            if id(container) not in merge.merged_items:
                invalidate_container(container)
        merge.apply_merge()
        return containers


def _make_alias_tracking_method(kind: type, name: str, changes: bool) -> Callable[..., Any]:
    method = getattr(kind, name)

    def alias_tracking_method(self: Any, *args: Any, **kwargs: Any) -> Any:
        self.reject_mutated_origins()
        if changes:
            self.invalidate_origins()
        return method(self, *args, **kwargs)

    return alias_tracking_method


COMMON_READ_METHODS = (
    "__getitem__",
    "__iter__",
    "__len__",
    "__contains__",
    "__eq__",
    "__ne__",
    "__reversed__",
    "copy",
)
COMMON_WRITE_METHODS = ("__setitem__", "__delitem__", "clear", "pop")
for _made, _kind, _reads, _changes in (
    (
        MayAliasList,
        list,
        (
            *("__lt__", "__le__", "__gt__", "__ge__"),
            *("__add__", "__mul__", "__rmul__", "count", "index"),
        ),
        ("append", "extend", "insert", "remove", "reverse", "sort", "__iadd__", "__imul__"),
    ),
    (
        MayAliasDict,
        dict,
        ("get", "items", "keys", "values", "__or__", "__ror__"),
        ("popitem", "setdefault", "update", "__ior__"),
    ),
):
    for _name in (*COMMON_READ_METHODS, *_reads):
        setattr(_made, _name, _make_alias_tracking_method(_kind, _name, False))
    for _name in (*COMMON_WRITE_METHODS, *_changes):
        setattr(_made, _name, _make_alias_tracking_method(_kind, _name, True))
MayAliasList.__radd__ = lambda self, other: other + self.copy()  # type: ignore[attr-defined]
