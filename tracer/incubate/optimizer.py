"""`paddle.incubate.optimizer`: slow copies and averages of parameters, of layers that run and in
programs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..core.autograd import no_grad
from ..core.errors import MisfitError, OpError, with_user_line
from ..core.mode import state, use_mode
from ..core.op import OPS
from ..core.tensor import Tensor
from ..fluid.optimizer import LarsMomentumOptimizer, RecomputeOptimizer
from ..fluid.optimizer.average import ModelAverage as Averages
from ..fluid.optimizer.wrappers import LookaheadOptimizer
from ..ir import program as data
from ..static import default_main_program
from ..static.graph.constants import value_of
from ..static.graph.mode import StaticGraphMode
from ..static.graph.parameters import lasting

__all__ = ["LarsMomentumOptimizer", "LookAhead", "ModelAverage", "RecomputeOptimizer"]

SUMS, COUNTS = 3, 3  # the state of an averaged parameter


class LookAhead(LookaheadOptimizer):
    """Slow copies of parameters, made at the first step, that go a part alpha of the way every k
    steps, and draw the parameters back.

    Zhang et al. 2019.
    inner_optimizer: what makes the steps.
    Raises MisfitError, an AssertionError, for what makes no sense.
    """

    def __init__(
        self, inner_optimizer: Any, alpha: float = 0.5, k: int = 5, name: str | None = None
    ) -> None:
        if inner_optimizer is None:
            raise MisfitError(with_user_line("LookAhead: inner optimizer can not be None"))
        if not 0.0 <= alpha <= 1.0:
            raise MisfitError(with_user_line(f"LookAhead: alpha should be in 0 ... 1, not {alpha}"))
        if not isinstance(k, int) or isinstance(k, bool) or k <= 0:
            raise MisfitError(
                with_user_line(f"LookAhead: k should be a positive integer, not {k!r}")
            )
        self.inner_optimizer, self.alpha, self.k = inner_optimizer, float(alpha), k
        self._steps = 0
        self._slow: dict[int, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["inner_optimizer"], name)  # rates, states, ...

    @no_grad()
    def step(self) -> None:
        """A step of the inner optimizer; every k-th also one of the slow copies."""
        self.inner_optimizer.step()
        self._steps += 1
        for parameter in self.inner_optimizer._parameter_list:
            if parameter.stop_gradient:
                continue
            slow = self._slow.setdefault(id(parameter), parameter.array)
            if self._steps % self.k == 0:
                slow = self._slow[id(parameter)] = slow + parameter.array.dtype.type(self.alpha) * (
                    parameter.array - slow
                )
                parameter.array = slow

    def minimize(
        self,
        loss: Any,
        startup_program: Any = None,
        parameters: Any = None,
        no_grad_set: Any = None,
    ) -> Any:
        """The step for gradients that `loss.backward()` left; in a program gradients and steps of
        it.
        """
        if state.mode.builder is not None:
            return super().minimize(loss, startup_program)
        self.step()
        return [], []

    def _draw(self, program: Any, startup: Any, parameter: Any, late: Any) -> None:
        """Where late is 1: slow += alpha * (parameter - slow), parameter = slow; before that, at
        the first step, slow = parameter.
        """
        name, shape, dtype = f"{parameter.name}@SLOW", parameter.raw.shape, parameter.raw.dtype
        desc = data.VarDesc(name, shape, dtype, persistable=True, stop_gradient=True)
        slow = lasting(program, desc, lambda: value_of(np.zeros(shape, dtype)))
        step = program.global_block().var("lookahead_step")
        one = OPS["fill_constant"](shape=[1], value=1.0, dtype=2)
        first = OPS["cast"](OPS["equal"](step, one), in_dtype=0, out_dtype=parameter.dtype.proto)
        late = OPS["cast"](late, in_dtype=late.dtype.proto, out_dtype=parameter.dtype.proto)
        writing = StaticGraphMode(program)
        writing.write(slow + (parameter - slow) * first, slow)
        writing.write(slow + (parameter - slow) * (late * self.alpha), slow)
        writing.write(parameter + (slow - parameter) * late, parameter)


class ModelAverage(Averages):
    """The mean of every parameter over the last steps: at least min_average_window of them, then
    average_window_rate of all, at most

    max_average_window.
    parameters: which, in a program by default all that it has.
    Of layers `step()` adds them up after each
    step of the optimizer; a program does that by itself.
    Raises OpError without parameters of layers.
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
        self._runs = state.mode.builder is None
        if not self._runs:
            program = default_main_program()
            wanted = (
                program.global_block().all_parameters() if parameters is None else list(parameters)
            )
            with use_mode(StaticGraphMode(program)):
                self._kept = {p.name: self._accumulate(program, p) for p in wanted}
        elif parameters is None:
            raise OpError(with_user_line("ModelAverage: parameters are needed"))
        else:
            self._layers = {p.name: (p, _nothing_yet(p)) for p in parameters}

    @no_grad()
    def step(self) -> None:
        """Add the parameters of layers up."""
        for name, (parameter, kept) in self._layers.items():
            self._layers[name] = (
                parameter,
                list(OPS["average_accumulates"](parameter, *kept, **self._attrs)),
            )

    def minimize(
        self,
        loss: Any,
        startup_program: Any = None,
        parameters: Any = None,
        no_grad_set: Any = None,
    ) -> None:
        """Do nothing: a program contains the updates."""
        if self._runs:
            self.step()

    def clear_grad(self) -> None:
        """Forget the gradients of the parameters of layers."""
        for parameter, _ in self._layers.values():
            parameter.clear_grad()

    @contextmanager
    def apply(self, executor: Any = None, need_restore: bool = True) -> Iterator[None]:
        """Let parameters be their means, and after the body what they were, if need_restore."""
        if not self._runs:
            with super().apply(executor, need_restore):
                yield
            return
        self._before = [(p, p.array) for p, _ in self._layers.values()]
        for parameter, kept in self._layers.values():
            total = sum(t.array for t in kept[1:SUMS]) + kept[0].array
            parameter.array = total / total.dtype.type(
                sum(int(t.array.item()) for t in kept[SUMS : SUMS + 2])
            )
        try:
            yield
        finally:
            if need_restore:
                self.restore()

    def restore(self, executor: Any = None) -> None:
        """Let parameters be what they were before apply()."""
        if not self._runs:
            super().restore(executor)
            return
        for parameter, array in self._before:
            parameter.array = array


def _nothing_yet(parameter: Tensor) -> list[Tensor]:
    """What is kept of a parameter at the start."""
    sums = [Tensor(np.zeros_like(parameter.array)) for _ in range(SUMS)]
    return sums + [Tensor(np.zeros(1, np.int64)) for _ in range(COUNTS)]
