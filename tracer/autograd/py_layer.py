"""PyLayer: an op whose forward and backward are Python of the user's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core._tape import Node
from ..core.backward_pass import BARE_ARRAYS, to_public_grad
from ..core.dtype import is_float
from ..core.errors import OpError, with_user_line
from ..core.mode import state, use_mode
from ..core.op import Meta, Op, OpTraits, Slot
from ..core.tensor import Tensor


class PyLayerContext:
    """What forward leaves for backward.   Attributes of the user's own may be set on it as well."""

    def __init__(self) -> None:
        self._saved: tuple[Any, ...] = ()
        self._constant: tuple[Any, ...] = ()
        self._zeros = True

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors for backward; a second call replaces what the first kept."""
        self._saved = tensors

    def saved_tensor(self) -> tuple[Any, ...]:
        """What `save_for_backward` kept."""
        return self._saved

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """These results of forward have no gradient; backward gets zeros for them."""
        self._constant = tensors

    def mark_not_inplace(self, *tensors: Any) -> None:
        """These results are operands given back: always true here, where results never share a
        tensor with operands.
        """

    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward gets zeros (the default) or None for results that nothing came
        back to.
        """
        self._zeros = bool(value)


class PyLayer:
    """Subclass it with static methods `forward(ctx, *args, **kwargs)` and `backward(ctx, *grads)`,
    then call `apply`.

    backward gets one gradient per tensor that forward gave, and gives one (or None) per tensor that
    forward was called with.
    """

    @staticmethod
    def forward(ctx: PyLayerContext, *args: Any, **kwargs: Any) -> Any:
        """The results; nothing in here is recorded for gradients."""
        raise NotImplementedError("a PyLayer needs a forward")

    @staticmethod
    def backward(ctx: PyLayerContext, *args: Any) -> Any:
        """The gradients of the tensors that forward was called with."""
        raise NotImplementedError("a PyLayer needs a backward")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward, and put it on the tape.

        Tensors may stand among the arguments and in lists of them.
        """
        ctx = PyLayerContext()
        with use_mode(state.mode.with_tape(False)):
            made = cls.forward(ctx, *args, **kwargs)
        given = _tensors([*args, *kwargs.values()])
        nested = list(made) if isinstance(made, list | tuple) else [made]
        results = [_own(r, given, ctx) if isinstance(r, Tensor) else r for r in nested]
        tensors = [r for r in results if isinstance(r, Tensor)]
        if not tensors:
            raise OpError(
                with_user_line(f"{cls.__name__}: forward gave no tensor, but {type(made).__name__}")
            )
        if state.mode.tape and state.mode.static and any(not t.stop_gradient for t in given):
            state.mode.note_missing_gradient(f"the backward of a PyLayer ({cls.__name__})")
        if state.mode.tape and not state.mode.static and any(not t.stop_gradient for t in given):
            _record(cls, ctx, given, tensors)
        return type(made)(results) if isinstance(made, list | tuple) else results[0]


def _tensors(args: Sequence[Any]) -> list[Tensor]:
    found: list[Tensor] = []
    for a in args:
        found += (
            [a] if isinstance(a, Tensor) else _tensors(a) if isinstance(a, list | tuple) else []
        )
    return found


def _own(result: Tensor, given: Sequence[Tensor], ctx: PyLayerContext) -> Tensor:
    """The result as a tensor of its own: an operand that forward gave back must not become the
    node's result.
    """
    if not any(result is t for t in given):
        return result
    made = result.detach()
    ctx._constant = tuple(made if t is result else t for t in ctx._constant)
    return made


def _record(
    cls: type[PyLayer], ctx: PyLayerContext, given: list[Tensor], results: list[Tensor]
) -> None:
    attrs = {"materialize_grads": ctx._zeros}
    node = Node(_op(cls, ctx), (given,), attrs, [t.array for t in results])
    for i, tensor in enumerate(results):
        if is_float(tensor.meta.dtype) and not any(tensor is c for c in ctx._constant):
            tensor.stop_gradient, tensor.node, tensor.index = False, node, i


def _op(cls: type[PyLayer], ctx: PyLayerContext) -> Op:
    """The op that stands on the tape for one call."""
    op = Op(
        cls.__name__,
        [Slot("X", many=True)],
        [Slot("Out", many=True)],
        _no_kernel,
        OpTraits(internal=True),
        None,
    )
    op.vjp(_rule(cls, ctx))
    return op


def _no_kernel(x: Any) -> Any:
    raise AssertionError("a PyLayer is run by apply()")


def _rule(cls: type[PyLayer], ctx: PyLayerContext) -> Callable[[list[Any], list[Any]], list[Any]]:
    """The vjp rule: the user's backward, on Tensors; where gradients are bare arrays it wraps and
    unwraps them.
    """

    def rule(grads: list[Any], operands: list[Any]) -> list[Any]:
        bare = state.mode is BARE_ARRAYS
        tensors = [Tensor(g) if bare and g is not None else g for g in grads]
        with use_mode(state.mode.with_tape(False) if bare else state.mode):
            found = cls.backward(ctx, *[t if t is None else to_public_grad(t) for t in tensors])
        found = list(found) if isinstance(found, list | tuple) else [found]
        if len(found) != len(operands):
            why = (
                f"{cls.__name__}: backward gave {len(found)} gradients for the "
                f"{len(operands)} tensors that forward was called with"
            )
            raise OpError(with_user_line(why))
        for f, x in zip(found, operands, strict=True):
            _check_like(cls.__name__, f, x if bare else x.meta)
        found = [to_public_grad(f) if isinstance(f, Tensor) else f for f in found]
        return [f.array if bare and isinstance(f, Tensor) else f for f in found]

    return rule


def _check_like(name: str, gradient: Any, operand: Any) -> None:
    """Raise OpError for what is neither None nor a gradient of the operand's shape."""
    if gradient is None:
        return
    got = gradient.meta if isinstance(gradient, Tensor) else type(gradient).__name__
    if not isinstance(gradient, Tensor) or gradient.meta.shape != operand.shape:
        wanted = Meta(operand.shape, operand.dtype)
        raise OpError(
            with_user_line(
                f"{name}: backward gave {got} as the gradient of an operand (X={wanted})"
            )
        )
