"""append_backward and gradients, for programs that are written by hand."""

from __future__ import annotations

from typing import Any

from ... import autodiff as data
from ...capture.variable import ParameterVariable, Variable
from ...core.errors import OarlockError, OperandError, with_user_line
from ...core.mode import use_mode
from ...ir.op_role import Role
from ...ir.program import Attr, AttrType, OpDesc
from .mode import StaticGraphMode
from .program import Program


def program_of(what: str, variable: Any) -> Program:
    """The program that a variable belongs to.

    Raises OpError for what is none of a program that is written by hand.
    """
    if isinstance(variable, list | tuple) and variable:
        variable = variable[0]
    if not isinstance(variable, Variable) or variable.block is None:
        kind = (
            (f"'{variable.name}' of a recording")
            if isinstance(variable, Variable)
            else type(variable).__name__
        )
        raise OperandError(
            with_user_line(f"{what}: {kind} is not a variable of a program that is written by hand")
        )
    return variable.block.program


def append_backward(
    loss: Variable,
    parameter_list: Any = None,
    no_grad_set: Any = None,
    callbacks: Any = None,
    checkpoints: Any = None,
    distop_context: Any = None,
) -> list[tuple[ParameterVariable, Variable]]:
    """Append the gradients of `loss`, of the sum of its elements, with respect to parameters; gives
    pairs of a parameter and its gradient.

    parameter_list: parameters or names, by default all that are trained; no_grad_set: variables or
    names that are constants. Raises OarlockError for checkpoints and callbacks, which are not
    there.
    """
    if callbacks is not None and not isinstance(callbacks, list | tuple):
        raise OperandError(
            with_user_line(
                f"append_backward: callbacks is not a list, but {type(callbacks).__name__}"
            )
        )
    if callbacks:
        raise OarlockError(
            with_user_line(
                "append_backward: callbacks are not there; limits of a variable's "
                "error_clip hold without one"
            )
        )
    if checkpoints:
        raise OarlockError(
            with_user_line("append_backward: nothing is computed twice; checkpoints are not there")
        )
    program = program_of("append_backward", loss)
    with use_mode(StaticGraphMode(program)), program.recorder.as_role(Role.BACKWARD):
        found = data.append_backward(loss, parameter_list, no_grad_set)
    program.changed()
    block = program.current_block()
    _note_roles(block.raw.ops, loss.name, [(p.name, g.name) for p, g in found])
    return [(block._var_recursive(p.name), block._var_recursive(g.name)) for p, g in found]  # type: ignore[misc]


def _note_roles(ops: list[OpDesc], loss: str, pairs: list[tuple[str, str]]) -> None:
    """Mark the op that gives the loss, and say of those that give gradients of parameters which."""
    makers = {name: op for op in ops for name in op.output_names()}
    if loss in makers:
        makers[loss].attrs["op_role"] = Attr(AttrType.INT, int(Role.LOSS))
    of = {gradient: parameter for parameter, gradient in pairs}
    for op in ops:
        given = [
            n
            for _, names in sorted(op.outputs.items())
            for n in names
            if n in of and makers[n] is op
        ]
        if given:
            op.attrs["op_role_var"] = Attr(
                AttrType.STRINGS, [name for n in given for name in (of[n], n)]
            )


def gradients(
    targets: Any, inputs: Any, target_gradients: Any = None, no_grad_set: Any = None
) -> list[Variable | None]:
    """Append the gradients of the sum of `targets` with respect to `inputs`; one per input, None
    where there is none.

    target_gradients: what each target is multiplied by, ones unless given; no_grad_set: variables
    or names that are constants.
    """
    program = program_of("gradients", targets)
    with use_mode(StaticGraphMode(program)), program.recorder.as_role(Role.BACKWARD):
        found = data.gradients(targets, inputs, target_gradients, no_grad_set)
    program.changed()
    return [None if g is None else program.current_block()._var_recursive(g.name) for g in found]
