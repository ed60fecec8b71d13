"""`IfElse`: processes the rows of a batch in one of two blocks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...capture.variable import Variable
from ...core.errors import OpError, append_user_line
from ...core.op import OPS

__all__ = ["IfElse"]


class IfElse:
    """Process the rows for which `cond` holds in `with ie.true_block():`, the others in `with
    ie.false_block():`; `ie()` returns the merged outputs.

    cond: bool [R, 1]

    In a block, `input(x)` returns its rows of x and `output(...)` sets its outputs. Raises OpError
    outside of a block.

    The newer name is `paddle.static.nn.cond`.
    """

    def __init__(self, cond: Variable, name: str | None = None) -> None:
        if not isinstance(cond, Variable):
            raise TypeError(
                append_user_line(f"IfElse: cond must be a variable, not {type(cond).__name__}")
            )
        self.cond = cond
        self._inputs: dict[int, tuple[Any, Any]] = {}
        self._current_branch: bool | None = None
        self._outputs: dict[bool, list[Any]] = {}

    @contextmanager
    def _enter_branch(self, branch: bool) -> Iterator[None]:
        if self._current_branch is not None:
            raise OpError(append_user_line("IfElse: blocks of one IfElse must not be nested"))
        self._current_branch = branch
        try:
            yield
        finally:
            self._current_branch = None
        if not self._outputs.get(branch):
            raise OpError(
                append_user_line(f"IfElse: the {'true' if branch else 'false'} block has no output")
            )

    def true_block(self) -> Any:
        """In the body of the `with` statement, record the ops for the rows where the condition
        holds.
        """
        return self._enter_branch(True)

    def false_block(self) -> Any:
        """In the body of the `with` statement, record the ops for the rows where the condition does
        not hold.
        """
        return self._enter_branch(False)

    def input(self, x: Variable) -> Any:
        """Return the rows of x for this block: [R, *] -> [S, *]."""
        if self._current_branch is None:
            raise OpError(append_user_line("IfElse.input: must be called in a block"))
        entry = self._inputs.get(id(x))
        if entry is None:
            entry = self._inputs[id(x)] = (OPS["split_lod_tensor"](x, self.cond), x)
        return entry[0][0 if self._current_branch else 1]

    def output(self, *outs: Variable) -> None:
        """Declare variables of the current block, [S, *] each, as its outputs."""
        if self._current_branch is None:
            raise OpError(append_user_line("IfElse.output: must be called in a block"))
        self._outputs.setdefault(self._current_branch, []).extend(outs)

    def __call__(self) -> list[Any]:
        """Return the outputs with the rows of both blocks in their original order; if only one
        block has outputs, return these.
        """
        if not self._outputs:
            raise OpError(append_user_line("IfElse: neither block was recorded"))
        if len(self._outputs) == 1:
            return next(iter(self._outputs.values()))
        if len(self._outputs[True]) != len(self._outputs[False]):
            counts = f"{len(self._outputs[True])} and {len(self._outputs[False])}"
            raise OpError(append_user_line(f"IfElse: the blocks have {counts} outputs"))
        pairs = zip(self._outputs[True], self._outputs[False], strict=True)
        return [OPS["merge_lod_tensor"](self.cond, self.cond, a, b) for a, b in pairs]
