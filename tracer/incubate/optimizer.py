"""`paddle.incubate.optimizer`: Lookahead and averages of parameters, in eager mode and in
programs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..core.autograd import no_grad
from ..core.errors import ArgumentAssertionError, OpError, append_user_line
from ..core.mode import state, use_mode
from ..core.op import OPS
from ..core.tensor import Tensor
from ..fluid.optimizer import LarsMomentumOptimizer, RecomputeOptimizer
from ..fluid.optimizer.model_average import ModelAverage as Averages
from ..fluid.optimizer.wrappers import LookaheadOptimizer
from ..ir import program as data
from ..static import default_main_program
from ..static.graph.constants import emit_constant
from ..static.graph.mode import StaticGraphMode
from ..static.graph.parameters import declare_persistable_and_emit_initializer

__all__ = ["LarsMomentumOptimizer", "LookAhead", "ModelAverage", "RecomputeOptimizer"]

NUM_SUMS, NUM_COUNTS = 3, 3  # state of an averaged parameter


class LookAhead(LookaheadOptimizer):
    """Lookahead (Zhang et al. 2019): every k steps, slow += alpha * (parameter - slow); parameter =
    slow.

    The slow weights start from the parameters at the first step.
    inner_optimizer: updates the parameters.
    Raises ArgumentAssertionError, an AssertionError, for invalid arguments.
    """

    def __init__(
        self, inner_optimizer: Any, alpha: float = 0.5, k: int = 5, name: str | None = None
    ) -> None:
        if inner_optimizer is None:
            raise ArgumentAssertionError(
                append_user_line("LookAhead: inner optimizer can not be None")
            )
        if not 0.0 <= alpha <= 1.0:
            raise ArgumentAssertionError(
                append_user_line(f"LookAhead: alpha should be in [0, 1], not {alpha}")
            )
        if not isinstance(k, int) or isinstance(k, bool) or k <= 0:
            raise ArgumentAssertionError(
                append_user_line(f"LookAhead: k should be a positive integer, not {k!r}")
            )
        self.inner_optimizer, self.alpha, self.k = inner_optimizer, float(alpha), k
        self._num_steps = 0
        self._slow_copies: dict[int, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["inner_optimizer"], name)  # learning rate, state, ...

    @no_grad()
    def step(self) -> None:
        """Run a step of the inner optimizer; every k-th step also updates the slow weights."""
        self.inner_optimizer.step()
        self._num_steps += 1
        for parameter in self.inner_optimizer._parameter_list:
            if parameter.stop_gradient:
                continue
            slow = self._slow_copies.setdefault(id(parameter), parameter.array)
            if self._num_steps % self.k == 0:
                slow = self._slow_copies[id(parameter)] = slow + parameter.array.dtype.type(
                    self.alpha
                ) * (parameter.array - slow)
                parameter.array = slow

    def minimize(
        self,
        loss: Any,
        startup_program: Any = None,
        parameters: Any = None,
        no_grad_set: Any = None,
    ) -> Any:
        """Update the parameters by the gradients that `loss.backward()` computed; in a program,
        append the ops.
        """
        if state.mode.program_builder is not None:
            return super().minimize(loss, startup_program)
        self.step()
        return [], []

    def _append_lookahead_update_ops(
        self, program: Any, startup: Any, parameter: Any, is_due: Any
    ) -> None:
        """Append the ops of the slow weights: if is_due is 1, slow += alpha * (parameter - slow)
        and parameter = slow; at the first step, slow = parameter.
        """
        name, shape, dtype = f"{parameter.name}@SLOW", parameter.raw.shape, parameter.raw.dtype
        desc = data.VarDesc(name, shape, dtype, persistable=True, stop_gradient=True)
        slow = declare_persistable_and_emit_initializer(
            program, desc, lambda: emit_constant(np.zeros(shape, dtype))
        )
        step = program.global_block().var("lookahead_step")
        one = OPS["fill_constant"](shape=[1], value=1.0, dtype=2)
        first = OPS["cast"](OPS["equal"](step, one), in_dtype=0, out_dtype=parameter.dtype.proto)
        is_due = OPS["cast"](is_due, in_dtype=is_due.dtype.proto, out_dtype=parameter.dtype.proto)
        writing = StaticGraphMode(program)
        writing.redirect_last_output_or_assign(slow + (parameter - slow) * first, slow)
        writing.redirect_last_output_or_assign(
            slow + (parameter - slow) * (is_due * self.alpha), slow
        )
        writing.redirect_last_output_or_assign(parameter + (slow - parameter) * is_due, parameter)


class ModelAverage(Averages):
    """Average of each parameter over the last steps.

    The window has average_window_rate of all steps, at least min_average_window and at most
    max_average_window.
    parameters: in a program by default all of it. In eager mode `step()` accumulates after each
    optimizer step; a program does it itself.
    Raises OpError without parameters in eager mode.
    """

    def __init__(
        self,
        average_window_rate: float,
        parameters: Sequence[Any] | None = None,
        min_average_window: int = 10000,
        max_average_window: int = 10000,
        name: str | None = None,
    ) -> None:
        self._attrs = {
            "average_window": float(average_window_rate),
            "min_average_window": min_average_window,
            "max_average_window": max_average_window,
        }
        self._is_eager = state.mode.program_builder is None
        if not self._is_eager:
            program = default_main_program()
            selected = (
                program.global_block().all_parameters() if parameters is None else list(parameters)
            )
            with use_mode(StaticGraphMode(program)):
                self._accumulators = {
                    p.name: self._emit_accumulation_op_and_get_state_names(program, p)
                    for p in selected
                }
        elif parameters is None:
            raise OpError(append_user_line("ModelAverage: parameters are required"))
        else:
            self._sums_by_parameter_name = {
                p.name: (p, _initial_sums_and_counts(p)) for p in parameters
            }

    @no_grad()
    def step(self) -> None:
        """Add the current values of the parameters to the running sums of their averages."""
        for name, (parameter, sums_and_counts) in self._sums_by_parameter_name.items():
            self._sums_by_parameter_name[name] = (
                parameter,
                list(OPS["average_accumulates"](parameter, *sums_and_counts, **self._attrs)),
            )

    def minimize(
        self,
        loss: Any,
        startup_program: Any = None,
        parameters: Any = None,
        no_grad_set: Any = None,
    ) -> None:
        """In eager mode, add the current parameters to the running sums, as `step` does. While a
        program is recorded, do nothing, because the program already contains the updates of the
        sums.
        """
        if self._is_eager:
            self.step()

    def clear_grad(self) -> None:
        """Clear the gradients of the parameters."""
        for parameter, _ in self._sums_by_parameter_name.values():
            parameter.clear_grad()

    @contextmanager
    def apply(self, executor: Any = None, need_restore: bool = True) -> Iterator[None]:
        """Context manager: replace the parameters by their averages in the body. The parameters are
        restored afterwards if need_restore is True.
        """
        if not self._is_eager:
            with super().apply(executor, need_restore):
                yield
            return
        self._saved_arrays = [(p, p.array) for p, _ in self._sums_by_parameter_name.values()]
        for parameter, sums_and_counts in self._sums_by_parameter_name.values():
            total = sum(t.array for t in sums_and_counts[1:NUM_SUMS]) + sums_and_counts[0].array
            parameter.array = total / total.dtype.type(
                sum(int(t.array.item()) for t in sums_and_counts[NUM_SUMS : NUM_SUMS + 2])
            )
        try:
            yield
        finally:
            if need_restore:
                self.restore()

    def restore(self, executor: Any = None) -> None:
        """Restore the values that the parameters had before apply() replaced them by averages."""
        if not self._is_eager:
            super().restore(executor)
            return
        for parameter, array in self._saved_arrays:
            parameter.array = array


def _initial_sums_and_counts(parameter: Tensor) -> list[Tensor]:
    """Return the initial values of the accumulators of a parameter: sums of zeros, and counts of
    0.
    """
    sums = [Tensor(np.zeros_like(parameter.array)) for _ in range(NUM_SUMS)]
    return sums + [Tensor(np.zeros(1, np.int64)) for _ in range(NUM_COUNTS)]
