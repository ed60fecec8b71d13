"""Values of variables in a scope: tensors, tensors with LoD, and SelectedRows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import cuda
from ..core.dtype import DType
from ..core.errors import OpError, append_user_line
from ..core.paddle1_compat import compat
from ..core.tensor import Tensor
from .lod import Offsets, are_lod_levels_consistent, lengths_to_offsets, offsets_to_lengths


class ScopeValue:
    """A variable in a scope. The object is also the tensor that Paddle's `get_tensor()` returns.

    tensor.array: None until a value is set
    """

    _next_shape: tuple[int, ...] = ()

    def __init__(self, name: str, tensor: Tensor) -> None:
        self._name = name
        self.tensor = tensor

    def name(self) -> str:
        """The variable's name."""
        return self._name

    def _dtype(self) -> DType:
        """The dtype of the value."""
        return self.tensor.dtype

    def get_tensor(self) -> ScopeValue:
        """Return this object itself, which can be read as an array and assigned with `set`."""
        return self

    def get_selected_rows(self) -> SelectedRows:
        """The SelectedRows of this variable, initially empty.

        Raises OpError if the variable holds a tensor.
        """
        if self.tensor.array is not None:
            raise OpError(
                append_user_line(f"scope: '{self._name}' holds a tensor, not selected rows")
            )
        found: SelectedRows = self.tensor.__dict__.setdefault("selected_rows", SelectedRows())
        return found

    def is_initialized(self) -> bool:
        """Whether the variable has a value."""
        return self.tensor.array is not None or "selected_rows" in self.tensor.__dict__

    _is_initialized = is_initialized

    def set(self, array: Any, place: Any = None) -> None:
        """Set the value to a copy of `array`."""
        self.tensor.array = np.array(array)

    def __str__(self) -> str:
        """The text that the emulated Paddle version prints for the value; for a variable without a
        value, the class name.
        """
        if self.tensor.array is None:
            return f"{type(self).__name__} without a value"
        text = compat.rules.format_scope_value(self)
        return _format_scope_value_as_paddle2(self) if text is None else text

    def lod(self) -> list[list[int]]:
        """The LoD offsets: an empty list, because a plain tensor has none."""
        return []

    def shape(self) -> list[int]:
        """The shape of the value."""
        return list(self.__array__().shape)

    _get_dims = shape

    def __getitem__(self, index: Any) -> ScopeValue:
        """Index the array, and return the selected part as a new value."""
        found = self.__array__()[index]
        return type(self)("", Tensor(found)) if type(self) is ScopeValue else type(self)(found)  # type: ignore[call-arg]

    # -- allocation and element access
    # -------------------------------------------------------------------------

    def _set_dims(self, sizes: list[int]) -> None:
        """Set the shape for the next `_alloc_*` call."""
        self._next_shape = tuple(sizes)

    def _alloc(self, dtype: Any) -> None:
        before = self.tensor.array
        self.tensor.array = np.zeros(
            self._next_shape or (() if before is None else before.shape), dtype
        )

    def _alloc_int(self, place: Any = None) -> None:
        """Set the value to int32 zeros with the shape that `_set_dims` stored."""
        self._alloc(np.int32)

    def _alloc_float(self, place: Any = None) -> None:
        """Set the value to float32 zeros with the shape that `_set_dims` stored."""
        self._alloc(np.float32)

    def _alloc_double(self, place: Any = None) -> None:
        """Set the value to float64 zeros with the shape that `_set_dims` stored."""
        self._alloc(np.float64)

    def _get_element(self, index: int) -> Any:
        """The element at a flat index."""
        return self.__array__().reshape(-1)[index].item()

    def _set_element(self, index: int, value: Any) -> None:
        """Set the element at a flat index."""
        result = np.array(self.__array__())
        result.reshape(-1)[index] = value
        self.tensor.array = result

    _get_float_element = _get_double_element = _get_element
    _set_float_element = _set_double_element = _set_element

    # -- values of other kinds
    # ----------------------------------------------------------------------------------

    def set_int(self, value: int) -> None:
        """Set the value to an int32 scalar."""
        self.tensor.array = np.array(value, np.int32)

    def get_int(self) -> int:
        """The value as a Python int."""
        return int(self.__array__())

    def is_int(self) -> bool:
        """Whether the value is an int32 scalar."""
        array = self.tensor.array
        return array is not None and array.shape == () and array.dtype == np.int32

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if self.tensor.array is None:
            raise OpError(append_user_line(f"scope: '{self._name}' has no value yet"))
        array = np.asarray(cuda.to_host(self.tensor.array))
        return array.copy() if dtype is None else array.astype(dtype)


