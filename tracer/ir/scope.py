"""Scopes: the values of persistable variables between runs, by name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..core import cuda
from ..core.errors import OpError, append_user_line
from ..core.op import Meta
from ..core.tensor import Tensor
from .scope_values import ScopeValue


class Scope:
    """A mapping from variable names to values. Looking up a name in a child scope also searches its
    parent.
    """

    def __init__(self, parent: Scope | None = None) -> None:
        self.tensors: dict[str, Tensor] = {}
        self._parent = parent
        self._kids: list[Scope] = []

    def new_scope(self) -> Scope:
        """Create a child scope."""
        self._kids.append(Scope(self))
        return self._kids[-1]

    def drop_kids(self) -> None:
        """Delete all child scopes."""
        self._kids.clear()

    def local_var_names(self) -> list[str]:
        """Return the names in this scope, without those of its parent."""
        return list(self.tensors)

    def find(self, name: str) -> Tensor | None:
        """Return the tensor of `name` in this scope or its ancestors; None if there is none."""
        tensor = self.tensors.get(name)
        return self._parent.find(name) if tensor is None and self._parent is not None else tensor

    def find_or_create(self, name: str) -> Tensor:
        """Return the tensor of `name` in this scope or its ancestors, created in this scope if
        there is none; its array is None until a value is set.
        """
        tensor = self.find(name)
        return self._find_local_or_create(name) if tensor is None else tensor

    def _find_local_or_create(self, name: str) -> Tensor:
        tensor = self.tensors.get(name)
        if tensor is None:
            tensor = self.tensors[name] = Tensor(None, name=name)
            tensor.persistable = True
        return tensor

    def var(self, name: str) -> ScopeValue:
        """Return the variable `name` of this scope, created without a value if there is none. The
        variable of this scope hides a variable of the parent with the same name.
        """
        return ScopeValue(name, self._find_local_or_create(name))

    def find_var(self, name: str) -> ScopeValue | None:
        """Return the variable `name` of this scope or its ancestors; None if there is none."""
        tensor = self.find(name)
        return None if tensor is None else ScopeValue(name, tensor)

    def erase(self, names: list[str]) -> None:
        """Delete the variables with these names from this scope."""
        for name in names:
            self.tensors.pop(name, None)

    def value(self, name: str) -> Tensor:
        """Return a copy of the value of `name`. Raises OpError if `name` has no value."""
        tensor = self.find(name)
        if tensor is None or tensor.array is None:
            raise OpError(
                append_user_line(f"scope: '{name}' has no value; run the startup program first")
            )
        return Tensor(np.array(cuda.to_host(tensor.array)), name=name)

    def assign(self, name: str, array: Any, meta: Meta) -> None:
        """Set the value of `name`, cast to the declared dtype.

        Raises OpError if the shape differs from the declared one.
        """
        fits = len(array.shape) == len(meta.shape) and all(
            w in (-1, n) for n, w in zip(array.shape, meta.shape, strict=True)
        )
        if not fits:
            actual = Meta(array.shape, array.dtype)
            raise OpError(
                append_user_line(f"set_value: the shapes differ ({name}={meta}, value={actual})")
            )
        self.find_or_create(name).array = np.array(array, dtype=meta.dtype)


class _CurrentScopeOfProcess:
    """Holds the current scope, of which there is one per process, as in Paddle."""

    scope = Scope()


def current_scope() -> Scope:
    """Return the scope that the Executor uses by default."""
    return _CurrentScopeOfProcess.scope


def global_scope() -> Scope:
    """Return the scope that the Executor uses by default."""
    return current_scope()


@contextmanager
def scope_guard(scope: Scope) -> Iterator[None]:
    """Context manager: `scope` is the current scope in the `with` body."""
    before, _CurrentScopeOfProcess.scope = _CurrentScopeOfProcess.scope, scope
    try:
        yield
    finally:
        _CurrentScopeOfProcess.scope = before
