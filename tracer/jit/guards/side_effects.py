"""What a call leaves behind in layers and objects: attributes that hold values of the program, put
back and set again after each run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ...capture.control.may_alias import Moved
from ...capture.control.mutable_locations import Cell, Elements, Entries, Keeper
from ...capture.control.tensor_arrays import TensorArray
from ...capture.recorder import Recorder
from ...capture.variable import Variable
from ...core import pytree
from ...core.errors import TraceError
from ...core.op import OPS
from ...core.parameter import Parameter
from ...core.tensor import Tensor
from ...nn.layer import Layer
from .snapshots import MISSING, reachable


def is_of_program(value: Any) -> bool:
    """Whether a value is known by its name in a program only."""
    return isinstance(value, Variable | TensorArray | Moved)


@dataclass
class Effect:
    """An attribute or element that a call sets.

    before: what it was, MISSING for none; after: what the program makes of it, in any nesting.

    owner: a layer or object, or a dict or list; name: of it, for messages.
    """

    owner: Any
    key: Any
    before: Any
    after: Any
    name: str = ""
    # another place held the same tensor, so that a program serves for that one only
    shared: bool = False
    is_set: Any = True  # a truth value of the program for what some ways give a value only

    def now(self) -> Any:
        """What is there; MISSING for nothing."""
        if isinstance(self.owner, list):
            return self.owner[self.key] if self.key < len(self.owner) else MISSING
        table = self.owner if isinstance(self.owner, dict) else vars(self.owner)
        return table.get(self.key, MISSING)

    def put(self, value: Any) -> None:
        """Let it hold a value."""
        if isinstance(self.owner, list | dict):
            self.owner[self.key] = value
        else:
            setattr(self.owner, self.key, value)

    def restore(self) -> None:
        """Put back what was there before the recording."""
        if self.before is MISSING:
            (self.owner if isinstance(self.owner, dict) else vars(self.owner)).pop(self.key, None)
        elif isinstance(self.owner, Layer | list | dict):
            self.put(self.before)
        else:
            vars(self.owner)[self.key] = self.before

    def holds(self) -> bool:
        """Whether what is there is of the kind that it was when the program was recorded."""
        now = self.now()
        if self.shared:
            return now is self.before
        if isinstance(self.before, Tensor):
            return isinstance(now, Tensor) and now.meta == self.before.meta
        if now is self.before or not isinstance(now, list | tuple | dict):
            return now is self.before
        (one, first), (two, second) = pytree.flatten(self.before), pytree.flatten(now)
        return first == second and all(map(_alike, one, two))

    def is_of_state(self) -> bool:
        """Whether it was a parameter or a buffer with a value."""
        return isinstance(self.before, Parameter) or is_buffer(self.owner, self.key, self.before)

    @property
    def label(self) -> str:
        """The place, for messages."""
        return self.name or f"{type(self.owner).__name__}.{self.key}"


def _alike(before: Any, now: Any) -> bool:
    return now is before or (
        isinstance(now, Tensor) and isinstance(before, Tensor) and now.meta == before.meta
    )


class Attributes:
    """The attributes of objects before a recording, to find out what it does to them.

    owner: a layer with all below, or any object.
    """

    def __init__(self, owner: Any) -> None:
        owners = owner.sublayers(include_self=True) if isinstance(owner, Layer) else [owner]
        self._before = [
            (o, dict(o.__dict__))
            for o in owners
            if hasattr(o, "__dict__") and not isinstance(o, type)
        ]

    def taken(self) -> list[Effect]:
        """Every attribute that holds a value of the program now, or a list of them; all have been
        put back.
        """
        found = [Effect(*entry) for entry in self._entries() if holds_program(entry[3])]
        for effect in found:
            effect.restore()
        return found

    def _entries(self) -> Iterator[tuple[Any, str, Any, Any]]:
        """Every attribute that is another object than before: owner, name, before, now."""
        for owner, before in self._before:
            for key, value in list(owner.__dict__.items()):
                if key != "_static_functions" and before.get(key, MISSING) is not value:
                    yield owner, key, before.get(key, MISSING), value


def taken_from(recorder: Recorder) -> list[Effect]:
    """What converted code put into other objects, dicts and lists that were there before; all have
    been put back.
    """
    found = [
        Effect(*entry)
        for keeper, before in recorder.open[0].kept.values()
        for entry in _changed(keeper, before)
    ]
    for effect in found:
        effect.restore()
    return found


def _changed(keeper: Keeper, before: dict[Any, Any]) -> Iterator[tuple[Any, Any, Any, Any, str]]:
    now = keeper.read()
    grown = isinstance(keeper, Elements) and len(now) != len(before)
    if (
        grown
        or isinstance(keeper, Cell)
        or keeper.keys is not None
        or any(map(is_of_program, before.values()))
    ):
        return  # the last ones were made by the recording
    others = {k: v for k, v in now.items() if before.get(k, MISSING) is not v}
    others = {k: v for k, v in others.items() if k in before or not isinstance(keeper, Entries)}
    if any(map(holds_program, others.values())):
        for key, value in others.items():
            moved = isinstance(value, Tensor) and not isinstance(
                value, Variable
            )  # from another place, which changes as well
            made = OPS["assign"](value) if moved else value
            if moved or holds_program(value):
                yield keeper.target, key, before.get(key, MISSING), made, keeper.label(key)


def holds_program(value: Any) -> bool:
    """Whether a value is one of a program, or a container with such."""
    return any(map(is_of_program, pytree.flatten(value)[0]))


def refuse_lists(effects: list[Effect]) -> None:
    """Raise TraceError for attributes that were given a list of the program: no run could
    set them.
    """
    for effect in effects:
        if any(isinstance(leaf, TensorArray | Moved) for leaf in pytree.flatten(effect.after)[0]):
            why = (
                f"{effect.label} was set to a list of values of the program; only a tensor "
                f"can be kept there"
            )
            raise TraceError(f"{why}, or as many as Python knows")


def table_of(holder: Any) -> int:
    """What an object's attributes, or the names of a module, are in."""
    return id(vars(holder) if hasattr(holder, "__dict__") else holder)


def mark_shared(effects: list[Effect], places: Iterable[tuple[Any, Any, Any]]) -> None:
    """Find the effects whose tensor another place holds as well.

    places: holder, key and value of each that may.
    """
    named: dict[int, set[tuple[int, Any]]] = {}
    for holder, key, value in places:
        for found in reachable(value):
            if isinstance(found, Tensor) and found is value:
                named.setdefault(id(found), set()).add((table_of(holder), key))
            elif isinstance(found, dict | list | tuple):
                for at, item in found.items() if isinstance(found, dict) else enumerate(found):
                    named.setdefault(id(item), set()).add((id(found), at))
    for effect in effects:
        own, leaves = (table_of(effect.owner), effect.key), pytree.flatten(effect.before)[0]
        inside = {(id(effect.before), at) for at in range(len(leaves))}
        tensors = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
        effect.shared = any(named.get(id(t), set()) - {own} - inside for t in tensors)


def is_buffer(owner: Any, key: str, value: Any) -> bool:
    """Whether an attribute is a registered buffer with a value."""
    return isinstance(owner, Layer) and key in owner._buffers and isinstance(value, Tensor)
