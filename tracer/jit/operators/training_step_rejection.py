"""Detect training steps (gradients, optimizers, schedulers, loss scalers) in code that is being
recorded.
"""

from __future__ import annotations

from typing import Any

from ...capture.modes import Static
from ...core.tensor import Tensor

GRADIENT_METHODS = frozenset(
    {"backward", "grad", "gradient", "_grad_ivar", "clear_grad", "clear_gradient", "_zero_grads"}
)


def reject_or_must_skip_training_state_access(mode: Static, owner: Any, name: str) -> bool:
    """Raise SideEffectError for access to an optimizer, a scheduler, a scaler or the gradient of a
    tensor. While `oarlock explain` runs, return True instead, so that the caller skips the access.
    """
    if getattr(type(owner), "is_training_state", False) is True:
        return mode.reject_or_must_skip_side_effect(
            f"{type(owner).__name__}.{name}" if name else f"a call of {type(owner).__name__}"
        )
    return (
        name in GRADIENT_METHODS
        and isinstance(owner, Tensor)
        and mode.reject_or_must_skip_side_effect(f"Tensor.{name}")
    )


def reject_or_must_skip_training_call(mode: Static, function: Any, owner: Any) -> bool:
    """Raise SideEffectError for a call that belongs to a training step. While `oarlock explain`
    runs, return True instead, so that the caller skips the call.
    """
    name = "" if owner is None else str(getattr(function, "__name__", ""))
    return reject_or_must_skip_training_state_access(
        mode, function if owner is None else owner, name
    )


def return_first_argument_of_skipped_call(*args: Any, **_: Any) -> Any:
    """Return the first argument. `oarlock explain` calls this function in place of a call that it
    skips.
    """
    return args[0] if args else None
