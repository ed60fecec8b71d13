"""Lists and dicts of which only a run knows which one a name stands for: `a` after `if c: a = b`.

The recording has a third one for the name. As long as nobody changes any of them it serves; whoever
changes one takes what the others hold away, so that a program that reads these is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ...core import pytree
from ...core.errors import TraceError, user_frame, user_line, with_user_line
from ...core.mode import state
from ..modes import static_mode
from .branch_values import Undefined
from .escape_analysis import born

FIX = "make the change in a copy (`list(a)`, `dict(a)`), or under one name only"


class Gone(Undefined):
    """Stands for what a list or dict held that may be another one now."""

    def use(self) -> NoReturn:
        """Raise TraceError."""
        raise TraceError(with_user_line(self.why))


def gone_for(label: str, value: Any) -> Any:
    """What a dict has under a key: where one way gave what cannot be carried on, nobody may read
    the dict any more.
    """
    return (
        Gone(label, f"'{label}' {value.why}")
        if isinstance(value, Undefined) and not isinstance(value, Gone)
        else value
    )


class Unsaid(Gone):
    """Stands for a text at a place that each round of a loop writes anew, such as the name of a
    value: no program has texts.
    """

    def __init__(self, label: str, text: str) -> None:
        super().__init__(
            label,
            f"'{label}' is a text that the rounds of a loop change, which no program has; "
            f"leave it alone there",
        )
        self.__dict__["text"] = text


def said(value: Any) -> Any:
    """A value with the texts that such stand for, in lists and dicts of Python's own kind."""
    if isinstance(value, list | dict):
        value = plain(value)
        items = items_of(value)
        put_items(
            value,
            [(k, said(v)) for k, v in items]
            if isinstance(value, dict)
            else [said(v) for v in items],
        )
    return value.text if isinstance(value, Unsaid) else value


class Moved(Gone):
    """Stands for what a list held that is one of the program now.

    array: this, whichever name it is asked for under.
    """

    def __init__(self, array: Any) -> None:
        super().__init__(
            "this list",
            "this list has a length that only a run knows; ask `len`, take elements, or "
            "loop over it with a `for`",
        )
        self.__dict__["array"] = array


def items_of(container: Any) -> list[Any]:
    """What a list or dict holds, without asking whether it is up to date."""
    return (
        list(dict.items(container))
        if isinstance(container, dict)
        else list.__getitem__(container, slice(None))
    )


def put_items(container: Any, items: Sequence[Any]) -> None:
    """Let a list or dict hold other things, without telling those that it may be one with."""
    if isinstance(container, dict):
        dict.clear(container)
        dict.update(container, items)
    else:
        list.__setitem__(container, slice(None), items)


def is_moved(value: Any) -> bool:
    """Whether a list has become one of the program."""
    return isinstance(value, list) and any(isinstance(v, Moved) for v in items_of(value))


def take_away(container: Any) -> None:
    """Let nobody read a list or dict any more, for one that it may be was changed."""
    if isinstance(container, Either):
        container.leave()
    line = user_line()
    at = f" at {line}" if line else ""
    why = (
        f"this list or dict may be another one, since a branch or a loop, that was "
        f"changed{at} under another name; {FIX}"
    )
    gone = Gone("this value", why)
    if isinstance(container, dict):
        dict.update(container, dict.fromkeys(list(dict.keys(container)) or [""], gone))
    else:
        put_items(container, [gone] * max(1, list.__len__(container)))


def current(container: Any) -> Any:
    """What is read for a container: the list of the program that a list has become, else itself.

    Raises TraceError where what it held was taken away: its length would be wrong as well.
    """
    if isinstance(container, list | dict):
        items = items_of(container)
        held = [v for _, v in items] if isinstance(container, dict) else items
        if len(held) == 1 and isinstance(held[0], Moved) and isinstance(container, list):
            return held[0].array
        for value in held:
            if isinstance(value, Gone):
                raise TraceError(with_user_line(named(container) + value.why))
    return container


def named(container: Any) -> str:
    """The name that the user's code has for a list or dict, for the beginning of an error; none
    where it cannot be found.
    """
    frame = user_frame()
    known = (
        {k: v for k, v in frame.f_locals.items() if not k.startswith("_ol_")}
        if frame is not None
        else {}
    )
    for name, value in known.items():
        if value is container:
            return f"'{name}': "
    for name, value in known.items():
        if type(value) in (*KINDS, tuple):
            pairs = (
                items_of(value)
                if isinstance(value, dict)
                else enumerate(value if type(value) is tuple else items_of(value))
            )
            for key, inner in pairs:
                if inner is container:
                    return f"'{name}[{key!r}]': "
    return ""


