"""ModelAverage: averages of the parameters over a window of steps, for evaluation."""

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
from ...static.graph.constants import emit_constant
from ...static.graph.mode import StaticGraphMode
from ...static.graph.moving_average import ParameterAveraging
from ...static.graph.parameters import declare_persistable_and_emit_initializer
from ..framework import in_dygraph_mode

__all__ = ["ModelAverage"]

_SUMS = ("sum_1", "sum_2", "sum_3")
_COUNTS = ("num_accumulates", "old_num_accumulates", "num_updates")


class ModelAverage(ParameterAveraging):
    """Mean of every parameter over the last steps: at least min_average_window steps, then
    average_window_rate times the number of all steps, at most max_average_window.

    Create it after the optimizer; see the op average_accumulates.

    The newer name is `paddle.incubate.ModelAverage`.
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
        parameters = [
            p
            for p in program.global_block().all_parameters()
            if getattr(p, "do_model_average", True)
        ]
        with use_mode(StaticGraphMode(program)):
            self._accumulators = {
                p.name: self._emit_accumulation_op_and_get_state_names(program, p)
                for p in parameters
            }

    def _emit_accumulation_op_and_get_state_names(
        self, program: Program, parameter: Any
    ) -> dict[str, Any]:
        """Append the op that accumulates a parameter; return the names of its state variables."""
        shape, dtype = parameter.raw.shape, parameter.raw.dtype
        states = {n: _declare_zero_variable(program, parameter, n, shape, dtype) for n in _SUMS}
        states |= {n: _declare_zero_variable(program, parameter, n, (1,), "int64") for n in _COUNTS}
        OPS["average_accumulates"](parameter, *states.values(), **self._attrs)
        return {n: v.name for n, v in states.items()}

    def _iter_average_values(self, scope: Scope) -> Iterator[tuple[str, Any]]:
        for name, state_names in self._accumulators.items():
            values = {n: scope.value(v).array for n, v in state_names.items()}
            count = values["num_accumulates"] + values["old_num_accumulates"]
            total = values["sum_1"] + values["sum_2"] + values["sum_3"]
            yield name, total / count.astype(total.dtype)


def _declare_zero_variable(
    program: Program, parameter: Any, name: str, shape: tuple[int, ...], dtype: str
) -> Any:
    full_name = unique_name.generate(f"{parameter.name}_{name}")
    desc = data.VarDesc(full_name, shape, dtype, persistable=True, stop_gradient=True)
    return declare_persistable_and_emit_initializer(
        program, desc, lambda: emit_constant(np.zeros(shape, dtype))
    )
