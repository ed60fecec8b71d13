"""LoDTensor: rows of sequences of different lengths, one after the other, and how long each sequence is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.errors import OpError, with_user_line

__all__ = ["LoDTensor", "LoDTensorArray", "create_lod_tensor", "create_random_int_lodtensor"]


def _offsets(lengths: Sequence[int]) -> list[int]:
    return [0, *np.cumsum(lengths, dtype=np.int64).tolist()]


class LoDTensor:
    """An array [rows, *], and lengths of sequences by level, the last of which counts rows."""

    def __init__(self, array: Any = None, lengths: Any = None) -> None:
        self._array: Any = None if array is None else np.asarray(array)
        self._lengths: list[list[int]] = [list(level) for level in lengths or ()]

    def set(self, array: Any, place: Any = None) -> None:
        """Take over an array."""
        self._array = np.array(array)

    def set_recursive_sequence_lengths(self, recursive_sequence_lengths: Sequence[Sequence[int]]) -> None:
        """Say how long sequences are, by level.   Raises OpError where that does not add up."""
        self._lengths = [[int(n) for n in level] for level in recursive_sequence_lengths]
        if self._array is not None and not self.has_valid_recursive_sequence_lengths():
            rows = list(self._array.shape)
            raise OpError(with_user_line(f"LoDTensor: lengths {self._lengths} do not fit the rows of {rows}"))

    def set_lod(self, lod: Sequence[Sequence[int]]) -> None:
        """Say where sequences begin and end, by level."""
        self.set_recursive_sequence_lengths([np.diff(level).tolist() for level in lod])

    def recursive_sequence_lengths(self) -> list[list[int]]:
        """How long sequences are, by level."""
        return [list(level) for level in self._lengths]

    def lod(self) -> list[list[int]]:
        """Where sequences begin and end, by level."""
        return [_offsets(level) for level in self._lengths]

    def has_valid_recursive_sequence_lengths(self) -> bool:
        """Whether every level counts what the next one has, and the last one the rows."""
        if not self._lengths:
            return True
        counts = [*(len(level) for level in self._lengths[1:]), len(self._array)]
        return all(sum(level) == n for level, n in zip(self._lengths, counts, strict=True))

    def shape(self) -> list[int]:
        """The sizes of the array."""
        return [] if self._array is None else list(self._array.shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        array = np.zeros([0], np.float32) if self._array is None else self._array
        return array.astype(dtype) if dtype is not None else array.copy() if copy else array

    def __str__(self) -> str:
        array = np.asarray(self)
        lod = "".join("{" + ", ".join(map(str, level)) + "}" for level in self.lod())
        sizes = ", ".join(map(str, array.shape))
        values = " ".join(f"{v:.6g}" if isinstance(v, np.floating) else str(int(v)) for v in array.ravel())
        kind = {"float32": "float", "float64": "double", "int64": "int64_t", "int32": "int"}.get(str(array.dtype), array.dtype)
        return f"\tlod: {{{lod}}}\n\tdim: {sizes}\n\tlayout: NCHW\n\tdtype: {kind}\n\tdata: [{values}]\n"


class LoDTensorArray(list[Any]):
    """LoDTensors in a row."""


def create_lod_tensor(data: Any, recursive_seq_lens: Any, place: Any = None) -> LoDTensor:
    """A LoDTensor of an ndarray, of another one, or of a list of lists of words' numbers.   Raises AssertionError for lengths that do not fit"""
    if isinstance(data, LoDTensor):
        return create_lod_tensor(np.array(data), recursive_seq_lens, place)
    if isinstance(data, list):
        lengths = [len(sequence) for sequence in data]
        if [lengths] != [list(level) for level in recursive_seq_lens]:
            raise AssertionError("data and recursive_seq_lens do not match")
        rows = np.array([word for sequence in data for word in sequence])
        return create_lod_tensor(rows.reshape(*rows.shape, 1), recursive_seq_lens, place)
    if not isinstance(data, np.ndarray):
        raise TypeError("data should be either a LoDTensor, a Numpy array or a list")
    made = LoDTensor(data, recursive_seq_lens)
    if not made.has_valid_recursive_sequence_lengths():
        raise AssertionError("the provided lod info is invalid")
    return made


def create_random_int_lodtensor(
    recursive_seq_lens: Any, base_shape: Any, place: Any, low: int, high: int
) -> LoDTensor:
    """A LoDTensor of whole numbers in [low, high], rows of base_shape."""
    if not isinstance(base_shape, list):
        raise AssertionError("base_shape should be a list")
    rows = [sum(recursive_seq_lens[-1]), *base_shape]
    return create_lod_tensor(np.random.randint(low, high + 1, rows).astype("int64"), recursive_seq_lens, place)
