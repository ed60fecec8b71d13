"""`normalize_program`: the inference program for export."""

from __future__ import annotations

from typing import Any

from ...capture.variable import Variable
from ...core.errors import OperandError, append_user_line
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


def normalize_program(program: Program, feed_vars: Any, fetch_vars: Any, **kwargs: Any) -> Program:
    """Return an inference program: the ops that compute fetch_vars from feed_vars, with dropout and
    normalization in eval mode.

    skip_prune_program=True: keep all ops except those of gradients and optimizers
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
