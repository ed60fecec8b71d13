"""DataFeeder: rows of samples as the arrays that a program is fed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..capture.variable import Variable
from ..core.dtype import dtype_of
from ..core.errors import OarlockError, OpError, with_user_line
from .graph.default_programs import default_main_program
from .graph.program import Program


class DataFeeder:
    """Makes what Executor.run is fed of rows.

    feed_list: variables, or names in `program`; place: taken as it is.
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
                    with_user_line(
                        f"DataFeeder: {type(variable).__name__} is neither a Variable nor a name"
                    )
                )
            if variable.lod_level:
                why = "holds sequences of different lengths packed in one tensor"
                raise OarlockError(with_user_line(f"DataFeeder: '{variable.name}' {why}; pad them"))
        self.place = place

    def feed(self, iterable: Iterable[Sequence[Any]]) -> dict[str, Any]:
        """Arrays by name, of rows that have a value for every variable.

        Raises OpError for a row that does not fit.
        -> [rows, *]
        """
        rows = [tuple(row) for row in iterable]
        for i, row in enumerate(rows):
            if len(row) != len(self.feed_vars):
                names = [v.name for v in self.feed_vars]
                raise OpError(
                    with_user_line(f"DataFeeder: row {i} has {len(row)} values, for {names}")
                )
        return {
            v.name: self._column(v, [row[i] for row in rows]) for i, v in enumerate(self.feed_vars)
        }

    def _column(self, variable: Variable, values: list[Any]) -> Any:
        sizes = variable.raw.shape[1:]
        arrays = [np.asarray(v, dtype_of(variable.raw.dtype).np) for v in values]
        if not sizes or sum(d < 0 for d in sizes) > 1:
            return np.stack(arrays)
        try:
            return np.stack([a.reshape(sizes) for a in arrays])
        except ValueError:
            shapes = sorted({a.shape for a in arrays})
            raise OpError(
                with_user_line(
                    f"DataFeeder: '{variable.name}' is {variable.meta}, the rows are {shapes}"
                )
            ) from None

    def decorate_reader(
        self,
        reader: Any,
        multi_devices: bool = False,
        num_places: int | None = None,
        drop_last: bool = True,
    ) -> Any:
        """A reader of what `feed` makes of each batch that `reader` gives."""

        def batches() -> Any:
            for batch in reader():
                yield self.feed(batch)

        return batches
