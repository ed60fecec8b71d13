"""PyLayer: an op with user-defined forward and backward functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core._tape import Node
from ..core.backward_pass import BARE_ARRAY_MODE, conjugate_complex_grad
from ..core.dtype import is_inexact
from ..core.errors import OpError, append_user_line
from ..core.mode import state, use_mode
from ..core.op import Meta, Op, OpTraits, Slot
from ..core.tensor import Tensor


class PyLayerContext:
    """Passes values from `forward` to `backward` of a PyLayer.

    Users may set their own attributes on it.

    Examples
    --------
    >>> class Scale(paddle.autograd.PyLayer):
    ...     @staticmethod
    ...     def forward(ctx, x, factor):
    ...         ctx.factor = factor
    ...         return factor * x
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         return ctx.factor * grad
    >>> x = paddle.ones([2], "float32")
    >>> x.stop_gradient = False
    >>> Scale.apply(x, 3.0).sum().backward()
    >>> x.grad.tolist()
    [3.0, 3.0]
    """

    def __init__(self) -> None:
        self._saved_tensors: tuple[Any, ...] = ()
        self._non_differentiable: tuple[Any, ...] = ()
        self._materialize_grads = True

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Save tensors for `backward`. A second call discards the tensors of the first one.

        Parameters
        ----------
        *tensors : Tensor

        Examples
        --------
        >>> ctx = paddle.autograd.PyLayerContext()
        >>> ctx.save_for_backward(paddle.ones([2]))
        >>> [x.shape for x in ctx.saved_tensor()]
        [[2]]
        """
        self._saved_tensors = tensors

    def saved_tensor(self) -> tuple[Tensor, ...]:
        """Return the tensors that `save_for_backward` saved.

        Returns
        -------
        tuple of Tensor

        Examples
        --------
        >>> paddle.autograd.PyLayerContext().saved_tensor()
        ()
        """
        return self._saved_tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Mark results of `forward` as having no gradient; `backward` receives zeros for them.

        Parameters
        ----------
        *tensors : Tensor
            Results of `forward`.

        Examples
        --------
        >>> class ReluWithMask(paddle.autograd.PyLayer):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         mask = (x > 0).astype("float32")
        ...         ctx.save_for_backward(mask)
        ...         ctx.mark_non_differentiable(mask)
        ...         return x * mask, mask
        ...     @staticmethod
        ...     def backward(ctx, grad, mask_grad):
        ...         return grad * ctx.saved_tensor()[0]
        >>> y, mask = ReluWithMask.apply(paddle.to_tensor([-1.0, 2.0], stop_gradient=False))
        >>> y.stop_gradient, mask.stop_gradient
        (False, True)
        """
        self._non_differentiable = tensors

    def mark_not_inplace(self, *tensors: Tensor) -> None:
        """Do nothing: a PyLayer never returns an input tensor as a result, so results need no mark.

        Parameters
        ----------
        *tensors : Tensor
            Not used.

        Examples
        --------
        >>> paddle.autograd.PyLayerContext().mark_not_inplace(paddle.ones([2]))
        """

    def set_materialize_grads(self, value: bool) -> None:
        """Set whether `backward` receives zeros or None for results without a gradient.

        Parameters
        ----------
        value : bool
            True, the initial value: zeros. False: None.

        Examples
        --------
        >>> class Split(paddle.autograd.PyLayer):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.set_materialize_grads(False)
        ...         return 2 * x, 3 * x
        ...     @staticmethod
        ...     def backward(ctx, first, second):
        ...         print(second)
        ...         return 2 * first
        >>> x = paddle.to_tensor([1.0], stop_gradient=False)
        >>> Split.apply(x)[0].backward()
        None
        """
        self._materialize_grads = bool(value)


class PyLayer:
    """Base class of ops with user-defined forward and backward functions.

    Define static methods ``forward(ctx, *args, **kwargs)`` and ``backward(ctx, *grads)`` and call
    `apply`. `backward` takes one gradient per tensor that forward returned, and returns one
    gradient or None per tensor that forward took.

    Notes
    -----
    In a program of `to_static` or `jit.save`, the ops of `forward` are recorded; calls that need
    gradients run as Python.

    Examples
    --------
    >>> class Cube(paddle.autograd.PyLayer):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x**3
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         (x,) = ctx.saved_tensor()
    ...         return 3 * x**2 * grad
    >>> x = paddle.to_tensor([2.0], stop_gradient=False)
    >>> Cube.apply(x).backward()
    >>> x.grad.tolist()
    [12.0]
    """

    @staticmethod
    def forward(ctx: PyLayerContext, *args: Any, **kwargs: Any) -> Any:
        """Compute the results. Subclasses define this static method; users call `apply`.

        Ops called in `forward` are not recorded on the tape.

        Parameters
        ----------
        ctx : PyLayerContext
        *args, **kwargs
            The arguments of `apply`.

        Returns
        -------
        Tensor, or tuple or list with at least one Tensor

        Raises
        ------
        NotImplementedError
            If the subclass does not define it.

        Examples
        --------
        >>> class Double(paddle.autograd.PyLayer):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return 2 * x
        >>> Double.apply(paddle.to_tensor([1.0])).tolist()
        [2.0]
        """
        raise NotImplementedError("a subclass of PyLayer must implement the static method forward")

    @staticmethod
    def backward(ctx: PyLayerContext, *args: Any, **kwargs: Any) -> Any:
        """Return the gradients of the tensors that `forward` took.

        Subclasses define this static method.

        Parameters
        ----------
        ctx : PyLayerContext
        *args : Tensor
            The gradients of the tensors that `forward` returned.
        **kwargs
            Never passed.

        Returns
        -------
        Tensor or None, or tuple or list of them
            One per tensor that `forward` took, of its shape; None for a tensor without a gradient.

        Raises
        ------
        NotImplementedError
            If the subclass does not define it.
        OpError
            During the backward pass, if the number or a shape of the gradients does not fit.

        Examples
        --------
        >>> class ReverseGradient(paddle.autograd.PyLayer):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return x
        ...     @staticmethod
        ...     def backward(ctx, grad):
        ...         return -grad
        >>> x = paddle.to_tensor([1.0], stop_gradient=False)
        >>> ReverseGradient.apply(x).backward()
        >>> x.grad.tolist()
        [-1.0]
        """
        raise NotImplementedError("a subclass of PyLayer must implement the static method backward")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run `forward` and record the call on the tape as one op.

        Parameters
        ----------
        *args, **kwargs
            The arguments of `forward` after `ctx`. Tensors may also be elements of lists and
            tuples.

        Returns
        -------
        Tensor, tuple or list
            What `forward` returned.

        Raises
        ------
        OpError
            If `forward` returned no Tensor.

        Examples
        --------
        >>> class Double(paddle.autograd.PyLayer):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return 2 * x
        ...     @staticmethod
        ...     def backward(ctx, grad):
        ...         return 2 * grad
        >>> x = paddle.to_tensor([1.0], stop_gradient=False)
        >>> Double.apply(x).backward()
        >>> x.grad.tolist()
        [2.0]
        """
        ctx = PyLayerContext()
        with use_mode(state.mode.mode_with_tape_set(False)):
            result = cls.forward(ctx, *args, **kwargs)
        inputs = _collect_tensors([*args, *kwargs.values()])
        result_list = list(result) if isinstance(result, list | tuple) else [result]
        results = [
            _detach_if_input_and_update_ctx(r, inputs, ctx) if isinstance(r, Tensor) else r
            for r in result_list
        ]
        tensors = [r for r in results if isinstance(r, Tensor)]
        if not tensors:
            raise OpError(
                append_user_line(
                    f"{cls.__name__}: forward must return a tensor, not {type(result).__name__}"
                )
            )
        if state.mode.tape and state.mode.static and any(not t.stop_gradient for t in inputs):
            state.mode.record_missing_gradient_reason(f"the backward of a PyLayer ({cls.__name__})")
        if state.mode.tape and not state.mode.static and any(not t.stop_gradient for t in inputs):
            _record_node(cls, ctx, inputs, tensors)
        if hasattr(result, "_fields"):  # a named tuple
            return type(result)(*results)
        return type(result)(results) if isinstance(result, list | tuple) else results[0]


