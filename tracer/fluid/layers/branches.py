"""`IfElse`: rows of a batch that go one way or the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...capture.variable import Variable
from ...core.errors import OpError, with_user_line
from ...core.op import OPS

__all__ = ["IfElse"]


class IfElse:
    """`with ie.true_block():` and `with ie.false_block():` say what is done with the rows for which
    `cond` holds, and the others; `ie()` gives the outputs.

    cond: bool [R, 1].
    In a block `input(x)` gives its rows of x, `output(...)` says what it gives.
    Raises OpError where these are called elsewhere.
    """

    def __init__(self, cond: Variable, name: str | None = None) -> None:
        if not isinstance(cond, Variable):
            raise TypeError(
                with_user_line(f"IfElse: cond should be a variable, not {type(cond).__name__}")
            )
        self.cond = cond
        self._parts: dict[int, tuple[Any, Any]] = {}
        self._now: bool | None = None
        self._outputs: dict[bool, list[Any]] = {}

    @contextmanager
    def _way(self, way: bool) -> Iterator[None]:
        if self._now is not None:
            raise OpError(
                with_user_line("IfElse: a block does not lie in another one of the same IfElse")
            )
        self._now = way
        try:
            yield
        finally:
            self._now = None
        if not self._outputs.get(way):
            raise OpError(
                with_user_line(f"IfElse: the {'true' if way else 'false'} block has no output")
            )

    def true_block(self) -> Any:
        """The body of a `with`, for the rows where the condition holds."""
        return self._way(True)

    def false_block(self) -> Any:
        """The body of a `with`, for the other rows."""
        return self._way(False)

    def input(self, x: Variable) -> Any:
        """The rows of x that go this way.   x [R, *] -> [S, *]"""
        if self._now is None:
            raise OpError(with_user_line("IfElse.input: belongs into a block"))
        found = self._parts.get(id(x))
        if found is None:
            found = self._parts[id(x)] = (OPS["split_lod_tensor"](x, self.cond), x)
        return found[0][0 if self._now else 1]

    def output(self, *outs: Variable) -> None:
        """What this way gives, [S, *] each."""
        if self._now is None:
            raise OpError(with_user_line("IfElse.output: belongs into a block"))
        self._outputs.setdefault(self._now, []).extend(outs)

    def __call__(self) -> list[Any]:
        """The outputs, the rows of both ways where they came from; those of one way where only that
        gives any.
        """
        if not self._outputs:
            raise OpError(with_user_line("IfElse: neither block was written"))
        if len(self._outputs) == 1:
            return next(iter(self._outputs.values()))
        if len(self._outputs[True]) != len(self._outputs[False]):
            counts = f"{len(self._outputs[True])} and {len(self._outputs[False])}"
            raise OpError(with_user_line(f"IfElse: the blocks give {counts} outputs"))
        pairs = zip(self._outputs[True], self._outputs[False], strict=True)
        return [OPS["merge_lod_tensor"](self.cond, self.cond, a, b) for a, b in pairs]
