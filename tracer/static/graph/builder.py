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
    """Implementation of `Mode.program_builder` for the program of `mode`."""

    def __init__(self, mode: StaticGraphMode) -> None:
        self.mode = mode

    @property
    def recorder(self) -> ProgramRecorder:
        """The recorder of the program."""
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
        """Return the variable of the program for a buffer of a layer."""
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
        """Append gradients and optimizer ops.

        Returns the optimizer ops, and pairs of a parameter and its gradient.
        """
        return optimizer_steps.minimize(optimizer, loss, startup_program, parameters, no_grad_set)

    def backward(self, optimizer: Any, loss: Variable, parameters: Any, no_grad_set: Any) -> Any:
        """Append gradients; returns pairs of a parameter and its gradient."""
        return optimizer_steps.backward(optimizer, loss, parameters, no_grad_set)

    def apply(self, optimizer: Any, pairs: Any) -> Any:
        """Append optimizer ops for these gradients, and return them."""
        return optimizer_steps.apply(optimizer, list(pairs))


StaticGraphMode.builder_class = ParameterAndOptimizerOpBuilder
