"""Places outside of a function's own variables - cells, globals, attributes, elements - that a recorded branch or loop may write.

A function that a branch calls changes them while it is recorded. Both ways of a branch have to start from what was there
before, and what is there afterwards depends on the way that a run takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import CellType
from typing import Any

from ...core.errors import TraceError, with_user_line
from ..record import Inner, Recorder
from .either import put_items
from .values import Undefined, meta_of, same


@dataclass(frozen=True, eq=False)
class Keeper:
    """What holds values by key.   name: of it in the user's code; target: the cell, dict, list; keys: those that count, None for all."""

    name: str
    target: Any
    keys: tuple[str, ...] | None = None
    restores = True  # whether `write` puts back; one that does not is asked when all others have

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

    def put(self, key: Any, value: Any) -> None:
        """Let one place hold a value, or none if it is Undefined."""
        values = {**self.read(), key: value}
        self.write({k: v for k, v in values.items() if not isinstance(v, Undefined)})

    def label(self, key: Any) -> str:
        """One place, for errors."""
        return self.name


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


class Names(Keeper):
    """The globals of a module that a function writes, the attributes of an object, or a dict."""

    def read(self) -> dict[Any, Any]:
        """See Keeper."""
        if self.keys is None:
            return dict(self.target)
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


class Elements(Keeper):
    """A list."""

    def read(self) -> dict[Any, Any]:
        """See Keeper."""
        return dict(enumerate(self.target))

    def write(self, values: dict[Any, Any]) -> None:
        """See Keeper."""
        put_items(self.target, list(values.values()))

    def label(self, key: Any) -> str:
        """See Keeper."""
        return f"{self.name}[{key}]"


@dataclass(frozen=True)
class Change:
    """What a recorded body did to a keeper."""

    keeper: Keeper
    before: dict[Any, Any]
    after: dict[Any, Any]

    def places(self) -> Iterator[Any]:
        """The keys whose values are others now."""
        gone = object()
        for key in dict.fromkeys((*self.before, *self.after)):
            if not same(self.before.get(key, gone), self.after.get(key, gone)):
                yield key


Changes = dict[tuple[int, Any], Change]


def note(recorder: Recorder, keepers: Iterable[Keeper]) -> None:
    """Remember what keepers hold, before a function that may change it runs inside of a branch or a loop."""
    inner = recorder.open[1:]
    for keeper in keepers:
        for each in inner:
            if keeper.key not in each.kept:
                each.kept[keeper.key] = (keeper, keeper.read())


def taken_back(inner: Inner) -> Changes:
    """What a body changed; it is as before now."""
    found: Changes = {}
    for key, (keeper, before) in inner.kept.items():
        if not keeper.restores:
            continue
        change = Change(keeper, before, keeper.read())
        if any(True for _ in change.places()):
            found[key] = change
            keeper.write(before)
    refuse_changed(inner)
    return found


def refuse_changed(inner: Inner) -> None:
    """Raise TraceError where a body changed what nobody can put back."""
    for keeper, before in inner.kept.values():
        if not keeper.restores:
            keeper.write(before)


def refuse_length(keeper: Keeper, one: dict[Any, Any], two: dict[Any, Any], what: str) -> None:
    """Raise TraceError for a list that is longer or shorter in one state than in the other."""
    if isinstance(keeper, Elements) and len(one) != len(two):
        why = (
            f"'{keeper.name}' has another length after {what}; change it where it is a variable, or return what is new"
        )
        raise TraceError(with_user_line(why))


def is_data(value: Any) -> bool:
    """Whether a value would be wrong on the other way: a number, a tensor, a string, None; not an object that is kept for later."""
    return meta_of(value) is not None or isinstance(value, str | bytes | type(None) | tuple | list | dict)
