"""Scopes: where the values of persistable variables are between runs, by name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..core import cuda
from ..core.errors import OpError, with_user_line
from ..core.op import Meta
from ..core.tensor import Tensor
from .scope_values import ScopeValue


class Scope:
    """Values by name.   A new scope may have one around it, whose values it sees."""

    def __init__(self, parent: Scope | None = None) -> None:
        self.tensors: dict[str, Tensor] = {}
        self._parent = parent
        self._kids: list[Scope] = []

    def new_scope(self) -> Scope:
        """A scope inside of this one."""
        self._kids.append(Scope(self))
        return self._kids[-1]

    def drop_kids(self) -> None:
        """Forget the scopes inside of this one."""
        self._kids.clear()

    def local_var_names(self) -> list[str]:
        """The names that this scope has itself."""
        return list(self.tensors)

    def find(self, name: str) -> Tensor | None:
        """The place for the value of `name`, here or around; None where there is no such name."""
        found = self.tensors.get(name)
        return self._parent.find(name) if found is None and self._parent is not None else found

    def place_of(self, name: str) -> Tensor:
        """The place for the value of `name`, a new one where there is none.   Its array is None without a value."""
        found = self.find(name)
        if found is None:
            found = self.tensors[name] = Tensor(None, name=name)
            found.persistable = True
        return found

    def var(self, name: str) -> ScopeValue:
        """The place for `name`; a new one where there is none."""
        return ScopeValue(name, self.place_of(name))

    def find_var(self, name: str) -> ScopeValue | None:
        """The place for `name`, None where there is none."""
        found = self.find(name)
        return None if found is None else ScopeValue(name, found)

    def erase(self, names: list[str]) -> None:
        """Forget some values."""
        for name in names:
            self.tensors.pop(name, None)

    def value(self, name: str) -> Tensor:
        """A copy of a value.   Raises OpError where there is none."""
        found = self.find(name)
        if found is None or found.array is None:
            raise OpError(with_user_line(f"scope: '{name}' has no value; run the startup program first"))
        return Tensor(np.array(cuda.host(found.array)), name=name)

    def assign(self, name: str, array: Any, meta: Meta) -> None:
        """Put a value there, in the declared dtype.   Raises OpError for another shape than declared."""
        fits = len(array.shape) == len(meta.shape) and all(
            w in (-1, n) for n, w in zip(array.shape, meta.shape, strict=True)
        )
        if not fits:
            given = Meta(array.shape, array.dtype)
            raise OpError(with_user_line(f"set_value: the shapes differ ({name}={meta}, value={given})"))
        self.place_of(name).array = np.array(array, dtype=meta.dtype)


class _Current:
    """The scope in force, one for the process, as in Paddle."""

    scope = Scope()


def current_scope() -> Scope:
    """The scope that runs use unless told otherwise."""
    return _Current.scope


def global_scope() -> Scope:
    """The scope that runs use unless told otherwise."""
    return current_scope()


@contextmanager
def scope_guard(scope: Scope) -> Iterator[None]:
    """Let `scope` be the one in force in the body."""
    before, _Current.scope = _Current.scope, scope
    try:
        yield
    finally:
        _Current.scope = before
