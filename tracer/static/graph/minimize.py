"""Steps of optimizers as ops of a program: what is kept of parameters are variables that the
startup program fills.
"""

from __future__ import annotations

import warnings
from typing import Any

from ...capture.variable import ParameterVariable, Variable
from ...core import unique_name
from ...core.dtype import dtype_of, is_half
from ...core.errors import MisfitError, OarlockError, with_user_line
from ...core.mode import use_mode
from ...core.op import OPS
from ...ir import program as data
from ...ir.op_role import Role
from .default_programs import program_guard
from .gradients import append_backward, program_of
from .mode import StaticGraphMode
from .operator import Operator
from .parameters import lasting
from .program import Program

Pairs = list[tuple[ParameterVariable, Variable]]


def backward(optimizer: Any, loss: Variable, parameters: Any, no_grad_set: Any) -> Pairs:
    """The gradients of what an optimizer changes.

    Warns where no parameter has one, raises MisfitError for a loss of several elements.
    """
    if any(d not in (1, -1) for d in loss.meta.shape):
        # what programs for Paddle look for
        why = "The number of elements of loss should be 1; take paddle.mean of it"
        raise MisfitError(
            with_user_line(f"{type(optimizer).__name__}.minimize: {why} (loss={loss.meta})")
        )
    wanted = parameters or optimizer._parameter_list or None
    pairs = append_backward(loss, wanted, no_grad_set)
    if not pairs:
        why = f"{type(optimizer).__name__}.minimize: '{loss.name}' depends on no parameter"
        warnings.warn(with_user_line(why), stacklevel=2)
    clip_errors(program_of("minimize", loss))
    return pairs


def clip_errors(program: Program) -> None:
    """Limit the gradients of variables that have an error_clip, right behind the op that gives
    them.
    """
    block = program.current_block()
    for variable in [
        v for v in block.vars.values() if v.error_clip is not None and block.has_var(v.grad_name)
    ]:
        name, clip = variable.grad_name, variable.error_clip
        last = max(i for i, op in enumerate(block.raw.ops) if name in op.output_names())
        attrs = {"min": clip.min, "max": clip.max}
        with program.recorder.as_role(Role.BACKWARD):
            block._insert_op(
                last + 1, type="clip", inputs={"X": [name]}, outputs={"Out": [name]}, attrs=attrs
            )


def minimize(
    optimizer: Any,
    loss: Variable,
    startup_program: Program | None,
    parameters: Any,
    no_grad_set: Any,
) -> tuple[list[Operator], Pairs]:
    """Append gradients and steps; gives the ops of the steps, and pairs of a parameter and its
    gradient.
    """
    program = program_of(f"{type(optimizer).__name__}.minimize", loss)
    with program_guard(program, startup_program), use_mode(StaticGraphMode(program)):
        pairs = backward(optimizer, loss, parameters, no_grad_set)
        return apply(optimizer, pairs), pairs


def apply(optimizer: Any, pairs: Pairs) -> list[Operator]:
    """Append the steps with these gradients."""
    if not optimizer._supports_programs:
        raise OarlockError(
            with_user_line(f"{type(optimizer).__name__}: makes no steps that a program could hold")
        )
    pairs = [(p, g) for p, g in pairs if g is not None]
    if not pairs:
        return []
    program = program_of("apply_gradients", pairs[0][0])
    with use_mode(StaticGraphMode(program)), program.recorder.as_role(Role.OPTIMIZE):
        pairs = (
            pairs if optimizer._grad_clip is None else optimizer._grad_clip.clip_variables(pairs)
        )
        pairs = sorted(pairs, key=lambda pair: pair[0].name)
        for parameter, gradient in pairs:
            with program.recorder.of_parameter(parameter.name, gradient.name):
                _decay(optimizer, program, parameter, gradient)
        block = program.current_block()
        before = len(block.raw.ops)
        rate_variable(optimizer, program)  # the first of what the startup program fills
        for parameter, gradient in pairs:
            with program.recorder.of_parameter(parameter.name, gradient.name):
                Step(optimizer, program, parameter, gradient).write()
        return block.ops[before:]


