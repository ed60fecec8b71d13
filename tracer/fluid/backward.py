"""Gradients of static graph programs: `fluid.backward`."""

from __future__ import annotations

from typing import Any

from ..static import append_backward as _append_backward
from ..static import gradients

__all__ = ["append_backward", "calc_gradient", "gradients"]


def append_backward(
    loss: Any,
    parameter_list: Any = None,
    no_grad_set: Any = None,
    callbacks: Any = None,
    checkpoints: Any = None,
) -> Any:
    """Append the gradients of `loss` [1], like `static.append_backward`.

    checkpoints have no effect: nothing is recomputed.

    The newer name is `paddle.static.append_backward`.
    """
    return _append_backward(loss, parameter_list, no_grad_set, callbacks)


def calc_gradient(
    targets: Any, inputs: Any, target_gradients: Any = None, no_grad_set: Any = None
) -> Any:
    """Return the gradients of `targets` with respect to `inputs`: a list, or the gradient itself if
    there is one input.
    """
    grads = gradients(targets, inputs, target_gradients, no_grad_set)
    return grads[0] if len(grads) == 1 else grads
