"""What a program took from Python besides its arguments: attributes, and names from outside, which
may be others at the next call.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ...capture.variable import Variable
from ...core.errors import TraceError, is_library_file, warn, with_user_line
from ...core.tensor import Tensor
from ...ir.input_spec import InputSpec
from ...ir.plain_values import PLAIN, is_fixed
from ...ir.program import Guard
from ...nn import layer as layers
from ...nn.layer import Layer
from .bytecode import globals_written
from .reads import Looked, Reads, dice, positions, settled, snapshot_of
from .side_effects import Effect, is_of_program, table_of
from .snapshots import (
    MISSING,
    OURS,
    Snapshot,
    copied,
    has_attributes,
    is_container,
    is_plain,
    reachable,
    restored,
    without,
)
from .source import LISTED, Place, PlainPlaces, content

ASKS_FOR_ANY = {
    "getattr",
    "vars",
    "__dict__",
    "__getattribute__",
    "attrgetter",
    "deepcopy",
    "copy",
    "eval",
    "exec",
    "dir",
}
OWN = (
    "_full_name",
    "_changed_at",
    "_static_functions",
    "forward",
    "_state_hooks",
    "_non_persistable",
    "__doc__",
    "__module__",
    "__weakref__",
)


class Assumed:
    """What a recording may have looked at.   `hold` says whether it is all the same still.

    Made before the recording, which tells it each of the user's functions before it is called
    (`saw`); `finish` compares. What the recording itself changes is set again after each run
    (`replay`); where that cannot be, the program serves once. Layers number what is set in them, so
    that a call on layers that nobody touched compares little.
    """

    def __init__(self, owner: Any) -> None:
        self._places: dict[tuple[int, str], Place] = {}
        self._objects: dict[int, Any] = {}
        # those that were seen, by code, cells and module
        self._functions: dict[Any, FunctionType] = {}
        self._outside: set[int] = set()  # functions that were there before the recording, by id
        self._codes: set[CodeType] = set()
        self._inner: set[tuple[str, int, str]] = set()
        self._held: list[dict[str, Any]] = []
        self._read: set[str] = set()
        self._texts: set[str] = set()  # by which `getattr` and `hasattr` may look
        self._effects: list[Effect] = []
        self._replayed: list[tuple[Place, Any]] = []
        self._spoiled = ""
        # what is another at each call, so that no program serves twice
        self.moving: dict[str, None] = {}
        # sources of random numbers that moved, perhaps in another thread
        self.doubted: set[str] = set()
        self.reads = Reads(self._places, self._objects, self._watch, _is_users, self._moves)
        self._dice = dice()
        self._always: list[Place] = []
        self._plain = PlainPlaces()
        # by the layer whose attributes they are
        self._counted: dict[int, tuple[Layer, list[Place]]] = {}
        if owner is not None:
            self._watch(owner, whole=True)
            self.reads.found(owner)
        self._seen = -1

    # -- before and during the recording
    # ------------------------------------------------------------------------

    def saw(self, function: FunctionType) -> None:
        """A function of the user's is about to be called."""
        code, cells = function.__code__, function.__closure__ or ()
        at = code, tuple(map(id, cells)), id(function.__globals__)
        if at in self._functions:
            return
        self._functions[at] = function
        everything = list(_nested(code))
        if code not in self._codes:
            self._codes.add(code)
            self._inner.update(map(_where, everything[1:]))
            self._texts.update(t for c in everything for t in c.co_consts if isinstance(t, str))
            self._read.update(name for c in everything for name in _names_read(c))
        if _where(code) not in self._inner or id(function) in self._outside:
            for name, cell in zip(code.co_freevars, cells, strict=True):
                self._name(cell, name, content(cell))
            for value in (
                *(function.__defaults__ or ()),
                *(function.__kwdefaults__ or {}).values(),
            ):
                self.given(f"a default of {code.co_name}", value)
        self.reads.of_module(function.__globals__)
        for name in globals_written(code):
            self.reads.made(function.__globals__, name)
        for name in dict.fromkeys(n for c in everything for n in c.co_names):
            if name in function.__globals__:
                self._name(function.__globals__, name, function.__globals__[name])

    def given(self, name: str, argument: Any) -> None:
        """An argument that is no tensor: it is known by what it is called with, but not what it
        holds.
        """
        if not isinstance(argument, (Tensor, np.ndarray, InputSpec, *PLAIN)):
            held = {name: argument}
            self._held.append(held)
            self._name(held, name, argument)

    def _name(self, holder: Any, name: str, value: Any) -> None:
        if isinstance(value, ModuleType):
            if _is_users(value):
                self._watch(value)
            return
        if self._add("name", name, holder, name, value):
            for found in reachable(value):
                self._watch(found)

    def _watch(self, value: Any, whole: bool = False) -> None:
        """Look at the attributes of a layer and all below, or of another object."""
        if id(value) in self._objects:
            return
        if isinstance(value, Layer):
            for layer in value.sublayers(include_self=True):
                self._layer(layer)
        elif (whole and hasattr(value, "__dict__")) or has_attributes(value):
            self._objects[id(value)] = value
            owner = value.__name__ if isinstance(value, ModuleType | type) else type(value).__name__
            for key, held in list(vars(value).items()):
                if key not in OWN and not (
                    isinstance(value, ModuleType) and not isinstance(held, PLAIN)
                ):
                    self._add("attribute", f"{owner}.{key}", value, key, held)
                    if isinstance(held, Layer):
                        self._watch(held)

    def _layer(self, layer: Layer) -> None:
        if id(layer) in self._objects:
            return
        self._objects[id(layer)] = layer
        for hook in (*layer._forward_pre_hooks.values(), *layer._forward_post_hooks.values()):
            if isinstance(hook, FunctionType) and not is_library_file(hook.__code__.co_filename):
                self.saw(hook)
        ours = type(layer).__module__.startswith(OURS)
        for kind in type(layer).__mro__:
            if id(kind) not in self._objects and not kind.__module__.startswith((OURS, "builtins")):
                self._class(kind)
        for key, held in list(vars(layer).items()):
            if key in OWN:
                continue
            value = list(held) if key in LISTED else held
            counted = ours or key in LISTED or not is_container(held) or is_fixed(held)
            self._add("attribute", f"{type(layer).__name__}.{key}", layer, key, value, counted)
            if not counted:
                for found in reachable(held):
                    self._watch(found) if isinstance(found, Layer) else None

    def _class(self, kind: type) -> None:
        self._objects[id(kind)] = kind
        for key, held in list(vars(kind).items()):
            if (
                key not in OWN
                and isinstance(held, (*PLAIN, FunctionType))
                and not key.startswith("__")
            ):
                self._add("attribute", f"{kind.__name__}.{key}", kind, key, held)

    def _add(
        self, what: str, label: str, holder: Any, key: str, value: Any, counted: bool = False
    ) -> bool:
        at = id(holder), key
        if at in self._places:
            return False
        self._outside.update(id(v) for v in reachable(value) if isinstance(v, FunctionType))
        was = snapshot_of(value)
        self._places[at] = Place(
            what, label, holder, key, was, counted and not isinstance(value, np.ndarray)
        )
        self.reads.found(value, was)
        return True

    def _moves(self, what: str) -> None:
        """Something is asked for that is another at each call."""
        self.moving[what] = None

    @property
    def restless(self) -> str:
        """The first thing that is another at each call; empty where there is none."""
        return next(iter(self.moving), "")

    # -- after it
    # --------------------------------------------------------------------------

    def finish(self, effects: list[Effect]) -> None:
        """The recording is done.

        effects: the attributes that hold values of the program after each call.

        Raises TraceError where values of the program were put into a list or dict from outside.
        """
        self._effects = effects
        managed = {(table_of(e.owner), e.key) for e in effects}
        self.settle()
        self._unshadowed()
        for place in [*self._places.values(), *(place for _, place in self._new())]:
            if (table_of(place.holder), place.key) in managed:
                continue
            place.was = without(place.was, managed)
            read = self._is_read(place)
            lasting = (
                place.what == "name"
                or isinstance(place, Looked)
                or isinstance(place.holder, ModuleType | type)
            )
            if lasting and isinstance(place.now(), Variable):
                self._refuse_name(place)
            for part in positions(place.was):
                if any(map(is_of_program, part.items())):
                    part.put_back()
                    self._refuse_name(place)
            if not place.holds():
                self._changed(place, read)
            elif read or (isinstance(place.holder, Layer) and not self._is_left_alone(place)):
                self._keep(place)
        self._spoiled = self._spoiled or self.restless or next(iter(self.doubted), "")
        self._places, self._objects, self._functions = {}, {}, {}
        self.reads.forget()
        self._seen = layers.changes[0]

    def settle(self) -> None:
        """Find out what moved by itself: sources of random numbers, iterators, deques."""
        drawn = {name for name, was in self._dice if not was.same(was.value)}
        self.doubted |= drawn - self.reads.drawn
        moved = sorted(drawn & self.reads.drawn)
        moved += [
            p.label
            for p in self._places.values()
            if not all(w.same(w.value) for w in positions(p.was))
        ]
        self.moving.update(dict.fromkeys(moved))
        self._dice = []

    def confirm(self, before: Assumed) -> None:
        """Believe of what moved in the recording before as well that it is the function that moves
        it.
        """
        self.moving.update(dict.fromkeys(self.doubted & before.doubted))

    def held(self) -> Iterator[tuple[Any, Any, Any]]:
        """What was there before: holder, key and value of each place."""
        return (
            (p.holder, p.key, p.was.value) for p in self._places.values() if p.key not in LISTED
        )

    def changed(self) -> list[Place]:
        """What the recording changed and was no more than its call's, in place of `finish` for who
        undoes it.
        """
        places = [*self._places.values(), *(place for _, place in self._new())]
        return [place for place in places if not place.holds() and place.is_of_the_call()]

    def _refuse_name(self, place: Place) -> None:
        """Raise TraceError for a name from outside that holds a value of the program now."""
        place.put_back()
        why = f"'{place.label}' becomes a value of the program, which only a run knows"
        raise TraceError(
            with_user_line(
                f"{why}; return it, or keep it as an attribute of the layer or object "
                f"whose "
                f"method this is"
            )
        )

    def only(self, effects: list[Effect]) -> None:
        """The effects that are no business of the program itself."""
        self._effects = effects
        self._seen = layers.changes[0]

    def _unshadowed(self) -> None:
        """Methods and settings of a class that an attribute of the layer could hide later."""
        for layer in [v for v in self._objects.values() if isinstance(v, Layer)]:
            for key in self._read.difference(vars(layer)):
                if (id(type(layer)), key) in self._places:
                    self._add(
                        "attribute",
                        f"{type(layer).__name__}.{key}",
                        layer,
                        key,
                        MISSING,
                        counted=True,
                    )

    def _new(self) -> Iterator[tuple[tuple[int, str], Place]]:
        """Attributes that the recording added."""
        for value in self._objects.values():
            if isinstance(value, ModuleType | type):
                continue
            for key in list(vars(value)):
                if (id(value), key) not in self._places and key not in OWN:
                    place = Place(
                        "attribute", f"{type(value).__name__}.{key}", value, key, Snapshot(MISSING)
                    )
                    yield (id(value), key), place

    def _is_read(self, place: Place) -> bool:
        """Whether the functions may have looked at it; what was not there only `hasattr` and the
        like can have looked at.
        """
        if (
            place.what == "name"
            or place.key in self._texts
            or (isinstance(place, Looked) and place.read)
        ):
            return True
        return place.key in self._read and place.was.value is not MISSING

    def _is_left_alone(self, place: Place) -> bool:
        """Whether a container of a layer, which nobody was seen to ask for, is one that only the
        user's own code may ask for.
        """
        if not is_container(place.was.value) or place.key in LISTED or self._read & ASKS_FOR_ANY:
            return False
        kinds = [kind for kind in type(place.holder).__mro__ if kind not in (Layer, object)]
        codes = (
            getattr(vars(kind).get("forward"), "__code__", None)
            for kind in kinds
            if "forward" in vars(kind)
        )
        modules = [sys.modules.get(kind.__module__) for kind in kinds]
        return all(m is not None and _is_users(m) for m in modules) and any(
            code in self._codes for code in codes
        )

    def _changed(self, place: Place, read: bool) -> None:
        now = place.now()
        if now is place.was.value and isinstance(now, list | dict):
            if any(map(is_of_program, reachable(now))):
                self._leaked(place)
            else:
                self._spoiled = self._spoiled or place.label
        elif place.key in LISTED:
            self._spoiled = self._spoiled or place.label
        elif is_plain(now) and now is not MISSING:
            self._replayed.append((place, copied(now)))
        elif read:
            self._spoiled = self._spoiled or place.label
        if read:
            self._keep(place)

    def _leaked(self, place: Place) -> None:
        """Values of the program in a list or dict: a layer that keeps what it computed computes it
        at each run; any other one is refused.
        """
        restored(place.was)
        if isinstance(place.holder, Layer):
            why = "holds none of the values that forward put there; each run computes them"
            warn(f"'{place.label}' {why}")
            return
        why = (
            f"'{place.label}' is from outside and was given values of the program; return "
            f"them instead"
        )
        raise TraceError(with_user_line(why))

    def _keep(self, place: Place) -> None:
        place.was = settled(place.was)
        if place.counted and not any(positions(place.was)):
            self._counted.setdefault(id(place.holder), (place.holder, []))[1].append(place)
        elif not self._plain.take(place):
            self._always.append(place)

    def _kept(self) -> Iterator[Place]:
        """All that calls look at."""
        for _, places in self._counted.values():
            yield from places
        yield from self._plain.places
        yield from self._always

    # -- at each call
    # -------------------------------------------------------------------------------------------

    def hold(self) -> bool:
        """Whether everything is as it was."""
        if not self._plain.hold():
            return False
        for place in self._always:
            if not place.holds():
                return False
        if self._spoiled or not all(map(Effect.holds, self._effects)):
            return False
        now = layers.changes[0]
        if self._seen != now:
            for layer, places in self._counted.values():
                if layers.changed_at(layer) > self._seen and not all(
                    place.holds() for place in places
                ):
                    return False
            self._seen = now
        return True

    def replay(self) -> None:
        """Set what the function sets in Python."""
        for place, value in self._replayed:
            place.set(copied(value))

    def broken(self) -> str:
        """What does not hold, for people; empty if all does."""
        found = (p.label for p in self._kept() if not p.holds())
        return (
            self._spoiled
            or next(found, "")
            or next((e.label for e in self._effects if not e.holds()), "")
        )

    def guards(self) -> list[Guard]:
        """All of it, as a list for people."""
        moving = [
            Guard("state", what, 0, "another at each call", "read by Python", "", "")
            for what in self.moving
        ]
        return moving + [
            Guard(p.what, p.label, 0, repr(p.was.value), "read by Python", "", "")
            for p in self._kept()
            if isinstance(p.was.value, (*PLAIN, list, tuple, dict)) and p.key not in LISTED
        ]


def _nested(code: CodeType) -> Iterator[CodeType]:
    """A function's code and that of all functions written inside of it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _nested(constant)


def _where(code: CodeType) -> tuple[str, int, str]:
    return code.co_filename, code.co_firstlineno, code.co_name


def _names_read(code: CodeType) -> Iterable[str]:
    """Attributes that a function reads."""
    yield from (
        i.argval for i in dis.get_instructions(code) if i.opname in ("LOAD_ATTR", "LOAD_METHOD")
    )


def _is_users(module: ModuleType) -> bool:
    """Whether a module may hold settings of the user: no library, not ours."""
    file = getattr(module, "__file__", None)
    if file is None:
        # of a notebook, or made by the user
        return module.__spec__ is None and not module.__name__.startswith(OURS)
    return not is_library_file(file) and "site-packages" not in file and "/lib/python" not in file
