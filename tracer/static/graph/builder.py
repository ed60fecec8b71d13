"""The builder of static graph mode: layers and optimizers call it to create parameters and
optimizer ops in the program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...capture.variable import ParameterVariable, Variable
from ...core.tensor import Tensor
from . import minimize as optimizer_steps
from .mode import StaticGraphMode
from .parameters import declare_buffer_and_emit_initializer, declare_parameter_and_emit_initializer
from .program_recorder import ProgramRecorder


class ParameterAndOptimizerOpBuilder:
    """Implements `Mode.program_builder` for static graph mode: creates parameters and optimizer ops
    in the program of `mode`.
    """

    def __init__(self, mode: StaticGraphMode) -> None:
        self.mode = mode

    @property
    def recorder(self) -> ProgramRecorder:
        """The recorder, which appends ops to the program."""
        return self.mode.recorder

    def declare_parameter(
        self, name: str, shape: Any, dtype: Any, trainable: bool, init: Callable[[], Any]
    ) -> ParameterVariable:
        """Declare a parameter.

        init: returns its initial value; called while the startup program is recorded
        """
        return declare_parameter_and_emit_initializer(
            self.mode.program, name, shape, dtype, trainable, init
        )

    def get_or_declare_buffer(self, tensor: Tensor) -> Variable:
        """Return the variable of the program that stands for a buffer of a layer; declare it at the
        first call.
        """
        if isinstance(tensor, Variable):
            return tensor
        return declare_buffer_and_emit_initializer(self.mode.program, tensor.name, tensor.array)

    def minimize(
        self,
        optimizer: Any,
        loss: Variable,
        startup_program: Any,
        parameters: Any,
        no_grad_set: Any,
    ) -> Any:
        """Append the ops that compute the gradients of the loss and update the parameters.

        Returns the optimizer ops, and pairs of a parameter and its gradient.
        """
        return optimizer_steps.minimize(optimizer, loss, startup_program, parameters, no_grad_set)

    def backward(self, optimizer: Any, loss: Variable, parameters: Any, no_grad_set: Any) -> Any:
        """Append the ops that compute the gradients of the loss, and return pairs of parameter and
        gradient.
        """
        return optimizer_steps.backward(optimizer, loss, parameters, no_grad_set)

    def apply(self, optimizer: Any, pairs: Any) -> Any:
        """Append the optimizer ops for pairs of parameter and gradient, and return these ops."""
        return optimizer_steps.apply(optimizer, list(pairs))


StaticGraphMode.builder_class = ParameterAndOptimizerOpBuilder
