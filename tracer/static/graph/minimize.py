"""Optimizers in static graph programs: gradients, and one optimizer op per parameter. Accumulators
are persistable variables that the startup program initializes.
"""

from __future__ import annotations

import warnings
from typing import Any

from ...capture.variable import ParameterVariable, Variable
from ...core import unique_name
from ...core.dtype import is_half, parse_dtype
from ...core.errors import ArgumentAssertionError, OarlockError, append_user_line
from ...core.mode import use_mode
from ...core.op import OPS
from ...ir import program as data
from ...ir.op_role import OpRole
from .default_programs import program_guard
from .gradients import append_backward, require_program_of_variable
from .mode import StaticGraphMode
from .operator import Operator
from .parameters import declare_persistable_and_emit_initializer
from .program import Program

ParameterGradients = list[tuple[ParameterVariable, Variable]]


def backward(
    optimizer: Any, loss: Variable, parameters: Any, no_grad_set: Any
) -> ParameterGradients:
    """Append the ops that compute the gradients of the loss with respect to the parameters of an
    optimizer.

    Warns if the loss depends on no parameter. Raises ArgumentAssertionError if the loss has several
    elements.
    """
    if any(d not in (1, -1) for d in loss.meta.shape):
        # programs for Paddle search for this text
        why = "The number of elements of loss should be 1; take paddle.mean of it"
        raise ArgumentAssertionError(
            append_user_line(f"{type(optimizer).__name__}.minimize: {why} (loss={loss.meta})")
        )
    selected = parameters or optimizer._parameter_list or None
    pairs = append_backward(loss, selected, no_grad_set)
    if not pairs:
        why = f"{type(optimizer).__name__}.minimize: '{loss.name}' depends on no parameter"
        warnings.warn(append_user_line(why), stacklevel=2)
    emit_error_clips(require_program_of_variable("minimize", loss))
    return pairs


def emit_error_clips(program: Program) -> None:
    """Append ops that clip the gradients of the variables that have an error_clip, directly after
    the ops that compute these gradients.
    """
    block = program.current_block()
    for variable in [
        v for v in block.vars.values() if v.error_clip is not None and block.has_var(v.grad_name)
    ]:
        name, clip = variable.grad_name, variable.error_clip
        writers = [i for i, op in enumerate(block.raw.ops) if name in op.output_names()]
        if not writers:
            continue
        attrs = {"min": clip.min, "max": clip.max}
        with program.recorder.setting_op_role(OpRole.BACKWARD):
            block._insert_op(
                writers[-1] + 1,
                type="clip",
                inputs={"X": [name]},
                outputs={"Out": [name]},
                attrs=attrs,
            )


def minimize(
    optimizer: Any,
    loss: Variable,
    startup_program: Program | None,
    parameters: Any,
    no_grad_set: Any,
) -> tuple[list[Operator], ParameterGradients]:
    """Append the ops that compute the gradients of the loss, and the optimizer ops.

    Returns the optimizer ops, and pairs of a parameter and its gradient.
    """
    program = require_program_of_variable(f"{type(optimizer).__name__}.minimize", loss)
    with program_guard(program, startup_program), use_mode(StaticGraphMode(program)):
        pairs = backward(optimizer, loss, parameters, no_grad_set)
        return apply(optimizer, pairs), pairs


def apply(optimizer: Any, pairs: ParameterGradients) -> list[Operator]:
    """Append the optimizer ops for pairs of parameter and gradient, and return these ops."""
    if not optimizer._supports_programs:
        raise OarlockError(
            append_user_line(
                f"{type(optimizer).__name__}: is not supported in static graph programs"
            )
        )
    pairs = [(p, g) for p, g in pairs if g is not None]
    if not pairs:
        return []
    program = require_program_of_variable("apply_gradients", pairs[0][0])
    with use_mode(StaticGraphMode(program)), program.recorder.setting_op_role(OpRole.OPTIMIZE):
        pairs = (
            pairs if optimizer._grad_clip is None else optimizer._grad_clip.clip_variables(pairs)
        )
        pairs = sorted(pairs, key=lambda pair: pair[0].name)
        for parameter, gradient in pairs:
            with program.recorder.setting_op_role_variables(parameter.name, gradient.name):
                _emit_weight_decay(optimizer, program, parameter, gradient)
        block = program.current_block()
        start = len(block.raw.ops)
        get_or_create_learning_rate_variable_and_set_scheduler(
            optimizer, program
        )  # Paddle's startup program initializes it first
        for parameter, gradient in pairs:
            with program.recorder.setting_op_role_variables(parameter.name, gradient.name):
                ParameterUpdateWriter(optimizer, program, parameter, gradient).write_ops()
        return block.ops[start:]


def _emit_weight_decay(
    optimizer: Any, program: Program, parameter: ParameterVariable, gradient: Variable
) -> None:
    """Emit the ops that add the gradient of the weight decay to the gradient of a parameter."""
    decay = optimizer._find_coupled_weight_decay(parameter)
    if decay:
        term = (
            decay.gradient_term(parameter)
            if hasattr(decay, "gradient_term")
            else parameter * float(decay)
        )
        StaticGraphMode(program).redirect_last_output_or_assign(
            OPS["sum"]([gradient, term]), gradient
        )


