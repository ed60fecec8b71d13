"""What a program took from Python besides its arguments: attributes of layers, and names from outside, which may be others at the next call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import CellType
from typing import Any

from ..core.tensor import Tensor
from ..nn import layer as layers
from ..nn.layer import Layer
from ..static.program import Guard
from .effects import MISSING, Effect

PLAIN = (bool, int, float, complex, str, bytes, type(None))
Read = tuple[str, Callable[[], Any], Any]  # what it is called, how to get it, what it was


class Assumed:
    """Plain values - numbers, strings, None - that a recording may have looked at.   `hold` says whether they are the same still.

    Layers count what is set in any of them, so that a call on layers that nobody touched compares nothing.
    """

    def __init__(self, function: Any, owner: Any, effects: list[Effect]) -> None:
        self._owners = (
            owner.sublayers(include_self=True) if isinstance(owner, Layer) else [] if owner is None else [owner]
        )
        self._counted = isinstance(owner, Layer) or owner is None
        self._attributes = {(id(o), key): (o, key, value) for o, key, value in self._plain_attributes()}
        self._names = list(_outside(function))
        self._effects = effects
        self._seen = layers.changes[0]

    def _plain_attributes(self) -> Iterator[tuple[Any, str, Any]]:
        for owner in self._owners:
            for key, value in getattr(owner, "__dict__", {}).items():
                if isinstance(value, PLAIN) and not key.startswith("_full_name"):
                    yield owner, key, value

    def hold(self) -> bool:
        """Whether everything is as it was."""
        if any(get() is not was and get() != was for _, get, was in self._names):
            return False
        if self._counted and self._seen == layers.changes[0] and not self._effects:
            return True
        if not all(_kept(o, k, v) for o, k, v in self._attributes.values()) or not all(map(_holds, self._effects)):
            return False
        self._seen = layers.changes[0]
        return True

    def guards(self) -> list[Guard]:
        """All of it, as a list for people."""
        found = [
            Guard("attribute", f"{type(o).__name__}.{k}", 0, repr(v), "read by Python", "", "")
            for o, k, v in self._attributes.values()
        ]
        return found + [Guard("name", name, 0, repr(was), "read by Python", "", "") for name, _, was in self._names]


def _kept(owner: Any, key: str, value: Any) -> bool:
    now = owner.__dict__.get(key, MISSING)
    return now is value or (type(now) is type(value) and bool(now == value))


def _holds(effect: Effect) -> bool:
    """Whether an attribute that calls set is of the kind that it was when the program was recorded."""
    now = effect.owner.__dict__.get(effect.key, MISSING)
    if isinstance(effect.before, Tensor):
        return isinstance(now, Tensor) and now.meta == effect.before.meta
    return now is effect.before


def _outside(function: Any) -> Iterator[Read]:
    """The plain values that a function finds in its closure and among its module's names."""
    plain = getattr(function, "__func__", function)
    code = getattr(plain, "__code__", None)
    if code is None:
        return
    for name, cell in zip(code.co_freevars, plain.__closure__ or (), strict=True):
        if isinstance(_content(cell), PLAIN):
            yield name, lambda cell=cell: _content(cell), _content(cell)  # type: ignore[misc]
    for name in code.co_names:
        value = plain.__globals__.get(name, MISSING)
        if isinstance(value, PLAIN):
            yield name, lambda name=name: plain.__globals__.get(name, MISSING), value  # type: ignore[misc]


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING
