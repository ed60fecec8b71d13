"""Places outside of a function's own variables - cells, globals, attributes, elements - that a
recorded branch or loop may write.

A function that a branch calls changes them while it is recorded. Both ways of a branch have to
start from what was there before, and what is there afterwards depends on the way that a run takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import CellType
from typing import Any

from ...core.errors import TraceError, with_user_line
from ..recorder import Inner, Recorder
from .branch_values import Undefined, meta_of, same
from .may_alias import Gone, Held, Moved, held, items_of, put_items


@dataclass(frozen=True, eq=False)
class Keeper:
    """What holds values by key.

    name: of it in the user's code; target: the cell, dict, list; keys: those that count, None for
    all.

    kind: the class of the object whose attributes these are.
    """

    name: str
    target: Any
    keys: tuple[str, ...] | None = None
    kind: type | None = None
    restores = True  # whether `write` puts back; one that does not is asked when all others have
    sets = False  # whether setting an attribute runs code of the user's

    @property
    def key(self) -> tuple[int, Any]:
        """The same for all keepers of one target."""
        return id(self.target), self.keys

    def read(self) -> dict[Any, Any]:
        """What it holds now."""
        raise NotImplementedError

    def write(self, values: dict[Any, Any]) -> None:
        """Let it hold these, and no others."""
        raise NotImplementedError

    def refuse(self, before: dict[Any, Any], attributes_noted: bool) -> None:
        """Raise TraceError where what cannot be put back is another than before."""
        raise NotImplementedError

    def put(self, key: Any, value: Any) -> None:
        """Let one place hold a value, or none if it is Undefined."""
        values = {**self.read(), key: value}
        if type(value) is Undefined:
            del values[key]
        self.write(values)

    def label(self, key: Any) -> str:
        """One place, for errors."""
        return self.name

    def absent(self, key: Any) -> Any:
        """What is read at a place that holds nothing: what the class has there, or no value."""
        for each in () if self.kind is None else self.kind.__mro__:
            found = vars(each).get(key)
            if found is not None and not hasattr(type(found), "__get__"):
                return found
        return Undefined(self.label(key))


class Cell(Keeper):
    """A variable of a function around."""

    def read(self) -> dict[Any, Any]:
        """See Keeper."""
        target: CellType = self.target
        try:
            return {"": target.cell_contents}
        except ValueError:  # nothing so far
            return {}

    def write(self, values: dict[Any, Any]) -> None:
        """See Keeper."""
        if "" in values:
            self.target.cell_contents = values[""]
        elif self.read():
            del self.target.cell_contents


class Variables(Keeper):
    """The globals of a module that a function writes, or the attributes of an object."""

    def read(self) -> dict[Any, Any]:
        """See Keeper."""
        if self.keys is None:
            return dict(items_of(self.target))
        return {k: self.target[k] for k in self.keys if k in self.target}

    def write(self, values: dict[Any, Any]) -> None:
        """See Keeper."""
        if self.keys is None:
            put_items(self.target, list(values.items()))
            return
        for key in [k for k in self.read() if k not in values]:
            del self.target[key]
        self.target.update(values)

    def label(self, key: Any) -> str:
        """See Keeper."""
        return str(key) if self.keys is not None else f"{self.name}.{key}"


class Members(Variables):
    """The attributes of a layer, without what it counts for itself."""

    COUNTED = ("_changed_at", "_static_functions")

    def read(self) -> dict[Any, Any]:
        """See Keeper."""
        return {k: v for k, v in self.target.items() if k not in self.COUNTED}

    def write(self, values: dict[Any, Any]) -> None:
        """See Keeper."""
        super().write(values | {k: self.target[k] for k in self.COUNTED if k in self.target})


class Entries(Variables):
    """A dict."""

    def label(self, key: Any) -> str:
        """See Keeper."""
        return f"{self.name}[{key!r}]"


class Elements(Keeper):
    """A list."""

    def read(self) -> dict[Any, Any]:
        """See Keeper."""
        return dict(enumerate(items_of(self.target)))

    def write(self, values: dict[Any, Any]) -> None:
        """See Keeper."""
        put_items(self.target, list(values.values()))

    def label(self, key: Any) -> str:
        """See Keeper."""
        return f"{self.name}[{key}]"


@dataclass(frozen=True)
class Change:
    """What a recorded body did to a keeper.

    left: what the containers hold that it put there, by key.
    """

    keeper: Keeper
    before: dict[Any, Any]
    after: dict[Any, Any]
    left: dict[Any, Held] = field(default_factory=dict)

    def container(self, key: Any, value: Any) -> Held | None:
        """What the container at a place holds, which is `value`."""
        return self.left.get(key) or held(value)

    def places(self) -> Iterator[Any]:
        """The keys whose values are others now."""
        gone = object()
        for key in dict.fromkeys((*self.before, *self.after)):
            if not same(self.before.get(key, gone), self.after.get(key, gone)):
                yield key


Changes = dict[tuple[int, Any], Change]


def note(recorder: Recorder, keepers: Iterable[Keeper]) -> None:
    """Remember what keepers hold, before something may change it inside of a branch or a loop; the
    first time counts.
    """
    inner = recorder.open[:0:-1] if recorder.by_hand else recorder.open[::-1]
    for keeper in keepers:
        for each in inner:
            if id(keeper.target) in each.born:
                break
            if keeper.key not in each.kept:
                each.kept[keeper.key] = (keeper, keeper.read())


def taken_back(inner: Inner) -> Changes:
    """What a body changed; it is as before now."""
    raw = [
        Change(keeper, before, keeper.read())
        for keeper, before in inner.kept.values()
        if keeper.restores
    ]
    raw = [change for change in raw if any(True for _ in change.places())]
    found: Changes = {}
    for each in raw:
        owned = {at for id_, at in inner.owned if id_ == id(each.keeper.target)}
        change = _without(each, owned)
        for place in change.places():
            left = held(change.after.get(place))
            if left is not None:
                change.left[place] = left
            found[each.keeper.key] = change
    # what putting back did through setters shows before the rest is put back
    refuse_changed(inner, of_setters=True)
    for each in raw:
        each.keeper.write(each.before)
    refuse_changed(inner)
    return found


def refuse_changed(inner: Inner, of_setters: bool = False) -> None:
    """Raise TraceError where a body changed what nobody can put back.

    The attributes of objects that others look after are put back.

    of_setters: only objects of which setting an attribute runs code of the user's, and all of them.
    """
    noted = {id(keeper.target) for keeper, _ in inner.kept.values() if keeper.restores}
    for keeper, before in inner.kept.values():
        if not keeper.restores and (keeper.sets or not of_setters):
            keeper.refuse(
                before, not of_setters and id(getattr(keeper.target, "__dict__", None)) in noted
            )


def _without(change: Change, owned: set[Any]) -> Change:
    """A change without the places that somebody else sees to."""
    if not owned:
        return change
    after = {
        k: change.before[k] if k in owned else v
        for k, v in change.after.items()
        if k not in owned or k in change.before
    }
    return Change(
        change.keeper, change.before, after | {k: v for k, v in change.before.items() if k in owned}
    )


class Longer(TraceError):
    """A list is longer or shorter on one way than on the other.   target: this."""

    def __init__(self, keeper: Keeper, what: str) -> None:
        why = (
            f"'{keeper.name}' has another length after {what}; change it where it is a "
            f"variable, or return what is new"
        )
        super().__init__(with_user_line(why))
        self.keeper, self.target = keeper, keeper.target


def has_other_length(keeper: Keeper, one: dict[Any, Any], two: dict[Any, Any]) -> bool:
    """Whether a list is longer or shorter in one state than in the other, or became one of the
    program in one.
    """
    if not isinstance(keeper, Elements) or list(map(id, one.values())) == list(
        map(id, two.values())
    ):
        return False
    held = (*one.values(), *two.values())
    if any(isinstance(v, Gone) and not isinstance(v, Moved) for v in held):
        return False  # nobody reads it any more
    return len(one) != len(two) or any(isinstance(v, Moved) for v in held)


def refuse_length(keeper: Keeper, one: dict[Any, Any], two: dict[Any, Any], what: str) -> None:
    """Raise TraceError for a list that is longer or shorter in one state than in the other."""
    if has_other_length(keeper, one, two):
        raise Longer(keeper, what)


def differs_by_way(value: Any) -> bool:
    """Whether a value would be wrong on the other way: a number, a tensor, a string, None; not an
    object that is kept for later.
    """
    return meta_of(value) is not None or isinstance(
        value, str | bytes | type(None) | tuple | list | dict
    )
