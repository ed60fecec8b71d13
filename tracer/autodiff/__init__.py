"""Gradients of a program: append ops that compute them."""

# Importing these modules registers their gradient rules in `backward_pass`.
from . import control_flow_gradients, emit_paddle_grad_ops, side_effect_op_gradients
from .append_backward import append_backward, append_gradient_ops, gradients

__all__ = ["append_backward", "append_gradient_ops", "gradients"]
