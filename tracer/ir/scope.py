"""Scopes: where the values of persistable variables are between runs, by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import cuda
from ..core.dtype import DType
from ..core.era import era, texts
from ..core.errors import OpError, with_user_line
from ..core.op import Meta
from ..core.tensor import Tensor

if TYPE_CHECKING:
    from .selected_rows import SelectedRows


class Held:
    """What a scope has under a name: a place for a value, which is its own `get_tensor()`.   tensor.array: None without one"""

    _dims: tuple[int, ...] = ()

    def __init__(self, name: str, tensor: Tensor) -> None:
        self._name = name
        self.tensor = tensor

    def name(self) -> str:
        """The variable's name."""
        return self._name

    def _dtype(self) -> DType:
        """The dtype of the value."""
        return self.tensor.dtype

    def get_tensor(self) -> Held:
        """Itself: a value to read as an array, and to `set`."""
        return self

    def get_selected_rows(self) -> SelectedRows:
        """Some rows of a table, none at first.   Raises OpError where there is a tensor."""
        from .selected_rows import SelectedRows  # which holds a value as scopes do  # noqa: PLC0415

        if self.tensor.array is not None:
            raise OpError(with_user_line(f"scope: '{self._name}' holds a tensor, not selected rows"))
        found: SelectedRows = self.tensor.__dict__.setdefault("selected_rows", SelectedRows())
        return found

    def is_initialized(self) -> bool:
        """Whether there is a value."""
        return self.tensor.array is not None or "selected_rows" in self.tensor.__dict__

    _is_initialized = is_initialized

    def set(self, array: Any, place: Any = None) -> None:
        """Put a value there."""
        self.tensor.array = np.array(array)

    def __str__(self) -> str:
        """The block that the Paddle of the era prints.   Of an empty one: what it is."""
        if self.tensor.array is None:
            return f"{type(self).__name__} without a value"
        return (texts["held"] if era.old else _text)(self)

    def lod(self) -> list[list[int]]:
        """The offsets of packed sequences: none."""
        return []

    def shape(self) -> list[int]:
        """The sizes of the value."""
        return list(self.__array__().shape)

    _get_dims = shape

    def __getitem__(self, index: Any) -> Held:
        """Some rows, as a value of their own; one row keeps its axis."""
        found = self.__array__()[index]
        return type(self)("", Tensor(found)) if type(self) is Held else type(self)(found)  # type: ignore[call-arg]

    # -- places that are filled by hand -------------------------------------------------------------------------

    def _set_dims(self, sizes: list[int]) -> None:
        """Say how large the value is that is made next."""
        self._dims = tuple(sizes)

    def _alloc(self, dtype: Any) -> None:
        before = self.tensor.array
        self.tensor.array = np.zeros(self._dims or (() if before is None else before.shape), dtype)

    def _alloc_int(self, place: Any = None) -> None:
        """Make zeros, int32."""
        self._alloc(np.int32)

    def _alloc_float(self, place: Any = None) -> None:
        """Make zeros, float32."""
        self._alloc(np.float32)

    def _alloc_double(self, place: Any = None) -> None:
        """Make zeros, float64."""
        self._alloc(np.float64)

    def _get_element(self, index: int) -> Any:
        """One element, counted through all axes."""
        return self.__array__().reshape(-1)[index].item()

    def _set_element(self, index: int, value: Any) -> None:
        """Set one element, counted through all axes."""
        made = np.array(self.__array__())
        made.reshape(-1)[index] = value
        self.tensor.array = made

    _get_float_element = _get_double_element = _get_element
    _set_float_element = _set_double_element = _set_element

    # -- values of other kinds ----------------------------------------------------------------------------------

    def set_int(self, value: int) -> None:
        """Hold a plain number."""
        self.tensor.array = np.array(value, np.int32)

    def get_int(self) -> int:
        """The plain number."""
        return int(self.__array__())

    def is_int(self) -> bool:
        """Whether it holds a plain number."""
        array = self.tensor.array
        return array is not None and array.shape == () and array.dtype == np.int32

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if self.tensor.array is None:
            raise OpError(with_user_line(f"scope: '{self._name}' has no value yet"))
        array = np.asarray(cuda.host(self.tensor.array))
        return array.copy() if dtype is None else array.astype(dtype)


def braces(lod: Sequence[Sequence[int]]) -> str:
    """Offsets as Paddle prints them: `{{0, 1, 3}}`."""
    return "{" + "".join("{" + ", ".join(map(str, level)) + "}" for level in lod) + "}"


def _text(of: Held) -> str:
    array = np.asarray(of)
    lines = [f"lod: {braces(of.lod())}"] if of.lod() else []
    lines += [f"shape: {list(array.shape)}", "layout: NCHW", "place: Place(cpu)", f"dtype: {of.tensor.dtype.name}"]
    values = " ".join(f"{v:.6g}" if isinstance(v, float) else str(v) for v in array.ravel().tolist())
    return "\n".join(f"  - {line}" for line in (*lines, f"data: [{values}]"))


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

    def var(self, name: str) -> Held:
        """The place for `name`; a new one where there is none."""
        return Held(name, self.place_of(name))

    def find_var(self, name: str) -> Held | None:
        """The place for `name`, None where there is none."""
        found = self.find(name)
        return None if found is None else Held(name, found)

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