def _decay(
    optimizer: Any, program: Program, parameter: ParameterVariable, gradient: Variable
) -> None:
    """Add that of the weight decay to a gradient."""
    decay = optimizer._gradient_decay(parameter)
    if decay:
        term = decay.term(parameter) if hasattr(decay, "term") else parameter * float(decay)
        StaticGraphMode(program).write(OPS["sum"]([gradient, term]), gradient)


def rate_variable(optimizer: Any, program: Program) -> Variable:
    """The variable that holds the learning rate; a scheduler's is set before each run."""
    known: dict[int, Variable] = optimizer._lr_variables
    if id(program) not in known:
        shape = optimizer._lr_shape
        desc = data.VarDesc(
            unique_name.generate("learning_rate"),
            shape,
            "float32",
            persistable=True,
            stop_gradient=True,
        )
        known[id(program)] = lasting(
            program, desc, lambda: _everywhere(list(shape), optimizer.get_lr(), "float32")
        )
    if hasattr(optimizer._learning_rate, "last_lr"):
        program.lr_scheduler, program.lr_var = optimizer._learning_rate, known[id(program)]
    return known[id(program)]


def _everywhere(shape: list[int], value: float, dtype: str) -> Any:
    """One value, as an op."""
    attrs = {"value": float(value), "str_value": repr(float(value)), "dtype": dtype_of(dtype).proto}
    return OPS["fill_constant"](shape=shape, **attrs)


def _operand(slots: dict[str, Any], slot: Any) -> Any:
    """What the op takes in a slot; slots for many parameters get one."""
    found = slots.get(slot.name)
    return [found] if slot.many and found is not None else found


class Step:
    """The step of one parameter."""

    def __init__(
        self, optimizer: Any, program: Program, parameter: ParameterVariable, gradient: Variable
    ) -> None:
        if is_half(parameter.meta.dtype) and optimizer._multi_precision:
            why = "multi_precision=True is only there eagerly"
            raise OarlockError(
                with_user_line(
                    f"{type(optimizer).__name__}: {why} ({parameter.name}={parameter.meta})"
                )
            )
        self.optimizer, self.program = optimizer, program
        self.parameter, self.gradient = parameter, gradient

    def _kept(self) -> dict[str, Variable]:
        """What is kept of the parameter, made when it is asked for first."""
        state: dict[str, Variable] = self.optimizer._accumulator_variables.setdefault(
            self.parameter.name, {}
        )
        for kept in self.optimizer._accumulator_specs():
            if kept.name not in state:
                state[kept.name] = self._new(kept)
        return state

    def _new(self, kept: Any) -> Variable:
        name = unique_name.generate(f"{self.parameter.name}_{kept.name}")
        shape = (1,) if kept.is_scalar else self.parameter.raw.shape
        dtype = self.parameter.raw.dtype
        desc = data.VarDesc(name, shape, dtype, persistable=True)
        return lasting(
            self.program, desc, lambda: _everywhere(list(shape), float(kept.initial_value), dtype)
        )

    def _rate(self) -> Variable:
        rate = rate_variable(self.optimizer, self.program)
        factor = self.optimizer._lr_factor(self.parameter)
        if factor == 1.0:
            return rate
        recorder = self.program.recorder
        with recorder.as_role(Role.OPTIMIZE | Role.LR_SCHEDULE), recorder.of_parameter():
            found: Variable = OPS["scale"](rate, scale=factor)
        return found

    def write(self) -> None:
        """Append it."""
        state = self._kept()
        slots = {"Param": self.parameter, "Grad": self.gradient, "LearningRate": self._rate()}
        slots |= {kept.slot: state[kept.name] for kept in self.optimizer._accumulator_specs()}
        op = self.optimizer._op
        op(*(_operand(slots, s) for s in op.ins), **self.optimizer._attrs_of(self.parameter))
        self._finish(dict(state))

    def _finish(self, state: dict[str, Variable]) -> None:
        """What a step leaves to do with what is kept."""
        before = dict(state)
        self.optimizer._after_update(self.parameter, state)
        for name, variable in state.items():
            if variable is not before[name]:
                StaticGraphMode(self.program).write(variable, before[name])
