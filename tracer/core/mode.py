"""Dispatch modes. The current mode, the outermost of a stack of nested modes, decides whether an op
call is executed, recorded, or both.

A mode has a method `run(op, args, attrs)`; calling an op passes the call to the current mode. For
the eager modes and the mode on bare arrays, `_tape` (C++) has a fast path with the same behavior as
`run`. Each thread has its own stack, so worker threads of a data loader do not record into the main
thread's trace.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from ._tape import State
from .errors import ArgumentAssertionError, OarlockError, append_user_line
from .op import Op

Tensor: TypeAlias = Any  # core.tensor.Tensor; its module imports this module


class Mode:
    """A dispatch mode: defines what calling an op does, and what happens when Python reads the
    value of a tensor.

    is_eager: values are known, so `on_value_read` has no effect.
    converts_forward: `convert_forward` is called for each call of a layer.
    tape: gradients are recorded.
    allows_bare_arrays: vjp rules may run on bare arrays, without calls of this mode.
    static: ops are recorded into a program.
    allows_fused_ops: a function may call an op that only Oarlock has, such as `linear`, in place of
    several ops of Paddle.
    """

    is_eager = True
    converts_forward = False
    allows_bare_arrays = False
    allows_fused_ops = False
    tape = True
    static = False
    # While a program is recorded: whether the code that called the recorded function records
    # gradients.
    caller_has_tape = False
    program_builder: Any = (
        None  # in static graph mode: adds parameters and optimizer steps to the program
    )

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Execute or record a call of `op` with the inputs `args`. The result is one Tensor for a
        single output slot, a list for a list slot, or a tuple for several slots.
        """
        raise NotImplementedError

    def on_value_read(self, tensor: Tensor, reader: str) -> None:
        """Called when Python code reads the value of `tensor`.

        reader: the name of the read, for example 'bool()'.
        """

    def shape(self, tensor: Tensor) -> list[Any]:
        """Return the shape of a tensor as Python code sees it, which may contain symbolic sizes
        while a program is recorded.
        """
        return list(tensor.array.shape)

    def make_inplace_op_input(self, tensor: Tensor) -> Tensor:
        """A tensor with the current value of `tensor`. An in-place op takes this snapshot as its
        input, because `tensor` itself becomes the result of the op.
        """
        raise NotImplementedError

    def assign_inplace(self, tensor: Tensor, result: Tensor) -> None:
        """Replace the value and the gradient history of `tensor` by those of `result`, the result
        of an in-place op.
        """
        raise NotImplementedError

    def on_tensor_set_to_require_gradient(self, tensor: Tensor) -> None:
        """Called before `stop_gradient` of a tensor changes from True to False. After the
        change, no gradient flows to the ops that computed the tensor.
        """

    def record_missing_gradient_reason(self, why: str) -> None:
        """Called when user code defines a gradient (such as a PyLayer) that the program being
        recorded cannot represent. Only the gradients of such a program are wrong or missing; the
        values of the forward pass are correct.

        why: the missing feature.
        """

    def on_gradient_hook_registered(self, tensor: Tensor, handle: Any) -> None:
        """Called when a gradient hook is registered on a tensor.

        handle: an object that removes the hook.
        """

    def reject_or_must_skip_side_effect(self, what: str) -> bool:
        """Raise SideEffectError if the program being recorded cannot represent the side effect
        `what`. If errors are collected instead of raised, return True: the caller must then skip
        the side effect.
        """
        return False

    def gradients(self, roots: Any, given: Any, wanted: Any, barred: Any) -> list[Any] | None:
        """Return the gradients of `roots` with respect to `wanted`, recorded as part of the
        program. Return None if the mode does not record gradients in a program, so that the tape
        computes the gradients.
        """
        return None

    def convert_forward(self, function: Any) -> Any:
        """Return the function to call in place of a layer's forward function, such as its converted
        version.
        """
        return function

    def run_or_record_switch_case(
        self, index: Tensor, branches: Sequence[Callable[[], Any]]
    ) -> Any:
        """Run the branch number `index` and return its result. While a program is recorded, all
        branches are recorded, and the program selects one when it runs.
        """
        return branches[int(index.item())]()

    def cache_key(self) -> Hashable:
        """Return the part of the cache key of a compiled program that depends on this mode."""
        return ()

    def mode_with_tape_set(self, tape: bool) -> Mode:
        """Return the same mode, with recording of gradients on the tape turned on or off."""
        raise NotImplementedError

    def without_user_call_wrappers(self) -> Mode:
        """Return the mode without wrapper modes such as AMP, which apply only to op calls by the
        user. The backward pass runs in the returned mode.
        """
        return self

    def with_base_mode(self, mode: Mode) -> Mode:
        """Return `mode` wrapped by the wrapper modes of this mode."""
        return mode


