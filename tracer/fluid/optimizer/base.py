"""Base class of the optimizers of Paddle 1.x: parameter_list, regularization, learning rates that
are variables, minimize.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...capture.variable import Variable
from ...core.errors import append_user_line
from ...core.mode import state
from ...core.parameter import Parameter
from ...core.tensor import Tensor
from ...optimizer.optimizer import Optimizer
from ...static import default_main_program
from ...static.graph.program import Program
from ..clip import ClipByParameterAttr
from ..dygraph.layers import all_parameters
from ..dygraph.lr import LearningRateDecay


class Paddle1Optimizer(Optimizer):
    """Base class with the arguments of Paddle 1.x; optimizers inherit it before their Paddle 2
    class.
    """

    _lr_shape = (1,)
    _last_lr: float | None = None  # learning rate of the last step
    _updates_all_parameters = False  # as in 1.5 without a parameter list

    def _init_paddle2_base_class(
        self,
        learning_rate: Any,
        parameter_list: Any,
        regularization: Any,
        grad_clip: Any,
        name: str | None,
        **own: Any,
    ) -> None:
        """Call `__init__` of the Paddle 2 optimizer that is the base class, with arguments
        converted from those of Paddle 1.x.
        """
        is_variable = isinstance(learning_rate, Variable)
        parameters = [p for p in parameter_list or () if isinstance(p, Parameter)]
        if grad_clip is not None and not hasattr(grad_clip, "clip_variables"):
            raise TypeError(
                append_user_line(
                    f"{type(self).__name__}: grad_clip is {type(grad_clip).__name__}, not a "
                    "GradientClipBase"
                )
            )
        super().__init__(
            0.0 if is_variable else learning_rate,
            parameters=parameters,
            grad_clip=grad_clip,
            **own,
        )
        self.regularization = regularization
        self._updates_all_parameters, self._name = parameter_list is None, name
        for spec in self._accumulator_specs():
            setattr(self, f"_{spec.name.removesuffix('_acc')}_acc_str", spec.name)
        if is_variable:
            self._lr_variables[id(default_main_program())] = learning_rate

    @property
    def regularization(self) -> Any:
        """The regularizer of parameters that have none of their own."""
        return self._weight_decay

    @regularization.setter
    def regularization(self, value: Any) -> None:
        self._weight_decay = value

    def minimize(
        self,
        loss: Any,
        startup_program: Any = None,
        parameter_list: Any = None,
        no_grad_set: Any = None,
        grad_clip: Any = None,
    ) -> Any:
        """Update the parameters with the gradients of loss.backward(); in a program append
        gradients and optimizer ops.
        """
        program = (
            loss.block.program if isinstance(loss, Variable) and loss.block is not None else None
        )
        if self._updates_all_parameters and program is None:
            self._parameter_list = all_parameters()
        with self._temporary_grad_clip(grad_clip, program):
            if program is not None or parameter_list is None:
                result = super().minimize(loss, startup_program, parameter_list, no_grad_set)
                if program is not None:
                    return result
                return [], [(p, g) for p, g in result[1] if g is not None]
            pairs = [
                (p, p.grad) for p in parameter_list if p.grad is not None and not p.stop_gradient
            ]
            self._clip_and_update([(p, g.array) for p, g in pairs])
            return [], pairs

    @contextmanager
    def _temporary_grad_clip(self, grad_clip: Any, program: Any) -> Iterator[None]:
        """In the body of the `with` statement, clip gradients with grad_clip. If grad_clip is None,
        clip with the grad_clip of the optimizer or, if there is none, in a program by the
        gradient_clip_attr of each parameter.
        """
        previous = self._grad_clip
        if grad_clip is not None:
            self._grad_clip = grad_clip
        elif previous is None and program is not None:
            self._grad_clip = ClipByParameterAttr()
        try:
            yield
        finally:
            self._grad_clip = previous

    def apply_gradients(self, params_grads: Any) -> Any:
        """Update the parameters with the gradients in params_grads; in a program, append the
        optimizer ops and return them.
        """
        with self._temporary_grad_clip(
            None, default_main_program() if state.mode.program_builder is not None else None
        ):
            return super().apply_gradients(params_grads)

    def apply_optimize(self, loss: Any, startup_program: Any, params_grads: Any) -> Any:
        """Update the parameters with the gradients in params_grads; same as apply_gradients."""
        return self.apply_gradients(params_grads)

    def get_lr(self) -> float:
        """Return the current learning rate, and store it as the learning rate of the last step."""
        self._last_lr = float(np.float32(super().get_lr()))
        return self._last_lr

    def current_step_lr(self) -> float:
        """Return the learning rate of the last step; before the first step the current one. Reading
        this rate does not advance a schedule. An exception, as in Paddle 1.8, is the schedule that
        LinearLrWarmup wraps, which is advanced before the first step.
        """
        rate, last = self._learning_rate, self._last_lr
        if isinstance(rate, LearningRateDecay) and ("step_num" not in rate.keys or last is None):
            return np.float32(rate.last_lr)  # type: ignore[return-value]
        if last is None and isinstance(rate, float):
            return rate
        return np.float32(self.get_lr() if last is None else last)  # type: ignore[return-value]

    def _global_learning_rate(self, program: Program | None = None) -> Any:
        """Return the learning-rate variable of a program, by default the main program, or None."""
        return self._lr_variables.get(id(default_main_program() if program is None else program))

    def clear_gradients(self, set_to_zero: bool = True) -> None:
        """Set the gradients of all parameters to zero."""
        self.clear_grad(set_to_zero)

    def state_dict(self) -> dict[str, Any]:
        """Return the accumulators by Paddle's names, and the state and step of a schedule."""
        state_dict = super().state_dict()
        if "step_num" in state_dict.get("LR_Scheduler", {}):
            steps = np.array([state_dict["LR_Scheduler"]["step_num"]], np.int32)
            state_dict["global_step"] = Tensor(steps, name="global_step")
        return state_dict

    def set_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore the result of state_dict(), also before the first step."""
        if self._updates_all_parameters and state.mode.program_builder is None:
            self._parameter_list = all_parameters()
        super().set_state_dict(state_dict)
        if isinstance(self._learning_rate, LearningRateDecay) and "global_step" in state_dict:
            step = state_dict["global_step"]
            value = np.asarray(step)
            self._learning_rate.step_num = int(value.reshape(-1)[0])

    set_state_dict = set_dict
    load = set_dict

    def get_opti_var_name_list(self) -> list[str]:
        """Return the names of the accumulator variables that were declared in programs."""
        return [
            v.name
            for accumulators in self._accumulator_variables.values()
            for v in accumulators.values()
        ]
