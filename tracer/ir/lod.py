"""Sequences of different lengths, one after the other in one tensor: where each begins, level by level (LoD, level of detail).

Offsets `[0, 2, 5]` are a sequence of two rows and one of three, lengths `[2, 3]`.   Of several levels each counts the sequences of the next,
and the last one rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.errors import OpError, with_user_line
from ..core.tensor import Tensor
from .scope import Held

Offsets = list[Any]  # int64 arrays, the outermost level first


def offsets_of(lengths: Sequence[Sequence[int]]) -> Offsets:
    """Offsets of the lengths of each level."""
    return [np.concatenate([[0], np.cumsum(level, dtype=np.int64)]).astype(np.int64) for level in lengths]


def lengths_of(offsets: Offsets) -> list[list[int]]:
    """Lengths of the offsets of each level."""
    return [np.diff(level).tolist() for level in offsets]


def is_valid(offsets: Offsets, rows: int) -> bool:
    """Whether each level counts all of the next one, and the last one all rows.   No levels are right for any rows."""
    if not offsets:
        return True
    ends = [*(len(level) - 1 for level in offsets[1:]), rows]
    return all(
        len(level) > 0 and level[0] == 0 and bool((np.diff(level) >= 0).all()) and level[-1] == end
        for level, end in zip(offsets, ends, strict=True)
    )


class LoDTensor(Held):
    """An array and the sequences in it.   array [rows, *]; lod: offsets of each level"""

    def __init__(self, array: Any = None, lod: Sequence[Any] = ()) -> None:
        super().__init__("", Tensor(None if array is None else np.asarray(array)))
        self._lod: Offsets = [np.asarray(level, np.int64) for level in lod]  # of a result: as its op says

    def lod(self) -> list[list[int]]:
        """The offsets of each level."""
        return [level.tolist() for level in self._lod]

    @property
    def offsets(self) -> Offsets:
        """The offsets as arrays."""
        return self._lod

    def set_lod(self, lod: Sequence[Any]) -> None:
        """Set the offsets of each level.   Raises OpError where they are not those of the rows."""
        made = [np.asarray(level, np.int64) for level in lod]
        self._check(made, f"offsets {[level.tolist() for level in made]}")
        self._lod = made

    def recursive_sequence_lengths(self) -> list[list[int]]:
        """The lengths of each level."""
        return lengths_of(self._lod)

    def set_recursive_sequence_lengths(self, recursive_sequence_lengths: Sequence[Sequence[int]]) -> None:
        """Set the lengths of each level.   Raises OpError where they are not those of the rows."""
        made = offsets_of(recursive_sequence_lengths)
        self._check(made, f"lengths {[list(level) for level in recursive_sequence_lengths]}")
        self._lod = made

    def _check(self, made: Offsets, shown: str) -> None:
        if self.is_initialized() and not is_valid(made, self._rows()):
            raise OpError(with_user_line(f"LoDTensor: {shown} are not those of {self._rows()} rows"))

    def _rows(self) -> int:
        array = self.tensor.array
        return len(array) if array.ndim else 1

    def has_valid_recursive_sequence_lengths(self) -> bool:
        """Whether the lengths are those of the rows."""
        return is_valid(self._lod, self._rows())
