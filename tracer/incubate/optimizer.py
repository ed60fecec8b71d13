"""`paddle.incubate.optimizer`: Lookahead and averages of parameters, in eager mode and in
programs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
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
from ..optimizer.optimizer import Optimizer
from ..static import default_main_program
from ..static.graph.constants import emit_constant
from ..static.graph.mode import StaticGraphMode
from ..static.graph.parameters import declare_persistable_and_emit_initializer
from ..static.graph.program import Program

__all__ = ["LarsMomentumOptimizer", "LookAhead", "ModelAverage", "RecomputeOptimizer"]

NUM_SUMS, NUM_COUNTS = 3, 3  # state of an averaged parameter


class LookAhead(LookaheadOptimizer):
    """Lookahead (Zhang et al. 2019): an optimizer that also keeps slow copies of the parameters.

    Every k steps: slow += alpha * (parameter - slow); parameter = slow

    Parameters
    ----------
    inner_optimizer : Optimizer
        Updates the parameters in each step.
    alpha : float, default 0.5
        Step of the slow copies, in [0, 1].
    k : int, default 5
        Number of steps of the inner optimizer per step of the slow copies, 1 or more.
    name : str, optional
        Not used.

    Raises
    ------
    ArgumentAssertionError
        If `inner_optimizer` is None, or `alpha` or `k` is out of range. It is an AssertionError.

    Notes
    -----
    The slow copies start from the parameters after the first step. Other methods and attributes,
    such as `clear_grad`, `get_lr` and `state_dict`, are those of the inner optimizer. Parameters
    with ``stop_gradient=True`` have no slow copies.

    Examples
    --------
    >>> fc = nn.Linear(4, 2)
    >>> sgd = paddle.optimizer.SGD(0.1, parameters=fc.parameters())
    >>> lookahead = paddle.incubate.LookAhead(sgd, alpha=0.5, k=2)
    >>> fc(paddle.ones([8, 4])).mean().backward()
    >>> lookahead.step()
    >>> lookahead.clear_grad()
    """

    def __init__(
        self, inner_optimizer: Optimizer, alpha: float = 0.5, k: int = 5, name: str | None = None
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
        """Run a step of the inner optimizer; every k-th step also updates the slow copies.

        Examples
        --------
        >>> one = nn.initializer.Constant(1.0)
        >>> weight = paddle.create_parameter([1], "float32", default_initializer=one)
        >>> sgd = paddle.optimizer.SGD(0.5, parameters=[weight])
        >>> lookahead = paddle.incubate.LookAhead(sgd, alpha=0.5, k=2)
        >>> for _ in range(2):  # to 0.5, then to 0.0 and halfway back to 0.5
        ...     weight.sum().backward()
        ...     lookahead.step()
        ...     lookahead.clear_grad()
        >>> weight.tolist()
        [0.25]
        """
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
        loss: Tensor,
        startup_program: Program | None = None,
        parameters: Sequence[Tensor | str] | None = None,
        no_grad_set: AbstractSet[Tensor | str] | None = None,
    ) -> Any:
        """Update the parameters; in a program, append the ops that do so.

        Parameters
        ----------
        loss : Tensor or Variable []
            In eager mode ``loss.backward()`` has computed the gradients before; in a program the
            gradients are appended.
        startup_program : Program, optional
            Of a program: receives the initialization. Default: the default startup program.
        parameters, no_grad_set : optional
            Not used.

        Returns
        -------
        tuple
            The ops and the pairs of parameter and gradient of the inner optimizer; in eager mode
            two empty lists.

        Examples
        --------
        >>> fc = nn.Linear(4, 2)
        >>> sgd = paddle.optimizer.SGD(0.1, parameters=fc.parameters())
        >>> lookahead = paddle.incubate.LookAhead(sgd, alpha=0.5, k=2)
        >>> loss = fc(paddle.ones([8, 4])).mean()
        >>> loss.backward()
        >>> lookahead.minimize(loss)
        ([], [])
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


def _average(sums_and_counts: Sequence[Tensor]) -> Any:
    """Return the average of a parameter over the steps that were accumulated.

    Raises OpError if there was none.
    """
    count = sum(int(t.array.item()) for t in sums_and_counts[NUM_SUMS : NUM_SUMS + 2])
    if count == 0:
        raise OpError(append_user_line("ModelAverage.apply: call step first, no step was averaged"))
    total = sum(t.array for t in sums_and_counts[1:NUM_SUMS]) + sums_and_counts[0].array
    return total / total.dtype.type(count)


