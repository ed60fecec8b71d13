"""What variables of Paddle 1.x can do besides: given to Tensor when fluid is imported."""

from __future__ import annotations

import functools
from typing import Any

from ..core.tensor import Tensor
from ..static.program import Kind
from ..static.scope import Held
from .printing import texts
from .strategy import BackwardStrategy

_backward = Tensor.backward


@functools.wraps(_backward)
def backward(self: Tensor, *args: Any, backward_strategy: Any = None, **kwargs: Any) -> None:
    """Gradients of all that wants them; see Tensor.backward.   backward_strategy, first or by name, changes nothing."""
    rest = args[1:] if args and isinstance(args[0], BackwardStrategy) else args
    if len(rest) < len(args):  # retain_graph came second
        kwargs |= {"retain_graph": rest[0]} if rest else {}
        rest = ()
    _backward(self, *rest, **kwargs)


def to_string(self: Tensor, throw_on_error: bool = True, with_details: bool = False) -> str:
    """The block that 1.8 printed for a value."""
    return texts["tensor"](self)


def value(self: Tensor) -> Held:
    """The place of the value, with get_tensor()."""
    return Held(self.name, self)


def grad_ivar(self: Tensor) -> Tensor | None:
    """The gradient as a variable, None without one."""
    return self.grad


def patch() -> None:
    """Give Tensor what it had."""
    for name, method in {"backward": backward, "to_string": to_string, "value": value, "_grad_ivar": grad_ivar}.items():
        setattr(Tensor, name, method)
    Tensor.type = Kind.DENSE  # type: ignore[attr-defined]


patch()
