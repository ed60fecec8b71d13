"""What variables of Paddle 1.x can do besides: given to Tensor when fluid is imported."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..core._tape import Node
from ..core.backward_pass import to_public_grad
from ..core.paddle1_compat import compat
from ..core.tensor import Tensor
from ..ir.program import Kind
from ..ir.scope_values import ScopeValue
from . import printing
from .strategy import BackwardStrategy

_backward, _clear_gradient = Tensor.backward, Tensor.clear_gradient


@functools.wraps(_backward)
def backward(self: Tensor, *args: Any, backward_strategy: Any = None, **kwargs: Any) -> None:
    """Gradients of all that wants them; see Tensor.backward.

    backward_strategy, first or by name, changes nothing.
    """
    rest = args[1:] if args and isinstance(args[0], BackwardStrategy) else args
    if len(rest) < len(args):  # retain_graph came second
        kwargs |= {"retain_graph": rest[0]} if rest else {}
        rest = ()
    if (
        compat.is_paddle1
        and not compat.follows_fluid_mode
        and isinstance(self.node, Node)
        and self.node.args is None
    ):
        return  # freed by the first one; 1.8 did nothing either
    _backward(self, *rest, **kwargs)


def to_string(self: Tensor, throw_on_error: bool = True, with_details: bool = False) -> str:
    """The block that 1.8 printed for a value."""
    return printing.tensor(self)


def value(self: Tensor) -> ScopeValue:
    """The place of the value, with get_tensor()."""
    return ScopeValue(self.name, self)


def grad_ivar(self: Tensor) -> Tensor | None:
    """The gradient as a variable, None without one.

    Also of what ops made, after a walk back that came by.
    """
    node = self.node
    grads = (node.grads or {}) if isinstance(node, Node) else {}
    if self.index in grads:
        return Tensor(to_public_grad(grads[self.index]))
    # of its siblings only
    return Tensor(np.zeros_like(self.array)) if grads and self.grad is None else self.grad


def gradient(self: Tensor) -> Any:
    """The gradient as an ndarray, None where there is none."""
    found = grad_ivar(self)
    return None if found is None else found.numpy()


def clear_gradient(self: Tensor, set_to_zero: bool = True) -> None:
    """Set the gradient to zero, or forget it."""
    _clear_gradient(self, set_to_zero)
    grads = self.node.grads if isinstance(self.node, Node) else None
    if grads is not None and self.index in grads:
        grads[self.index] = np.zeros_like(self.array)


def patch() -> None:
    """Give Tensor what it had."""
    given = {
        "backward": backward,
        "to_string": to_string,
        "value": value,
        "_grad_ivar": grad_ivar,
        "gradient": gradient,
    }
    for name, method in {**given, "clear_gradient": clear_gradient}.items():
        setattr(Tensor, name, method)
    Tensor.type = Kind.DENSE  # type: ignore[attr-defined]


patch()
