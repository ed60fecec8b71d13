"""Methods of Paddle 1.x that are added to Tensor when fluid is imported."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..core._tape import Node
from ..core.backward_pass import conjugate_complex_grad
from ..core.paddle1_compat import compat
from ..core.tensor import Tensor
from ..ir.program import VarKind
from ..ir.scope_values import ScopeValue
from . import printing
from .backward_strategy import BackwardStrategy

_backward, _clear_gradient = Tensor.backward, Tensor.clear_gradient


@functools.wraps(_backward)
def backward(self: Tensor, *args: Any, backward_strategy: Any = None, **kwargs: Any) -> None:
    """Compute gradients, like `Tensor.backward`.

    backward_strategy, as the first argument or by name, has no effect.
    """
    positional = args[1:] if args and isinstance(args[0], BackwardStrategy) else args
    if len(positional) < len(args):  # retain_graph is the second argument
        kwargs |= {"retain_graph": positional[0]} if positional else {}
        positional = ()
    if (
        compat.is_paddle1
        and not compat.follows_fluid_mode
        and isinstance(self.node, Node)
        and self.node.args is None
    ):
        return  # the graph was freed by an earlier backward pass; 1.8 does nothing, too
    _backward(self, *positional, **kwargs)


def to_string(self: Tensor, throw_on_error: bool = True, with_details: bool = False) -> str:
    """Return the text that 1.8 printed for a tensor."""
    return printing.format_tensor(self)


def value(self: Tensor) -> ScopeValue:
    """Return the value of a tensor as an object with the method get_tensor(), as `Scope.find_var`
    returns it.
    """
    return ScopeValue(self.name, self)


def grad_ivar(self: Tensor) -> Tensor | None:
    """Return the gradient as a tensor, or None; also for outputs of ops, after a backward pass."""
    node = self.node
    grads = (node.grads or {}) if isinstance(node, Node) else {}
    if self.index in grads:
        return Tensor(conjugate_complex_grad(grads[self.index]))
    # If the backward pass reached only other outputs of the op, the gradient of this output is 0.
    return Tensor(np.zeros_like(self.array)) if grads and self.grad is None else self.grad


def gradient(self: Tensor) -> Any:
    """Return the gradient as an ndarray, or None."""
    grad = grad_ivar(self)
    return None if grad is None else grad.numpy()


def clear_gradient(self: Tensor, set_to_zero: bool = True) -> None:
    """Set the gradient of a tensor to zero or, if set_to_zero is false, delete it."""
    _clear_gradient(self, set_to_zero)
    grads = self.node.grads if isinstance(self.node, Node) else None
    if grads is not None and self.index in grads:
        if set_to_zero:
            grads[self.index] = np.zeros_like(self.array)
        else:
            del grads[self.index]


def set_tensor_methods_of_paddle1() -> None:
    """Add the methods and attributes of Paddle 1.x to Tensor."""
    methods = {
        "backward": backward,
        "to_string": to_string,
        "value": value,
        "_grad_ivar": grad_ivar,
        "gradient": gradient,
        "clear_gradient": clear_gradient,
    }
    for name, method in methods.items():
        setattr(Tensor, name, method)
    Tensor.type = VarKind.DENSE  # type: ignore[attr-defined]


set_tensor_methods_of_paddle1()
