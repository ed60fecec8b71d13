"""`backward` and `grad`, and the settings that turn recording of gradients on and off."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Generator, Sequence, Set
from contextlib import AbstractContextManager, ContextDecorator
from typing import Any, Generic, Literal, ParamSpec, Self, TypeVar, cast, overload

import numpy as np

from . import cuda
from ._tape import Node, accumulate_grad, are_leaves
from .backward_pass import ActiveTensors, BackwardPass, conjugate_complex_grad, new_backward_pass
from .eager import NO_TAPE_MODE
from .errors import ArgumentAssertionError, OarlockError, OpError, append_user_line, warn
from .grad_listeners import (
    begin_and_schedule_listeners,
    leaf_grad_after_hooks_and_accumulation,
    listeners,
)
from .mode import reject_or_must_skip_side_effect, reject_static_graph_mode, state, use_mode
from .op import OPS
from .paddle1_compat import compat
from .profile_events import event
from .tensor import Tensor


def _add_initial_grads(
    backward_pass: BackwardPass, roots: Sequence[Tensor], given: Sequence[Tensor | None]
) -> None:
    for root, g in zip(roots, given, strict=True):
        _check_grad_shape(root, g)
        backward_pass.add(root, backward_pass.initial_grad(root, g))


def _check_grad_shape(root: Tensor, given: Tensor | None) -> None:
    """Raise OpError if an initial gradient of `backward` has another shape than its tensor."""
    if given is not None and given.meta.shape != root.meta.shape:
        why = "backward: the gradient has another shape than the tensor"
        raise OpError(append_user_line(f"{why} (X={root.meta}, grad={given.meta})"))


def reshape_grad_if_same_size(root: Tensor, given: Tensor | None) -> Tensor | None:
    """Return an initial gradient reshaped to the shape of its tensor if both have the same number
    of elements; otherwise unchanged. Paddle accepts a gradient of shape [1] for a 0-D tensor, and
    one of shape [1, 2] for a tensor of shape [2].
    """
    if given is None or given.meta.shape == root.meta.shape:
        return given
    sizes = root.meta.shape, given.meta.shape
    if any(d < 0 for shape in sizes for d in shape) or math.prod(sizes[0]) != math.prod(sizes[1]):
        return given
    result: Tensor = OPS["reshape2"](given, shape=list(root.meta.shape))
    return result


def _run_backward_pass_on_root_device(
    backward_pass: BackwardPass,
    roots: Sequence[Tensor],
    given: Sequence[Tensor | None],
    retain_graph: bool,
) -> None:
    if cuda.cupy_state.cupy is not None:
        with cuda.use_device(cuda.gpu_index_of(roots[0].array)):
            _add_initial_grads_and_run_backward(backward_pass, roots, given, retain_graph)
    else:
        _add_initial_grads_and_run_backward(backward_pass, roots, given, retain_graph)


def _add_initial_grads_and_run_backward(
    backward_pass: BackwardPass,
    roots: Sequence[Tensor],
    given: Sequence[Tensor | None],
    retain_graph: bool,
) -> None:
    # Floating-point warnings are off, because gradients overflow regularly with loss scaling.
    with use_mode(backward_pass.mode()), np.errstate(all="ignore"):
        _add_initial_grads(backward_pass, roots, given)
        backward_pass.run(retain_graph)


def backward(
    roots: Sequence[Tensor], given: Sequence[Tensor | None], retain_graph: bool = False
) -> None:
    """Run the backward pass from `roots`, and add the gradients to `grad` of the leaves on which
    the roots depend.

    given: initial gradients, one per root; None for ones.
    """
    reject_static_graph_mode("backward", "use an optimizer's minimize, or static.append_backward")
    if reject_or_must_skip_side_effect("backward()"):
        return
    if roots[0].stop_gradient and all(t.stop_gradient for t in roots):
        warn(
            f"backward: the tensor does not depend on a tensor that requires a gradient; "
            f"nothing is computed (X={roots[0].meta})"
        )
        return
    with event("backward", "Backward"):
        _accumulate_grads(roots, given, retain_graph)


def _accumulate_grads(
    roots: Sequence[Tensor], given: Sequence[Tensor | None], retain_graph: bool
) -> None:
    """Run the backward pass, for `backward`."""
    active = [listener for listener in listeners if listener.is_active()] if len(listeners) else []
    is_plain = not active and state.mode.without_user_call_wrappers().allows_bare_arrays
    if is_plain and not compat.rules.keeps_result_gradients and _is_single_program_graph(roots):
        _accumulate_grads_through_program(roots[0], given[0], retain_graph)
        return
    backward_pass = new_backward_pass(create_graph=False)
    notified = begin_and_schedule_listeners(backward_pass, roots, active)
    _run_backward_pass_on_root_device(backward_pass, roots, given, retain_graph)
    if notified:
        backward_pass.notify_remaining_listeners()
    with use_mode(state.mode.mode_with_tape_set(False)):
        for leaf, gradient in backward_pass.leaves():
            if not any(listener.owns(leaf) for listener in notified):
                leaf.grad = leaf_grad_after_hooks_and_accumulation(
                    leaf, backward_pass.to_conjugated_tensor(gradient)
                )
    for listener in notified:
        listener.finish()


def _is_single_program_graph(roots: Sequence[Tensor]) -> bool:
    """Whether the graph consists of one root and one node that stands for a whole program whose
    inputs are all leaves.
    """
    node = roots[0].node
    if (
        len(roots) > 1
        or not isinstance(node, Node)
        or node.op.backward_from_one_output_grad is None
        or node.hooks is not None
        or not node.args
    ):
        return False
    return are_leaves(node.args[0])


@functools.lru_cache(maxsize=8)
def _cached_ones_array(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Return a cached read-only array of ones, the initial gradient of a scalar loss."""
    result = np.ones(shape, dtype)
    result.flags.writeable = False
    return result


