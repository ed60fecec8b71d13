"""ModelAverage: parameters averaged over a window of steps, to be tested with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...core import unique_name
from ...core.mode import use_mode
from ...core.op import OPS
from ...ir import program as data
from ...ir.scope import Scope
from ...static import Program, default_main_program
from ...static.graph.constants import value_of
from ...static.graph.mode import StaticGraphMode
from ...static.graph.moving_average import Averaging
from ...static.graph.parameters import lasting
from ..framework import in_dygraph_mode

__all__ = ["ModelAverage"]

_SUMS = ("sum_1", "sum_2", "sum_3")
_COUNTS = ("num_accumulates", "old_num_accumulates", "num_updates")


class ModelAverage(Averaging):
    """The mean of every parameter over the last steps: at least min_average_window of them, then
    average_window_rate of all, at most

    max_average_window.
    Made when the main program has its optimizer; see the op average_accumulates.
    """

    def __init__(
        self,
        average_window_rate: float,
        min_average_window: int = 10000,
        max_average_window: int = 10000,
        regularization: Any = None,
        name: str | None = None,
    ) -> None:
        if in_dygraph_mode():
            raise Exception("In dygraph, don't support ModelAverage.")
        self._attrs = {
            "average_window": float(average_window_rate),
            "min_average_window": min_average_window,
            "max_average_window": max_average_window,
        }
        program = default_main_program()
        averaged = [
            p
            for p in program.global_block().all_parameters()
            if getattr(p, "do_model_average", True)
        ]
        with use_mode(StaticGraphMode(program)):
            self._accumulators = {p.name: self._accumulate(program, p) for p in averaged}

    def _accumulate(self, program: Program, parameter: Any) -> dict[str, Any]:
        """Append the op that adds a parameter up; gives what is kept of it."""
        shape, dtype = parameter.raw.shape, parameter.raw.dtype
        kept = {n: _zeros(program, parameter, n, shape, dtype) for n in _SUMS}
        kept |= {n: _zeros(program, parameter, n, (1,), "int64") for n in _COUNTS}
        OPS["average_accumulates"](parameter, *kept.values(), **self._attrs)
        return {n: v.name for n, v in kept.items()}

    def _means(self, scope: Scope) -> Iterator[tuple[str, Any]]:
        for name, kept in self._accumulators.items():
            values = {n: scope.value(v).array for n, v in kept.items()}
            count = values["num_accumulates"] + values["old_num_accumulates"]
            total = values["sum_1"] + values["sum_2"] + values["sum_3"]
            yield name, total / count.astype(total.dtype)


def _zeros(program: Program, parameter: Any, name: str, shape: tuple[int, ...], dtype: str) -> Any:
    full = unique_name.generate(f"{parameter.name}_{name}")
    desc = data.VarDesc(full, shape, dtype, persistable=True, stop_gradient=True)
    return lasting(program, desc, lambda: value_of(np.zeros(shape, dtype)))
