"""`append_backward` and `gradients` of static graph programs."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any, cast

from ... import autodiff
from ...capture.variable import ParameterVariable, Variable
from ...core.errors import OarlockError, OperandError, append_user_line
from ...core.mode import use_mode
from ...core.tensor import Tensor
from ...ir.op_role import OpRole
from ...ir.program import Attr, AttrType, OpDesc
from .mode import StaticGraphMode
from .program import Program


def require_program_of_variable(caller: str, variable: Any) -> Program:
    """Return the program of a variable, or of the first variable of a list.

    Raises OpError if it is not a variable of a static graph program.
    """
    if isinstance(variable, list | tuple) and variable:
        variable = variable[0]
    if not isinstance(variable, Variable) or variable.block is None:
        kind = (
            (f"'{variable.name}' of a capture")
            if isinstance(variable, Variable)
            else type(variable).__name__
        )
        raise OperandError(
            append_user_line(f"{caller}: {kind} is not a variable of a static graph program")
        )
    return variable.block.program


def append_backward(
    loss: Tensor,
    parameter_list: Sequence[Tensor | str] | None = None,
    no_grad_set: AbstractSet[Tensor | str] | None = None,
    callbacks: Sequence[object] | None = None,
    checkpoints: Sequence[object] | None = None,
    distop_context: object = None,
) -> list[tuple[ParameterVariable, Variable]]:
    """Append ops that compute the gradients of a loss with respect to parameters.

    Parameters
    ----------
    loss : Variable [*], float
        The gradients are those of the sum of its elements.
    parameter_list : list of Parameter or str, optional
        Default: all trainable parameters of the program.
    no_grad_set : set of Variable or str, optional
        Variables that are treated as constants.
    callbacks : list, optional
        Not supported; must be empty.
    checkpoints : list, optional
        Not supported (recomputation); must be empty.
    distop_context : optional
        Not used.

    Returns
    -------
    list of (Parameter, Variable)
        Each parameter that the loss depends on, with its gradient.

    Raises
    ------
    OperandError
        If `loss` is not a variable of a program, or `callbacks` is not a list.
    OarlockError
        If there are callbacks or checkpoints.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 2], "float32")
    ...     loss = paddle.mean(paddle.static.nn.fc(x, 3))
    ...     params_grads = paddle.static.append_backward(loss)
    >>> [gradient.shape for _, gradient in params_grads]
    [(2, 3), (3,)]
    >>> paddle.disable_static()
    """
    if callbacks is not None and not isinstance(callbacks, list | tuple):
        raise OperandError(
            append_user_line(
                f"append_backward: callbacks is not a list, but {type(callbacks).__name__}"
            )
        )
    if callbacks:
        raise OarlockError(
            append_user_line(
                "append_backward: callbacks are not supported; the error_clip of variables is "
                "applied without one"
            )
        )
    if checkpoints:
        raise OarlockError(
            append_user_line("append_backward: checkpoints (recomputation) are not supported")
        )
    program = require_program_of_variable("append_backward", loss)
    with use_mode(StaticGraphMode(program)), program.recorder.setting_op_role(OpRole.BACKWARD):
        pairs = autodiff.append_backward(cast("Variable", loss), parameter_list, no_grad_set)
    program.mark_changed()
    block = program.current_block()
    _set_loss_role_and_op_role_var(block.raw.ops, loss.name, [(p.name, g.name) for p, g in pairs])
    return [(block._var_recursive(p.name), block._var_recursive(g.name)) for p, g in pairs]  # type: ignore[misc]


def _set_loss_role_and_op_role_var(
    ops: list[OpDesc], loss: str, pairs: list[tuple[str, str]]
) -> None:
    """Set the attribute op_role of the op that computes the loss, and op_role_var of the ops that
    compute the gradients of parameters.
    """
    producers = {name: op for op in ops for name in op.output_names()}
    if loss in producers:
        producers[loss].attrs["op_role"] = Attr(AttrType.INT, int(OpRole.LOSS))
    parameters = {gradient: parameter for parameter, gradient in pairs}
    for op in ops:
        grads = [
            n
            for _, names in sorted(op.outputs.items())
            for n in names
            if n in parameters and producers[n] is op
        ]
        if grads:
            op.attrs["op_role_var"] = Attr(
                AttrType.STRINGS, [name for n in grads for name in (parameters[n], n)]
            )


def gradients(
    targets: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    target_gradients: Tensor | Sequence[Tensor | None] | None = None,
    no_grad_set: AbstractSet[Tensor | str] | None = None,
) -> list[Variable | None]:
    """Append ops that compute the gradients of the sum of `targets` with respect to `inputs`.

    Parameters
    ----------
    targets : Variable, or list of Variable
    inputs : Variable, or list of Variable
    target_gradients : Variable or None, or list of them, optional
        Initial gradients of the targets. Default: ones.
    no_grad_set : set of Variable or str, optional
        Variables that are treated as constants.

    Returns
    -------
    list of Variable or None
        One per input; None if the targets do not depend on it.

    Raises
    ------
    OperandError
        If `targets` are not variables of a program.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [2], "float32")
    ...     x.stop_gradient = False
    ...     (dx,) = paddle.static.gradients([x * x], [x])
    >>> executor = paddle.static.Executor()
    >>> executor.run(main, feed={"x": np.float32([1, 3])}, fetch_list=[dx])
    [array([2., 6.], dtype=float32)]
    >>> paddle.disable_static()
    """
    program = require_program_of_variable("gradients", targets)
    with use_mode(StaticGraphMode(program)), program.recorder.setting_op_role(OpRole.BACKWARD):
        grads = autodiff.gradients(targets, inputs, target_gradients, no_grad_set)
    program.mark_changed()
    return [None if g is None else program.current_block()._var_recursive(g.name) for g in grads]
