"""DataFeeder: converts samples to the arrays that `Executor.run` is fed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..capture.variable import Variable
from ..core.dtype import parse_dtype
from ..core.errors import OarlockError, OpError, append_user_line
from .graph.default_programs import default_main_program
from .graph.program import Program


class DataFeeder:
    """Converts batches of samples to the argument `feed` of `Executor.run`.

    feed_list: variables, or names of variables of `program`
    place: has no effect
    """

    def __init__(
        self, feed_list: Sequence[Any], place: Any = None, program: Program | None = None
    ) -> None:
        block = (default_main_program() if program is None else program).global_block()
        self.feed_vars: list[Variable] = [
            block.var(v) if isinstance(v, str) else v for v in feed_list
        ]
        for variable in self.feed_vars:
            if not isinstance(variable, Variable):
                raise TypeError(
                    append_user_line(
                        f"DataFeeder: {type(variable).__name__} is neither a Variable nor a name"
                    )
                )
            if variable.lod_level:
                why = "holds sequences of different lengths packed in one tensor"
                raise OarlockError(
                    append_user_line(f"DataFeeder: '{variable.name}' {why}; pad them")
                )
        self.place = place

    def feed(self, iterable: Iterable[Sequence[Any]]) -> dict[str, Any]:
        """Convert a batch of samples to a dict of arrays [batch, *], by the names of the variables.

        iterable: samples; each has one value per variable of feed_list

        Raises OpError if a sample has another number of values or another shape.
        """
        rows = [tuple(row) for row in iterable]
        for i, row in enumerate(rows):
            if len(row) != len(self.feed_vars):
                names = [v.name for v in self.feed_vars]
                raise OpError(
                    append_user_line(
                        f"DataFeeder: sample {i} has {len(row)} values; feed_list has {names}"
                    )
                )
        return {
            v.name: self._make_batch_array(v, [row[i] for row in rows])
            for i, v in enumerate(self.feed_vars)
        }

    @staticmethod
    def _make_empty_batch_array(variable: Variable) -> Any:
        """Return the array of a variable for a batch without samples: 0 rows."""
        return np.zeros(
            [0, *(max(d, 0) for d in variable.raw.shape[1:])], parse_dtype(variable.raw.dtype).np
        )

    def _make_batch_array(self, variable: Variable, values: list[Any]) -> Any:
        if not values:
            return self._make_empty_batch_array(variable)
        sizes = variable.raw.shape[1:]
        arrays = [np.asarray(v, parse_dtype(variable.raw.dtype).np) for v in values]
        has_sample_shape = bool(sizes) and sum(d < 0 for d in sizes) <= 1
        try:
            return np.stack([a.reshape(sizes) if has_sample_shape else a for a in arrays])
        except ValueError:
            shapes = sorted({a.shape for a in arrays})
            raise OpError(
                append_user_line(
                    f"DataFeeder: '{variable.name}' is {variable.meta}, "
                    f"samples have the shapes {shapes}"
                )
            ) from None

    def decorate_reader(
        self,
        reader: Any,
        multi_devices: bool = False,
        num_places: int | None = None,
        drop_last: bool = True,
    ) -> Any:
        """Return a reader that yields `feed(batch)` for each batch of `reader`."""

        def iter_feed_dicts() -> Any:
            for batch in reader():
                yield self.feed(batch)

        return iter_feed_dicts
