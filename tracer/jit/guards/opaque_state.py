"""State that a branch or a loop may change and that is neither a variable nor a place of
`operators/nonlocal_writes.py`: what a deque, a set, an iterator,
an array or a generator of random numbers is at.   Nobody can put it back, so a change is refused.
"""

from __future__ import annotations

import collections
import functools
import inspect
import random
import warnings
from array import array
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any

import numpy as np

from ...capture.control.mutable_locations import Keeper
from ...core.errors import TraceError, user_frame, with_user_line
from ...core.tensor import Tensor
from ...ir.plain_values import PLAIN, identical
from ...nn.layer import Layer
from .snapshots import MANY, OURS, has_attributes
from .user_code import is_users

DEPTH = 3
LARGE = 1 << 24  # bytes of an array that are compared
FIX = (
    "change it outside of the branch or loop, or keep in tensors, lists and dicts under names "
    "of the function what depends on values"
)


class Untracked(Keeper):
    """Something that changes in ways of its own.

    keys: attributes that are looked after elsewhere.
    """

    restores = False

    @property
    def key(self) -> tuple[int, Any]:
        """See Keeper."""
        return id(self.target), "untracked"

    @property
    def sets(self) -> bool:  # type: ignore[override]
        """See Keeper."""
        kind = type(self.target)
        if not hasattr(self.target, "__dict__") or kind.__module__ == "builtins":
            return False
        return "__setattr__" in {n for base in kind.__mro__[:-1] for n in vars(base)} or any(
            isinstance(held, property) and held.fset is not None
            for base in kind.__mro__
            for held in vars(base).values()
        )

    def read(self) -> dict[Any, Any]:
        """What it is at."""
        return {"": position(self.target, self.keys or ())}

    def refuse(self, before: dict[Any, Any], attributes_noted: bool) -> None:
        """Raise TraceError where it is at something else now.

        attributes_noted: these are put back by others
        """
        was, now = (state[""] for state in (before, self.read()))
        if attributes_noted and was[0] == "attributes":
            was, now = was[3], now[3]
        if not alike(was, now):
            kind = type(self.target).__name__
            why = (
                "is changed in a branch or loop that only some runs take; it is no part of "
                "the program, and Python would change it in all"
            )
            raise TraceError(with_user_line(f"'{self.name}' ({kind}) {why}; {FIX}"))


def alike(a: Any, b: Any) -> bool:
    """Whether something is at the same in two positions of it."""
    if type(a) is tuple and type(b) is tuple:
        return len(a) == len(b) and all(map(alike, a, b))
    return a is b or (isinstance(a, PLAIN) and isinstance(b, PLAIN) and identical(a, b))


def position(value: Any, but: tuple[str, ...] = ()) -> Any:
    """What something is at, as nested tuples; None for what does not change, or is looked after
    elsewhere.
    """
    for kinds, reader in READERS:
        if isinstance(value, kinds):
            return reader(value)
    if hasattr(value, "__next__") and not hasattr(value, "__dict__"):
        return _of_iterator(value)
    if has_attributes(value) and not isinstance(value, type | ModuleType):
        kept = {k: v for k, v in vars(value).items() if k not in but}
        return "attributes", tuple(kept), tuple(kept.values()), _of_items(value)
    return None