def _collect_tensors(args: Sequence[Any]) -> list[Tensor]:
    tensors: list[Tensor] = []
    for arg in args:
        tensors += (
            [arg]
            if isinstance(arg, Tensor)
            else _collect_tensors(arg)
            if isinstance(arg, list | tuple)
            else []
        )
    return tensors


def _detach_if_input_and_update_ctx(
    result: Tensor, inputs: Sequence[Tensor], ctx: PyLayerContext
) -> Tensor:
    """If `forward` returned one of its inputs, return a new tensor that shares the input's array,
    and replace the input by it in ctx's list of non-differentiable tensors. If `forward` returned a
    new tensor, return it unchanged.
    """
    if not any(result is t for t in inputs):
        return result
    copy = result.detach()
    ctx._non_differentiable = tuple(copy if t is result else t for t in ctx._non_differentiable)
    return copy


def _record_node(
    cls: type[PyLayer], ctx: PyLayerContext, inputs: list[Tensor], results: list[Tensor]
) -> None:
    attrs = {"materialize_grads": ctx._materialize_grads}
    node = Node(_make_node_op(cls, ctx), (inputs,), attrs, [t.array for t in results])
    for i, tensor in enumerate(results):
        if is_inexact(tensor.meta.dtype) and not any(tensor is c for c in ctx._non_differentiable):
            tensor.stop_gradient, tensor.node, tensor.index = False, node, i