class Either:
    """One of several containers.   origins: these, with what they held when it was made."""

    origins: Sequence[tuple[Any, list[Any]]] = ()
    since = ""  # the line of the branch or loop

    def check(self, of: Any = None) -> None:
        """Raise TraceError where one that it may be was changed since.

        of: what is read, which may be this.
        """
        of = self if of is None else of
        for origin, held in self.origins:
            if isinstance(origin, Either):
                origin.check(of)
            if not _holds(origin, held):
                self.origins = ()
                why = (
                    f"this list or dict may be another one, since a branch or a "
                    f"loop{self.since}, that was changed under another name"
                )
                raise TraceError(with_user_line(f"{named(of)}{why}; {FIX}"))

    def all_origins(self) -> Iterator[Any]:
        """Those that it may be, and those that these may be."""
        for origin, _ in self.origins:
            yield origin
            if isinstance(origin, Either):
                yield from origin.all_origins()

    def leave(self) -> None:
        """It is to be changed: those that it may be are out of date."""
        left, self.origins = self.origins, ()
        for origin, _ in left:
            take_away(origin)


class EitherList(Either, list[Any]):
    """See Either."""


class EitherDict(Either, dict[Any, Any]):
    """See Either."""


def either(items: Any, *origins: Any) -> Any:
    """What a plain list or dict holds, as one that may be one of `origins`."""
    kind = EitherDict if isinstance(items, dict) else EitherList
    made: Any = kind()
    put_items(made, items_of(items))
    made.origins = [(origin, items_of(origin)) for origin in origins]
    line = user_line()
    made.since = f" at {line}" if line else ""
    mode = static_mode(state.mode)
    if mode is not None:
        born(mode.recorder, made)
    return made


KINDS = (list, dict, EitherList, EitherDict)


def plain(container: Any) -> Any:
    """A list or dict of Python's own kind in place of one that is here."""
    return container.copy() if isinstance(container, EitherList | EitherDict) else container


pytree.register_proxy(EitherList, plain)
pytree.register_proxy(EitherDict, plain)


def _holds(container: Any, items: list[Any]) -> bool:
    """Whether a list or dict holds the very same things."""
    now = items_of(container)
    if isinstance(container, dict):
        if [key for key, _ in now] != [key for key, _ in items]:
            return False
        now, items = [v for _, v in now], [v for _, v in items]
    return len(now) == len(items) and all(a is b for a, b in zip(now, items, strict=True))


# -- what a branch does to them
# -------------------------------------------------------------------------------------


@dataclass
class Held:
    """A list, dict or tuple at a moment.

    items: what it held, inside: the same of the containers among these, by position or key.
    """

    container: Any
    items: list[Any]
    inside: dict[Any, Held]

    def put_back(self) -> None:
        """Let it hold this again, and those inside what they held."""
        if not isinstance(self.container, tuple):
            put_items(self.container, self.items)
        for inner in self.inside.values():
            inner.put_back()

    def copy(self) -> Any:
        """What it held, in containers of their own."""
        copies = {key: inner.copy() for key, inner in self.inside.items()}
        if isinstance(self.container, dict):
            return {key: copies.get(key, value) for key, value in self.items}
        filled = [copies.get(i, value) for i, value in enumerate(self.items)]
        return tuple(filled) if isinstance(self.container, tuple) else filled

    def lists(self) -> Iterator[Held]:
        """Those inside, and itself, that are lists."""
        if isinstance(self.container, list):
            yield self
        for inner in self.inside.values():
            yield from inner.lists()

    def changed(self) -> Iterator[Any]:
        """It and those inside that hold other things now."""
        if not isinstance(self.container, tuple) and not _holds(self.container, self.items):
            yield self.container
        for inner in self.inside.values():
            yield from inner.changed()


def held(value: Any) -> Held | None:
    """A container and all inside as they are now; None for anything else."""
    if type(value) is tuple:
        pairs: Any = enumerate(value)
    elif type(value) in KINDS:
        pairs = items_of(value) if isinstance(value, dict) else enumerate(items_of(value))
    else:
        return None
    inside = {key: found for key, v in pairs if (found := held(v)) is not None}
    return Held(value, list(value) if type(value) is tuple else items_of(value), inside)


