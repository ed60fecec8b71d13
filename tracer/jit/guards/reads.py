"""What converted code looks at on its way through Python, however deep: each attribute and element
of what was there before the recording.
"""

from __future__ import annotations

import collections
import functools
import os
import random
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import FunctionType, MappingProxyType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

import numpy as np

from ...core.cuda import to_host
from ...core.tensor import Tensor
from ...ir.plain_values import PLAIN
from ...nn.layer import Layer
from .impure_calls import SOURCES
from .opaque_state import alike, position
from .snapshots import (
    MISSING,
    OURS,
    Array,
    Mapping,
    Members,
    Sequence,
    Snapshot,
    each,
    reachable,
    snapshot,
)
from .source import Place

FEW = 4096  # numbers of a tensor that are compared at each call, in case others share its memory
ELSEWHERE = (
    os._Environ,
    MappingProxyType,
    collections.ChainMap,
    collections.UserDict,
    collections.UserList,
)
GETTERS = (os._Environ.__getitem__, collections.ChainMap.__getitem__)
AT_SOMETHING = (collections.deque, bytearray, array)
DICE = (random.Random, np.random.RandomState, np.random.Generator)


@dataclass(frozen=True)
class At(Snapshot):
    """Something that changes in ways of its own: a deque, an iterator, a source of random numbers,
    by what it is at.
    """

    at: Any

    def same(self, now: Any) -> bool:
        """The same one, at the same."""
        return now is self.value and alike(position(now), self.at)

    def items(self) -> Iterable[Any]:
        """What it holds now, where it is a deque."""
        return self.value if isinstance(self.value, collections.deque) else ()

    def put_back(self) -> None:
        """Let a deque hold what it held."""
        self.value.clear()
        self.value.extend(self.at)

    @property
    def may_stay(self) -> bool:
        """Whether a recording that left it where it was may have looked at it all the same."""
        return isinstance(self.value, AT_SOMETHING)


def at_something(value: Any) -> bool:
    """Whether a value is of a kind that `At` knows."""
    return isinstance(value, (*AT_SOMETHING, *DICE)) or (
        hasattr(type(value), "__next__") and not hasattr(value, "__dict__")
    )


@dataclass
class Looked(Place):
    """A place by which code looked: the attribute of an object, in a slot or of its class as well,
    or an element of any container.
    """

    element: bool = False
    read: bool = True  # false for what was only about to be changed

    def now(self) -> Any:
        """What is there; MISSING for nothing, and for what would have to be computed."""
        return (
            element_of(self.holder, self.key)
            if self.element
            else attribute_of(self.holder, self.key)
        )

    def set(self, value: Any) -> None:
        """Put a value there."""
        if self.element:
            self.holder[self.key] = value
        else:
            setattr(self.holder, self.key, value)


@dataclass
class Asked(Looked):
    """What a call gave that costs little to make again: a variable of the environment, or of a
    context.
    """

    def now(self) -> Any:
        """What it gives; MISSING where it cannot say any more."""
        try:
            return self.holder()
        except (OSError, LookupError):
            return MISSING

    def set(self, value: Any) -> None:
        """What computes it sets it."""


@dataclass
class Value(Looked):
    """What a tensor holds that Python read: a number that it computed with is part of the
    program.
    """

    def now(self) -> Any:
        """Its array: another one where an op changed it."""
        return self.holder.array

    def holds(self) -> bool:
        """Whether it has the same numbers; of a large one that no one else has, whether it is the
        same one, as ops write into none.
        """
        now = self.now()
        if not isinstance(self.was, Array) or (
            now is self.was.value and not isinstance(now, np.ndarray)
        ):
            return now is self.was.value  # nor is what a device holds fetched at each call
        return self.was.same(to_host(now))

    def set(self, value: Any) -> None:
        """What changes it does so as an op."""


def _numbers_of(array: Any) -> Snapshot:
    here = to_host(array)
    is_own = (
        not isinstance(array, np.ndarray) or array.flags.owndata
    )  # else it is memory of someone who may write there
    return Snapshot(array) if is_own and here.size > FEW else Array(array, here.copy())


