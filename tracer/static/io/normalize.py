"""`normalize_program`: the inference program for export."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...capture.variable import Variable
from ...core.errors import OperandError, append_user_line
from ...core.tensor import Tensor
from ...ir.passes.normalize import build_inference_program
from ..graph.program import Program


def require_variables_and_get_names(argument: str, variables: Any) -> list[str]:
    """Return the names of the variables in an argument, which is a variable or a list of variables.
    Raises OperandError, which is a TypeError, if the argument contains other objects.
    """
    items = variables if isinstance(variables, list | tuple) else [variables]
    for item in items:
        if not isinstance(item, Variable):
            raise OperandError(
                append_user_line(
                    f"{argument} must be a Variable or a list of them, not {type(item).__name__}"
                )
            )
    return [item.name for item in items]


def normalize_program(
    program: Program,
    feed_vars: Tensor | Sequence[Tensor],
    fetch_vars: Tensor | Sequence[Tensor],
    **kwargs: Any,
) -> Program:
    """Return an inference program: the ops that compute outputs from inputs, in eval mode.

    Parameters
    ----------
    program : Program
        It does not change.
    feed_vars : Variable, or list of Variable
        The inputs.
    fetch_vars : Variable, or list of Variable
        The outputs.
    **kwargs
        - skip_prune_program : bool, default False. Keep all ops except those of gradients and
          optimizers.

    Returns
    -------
    Program
        With ops that feed the inputs and fetch the outputs.

    Raises
    ------
    TypeError
        If `program` is not a Program, or if inputs or outputs are not Variables.
    ValueError
        If an argument is unknown.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 2], "float32")
    ...     y = paddle.static.nn.fc(x, 3, bias_attr=False)
    >>> executor = paddle.static.Executor()
    >>> executor.run(startup)
    []
    >>> program = paddle.static.normalize_program(main, [x], [y])
    >>> program.feed_names()
    ['x']
    >>> paddle.disable_static()
    """
    if not isinstance(program, Program):
        raise TypeError(
            append_user_line(f"normalize_program: {type(program).__name__} is not a Program")
        )
    skip_prune = kwargs.pop("skip_prune_program", False)
    if kwargs:
        raise ValueError(append_user_line(f"normalize_program: unknown arguments {sorted(kwargs)}"))
    feeds, fetches = (
        require_variables_and_get_names("feed_vars", feed_vars),
        require_variables_and_get_names("fetch_vars", fetch_vars),
    )
    return Program.view_of_raw(build_inference_program(program.raw, feeds, fetches, skip_prune))
