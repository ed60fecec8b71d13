"""Dispatch modes: the mode on top of the stack decides whether an op call runs, is recorded, or
both.

A mode has a method `run(op, args, attrs)`; calling an op passes the call to the current mode. For
the eager modes and the mode on bare arrays, `_tape` (C++) has a fast path that does the same as
`run`. The stack is per thread, so worker threads of a data loader do not record into the main
thread's trace.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from ._tape import State
from .errors import OarlockError, with_user_line
from .op import Op

Tensor: TypeAlias = Any  # core.tensor.Tensor, whose module imports this one


class Mode:
    """What an op call and a read of a tensor's value mean.

    is_eager: values are known, so reads need no notification.
    tape: gradients are recorded.
    bare: vjp rules may run on bare arrays without the mode's knowledge.
    static: ops are recorded into a program.
    """

    is_eager = True
    bare = False
    tape = True
    static = False
    # While a program is recorded: whether its caller records gradients.
    called_with_tape = False
    builder: Any = None  # in static graph mode: adds parameters and optimizer steps to the program

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """The results of `op` on `args`: one Tensor, a list for a list slot, a tuple for several
        slots.
        """
        raise NotImplementedError

    def read(self, tensor: Tensor, reader: str) -> None:
        """Called when Python reads the value of `tensor`.

        reader: the name of the read, for example 'bool()'.
        """

    def shape(self, tensor: Tensor) -> list[Any]:
        """The shape that Python sees."""
        return list(tensor.array.shape)

    def snapshot(self, tensor: Tensor) -> Tensor:
        """A tensor with the current value of `tensor`. An in-place op takes it as input, because
        `tensor` becomes the op's result.
        """
        raise NotImplementedError

    def assign_inplace(self, tensor: Tensor, result: Tensor) -> None:
        """Give `tensor` the value and the gradient history of `made`."""
        raise NotImplementedError

    def begin_gradient(self, tensor: Tensor) -> None:
        """Called when a value without gradient history is about to require gradients; the gradients
        end there.
        """

    def note_missing_gradient(self, why: str) -> None:
        """Note that a program cannot represent a gradient that the user defined; forward values are
        right.

        why: the missing feature
        """

    def on_hook_registered(self, tensor: Tensor, handle: Any) -> None:
        """Called when a tensor gets a gradient hook; handle: removes it."""

    def refuse_side_effect(self, what: str) -> bool:
        """Raise SideEffectError if the program being recorded cannot represent `what`.

        Returns True if the caller must skip it.
        """
        return False

    def gradients(self, roots: Any, given: Any, wanted: Any, barred: Any) -> list[Any] | None:
        """Gradients of recorded values, as part of the program; None if the tape has them."""
        return None

    def convert_forward(self, function: Any) -> Any:
        """The function to call in place of a layer's forward function."""
        return function

    def select(self, index: Tensor, branches: Sequence[Callable[[], Any]]) -> Any:
        """Return the result of the branch with number `index`. A program contains all branches and
        selects one at run time.
        """
        return branches[int(index.item())]()

    def cache_key(self) -> Hashable:
        """The part of a program's cache key that depends on this mode."""
        return ()

    def with_tape(self, tape: bool) -> Mode:
        """The same mode with gradients recorded or not."""
        raise NotImplementedError

    def without_wrappers(self) -> Mode:
        """The mode without the wrappers that apply only to the user's own calls; the backward pass
        runs in it.
        """
        return self

    def with_base(self, mode: Mode) -> Mode:
        """`mode` with the wrapper modes of this one around it."""
        return mode