def _initial_grad(root: Tensor, given: Tensor | None) -> Any:
    if given is not None:
        return conjugate_complex_grad(given.array)
    array = root.array
    if array.size != 1 or cuda.gpu_index_of(array) is not None:
        return cuda.ones_like(array)
    return _cached_ones_array(array.shape, array.dtype)


def _accumulate_grads_through_program(
    root: Tensor, given: Tensor | None, retain_graph: bool
) -> None:
    """Backward pass of a graph that consists of one program: call the program's gradient
    function.
    """
    node = root.node
    _check_grad_shape(root, given)
    found = node.op.backward_from_one_output_grad(node, root.index, _initial_grad(root, given))
    operands = node.args[0]
    if not retain_graph:
        node.free()
    rest = accumulate_grad(operands, found)
    if rest:
        with use_mode(NO_TAPE_MODE):
            for leaf, gradient in rest:
                leaf.grad = leaf_grad_after_hooks_and_accumulation(
                    leaf, Tensor(conjugate_complex_grad(gradient))
                )


def _as_tensor_list(tensors: Any) -> list[Any]:
    if not isinstance(tensors, Tensor | list | tuple | set | frozenset):
        raise ArgumentAssertionError(
            append_user_line(f"grad: {type(tensors).__name__} is not a Tensor or a list of Tensors")
        )
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