def element_of(holder: Any, key: Any) -> Any:
    """The element of a container, without running any code of the user's; MISSING also for what
    `__missing__` would make.
    """
    if isinstance(holder, collections.UserDict | collections.UserList):
        holder = vars(holder).get("data")
    if isinstance(holder, dict):
        return dict.get(holder, key, MISSING)
    getter = next((k.__getitem__ for k in (list, tuple) if isinstance(holder, k)), None)
    getter = getter or getattr(type(holder), "__getitem__", None)
    if getter is None or (isinstance(getter, FunctionType) and getter not in GETTERS):
        return MISSING
    try:
        return (
            getter(holder, key)
            if not hasattr(type(holder), "__missing__") or key in holder
            else MISSING
        )
    except (LookupError, TypeError):
        return MISSING


def attribute_of(holder: Any, name: str) -> Any:
    """An attribute, without running any code of the user's."""
    if isinstance(holder, type):
        return _in_classes(holder, name)
    of_class = _in_classes(type(holder), name)
    if isinstance(of_class, MemberDescriptorType):
        return _in_slot(of_class, holder)
    if hasattr(type(of_class), "__set__") and not isinstance(holder, ModuleType):
        return MISSING
    found = getattr(holder, "__dict__", {}).get(name, MISSING)
    if found is MISSING and not isinstance(holder, ModuleType | FunctionType):
        return _of_all_objects(holder, of_class, name)
    return found


def _in_slot(slot: MemberDescriptorType, holder: Any) -> Any:
    try:
        return slot.__get__(holder)
    except AttributeError:
        return MISSING


def _of_all_objects(holder: Any, of_class: Any, name: str) -> Any:
    if of_class is MISSING and isinstance(holder, dict):  # one whose entries are attributes as well
        return dict.get(holder, name, MISSING)
    return (
        MISSING
        if hasattr(type(of_class), "__get__") and not isinstance(of_class, FunctionType)
        else of_class
    )


def _in_classes(kind: type, name: str) -> Any:
    return next((vars(c)[name] for c in kind.__mro__ if name in vars(c)), MISSING)


class Reads:
    """Follows what converted code reads from what was there before.

    places: those that are looked at already, which get what is found; watched: objects of which all
    attributes are; watch: looks at a layer; is_users: whether a module is the user's; moves: is
    told of what is another at each call.
    """

    def __init__(
        self,
        places: dict[Any, Place],
        watched: dict[int, Any],
        watch: Callable[[Any], None],
        is_users: Callable[[Any], bool],
        moves: Callable[[str], None],
    ) -> None:
        self._places, self._watched, self._watch, self._is_users, self.moves = (
            places,
            watched,
            watch,
            is_users,
            moves,
        )
        self.drawn: set[str] = set()  # sources of random numbers that converted code asks
        self._outside: dict[int, Any] = {}
        self._whole: set[int] = set()  # containers that a place compares with all their elements

    def forget(self) -> None:
        """The recording is done."""
        self._outside.clear()

    def asked(self, label: str, ask: Callable[[], Any]) -> Any:
        """The answer of something that answers at once, and may answer otherwise at the
        next call.
        """
        answer = ask()
        self._places.setdefault(
            (id(ask), label), Asked("name", label, ask, label, snapshot_of(answer))
        )
        return answer

    def value(self, tensor: Tensor, reader: str) -> None:
        """Python reads what a tensor from outside holds, through `reader`."""
        at = id(tensor), ""
        if at not in self._places:
            label = f"{reader} of {tensor.name}"
            self._places[at] = Value("value", label, tensor, "", _numbers_of(tensor.array))

    def found(self, value: Any, was: Snapshot | None = None) -> None:
        """A value that was there before; what it leads to was as well.

        was: by which it is compared.
        """
        if was is not None:
            self._whole.update(
                id(s.value)
                for s in parts(was)
                if isinstance(s, Sequence | Mapping | Members | Array)
            )
        for part in _within(value):
            self._outside[id(part)] = part

    def of_module(self, names: dict[str, Any]) -> None:
        """The names of a module, which code may look up as it goes."""
        self._outside[id(names)] = names

    def read(self, value: Any, key: Any, element: bool) -> None:
        """An attribute or an element is about to be read."""
        if not self._follows(value) or (element and id(value) in self._whole):
            return
        if not isinstance(key, (*PLAIN, type)):
            return
        known = self._places.get((id(value), key)) or self._added(value, key, element)
        if isinstance(known, Looked) and not known.read:
            known.read = known.holds()  # else the function reads what it has set itself
        if known is not None and known.was.value is not MISSING and known.now() is known.was.value:
            self.found(known.was.value, known.was)

    def _added(self, value: Any, key: Any, element: bool, read: bool = True) -> Place | None:
        if (
            id(value) in self._watched
            and not isinstance(value, type | ModuleType)
            and key in vars(value)
        ):
            return None  # set by the recording
        held = element_of(value, key) if element else attribute_of(value, key)
        if held is MISSING or (
            isinstance(value, Layer) and isinstance(held, (*PLAIN, FunctionType, property))
        ):
            return None
        label = f"{_name_of(value)}[{key!r}]" if element else f"{_name_of(value)}.{key}"
        place = Looked(
            "element" if element else "attribute",
            label,
            value,
            key,
            snapshot_of(held),
            element=element,
            read=read,
        )
        self._places[id(value), key] = place
        if isinstance(held, Layer):
            self._watch(held)
        return place

    def changing(self, value: Any, name: str, attribute: str, reads: bool) -> None:
        """Something is about to be changed: all that it holds may be.

        attribute: or only this one; reads: which is read before.
        """
        if isinstance(value, Layer) or not self._follows(value) or id(value) in self._whole:
            return
        if isinstance(value, list | dict | set):
            held = {name: value}
            self._places[id(held), name] = place = Place(
                "name", name, held, name, snapshot_of(value)
            )
            self.found(value, place.was)
            return
        for key in (attribute,) if attribute else tuple(getattr(value, "__dict__", ())):
            if (id(value), key) not in self._places and self._added(
                value, key, False, reads
            ) is None:
                label = f"{_name_of(value)}.{key}"
                self._places[id(value), key] = Looked(
                    "attribute", label, value, key, Snapshot(MISSING), read=reads
                )

    def made(self, names: dict[str, Any], name: str) -> None:
        """A function may give a name of its module a value that has none so far."""
        if name not in names:
            place = Looked(
                "element", name, names, name, Snapshot(MISSING), element=True, read=False
            )
            self._places.setdefault((id(names), name), place)

    def was_there(self, value: Any) -> bool:
        """Whether a value is known to be from before the recording."""
        return id(value) in self._outside

    def _follows(self, value: Any) -> bool:
        if isinstance(value, ModuleType):
            return self._is_users(value)
        return id(value) in self._outside or isinstance(value, os._Environ)


