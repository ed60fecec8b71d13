"""What a call leaves behind in layers and objects: attributes that hold values of the program, put back and set again after each run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..core.errors import TraceError
from ..core.parameter import Parameter
from ..core.tensor import Tensor
from ..nn.layer import Layer
from ..static.control.arrays import TensorArray
from ..static.variable import Variable
from .snapshots import MISSING


def is_of_program(value: Any) -> bool:
    """Whether a value is known by its name in a program only."""
    return isinstance(value, Variable | TensorArray)


@dataclass
class Effect:
    """An attribute that a call sets.   before: what it was, MISSING for none; after: what the program makes of it."""

    owner: Any
    key: str
    before: Any
    after: Any  # a Variable, or a list of them

    def restore(self) -> None:
        """Put back what was there before the recording."""
        if self.before is MISSING:
            self.owner.__dict__.pop(self.key, None)
        elif isinstance(self.owner, Layer):
            setattr(self.owner, self.key, self.before)
        else:
            self.owner.__dict__[self.key] = self.before

    def is_of_state(self) -> bool:
        """Whether it was a parameter or a buffer with a value."""
        return isinstance(self.before, Parameter) or is_buffer(self.owner, self.key, self.before)

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
        """Every attribute that holds a value of the program now, or a list of them; all have been put back."""
        found = [Effect(*entry) for entry in self._entries() if any(map(is_of_program, _within(entry[3])))]
        for effect in found:
            effect.restore()
        return found

    def _entries(self) -> Iterator[tuple[Any, str, Any, Any]]:
        """Every attribute that is another object than before: owner, name, before, now."""
        for owner, before in self._before:
            for key, value in list(owner.__dict__.items()):
                if key != "_static_functions" and before.get(key, MISSING) is not value:
                    yield owner, key, before.get(key, MISSING), value


def refuse_lists(effects: list[Effect]) -> None:
    """Raise TraceError for attributes that were given more than a tensor: no run could set them."""
    for effect in effects:
        if not isinstance(effect.after, Variable):
            why = f"{effect.label} was set to a list of values of the program; only a tensor can be kept there"
            raise TraceError(why)


def _within(value: Any) -> list[Any]:
    """A value, or the elements of a list or tuple."""
    return list(value) if isinstance(value, list | tuple) else [value]


def is_buffer(owner: Any, key: str, value: Any) -> bool:
    """Whether an attribute is a registered buffer with a value."""
    return isinstance(owner, Layer) and key in owner._buffers and isinstance(value, Tensor)
