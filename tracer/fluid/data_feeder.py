"""Rows of samples as what a program is fed: fluid.DataFeeder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..core.dtype import dtype_of
from ..static import DataFeeder as _DataFeeder
from ..static import Program, Variable, default_main_program
from .checks import check_dtype, check_type, check_variable_and_dtype, convert_dtype
from .lod_tensor import LoDTensor, create_lod_tensor

__all__ = ["DataFeeder", "check_dtype", "check_type", "check_variable_and_dtype", "convert_dtype"]


def _flat(values: list[Any], level: int) -> tuple[list[Any], list[list[int]]]:
    """Sequences nested `level` deep as rows, and their lengths by level."""
    lengths: list[list[int]] = []
    for _ in range(level):
        lengths.append([len(v) for v in values])
        values = [row for v in values for row in v]
    return values, lengths


class DataFeeder(_DataFeeder):
    """Makes what Executor.run is fed of rows; of variables with lod_level, LoDTensors of rows that
    are sequences.
    """

    def __init__(
        self, feed_list: Sequence[Any], place: Any, program: Program | None = None
    ) -> None:
        block = (default_main_program() if program is None else program).global_block()
        self.feed_vars = [block.var(v) if isinstance(v, str) else v for v in feed_list]
        for variable in self.feed_vars:
            if not isinstance(variable, Variable):
                raise TypeError("Feed list should contain a list of variable")
        self.place = place

    def _column(self, variable: Variable, values: list[Any]) -> Any:
        if not variable.lod_level:
            return LoDTensor(super()._column(variable, values) if values else self._empty(variable))
        flat, lengths = _flat(values, variable.lod_level)
        declared = variable.raw.shape[1:]
        array = np.array(flat, dtype_of(variable.raw.dtype).np)
        sizes = [d for d in declared if d >= 0] or array.shape[1:] or [1] * len(declared)
        return create_lod_tensor(array.reshape(len(flat), *sizes), lengths)

    @staticmethod
    def _empty(variable: Variable) -> Any:
        """No rows."""
        return np.zeros(
            [0, *(max(d, 0) for d in variable.raw.shape[1:])], dtype_of(variable.raw.dtype).np
        )

    def feed(self, iterable: Iterable[Sequence[Any]]) -> dict[str, Any]:
        """LoDTensors by name, of rows that have a value for every variable.

        Raises AssertionError for a row that has others.
        """
        rows = [tuple(row) for row in iterable]
        count = len(self.feed_vars)
        for row in rows:
            assert len(row) == count, (
                f"The number of fields in data ({len(row)}) does not match len(feed_list) ({count})"
            )
        return super().feed(rows)

    def feed_parallel(self, iterable: Iterable[Any], num_places: int | None = None) -> Any:
        """What each device is fed, of the rows for each."""
        for rows in iterable:
            yield self.feed(rows)