class WrapperMode(Mode):
    """A mode around another one; it forwards everything to `inner` that it does not override."""

    def __init__(self, inner: Mode) -> None:
        self.inner = inner
        self.is_eager, self.bare, self.tape, self.static = (
            inner.is_eager,
            inner.bare,
            inner.tape,
            inner.static,
        )
        self.builder, self.called_with_tape = inner.builder, inner.called_with_tape

    def with_inner(self, inner: Mode) -> Mode:
        """The same wrapper around another mode."""
        raise NotImplementedError

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Run the op under the inner mode."""
        with use_mode(self.inner):
            return op(*args, **attrs)

    def read(self, tensor: Tensor, reader: str) -> None:
        """Forwarded to the inner mode."""
        self.inner.read(tensor, reader)

    def shape(self, tensor: Tensor) -> list[Any]:
        """Forwarded to the inner mode."""
        return self.inner.shape(tensor)

    def snapshot(self, tensor: Tensor) -> Tensor:
        """Forwarded to the inner mode."""
        return self.inner.snapshot(tensor)

    def assign_inplace(self, tensor: Tensor, result: Tensor) -> None:
        """Forwarded to the inner mode."""
        self.inner.assign_inplace(tensor, result)

    def begin_gradient(self, tensor: Tensor) -> None:
        """Forwarded to the inner mode."""
        self.inner.begin_gradient(tensor)

    def note_missing_gradient(self, why: str) -> None:
        """Forwarded to the inner mode."""
        self.inner.note_missing_gradient(why)

    def on_hook_registered(self, tensor: Tensor, handle: Any) -> None:
        """Forwarded to the inner mode."""
        self.inner.on_hook_registered(tensor, handle)

    def refuse_side_effect(self, what: str) -> bool:
        """Forwarded to the inner mode."""
        return self.inner.refuse_side_effect(what)

    def gradients(self, roots: Any, given: Any, wanted: Any, barred: Any) -> list[Any] | None:
        """Forwarded to the inner mode."""
        return self.inner.gradients(roots, given, wanted, barred)

    def convert_forward(self, function: Any) -> Any:
        """Forwarded to the inner mode."""
        return self.inner.convert_forward(function)

    def select(self, index: Tensor, branches: Sequence[Callable[[], Any]]) -> Any:
        """Select under the inner mode."""
        with use_mode(self.inner):
            return self.inner.select(index, branches)

    def cache_key(self) -> Hashable:
        """The class of the wrapper and the key of the inner mode."""
        return type(self).__name__, self.inner.cache_key()

    def with_tape(self, tape: bool) -> Mode:
        """The same wrapper around the inner mode with or without tape."""
        return self.with_inner(self.inner.with_tape(tape))

    def without_wrappers(self) -> Mode:
        """Forwarded to the inner mode."""
        return self.inner.without_wrappers()

    def with_base(self, mode: Mode) -> Mode:
        """The same wrapper around the rewrapped inner mode."""
        return self.with_inner(self.inner.with_base(mode))


def find_mode(mode: Mode, kind: type[Mode]) -> Any:
    """The first mode of class `kind` on the stack of wrappers of `mode`; None if there is none."""
    while not isinstance(mode, kind):
        if not isinstance(mode, WrapperMode):
            return None
        mode = mode.inner
    return mode


def base_mode(mode: Mode) -> Any:
    """The mode below all wrapper modes."""
    while isinstance(mode, WrapperMode):
        mode = mode.inner
    return mode


def remove_wrapper(mode: Mode, kind: type[WrapperMode]) -> Mode:
    """`mode` without its wrappers of class `kind`."""
    if not isinstance(mode, WrapperMode):
        return mode
    inner = remove_wrapper(mode.inner, kind)
    return inner if isinstance(mode, kind) else mode.with_inner(inner)


state = State()


@contextmanager
def use_mode(mode: Mode) -> Iterator[Mode]:
    """Run the body under `mode`."""
    before = state.mode
    state.mode = mode
    try:
        yield mode
    finally:
        state.mode = before


def require_eager(what: str, otherwise: str) -> None:
    """Raise OarlockError in static graph mode, because `what` needs values.

    otherwise: what to do in static graph mode
    """
    if state.mode.builder is not None:
        raise OarlockError(
            with_user_line(
                f"{what}: needs values, which a static program does not have; {otherwise}"
            )
        )


def refuse_side_effect(what: str) -> bool:
    """Raise SideEffectError if a `to_static` program is being recorded, which cannot represent
    `what`.

    Returns True if the caller must skip it.
    """
    return not state.mode.is_eager and state.mode.refuse_side_effect(what)


@contextmanager
def replace_base_mode(mode: Mode) -> Iterator[None]:
    """Run the body under `mode`, with the wrappers of the current mode around it."""
    with use_mode(state.mode.with_base(mode)):
        yield
