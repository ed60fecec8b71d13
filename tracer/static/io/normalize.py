"""`normalize_program`: the inference program for export."""

from __future__ import annotations

from typing import Any

from ...capture.variable import Variable
from ...core.errors import OperandError, with_user_line
from ...ir.passes.normalize import normalize
from ..graph.program import Program


def names_of(what: str, given: Any) -> list[str]:
    """The names of variables in a user's list.   Raises TypeError for other objects."""
    many = given if isinstance(given, list | tuple) else [given]
    for item in many:
        if not isinstance(item, Variable):
            raise OperandError(
                with_user_line(
                    f"{what} should be a Variable or a list of them, not {type(item).__name__}"
                )
            )
    return [item.name for item in many]


def normalize_program(program: Program, feed_vars: Any, fetch_vars: Any, **kwargs: Any) -> Program:
    """Return an inference program: the ops between feed_vars and fetch_vars, with dropout and norms
    in eval mode.

    skip_prune_program=True: all ops that are no gradients' and no optimizer's stay.
    """
    if not isinstance(program, Program):
        raise TypeError(
            with_user_line(f"normalize_program: {type(program).__name__} is not a Program")
        )
    keep = kwargs.pop("skip_prune_program", False)
    if kwargs:
        raise ValueError(with_user_line(f"normalize_program: there is no config {sorted(kwargs)}"))
    feeds, fetches = names_of("feed_vars", feed_vars), names_of("fetch_vars", fetch_vars)
    return Program.of(normalize(program.raw, feeds, fetches, keep))