def _make_node_op(cls: type[PyLayer], ctx: PyLayerContext) -> Op:
    """Create the op of the tape node that records one call of a PyLayer."""
    op = Op(
        cls.__name__,
        [Slot("X", is_list=True)],
        [Slot("Out", is_list=True)],
        _raise_no_kernel,
        OpTraits(internal=True),
        None,
    )
    op.vjp(_make_vjp_rule(cls, ctx))
    return op


def _raise_no_kernel(x: Any) -> Any:
    raise AssertionError("the op of a PyLayer has no kernel; call the class method apply() instead")


def _make_vjp_rule(
    cls: type[PyLayer], ctx: PyLayerContext
) -> Callable[[list[Any], list[Any]], list[Any]]:
    """Return a VJP rule that calls the user's `backward` with Tensors. If the backward pass runs on
    bare arrays, the rule wraps and unwraps them.
    """

    def vjp_rule(grads: list[Any], operands: list[Any]) -> list[Any]:
        bare = state.mode is BARE_ARRAY_MODE
        tensors = [Tensor(g) if bare and g is not None else g for g in grads]
        with use_mode(state.mode.mode_with_tape_set(False) if bare else state.mode):
            gradients = cls.backward(
                ctx, *[t if t is None else conjugate_complex_grad(t) for t in tensors]
            )
        gradients = list(gradients) if isinstance(gradients, list | tuple) else [gradients]
        if len(gradients) != len(operands):
            problem = (
                f"{cls.__name__}: backward returned {len(gradients)} gradients for the "
                f"{len(operands)} tensors that forward was called with"
            )
            raise OpError(append_user_line(problem))
        for f, x in zip(gradients, operands, strict=True):
            _check_grad_shape(cls.__name__, f, x if bare else x.meta)
        gradients = [conjugate_complex_grad(f) if isinstance(f, Tensor) else f for f in gradients]
        return [f.array if bare and isinstance(f, Tensor) else f for f in gradients]

    return vjp_rule


def _check_grad_shape(name: str, gradient: Any, operand: Any) -> None:
    """Raise OpError unless the gradient is None or has the input's shape."""
    if gradient is None:
        return
    actual = gradient.meta if isinstance(gradient, Tensor) else type(gradient).__name__
    if not isinstance(gradient, Tensor) or gradient.meta.shape != operand.shape:
        expected = Meta(operand.shape, operand.dtype)
        raise OpError(
            append_user_line(
                f"{name}: backward returned {actual} as the gradient of an input (X={expected})"
            )
        )
