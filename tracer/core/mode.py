"""The mode on top of the stack decides what calling an op means: run it, record it, or both.

A mode is any object with `run(op, args, attrs)`; calling an op does nothing but hand the call to
the mode in force.  The eager modes and the one on bare arrays have short ways in C++ (`_tape`),
which do the same as their `run`. Modes are per thread, so that a loader's worker never writes into
a trace of the main thread.
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
    """What an op call and a read of a value mean.

    is_eager: reads need not be told; tape: gradients are recorded; bare: vjp rules may run on bare
    arrays, unseen by the mode.
    """

    is_eager = True
    bare = False
    tape = True
    static = False
    # of a program that is being recorded: whether gradients are where it is called
    called_with_tape = False
    builder: Any = (
        # who makes parameters and steps of optimizers as parts of a program, where one is written
        # by hand
        None
    )

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """The results of `op` on `args`: one Tensor, a list for a slot of many, a tuple for several
        slots.
        """
        raise NotImplementedError

    def read(self, tensor: Tensor, reader: str) -> None:
        """Python asks for the value of `tensor` through `reader`, e.g. 'bool()'."""

    def shape(self, tensor: Tensor) -> list[Any]:
        """The shape that Python sees."""
        return list(tensor.array.shape)

    def snapshot(self, tensor: Tensor) -> Tensor:
        """A stand-in for what `tensor` is now: what ops take when `tensor` itself is about to
        become their result.
        """
        raise NotImplementedError

    def assign_inplace(self, tensor: Tensor, made: Tensor) -> None:
        """Let `tensor` be what `made` is."""
        raise NotImplementedError

    def begin_gradient(self, tensor: Tensor) -> None:
        """A value that no gradient flows through is about to want gradients: they will
        end there.
        """

    def note_missing_gradient(self, why: str) -> None:
        """A gradient will not be what the user said here, should the program be run for gradients;
        values are right.

        why: what it lacks
        """

    def on_hook_registered(self, tensor: Tensor, handle: Any) -> None:
        """A tensor was given a hook.   handle: takes it away."""

    def refuse_side_effect(self, what: str) -> bool:
        """Raise SideEffectError if the program being recorded cannot represent `what`.

        Returns True if the caller must skip it.
        """
        return False

    def gradients(self, roots: Any, given: Any, wanted: Any, barred: Any) -> list[Any] | None:
        """The gradients of values of a recording, as parts of it; None where there is a tape to
        ask.
        """
        return None

    def convert_forward(self, function: Any) -> Any:
        """What to call in place of the forward of a layer."""
        return function

    def select(self, index: Tensor, branches: Sequence[Callable[[], Any]]) -> Any:
        """Return the result of the branch with number `index`. A program contains all branches and
        selects one at run time.
        """
        return branches[int(index.item())]()

    def cache_key(self) -> Hashable:
        """What a program depends on that is recorded under this mode: equal where it would be the
        same program.
        """
        return ()

    def with_tape(self, tape: bool) -> Mode:
        """The same mode, recording gradients or not."""
        raise NotImplementedError

    def without_wrappers(self) -> Mode:
        """The mode without what only the user's own calls are meant for: what the walk back runs
        in.
        """
        return self

    def with_base(self, mode: Mode) -> Mode:
        """What is to be in force when `mode` takes the place of this one: `mode`, with what this
        one does over another.
        """
        return mode


class WrapperMode(Mode):
    """A mode over another one: what it does not do itself, `inner` does."""

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
        """The same over another mode."""
        raise NotImplementedError

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """See Mode.run."""
        with use_mode(self.inner):
            return op(*args, **attrs)

    def read(self, tensor: Tensor, reader: str) -> None:
        """See Mode.read."""
        self.inner.read(tensor, reader)

    def shape(self, tensor: Tensor) -> list[Any]:
        """See Mode.shape."""
        return self.inner.shape(tensor)

    def snapshot(self, tensor: Tensor) -> Tensor:
        """See Mode.shadow."""
        return self.inner.snapshot(tensor)

    def assign_inplace(self, tensor: Tensor, made: Tensor) -> None:
        """See Mode.become."""
        self.inner.assign_inplace(tensor, made)

    def begin_gradient(self, tensor: Tensor) -> None:
        """See Mode.begin_graph."""
        self.inner.begin_gradient(tensor)

    def note_missing_gradient(self, why: str) -> None:
        """See Mode.cuts."""
        self.inner.note_missing_gradient(why)

    def on_hook_registered(self, tensor: Tensor, handle: Any) -> None:
        """See Mode.hooked."""
        self.inner.on_hook_registered(tensor, handle)

    def refuse_side_effect(self, what: str) -> bool:
        """See Mode.refuse_side_effect."""
        return self.inner.refuse_side_effect(what)

    def gradients(self, roots: Any, given: Any, wanted: Any, barred: Any) -> list[Any] | None:
        """See Mode.gradients."""
        return self.inner.gradients(roots, given, wanted, barred)

    def convert_forward(self, function: Any) -> Any:
        """See Mode.converted."""
        return self.inner.convert_forward(function)

    def select(self, index: Tensor, branches: Sequence[Callable[[], Any]]) -> Any:
        """See Mode.select."""
        with use_mode(self.inner):
            return self.inner.select(index, branches)

    def cache_key(self) -> Hashable:
        """See Mode.key."""
        return type(self).__name__, self.inner.cache_key()

    def with_tape(self, tape: bool) -> Mode:
        """See Mode.with_tape."""
        return self.with_inner(self.inner.with_tape(tape))

    def without_wrappers(self) -> Mode:
        """See Mode.plain."""
        return self.inner.without_wrappers()

    def with_base(self, mode: Mode) -> Mode:
        """See Mode.around."""
        return self.with_inner(self.inner.with_base(mode))


def find_mode(mode: Mode, kind: type[Mode]) -> Any:
    """The mode of class `kind` among the modes that `mode` is stacked on, itself included; None if
    there is none.
    """
    while not isinstance(mode, kind):
        if not isinstance(mode, WrapperMode):
            return None
        mode = mode.inner
    return mode


def base_mode(mode: Mode) -> Any:
    """The innermost mode, below all wrapper modes (`Over`)."""
    while isinstance(mode, WrapperMode):
        mode = mode.inner
    return mode


def remove_wrapper(mode: Mode, kind: type[WrapperMode]) -> Mode:
    """`mode` without the modes of a kind that are over others in it."""
    if not isinstance(mode, WrapperMode):
        return mode
    inner = remove_wrapper(mode.inner, kind)
    return inner if isinstance(mode, kind) else mode.with_inner(inner)


state = State()


@contextmanager
def use_mode(mode: Mode) -> Iterator[Mode]:
    """Run the body under `mode`, then go back to the one before."""
    before = state.mode
    state.mode = mode
    try:
        yield mode
    finally:
        state.mode = before


def require_eager(what: str, otherwise: str) -> None:
    """Raise OarlockError where ops are written to a program by hand: `what` works on values.

    otherwise: what to do there
    """
    if state.mode.builder is not None:
        raise OarlockError(
            with_user_line(
                f"{what}: works on values, and a program that is written has none; {otherwise}"
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
    """Run the body under `mode` and under what the one in force does over another, then go back."""
    with use_mode(state.mode.with_base(mode)):
        yield
