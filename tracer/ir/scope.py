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
    """A mapping from variable names to values, which programs read and write.

    Looking up a name in a child scope also searches its parent.

    Parameters
    ----------
    parent : Scope, optional

    Attributes
    ----------
    tensors : dict
        The tensors of this scope, by name.

    Examples
    --------
    >>> scope = paddle.static.Scope()
    >>> scope.var("x").set(np.ones([2], "float32"))
    >>> scope.value("x").tolist()
    [1.0, 1.0]
    """

    def __init__(self, parent: Scope | None = None) -> None:
        self.tensors: dict[str, Tensor] = {}
        self._parent = parent
        self._kids: list[Scope] = []

    def new_scope(self) -> Scope:
        """Create a child scope.

        Returns
        -------
        Scope

        Examples
        --------
        >>> scope = paddle.static.Scope()
        >>> scope.var("x").set(np.ones([2], "float32"))
        >>> scope.new_scope().value("x").tolist()
        [1.0, 1.0]
        """
        self._kids.append(Scope(self))
        return self._kids[-1]

    def drop_kids(self) -> None:
        """Delete all child scopes.

        Examples
        --------
        >>> scope = paddle.static.Scope()
        >>> child = scope.new_scope()
        >>> scope.drop_kids()
        """
        self._kids.clear()

    def local_var_names(self) -> list[str]:
        """Return the names in this scope, without those of its parent.

        Returns
        -------
        list of str

        Examples
        --------
        >>> scope = paddle.static.Scope()
        >>> x = scope.var("x")
        >>> scope.local_var_names(), scope.new_scope().local_var_names()
        (['x'], [])
        """
        return list(self.tensors)

    def find(self, name: str) -> Tensor | None:
        """Return the tensor of a name in this scope or its ancestors.

        Parameters
        ----------
        name : str

        Returns
        -------
        Tensor, or None if there is none

        Examples
        --------
        >>> paddle.static.Scope().find("x") is None
        True
        """
        tensor = self.tensors.get(name)
        return self._parent.find(name) if tensor is None and self._parent is not None else tensor

    def find_or_create(self, name: str) -> Tensor:
        """Return the tensor of a name in this scope or its ancestors; create it if there is none.

        Parameters
        ----------
        name : str

        Returns
        -------
        Tensor
            The `array` of a new one is None until a value is set.

        Examples
        --------
        >>> scope = paddle.static.Scope()
        >>> scope.find_or_create("x").name
        'x'
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
        """Return the variable of a name in this scope, created without a value if there is none.

        It hides a variable of the parent with the same name.

        Parameters
        ----------
        name : str

        Returns
        -------
        ScopeValue
            It has `set(array)` and `get_tensor()`.

        Examples
        --------
        >>> scope = paddle.static.Scope()
        >>> scope.var("x").set(np.ones([2], "float32"))
        >>> np.array(scope.var("x").get_tensor())
        array([1., 1.], dtype=float32)
        """
        return ScopeValue(name, self._find_local_or_create(name))

    def find_var(self, name: str) -> ScopeValue | None:
        """Return the variable of a name in this scope or its ancestors.

        Parameters
        ----------
        name : str

        Returns
        -------
        ScopeValue, or None if there is none

        Examples
        --------
        >>> paddle.static.Scope().find_var("x") is None
        True
        """
        tensor = self.find(name)
        return None if tensor is None else ScopeValue(name, tensor)

    def erase(self, names: list[str]) -> None:
        """Delete variables from this scope. Names that it does not have are left out.

        Parameters
        ----------
        names : list of str

        Examples
        --------
        >>> scope = paddle.static.Scope()
        >>> x = scope.var("x")
        >>> scope.erase(["x"])
        >>> scope.local_var_names()
        []
        """
        for name in names:
            self.tensors.pop(name, None)

    def value(self, name: str) -> Tensor:
        """Return a copy of the value of a name in this scope or its ancestors.

        Parameters
        ----------
        name : str

        Returns
        -------
        Tensor
            On the CPU.

        Raises
        ------
        OpError
            If the name has no value.

        Examples
        --------
        >>> scope = paddle.static.Scope()
        >>> scope.var("x").set(np.array([3.0]))
        >>> scope.value("x").item()
        3.0
        """
        tensor = self.find(name)
        if tensor is None or tensor.array is None:
            raise OpError(
                append_user_line(f"scope: '{name}' has no value; run the startup program first")
            )
        return Tensor(np.array(cuda.to_host(tensor.array)), name=name)

    def assign(self, name: str, array: Any, meta: Meta) -> None:
        """Set the value of a name, cast to the declared dtype.

        Parameters
        ----------
        name : str
        array : ndarray
        meta : Meta
            The declared shape, with -1 for dynamic dimensions, and dtype.

        Raises
        ------
        OpError
            If the shape differs from the declared one.

        Examples
        --------
        >>> scope = paddle.static.Scope()
        >>> meta = paddle.ones([2]).meta
        >>> scope.assign("x", np.array([1, 2]), meta)
        >>> scope.value("x").tolist()
        [1.0, 2.0]
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
    """Return the scope that the Executor uses by default.

    Returns
    -------
    Scope
        That of the innermost `scope_guard`, else that of the process.

    Examples
    --------
    >>> scope = paddle.static.Scope()
    >>> with paddle.static.scope_guard(scope):
    ...     print(paddle.static.global_scope() is scope)
    True
    """
    return current_scope()


@contextmanager
def scope_guard(scope: Scope) -> Iterator[None]:
    """Context manager: make a scope the current scope of the process.

    Parameters
    ----------
    scope : Scope

    Yields
    ------
    None

    Examples
    --------
    >>> with paddle.static.scope_guard(paddle.static.Scope()):
    ...     x = paddle.static.global_scope().var("x")
    >>> paddle.static.global_scope().find_var("x") is None
    True
    """
    before, _CurrentScopeOfProcess.scope = _CurrentScopeOfProcess.scope, scope
    try:
        yield
    finally:
        _CurrentScopeOfProcess.scope = before
