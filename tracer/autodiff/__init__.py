"""Append ops to a program that compute gradients of its variables."""

# Importing `control_flow_gradients` and `side_effect_op_gradients` registers their gradient rules
# in `backward_pass`.
from . import control_flow_gradients, emit_paddle_grad_ops, side_effect_op_gradients
from .append_backward import append_backward, append_gradient_ops, gradients

__all__ = ["append_backward", "append_gradient_ops", "gradients"]