@dataclass
class Choice:
    """Containers after two branches.

    became: those that are the same on both ways, by id, with what they hold now.
    """

    became: dict[int, tuple[Any, list[Any]]] = field(default_factory=dict)
    made: dict[tuple[int, int], tuple[Any, Held, Held]] = field(default_factory=dict)

    def of(self, built: Any, one: Held | None, two: Held | None) -> Any:
        """The container of one name, of what the branches chose to be in it."""
        if one is None or two is None or type(built) not in (list, dict, tuple):
            return built
        if (id(one.container), id(two.container)) in self.made:
            return self.made[id(one.container), id(two.container)][0]
        pairs = built.items() if isinstance(built, dict) else enumerate(built)
        items = {k: self.of(v, one.inside.get(k), two.inside.get(k)) for k, v in pairs}
        filled = items if isinstance(built, dict) else type(built)(items.values())
        if type(built) is tuple or type(one.container) is tuple or type(two.container) is tuple:
            return filled
        if one.container is two.container:
            self.became[id(one.container)] = one.container, items_of(filled)
            return one.container
        made = either(filled)
        self.made[id(one.container), id(two.container)] = made, one, two
        return made

    def finish(self) -> None:
        """Let them hold it, and know which others they may be."""
        for container, items in self.became.values():
            put_items(container, items)
        for made, *sides in self.made.values():
            made.origins = [(side.container, items_of(side.container)) for side in sides]


class Sides:
    """What two branches do to lists and dicts.

    values: those of the names that they change, before them.
    """

    def __init__(self, values: Sequence[Any]) -> None:
        self._before = [found for value in values if (found := held(value)) is not None]
        self._left: list[list[Held | None]] = []
        self._lengths: list[list[int]] = []
        self._changed: list[Any] = []

    def left(self, values: Sequence[Any]) -> None:
        """What one of them gave the names."""
        self._left.append([held(value) for value in values])
        open = -len(self._left)  # of a list that this side made one of the program
        self._lengths.append(
            [
                open
                if is_moved(each.container) and not any(isinstance(v, Moved) for v in each.items)
                else len(items_of(each.container))
                for found in self._before
                for each in found.lists()
            ]
        )

    def longer(self) -> list[Any] | None:
        """A list that both sides know, and one left longer than the other did."""
        if len(self._lengths) == 2:
            lists = [each.container for found in self._before for each in found.lists()]
            for found, one, two in zip(lists, *self._lengths, strict=True):
                if one != two:
                    return found
        return None

    def put_back(self) -> None:
        """Begin the other one with what was there before."""
        for each in self._before:
            self._changed += each.changed()
            each.put_back()

    def after(self, chosen: list[Any]) -> list[Any]:
        """What the names stand for.   chosen: in copies."""
        choice = Choice()
        found = [
            choice.of(value, *sides) for value, *sides in zip(chosen, *self._left, strict=True)
        ]
        # Before it is noted what the chosen ones may be one with: they hold what was changed.
        for container in self._changed:
            if id(container) not in choice.became:
                take_away(container)
        choice.finish()
        return found


def _asking(kind: type, name: str, changes: bool) -> Callable[..., Any]:
    method = getattr(kind, name)

    def asked(self: Any, *args: Any, **kwargs: Any) -> Any:
        self.check()
        if changes:
            self.leave()
        return method(self, *args, **kwargs)

    return asked


READING = (
    "__getitem__",
    "__iter__",
    "__len__",
    "__contains__",
    "__eq__",
    "__ne__",
    "__reversed__",
    "copy",
)
CHANGING = ("__setitem__", "__delitem__", "clear", "pop")
for _made, _kind, _reads, _changes in (
    (
        EitherList,
        list,
        ("__add__", "__mul__", "__rmul__", "count", "index"),
        ("append", "extend", "insert", "remove", "reverse", "sort", "__iadd__", "__imul__"),
    ),
    (
        EitherDict,
        dict,
        ("get", "items", "keys", "values", "__or__", "__ror__"),
        ("popitem", "setdefault", "update", "__ior__"),
    ),
):
    for _name in (*READING, *_reads):
        setattr(_made, _name, _asking(_kind, _name, False))
    for _name in (*CHANGING, *_changes):
        setattr(_made, _name, _asking(_kind, _name, True))
EitherList.__radd__ = lambda self, other: other + self.copy()  # type: ignore[attr-defined]
