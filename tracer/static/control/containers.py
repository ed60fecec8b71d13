"""Lists in the body of a loop: a round that makes one longer or shorter makes it a list of the program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..variable import Variable
from .values import same

TOUCHED = object()  # at the end of a list that a round changes
GROWN = "grown"


class Growing(list[Any]):
    """A Python list in the body of a loop, which tells whether its length was changed, or a position that only a run knows used."""

    touched = ""

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, Variable):
            self.touched = GROWN
            return next(iter(self)) if self else None
        return super().__getitem__(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, Variable):
            self.touched = GROWN
            return
        super().__setitem__(index, value)


def _growing(name: str) -> Callable[..., Any]:
    plain = getattr(list, name)

    def method(self: Growing, *args: Any, **kwargs: Any) -> Any:
        self.touched = GROWN
        return plain(self, *args, **kwargs)

    return method


for _name in ("append", "extend", "insert", "pop", "remove", "clear", "__delitem__", "__iadd__"):
    setattr(Growing, _name, _growing(_name))


def same_items(a: Any, b: Any) -> bool:
    """Whether two containers of one length hold the same."""
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    return isinstance(b, list) and all(same(x, y) for x, y in zip(a, b, strict=True))