@overload
def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = ...,
    retain_graph: bool | None = ...,
    create_graph: bool = ...,
    only_inputs: bool = ...,
    allow_unused: Literal[False] = False,
    no_grad_vars: Tensor | Sequence[Tensor] | Set[Tensor] | None = ...,
) -> list[Tensor]: ...
@overload
def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = ...,
    retain_graph: bool | None = ...,
    create_graph: bool = ...,
    only_inputs: bool = ...,
    *,
    allow_unused: Literal[True],
    no_grad_vars: Tensor | Sequence[Tensor] | Set[Tensor] | None = ...,
) -> list[Tensor | None]: ...
@overload
def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = ...,
    retain_graph: bool | None = ...,
    create_graph: bool = ...,
    only_inputs: bool = ...,
    allow_unused: bool = ...,
    no_grad_vars: Tensor | Sequence[Tensor] | Set[Tensor] | None = ...,
) -> Any: ...
def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool = False,
    no_grad_vars: Tensor | Sequence[Tensor] | Set[Tensor] | None = None,
) -> Any:
    """Compute the gradients of outputs with respect to inputs, without changing `grad` of leaves.

    out[i] = the gradient of sum(outputs * grad_outputs) with respect to inputs[i]

    Parameters
    ----------
    outputs : Tensor or list of Tensor
    inputs : Tensor or list of Tensor
        Leaves, or tensors computed on the way to the outputs.
    grad_outputs : Tensor or list of Tensor and None, optional
        The gradients of the outputs, one for each. None means ones.
    retain_graph : bool, optional
        Whether the recorded ops are kept, so that another backward pass can use them. Default:
        `create_graph`.
    create_graph : bool, default False
        Whether the gradients can be differentiated again.
    only_inputs : bool, default True
        False is not supported, as in Paddle.
    allow_unused : bool, default False
        Whether the outputs may be independent of an input; its gradient is None.
    no_grad_vars : Tensor, list or set of Tensor, optional
        Tensors that count as constants.

    Returns
    -------
    list of Tensor, or None
        One gradient for each input, with its shape.

    Raises
    ------
    OpError
        If the outputs do not depend on an input and not allow_unused, or the number of
        `grad_outputs` is not that of the outputs.
    OarlockError
        If only_inputs is False.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> (first,) = paddle.grad((x ** 3).sum(), x, create_graph=True)
    >>> first.tolist()
    [3.0, 12.0]
    >>> (second,) = paddle.grad(first.sum(), x)
    >>> second.tolist()
    [6.0, 12.0]
    """
    if not only_inputs:
        raise OarlockError(
            append_user_line(
                "grad: only_inputs=False is not supported, as in Paddle; use backward()"
            )
        )
    roots, wanted = _as_tensor_list(outputs), _as_tensor_list(inputs)
    if not all(isinstance(t, Tensor) for t in (*roots, *wanted)):
        raise ArgumentAssertionError(
            append_user_line("grad: outputs and inputs are a Tensor or a list of Tensors")
        )
    given = [None] * len(roots) if grad_outputs is None else _as_tensor_list(grad_outputs)
    if len(given) != len(roots):
        raise ArgumentAssertionError(
            append_user_line(f"grad: {len(given)} grad_outputs for {len(roots)} outputs")
        )
    given = [reshape_grad_if_same_size(root, g) for root, g in zip(roots, given, strict=True)]
    barred = _as_tensor_list(() if no_grad_vars is None else no_grad_vars)
    if not all(isinstance(t, Tensor) for t in barred):
        raise ArgumentAssertionError(
            append_user_line("grad: no_grad_vars is a Tensor or a list of Tensors")
        )
    found = state.mode.gradients(roots, given, wanted, barred)
    if found is None:
        reject_static_graph_mode("grad", "use static.gradients")
        backward_pass = new_backward_pass(
            create_graph, wanted, ActiveTensors(roots, wanted, barred)
        )
        _run_backward_pass_on_root_device(
            backward_pass, roots, given, create_graph if retain_graph is None else retain_graph
        )
        found = [
            _as_differentiable_grad(backward_pass.grad_of(t))
            if create_graph
            else backward_pass.grad_of(t)
            for t in wanted
        ]
    elif not create_graph:
        for result in found:
            if result is not None:
                result.stop_gradient = True
    missing = [t.meta for t, g in zip(wanted, found, strict=True) if g is None]
    if missing and not allow_unused:
        why = "grad: the outputs do not depend on an input; allow_unused=True returns None for it"
        raise OpError(append_user_line(f"{why} ({missing[0]})"))
    return found


def _as_differentiable_grad(gradient: Tensor | None) -> Tensor | None:
    """Return a gradient that is None or differentiable as it is. For any other gradient, return a
    new tensor with the same array and stop_gradient=False.
    """
    return (
        gradient
        if gradient is None or not gradient.stop_gradient
        else Tensor(gradient.array, stop_gradient=False)
    )