def format_lod(lod: Sequence[Sequence[int]]) -> str:
    """Return LoD offsets as the text that Paddle prints, such as `{{0, 1, 3}}`."""
    return "{" + "".join("{" + ", ".join(map(str, level)) + "}" for level in lod) + "}"


def _format_scope_value_as_paddle2(of: ScopeValue) -> str:
    array = np.asarray(of)
    lines = [f"lod: {format_lod(of.lod())}"] if of.lod() else []
    lines += [
        f"shape: {list(array.shape)}",
        "layout: NCHW",
        "place: Place(cpu)",
        f"dtype: {of.tensor.dtype.name}",
    ]
    values = " ".join(
        f"{v:.6g}" if isinstance(v, float) else str(v) for v in array.ravel().tolist()
    )
    return "\n".join(f"  - {line}" for line in (*lines, f"data: [{values}]"))


class LoDTensor(ScopeValue):
    """An array with LoD, the offsets of packed sequences.

    array [rows, *].
    lod: offsets of each level.
    """

    def __init__(self, array: Any = None, lod: Sequence[Any] = ()) -> None:
        super().__init__("", Tensor(None if array is None else np.asarray(array)))
        self._lod: Offsets = [
            np.asarray(level, np.int64)
            for level in lod
            # offsets are not checked here, because the op that computed the array also computed the
            # offsets
        ]

    def lod(self) -> list[list[int]]:
        """The LoD offsets of each level, as lists."""
        return [level.tolist() for level in self._lod]

    @property
    def offsets(self) -> Offsets:
        """The LoD offsets of each level, as arrays."""
        return self._lod

    def set_lod(self, lod: Sequence[Any]) -> None:
        """Set the offsets of each level.

        Raises OpError if they do not match the number of rows.
        """
        result = [np.asarray(level, np.int64) for level in lod]
        self._check_offsets(result, f"offsets {[level.tolist() for level in result]}")
        self._lod = result

    def recursive_sequence_lengths(self) -> list[list[int]]:
        """The sequence lengths of each level."""
        return offsets_to_lengths(self._lod)

    def set_recursive_sequence_lengths(
        self, recursive_sequence_lengths: Sequence[Sequence[int]]
    ) -> None:
        """Set the lengths of each level.

        Raises OpError if they do not match the number of rows.
        """
        result = lengths_to_offsets(recursive_sequence_lengths)
        self._check_offsets(
            result, f"lengths {[list(level) for level in recursive_sequence_lengths]}"
        )
        self._lod = result

    def _check_offsets(self, result: Offsets, shown: str) -> None:
        if self.is_initialized() and not are_lod_levels_consistent(result, self._num_rows()):
            raise OpError(
                append_user_line(f"LoDTensor: {shown} do not match {self._num_rows()} rows")
            )

    def _num_rows(self) -> int:
        array = self.tensor.array
        return len(array) if array.ndim else 1

    def has_valid_recursive_sequence_lengths(self) -> bool:
        """Whether the LoD matches the number of rows of the array. True if no value is set."""
        return not self.is_initialized() or are_lod_levels_consistent(self._lod, self._num_rows())


class SelectedRows:
    """Selected rows of a larger table.

    rows: the indices of the selected rows in the table.
    height: the number of rows of the table.
    """

    def __init__(self, rows: Sequence[int] = (), height: int = 0) -> None:
        self._rows, self._height, self._tensor = list(rows), height, LoDTensor()

    def rows(self) -> list[int]:
        """The indices of the selected rows in the table."""
        return self._rows

    def set_rows(self, rows: Sequence[int]) -> None:
        """Set the indices of the selected rows in the table."""
        self._rows = list(rows)

    def height(self) -> int:
        """The number of rows of the table."""
        return self._height

    def set_height(self, height: int) -> None:
        """Set the number of rows of the table."""
        self._height = height

    def get_tensor(self) -> LoDTensor:
        """The values of the selected rows, [rows, *]."""
        return self._tensor

    def sync_index(self) -> None:
        """Do nothing: in Paddle, this method rebuilds an index of the rows, which Oarlock does not
        have.
        """

    def numel(self) -> int:
        """The number of elements."""
        return int(np.asarray(self._tensor).size)
