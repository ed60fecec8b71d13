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

MISSING = object()


@dataclass
class Effect:
    """An attribute that a call sets.   before: what it was, MISSING for none; after: what the program makes of it."""

    owner: Any
    key: str
    before: Any
    after: Variable

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

    def _changed(self) -> Iterator[Effect]:
        for owner, before in self._before:
            for key, value in list(owner.__dict__.items()):
                if key == "_static_functions":
                    continue
                if before.get(key, MISSING) is value:
                    continue
                if isinstance(value, Variable):
                    yield Effect(owner, key, before.get(key, MISSING), value)
                elif isinstance(value, TensorArray) or (
                    isinstance(value, list | tuple) and any(isinstance(v, Variable) for v in value)
                ):
                    raise TraceError(
                        f"{type(owner).__name__}.{key} was set to a list of values of the program; only a tensor can be kept there"
                    )


def is_buffer(owner: Any, key: str, value: Any) -> bool:
    """Whether an attribute is a registered buffer with a value."""
    return isinstance(owner, Layer) and key in owner._buffers and isinstance(value, Tensor)
