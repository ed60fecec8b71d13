"""SelectedRows: some rows of a large table, as a scope holds them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .lod import LoDTensor


class SelectedRows:
    """Some rows of a larger table.   rows: their numbers; height: the rows of the table"""

    def __init__(self, rows: Sequence[int] = (), height: int = 0) -> None:
        self._rows, self._height, self._tensor = list(rows), height, LoDTensor()

    def rows(self) -> list[int]:
        """The numbers of the rows."""
        return self._rows

    def set_rows(self, rows: Sequence[int]) -> None:
        """Set the numbers of the rows."""
        self._rows = list(rows)

    def height(self) -> int:
        """The rows of the table."""
        return self._height

    def set_height(self, height: int) -> None:
        """Set the rows of the table."""
        self._height = height

    def get_tensor(self) -> LoDTensor:
        """The values of the rows, [rows, *]."""
        return self._tensor

    def sync_index(self) -> None:
        """Nothing: there is no index besides."""

    def numel(self) -> int:
        """The number of elements."""
        return int(np.asarray(self._tensor).size)