class ModelAverage(Averages):
    """Averages of parameters over the last steps, for evaluation.

    The average covers the current window of steps and the one before it. A window ends after
    average_window_rate * (number of steps so far) steps, but not before `min_average_window` and
    not after max(min_average_window, max_average_window) steps.

    Parameters
    ----------
    average_window_rate : float
        Length of a window relative to the number of steps so far.
    parameters : sequence of Tensor, optional
        Required in eager mode. Default in a program: all of its parameters.
    min_average_window, max_average_window : int, default 10000
        Bounds of the length of a window, in steps.
    name : str, optional
        Not used.

    Raises
    ------
    OpError
        In eager mode, if `parameters` is None.

    Notes
    -----
    In eager mode call `step` after each step of the optimizer. A program accumulates by itself:
    create the object after the optimizer while the program is recorded.

    Examples
    --------
    >>> fc = nn.Linear(1, 1, bias_attr=False)
    >>> average = paddle.incubate.ModelAverage(0.15, fc.parameters())
    >>> for value in (1.0, 2.0, 6.0):  # steps of training
    ...     fc.weight.set_value(np.full([1, 1], value, "float32"))
    ...     average.step()
    >>> with average.apply():
    ...     fc.weight.item()
    3.0
    >>> fc.weight.item()
    6.0
    """

    def __init__(
        self,
        average_window_rate: float,
        parameters: Sequence[Tensor] | None = None,
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
        self._saved_arrays: list[tuple[Any, Any]] = []  # parameters and their arrays before `apply`
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
        """Add the current values of the parameters to the sums of their averages.

        Call it in eager mode after each step of the optimizer.

        Examples
        --------
        >>> fc = nn.Linear(4, 2)
        >>> sgd = paddle.optimizer.SGD(0.1, parameters=fc.parameters())
        >>> average = paddle.incubate.ModelAverage(0.15, fc.parameters())
        >>> fc(paddle.ones([8, 4])).mean().backward()
        >>> sgd.step()
        >>> average.step()
        """
        for name, (parameter, sums_and_counts) in self._sums_by_parameter_name.items():
            self._sums_by_parameter_name[name] = (
                parameter,
                list(OPS["average_accumulates"](parameter, *sums_and_counts, **self._attrs)),
            )

    def minimize(
        self,
        loss: Tensor,
        startup_program: Program | None = None,
        parameters: Sequence[Tensor | str] | None = None,
        no_grad_set: AbstractSet[Tensor | str] | None = None,
    ) -> None:
        """In eager mode, add the current parameters to the sums of their averages, as `step` does.

        While a program is recorded, do nothing, because the program already contains the updates
        of the sums.

        Parameters
        ----------
        loss : Tensor
            Not used.
        startup_program, parameters, no_grad_set : optional
            Not used.

        Examples
        --------
        >>> fc = nn.Linear(4, 2)
        >>> average = paddle.incubate.ModelAverage(0.15, fc.parameters())
        >>> average.minimize(fc(paddle.ones([8, 4])).mean())
        """
        if self._is_eager:
            self.step()

    def clear_grad(self) -> None:
        """Set the gradients of the parameters to 0. Eager mode only.

        Examples
        --------
        >>> fc = nn.Linear(4, 2)
        >>> average = paddle.incubate.ModelAverage(0.15, fc.parameters())
        >>> fc(paddle.ones([8, 4])).mean().backward()
        >>> average.clear_grad()
        >>> fc.weight.grad.abs().sum().item()
        0.0
        """
        for parameter, _ in self._sums_by_parameter_name.values():
            parameter.clear_grad()

    @contextmanager
    def apply(self, executor: object = None, need_restore: bool = True) -> Iterator[None]:
        """Return a context manager in which the parameters have their averages as values.

        Parameters
        ----------
        executor : Executor, optional
            Not used; of a program, the values are those of the current scope.
        need_restore : bool, default True
            Restore the parameters afterwards.

        Yields
        ------
        None

        Raises
        ------
        OpError
            In eager mode, if `step` was not called before.

        Examples
        --------
        >>> fc = nn.Linear(1, 1, bias_attr=False)
        >>> average = paddle.incubate.ModelAverage(0.15, fc.parameters())
        >>> for value in (1.0, 2.0, 6.0):
        ...     fc.weight.set_value(np.full([1, 1], value, "float32"))
        ...     average.step()
        >>> with average.apply():
        ...     fc.weight.item()
        3.0
        """
        if not self._is_eager:
            with super().apply(executor, need_restore):
                yield
            return
        averages = [
            _average(sums_and_counts)
            for _, sums_and_counts in self._sums_by_parameter_name.values()
        ]
        parameters = [parameter for parameter, _ in self._sums_by_parameter_name.values()]
        self._saved_arrays = [(parameter, parameter.array) for parameter in parameters]
        for parameter, average in zip(parameters, averages, strict=True):
            parameter.array = average
        try:
            yield
        finally:
            if need_restore:
                self.restore()

    def restore(self, executor: object = None) -> None:
        """Restore the values that the parameters had before `apply` replaced them by averages.

        It is needed after ``apply(need_restore=False)`` only.

        Parameters
        ----------
        executor : Executor, optional
            Not used.

        Examples
        --------
        >>> fc = nn.Linear(1, 1, bias_attr=False)
        >>> average = paddle.incubate.ModelAverage(0.15, fc.parameters())
        >>> for value in (1.0, 2.0, 6.0):
        ...     fc.weight.set_value(np.full([1, 1], value, "float32"))
        ...     average.step()
        >>> with average.apply(need_restore=False):
        ...     pass
        >>> average.restore()
        >>> fc.weight.item()
        6.0
        """
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
