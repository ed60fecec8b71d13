"""Gradients: of a result into the leaves behind it, or of some tensors with respect to others; and
where none are recorded.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Generator, Sequence, Set
from contextlib import AbstractContextManager, ContextDecorator
from typing import Any, TypeVar

import numpy as np

from . import cuda
from ._tape import Node, accumulate_grad, are_leaves
from .eager import NO_TAPE
from .era import era
from .errors import MisfitError, OarlockError, OpError, warn, with_user_line
from .listen import hear, listeners, summed
from .mode import only_running, pushed, refuse_side_effect, state
from .op import OPS
from .sweep import Reach, Sweep, outward, sweep_for
from .tensor import Tensor

F = TypeVar("F", bound=Callable[..., Any])


def _start(sweep: Sweep, roots: Sequence[Tensor], given: Sequence[Tensor | None]) -> None:
    for root, g in zip(roots, given, strict=True):
        _check_like(root, g)
        sweep.add(root, sweep.given(root, g))


def _check_like(root: Tensor, given: Tensor | None) -> None:
    """Raise OpError for a gradient of another shape than its tensor."""
    if given is not None and given.meta.shape != root.meta.shape:
        why = "backward: the gradient is not like the tensor"
        raise OpError(with_user_line(f"{why} (X={root.meta}, grad={given.meta})"))


def reshape_to_output(root: Tensor, given: Tensor | None) -> Tensor | None:
    """Reshape a gradient with the same number of elements to the shape of its tensor. Paddle
    accepts [1] for a 0-D tensor, and [1, 2] for [2].
    """
    if given is None or given.meta.shape == root.meta.shape:
        return given
    sizes = root.meta.shape, given.meta.shape
    if any(d < 0 for shape in sizes for d in shape) or math.prod(sizes[0]) != math.prod(sizes[1]):
        return given
    made: Tensor = OPS["reshape2"](given, shape=list(root.meta.shape))
    return made


def _walk(
    sweep: Sweep, roots: Sequence[Tensor], given: Sequence[Tensor | None], retain_graph: bool
) -> None:
    if cuda.found.cupy is not None:
        with cuda.on(cuda.index_of(roots[0].array)):
            _walk_here(sweep, roots, given, retain_graph)
    else:
        _walk_here(sweep, roots, given, retain_graph)


def _walk_here(
    sweep: Sweep, roots: Sequence[Tensor], given: Sequence[Tensor | None], retain_graph: bool
) -> None:
    # Gradients that overflow are infinite without a word: with loss scaling that is part of the
    # day.
    with pushed(sweep.mode()), np.errstate(all="ignore"):
        _start(sweep, roots, given)
        sweep.run(retain_graph)


def backward(
    roots: Sequence[Tensor], given: Sequence[Tensor | None], retain_graph: bool = False
) -> None:
    """Add the gradients of `roots` to `grad` of the leaves behind them.

    given: like roots, None meaning ones.
    """
    only_running("backward", "use an optimizer's minimize, or static.append_backward")
    if refuse_side_effect("backward()"):
        return
    if roots[0].stop_gradient and all(t.stop_gradient for t in roots):
        warn(
            f"backward: no tensor that wants a gradient led to this one, nothing is done "
            f"(X={roots[0].meta})"
        )
        return
    asking = [listener for listener in listeners if listener.listens()] if len(listeners) else []
    if not era.old and not asking and _is_program(roots) and state.mode.plain().bare:
        _through_program(roots[0], given[0], retain_graph)
        return
    sweep = sweep_for(create_graph=False)
    heard = hear(sweep, roots, asking)
    _walk(sweep, roots, given, retain_graph)
    if heard:
        sweep.final_of_the_rest()
    with pushed(state.mode.with_tape(False)):
        for leaf, gradient in sweep.leaves():
            if not any(listener.sets(leaf) for listener in heard):
                leaf.grad = summed(leaf, sweep.tensor(gradient))
    for listener in heard:
        listener.finish()


def _is_program(roots: Sequence[Tensor]) -> bool:
    """Whether all that lies behind is one node that stands for a program, and the leaves
    before it.
    """
    node = roots[0].node
    if (
        len(roots) > 1
        or not isinstance(node, Node)
        or node.op.direct is None
        or node.hooks is not None
        or not node.args
    ):
        return False
    return are_leaves(node.args[0])


@functools.lru_cache(maxsize=8)
def _one(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Ones that everybody shares, for losses."""
    made = np.ones(shape, dtype)
    made.flags.writeable = False
    return made


def _first_gradient(root: Tensor, given: Tensor | None) -> Any:
    if given is not None:
        return outward(given.array)
    array = root.array
    if array.size != 1 or cuda.index_of(array) is not None:
        return cuda.ones_like(array)
    return _one(array.shape, array.dtype)


def _through_program(root: Tensor, given: Tensor | None, retain_graph: bool) -> None:
    """What the walk does, where there is nothing to walk: the gradients are the program's."""
    node = root.node
    _check_like(root, given)
    found = node.op.direct(node, root.index, _first_gradient(root, given))
    operands = node.args[0]
    if not retain_graph:
        node.free()
    rest = accumulate_grad(operands, found)
    if rest:
        with pushed(NO_TAPE):
            for leaf, gradient in rest:
                leaf.grad = summed(leaf, Tensor(outward(gradient)))