def _name_of(value: Any) -> str:
    return (value if isinstance(value, type | ModuleType | FunctionType) else type(value)).__name__


def snapshot_of(value: Any) -> Snapshot:
    """What a value is now, also where it is at something."""
    return _with_positions(snapshot(value))


def _with_positions(was: Snapshot) -> Snapshot:
    return each(
        was, lambda part: At(part.value, position(part.value)) if at_something(part.value) else part
    )


def settled(was: Snapshot) -> Snapshot:
    """The same, where nothing moved: of an iterator or the like only which one it is counts from
    now on.
    """
    return each(
        was,
        lambda part: Snapshot(part.value) if isinstance(part, At) and not part.may_stay else part,
    )


def positions(was: Snapshot) -> Iterator[At]:
    """What is at something, in a value."""
    return (part for part in parts(was) if isinstance(part, At))


def parts(was: Snapshot) -> Iterator[Snapshot]:
    """A snapshot and those of what is in it."""
    yield was
    inner = (
        was.items
        if isinstance(was, Sequence)
        else [s for _, s in was.items]
        if isinstance(was, Mapping)
        else ()
    )
    for part in inner:
        yield from parts(part)


def _within(value: Any) -> Iterator[Any]:
    """A value, what its containers hold, and what belongs to a method or to a function with
    arguments.
    """
    for part in reachable(value):
        if isinstance(part, (*PLAIN, Tensor, np.ndarray)):
            continue
        if isinstance(part, MethodType):
            yield part.__self__
        elif isinstance(part, functools.partial):
            yield part.args
            yield part.keywords
            for inner in (part.func, *part.args, *part.keywords.values()):
                yield from _within(inner)
        elif isinstance(part, (Layer, *ELSEWHERE)) or not type(part).__module__.startswith(OURS):
            yield part


def dice() -> list[tuple[str, At]]:
    """Where Python's own sources of random numbers are."""
    return [(name, At(source, position(source))) for name, source in SOURCES.items()]
