"""ExponentialMovingAverage: parameters averaged over the steps of a training, to be tested with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...capture.variable import Variable
from ...core import unique_name
from ...core.op import OPS
from ...ir import program as data
from ...ir.scope import Scope, current_scope
from .constants import value_of
from .default_programs import default_main_program
from .mode import Writing
from .parameters import lasting

STEPS, RATE = "@EMA_STEP_COUNTER@", "scheduled_ema_decay_rate"


class Averaging:
    """What stands in for parameters while they are tested with, and the way back.

    Values are those of the scope in force.
    """

    _saved: tuple[tuple[str, Any], ...] = ()  # names of parameters and their values before

    def _means(self, scope: Scope) -> Iterator[tuple[str, Any]]:
        """The name of each parameter, and what stands in for it."""
        raise NotImplementedError

    @contextmanager
    def apply(self, executor: Any, need_restore: bool = True) -> Iterator[None]:
        """Let parameters be their averages, in the scope in force, and after the body what they
        were, if need_restore.
        """
        scope = current_scope()
        means = list(self._means(scope))
        self._saved = tuple((name, scope.value(name).array) for name, _ in means)
        for name, array in means:
            scope.place_of(name).array = array
        try:
            yield
        finally:
            if need_restore:
                self.restore(executor)

    def restore(self, executor: Any) -> None:
        """Let parameters be what they were before apply()."""
        for name, array in self._saved:
            current_scope().place_of(name).array = array


class ExponentialMovingAverage(Averaging):
    """average = decay * average + (1 - decay) * parameter, over (1 - decay ** steps) when it is
    applied

    (Kingma and Ba 2014).

    Made when the main program has all its parameters; thres_steps: a variable that counts, for
    decay = min(decay, (1 + n) / (10 + n)).
    """

    def __init__(
        self, decay: float = 0.999, thres_steps: Variable | None = None, name: str | None = None
    ) -> None:
        self._decay, self._name = float(decay), name or ""
        self._program = default_main_program()
        self._rate = self._kept(RATE, np.array([decay], np.float32), thres_steps)
        trained = [p for p in self._program.global_block().all_parameters() if not p.stop_gradient]
        self._averages = {p.name: (p, self._average(p)) for p in trained}
        self._steps: Variable | None = None

    def _kept(self, name: str, first: Any, counted: Variable | None = None) -> Variable:
        name = self._name + name
        desc = data.VarDesc(
            name, first.shape, str(first.dtype), persistable=True, stop_gradient=True
        )
        made = lasting(self._program, desc, lambda: value_of(first))
        if counted is not None:
            count = OPS["cast"](counted, in_dtype=counted.dtype.proto, out_dtype=5)
            limit = OPS["fill_any_like"](count, value=self._decay)
            lower = OPS["elementwise_min"]((count + 1.0) / (count + 10.0), limit)
            Writing(self._program).write(OPS["reshape2"](lower, shape=[1])[0], made)
        return made

    def _average(self, parameter: Variable) -> Variable:
        name = unique_name.generate(f"{self._name}{parameter.name}_ema")
        return lasting(self._program, *_zeros(name, parameter))

    def update(self) -> None:
        """Append the step of all averages to the main program, after the optimizer's."""
        if self._steps is None:
            self._steps = self._kept(STEPS, np.zeros([1], np.int64))
        mode = Writing(self._program)
        mode.write(OPS["scale"](self._steps, scale=1.0, bias=1.0), self._steps)
        for parameter, average in self._averages.values():
            made = average * self._rate + parameter * (1.0 - self._rate)
            assert isinstance(made, Variable)
            mode.write(made, average)

    def _means(self, scope: Scope) -> Iterator[tuple[str, Any]]:
        steps = 0 if self._steps is None else int(scope.value(self._steps.name).array.item())
        rate = float(scope.value(self._rate.name).array.item())
        for name, (_, average) in self._averages.items():
            array = scope.value(average.name).array
            yield name, array / array.dtype.type(1 - rate**steps) if steps else array


def _zeros(name: str, like: Variable) -> tuple[data.VarDesc, Any]:
    """A variable like another one that starts as zeros: its declaration and first value."""
    desc = data.VarDesc(name, like.raw.shape, like.raw.dtype, persistable=True, stop_gradient=True)
    return desc, lambda: value_of(np.zeros(like.raw.shape, like.meta.dtype))
