"""What a call leaves behind in layers and objects: attributes that hold values of the program, put back and set again after each run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..core.errors import TraceError
from ..core.tensor import Tensor
from ..nn.layer import Layer
from ..static.control.arrays import TensorArray
from ..static.variable import Variable
from .snapshots import MISSING


@dataclass
class Effect:
    """An attribute that a call sets.   before: what it was, MISSING for none; after: what the program makes of it."""

    owner: Any
    key: str
    before: Any
    after: Any  # a Variable

    def restore(self) -> None:
        """Put back what was there before the recording."""
        if self.before is MISSING:
            self.owner.__dict__.pop(self.key, None)
        elif isinstance(self.owner, Layer):
            setattr(self.owner, self.key, self.before)
        else:
            self.owner.__dict__[self.key] = self.before

    @property
    def label(self) -> str:
        """The attribute, for messages."""
        return f"{type(self.owner).__name__}.{self.key}"


class Attributes:
    """The attributes of objects before a recording, to find out what it does to them.   owner: a layer with all below, or any object."""

    def __init__(self, owner: Any) -> None:
        owners = owner.sublayers(include_self=True) if isinstance(owner, Layer) else [owner]
        self._before = [(o, dict(o.__dict__)) for o in owners if hasattr(o, "__dict__") and not isinstance(o, type)]

    def taken(self) -> list[Effect]:
        """Every attribute that holds a value of the program now, and has been put back."""
        found = list(self._changed())
        for effect in found:
            effect.restore()
        return found

    def put_back(self) -> list[Effect]:
        """Put back every attribute that holds values of the program, or a list of them; gives those that were a tensor before."""
        found = [
            Effect(*entry)
            for entry in self._entries()
            if any(isinstance(v, Variable | TensorArray) for v in _within(entry[3]))
        ]
        for effect in found:
            effect.restore()
        return [effect for effect in found if isinstance(effect.before, Tensor)]

    def _entries(self) -> Iterator[tuple[Any, str, Any, Any]]:
        """Every attribute that is another object than before: owner, name, before, now."""
        for owner, before in self._before:
            for key, value in list(owner.__dict__.items()):
                if key != "_static_functions" and before.get(key, MISSING) is not value:
                    yield owner, key, before.get(key, MISSING), value

    def _changed(self) -> Iterator[Effect]:
        for owner, key, before, value in self._entries():
            if isinstance(value, Variable):
                yield Effect(owner, key, before, value)
            elif isinstance(value, TensorArray) or any(isinstance(v, Variable) for v in _within(value)):
                raise TraceError(
                    f"{type(owner).__name__}.{key} was set to a list of values of the program; only a tensor can be kept there"
                )


def _within(value: Any) -> list[Any]:
    """A value, or the elements of a list or tuple."""
    return list(value) if isinstance(value, list | tuple) else [value]


def is_buffer(owner: Any, key: str, value: Any) -> bool:
    """Whether an attribute is a registered buffer with a value."""
    return isinstance(owner, Layer) and key in owner._buffers and isinstance(value, Tensor)