class WrapperMode(Mode):
    """A dispatch mode that wraps another mode, its attribute `inner`. Every method that a subclass
    does not override is forwarded to `inner`.
    """

    def __init__(self, inner: Mode) -> None:
        self.inner = inner
        self.is_eager, self.allows_bare_arrays, self.tape, self.static = (
            inner.is_eager,
            inner.allows_bare_arrays,
            inner.tape,
            inner.static,
        )
        self.converts_forward = inner.converts_forward
        self.program_builder, self.caller_has_tape = inner.program_builder, inner.caller_has_tape

    def with_inner_mode(self, inner: Mode) -> Mode:
        """Return the same wrapper around another mode."""
        raise NotImplementedError

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Run the op in the inner mode."""
        with use_mode(self.inner):
            return op(*args, **attrs)

    def on_value_read(self, tensor: Tensor, reader: str) -> None:
        """Call the same method of the inner mode."""
        self.inner.on_value_read(tensor, reader)

    def shape(self, tensor: Tensor) -> list[Any]:
        """Call the same method of the inner mode."""
        return self.inner.shape(tensor)

    def make_inplace_op_input(self, tensor: Tensor) -> Tensor:
        """Call the same method of the inner mode."""
        return self.inner.make_inplace_op_input(tensor)

    def assign_inplace(self, tensor: Tensor, result: Tensor) -> None:
        """Call the same method of the inner mode."""
        self.inner.assign_inplace(tensor, result)

    def on_tensor_set_to_require_gradient(self, tensor: Tensor) -> None:
        """Call the same method of the inner mode."""
        self.inner.on_tensor_set_to_require_gradient(tensor)

    def record_missing_gradient_reason(self, why: str) -> None:
        """Call the same method of the inner mode."""
        self.inner.record_missing_gradient_reason(why)

    def on_gradient_hook_registered(self, tensor: Tensor, handle: Any) -> None:
        """Call the same method of the inner mode."""
        self.inner.on_gradient_hook_registered(tensor, handle)

    def reject_or_must_skip_side_effect(self, what: str) -> bool:
        """Call the same method of the inner mode."""
        return self.inner.reject_or_must_skip_side_effect(what)

    def gradients(self, roots: Any, given: Any, wanted: Any, barred: Any) -> list[Any] | None:
        """Call the same method of the inner mode."""
        return self.inner.gradients(roots, given, wanted, barred)

    def convert_forward(self, function: Any) -> Any:
        """Call the same method of the inner mode."""
        return self.inner.convert_forward(function)

    def run_or_record_switch_case(
        self, index: Tensor, branches: Sequence[Callable[[], Any]]
    ) -> Any:
        """Run or record the branches in the inner mode."""
        with use_mode(self.inner):
            return self.inner.run_or_record_switch_case(index, branches)

    def cache_key(self) -> Hashable:
        """Return a key of the class of this wrapper and of the inner mode."""
        return type(self).__name__, self.inner.cache_key()

    def mode_with_tape_set(self, tape: bool) -> Mode:
        """Return the same wrapper around the inner mode with recording of gradients turned on or
        off.
        """
        return self.with_inner_mode(self.inner.mode_with_tape_set(tape))

    def without_user_call_wrappers(self) -> Mode:
        """Call the same method of the inner mode."""
        return self.inner.without_user_call_wrappers()

    def with_base_mode(self, mode: Mode) -> Mode:
        """Return the same wrappers around `mode` in place of the innermost mode."""
        return self.with_inner_mode(self.inner.with_base_mode(mode))


def find_mode_of_class(mode: Mode, kind: type[Mode]) -> Any:
    """Return the first mode of class `kind` among `mode` and the modes that it wraps; None if there
    is none.
    """
    while not isinstance(mode, kind):
        if not isinstance(mode, WrapperMode):
            return None
        mode = mode.inner
    return mode


def base_mode_of(mode: Mode) -> Any:
    """Return the innermost mode, which all wrapper modes in `mode` wrap."""
    while isinstance(mode, WrapperMode):
        mode = mode.inner
    return mode


def mode_without_wrappers_of_class(mode: Mode, kind: type[WrapperMode]) -> Mode:
    """Return `mode` without those of its wrapper modes that are of class `kind`."""
    if not isinstance(mode, WrapperMode):
        return mode
    inner = mode_without_wrappers_of_class(mode.inner, kind)
    return inner if isinstance(mode, kind) else mode.with_inner_mode(inner)


state = State()


@contextmanager
def use_mode(mode: Mode) -> Iterator[Mode]:
    """Context manager: run the body with `mode` as the dispatch mode of this thread."""
    before = state.mode
    state.mode = mode
    try:
        yield mode
    finally:
        state.mode = before


def reject_static_graph_mode(what: str, otherwise: str) -> None:
    """Raise OarlockError in static graph mode, because `what` needs values.

    otherwise: what to do instead in static graph mode.
    """
    if state.mode.program_builder is not None:
        raise OarlockError(
            append_user_line(
                f"{what}: needs values, which a static program does not have; {otherwise}"
            )
        )


def require_static_graph_mode(what: str) -> None:
    """Raise ArgumentAssertionError, as Paddle does, if no program is being built."""
    if state.mode.program_builder is None:
        why = "declares a variable of a program; call paddle.enable_static() first"
        raise ArgumentAssertionError(append_user_line(f"{what}: {why}"))


def reject_or_must_skip_side_effect(what: str) -> bool:
    """Raise SideEffectError if a `to_static` program is being recorded, because a program cannot
    represent the side effect `what`. If errors are collected instead of raised, return True: the
    caller must then skip the side effect.
    """
    return not state.mode.is_eager and state.mode.reject_or_must_skip_side_effect(what)


@contextmanager
def use_base_mode(mode: Mode) -> Iterator[None]:
    """Context manager: run the body in `mode`, wrapped by the wrapper modes of the current mode."""
    with use_mode(state.mode.with_base_mode(mode)):
        yield
