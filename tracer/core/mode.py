"""The mode on top of the stack decides what calling an op means: run it, record it, or both.

A mode is any object with `run(op, args, attrs)`; calling an op does nothing but hand the call to the mode in force.  The eager
modes and the one on bare arrays have short ways in C++ (`_tape`), which do the same as their `run`.
Modes are per thread, so that a loader's worker never writes into a trace of the main thread.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ._tape import State

if TYPE_CHECKING:
    from .op import Op
    from .tensor import Tensor


class Mode:
    """What an op call and a read of a value mean.

    silent: reads need not be told; tape: gradients are recorded; bare: vjp rules may run on bare arrays, unseen by the mode.
    """

    silent = True
    bare = False
    tape = True
    static = False

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """The results of `op` on `args`: one Tensor, a list for a slot of many, a tuple for several slots."""
        raise NotImplementedError

    def read(self, tensor: Tensor, reader: str) -> None:
        """Python asks for the value of `tensor` through `reader`, e.g. 'bool()'."""

    def shape(self, tensor: Tensor) -> list[Any]:
        """The shape that Python sees."""
        return list(tensor.array.shape)

    def shadow(self, tensor: Tensor) -> Tensor:
        """A stand-in for what `tensor` is now: what ops take when `tensor` itself is about to become their result."""
        raise NotImplementedError

    def become(self, tensor: Tensor, made: Tensor) -> None:
        """Let `tensor` be what `made` is."""
        raise NotImplementedError

    def with_tape(self, tape: bool) -> Mode:
        """The same mode, recording gradients or not."""
        raise NotImplementedError


state = State()


@contextmanager
def pushed(mode: Mode) -> Iterator[Mode]:
    """Run the body under `mode`, then go back to the one before."""
    before = state.mode
    state.mode = mode
    try:
        yield mode
    finally:
        state.mode = before
