"""What layers and optimizers ask for while a program is written by hand: variables in place of
tensors, ops in place of steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...capture.variable import ParameterVariable, Variable
from ...core.tensor import Tensor
from . import minimize as steps
from .mode import StaticGraphMode
from .parameters import new_buffer, new_parameter
from .program_recorder import HandRecorder


class Builder:
    """See Mode.builder.   mode: whose program gets what is asked for"""

    def __init__(self, mode: StaticGraphMode) -> None:
        self.mode = mode

    @property
    def recorder(self) -> HandRecorder:
        """What writes to the program."""
        return self.mode.recorder

    def parameter(
        self, name: str, shape: Any, dtype: Any, trainable: bool, first: Callable[[], Any]
    ) -> ParameterVariable:
        """A parameter of the program.   first: gives its first value, in the startup program"""
        return new_parameter(self.mode.program, name, shape, dtype, trainable, first)

    def buffer(self, tensor: Tensor) -> Variable:
        """The variable of the program for a buffer that a layer made."""
        if isinstance(tensor, Variable):
            return tensor
        return new_buffer(self.mode.program, tensor.name, tensor.array)

    def minimize(
        self,
        optimizer: Any,
        loss: Variable,
        startup_program: Any,
        parameters: Any,
        no_grad_set: Any,
    ) -> Any:
        """Gradients and steps; gives the ops of the steps, and pairs of a parameter and its
        gradient.
        """
        return steps.minimize(optimizer, loss, startup_program, parameters, no_grad_set)

    def backward(self, optimizer: Any, loss: Variable, parameters: Any, no_grad_set: Any) -> Any:
        """Gradients; gives pairs of a parameter and its gradient."""
        return steps.backward(optimizer, loss, parameters, no_grad_set)

    def apply(self, optimizer: Any, pairs: Any) -> Any:
        """Steps with these gradients; gives the ops."""
        return steps.apply(optimizer, list(pairs))


StaticGraphMode.make_builder = Builder
