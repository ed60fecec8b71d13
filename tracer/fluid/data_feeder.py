"""DataFeeder: converts samples to the arrays and LoDTensors that a program is fed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..core.dtype import parse_dtype
from ..static import DataFeeder as _DataFeeder
from ..static import Program, Variable, default_main_program
from .arg_checks import check_dtype, check_type, check_variable_and_dtype, convert_dtype
from .lod_tensor import LoDTensor, create_lod_tensor

__all__ = ["DataFeeder", "check_dtype", "check_type", "check_variable_and_dtype", "convert_dtype"]


def _rows_and_lengths_of_sequences(
    values: list[Any], num_levels: int
) -> tuple[list[Any], list[list[int]]]:
    """Flatten nested sequences: return all rows in one list, and for each level of nesting the
    lengths of its sequences.
    """
    lengths: list[list[int]] = []
    for _ in range(num_levels):
        lengths.append([len(v) for v in values])
        values = [row for v in values for row in v]
    return values, lengths


class DataFeeder(_DataFeeder):
    """Convert batches of samples to the `feed` argument of `Executor.run`. For variables with a
    lod_level, the samples are sequences, which are converted to a LoDTensor.

    The newer name is `paddle.static.DataFeeder`.
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

    def _make_batch_array(self, variable: Variable, values: list[Any]) -> Any:
        if not variable.lod_level:
            return LoDTensor(super()._make_batch_array(variable, values))
        rows, lengths = _rows_and_lengths_of_sequences(values, variable.lod_level)
        declared = variable.raw.shape[1:]
        array = np.array(rows, parse_dtype(variable.raw.dtype).np)
        if declared and all(d >= 0 for d in declared):
            sizes = list(declared)
        else:  # as in Paddle, rows of unknown size are not reshaped
            sizes = list(array.shape[1:]) if rows else [d if d >= 0 else 1 for d in declared]
        return create_lod_tensor(array.reshape(len(rows), *sizes), lengths)

    def feed(self, iterable: Iterable[Sequence[Any]]) -> dict[str, Any]:
        """Return LoDTensors by name.

        iterable: samples; each has one value per variable of feed_list

        Raises AssertionError if a sample has another number of values.
        """
        rows = [tuple(row) for row in iterable]
        count = len(self.feed_vars)
        for row in rows:
            assert len(row) == count, (
                f"The number of fields in data ({len(row)}) does not match len(feed_list) ({count})"
            )
        return super().feed(rows)

    def feed_parallel(self, iterable: Iterable[Any], num_places: int | None = None) -> Any:
        """Yield the feed of each device; `iterable` yields the samples of each device."""
        for rows in iterable:
            yield self.feed(rows)