def get_or_create_learning_rate_variable_and_set_scheduler(
    optimizer: Any, program: Program
) -> Variable:
    """Return the variable of a program that holds the learning rate of an optimizer. If the
    learning rate is a scheduler, the executor sets this variable before each run.
    """
    variables: dict[int, Variable] = optimizer._lr_variables
    if id(program) not in variables:
        shape = optimizer._lr_shape
        desc = data.VarDesc(
            unique_name.generate("learning_rate"),
            shape,
            "float32",
            persistable=True,
            stop_gradient=True,
        )
        variables[id(program)] = declare_persistable_and_emit_initializer(
            program, desc, lambda: _emit_fill_constant(list(shape), optimizer.get_lr(), "float32")
        )
    if hasattr(optimizer._learning_rate, "get_lr"):  # a schedule
        program.lr_scheduler, program.lr_var = optimizer._learning_rate, variables[id(program)]
    return variables[id(program)]


def _emit_fill_constant(shape: list[int], value: float, dtype: str) -> Any:
    """Emit an op that fills a tensor with a value."""
    attrs = {
        "value": float(value),
        "str_value": repr(float(value)),
        "dtype": parse_dtype(dtype).proto,
    }
    return OPS["fill_constant"](shape=shape, **attrs)


def _operand_of_slot(slots: dict[str, Any], slot: Any) -> Any:
    """Return the operand of an optimizer op for a slot. A list slot, which takes several variables,
    gets a list of one.
    """
    operand = slots.get(slot.name)
    return [operand] if slot.is_list and operand is not None else operand


class ParameterUpdateWriter:
    """Appends the ops that update one parameter to a program."""

    def __init__(
        self, optimizer: Any, program: Program, parameter: ParameterVariable, gradient: Variable
    ) -> None:
        if is_half(parameter.meta.dtype) and optimizer._multi_precision:
            why = "multi_precision=True is supported in eager mode only"
            raise OarlockError(
                append_user_line(
                    f"{type(optimizer).__name__}: {why} ({parameter.name}={parameter.meta})"
                )
            )
        self.optimizer, self.program = optimizer, program
        self.parameter, self.gradient = parameter, gradient

    def _get_or_create_accumulators(self) -> dict[str, Variable]:
        """Return the accumulator variables of the parameter, and create them at the first call."""
        state: dict[str, Variable] = self.optimizer._accumulator_variables.setdefault(
            self.parameter.name, {}
        )
        for spec in self.optimizer._accumulator_specs():
            if spec.name not in state:
                state[spec.name] = self._create_accumulator(spec)
        return state

    def _create_accumulator(self, spec: Any) -> Variable:
        name = unique_name.generate(f"{self.parameter.name}_{spec.name}")
        shape = (1,) if spec.is_scalar else self.parameter.raw.shape
        dtype = self.parameter.raw.dtype
        desc = data.VarDesc(name, shape, dtype, persistable=True)
        return declare_persistable_and_emit_initializer(
            self.program,
            desc,
            lambda: _emit_fill_constant(list(shape), float(spec.initial_value), dtype),
        )

    def _emit_scaled_learning_rate(self) -> Variable:
        rate = get_or_create_learning_rate_variable_and_set_scheduler(self.optimizer, self.program)
        factor = self.optimizer._lr_factor(self.parameter)
        if factor == 1.0:
            return rate
        recorder = self.program.recorder
        with (
            recorder.setting_op_role(OpRole.OPTIMIZE | OpRole.LR_SCHEDULE),
            recorder.setting_op_role_variables(),
        ):
            scaled: Variable = OPS["scale"](rate, scale=factor)
        return scaled

    def write_ops(self) -> None:
        """Append the ops that update the parameter: the scaled learning rate, the optimizer op, and
        the updates of those accumulators that the optimizer op does not write. The first call also
        creates the accumulators.
        """
        state = self._get_or_create_accumulators()
        slots = {
            "Param": self.parameter,
            "Grad": self.gradient,
            "LearningRate": self._emit_scaled_learning_rate(),
        }
        slots |= {spec.slot: state[spec.name] for spec in self.optimizer._accumulator_specs()}
        op = self.optimizer._op
        op(
            *(_operand_of_slot(slots, s) for s in op.ins),
            **self.optimizer._op_attrs_of_parameter(self.parameter),
        )
        self._emit_accumulator_updates(dict(state))

    def _emit_accumulator_updates(self, state: dict[str, Variable]) -> None:
        """Append the updates of those accumulators that the optimizer op does not write."""
        previous = dict(state)
        self.optimizer._update_accumulators_after_op(self.parameter, state)
        for name, variable in state.items():
            if variable is not previous[name]:
                StaticGraphMode(self.program).redirect_last_output_or_assign(
                    variable, previous[name]
                )