def _listed(tensors: Any) -> list[Any]:
    if not isinstance(tensors, Tensor | list | tuple | set | frozenset):
        raise MisfitError(
            with_user_line(f"grad: {type(tensors).__name__} is not a Tensor or a list of Tensors")
        )
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool = False,
    no_grad_vars: Tensor | Sequence[Tensor] | Set[Tensor] | None = None,
) -> list[Tensor | None]:
    """Gradients of the sum of `outputs` with respect to `inputs`, one per input and like it; `grad`
    of leaves stays as it is.

    create_graph: the gradients can be differentiated again; no_grad_vars: tensors that are taken as
    constants. Raises OpError for an input that plays no part, unless allow_unused, which gives None
    for it.
    """
    if not only_inputs:
        raise OarlockError(
            with_user_line("grad: only_inputs=False is not supported, as in Paddle; use backward()")
        )
    roots, wanted = _listed(outputs), _listed(inputs)
    if not all(isinstance(t, Tensor) for t in (*roots, *wanted)):
        raise MisfitError(
            with_user_line("grad: outputs and inputs are a Tensor or a list of Tensors")
        )
    given = [None] * len(roots) if grad_outputs is None else _listed(grad_outputs)
    if len(given) != len(roots):
        raise MisfitError(
            with_user_line(f"grad: {len(given)} grad_outputs for {len(roots)} outputs")
        )
    given = [reshape_to_output(root, g) for root, g in zip(roots, given, strict=True)]
    barred = _listed(no_grad_vars or ())
    if not all(isinstance(t, Tensor) for t in barred):
        raise MisfitError(with_user_line("grad: no_grad_vars is a Tensor or a list of Tensors"))
    found = state.mode.gradients(roots, given, wanted, barred)
    if found is None:
        only_running("grad", "use static.gradients")
        sweep = sweep_for(create_graph, wanted, Reach(roots, wanted, barred))
        _walk(sweep, roots, given, create_graph if retain_graph is None else retain_graph)
        found = [_open(sweep.of(t)) if create_graph else sweep.of(t) for t in wanted]
    elif not create_graph:
        for made in found:
            if made is not None:
                made.stop_gradient = True
    missing = [t.meta for t, g in zip(wanted, found, strict=True) if g is None]
    if missing and not allow_unused:
        why = "grad: an input plays no part in the outputs; allow_unused=True gives None"
        raise OpError(with_user_line(f"{why} ({missing[0]})"))
    return found


def _open(gradient: Tensor | None) -> Tensor | None:
    """A gradient that can be differentiated again, be it a constant."""
    return (
        gradient
        if gradient is None or not gradient.stop_gradient
        else Tensor(gradient.array, stop_gradient=False)
    )


class no_grad(ContextDecorator):
    """No gradients are recorded in the body, or in the decorated function."""

    _tape = False

    def __init__(self, func: Callable[..., Any] | None = None) -> None:
        self._func = func
        self._stack: list[Any] = []
        if func is not None:
            functools.update_wrapper(self, func)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the decorated function, or decorate one."""
        if self._func is None:
            return self._decorated(*args, **kwargs)
        with type(self)():
            return state.mode.converted(self._func)(*args, **kwargs)

    def _decorated(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isgeneratorfunction(function):
            return _wrap_generator(type(self), function)

        @functools.wraps(function)
        def within(*args: Any, **kwargs: Any) -> Any:
            with type(self)():
                return state.mode.converted(function)(*args, **kwargs)

        return within

    def _recreate_cm(self) -> no_grad:
        return type(self)()

    def __enter__(self) -> no_grad:
        self._stack.append(state.mode)
        state.mode = state.mode.with_tape(self._tape)
        return self

    def __exit__(self, *_: object) -> None:
        state.mode = self._stack.pop()


def _wrap_generator(
    setting: Callable[[], AbstractContextManager[Any]],
    function: Callable[..., Generator[Any, Any, Any]],
) -> Callable[..., Generator[Any, Any, Any]]:
    """Wrap a generator function so that the setting applies to its body, but not to the caller
    between two values.
    """

    @functools.wraps(function)
    def within(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        generator = function(*args, **kwargs)
        resume: Callable[[], Any] = functools.partial(next, generator)
        try:
            while True:
                try:
                    with setting():
                        value = resume()
                except StopIteration as end:
                    return end.value
                try:
                    resume = functools.partial(generator.send, (yield value))
                except GeneratorExit:
                    raise
                except BaseException as error:
                    resume = functools.partial(generator.throw, error)
        finally:
            with setting():
                generator.close()

    return within


class enable_grad(no_grad):
    """Gradients are recorded in the body, even inside `no_grad`."""

    _tape = True


class set_grad_enabled:
    """Record gradients from now on, or not; as a `with` or on a function, in its body only."""

    def __init__(self, mode: bool) -> None:
        self._wanted, self._before = mode, state.mode
        state.mode = state.mode.with_tape(mode)

    def __enter__(self) -> None:
        state.mode = state.mode.with_tape(self._wanted)

    def __exit__(self, *_: object) -> None:
        state.mode = self._before

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, with its body under this setting; nothing else is."""
        state.mode = self._before
        if inspect.isgeneratorfunction(function):
            return _wrap_generator(functools.partial(type(self), self._wanted), function)

        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self._wanted):
                return function(*args, **kwargs)

        return run


def is_grad_enabled() -> bool:
    """Whether gradients are recorded now.

    In a function of to_static whether they are where it is called; False while other programs are
    written.
    """
    return state.mode.tape and (state.mode.called_with_tape or not state.mode.static)
