"""ExponentialMovingAverage: averages of the parameters over training steps, for evaluation."""

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
from .constants import emit_constant
from .default_programs import default_main_program
from .mode import StaticGraphMode
from .parameters import declare_persistable_and_emit_initializer

STEPS, RATE = "@EMA_STEP_COUNTER@", "scheduled_ema_decay_rate"


class ParameterAveraging:
    """Base class of parameter averages: replaces the parameters by their averages during an
    evaluation, and restores them afterwards.

    Values are read and written in the current scope.
    """

    _original_values: tuple[
        tuple[str, Any], ...
    ] = ()  # names and original values of the parameters

    def _iter_average_values(self, scope: Scope) -> Iterator[tuple[str, Any]]:
        """Yield pairs of the name of a parameter and the average that replaces its value."""
        raise NotImplementedError

    @contextmanager
    def apply(self, executor: object, need_restore: bool = True) -> Iterator[None]:
        """Context manager: replace the parameters by their averages in the body.

        Parameters
        ----------
        executor : Executor
            Not used; the values are those of the current scope.
        need_restore : bool, default True
            Restore the parameters afterwards.

        Yields
        ------
        None
        """
        scope = current_scope()
        averages = list(self._iter_average_values(scope))
        self._original_values = tuple((name, scope.value(name).array) for name, _ in averages)
        for name, array in averages:
            scope.find_or_create(name).array = array
        try:
            yield
        finally:
            if need_restore:
                self.restore(executor)

    def restore(self, executor: object) -> None:
        """Restore the values that the parameters had before `apply` replaced them by averages.

        Parameters
        ----------
        executor : Executor
            Not used; the values are those of the current scope.
        """
        for name, array in self._original_values:
            current_scope().find_or_create(name).array = array


class ExponentialMovingAverage(ParameterAveraging):
    """Moving averages of parameters over training steps, for evaluation.

    average = decay * average + (1 - decay) * parameter

    `apply` replaces each parameter by average / (1 - decay^steps) (Kingma and Ba 2014). Create the
    object after the parameters of the main program, and call `update` after `minimize`.

    Parameters
    ----------
    decay : float, default 0.999
    thres_steps : Variable, optional
        The number n of steps; the decay rate is then min(decay, (1 + n) / (10 + n)).
    name : str, optional
        A prefix of the names of the variables.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 2], "float32")
    ...     loss = paddle.mean(paddle.static.nn.fc(x, 1))
    ...     ops, params_grads = paddle.optimizer.SGD(0.1).minimize(loss)
    ...     average = paddle.static.ExponentialMovingAverage(0.9)
    ...     average.update()
    >>> executor = paddle.static.Executor()
    >>> executor.run(startup)
    []
    >>> loss_now = executor.run(main, {"x": np.ones([4, 2], "float32")}, [loss])
    >>> with average.apply(executor):
    ...     pass  # run a test program with the averages
    >>> paddle.disable_static()
    """

    def __init__(
        self, decay: float = 0.999, thres_steps: Variable | None = None, name: str | None = None
    ) -> None:
        self._decay, self._name = float(decay), name or ""
        self._program = default_main_program()
        self._decay_rate_variable = self._declare_persistable(
            RATE, np.array([decay], np.float32), thres_steps
        )
        trainable = [
            p for p in self._program.global_block().all_parameters() if not p.stop_gradient
        ]
        self._average_by_parameter = {p.name: (p, self._declare_average(p)) for p in trainable}
        self._step_counter: Variable | None = None

    def _declare_persistable(
        self, name: str, initial: Any, step_count: Variable | None = None
    ) -> Variable:
        """Declare a persistable variable of this average, such as a step counter, in the main
        program and the startup program. If `step_count` is given, also emit the ops that write the
        scheduled decay rate to the variable.
        """
        name = self._name + name
        desc = data.VarDesc(
            name, initial.shape, str(initial.dtype), persistable=True, stop_gradient=True
        )
        variable = declare_persistable_and_emit_initializer(
            self._program, desc, lambda: emit_constant(initial)
        )
        if step_count is not None:
            count = OPS["cast"](step_count, in_dtype=step_count.dtype.proto, out_dtype=5)
            limit = OPS["fill_any_like"](count, value=self._decay)
            lower = OPS["elementwise_min"]((count + 1.0) / (count + 10.0), limit)
            StaticGraphMode(self._program).redirect_last_output_or_assign(
                OPS["reshape2"](lower, shape=[1])[0], variable
            )
        return variable

    def _declare_average(self, parameter: Variable) -> Variable:
        name = unique_name.generate(f"{self._name}{parameter.name}_ema")
        return declare_persistable_and_emit_initializer(
            self._program, *_zero_desc_and_initializer_like(name, parameter)
        )

    def update(self) -> None:
        """Append the ops that update all averages to the main program.

        Call it once, after `minimize`.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     y = paddle.static.nn.fc(paddle.static.data("x", [None, 2], "float32"), 1)
        ...     average = paddle.static.ExponentialMovingAverage(0.9)
        ...     average.update()
        >>> len(main.global_block().ops) > 2
        True
        >>> paddle.disable_static()
        """
        if self._step_counter is None:
            self._step_counter = self._declare_persistable(STEPS, np.zeros([1], np.int64))
        mode = StaticGraphMode(self._program)
        mode.redirect_last_output_or_assign(
            OPS["scale"](self._step_counter, scale=1.0, bias=1.0), self._step_counter
        )
        for parameter, average in self._average_by_parameter.values():
            updated = average * self._decay_rate_variable + parameter * (
                1.0 - self._decay_rate_variable
            )
            assert isinstance(updated, Variable)
            mode.redirect_last_output_or_assign(updated, average)

    def _iter_average_values(self, scope: Scope) -> Iterator[tuple[str, Any]]:
        steps = (
            0
            if self._step_counter is None
            else int(scope.value(self._step_counter.name).array.item())
        )
        rate = float(scope.value(self._decay_rate_variable.name).array.item())
        for name, (_, average) in self._average_by_parameter.items():
            array = scope.value(average.name).array
            yield name, array / array.dtype.type(1 - rate**steps) if steps else array


def _zero_desc_and_initializer_like(name: str, like: Variable) -> tuple[data.VarDesc, Any]:
    """Return the declaration of a variable with the shape and dtype of `like`, and a function that
    emits its initial value, zeros.
    """
    desc = data.VarDesc(name, like.raw.shape, like.raw.dtype, persistable=True, stop_gradient=True)
    return desc, lambda: emit_constant(np.zeros(like.raw.shape, like.meta.dtype))