Function = TypeVar("Function", bound=Callable[..., Any])
Decorated = TypeVar("Decorated")  # the type of the function that an instance decorates, or None
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class no_grad(ContextDecorator, Generic[Decorated]):
    """Context manager and decorator: do not record ops for gradients.

    Results computed inside have stop_gradient=True.

    Parameters
    ----------
    func : function, optional
        The function to decorate, for `@no_grad` without parentheses.

    See Also
    --------
    enable_grad, set_grad_enabled

    Examples
    --------
    >>> x = paddle.to_tensor([1.0], stop_gradient=False)
    >>> with paddle.no_grad():
    ...     y = 2 * x
    >>> y.stop_gradient, (2 * x).stop_gradient
    (True, False)
    """

    _tape = False

    @overload
    def __init__(self: no_grad[None], func: None = None) -> None: ...
    @overload
    def __init__(self: no_grad[Function], func: Function) -> None: ...
    def __init__(self, func: Callable[..., Any] | None = None) -> None:
        self._decorated_function = func
        self._mode_stack: list[Any] = []
        if func is not None:
            functools.update_wrapper(self, func)

    @overload
    def __call__(self: no_grad[None], func: Function) -> Function: ...
    @overload
    def __call__(
        self: no_grad[Callable[Arguments, Result]],
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Result: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the decorated function. On an instance that decorates no function (`@no_grad()`),
        decorate the given function instead.
        """
        if self._decorated_function is None:
            return self._decorate(*args, **kwargs)
        with type(self)():
            return state.mode.convert_forward(self._decorated_function)(*args, **kwargs)

    def _decorate(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isgeneratorfunction(function):
            return _wrap_generator_in_context(type(self), function)

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            with type(self)():
                return state.mode.convert_forward(function)(*args, **kwargs)

        return wrapper

    def _recreate_cm(self) -> Self:
        return type(self)()

    def __enter__(self) -> Self:
        self._mode_stack.append(state.mode)
        state.mode = state.mode.mode_with_tape_set(self._tape)
        return self

    def __exit__(self, *_: object) -> None:
        state.mode = self._mode_stack.pop()


def _wrap_generator_in_context(
    setting: Callable[[], AbstractContextManager[Any]],
    function: Callable[..., Generator[Any, Any, Any]],
) -> Callable[..., Generator[Any, Any, Any]]:
    """Wrap a generator function so that the context manager (such as `no_grad`) is active while the
    body of the generator runs, but not while the caller runs between two yielded values.
    """

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
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

    return wrapper


class enable_grad(no_grad[Decorated]):
    """Context manager and decorator: record ops for gradients, even inside of `no_grad`.

    Parameters
    ----------
    func : function, optional
        The function to decorate, for `@enable_grad` without parentheses.

    See Also
    --------
    no_grad, set_grad_enabled

    Examples
    --------
    >>> x = paddle.to_tensor([1.0], stop_gradient=False)
    >>> with paddle.no_grad(), paddle.enable_grad():
    ...     y = 2 * x
    >>> y.stop_gradient
    False
    """

    _tape = True


class set_grad_enabled:
    """Turn the recording of ops for gradients on or off.

    The call has effect at once. Used as a context manager or decorator, the setting applies to its
    body only.

    Parameters
    ----------
    mode : bool
        Whether ops are recorded.

    See Also
    --------
    no_grad, enable_grad, is_grad_enabled

    Examples
    --------
    >>> x = paddle.to_tensor([1.0], stop_gradient=False)
    >>> with paddle.set_grad_enabled(False):
    ...     y = 2 * x
    >>> y.stop_gradient, paddle.is_grad_enabled()
    (True, True)
    """

    def __init__(self, mode: bool) -> None:
        self._enabled, self._previous_mode = mode, state.mode
        state.mode = state.mode.mode_with_tape_set(mode)

    def __enter__(self) -> None:
        state.mode = state.mode.mode_with_tape_set(self._enabled)

    def __exit__(self, *_: object) -> None:
        state.mode = self._previous_mode

    def __call__(self, function: Function) -> Function:
        """Decorate a function: the recording of gradients is turned on or off only while the
        function runs.
        """
        state.mode = self._previous_mode
        if inspect.isgeneratorfunction(function):
            setting = functools.partial(type(self), self._enabled)
            return cast("Function", _wrap_generator_in_context(setting, function))

        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self._enabled):
                return function(*args, **kwargs)

        return cast("Function", run)


def is_grad_enabled() -> bool:
    """Whether ops are recorded for gradients.

    In a `to_static` function: whether its caller records them. False in other static programs.

    Returns
    -------
    bool

    Examples
    --------
    >>> with paddle.no_grad():
    ...     enabled = paddle.is_grad_enabled()
    >>> enabled, paddle.is_grad_enabled()
    (False, True)
    """
    return state.mode.tape and (state.mode.caller_has_tape or not state.mode.static)