def _of_items(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple(dict.keys(value)), tuple(dict.values(value))
    return tuple(list.__iter__(value)) if isinstance(value, list) else ()


def _of_array(value: Any) -> Any:
    if value.dtype == object:
        return tuple(value.flat)
    return (value.tobytes() if value.nbytes <= LARGE else None), value.shape


def _of_generator(value: Any) -> Any:
    frame = value.gi_frame
    return None if frame is None else (frame.f_lasti, *frame.f_locals.values())


def _of_iterator(value: Any, depth: int = DEPTH) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parts = value.__reduce__()
    except TypeError:
        return None
    return _inside(parts, depth)


def _inside(parts: Any, depth: int) -> Any:
    if isinstance(parts, tuple):
        return tuple(_inside(p, depth) for p in parts)
    if hasattr(parts, "__next__") and depth:
        return (
            position(parts) if isinstance(parts, GeneratorType) else _of_iterator(parts, depth - 1)
        )
    return tuple(parts) if type(parts) is list else parts  # a copy: what is left of it


READERS: list[tuple[Any, Callable[[Any], Any]]] = [
    (np.ndarray, _of_array),
    ((bytearray, array), bytes),
    ((set, collections.deque), tuple),
    (GeneratorType, _of_generator),
    (np.random.RandomState, lambda value: (value.get_state()[1].tobytes(), value.get_state()[2:])),
    (np.random.Generator, lambda value: repr(value.bit_generator.state)),
    (random.SystemRandom, lambda _: None),
    (random.Random, lambda value: repr(value.getstate())),
]  # fmt: skip


# -- what a branch or a loop reaches
# --------------------------------------------------------------------------------


def untracked_by(
    functions: tuple[Callable[..., Any] | None, ...], names: Any
) -> Iterator[Untracked]:
    """What the bodies of a statement may change.

    names: of the variables and attributes that are looked after.
    """
    attributes = tuple(dict.fromkeys(name.rpartition(".")[2] for name in names if "." in name))
    seen: dict[int, Any] = {}
    for label, root in (("np.random", np.random.mtrand._rand), ("random", random._inst)):
        yield Untracked(label, root, ())
    for function in functions:
        for label, value in _names_of(function, DEPTH):
            yield from _in(label, value, attributes, seen, DEPTH)


def _names_of(function: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """What the names in a function stand for, and those in the functions that it may call."""
    while isinstance(function, functools.partial | MethodType):
        function = function.func if isinstance(function, functools.partial) else function.__func__
    if not isinstance(function, FunctionType):
        return
    found: dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        if not name.startswith(("_ol_", "__ol")):
            try:
                found[name] = cell.cell_contents
            except ValueError:  # nothing so far
                continue
    found.update(
        {
            n: function.__globals__[n]
            for n in _globals_in(function.__code__)
            if n in function.__globals__
        }
    )
    for name, value in found.items():
        yield name, value
        if depth > 1 and isinstance(value, FunctionType) and is_users(value):
            yield from _names_of(value, depth - 2)


def _globals_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _globals_in(const)


def _in(
    label: str, value: Any, but: tuple[str, ...], seen: dict[int, Any], depth: int
) -> Iterator[Untracked]:
    if id(value) in seen or isinstance(value, (*PLAIN, Tensor, ModuleType, type, FunctionType)):
        return
    seen[id(value)] = value
    inside: list[tuple[str, Any]] = []
    if isinstance(value, Layer):
        inside = [(f"{label}.{k}", v) for k, v in vars(value).items() if not k.startswith("_")]
    elif type(value) in (list, tuple, dict):
        pairs = value.items() if type(value) is dict else enumerate(value[:MANY])
        inside = [(f"{label}[{k!r}]", v) for k, v in pairs]
    elif not type(value).__module__.startswith(OURS):
        if position(value, but) is not None:
            yield Untracked(label, value, but)
        if has_attributes(value) and not inspect.ismodule(value):
            inside = [(f"{label}.{k}", v) for k, v in vars(value).items()]
    if depth:
        for name, held in inside:
            yield from _in(name, held, but, seen, depth - 1)


def refuse_if_kept(iterator: Any) -> None:
    """Raise TraceError for rounds over an iterator that others see, some of which only a run knows
    to be made.
    """
    if not hasattr(iterator, "__next__"):
        return
    parts = {id(iterator)} | {id(p) for p in _iterators_in(iterator, DEPTH)}
    frame = user_frame()
    for name, value in frame.f_locals.items() if frame is not None else ():
        if not name.startswith("_ol_") and parts & {id(v) for v in _held(value, 2)}:
            why = (
                "goes on where only a run knows how far; write out its items before "
                "(`list(...)`) and loop over these"
            )
            raise TraceError(with_user_line(f"'{name}' ({type(iterator).__name__}) {why}"))


def _iterators_in(value: Any, depth: int) -> Iterator[Any]:
    if hasattr(value, "__dict__") or isinstance(value, GeneratorType):
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            todo = [value.__reduce__()]
    except TypeError:
        return
    while todo:
        part = todo.pop()
        if isinstance(part, tuple):
            todo += part
        elif hasattr(part, "__next__"):
            yield part
            if depth:
                yield from _iterators_in(part, depth - 1)


def _held(value: Any, depth: int) -> Iterator[Any]:
    yield value
    if not depth or isinstance(value, (*PLAIN, Tensor, ModuleType, type, FunctionType)):
        return
    inside = (
        value
        if isinstance(value, list | tuple)
        else value.values()
        if isinstance(value, dict)
        else ()
    )
    if has_attributes(value) or isinstance(value, Layer):
        inside = vars(value).values()
    for one in list(inside)[:MANY]:
        yield from _held(one, depth - 1)
