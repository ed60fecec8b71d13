"""Access to the state of a training step - gradients, optimizers, schedulers, loss scalers - in code that is being recorded."""

from __future__ import annotations

from typing import Any

from ...capture.modes import Static
from ...core.tensor import Tensor

OF_GRADIENTS = frozenset({"backward", "grad", "gradient", "_grad_ivar", "clear_grad", "clear_gradient", "_zero_grads"})


def refuse_training_state(mode: Static, owner: Any, name: str) -> bool:
    """Raise SideEffectError for an attribute or method of an optimizer, a scheduler or a scaler, and for gradients of tensors.

    Returns True if the caller must leave it out.
    """
    if getattr(type(owner), "is_training_state", False) is True:
        return mode.refuse_side_effect(
            f"{type(owner).__name__}.{name}" if name else f"a call of {type(owner).__name__}"
        )
    return name in OF_GRADIENTS and isinstance(owner, Tensor) and mode.refuse_side_effect(f"Tensor.{name}")


def is_training_step(mode: Static, function: Any, owner: Any) -> bool:
    """Whether a call belongs to a training step, which `explain` leaves out.   Raises SideEffectError otherwise."""
    name = "" if owner is None else str(getattr(function, "__name__", ""))
    return refuse_training_state(mode, function if owner is None else owner, name)


def first_argument(*args: Any, **_: Any) -> Any:
    """The first argument: what `explain` goes on with in place of a call that it leaves out."""
    return args[0] if args else None
